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
#: Different values, at least, of a column that names groups of rows, and rows of a value on average.
MANY_VALUES, ROWS_OF_VALUE = 10, 2
#: Different values for each class, at least: fewer are the classes in other words.
VALUES_OF_CLASS = 3
#: Rows that the values would get wrong by chance, at least: that they are right is no chance then.
WRONG_BY_CHANCE = 10
#: The share of the variance of a target within groups that is rounding.
WITHIN = 1e-6
#: The share of test rows that may be copies of training rows by chance, as in measurements with few digits.
FEW = 0.05
#: Columns that a sentence names, at most.
MAX_NAMED = 5


def column_findings(
    X: Samples,
    y: np.ndarray,
    names: Sequence[str],
    *,
    is_classes: bool,
    groups: np.ndarray | None = None,
) -> list[Finding]:
    """Columns that number the rows, identify them, tell the target alone, or name groups that have one.

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
    groups : ndarray of shape (n_rows,), default=None
        The group of each row, if folds keep groups together.
    """
    if is_sparse(X) or len(X) < MIN_ROWS:
        return []
    numbering, identifying = identifiers(X)
    numbering = [k for k in numbering if not names_time(str(names[k]))]  # a table in the order of time
    told = {k: wrong for k, wrong in tell_tales(X, y, is_classes=is_classes).items() if k not in numbering}
    # Rows of a group are alike in another column; a number that rises with the target is no name of a group.
    grouping = group_columns(X, y, is_classes=is_classes) if X.shape[1] > 1 else []
    grouping = [k for k in grouping if is_classes or k not in told]
    told = {k: wrong for k, wrong in told.items() if k not in grouping}
    telling = [k for k, wrong in told.items() if not wrong]
    nearly = [k for k, wrong in told.items() if wrong]
    return [
        *_about(catalogue.ROW_NUMBERS, numbering, names),
        *_about(catalogue.IDENTIFIERS, [k for k in identifying if k not in told], names),
        *group_findings(X, grouping, names, groups),
        *_about(catalogue.TARGET_IN_COLUMN, telling, names),
        *_about(catalogue.TARGET_NEARLY_IN_COLUMN, nearly, names),
    ]


def group_findings(
    X: np.ndarray, columns: list[int], names: Sequence[str], groups: np.ndarray | None
) -> list[Finding]:
    """The finding about `group_columns`, unless folds keep the rows of each of their values together."""
    if groups is not None:
        columns = [k for k in columns if not _is_within(X[:, k], groups)]
    return _about(catalogue.GROUPS_IN_COLUMN, columns, names)


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


def group_columns(X: np.ndarray, y: np.ndarray, *, is_classes: bool) -> list[int]:
    """Columns of codes of words, or of whole numbers, that repeat and determine the target.

    So do the names of patients of whom each has several rows. Such rows are alike in the other columns, too.
    """
    rows = np.linspace(0, len(X) - 1, min(len(X), FIRST_LOOK)).astype(int)
    determine = _have_one_class if is_classes else _have_one_number
    least = max(MANY_VALUES, VALUES_OF_CLASS * len(np.unique(y)) if is_classes else 0)
    found = []
    for k in range(X.shape[1]):
        column = X[:, k]
        if (column[rows] % 1 != 0).any() or not determine(column[rows], y[rows], 2.0):
            continue
        n_values = len(np.unique(column))
        if least <= n_values <= len(column) / ROWS_OF_VALUE and (column % 1 == 0).all():
            # Rows beyond the first of their value: by chance, each has another class as often as two rows do.
            share = np.unique(y, return_counts=True)[1] / len(y)
            by_chance = (len(y) - n_values) * (1.0 - (share**2).sum())
            if by_chance >= WRONG_BY_CHANCE and determine(column, y, 1.0):
                found.append(k)
    return found


def _have_one_class(column: np.ndarray, y: np.ndarray, tolerance: float) -> bool:
    """Whether rows of one value of a column are of one class, but for ``tolerance`` few."""
    table, limit = _classes_of_values(column, y, tolerance)
    return len(y) - int(table.max(axis=1).sum()) <= limit


def _have_one_number(column: np.ndarray, y: np.ndarray, _tolerance: float) -> bool:
    """Whether rows of one value of a column have one target, but for rounding."""
    _, index, counts = np.unique(column, return_inverse=True, return_counts=True)
    y = y / max(np.abs(y).max(), np.finfo(float).tiny)  # squares of targets may be no numbers
    apart = y - (np.bincount(index, y) / counts)[index]
    return bool((apart**2).sum() <= WITHIN * ((y - y.mean()) ** 2).sum())


def _is_within(column: np.ndarray, groups: np.ndarray) -> bool:
    """Whether the rows of each value of a column are in one group."""
    _, values = np.unique(column, return_inverse=True)
    _, group = np.unique(groups, return_inverse=True)
    return len(np.unique(values * (int(group.max()) + 1) + group)) == int(values.max()) + 1


def _classes_of_values(column: np.ndarray, y: np.ndarray, tolerance: float) -> tuple[np.ndarray, int]:
    """Rows of each value by their classes, shape (n_values, n_classes), and how many may be wrong."""
    labels, counts = np.unique(y, return_counts=True)
    of_rows, of_others = NEARLY
    limit = int(tolerance * min(of_rows * len(y), of_others * (len(y) - counts.max())))
    values, index = np.unique(column, return_inverse=True)
    cells = index * len(labels) + np.searchsorted(labels, y)
    table = np.bincount(cells, minlength=len(values) * len(labels)).reshape(len(values), len(labels))
    return table, limit


def _wrong_classes(column: np.ndarray, y: np.ndarray, tolerance: float) -> int | None:
    """Rows that are wrong if a column alone says the class; None if they are more than ``tolerance`` few."""
    n_labels = len(np.unique(y))
    if n_labels < 2:
        return None
    table, limit = _classes_of_values(column, y, tolerance)
    # The most frequent class of each value: no rule gets fewer rows wrong.
    wrong = len(y) - int(table.max(axis=1).sum())
    if wrong > limit or len(table) <= len(column) / 5:
        return wrong if wrong <= limit else None
    # Every wrong row makes two changes of the class at most, from the smallest value to the largest.
    changes = int((np.diff(y[np.argsort(column, kind="stable")]) != 0).sum())
    if changes > 2 * limit + n_labels - 1 + (len(column) - len(table)):
        return None
    wrong = fewest_wrong(table, n_labels)
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
    first = named[0].strip("'\"")
    typed, first = (f'"{one}"' if " " in one else one for one in (typed, first))
    return [entry(n=len(named), columns=f"{shown[0].upper()}{shown[1:]}", typed=typed, first=first)]


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
