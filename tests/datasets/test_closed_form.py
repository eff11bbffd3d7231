import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from kernelwise.datasets import gaussian_esdr, gaussian_grid_parameters, make_gaussian_grid

# Three features, unequal in every respect.
GAUSSIANS = ([0.0, 1.0, -1.0], [0.5, 2.0, 1.0], [1.0, 0.0, 0.5], [3.0, 0.1, 0.7])
ROUND = ([0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [np.exp(2.0)] * 2)


def decimal_esdr(sigma, mu1, var1, mu2, var2, p1):
    """Equations 8, 17 and 18 as printed, in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        s2, p1 = Decimal(sigma) ** 2, Decimal(p1)

        def product(variances, gaps):
            result = Decimal(1)
            for v, gap in zip(variances, gaps, strict=True):
                result *= (s2 / (v + s2)).sqrt() * (-(gap**2) / (2 * (v + s2))).exp()
            return result

        m1, v1, m2, v2 = ([Decimal(x) for x in p] for p in (mu1, var1, mu2, var2))
        nil = [Decimal(0)] * len(v1)
        gaps = [a - b for a, b in zip(m1, m2, strict=True)]
        between = 1 - product([a + b for a, b in zip(v1, v2, strict=True)], gaps)
        within = p1 * (1 - product([2 * v for v in v1], nil)) + (1 - p1) * (
            1 - product([2 * v for v in v2], nil)
        )
        return float(between / within)


def input_space_esdr(mu1, var1, mu2, var2, p1):
    mu1, var1, mu2, var2 = map(np.asarray, (mu1, var1, mu2, var2))
    return (np.sum(var1 + var2) + np.sum((mu1 - mu2) ** 2)) / (
        2 * p1 * var1.sum() + 2 * (1 - p1) * var2.sum()
    )


@pytest.mark.parametrize("p1", [0.5, 0.125])
@pytest.mark.parametrize("sigma", [1e-9, 0.03, 1.0, 40.0, 1e4, 1e7, 1e12])
def test_equals_the_printed_equations_in_60_digits(sigma, p1):
    expected = decimal_esdr(sigma, *GAUSSIANS, p1)
    assert gaussian_esdr(sigma, *GAUSSIANS, p1=p1) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 5.0, 100.0])
@pytest.mark.parametrize(("parameters", "p1"), [(GAUSSIANS, 0.3), (ROUND, 0.5)])
def test_agrees_with_sampled_pairs(parameters, p1, sigma):
    mu1, var1, mu2, var2 = map(np.asarray, parameters)
    rng = np.random.default_rng(0)

    def draw(mu, var):
        return mu + np.sqrt(var) * rng.standard_normal((200_000, len(mu)))

    def mean_square_distance(x, z):
        return np.mean(2 - 2 * np.exp(-np.sum((x - z) ** 2, axis=1) / (2 * sigma**2)))

    between = mean_square_distance(draw(mu1, var1), draw(mu2, var2))
    within1 = mean_square_distance(draw(mu1, var1), draw(mu1, var1))
    within2 = mean_square_distance(draw(mu2, var2), draw(mu2, var2))
    sampled = between / (p1 * within1 + (1 - p1) * within2)
    assert gaussian_esdr(sigma, *parameters, p1=p1) == pytest.approx(sampled, rel=0.01)


def test_equals_the_double_loop_over_samples_within_their_spread():
    sigma, n_each, ratios = 1.5, 40, []
    for seed in range(30):
        X, y = make_gaussian_grid(2, 4, 2 * n_each, random_state=seed)
        sums = {"between": 0.0, -1: 0.0, 1: 0.0}
        for x, a in zip(X, y, strict=True):
            for z, b in zip(X, y, strict=True):
                square = 2 - 2 * math.exp(-((x[0] - z[0]) ** 2 + (x[1] - z[1]) ** 2) / (2 * sigma**2))
                sums[a if a == b else "between"] += square
        # Equations 10 to 12. "between" met each pair twice; pairs i = j, which are 0, make the mean within a
        # class of n points too small by the factor 1 − 1/n.
        between = sums["between"] / 2 / n_each**2
        within = (sums[-1] + sums[1]) / 2 / n_each**2
        ratios.append((1 - 1 / n_each) * between / within)
    standard_error = np.std(ratios, ddof=1) / np.sqrt(len(ratios))
    expected = gaussian_esdr(sigma, *gaussian_grid_parameters(2, 4))
    assert standard_error < 0.01 * expected
    assert np.mean(ratios) == pytest.approx(expected, abs=4 * standard_error)


@pytest.mark.parametrize("p1", [0.5, 0.2])
def test_limits(p1):
    narrow = gaussian_esdr([0.0, 1e-300, 1e-12], *GAUSSIANS, p1=p1)
    np.testing.assert_allclose(narrow, 1.0, rtol=1e-14)
    wide = gaussian_esdr([1e10, 1e100, 1e300, np.inf], *GAUSSIANS, p1=p1)
    np.testing.assert_allclose(wide, input_space_esdr(*GAUSSIANS, p1), rtol=1e-14)


def test_classes_can_be_exchanged():
    mu1, var1, mu2, var2 = GAUSSIANS
    sigma = np.logspace(-3, 3, 13)
    exchanged = gaussian_esdr(sigma, mu2, var2, mu1, var1, p1=0.7)
    np.testing.assert_allclose(gaussian_esdr(sigma, *GAUSSIANS, p1=0.3), exchanged, rtol=1e-14)


def test_does_not_depend_on_the_unit_of_length():
    mu1, var1, mu2, var2 = map(np.asarray, GAUSSIANS)
    scaled = gaussian_esdr(2e6, 1e6 * mu1, 1e12 * var1, 1e6 * mu2, 1e12 * var2)
    assert gaussian_esdr(2.0, *GAUSSIANS) == pytest.approx(scaled, rel=1e-13)


def test_equal_classes_are_completely_mixed():
    sigma = np.logspace(-5, 9, 15)
    np.testing.assert_allclose(gaussian_esdr(sigma, [1, 2], 3.0, [1, 2], 3.0), 1.0, rtol=1e-14)


def test_shape_follows_sigma_and_scalars_broadcast():
    sigma = np.ones((2, 3))
    assert gaussian_esdr(sigma, *GAUSSIANS).shape == (2, 3)
    assert isinstance(gaussian_esdr(1.0, *GAUSSIANS), float)
    assert gaussian_esdr([], *GAUSSIANS).shape == (0,)
    assert gaussian_esdr(1.0, 0.0, 1.0, [1, 1], 2.0) == gaussian_esdr(1.0, [0, 0], [1, 1], [1, 1], [2, 2])


def test_step_and_impulse_of_figure_3():
    sigma = 2.0 ** np.arange(-8, 9.5, 0.5)
    step = gaussian_esdr(sigma, *gaussian_grid_parameters(2, 2))
    assert (np.diff(step) >= 0).all()
    impulse = gaussian_esdr(sigma, *gaussian_grid_parameters(1, 5))
    assert impulse.max() > 1.5 * max(impulse[0], impulse[-1])


#: Two features, correlated, and two more that mix with them.
FULL1 = np.array([[2.0, 0.9, 0.3], [0.9, 1.0, -0.2], [0.3, -0.2, 0.5]])
FULL2 = np.array([[0.7, -0.4, 0.0], [-0.4, 1.5, 0.6], [0.0, 0.6, 0.9]])
MU1, MU2 = np.array([0.0, 1.0, -1.0]), np.array([1.0, 0.5, 0.5])


@pytest.mark.parametrize("p1", [0.5, 0.2])
@pytest.mark.parametrize("sigma", [0.2, 1.0, 6.0])
def test_full_covariances_have_the_closed_form_of_the_determinant(sigma, p1):
    def mean_kernel(cov, gap):
        inner = np.eye(3) + cov / sigma**2
        whole = sigma**2 * np.eye(3) + cov
        return np.linalg.det(inner) ** -0.5 * np.exp(-0.5 * gap @ np.linalg.solve(whole, gap))

    between = 1 - mean_kernel(FULL1 + FULL2, MU1 - MU2)
    within = p1 * (1 - mean_kernel(2 * FULL1, np.zeros(3))) + (1 - p1) * (
        1 - mean_kernel(2 * FULL2, np.zeros(3))
    )
    assert gaussian_esdr(sigma, MU1, FULL1, MU2, FULL2, p1=p1) == pytest.approx(between / within, rel=1e-12)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 5.0])
def test_full_covariances_agree_with_sampled_pairs(sigma):
    rng = np.random.default_rng(1)

    def mean_square_distance(mu, cov, nu, other):
        x, z = (rng.multivariate_normal(m, c, 300_000) for m, c in ((mu, cov), (nu, other)))
        return np.mean(2 - 2 * np.exp(-np.sum((x - z) ** 2, axis=1) / (2 * sigma**2)))

    between = mean_square_distance(MU1, FULL1, MU2, FULL2)
    within = [mean_square_distance(mu, cov, mu, cov) for mu, cov in ((MU1, FULL1), (MU2, FULL2))]
    sampled = between / np.mean(within)
    assert gaussian_esdr(sigma, MU1, FULL1, MU2, FULL2) == pytest.approx(sampled, rel=0.005)


def test_full_covariances_agree_with_an_integral():
    # E k(x, y) over the plane of z = x − y, on a grid that reaches 8 standard deviations.
    cov1, cov2, gap, sigma = FULL1[:2, :2], FULL2[:2, :2], np.array([1.0, -0.5]), 0.8
    axis = np.linspace(-15, 15, 1201)
    z = np.stack(np.meshgrid(axis, axis), axis=-1)
    cell = (axis[1] - axis[0]) ** 2

    def mean_square(cov, mu):
        d = z - mu
        density = np.exp(-0.5 * np.einsum("abi,ij,abj->ab", d, np.linalg.inv(cov), d))
        density /= 2 * np.pi * np.sqrt(np.linalg.det(cov))
        return 2 - 2 * np.sum(density * np.exp(-np.sum(z**2, axis=-1) / (2 * sigma**2))) * cell

    within = 0.5 * (mean_square(2 * cov1, np.zeros(2)) + mean_square(2 * cov2, np.zeros(2)))
    expected = mean_square(cov1 + cov2, gap) / within
    assert gaussian_esdr(sigma, gap, cov1, [0, 0], cov2) == pytest.approx(expected, rel=1e-9)


def test_a_diagonal_matrix_is_its_diagonal():
    mu1, var1, mu2, var2 = GAUSSIANS
    sigma = np.logspace(-9, 12, 22)
    expected = gaussian_esdr(sigma, *GAUSSIANS, p1=0.3)
    np.testing.assert_array_equal(
        gaussian_esdr(sigma, mu1, np.diag(var1), mu2, np.diag(var2), p1=0.3), expected
    )
    # One full matrix beside one diagonal, and nothing but the axes turned.
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    turned = [turn @ np.diag(var) @ turn.T for var in (var1, var2)]
    found = gaussian_esdr(sigma, turn @ mu1, turned[0], turn @ mu2, turned[1], p1=0.3)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_full_covariances_have_the_limits():
    narrow = gaussian_esdr([0.0, 1e-12], MU1, FULL1, MU2, FULL2)
    np.testing.assert_allclose(narrow, 1.0, rtol=1e-10)
    wide = gaussian_esdr([1e10, np.inf], MU1, FULL1, MU2, FULL2)
    expected = (np.trace(FULL1 + FULL2) + np.sum((MU1 - MU2) ** 2)) / np.trace(FULL1 + FULL2)
    np.testing.assert_allclose(wide, expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((1.0, [0, 0], [[1.0, 2.0], [2.0, 1.0]], [1, 1], 1.0), "'var1' .* positive eigenvalues"),
        ((1.0, [0, 0], 1.0, [1, 1], [[1.0, 0.5], [0.0, 1.0]]), "'var2' .* symmetric"),
        ((1.0, [[0, 0]], 1.0, [1, 1], 1.0), r"shapes \(1, 2\)"),
        ((-1.0, [0], 1.0, [1], 1.0), "sigma"),
        ((np.nan, [0], 1.0, [1], 1.0), "sigma"),
        ((1.0, [0], 0.0, [1], 1.0), "var1"),
        ((1.0, [0], 1.0, [np.inf], 1.0), "mu2"),
        ((1.0, [0, 1, 2], 1.0, [1, 2], 1.0), r"shapes \(3,\), \(1,\), \(2,\)"),
    ],
)
def test_bad_arguments_are_named(arguments, says):
    with pytest.raises(ValueError, match=says):
        gaussian_esdr(*arguments)
    with pytest.raises(ValueError, match="p1"):
        gaussian_esdr(1.0, *GAUSSIANS, p1=1.5)
