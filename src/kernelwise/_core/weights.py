"""Weights of samples: as numbers of copies, a row of weight two being two rows, and balanced over classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.typing import Samples

#: How many rows may stand for weighted ones; not fewer than there are.
MANY = 20_000


def copies_of(weight: np.ndarray) -> np.ndarray:
    """Return how many rows a weight counts as: ⌊w⌋, and 1 if w < 1, as weights may sum to one."""
    return np.maximum(np.floor(weight), 1.0)


def repeated(weight: np.ndarray) -> np.ndarray:
    """Return indices of rows in which every row occurs in proportion to its weight, rounded.

    They are at equal steps along the cumulative weight: no fewer than the rows of positive weight, and not
    many more than `MANY`.
    """
    n_used = np.count_nonzero(weight)
    n = int(min(max(weight.sum(), n_used), max(n_used, MANY)))
    return np.searchsorted(np.cumsum(weight), (np.arange(n) + 0.5) * weight.sum() / n)


def none_if_ones(weight: np.ndarray | None) -> np.ndarray | None:
    """Return the weights, or None where all are one: what knows no weights then has the same answer."""
    return None if weight is None or (weight == 1.0).all() else weight


def with_copies(X: Samples, y: np.ndarray | None, weight: np.ndarray | None) -> tuple[Any, Any]:
    """Repeat samples and labels (or None) by their weights, for means and variances that know no weights."""
    weight = none_if_ones(weight)
    if weight is None:
        return X, y
    rows = repeated(weight)
    return X[rows], None if y is None else y[rows]


def balanced_factors(totals: np.ndarray) -> np.ndarray:
    """Return a factor for each class, shape (n_classes,), that makes the total weights of classes equal."""
    return np.asarray(totals.sum() / (len(totals) * totals))


def balanced_on(train: np.ndarray, index: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return a factor for each sample that balances the classes of the training part of a fold.

    ``index`` has the class index of each sample, ``counted`` what each sample counts as, both of shape
    (n_samples,). A class that is not in the training part has the factor zero.
    """
    totals = np.bincount(index[train], weights=counted[train], minlength=int(index.max()) + 1)
    factors = np.zeros_like(totals)
    factors[totals > 0] = balanced_factors(totals[totals > 0])
    return factors[index]
