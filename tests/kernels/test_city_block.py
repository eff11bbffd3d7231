"""City-block distances against scipy's, and kernels of them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import laplacian_kernel

from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import DiagonalLaplacian, Laplacian
from kernelwise.kernels.distances import city_block_distances, weighted_differences

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (7, 3), (300, 4), (600, 9), (1100, 60)])
def test_distances_equal_scipys(n, d):
    """Sizes on both sides of a block of rows, of a block of columns, and of what threads share."""
    X, Y = RNG.normal(size=(n, d)) + 100.0, RNG.normal(size=(n // 2 + 1, d))
    D = city_block_distances(X)
    np.testing.assert_allclose(D, cdist(X, X, "cityblock"), rtol=1e-12, atol=1e-12)
    assert (D.diagonal() == 0).all()
    np.testing.assert_array_equal(D, D.T)
    np.testing.assert_array_equal(city_block_distances(X, X), D)
    np.testing.assert_allclose(city_block_distances(X, Y), cdist(X, Y, "cityblock"), rtol=1e-12)
    np.testing.assert_allclose(city_block_distances(X, X.copy()), D, rtol=1e-15)


def test_single_precision_is_kept_and_computed_in_double():
    X = (RNG.normal(size=(50, 7)) + 100.0).astype(np.float32)
    D = city_block_distances(X)
    assert D.dtype == np.float32
    np.testing.assert_allclose(D, cdist(X.astype(float), X.astype(float), "cityblock"), rtol=1e-7)


def test_weighted_differences_equal_the_sum_over_pairs():
    X, Y, V = RNG.normal(size=(40, 5)), RNG.normal(size=(270, 5)), RNG.normal(size=(40, 270))
    expected = np.einsum("ij,ijk->k", V, np.abs(X[:, None] - Y))
    np.testing.assert_allclose(weighted_differences(X, V, Y), expected, rtol=1e-11)


def test_the_kernel_is_scikit_learns():
    X = RNG.normal(size=(30, 4))
    np.testing.assert_allclose(Laplacian(0.3)(X), laplacian_kernel(X, gamma=0.3), rtol=1e-13)
    np.testing.assert_allclose(DiagonalLaplacian(np.full(4, 0.3))(X), Laplacian(0.3)(X), rtol=1e-13)


def test_a_factor_stretches_the_inputs():
    X = RNG.normal(size=(30, 4))
    for kernel in (Laplacian(0.3), DiagonalLaplacian([0.1, 0.2, 0.3, 0.4])):
        np.testing.assert_allclose(kernel.rescaled(9.0)(X), kernel(3.0 * X), rtol=1e-13)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Laplacian(0.0), "'gamma' of Laplacian"),
        (lambda: DiagonalLaplacian([1.0, -1.0]), "'q' of DiagonalLaplacian must be positive, got -1.0 for"),
        (lambda: DiagonalLaplacian([[1.0]]), "one weight per feature"),
        (lambda: DiagonalLaplacian()(np.eye(3)), "has no q yet"),
        (lambda: DiagonalLaplacian([1.0, 1.0])(np.eye(3)), "made for 2 features, got 3"),
    ],
)
def test_wrong_parameters_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_sparse_samples_are_refused():
    with pytest.raises(IncompatibleError, match="X is sparse, and Laplacian takes dense samples only"):
        Laplacian()(sparse.csr_array(np.eye(3)))
