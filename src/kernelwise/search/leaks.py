"""Leaks: what makes a score look better than the model will do on new rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from kernelwise._core.text import count
from kernelwise.findings import Finding

#: Fewer rows than this say nothing about a column.
MIN_ROWS = 30
#: Rows that every column is looked at in at first; only columns that stand out there are looked at whole.
FIRST_LOOK = 1000
#: Larger floating-point numbers are all whole.
LARGEST_WHOLE = 2.0**53
#: Rows of the smallest class from which on a column that tells the classes apart is no chance.
MIN_OF_CLASS = 10
#: Rank correlation with the target from which on a column is the target in other words.
SAME = 0.9995
#: The share of test rows that may be copies of training rows by chance, as in measurements with few digits.
FEW = 0.05
#: Columns that a sentence names, at most.
MAX_NAMED = 5


def column_findings(X: Any, y: np.ndarray, names: Sequence[str], *, is_classes: bool) -> list[Finding]:
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
    if sparse.issparse(X) or len(X) < MIN_ROWS:
        return []
    numbering, identifying = identifiers(X)
    telling = [k for k in tell_tales(X, y, is_classes=is_classes) if k not in numbering]
    return [
        *_finding("row numbers", numbering, names, "numbers the rows", "number the rows"),
        *_finding(
            "identifiers",
            [k for k in identifying if k not in telling],
            names,
            "has a different whole number in every row, as identifiers do",
            "have a different whole number in every row, as identifiers do",
        ),
        *_finding(
            "target in a column",
            telling,
            names,
            "tells the target without any other column",
            "tell the target, each without any other column",
        ),
    ]


def identifiers(X: np.ndarray) -> tuple[list[int], list[int]]:
    """Columns that number the rows, and other columns of whole numbers that are all different.

    A column numbers the rows if its whole numbers follow each other without a gap, in whatever order, or if
    they rise (or fall) from the first row to the last. Fractions are measurements: a table may be sorted.
    """
    first = X[: max(FIRST_LOOK, MIN_ROWS)]
    candidates = [k for k in range(X.shape[1]) if len(np.unique(first[:, k])) == len(first)]
    numbering: list[int] = []
    identifying: list[int] = []
    for k in candidates:
        column = X[:, k]
        steps = np.diff(column)
        is_whole = bool((column == np.floor(column)).all()) and np.abs(column).max() < LARGEST_WHOLE
        if is_whole and ((steps > 0.0).all() or (steps < 0.0).all()):
            numbering.append(k)
        elif is_whole and len(np.unique(column)) == len(column):
            follows = column.max() - column.min() == len(column) - 1
            (numbering if follows else identifying).append(k)
    return numbering, identifying


def tell_tales(X: np.ndarray, y: np.ndarray, *, is_classes: bool) -> list[int]:
    """Columns from which alone the target can be read without an error, by thresholds or by its values."""
    if is_classes and np.unique(y, return_counts=True)[1].min() < MIN_OF_CLASS:
        return []
    rows = np.linspace(0, len(X) - 1, min(len(X), FIRST_LOOK)).astype(int)
    tells = _tells_classes if is_classes else _tells_numbers
    found = [k for k in range(X.shape[1]) if tells(X[rows, k], y[rows])]
    return [k for k in found if tells(X[:, k], y)]


def _tells_classes(column: np.ndarray, y: np.ndarray) -> bool:
    """Whether each class has an interval of its own, or each of a few values belongs to one class."""
    values, index = np.unique(column, return_inverse=True)
    if len(values) < 2 or len(np.unique(y)) < 2:
        return False
    first = np.zeros(len(values), dtype=y.dtype)
    first[index] = y
    if not (first[index] == y).all():  # two classes share a value
        return False
    n_intervals = 1 + int((np.diff(first) != 0).sum())
    repeats = len(values) <= len(column) / 5
    return n_intervals == len(np.unique(y)) or repeats


def _tells_numbers(column: np.ndarray, y: np.ndarray) -> bool:
    """Whether a column rises or falls with the target."""
    a, b = rankdata(column), rankdata(y)
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return False
    return bool(abs(np.corrcoef(a, b)[0, 1]) >= SAME)


def _finding(name: str, columns: list[int], names: Sequence[str], one: str, many: str) -> list[Finding]:
    if not columns:
        return []
    named = [str(names[k]) for k in columns]
    shown = ", ".join(named[:MAX_NAMED]) + (
        f" and {len(named) - MAX_NAMED} more" if len(named) > MAX_NAMED else ""
    )
    message = f"{shown[0].upper()}{shown[1:]} {one if len(named) == 1 else many}."
    if name == "target in a column":
        ask = "If it would not be known for new rows, leave it out"
    elif name == "identifiers":
        ask = "If it identifies the rows, leave it out"
    else:
        ask = "New rows will have other numbers, so leave it out"
    if len(named) > 1:
        ask = ask.replace("it would", "they would").replace("it identifies", "they identify")
        ask = ask.replace("leave it", "leave them")
    options = ",".join(label.strip("'\"") for label in named)
    options = f'"{options}"' if " " in options else options
    return [Finding(name, "warning", message, f"{ask}.", f"{ask} (--ignore {options}).")]


def copies_finding(n_copies: int, n_test: int) -> list[Finding]:
    """Test rows that the model was trained on: a warning if they are more than a few."""
    if n_copies == 0:
        return []
    what = "All" if n_copies == n_test else f"{n_copies} of the"
    verb, whose = ("is", "its") if n_copies == 1 else ("are", "their")
    message = (
        f"{what} {count(n_test, 'test row')} {verb} also in the training data: {whose} part of the test "
        "score says nothing about new rows."
    )
    advice = "Test on rows that the model was not trained on."
    is_few = n_copies <= FEW * n_test
    return [Finding("test rows in training", "info" if is_few else "warning", message, advice)]
