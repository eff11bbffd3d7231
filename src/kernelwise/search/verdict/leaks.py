"""Leaks: what makes a score look better than the model will do on new rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.stats import rankdata

from kernelwise._core.row_numbers import numbers_rows
from kernelwise._core.text import count, in_words
from kernelwise.findings import Finding

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
    told = {k: wrong for k, wrong in tell_tales(X, y, is_classes=is_classes).items() if k not in numbering}
    telling = [k for k, wrong in told.items() if not wrong]
    nearly = [k for k, wrong in told.items() if wrong]
    return [
        *_finding("row numbers", numbering, names, "numbers the rows", "number the rows"),
        *_finding(
            "identifiers",
            [k for k in identifying if k not in told],
            names,
            "has a different whole number in every row, as identifiers do",
            "have a different whole number in every row, as identifiers do",
        ),
        *_finding(
            "target in a column",
            telling,
            names,
            "determines the target without any other column",
            "each determine the target without any other column",
        ),
        *_finding(
            "target in a column",
            nearly,
            names,
            "determines the target of 99 in 100 rows without any other column",
            "each determine the target of 99 in 100 rows without any other column",
        ),
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
    from sklearn.tree import DecisionTreeClassifier  # hardly ever needed

    # By ranks: trees round to single precision.
    tree = DecisionTreeClassifier(max_leaf_nodes=len(labels), random_state=0)
    wrong = int((tree.fit(index[:, None], y).predict(index[:, None]) != y).sum())
    return wrong if wrong <= limit else None


def _wrong_numbers(column: np.ndarray, y: np.ndarray, _tolerance: float) -> int | None:
    """Zero if a column rises or falls with the target, else None."""
    a, b = rankdata(column), rankdata(y)
    if np.ptp(a) == 0.0 or np.ptp(b) == 0.0:
        return None
    return 0 if abs(np.corrcoef(a, b)[0, 1]) >= SAME else None


def _finding(name: str, columns: list[int], names: Sequence[str], one: str, many: str) -> list[Finding]:
    if not columns:
        return []
    named = [str(names[k]) for k in columns]
    rest = [f"{len(named) - MAX_NAMED} more"] if len(named) > MAX_NAMED else []
    shown = in_words([*named[:MAX_NAMED], *rest])
    message = f"{shown[0].upper()}{shown[1:]} {one if len(named) == 1 else many}."
    if name == "target in a column":
        ask = "If its value will not be known for new rows, leave the column out"
    elif name == "identifiers":
        ask = "If it identifies the rows, leave the column out"
    else:
        ask = "New rows will have other numbers, so leave the column out"
    if len(named) > 1:
        ask = ask.replace("its value", "their values").replace("it identifies", "they identify")
        ask = ask.replace("the column", "the columns")
    if name == "identifiers":  # a suspicion, and no reason to leave out votes, prices or populations
        return [Finding(name, "info", message, f"{ask}.")]
    options = ",".join(label.strip("'\"") for label in named)
    options = f'"{options}"' if " " in options else options
    return [Finding(name, "warning", message, f"{ask}.", f"{ask} (--ignore {options}).")]


def copies_finding(n_copies: int, n_test: int) -> list[Finding]:
    """Test rows that the model was trained on: a warning if they are more than a few."""
    if n_copies == 0:
        return []
    what = "All" if n_copies == n_test else f"{n_copies} of the"
    verb, whose = ("is", "Its") if n_copies == 1 else ("are", "Their")
    message = (
        f"{what} {count(n_test, 'test row')} {verb} also in the training data. {whose} part of the test "
        "score tells nothing about new rows."
    )
    advice = "Test on rows that the model was not trained on."
    is_few = n_copies <= FEW * n_test
    return [Finding("test rows in training", "info" if is_few else "warning", message, advice)]
