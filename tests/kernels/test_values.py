"""Kernel values against their formulas, entry by entry."""

from __future__ import annotations

import math
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad
from scipy.spatial.distance import cdist
from sklearn.svm import SVC

from kernelwise.exceptions import RidgeWarning
from kernelwise.kernels import (
    KERNELS,
    KMOD,
    RBF,
    DiagonalGaussian,
    DiagonalLaplacian,
    ExponentialRBF,
    Gaussian,
    KernelSum,
    Laplacian,
    Linear,
    LowRankGaussian,
    Mahalanobis,
    Polynomial,
    Sigmoid,
    as_kernel,
    distances,
)
from kernelwise.kernels.distances import squared_distances

RNG = np.random.default_rng(3)
Q = np.array([[2.0, 0.5, 0.0, 0.1], [0.5, 1.0, 0.2, 0.0], [0.0, 0.2, 0.7, 0.0], [0.1, 0.0, 0.0, 0.3]])
A = np.array([[1.0, -0.5, 0.2, 0.0], [0.0, 0.3, 0.0, 0.4]])
S = np.diag([1.0, 2.0, 0.5, 1.5]) + 0.2


def kmod(d, gamma=1.5, sigma=0.8):
    return (np.exp(gamma / (d @ d + sigma**2)) - 1) / (np.exp(gamma / sigma**2) - 1)


FORMULAS = [
    (Linear(), lambda x, y: x @ y),
    (Polynomial(3, 0.4, 1.2), lambda x, y: (0.4 * (x @ y) + 1.2) ** 3),
    (Polynomial(2, 0.4, 0.0), lambda x, y: (0.4 * (x @ y)) ** 2),
    (Sigmoid(0.3, -0.5), lambda x, y: np.tanh(0.3 * (x @ y) - 0.5)),
    (RBF(0.7), lambda x, y: np.exp(-0.7 * (x - y) @ (x - y))),
    (ExponentialRBF(0.7), lambda x, y: np.exp(-0.7 * np.linalg.norm(x - y))),
    (Laplacian(0.7), lambda x, y: np.exp(-0.7 * np.abs(x - y).sum())),
    (DiagonalLaplacian([1.0, 2.0, 0.1, 0.4]), lambda x, y: np.exp(-np.abs(x - y) @ [1.0, 2.0, 0.1, 0.4])),
    (
        KernelSum([RBF(0.7), Laplacian(0.2)]),
        lambda x, y: np.exp(-0.7 * (x - y) @ (x - y)) + np.exp(-0.2 * np.abs(x - y).sum()),
    ),
    (
        KernelSum([KernelSum([Linear(), RBF(0.7)], [2.0, 3.0]), RBF(0.1)], [0.5, 4.0]),
        lambda x, y: x @ y + 1.5 * np.exp(-0.7 * (x - y) @ (x - y)) + 4.0 * np.exp(-0.1 * (x - y) @ (x - y)),
    ),
    (KMOD(1.5, 0.8), lambda x, y: kmod(x - y)),
    (
        Mahalanobis(0.9, S),
        lambda x, y: np.exp(-0.9 / 4 * (x - y) @ np.linalg.inv(S) @ (x - y)),
    ),
    (
        Mahalanobis(0.9, [1.0, 2.0, 0.5, 1.5]),
        lambda x, y: np.exp(-0.9 / 4 * (x - y) ** 2 @ (1 / np.array([1.0, 2.0, 0.5, 1.5]))),
    ),
    (DiagonalGaussian([1.0, 2.0, 0.1, 0.4]), lambda x, y: np.exp(-0.5 * (x - y) ** 2 @ [1.0, 2.0, 0.1, 0.4])),
    (Gaussian(Q), lambda x, y: np.exp(-0.5 * (x - y) @ Q @ (x - y))),
    (LowRankGaussian(A), lambda x, y: np.exp(-0.5 * np.sum((A @ (x - y)) ** 2))),
]


@pytest.mark.parametrize(
    ("kernel", "formula"), FORMULAS, ids=lambda p: repr(p) if hasattr(p, "theta") else ""
)
def test_values_equal_the_formula(kernel, formula):
    X, Y = RNG.normal(size=(9, 4)), RNG.normal(size=(5, 4))
    expected = np.array([[formula(x, y) for y in Y] for x in X])
    np.testing.assert_allclose(kernel(X, Y), expected, rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(X), [formula(x, x) for x in X], rtol=1e-12)


