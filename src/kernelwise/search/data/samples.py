"""Step 1 of a search: samples checked, without repetitions, scaled, and in an order of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import has_fit_parameter

from kernelwise._core.equal_points import number_points, row_hashes, summed
from kernelwise._core.labels import lone_rows, none_if_ones
from kernelwise._core.memory import check_gram_memory
from kernelwise._core.rounding import on_exact_grid
from kernelwise._core.validation import check_range
from kernelwise.search.data.canonical import DistinctRows, canonical_order, distinct_points, distinct_rows
from kernelwise.search.data.scaling import apply_scaler, check_not_constant, fit_scaler
from kernelwise.tables import Layout


@dataclass(frozen=True)
class Samples:
    """Distinct rows in canonical order, with what a machine is to learn of them.

    Attributes
    ----------
    Z : array or CSR matrix of shape (n_rows, n_features), or the matrix of kernel values or distances
        Scaled, and on a grid on which inner products are exact (`kernelwise._core.rounding`). None where
        only the answers to the rows matter.
    y : ndarray of shape (n_rows,)
        Class indices, or standardised targets: as the family of the search encodes them.
    strata : ndarray of shape (n_rows,)
        The class that folds and stratified samples keep shares of; all zero where there are no classes.
    weight, bound : ndarray of shape (n_rows,)
        Weights of the rows, and bounds of the machines' coefficients as multiples of C: the weights times
        those of the classes.
    is_gram : bool
        Whether Z is such a matrix, of shape (n_rows, n_rows).
    points : ndarray of shape (n_rows,)
        Equal numbers for rows that are the same point, in whatever classes.
    columns : ndarray of shape (n_features,), default=None
        The column of the user's table that each feature comes from, where that is not one feature each.
    """

    Z: Any
    y: np.ndarray
    strata: np.ndarray
    weight: np.ndarray
    bound: np.ndarray
    is_gram: bool = False
    points: np.ndarray | None = None
    columns: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, rows: np.ndarray) -> Samples:
        """Some of the rows."""
        Z = self.Z
        if Z is not None:
            Z = Z[np.ix_(rows, rows)] if self.is_gram else Z[rows]
        points = None if self.points is None else self.points[rows]
        targets = self.y[rows], self.strata[rows], self.weight[rows], self.bound[rows]
        return Samples(Z, *targets, self.is_gram, points, self.columns)

    def answers(self, rows: np.ndarray, share: np.ndarray) -> Samples:
        """Rows that machines have answered, maybe several times, with a share of their weight; without Z."""
        weight, bound = self.weight[rows] * share, self.bound[rows] * share
        return Samples(None, self.y[rows], self.strata[rows], weight, bound, self.is_gram)

    @property
    def n_columns(self) -> int:
        """Columns of the user's table."""
        return int(self.Z.shape[1] if self.columns is None else self.columns.max() + 1)

    def for_criteria(self) -> Samples:
        """The rows of classes with two samples or more, as criteria need them.

        If that is one class only, all rows, those which are alone in their class with a weight of two.
        """
        lone = lone_rows(self.strata, self.weight)
        if not len(lone):
            return self
        others = np.setdiff1d(np.arange(len(self)), lone)
        if len(np.unique(self.strata[others])) > 1:
            return self[others]
        weight = self.weight.copy()
        weight[lone] = 2.0
        return replace(self, weight=weight)

    @property
    def weight_or_none(self) -> np.ndarray | None:
        """Weights of the rows; None if all are one."""
        return none_if_ones(self.weight)


@dataclass(frozen=True)
class Prepared:
    """Rows without repetitions, scaled, before it is known what is to be learned of them."""

    distinct: DistinctRows
    Z: Any
    scaler: Any
    is_gram: bool
    points: np.ndarray
    columns: np.ndarray | None = None

    def samples(self, encode: Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, ...]], y: Any) -> Samples:
        """The rows with targets: ``encode(y, weight)`` returns targets, strata and bounds of the rows."""
        weight = self.distinct.weight
        targets, strata, bound = encode(y[self.distinct.rows], weight)
        return Samples(self.Z, targets, strata, weight, bound, self.is_gram, self.points, self.columns)


def prepare(
    X: Any,
    identity: np.ndarray,
    weight: np.ndarray,
    *,
    scale: Any,
    owner: str,
    check_matrix: Callable[[Any], np.ndarray] | None = None,
    apart: np.ndarray | None = None,
    layout: Layout | None = None,
) -> Prepared:
    """Merge equal samples, learn the scaling, and put the rows in canonical order.

    X may be a matrix of kernel values or distances, of shape (n_samples, n_samples), which ``check_matrix``
    then returns after its checks. Equal samples are one row only if their ``identity``, of shape
    (n_samples,), is equal, too: their classes, or their targets; and their numbers ``apart``, if there are
    any. ``owner`` is the estimator whose parameter ``scale`` is, for messages. ``layout`` says which features
    are the words and gaps of one column.
    """
    if check_matrix is not None:
        check_gram_memory(1, int((weight > 0).sum()))
        matrix = check_matrix(X)
        points = number_points(matrix)
        distinct = distinct_points(points, identity, weight)
        rows = distinct.rows
        return Prepared(distinct, matrix[np.ix_(rows, rows)], None, True, points[rows])
    check_range(X)
    if sparse.issparse(X):
        X = summed(X)  # scalers take every stored entry for a value
    distinct = distinct_rows(X, identity, weight, apart)
    scaler = fit_scaler(scale, *_seen_by_scaler(X, distinct, scale), owner, layout)
    Z = apply_scaler(scaler, X[distinct.rows])
    if isinstance(scale, str):  # any other scaling may leave features of very different sizes
        Z = on_exact_grid(Z)
    check_not_constant(Z)
    order = canonical_order(Z, identity[distinct.rows], distinct.weight)
    # A transformer of the user's own may have mixed the features.
    has_columns = layout is not None and (scale is None or isinstance(scale, str))
    columns = layout.column if layout is not None and has_columns else None
    return Prepared(distinct.reordered(order), Z[order], scaler, False, row_hashes(Z[order])[0], columns)


def _seen_by_scaler(X: Any, distinct: DistinctRows, scale: Any) -> tuple[Any, np.ndarray | None]:
    """Distinct rows and their weights, or all rows for a transformer that takes no weights."""
    if scale is None or isinstance(scale, str) or has_fit_parameter(scale, "sample_weight"):
        is_weighted = not (distinct.weight == 1.0).all()
        return X[distinct.rows], distinct.weight if is_weighted else None
    used = np.flatnonzero(distinct.row_of >= 0)
    return X[used[np.argsort(distinct.row_of[used], kind="stable")]], None
