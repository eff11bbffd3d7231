"""City-block distances ‖x − y‖₁ between the rows of two sets of samples, and sums of their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.compile import GIVEN_MATRIX, compiled_later
from kernelwise._core.threads import in_order

# Rows of a block, and columns at a time: their samples stay in the cache that is next to the core. Of a
# symmetric matrix a block is computed from its own columns on, so that small ones save half of the work.
ROWS, COLUMNS = 64, 256
# Differences from which the blocks are shared out among threads: some hundredths of a second.
LARGE = 1 << 26
#: Types of rows, columns, weights and sums.
SUMS = f"void({GIVEN_MATRIX}, {GIVEN_MATRIX}, {GIVEN_MATRIX}, float64[:, ::1])"


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
        fill_distances(rows[part], columns, D[part], first if is_square else 0)

    starts = range(0, len(rows), ROWS)
    if D.size * rows.shape[1] > LARGE:
        in_order(block, starts)
    else:
        for first in starts:
            block(first)
    if is_square:
        for first in starts:  # above the diagonal only, so far
            after = slice(first + ROWS, None)
            D[after, first : first + ROWS] = D[first : first + ROWS, after].T
    return D.astype(X.dtype, copy=False)


def fill_distances(rows: np.ndarray, columns: np.ndarray, D: np.ndarray, first: int = 0) -> None:
    """Write the distances of rows, (n_rows, d), and columns, (d, n_columns), from column ``first`` on."""
    _fill(rows, columns, D, first)


def weighted_differences(X: np.ndarray, V: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Σ_ij V_ij |x_ik − y_jk| for every feature k, shape (n_features,)."""
    rows, weights = np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(V, dtype=float)
    columns = np.ascontiguousarray(np.asarray(Y, dtype=float).T)
    sums = np.zeros(columns.shape)
    _add_differences(rows, columns, weights, sums)
    return sums.sum(axis=1)


def weighted_signs(X: np.ndarray, V: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Σ_j V_ij sign(x_ik − y_jk) for every row i and feature k, shape (n_rows, n_features)."""
    rows, weights = np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(V, dtype=float)
    columns = np.ascontiguousarray(Y, dtype=float)
    sums = np.zeros(rows.shape)
    _add_signs(rows, columns, weights, sums)
    return sums


@compiled_later(f"void({GIVEN_MATRIX}, {GIVEN_MATRIX}, float64[:, ::1], int64)")
def _fill(rows: Any, columns: Any, D: Any, first: Any) -> None:
    # The loops over columns are the innermost: they are vectorised without changing the order of a sum. Four
    # features at a time, so that a distance is read and written once for four differences.
    n_features, n_columns = columns.shape
    for start in range(first, n_columns, COLUMNS):
        stop = start + COLUMNS if start + COLUMNS < n_columns else n_columns
        for i in range(rows.shape[0]):
            for j in range(start, stop):
                D[i, j] = 0.0
            k = 0
            while k + 4 <= n_features:
                a, b, c, d = rows[i, k], rows[i, k + 1], rows[i, k + 2], rows[i, k + 3]
                for j in range(start, stop):
                    D[i, j] += (abs(a - columns[k, j]) + abs(b - columns[k + 1, j])) + (
                        abs(c - columns[k + 2, j]) + abs(d - columns[k + 3, j])
                    )
                k += 4
            while k < n_features:
                a = rows[i, k]
                for j in range(start, stop):
                    D[i, j] += abs(a - columns[k, j])
                k += 1


@compiled_later(SUMS)
def _add_differences(rows: Any, columns: Any, weights: Any, sums: Any) -> None:
    n_features, n_columns = columns.shape
    for start in range(0, n_columns, COLUMNS):
        stop = start + COLUMNS if start + COLUMNS < n_columns else n_columns
        for i in range(rows.shape[0]):
            for k in range(n_features):
                a = rows[i, k]
                for j in range(start, stop):
                    sums[k, j] += weights[i, j] * abs(a - columns[k, j])


@compiled_later(SUMS)
def _add_signs(rows: Any, columns: Any, weights: Any, sums: Any) -> None:
    for i in range(rows.shape[0]):
        for j in range(columns.shape[0]):
            v = weights[i, j]
            for k in range(rows.shape[1]):
                difference = rows[i, k] - columns[j, k]
                sums[i, k] += v if difference > 0.0 else (-v if difference < 0.0 else 0.0)
