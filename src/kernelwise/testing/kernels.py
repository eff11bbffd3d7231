"""The contract of a kernel."""

from __future__ import annotations

import pickle
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from kernelwise.kernels import Kernel
from kernelwise.kernels.distances import DISTANCES_OF, base_array
from kernelwise.testing.assertions import assert_close
from kernelwise.testing.gradients import assert_gradient, central_difference


def check_kernel(kernel: Kernel, X: Any = None, y: Any = None, *, random_state: int = 0) -> None:
    """Raise AssertionError unless a kernel keeps the contract of :class:`~kernelwise.kernels.Kernel`.

    Parameters
    ----------
    kernel : Kernel
        Your own, with or without data-dependent parameters: ``kernel.initialize(X, y)`` is called first.
        Sparse samples are left out if it says ``takes_sparse = False``.
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
    ...     print(str(error).split(":")[0])
    kernel(X) is not symmetric
    """
    random = np.random.default_rng(random_state)
    if X is None:
        X = random.normal(size=(24, 5)) + 1.0
        y = np.repeat([0, 1], 12)
    before = repr(kernel.get_params())
    fitted = kernel.initialize(X, y)
    after = repr(kernel.get_params())
    assert after == before, f"initialize changed the kernel it was called on: {before} became {after}."
    X = np.asarray(X, dtype=float)
    _check_values(fitted, X)
    _check_answers(fitted, X)
    _check_parameters(fitted, X)
    _check_gradients(fitted, X, random)


def _check_values(kernel: Kernel, X: np.ndarray) -> None:
    K = kernel(X)
    assert K.shape == (len(X), len(X)), f"kernel(X) of {len(X)} samples has shape {K.shape}."
    assert_close(K, K.T, "kernel(X) is not symmetric", rtol=0.0)
    assert_close(kernel(X, X.copy()), K, "kernel(X, Y) is not kernel(X) for an equal Y", 1e-10, 1e-12)
    assert_close(kernel(X, X[:3]), K[:, :3], "kernel(X, Y) is not a block of kernel(X)", 1e-10, 1e-12)
    assert_close(kernel.diagonal(X), K.diagonal(), "diagonal(X) is not the diagonal of kernel(X)")
    single = kernel(X.astype(np.float32))
    assert single.dtype == np.float32, (
        f"float32 samples should give a float32 Gram matrix, not {single.dtype}."
    )
    assert_close(single, K, "float32 samples have other kernel values", 1e-3, 1e-4)
    if kernel.takes_sparse:
        for make in (sparse.csr_matrix, sparse.csr_array):
            assert_close(
                _of_sparse(kernel, make(X)), K, "sparse samples have other kernel values", 1e-9, 1e-10
            )


def _of_sparse(kernel: Kernel, *arguments: Any) -> np.ndarray:
    """Kernel values of sparse samples, or the gradient if there are weights."""
    try:
        return kernel(*arguments) if len(arguments) == 1 else kernel.gradient_dot(*arguments)
    except Exception as error:
        raise AssertionError(
            f"{type(kernel).__name__} fails on a CSR matrix ({type(error).__name__}: {error}). "
            "Sparse samples are part of the contract unless the class says takes_sparse = False."
        ) from error


def _check_answers(kernel: Any, X: np.ndarray) -> None:
    """What a kernel says of itself (its map, its base, its metric) must be what its values show."""
    K, L = kernel(X), kernel.linear_map(X.shape[1])
    same = partial(assert_close, rtol=1e-9, atol=1e-12)
    by_map = X if L is None else X * L if L.ndim == 1 else X @ L
    same(by_map, kernel.transform(X), "linear_map is not the map of transform")
    if kernel.gram_base is not None:
        base = base_array(kernel.gram_base, X)
        same(kernel.profile(base), K, f"profile of {kernel.gram_base} is not kernel(X)")
    if kernel.distance is not None:
        D = kernel.distances(X)
        same(np.exp(-kernel.scale * D), K, "kernel(X) is not exp(−scale·D)")
        same(DISTANCES_OF[kernel.distance](kernel.transform(X)), D, f"distances are not {kernel.distance}")
    if kernel.is_gaussian:
        Q = kernel.metric(X.shape[1])
        differences = X[:, None] - X
        D = np.einsum("ijk,kl,ijl->ij", differences, Q, differences)
        same(np.exp(-0.5 * D), K, "metric is not that of kernel(X)")


def _check_parameters(kernel: Kernel, X: np.ndarray) -> None:
    theta, names = kernel.theta, kernel.theta_names
    assert theta.size == len(names), f"theta has {theta.size} entries and theta_names {len(names)}."
    moved = kernel.with_theta(theta * 1.01)
    assert_close(kernel.theta, theta, "with_theta changed the kernel it was called on", rtol=0.0)
    assert_close(moved.theta, theta * 1.01, "with_theta(theta).theta is not that theta")
    copies = {
        "clone(kernel)": clone(kernel),
        "a pickled kernel": pickle.loads(pickle.dumps(kernel)),
        "a kernel with the same parameters": type(kernel)(**kernel.get_params()),
    }
    for what, copy in copies.items():
        assert copy is not kernel, f"{what} is the kernel itself, not a copy."
        assert copy == kernel, f"{what} is not equal to the kernel: {copy!r}, expected {kernel!r}."
        assert_close(copy(X), kernel(X), f"{what} has other values", rtol=0.0)
    assert (moved == kernel) == (theta.size == 0), f"{moved!r} counts as equal to {kernel!r}."
    name = type(kernel).__name__
    assert name in repr(kernel), f"repr(kernel) does not have the name {name}: {kernel!r}."
    if kernel.geometry == "euclidean":
        bounds = kernel.bounds
        assert bounds.shape == (theta.size, 2), (
            f"bounds has shape {bounds.shape}, expected {(theta.size, 2)}."
        )
        for entry, (low, high), own in zip(theta, bounds, names, strict=True):
            inside = low <= entry <= high
            assert inside, f"theta of {own!r} is {entry:.6g}, outside its bounds {low:.6g} and {high:.6g}."


def _check_gradients(kernel: Kernel, X: np.ndarray, random: np.random.Generator) -> None:
    for Y in (None, X[: len(X) // 3] + 0.5):
        W = random.normal(size=(len(X), len(X) if Y is None else len(Y)))
        K = kernel(X, Y)
        gradient = kernel.gradient_dot(X, W, Y)
        shape, expected = gradient.shape, kernel.theta.shape
        assert shape == expected, f"gradient_dot has shape {shape}, and theta has {expected}."

        def contracted(theta: np.ndarray, Y: Any = Y, W: np.ndarray = W) -> float:
            return float(np.vdot(W, kernel.with_theta(theta)(X, Y)))

        numeric = central_difference(contracted, kernel.theta)
        assert_gradient(gradient, numeric, float(np.abs(W * K).sum()))
        given = kernel.gradient_dot(X, W, Y, K=K)
        assert_close(given, gradient, "gradient_dot with K= gives another gradient", 1e-9, 1e-12)
        if kernel.takes_sparse:
            sparse_Y = None if Y is None else sparse.csr_array(Y)
            found = _of_sparse(kernel, sparse.csr_array(X), W, sparse_Y)
            assert_close(found, gradient, "sparse samples have another gradient", 1e-8, 1e-10)
