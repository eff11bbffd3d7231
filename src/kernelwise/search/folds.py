"""Rows dealt out to folds.

A row of weight two or more is several copies. Were they in several folds, machines would be asked about rows
that they have learned, so they go together; except where rows that occur again are what the data consist of.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.weights import copies_of
from kernelwise.search.canonical import shuffled_classes

Folds = list[tuple[np.ndarray, np.ndarray]]


class Pieces(NamedTuple):
    """The share of a row that one fold holds out.

    Attributes
    ----------
    rows : ndarray of shape (n_pieces,)
        Increasing.
    fold : ndarray of shape (n_pieces,)
    weight : ndarray of shape (n_pieces,)
    n_folds : int
    """

    rows: np.ndarray
    fold: np.ndarray
    weight: np.ndarray
    n_folds: int

    @property
    def folds(self) -> Folds:
        """Training and test parts, as indices of pieces."""
        tests = [self.fold == k for k in range(self.n_folds)]
        return [(np.flatnonzero(~test), np.flatnonzero(test)) for test in tests]

    def within(self, rows: np.ndarray) -> Pieces:
        """The pieces of some rows only, which are renumbered; ``rows`` is increasing."""
        is_in = np.isin(self.rows, rows)
        renumbered = np.searchsorted(rows, self.rows[is_in])
        # A fold that holds none of the rows out is none.
        filled, fold = np.unique(self.fold[is_in], return_inverse=True)
        return Pieces(renumbered, fold, self.weight[is_in], len(filled))


def is_dealt_apart(
    points: np.ndarray | None, index: np.ndarray, weight: np.ndarray, n_folds: int
) -> np.ndarray:
    """Whether the copies of a row go to several folds, for each class, shape (n_classes,).

    They do where most of the weight is on points that are in several classes: points with a few values only,
    of which a machine has to learn by heart how often they are what. And in a class with fewer rows than
    folds, of which machines would otherwise know nothing.

    Parameters
    ----------
    points : ndarray of shape (n_rows,) or None
        The same number for rows that are the same point, if that is known.
    index, weight : ndarray of shape (n_rows,)
    n_folds : int
    """
    is_small = np.bincount(index) < n_folds
    if points is None:
        return is_small
    _, place, counts = np.unique(points, return_inverse=True, return_counts=True)
    return is_small | (weight[counts[place] > 1].sum() > 0.5 * weight.sum())


def deal(
    index: np.ndarray, weight: np.ndarray, n_folds: int, random_state: int = 0, is_apart: Any = True
) -> Pieces:
    """Stratified folds: the shuffled rows of a class go to the folds in turn.

    A row of weight w is `copies_of` w rows, one after the other, in classes with ``is_apart``.

    Parameters
    ----------
    index : ndarray of shape (n_rows,)
        Class index of each row, in canonical order.
    weight : ndarray of shape (n_rows,)
    n_folds : int
    random_state : int, default=0
    is_apart : bool, or ndarray of shape (n_classes,)
    """
    is_apart = np.broadcast_to(is_apart, index.max() + 1)
    copies = np.where(is_apart[index], copies_of(weight), 1.0)
    counts = np.zeros((len(index), n_folds))
    for members in shuffled_classes(index, random_state):
        after = np.cumsum(copies[members])
        # How many of the numbers up to (and from) a row's own leave the rest k, for every fold k.
        k = np.arange(n_folds)
        upto = np.floor_divide(after[:, None] - 1 - k, n_folds)
        counts[members] = upto - np.floor_divide(after[:, None] - copies[members, None] - 1 - k, n_folds)
    rows, fold = np.nonzero(counts)
    return Pieces(rows, fold, counts[rows, fold] * (weight / copies)[rows], n_folds)


def deal_as_given(splits: list[tuple[Any, Any]], place: np.ndarray, weight: np.ndarray) -> Pieces:
    """The user's own folds.

    Parameters
    ----------
    splits : list of (train, test)
        Indices or masks of samples.
    place : ndarray of shape (n_samples,)
        Which row each sample is; negative for those that are left out.
    weight : ndarray of shape (n_samples,)
    """
    everyone = np.arange(len(place))
    fold, times = np.full(len(place), -1), np.zeros(len(place), int)
    for k, (train, test) in enumerate(splits):
        test = everyone[test]
        fold[test] = k
        times[test] += 1
        if not np.array_equal(np.sort(everyone[train]), np.setdiff1d(everyone, test)):
            raise ValueError(
                f"Fold {k} of 'cv' does not train on all samples that it does not hold out. "
                "Use a splitter such as KFold, or GridSearchSVC, which takes any."
            )
    if (times != 1).any():
        row = int(np.flatnonzero(times != 1)[0])
        raise ValueError(
            f"'cv' holds out sample {row} {times[row]} times instead of once. "
            "Use a splitter such as KFold, or GridSearchSVC, which takes any."
        )
    used = place >= 0
    keys, inverse = np.unique(place[used] * len(splits) + fold[used], return_inverse=True)
    return Pieces(
        keys // len(splits),
        keys % len(splits),
        np.bincount(inverse, weights=weight[used]),
        len(splits),
    )
