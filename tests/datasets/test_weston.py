import numpy as np
import pytest
from scipy.stats import multivariate_normal

from kernelwise.datasets import make_weston

MEANS = {-1: [(-0.75, -3), (0.75, 3)], 1: [(3, -3), (-3, 3)]}


def density(points, label):
    return sum(0.5 * multivariate_normal(mean).pdf(points) for mean in MEANS[label])


def test_shape_labels_and_defaults():
    X, y = make_weston(random_state=0)
    assert X.shape == (100, 52)
    assert X.dtype == np.float64
    assert set(y) == {-1, 1}
    assert make_weston(7, n_noise=0, random_state=0)[0].shape == (7, 2)


def test_same_seed_same_data():
    for first, second in zip(make_weston(random_state=3), make_weston(random_state=3), strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("label", [-1, 1])
def test_class_has_the_moments_of_its_mixture(label):
    n_samples = 400_000
    X, y = make_weston(n_samples, n_noise=0, random_state=1)
    assert np.mean(y == label) == pytest.approx(0.5, abs=5 * 0.5 / np.sqrt(n_samples))
    centre = np.array(MEANS[label][1])
    sample = X[y == label]
    np.testing.assert_allclose(sample.mean(axis=0), 0, atol=0.04)
    np.testing.assert_allclose(
        sample.T @ sample / len(sample), np.eye(2) + np.outer(centre, centre), atol=0.1
    )
    # Along the centre: an even mixture of N(±m, 1). Its fourth moment is below that of one wide Gaussian.
    m = np.linalg.norm(centre)
    assert np.mean((sample @ centre / m) ** 4) == pytest.approx(m**4 + 6 * m**2 + 3, rel=0.02)


def test_noise_has_variance_20_and_no_relation_to_the_class():
    X, y = make_weston(100_000, n_noise=4, random_state=2)
    np.testing.assert_allclose(X[:, 2:].var(axis=0), 20.0, rtol=0.03)
    correlation = np.corrcoef(np.column_stack([X[:, 2:], y]).T)
    np.testing.assert_allclose(correlation, np.eye(5), atol=0.02)


def test_best_rule_errs_as_often_as_the_integral_says():
    X, y = make_weston(200_000, n_noise=0, random_state=4)
    rule = np.where(density(X, 1) > density(X, -1), 1, -1)
    step = 0.05
    axis = np.arange(-9, 9, step)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1)
    bayes_error = 0.5 * step**2 * np.minimum(density(grid, 1), density(grid, -1)).sum()
    standard_error = np.sqrt(bayes_error * (1 - bayes_error) / len(y))
    assert np.mean(rule != y) == pytest.approx(bayes_error, abs=4 * standard_error)


@pytest.mark.parametrize("bad", [{"n_samples": 0}, {"n_noise": -1}])
def test_bad_sizes_are_named(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        make_weston(**bad)
