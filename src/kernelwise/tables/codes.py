"""Whole numbers that are names: codes of teachers, courses or shops, whose order says nothing.

A column of them is read as words where held-out rows say so. Each column is asked alone, by two leave-one-out
regressions on it: one in which neighbouring numbers are alike, by their values or by their ranks, and one
in which every number stands for itself. Where the order matters (ages, counts, ratings), the first is better.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from kernelwise.findings import catalogue
from kernelwise.tables.cells import enumerated
from kernelwise.tables.column import names_time
from kernelwise.tables.draw import drawn, truth_of
from kernelwise.tables.table import Table, is_numbers

#: Different numbers of a column that may be codes: of fewer, one cannot tell, and of more, each has few rows.
CODES = range(8, 41)
#: Rows of the median one of them, at least, and rows of a table: fewer say nothing, and more take long.
ROWS_PER_CODE, FEWEST_ROWS, MOST_ROWS = 3, 100, 10_000
#: Rows that are looked at, at most.
ENOUGH_ROWS = 600
#: Standard errors by which names must be better than numbers in one column at least.
CLEARLY = 1.5
#: Widths of kernels that find neighbouring numbers alike, on the standardised column, and ridges.
WIDTHS, RIDGES = (0.0625, 0.25, 1.0, 4.0), np.logspace(-2.0, 2.0, 7)


def with_codes(table: Table, target: np.ndarray, is_classes: bool, kept: Collection[int] = ()) -> Table:
    """The table with whole numbers as words where these say more about the target, shape (n_rows,).

    One column has to say so clearly. Then columns follow it that say so at all: tables with one kind of code
    often have others. Those of ``kept`` stay as they are.
    """
    if not FEWEST_ROWS <= len(table) <= MOST_ROWS:
        return table
    candidates = [
        k
        for k in range(len(table.names))
        if k not in table.left_out and k not in kept and may_be_codes(table, k)
    ]
    rows = drawn(table, target, is_classes, ENOUGH_ROWS) if candidates else np.empty(0, dtype=int)
    if not len(rows):
        return table
    truth = truth_of(target[rows], is_classes)
    gains = {k: gain_of_names(table.columns[k][rows], truth) for k in candidates}
    if max(gains.values()) <= CLEARLY:
        return table
    found = [k for k, gain in gains.items() if gain > 0.0]
    named = enumerated([repr(table.names[k]) for k in found], 8)
    finding = catalogue.CODES_BY_ROWS(n=len(found), columns=named)
    return replace(
        table.with_words(found),
        codes_as_words=table.codes_as_words | frozenset(found),
        done=(*table.done, finding),
    )


def may_be_codes(table: Table, k: int) -> bool:
    """Whether a column has few whole numbers, several rows of each, and is not called a time."""
    values = table.columns[k]
    if not is_numbers(values) or names_time(str(table.names[k])):
        return False
    present = values[~np.isnan(values)]
    if not (present == np.floor(present)).all():
        return False
    kinds, n_rows = np.unique(present, return_counts=True)
    return len(kinds) in CODES and bool(np.median(n_rows) >= ROWS_PER_CODE)


def gain_of_names(values: np.ndarray, truth: np.ndarray) -> float:
    """By how many standard errors rows, each left out, are predicted better from names than from numbers.

    ``values`` are the cells of a column, (n_rows,), NaN where one is missing, ``truth`` the targets,
    (n_rows, n_targets).
    """
    is_known = ~np.isnan(values)
    kinds, kind = np.unique(values[is_known], return_inverse=True)
    kernels = []
    for level in (kinds, np.arange(len(kinds), dtype=float)):
        z = (level - level[kind].mean()) / (level[kind].std() or 1.0)
        kernels += [np.exp(-width * (z[:, None] - z) ** 2) for width in WIDTHS]
    of_numbers = _left_out_losses(kernels, kind, truth[is_known])
    gain = of_numbers - _left_out_losses([np.eye(len(kinds))], kind, truth[is_known])
    return float(gain.mean() / (gain.std(ddof=1) / np.sqrt(len(gain)) or 1.0))


def _left_out_losses(kernels: list[np.ndarray], kind: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Squared errors of kernel ridge regression on each row if it is left out, (n_rows,): the best kernel's.

    ``kernels`` are those of the kinds of values, (n_kinds, n_kinds), and ``kind`` has the kind of each row:
    all rows of a kind have one prediction and one leverage, so that matrices are small.
    """
    counts = np.bincount(kind).astype(float)
    sums = np.stack([np.bincount(kind, column) for column in truth.T], axis=1)
    found = []
    for kernel in kernels:
        K = kernel + 1.0  # 1 is for an offset
        for ridge in RIDGES:
            smoother = np.linalg.solve(K * counts + ridge * np.eye(len(K)), K)
            leverage = np.diag(smoother)[kind, None]
            residuals = (truth - (smoother @ sums)[kind]) / (1.0 - leverage)
            found.append((residuals**2).mean(axis=1))
    return min(found, key=lambda losses: float(losses.mean()))
