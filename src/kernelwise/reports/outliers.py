"""Outliers found by a one-class model: scores, threshold, and which columns make the strangest rows so."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from kernelwise._core.text import count
from kernelwise._core.typing import RowsLike
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.explanation import explain, explains_exactly
from kernelwise.reports.columns_used import cell_labels, largest
from kernelwise.reports.held_out import row_names, some_of

#: Strange rows that a report explains, and bars of each.
N_STRANGE, MAX_BARS = 10, 6
#: Usual rows that the columns of a strange row are compared with.
N_USUAL = 20
#: A column with a smaller share than this is no reason.
SMALLEST = 0.01


@dataclass(frozen=True, eq=False)
class Strange:
    """One of the strangest rows, and its columns.

    Attributes
    ----------
    row : int
        Its place among the training rows.
    name : str
        Its line in the file, if that is known, or else its place: line 9, row 7.
    score, probability : float
        Of a model that had not seen it; the probability is that of being unusual.
    stranger_than : float
        The share of all rows that have a higher score.
    names : list of str
    cells : ndarray of shape (n_columns,)
        Columns, and what the row has there; empty without the rows, and where the kernel has no exact values.
    values : ndarray of shape (n_columns,)
        Shapley values of the score, compared with usual rows: negative where a column makes the row unusual.
    """

    row: int
    name: str
    score: float
    probability: float
    stranger_than: float
    names: list[str]
    cells: np.ndarray
    values: np.ndarray

    def reasons(self) -> list[tuple[str, float]]:
        """Columns that make the row unusual with their shares, the largest first."""
        against = np.maximum(-self.values, 0.0)
        total = against.sum()
        if not total > 0:
            return []
        order = np.argsort(-against, kind="stable")
        shares = ((self.names[k], float(against[k] / total)) for k in order)
        return [(name, share) for name, share in shares if share >= SMALLEST]

    def bars(self) -> tuple[list[str], np.ndarray]:
        """The columns with the largest values, named with what the row has there, and the values."""
        return largest(self.values, cell_labels(self.names, self.cells), MAX_BARS)


@dataclass(frozen=True, eq=False)
class Outliers:
    """What a one-class model says of its training rows, all by models that had not seen them.

    Attributes
    ----------
    n_rows, n_unusual : int
        Rows of positive weight, and those of them that score below the threshold.
    contamination : float
        The share of rows that the threshold is set for.
    is_named, is_by_labels : bool
        Whether the user has named this share, or labels of unusual rows have told it.
    threshold, threshold_error : float, float or None
    scores : ndarray of shape (n_samples,)
        NaN for rows of weight 0.
    labels : ndarray of shape (n_samples,) or None
        1 for normal rows, −1 for outliers, 0 where it is unknown.
    strangest : list of Strange
        The strangest first.
    has_rows : bool
        Whether the rows were there to be explained.
    """

    n_rows: int
    n_unusual: int
    contamination: float
    is_named: bool
    is_by_labels: bool
    threshold: float
    threshold_error: float | None
    scores: np.ndarray
    labels: np.ndarray | None
    strangest: list[Strange]
    has_rows: bool

    @property
    def heading(self) -> str:
        """The report in a line."""
        share = share_text(self.n_unusual / self.n_rows)
        if self.is_named or self.is_by_labels:
            return f"{self.n_unusual} of {count(self.n_rows, 'row')} are unusual ({share})"
        return f"The {self.n_unusual} strangest of {count(self.n_rows, 'row')} ({share}, the default share)"

    def stranger_than(self, one: Strange) -> str:
        """The share of all rows that have a higher score than a row, as text."""
        return share_text(one.stranger_than, self.n_rows)


def outliers_of(
    model: TunedMachine,
    X: RowsLike | None = None,
    y: np.ndarray | None = None,
    lines: np.ndarray | Sequence[int] | None = None,
    strangest: Sequence[Strange] | None = None,
) -> Outliers:
    """What a fitted `TunedOneClassSVM` has found among its training rows X with their labels y.

    ``strangest`` are the `strangest_rows`, if they were found before.
    """
    scores = np.asarray(model.training_scores_, dtype=float)
    return Outliers(
        n_rows=int(np.isfinite(scores).sum()),
        n_unusual=int((scores < model.threshold_).sum()),
        contamination=float(model.contamination_),
        is_named=model.contamination is not None,
        is_by_labels=bool(getattr(model.result_, "labelled", (0, 0))[1]),
        threshold=float(model.threshold_),
        threshold_error=None if model.threshold_error_ is None else float(model.threshold_error_),
        scores=scores,
        labels=None if y is None else np.asarray(y),
        strangest=strangest_rows(model, X, lines=lines) if strangest is None else list(strangest),
        has_rows=X is not None,
    )


def strangest_rows(
    model: TunedMachine,
    X: RowsLike | None,
    n: int = N_STRANGE,
    lines: np.ndarray | Sequence[int] | None = None,
) -> list[Strange]:
    """The ``n`` rows of lowest score among the training rows X, the lowest first; X may be None."""
    scores = np.asarray(model.training_scores_, dtype=float)
    order = np.argsort(scores, kind="stable")  # NaN, which rows of weight 0 have, comes last
    order = order[np.isfinite(scores[order])]
    first = order[:n]
    names, cells, values = _explained(model, X, first, order)
    return [
        Strange(
            int(k),
            name,
            float(scores[k]),
            float(model.training_probabilities_[k]),
            share_above(scores, float(scores[k])),
            names,
            cells[i],
            values[i],
        )
        for i, (k, name) in enumerate(zip(first, row_names(first, lines), strict=True))
    ]


def _explained(
    model: TunedMachine, X: RowsLike | None, first: np.ndarray, order: np.ndarray
) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Names of the columns, and cells and Shapley values of the first rows; all empty if there are none."""
    if X is None or sparse.issparse(X) or not explains_exactly(model):
        return [], np.zeros((len(first), 0)), np.zeros((len(first), 0))
    usual = order[len(order) // 2 :][:: max(1, len(order) // (2 * N_USUAL))][:N_USUAL]
    with warnings.catch_warnings():
        # Correlated columns share the blame, which is no news about single rows.
        warnings.filterwarnings("ignore", message=".*have a correlation of")
        found = explain(model, some_of(X, first), background=some_of(X, np.sort(usual)))
    return list(found.feature_names), found.data, found.values


def share_above(scores: np.ndarray, score: float) -> float:
    """The share of rows that have a higher score; rows of weight 0, whose score is NaN, do not count.

    Examples
    --------
    >>> share_above(np.array([0.1, 0.1, 0.3, np.nan, 0.2]), 0.1)
    0.5
    """
    known = np.isfinite(scores)
    return float(np.count_nonzero(scores[known] > score) / np.count_nonzero(known))


def share_text(share: float, n_rows: int = 1) -> str:
    """A share as a percentage with as many digits as tell one row of many from none.

    Examples
    --------
    >>> share_text(222 / 223, 223), share_text(99998 / 100000, 100000)
    ('99.6 %', '99.998 %')
    """
    digits = max(1, math.ceil(math.log10(n_rows)) - 2)
    return f"{100 * share:.{digits}f} %"