def test_gaussian_gradient_is_the_symmetric_matrix_of_equation_21():
    X = RNG.normal(size=(15, 4))
    W = RNG.normal(size=(15, 15))
    W = W + W.T
    kernel = Gaussian(Q)
    V = W * kernel(X)
    expected = -X.T @ (np.diag(V.sum(axis=1)) - V) @ X
    gradient = kernel.gradient_dot(X, W)
    np.testing.assert_allclose(gradient, expected, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(gradient, gradient.T, rtol=1e-12, atol=1e-13)


def test_the_gaussian_family_agrees_where_its_members_meet():
    X = RNG.normal(size=(20, 4))
    rbf = RBF(0.35)(X)
    np.testing.assert_allclose(DiagonalGaussian(np.full(4, 0.7))(X), rbf, rtol=1e-12)
    np.testing.assert_allclose(Gaussian(0.7 * np.eye(4))(X), rbf, rtol=1e-12)
    np.testing.assert_allclose(LowRankGaussian(np.sqrt(0.7) * np.eye(4))(X), rbf, rtol=1e-12)
    np.testing.assert_allclose(Mahalanobis(1.4, np.ones(4))(X), rbf, rtol=1e-12)
    Z = Gaussian(Q).transform(X)
    np.testing.assert_allclose(Gaussian(Q)(X), RBF(0.5)(Z), rtol=1e-12)


def test_kmod_is_one_on_the_diagonal_and_does_not_overflow_when_narrow():
    X = np.array([[0.0], [1e-3], [1.0], [50.0]])
    K = KMOD(gamma=5.0, sigma=0.01)(X)
    assert np.isfinite(K).all()
    np.testing.assert_allclose(K.diagonal(), 1.0, rtol=1e-12)
    expected = np.exp(5.0 / (1e-6 + 1e-4) - 5.0 / 1e-4)
    np.testing.assert_allclose(KMOD(gamma=5.0, sigma=0.01)(X[:2])[0, 1], expected, rtol=1e-9)


@pytest.mark.parametrize(("gamma", "sigma"), [(1.0, 1.0), (100.0, 3.0), (1e-3, 0.2), (5.0, 10.0)])
@pytest.mark.parametrize("n_features", [1, 5, 30])
def test_kmod_is_positive_definite(gamma, sigma, n_features):
    X = np.random.default_rng(n_features).normal(size=(60, n_features))
    values = np.linalg.eigvalsh(KMOD(gamma, sigma)(X))
    assert values[0] > -1e-12 * values[-1]


def test_kmod_is_a_mixture_of_gaussian_kernels():
    # 1/(D + σ²) is the integral of exp(−tσ²) exp(−tD) over t > 0, and KMOD its exponential series.
    D, gamma, sigma = 1.7, 2.0, 1.3
    u = gamma * quad(lambda t: np.exp(-t * sigma**2) * np.exp(-t * D), 0, np.inf)[0]
    series = sum(u**k / math.factorial(k) for k in range(1, 30))
    expected = series / np.expm1(gamma / sigma**2)
    assert KMOD(gamma, sigma)([[0.0]], [[np.sqrt(D)]])[0, 0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", ["rbf", "exponential", "kmod", "diagonal", "gaussian", "mahalanobis"])
def test_radial_kernels_do_not_see_a_translation(name):
    X = RNG.normal(size=(20, 4))
    y = np.repeat([0, 1], 10)
    kernel = as_kernel(name).initialize(X, y)
    np.testing.assert_allclose(kernel(X + 1e4), kernel(X), rtol=1e-7)


def test_squared_distances_equal_scipy_with_exact_zeros_and_symmetry():
    X, Y = RNG.normal(size=(300, 7)) + 100.0, RNG.normal(size=(70, 7))
    D = squared_distances(X)
    np.testing.assert_allclose(D, cdist(X, X, "sqeuclidean"), rtol=1e-9, atol=1e-11)
    assert (D.diagonal() == 0).all()
    assert np.array_equal(D, D.T)
    np.testing.assert_allclose(squared_distances(X, Y), cdist(X, Y, "sqeuclidean"), rtol=1e-9)
    repeated = np.concatenate([X[:5], Y])
    assert (squared_distances(X, repeated)[np.arange(5), np.arange(5)] == 0).all()


def test_single_precision_distances_are_as_good_as_single_precision_can_be():
    X = (RNG.normal(size=(50, 7)) + 100.0).astype(np.float32)
    D = squared_distances(X)
    assert D.dtype == np.float32
    exact = cdist(X.astype(float), X.astype(float), "sqeuclidean")
    np.testing.assert_allclose(D, exact, rtol=2e-7, atol=1e-9)


def test_scikit_learn_takes_a_kernel_object():
    X, y = RNG.normal(size=(40, 3)), np.repeat([0, 1], 20)
    X[y == 1] += 1.0
    ours = SVC(kernel=RBF(0.4)).fit(X, y).decision_function(X)
    theirs = SVC(kernel="rbf", gamma=0.4).fit(X, y).decision_function(X)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-8)


def test_mahalanobis_takes_the_covariance_with_divisor_m_of_the_training_data():
    X = RNG.normal(size=(30, 3)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]])
    diagonal = Mahalanobis(0.7).initialize(X, heuristic="keep")
    np.testing.assert_allclose(diagonal.covariance, X.var(axis=0), rtol=1e-12)
    full = Mahalanobis(0.7, "full").initialize(X, heuristic="keep")
    np.testing.assert_allclose(full.covariance, np.cov(X.T, bias=True), rtol=1e-12)
    assert diagonal.delta == 0.7
    np.testing.assert_allclose(Mahalanobis(0.7)(X), diagonal(X), rtol=1e-12)
    with pytest.raises(ValueError, match="no covariance yet"):
        Mahalanobis()(X, X[:3])


