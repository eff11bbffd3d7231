"""Rows dealt out to folds: a row of weight two or more is several copies, which may go to several folds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kernelwise.selection.canonical import shuffled_classes

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
        return Pieces(renumbered, self.fold[is_in], self.weight[is_in], self.n_folds)


def deal(index: np.ndarray, weight: np.ndarray, n_folds: int, random_state: int = 0) -> Pieces:
    """Stratified folds: the shuffled rows of a class go to the folds in turn.

    A row of weight w is ⌊w⌋ copies one after the other (one, if w < 1), as if each were a row.

    Parameters
    ----------
    index : ndarray of shape (n_rows,)
        Class index of each row, in canonical order.
    weight : ndarray of shape (n_rows,)
    n_folds : int
    random_state : int, default=0
    """
    copies = np.maximum(np.floor(weight), 1.0)
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
