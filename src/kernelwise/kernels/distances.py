"""Distances between the rows of two sets of samples: squared Euclidean ones and city-block ones ‖x − y‖₁."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernelwise import _native
from kernelwise._core.threads import by_rows, in_order
from kernelwise._core.typing import Samples, is_sparse

#: What a Gram matrix can be an entrywise function of; see `Kernel.gram_base`.
DISTANCES, PRODUCTS, CITY_BLOCK = "squared distances", "inner products", "city-block distances"
#: The same where X is a matrix of distances already.
PRECOMPUTED = "given distances"
# Rows of a float32 result computed at once, in double precision, and of a block of a large product.
ROWS = 512
# Multiplications from which a product is large: some thousandths of a second; and city-block differences.
LARGE = 1 << 26
# Rows of a block of city-block distances. Of a symmetric matrix a block is computed from its own columns on,
# so that small ones save half of the work.
CITY_ROWS = 64


def squared_distances(X: Samples, Y: Samples | None = None) -> np.ndarray:
    """Squared distances ‖x_i − y_j‖² of shape (n_rows, n_columns), in the precision of ``X``.

    With ``Y`` None or ``X`` itself the result is exactly symmetric with an exactly zero diagonal. The
    samples are centred first (distances do not change), and single precision is computed in double, because
    ‖x‖² − 2x·y + ‖y‖² cancels.
    """
    is_square = Y is None or Y is X
    is_single = X.dtype == np.float32
    X, Y = _centred(X, X if Y is None else Y)
    norms_x = squared_norms(X)
    norms_y = norms_x if is_square else squared_norms(Y)
    rounding = rounding_share(X.shape[1])
    if not is_single:
        D = inner_products(X, Y)
        by_rows(lambda rows: _native.from_products(D[rows], norms_x[rows], norms_y, rounding), D.shape)
    else:
        D = np.empty((X.shape[0], Y.shape[0]), np.float32)
        for start in range(0, X.shape[0], ROWS):
            rows = slice(start, start + ROWS)
            block = inner_products(X[rows], Y)
            _native.from_products(block, norms_x[rows], norms_y, rounding)
            D[rows] = block
    if is_square:
        np.fill_diagonal(D, 0.0)
    return D


def base_array(base: str, X: Samples) -> np.ndarray:
    """The array of shape (n_samples, n_samples) that `Kernel.gram_base` names; it may be ``X`` itself."""
    if base == PRECOMPUTED:
        return np.asarray(X)
    if base == CITY_BLOCK:
        return city_block_distances(np.asarray(X))
    return squared_distances(X) if base == DISTANCES else inner_products(X, X)


def rounding_share(n_features: int) -> float:
    """The share of ‖x‖² + ‖y‖² below which what cancellation leaves of it is rounding.

    Equal points then have distance zero in a rectangular block too; a square root would show the error.
    """
    return float(8 * np.finfo(float).eps * np.sqrt(n_features))


def _centred(X: Samples, Y: Samples) -> tuple[Any, Any]:
    """Both sets in double precision, shifted to the middle of the second; sparse ones as they are.

    The second is that of support vectors where a machine answers: what it rounds for a sample must not depend
    on the samples that are asked about with it.
    """
    if is_sparse(X) or is_sparse(Y):
        return X.astype(np.float64), Y.astype(np.float64)
    centre = centre_of(Y)
    Xc = X - centre
    return Xc, Xc if Y is X else Y - centre


def centre_of(X: np.ndarray) -> np.ndarray:
    """A point near the mean, shape (n_features,), in multiples of a power of two close to the spread of X.

    Samples on a finer grid stay on it when it is subtracted, so that distances that were exact still are.
    """
    spread = float(np.ptp(X, axis=0).max(initial=0.0))
    step = 2.0 ** max(int(np.frexp(spread)[1]) - 8, -1000)
    return np.asarray(np.rint(X.mean(axis=0, dtype=np.float64) / step) * step)


def inner_products(X: Samples, Y: Samples) -> np.ndarray:
    """X·Yᵀ, dense and contiguous; numpy computes X·Xᵀ as the symmetric product it is.

    Large products are put together from blocks, the same ones for any number of threads.
    """
    if not is_sparse(X) and not is_sparse(Y) and X.shape[0] * Y.shape[0] * X.shape[1] > LARGE:
        return _by_blocks(X, Y)
    product = X @ Y.T
    return np.ascontiguousarray(product.toarray() if is_sparse(product) else product)


def _by_blocks(X: np.ndarray, Y: np.ndarray) -> np.ndarray:
    product = np.empty((X.shape[0], Y.shape[0]), np.result_type(X, Y))

    def block(first: int) -> None:
        rows, columns = slice(first, first + ROWS), slice(first if X is Y else 0, None)
        np.matmul(X[rows], Y[columns].T, out=product[rows, columns])

    in_order(block, range(0, X.shape[0], ROWS))
    if X is Y:
        mirror(product)
    return product


def squared_norms(X: Samples) -> np.ndarray:
    """‖x‖² of each row, shape (n_samples,)."""
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def euclidean_distances(X: Samples, Y: Samples | None = None) -> np.ndarray:
    """Distances ‖x_i − y_j‖ of shape (n_rows, n_columns), in the precision of ``X``."""
    D = squared_distances(X, Y)
    return np.sqrt(D, out=D)


def city_block_distances(X: np.ndarray, Y: np.ndarray | None = None) -> np.ndarray:
    """Distances Σ_k |x_ik − y_jk| of shape (n_rows, n_columns), in the precision of ``X``.

    With ``Y`` None or ``X`` itself the result is exactly symmetric with an exactly zero diagonal. No array
    has an axis for rows, columns and features.
    """
    is_square = Y is None or Y is X
    rows = np.ascontiguousarray(X, dtype=np.float64)
    columns = rows.T.copy() if is_square else np.ascontiguousarray(np.asarray(Y, dtype=np.float64).T)
    D = np.empty((rows.shape[0], columns.shape[1]))

    def block(first: int) -> None:
        part = slice(first, first + CITY_ROWS)
        _native.city_block(rows[part], columns, D[part], first if is_square else 0)

    starts = range(0, len(rows), CITY_ROWS)
    if D.size * rows.shape[1] > LARGE:
        in_order(block, starts)
    else:
        for first in starts:
            block(first)
    if is_square:
        mirror(D)
    return D.astype(X.dtype, copy=False)


def mirror(D: np.ndarray) -> None:
    """Copy what is above the diagonal of a square matrix to below it."""
    by_rows(lambda rows: _native.mirror(D, rows.start, min(rows.stop, len(D))), D.shape)


def weighted_differences(X: np.ndarray, V: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Σ_ij V_ij |x_ik − y_jk| for every feature k, shape (n_features,)."""
    rows, weights = np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(V, dtype=float)
    columns = np.ascontiguousarray(np.asarray(Y, dtype=float).T)
    sums = np.zeros(columns.shape)
    _native.add_differences(rows, columns, weights, sums)
    return sums.sum(axis=1)


def weighted_signs(X: np.ndarray, V: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Σ_j V_ij sign(x_ik − y_jk) for every row i and feature k, shape (n_rows, n_features)."""
    rows, weights = np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(V, dtype=float)
    columns = np.ascontiguousarray(Y, dtype=float)
    sums = np.zeros(rows.shape)
    _native.add_signs(rows, columns, weights, sums)
    return sums


#: Distances D of kernels exp(−s·D), by the names that scipy gives them.
DISTANCES_OF: dict[str, Callable[..., np.ndarray]] = {
    "sqeuclidean": squared_distances,
    "euclidean": euclidean_distances,
    "cityblock": city_block_distances,
}
