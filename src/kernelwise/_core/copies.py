"""A weight as a number of copies: a row of weight two is the same as two rows."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Rows that stand for weighted ones, where that is more than there are.
MANY = 20_000


def copies_of(weight: np.ndarray) -> np.ndarray:
    """As how many rows each of a weight counts: ⌊w⌋, and 1 if w < 1, as weights may sum to one."""
    return np.maximum(np.floor(weight), 1.0)


def repeated(weight: np.ndarray) -> np.ndarray:
    """Rows in which each occurs as often as its weight says; about so, where weights are no counts.

    Every k-th of Σw places, k such that there are no fewer rows than given and not many more than `MANY`.
    """
    n = int(np.clip(weight.sum(), len(weight), max(len(weight), MANY)))
    return np.searchsorted(np.cumsum(weight), (np.arange(n) + 0.5) * weight.sum() / n)


def with_copies(X: Any, y: Any, weight: np.ndarray | None) -> tuple[Any, Any]:
    """Samples and labels (or None), each as often as its weight says: what means and variances are of."""
    if weight is None or (weight == 1.0).all():
        return X, y
    rows = repeated(weight)
    return X[rows], None if y is None else y[rows]
