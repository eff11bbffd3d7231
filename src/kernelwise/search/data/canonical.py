"""Rows in an order that depends on what they are, not on where they stand.

What is chosen must not change when rows or columns are permuted, when a row is repeated instead of weighted
twice, or when classes get other names. So equal rows of a class become one row with their total weight, the
rows are put in an order of their own, and samples and folds are drawn in that order.
"""

from __future__ import annotations

from typing import NamedTuple, NewType

import numpy as np

from kernelwise._core.content_keys import content_keys
from kernelwise._core.equal_points import mixed, row_hashes, row_sums, summed
from kernelwise._core.typing import Samples, is_sparse

#: The numberings of rows that are easily confused, each an array of integers.
#: Of the user's samples, as they came.
SampleNumbers = NewType("SampleNumbers", np.ndarray)
#: Of distinct rows in canonical order: rows of `kernelwise.search.data.samples.Samples`.
RowNumbers = NewType("RowNumbers", np.ndarray)
#: Of the rows that folds use: places in `kernelwise.search.data.folds.FoldRows.rows`.
FoldPlaces = NewType("FoldPlaces", np.ndarray)
#: Of answers to what is held out: a row that several folds hold out has several of them.
AnswerNumbers = NewType("AnswerNumbers", np.ndarray)

#: Binary digits of the largest place of a row by which rows are told apart.
PLACE_DIGITS = 36


class DistinctRows(NamedTuple):
    """Rows without repetitions, in an order that does not depend on the one they came in.

    Attributes
    ----------
    rows, weight : ndarray of shape (n_distinct,)
        The sample that is the first copy of each, and the total weight of its copies.
    row_of : ndarray of shape (n_samples,)
        Which distinct row each sample is; -1 for samples of weight zero, which are left out.
    """

    rows: SampleNumbers
    weight: np.ndarray
    row_of: RowNumbers

    def reordered(self, order: np.ndarray) -> DistinctRows:
        """The same rows in another order."""
        new_row = np.append(np.argsort(order), -1)  # the last one is for samples that are left out
        return _distinct(self.rows[order], self.weight[order], new_row[self.row_of])


def _distinct(rows: np.ndarray, weight: np.ndarray, row_of: np.ndarray) -> DistinctRows:
    return DistinctRows(SampleNumbers(rows), weight, RowNumbers(row_of))


def distinct_rows(
    X: Samples, index: np.ndarray, weight: np.ndarray, apart: np.ndarray | None = None
) -> DistinctRows:
    """Merge equal rows of one class; X has the shape (n_samples, n_features), the others (n_samples,).

    Rows whose numbers ``apart`` differ stay apart.
    """
    used = np.flatnonzero(weight > 0)
    keys = row_hashes(X)
    if apart is not None:
        keys = np.vstack([keys, apart.astype(np.uint64)])
    order = used[np.lexsort((used, index[used], *keys[:, used]))]
    columns = np.stack([*keys[:, order], index[order].astype(np.uint64)])
    is_new = np.concatenate([[True], (columns[:, 1:] != columns[:, :-1]).any(axis=0)])
    row_of = np.full(len(index), -1)
    row_of[order] = np.cumsum(is_new) - 1
    return _distinct(order[is_new], np.bincount(row_of[order], weights=weight[order]), row_of)


def distinct_points(points: np.ndarray, index: np.ndarray, weight: np.ndarray) -> DistinctRows:
    """Merge the samples of one class that are one point, in the order of the first of each.

    For matrices, whose rows have no values to be ordered by. ``points`` has a number for every sample, as
    from `kernelwise._core.equal_points.number_points`; all arrays have the shape (n_samples,).
    """
    used = np.flatnonzero(weight > 0)
    keys = np.stack([points[used], index[used]])
    _, first, inverse = np.unique(keys, axis=1, return_index=True, return_inverse=True)
    order = np.argsort(first)
    row_of = np.full(len(weight), -1)
    row_of[used] = np.argsort(order)[inverse.ravel()]
    return _distinct(used[first[order]], np.bincount(row_of[used], weights=weight[used]), row_of)


def canonical_order(Z: Samples, index: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Order of distinct rows that their values decide, shape (n_distinct,).

    Scaled samples go in, so that units do not matter. It is the order along a direction whose component for a
    feature comes from the values of that feature, not from its position. A point that is in several classes
    is a tie; the weights decide it, then what else is in the classes, and their names only where everything
    else is equal.
    """
    keys = content_keys(Z, index, weight)
    totals, classes = np.bincount(index, weights=weight)[index], keys.classes[index]
    place = _place_along(Z, keys.columns)
    return np.lexsort((index, classes, totals, weight, *row_hashes(Z), keys.rows, place))


def _place_along(Z: Samples, columns: np.ndarray) -> np.ndarray:
    """Place of each row along a direction made of the keys of the columns, shape (n_distinct,).

    By the same additions for every row, as a matrix product may round equal rows differently; and to so many
    digits only, as the order of the columns has a part in the rounding.
    """
    if is_sparse(Z):
        Z = summed(Z)
    along = project(Z, mixed(columns + np.uint64(1)) / 2.0**64 - 0.5)
    return np.rint(np.ldexp(along, PLACE_DIGITS - np.frexp(np.abs(along).max(initial=0.0))[1]))


def project(X: Samples, direction: np.ndarray) -> np.ndarray:
    """X·direction, shape (n_samples,), by additions within each row only."""
    if not is_sparse(X):
        return (X * direction).sum(axis=1)
    return row_sums(X.data * direction[X.indices], X.indptr)


def sample(index: np.ndarray, n_rows: int, random_state: int = 0) -> np.ndarray:
    """A stratified sample of about ``n_rows`` canonical rows, in their order; at least two of a class."""
    share = n_rows / len(index)
    chosen = [
        members[: max(2, round(share * len(members)))] for members in shuffled_classes(index, random_state)
    ]
    return np.sort(np.concatenate(chosen))


def shuffled_classes(index: np.ndarray, random_state: int) -> list[np.ndarray]:
    """The rows of every class, shuffled; each by a generator of its own, so that names do not matter."""
    members = [np.flatnonzero(index == k) for k in np.unique(index)]
    return [np.random.default_rng(random_state).permutation(rows) for rows in members]
