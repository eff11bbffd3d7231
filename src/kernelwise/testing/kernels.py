"""The contract of a kernel."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from kernelwise.kernels import Kernel
from kernelwise.kernels.distances import DISTANCES, inner_products, squared_distances
from kernelwise.testing.gradients import assert_gradient, central_difference


def check_kernel(kernel: Kernel, X: Any = None, y: Any = None, *, random_state: int = 0) -> None:
    """Raise AssertionError unless a kernel keeps the contract of :class:`~kernelwise.kernels.Kernel`.

    Parameters
    ----------
    kernel : Kernel
        Your own, with or without data-dependent parameters: ``kernel.initialize(X, y)`` is called first.
    X : array of shape (n_samples, n_features), default=None
        At least 8 samples of two classes; made up when None.
    y : array of shape (n_samples,), default=None
    random_state : int, default=0

    Examples
    --------
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.testing import check_kernel
    >>> check_kernel(RBF())

    A matrix that is not symmetric is found out:

    >>> class Skew(RBF):
    ...     def _gram(self, X, Y):
    ...         return super()._gram(X, Y) + X[:, :1]
    >>> try:
    ...     check_kernel(Skew())
    ... except AssertionError as error:
    ...     print(error)
    kernel(X) is not symmetric
    """
    random = np.random.default_rng(random_state)
    if X is None:
        X = random.normal(size=(24, 5)) + 1.0
        y = np.repeat([0, 1], 12)
    before = repr(kernel.get_params())
    fitted = kernel.initialize(X, y)
    assert repr(kernel.get_params()) == before, "initialize changed the kernel it was called on"
    X = np.asarray(X, dtype=float)
    _check_values(fitted, X)
    _check_answers(fitted, X)
    _check_parameters(fitted, X)
    _check_gradients(fitted, X, random)


def _check_values(kernel: Kernel, X: np.ndarray) -> None:
    K = kernel(X)
    assert K.shape == (len(X), len(X))
    assert np.array_equal(K, K.T), "kernel(X) is not symmetric"
    np.testing.assert_allclose(kernel(X, X.copy()), K, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(kernel(X, X[:3]), K[:, :3], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), K.diagonal(), rtol=1e-12)
    single = kernel(X.astype(np.float32))
    assert single.dtype == np.float32, "float32 samples should give a float32 Gram matrix"
    np.testing.assert_allclose(single, K, rtol=1e-3, atol=1e-4)
    for make in (sparse.csr_matrix, sparse.csr_array):
        np.testing.assert_allclose(kernel(make(X)), K, rtol=1e-9, atol=1e-10)


def _check_answers(kernel: Any, X: np.ndarray) -> None:
    """What a kernel says of itself (its map, its base, its metric) must be what its values show."""
    K, L = kernel(X), kernel.linear_map(X.shape[1])
    same = partial(np.testing.assert_allclose, rtol=1e-9, atol=1e-12)
    by_map = X if L is None else X * L if L.ndim == 1 else X @ L
    same(by_map, kernel.transform(X), err_msg="linear_map is not the map of transform")
    if kernel.gram_base is not None:
        base = squared_distances(X) if kernel.gram_base == DISTANCES else inner_products(X, X)
        same(kernel.profile(base), K, err_msg=f"profile of {kernel.gram_base} is not kernel(X)")
    if kernel.is_gaussian:
        Q = kernel.metric(X.shape[1])
        differences = X[:, None] - X
        D = np.einsum("ijk,kl,ijl->ij", differences, Q, differences)
        same(np.exp(-kernel.scale * kernel.squared_distances(X)), K, err_msg="kernel(X) is not exp(−scale·D)")
        same(np.exp(-0.5 * D), K, err_msg="metric is not that of kernel(X)")


def _check_parameters(kernel: Kernel, X: np.ndarray) -> None:
    theta = kernel.theta
    assert theta.size == len(kernel.theta_names)
    moved = kernel.with_theta(theta * 1.01)
    assert np.array_equal(kernel.theta, theta), "with_theta changed the kernel"
    np.testing.assert_allclose(moved.theta, theta * 1.01, rtol=1e-12)
    for copy in (clone(kernel), pickle.loads(pickle.dumps(kernel)), type(kernel)(**kernel.get_params())):
        assert copy is not kernel
        assert copy == kernel
        assert np.array_equal(copy(X), kernel(X))
    assert (moved == kernel) == (theta.size == 0)
    assert type(kernel).__name__ in repr(kernel)
    if kernel.geometry == "euclidean":
        assert kernel.bounds.shape == (theta.size, 2)
        assert ((kernel.bounds[:, 0] <= theta) & (theta <= kernel.bounds[:, 1])).all()


def _check_gradients(kernel: Kernel, X: np.ndarray, random: np.random.Generator) -> None:
    for Y in (None, X[: len(X) // 3] + 0.5):
        W = random.normal(size=(len(X), len(X) if Y is None else len(Y)))
        K = kernel(X, Y)
        gradient = kernel.gradient_dot(X, W, Y)
        assert gradient.shape == kernel.theta.shape

        def contracted(theta: np.ndarray, Y: Any = Y, W: np.ndarray = W) -> float:
            return float(np.vdot(W, kernel.with_theta(theta)(X, Y)))

        numeric = central_difference(contracted, kernel.theta)
        assert_gradient(gradient, numeric, float(np.abs(W * K).sum()))
        np.testing.assert_allclose(kernel.gradient_dot(X, W, Y, K=K), gradient, rtol=1e-9, atol=1e-12)
        sparse_Y = None if Y is None else sparse.csr_array(Y)
        np.testing.assert_allclose(
            kernel.gradient_dot(sparse.csr_array(X), W, sparse_Y), gradient, rtol=1e-8, atol=1e-10
        )
