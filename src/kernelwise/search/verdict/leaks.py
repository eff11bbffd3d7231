"""Leaks: what makes a score look better than the model will do on new rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.stats import rankdata

from kernelwise._core.equal_points import number_equal_rows
from kernelwise._core.text import in_words
from kernelwise._core.typing import Samples, is_sparse
from kernelwise.findings import Entry, Finding, catalogue
from kernelwise.tables.column import names_time, numbers_rows

#: Fewer rows than this say nothing about a column.
MIN_ROWS = 30
#: Rows that every column is looked at in at first; only columns that stand out there are looked at whole.
FIRST_LOOK = 1000
#: Rows of the smallest class from which on a column that tells the classes apart is no chance.
MIN_OF_CLASS = 10
#: Share of the rows, and of those a constant answer labels wrongly, that a column may label wrongly and still
#: nearly tell the classes: a copy of the target with errors of typing, or made from it.
NEARLY = (0.01, 0.05)
#: Rank correlation with the target from which on a column is the target in other words.
SAME = 0.9995
#: The share of test rows that may be copies of training rows by chance, as in measurements with few digits.
FEW = 0.05
#: Columns that a sentence names, at most.
MAX_NAMED = 5


def column_findings(X: Samples, y: np.ndarray, names: Sequence[str], *, is_classes: bool) -> list[Finding]:
    """Columns that number the rows, identify them, or tell the target alone.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        In the order of the file. Sparse matrices have no such columns, and none is found.
    y : ndarray of shape (n_rows,)
        Class indices, or targets.
    names : sequence of str
        Of the columns, as a sentence is to name them.
    is_classes : bool
        Whether y has class indices.
    """
    if is_sparse(X) or len(X) < MIN_ROWS:
        return []
    numbering, identifying = identifiers(X)
    numbering = [k for k in numbering if not names_time(str(names[k]))]  # a table in the order of time
    told = {k: wrong for k, wrong in tell_tales(X, y, is_classes=is_classes).items() if k not in numbering}
    telling = [k for k, wrong in told.items() if not wrong]
    nearly = [k for k, wrong in told.items() if wrong]
    return [
        *_about(catalogue.ROW_NUMBERS, numbering, names),
        *_about(catalogue.IDENTIFIERS, [k for k in identifying if k not in told], names),
        *_about(catalogue.TARGET_IN_COLUMN, telling, names),
        *_about(catalogue.TARGET_NEARLY_IN_COLUMN, nearly, names),
    ]


def conflict_findings(X: Samples, y: np.ndarray) -> list[Finding]:
    """Rows of equal features, shape (n_rows, n_features), with different class indices y, shape (n_rows,)."""
    numbers = number_equal_rows(X)
    counts = np.zeros((int(numbers.max()) + 1, int(y.max()) + 1))
    np.add.at(counts, (numbers, y), 1)
    mixed = counts[(counts > 0).sum(axis=1) > 1]
    if not len(mixed):
        return []
    n_errors = int((mixed.sum(axis=1) - mixed.max(axis=1)).sum())
    return [
        catalogue.CONFLICTS(
            n=int(mixed.sum()),
            noun="row",
            n_groups=len(mixed),
            n_errors=n_errors,
            percent=100 * n_errors / len(y),
        )
    ]


def identifiers(X: np.ndarray) -> tuple[list[int], list[int]]:
    """Columns that number the rows, and other columns of whole numbers that are all different."""
    first = X[: max(FIRST_LOOK, MIN_ROWS)]
    candidates = [k for k in range(X.shape[1]) if len(np.unique(first[:, k])) == len(first)]
    kinds = {k: numbers_rows(X[:, k]) for k in candidates}
    return [k for k in kinds if kinds[k]], [k for k in kinds if kinds[k] is False]


def tell_tales(X: np.ndarray, y: np.ndarray, *, is_classes: bool) -> dict[int, int]:
    """Columns from which alone the target can be read, and the number of rows that they get wrong.

    Classes are read by as many intervals as there are classes, or by a few values; see `NEARLY` for the rows
    that may be wrong. Numbers are read by their order, and no row counts as wrong.
    """
    if is_classes and np.unique(y, return_counts=True)[1].min() < MIN_OF_CLASS:
        return {}
    rows = np.linspace(0, len(X) - 1, min(len(X), FIRST_LOOK)).astype(int)
    tells = _wrong_classes if is_classes else _wrong_numbers
    # A part may have twice its share of the errors.
    found = [k for k in range(X.shape[1]) if tells(X[rows, k], y[rows], 2.0) is not None]
    wrong = {k: tells(X[:, k], y, 1.0) for k in found}
    return {k: n for k, n in wrong.items() if n is not None}


def _wrong_classes(column: np.ndarray, y: np.ndarray, tolerance: float) -> int | None:
    """Rows that are wrong if a column alone says the class; None if they are more than ``tolerance`` few."""
    labels, counts = np.unique(y, return_counts=True)
    if len(labels) < 2:
        return None
    of_rows, of_others = NEARLY
    limit = int(tolerance * min(of_rows * len(y), of_others * (len(y) - counts.max())))
    values, index = np.unique(column, return_inverse=True)
    cells = index * len(labels) + np.searchsorted(labels, y)
    table = np.bincount(cells, minlength=len(values) * len(labels)).reshape(len(values), len(labels))
    # The most frequent class of each value: no rule gets fewer rows wrong.
    wrong = len(y) - int(table.max(axis=1).sum())
    if wrong > limit or len(values) <= len(column) / 5:
        return wrong if wrong <= limit else None
    # Every wrong row makes two changes of the class at most, from the smallest value to the largest.
    changes = int((np.diff(y[np.argsort(column, kind="stable")]) != 0).sum())
    if changes > 2 * limit + len(labels) - 1 + (len(column) - len(values)):
        return None
    wrong = fewest_wrong(table, len(labels))
    return wrong if wrong <= limit else None


def fewest_wrong(table: np.ndarray, n_intervals: int) -> int:
    """Rows that are wrong if each of at most so many intervals of a column says a class, at best.

    ``table``, of shape (n_values, n_labels), counts the rows of each value, in order, by their labels.
    """
    # Neighbours that have rows of one label only, the same, are not cut apart.
    label, is_pure = table.argmax(axis=1), np.count_nonzero(table, axis=1) == 1
    is_same = is_pure[1:] & is_pure[:-1] & (label[1:] == label[:-1])
    runs = np.add.reduceat(table, np.flatnonzero(np.append(True, ~is_same)), axis=0)
    # By the number of intervals so far and the label of the last one; each run is in it, or begins another.
    wrong = np.full((n_intervals, table.shape[1]), np.inf)
    wrong[0] = 0.0
    for run in runs:
        wrong[1:] = np.minimum(wrong[1:], wrong[:-1].min(axis=1, keepdims=True))
        wrong += run.sum() - run
    return int(wrong.min())


def _wrong_numbers(column: np.ndarray, y: np.ndarray, _tolerance: float) -> int | None:
    """Zero if a column rises or falls with the target, else None."""
    a, b = rankdata(column), rankdata(y)
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return None
    return 0 if abs(np.corrcoef(a, b)[0, 1]) >= SAME else None


def _about(entry: Entry, columns: list[int], names: Sequence[str]) -> list[Finding]:
    """The finding of an entry about columns; none if there are none."""
    if not columns:
        return []
    named = [str(names[k]) for k in columns]
    rest = [f"{len(named) - MAX_NAMED} more"] if len(named) > MAX_NAMED else []
    shown = in_words([*named[:MAX_NAMED], *rest])
    typed = ",".join(label.strip("'\"") for label in named)
    typed = f'"{typed}"' if " " in typed else typed
    return [entry(n=len(named), columns=f"{shown[0].upper()}{shown[1:]}", typed=typed)]


def copies_finding(n_copies: int, n_test: int) -> list[Finding]:
    """Test rows that the model was trained on: a warning if they are more than a few."""
    if n_copies == 0:
        return []
    return [
        catalogue.TEST_ROWS_TRAINED_ON(
            copies="All" if n_copies == n_test else f"{n_copies} of the",
            n=n_copies,
            n_test=n_test,
            severity="info" if n_copies <= FEW * n_test else "warning",
        )
    ]
