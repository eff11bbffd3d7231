"""Rows and targets by which columns of a table are judged before the search."""

from __future__ import annotations

import numpy as np

from kernelwise.tables.table import Table

#: A class that is judged by has a row for each fold.
N_FOLDS = 5


def drawn(table: Table, target: np.ndarray, is_classes: bool, n_rows: int) -> np.ndarray:
    """At most so many rows, without copies and rare classes; none if these leave one class."""
    rows = np.random.default_rng(0).permutation(_distinct(table, target))[:n_rows]
    if not is_classes:
        return rows
    _, label, counts = np.unique(target[rows], return_inverse=True, return_counts=True)
    is_used = counts >= N_FOLDS
    return rows[is_used[label]] if is_used.sum() > 1 else rows[:0]


def _distinct(table: Table, target: np.ndarray) -> np.ndarray:
    """One of each of the rows that are equal, in an order of what they hold, whatever their order is."""
    order = sorted(range(len(table.names)), key=lambda k: str(table.names[k]))
    cells = [map(str, table.columns[k].tolist()) for k in order]
    rows = {row: k for k, row in enumerate(zip(*cells, map(str, target.tolist()), strict=True))}
    return np.array([rows[row] for row in sorted(rows)])


def truth_of(target: np.ndarray, is_classes: bool) -> np.ndarray:
    """Targets of a regression, (n_rows, n_targets): ±1 for each class, or standardised numbers."""
    if is_classes:
        return 2.0 * (target[:, None] == np.unique(target)) - 1.0
    return np.asarray((target - target.mean()) / (target.std() or 1.0))[:, None]
