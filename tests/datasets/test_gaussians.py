import numpy as np
import pytest

from kernelwise.datasets import gaussian_grid_parameters, make_gaussian_grid, make_two_gaussians


@pytest.mark.parametrize("bayes_error", [0.017, 0.2])
def test_best_linear_rule_errs_at_the_bayes_error(bayes_error):
    X, y = make_two_gaussians(200_000, bayes_error=bayes_error, random_state=0)
    # The best rule for two unit Gaussians is the perpendicular bisector of the means.
    towards = X[y == 1].mean(axis=0) - X[y == -1].mean(axis=0)
    middle = X.mean(axis=0)
    error = np.mean(np.sign((X - middle) @ towards) != y)
    assert error == pytest.approx(bayes_error, abs=4 * np.sqrt(bayes_error / len(y)))
    for label in (-1, 1):
        np.testing.assert_allclose(np.cov(X[y == label].T), np.eye(2), atol=0.02)


def test_a_standard_deviation_scales_everything():
    X, y = make_two_gaussians(100, random_state=0)
    scaled, labels = make_two_gaussians(100, std=0.42, random_state=0)
    np.testing.assert_allclose(scaled, 0.42 * X)
    np.testing.assert_array_equal(labels, y)
    with pytest.raises(ValueError, match="std"):
        make_two_gaussians(std=0.0)


def test_classes_are_balanced_and_shuffled():
    X, y = make_two_gaussians(random_state=0)
    assert X.shape == (2000, 2)
    assert y.sum() == 0
    assert abs(y[:1000].sum()) < 200
    assert make_two_gaussians(5, random_state=0)[1].sum() == -1


@pytest.mark.parametrize("bayes_error", [0.0, 0.5, 0.7])
def test_impossible_bayes_error_is_refused(bayes_error):
    with pytest.raises(ValueError, match="bayes_error"):
        make_two_gaussians(bayes_error=bayes_error)


def test_grid_parameters_are_those_of_figure_2():
    mu1, var1, mu2, var2 = gaussian_grid_parameters(1, 5)
    np.testing.assert_array_equal(mu1, [0, 0])
    np.testing.assert_array_equal(mu2, [1, 1])
    np.testing.assert_allclose(var1, np.exp(-4))
    np.testing.assert_allclose(var2, np.exp(4))


def test_grid_sample_has_the_parameters():
    X, y = make_gaussian_grid(2, 4, 200_000, random_state=0)
    mu1, var1, mu2, var2 = gaussian_grid_parameters(2, 4)
    assert np.count_nonzero(y == -1) == np.count_nonzero(y == 1) == 100_000
    for label, mean, variance in ((-1, mu1, var1), (1, mu2, var2)):
        sample = X[y == label]
        np.testing.assert_allclose(sample.mean(axis=0), mean, atol=5 * np.sqrt(variance[0] / 100_000))
        np.testing.assert_allclose(np.cov(sample.T), np.diag(variance), atol=0.03 * variance[0])


@pytest.mark.parametrize(("row", "column"), [(0, 3), (3, 6)])
def test_grid_has_five_rows_and_columns(row, column):
    with pytest.raises(ValueError, match="row" if row == 0 else "column"):
        make_gaussian_grid(row, column)
    with pytest.raises(TypeError, match="row"):
        gaussian_grid_parameters(1.5, 1)


def test_same_seed_same_data():
    for make in (make_two_gaussians, lambda **kw: make_gaussian_grid(1, 2, **kw)):
        np.testing.assert_array_equal(make(random_state=5)[0], make(random_state=5)[0])
