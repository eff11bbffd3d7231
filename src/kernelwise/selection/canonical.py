"""Rows in an order that depends on what they are, not on where they stand, and folds that follow it.

What is chosen must not change when rows are permuted, when a row is repeated instead of weighted twice, or
when classes get other names. So equal rows of a class become one row with their total weight, the rows are
put in an order of their own, and folds are drawn in that order.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

Folds = list[tuple[np.ndarray, np.ndarray]]


class CanonicalRows(NamedTuple):
    """Distinct rows in canonical order.

    Attributes
    ----------
    rows : ndarray of shape (n_distinct,)
        Where the first copy of each stands.
    weight : ndarray of shape (n_distinct,)
        Total weight of its copies.
    """

    rows: np.ndarray
    weight: np.ndarray


def canonical_rows(X: Any, index: np.ndarray, weight: np.ndarray) -> CanonicalRows:
    """Merge equal rows of one class and put the rest in canonical order; rows of weight zero are left out.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
    index : ndarray of shape (n_samples,)
        Class index of each sample.
    weight : ndarray of shape (n_samples,)
    """
    # Two random projections: equal rows share both, and no others do.
    directions = np.random.default_rng(0).standard_normal((2, X.shape[1]))
    first, second = (project(X, direction) for direction in directions)
    used = np.flatnonzero(weight > 0)
    order = used[np.lexsort((used, index[used], second[used], first[used]))]
    columns = np.stack([first[order], second[order], index[order]])
    is_new = np.concatenate([[True], (columns[:, 1:] != columns[:, :-1]).any(axis=0)])
    group = np.cumsum(is_new) - 1
    return CanonicalRows(order[is_new], np.bincount(group, weights=weight[order]))


def project(X: Any, direction: np.ndarray) -> np.ndarray:
    """X·direction by the same additions for every row: a matrix product may round equal rows differently."""
    if not sparse.issparse(X):
        return (X * direction).sum(axis=1)
    X = X.tocsr()
    products = X.data * direction[X.indices]
    starts = X.indptr[:-1]
    sums = np.zeros(X.shape[0])
    is_filled = np.diff(X.indptr) > 0
    if is_filled.any():
        sums[is_filled] = np.add.reduceat(products, starts[is_filled])
    return sums


class Pieces(NamedTuple):
    """Rows dealt out to folds: a row of weight two or more goes to several.

    Attributes
    ----------
    rows : ndarray of shape (n_pieces,)
    weight : ndarray of shape (n_pieces,)
    folds : list of (train, test)
        Indices of pieces.
    """

    rows: np.ndarray
    weight: np.ndarray
    folds: Folds


def deal(index: np.ndarray, weight: np.ndarray, n_folds: int, random_state: int = 0) -> Pieces:
    """Stratified folds of canonical rows.

    A row of weight w counts as ⌊w⌋ copies, and copies go to different folds, as they would if they were rows.

    Parameters
    ----------
    index : ndarray of shape (n_rows,)
        Class index of each canonical row.
    weight : ndarray of shape (n_rows,)
    n_folds : int
    random_state : int, default=0
    """
    copies = np.clip(np.floor(weight).astype(int), 1, n_folds)
    rows, fold_of = [], []
    for members in shuffled_classes(index, random_state):
        pieces = np.repeat(members, copies[members])
        rows.append(pieces)
        fold_of.append(np.arange(len(pieces)) % n_folds)
    all_rows, folds = np.concatenate(rows), np.concatenate(fold_of)
    # In canonical order again: neighbouring rows of a Gram matrix then do not depend on the classes' names.
    order = np.lexsort((folds, all_rows))
    all_rows, folds = all_rows[order], folds[order]
    splits = [(np.flatnonzero(folds != k), np.flatnonzero(folds == k)) for k in range(n_folds)]
    return Pieces(all_rows, weight[all_rows] / copies[all_rows], splits)


def sample(index: np.ndarray, n_rows: int, random_state: int = 0) -> np.ndarray:
    """A stratified sample of about ``n_rows`` canonical rows, in their order; at least two of a class."""
    share = n_rows / len(index)
    chosen = [
        members[: max(2, round(share * len(members)))] for members in shuffled_classes(index, random_state)
    ]
    return np.sort(np.concatenate(chosen))


def shuffled_classes(index: np.ndarray, random_state: int) -> list[np.ndarray]:
    """The rows of every class, shuffled; the class of the first row comes first, whatever it is called."""
    random = np.random.default_rng(random_state)
    _, first = np.unique(index, return_index=True)
    return [random.permutation(np.flatnonzero(index == index[k])) for k in np.sort(first)]