def test_mahalanobis_of_sparse_samples_equals_dense():
    X = sparse.random(40, 6, density=0.4, random_state=1, format="csr")
    for kind in ("diagonal", "full"):
        ours = Mahalanobis(1.0, kind).initialize(X, heuristic="keep")(X)
        np.testing.assert_allclose(ours, Mahalanobis(1.0, kind)(X.toarray()), rtol=1e-8)


@pytest.mark.parametrize("kind", ["diagonal", "full"])
def test_mahalanobis_gives_weight_zero_to_what_does_not_vary_and_says_so(kind):
    X = RNG.normal(size=(30, 3))
    with_constant = np.column_stack([X, np.full(30, 0.1)])
    with pytest.warns(RidgeWarning, match="singular. The kernel gives weight zero to 1 "):
        kernel = Mahalanobis(4.0, kind).initialize(with_constant, heuristic="keep")
    np.testing.assert_allclose(kernel(with_constant), Mahalanobis(3.0, kind)(X), rtol=1e-9)


@pytest.mark.parametrize("name", ["diagonal", "gaussian", "low-rank"])
def test_gradient_dot_needs_no_derivative_array(name):
    n, d = 300, 60
    X = RNG.normal(size=(n, d))
    y = np.arange(n) % 2
    kernel = as_kernel(name).initialize(X, y)
    W = RNG.normal(size=(n, n))
    tracemalloc.start()
    kernel.gradient_dot(X, W)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * n * n * 8  # a derivative array would be 60 times n²


@pytest.mark.parametrize("name", KERNELS)
def test_parameters_round_trip_and_set_params_is_all_or_nothing(name):
    kernel = as_kernel(name).initialize(RNG.normal(size=(20, 3)), np.repeat([0, 1], 10))
    with pytest.raises(ValueError, match="has no parameter 'width'"):
        kernel.set_params(width=1.0)
    for parameter in kernel.get_params():
        before = repr(kernel)
        with pytest.raises(ValueError, match=parameter):
            kernel.set_params(**{parameter: np.nan})
        assert repr(kernel) == before


def test_equality_sees_type_and_values():
    assert RBF(0.5) == RBF(0.5)
    assert RBF(0.5) != RBF(0.6)
    assert RBF(0.5) != ExponentialRBF(0.5)
    assert DiagonalGaussian() == DiagonalGaussian(None)
    assert DiagonalGaussian([1.0, 2.0]) != DiagonalGaussian()
    assert Mahalanobis() != Mahalanobis(covariance="full")
    assert repr(RBF(0.123456789)) == "RBF(gamma=0.123457)"


def test_unknown_kernel_name_lists_the_known():
    with pytest.raises(ValueError, match="one of 'linear', 'poly'"):
        as_kernel("gauss")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_narrow_kernels_hold_no_denormal_numbers(dtype):
    X = np.linspace(0.0, 1.0, 300, dtype=dtype)[:, None]
    for kernel in (RBF(1000.0), ExponentialRBF(900.0)):
        K = kernel(X)
        assert ((K == 0) | (K >= np.finfo(dtype).tiny)).all()
        assert (K == 0).any()


@pytest.mark.parametrize("n_other", [None, 700])
def test_large_products_are_put_together_from_blocks(n_other, monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(1100, 3))
    Y = X if n_other is None else random.normal(size=(n_other, 3))
    monkeypatch.setattr(distances, "LARGE", 0)
    expected = np.einsum("ik,jk->ij", X, Y)
    np.testing.assert_allclose(distances.inner_products(X, Y), expected, atol=1e-13)


def test_a_matrix_of_another_size_is_refused():
    kernel = Gaussian(np.eye(2))
    with pytest.raises(ValueError, match=r"theta of this Gaussian has shape \(2, 2\), got \(3,\)"):
        kernel.with_theta([1.0, 0.0, 1.0])
    with pytest.raises(ValueError, match="made for 3 features, got 2"):
        Mahalanobis(1.0, covariance=np.eye(3))(np.zeros((4, 2)))
