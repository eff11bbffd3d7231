"""City-block distances ‖x − y‖₁ between the rows of two sets of samples, and sums of their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.compile import check_shapes, compiled_later
from kernelwise._core.llvm.values import at
from kernelwise._core.threads import in_order

# Rows of a block, and columns at a time: their samples stay in the cache that is next to the core. Of a
# symmetric matrix a block is computed from its own columns on, so that small ones save half of the work.
ROWS, COLUMNS = 64, 256
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
    check_shapes((rows, (len(rows), len(columns))), (D, (len(rows), columns.shape[1])))
    _fill(rows, columns, D, len(rows), *columns.shape, first)


def weighted_differences(X: np.ndarray, V: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Σ_ij V_ij |x_ik − y_jk| for every feature k, shape (n_features,)."""
    rows, weights = np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(V, dtype=float)
    columns = np.ascontiguousarray(np.asarray(Y, dtype=float).T)
    sums = np.zeros(columns.shape)
    check_shapes((rows, (len(rows), len(columns))), (weights, (len(rows), columns.shape[1])))
    _add_differences(rows, columns, weights, sums, len(rows), *columns.shape)
    return sums.sum(axis=1)


def weighted_signs(X: np.ndarray, V: np.ndarray, Y: np.ndarray) -> np.ndarray:
    """Σ_j V_ij sign(x_ik − y_jk) for every row i and feature k, shape (n_rows, n_features)."""
    rows, weights = np.ascontiguousarray(X, dtype=float), np.ascontiguousarray(V, dtype=float)
    columns = np.ascontiguousarray(Y, dtype=float)
    sums = np.zeros(rows.shape)
    check_shapes((columns, (len(columns), rows.shape[1])), (weights, (len(rows), len(columns))))
    _add_signs(rows, columns, weights, sums, *rows.shape, len(columns))
    return sums


@compiled_later("float64[] float64[] float64[] int64 int64 int64 int64")
def _fill(rows: Any, columns: Any, D: Any, n_rows: int, n_features: int, n_columns: int, first: int) -> None:
    # The loops over columns are the innermost: they are vectorised without changing the order of a sum. Four
    # features at a time, so that a distance is read and written once for four differences.
    for start in range(first, n_columns, COLUMNS):
        stop = start + COLUMNS if start + COLUMNS < n_columns else n_columns
        for i in range(n_rows):
            row, found = at(rows, i * n_features), at(D, i * n_columns)
            for j in range(start, stop):
                found[j] = 0.0
            k = 0
            while k + 4 <= n_features:
                a, b, c, d = row[k], row[k + 1], row[k + 2], row[k + 3]
                A, B = at(columns, k * n_columns), at(columns, (k + 1) * n_columns)
                C, D4 = at(columns, (k + 2) * n_columns), at(columns, (k + 3) * n_columns)
                for j in range(start, stop):
                    found[j] += (abs(a - A[j]) + abs(b - B[j])) + (abs(c - C[j]) + abs(d - D4[j]))
                k += 4
            while k < n_features:
                a, A = row[k], at(columns, k * n_columns)
                for j in range(start, stop):
                    found[j] += abs(a - A[j])
                k += 1


@compiled_later("float64[] float64[] float64[] float64[] int64 int64 int64")
def _add_differences(
    rows: Any, columns: Any, weights: Any, sums: Any, n_rows: int, n_features: int, n_columns: int
) -> None:
    for start in range(0, n_columns, COLUMNS):
        stop = start + COLUMNS if start + COLUMNS < n_columns else n_columns
        for i in range(n_rows):
            weight = at(weights, i * n_columns)
            for k in range(n_features):
                a, column, total = (
                    rows[i * n_features + k],
                    at(columns, k * n_columns),
                    at(sums, k * n_columns),
                )
                for j in range(start, stop):
                    total[j] += weight[j] * abs(a - column[j])


@compiled_later("float64[] float64[] float64[] float64[] int64 int64 int64")
def _add_signs(
    rows: Any, columns: Any, weights: Any, sums: Any, n_rows: int, n_features: int, n_columns: int
) -> None:
    for i in range(n_rows):
        row, total = at(rows, i * n_features), at(sums, i * n_features)
        for j in range(n_columns):
            v, column = weights[i * n_columns + j], at(columns, j * n_features)
            for k in range(n_features):
                difference = row[k] - column[k]
                total[k] += v if difference > 0.0 else (-v if difference < 0.0 else 0.0)
