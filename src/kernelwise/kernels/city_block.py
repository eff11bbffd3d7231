"""City-block distances ‖x − y‖₁ between the rows of two sets of samples, and sums of their parts."""

from __future__ import annotations

import numpy as np

from kernelwise import _native
from kernelwise._core.threads import by_rows, in_order

# Rows of a block. Of a symmetric matrix a block is computed from its own columns on, so that small ones save
# half of the work.
ROWS = 64
# Differences from which the blocks are shared out among threads: some hundredths of a second.
LARGE = 1 << 26


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
        part = slice(first, first + ROWS)
        _native.city_block(rows[part], columns, D[part], first if is_square else 0)

    starts = range(0, len(rows), ROWS)
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
