"""The strangest rows that a one-class model was trained on, and which columns make them so."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from kernelwise.explanation import explain, explains_exactly
from kernelwise.reports.displays.explanation import cell_text
from kernelwise.reports.looks_at import some_of

#: Usual rows that the columns of a strange row are compared with.
N_USUAL = 20
#: A column with a smaller share than this is no reason.
SMALLEST = 0.01


@dataclass(frozen=True, eq=False)
class Strange:
    """One row, and its columns.

    Attributes
    ----------
    row : int
        Its place among the training rows.
    score : float
        Of a model that had not seen it.
    names, cells : list of str
        Columns, and what the row has there; empty where the kernel has no exact values.
    values : ndarray of shape (n_columns,)
        Shapley values of the score, compared with usual rows: negative where a column makes the row unusual.
    """

    row: int
    score: float
    names: list[str]
    cells: list[str]
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


def share_above(scores: np.ndarray, score: float) -> float:
    """The share of rows that have a higher score; rows of weight 0, whose score is NaN, do not count.

    Examples
    --------
    >>> share_above(np.array([0.1, 0.1, 0.3, np.nan, 0.2]), 0.1)
    0.5
    """
    known = np.isfinite(scores)
    return float(np.count_nonzero(scores[known] > score) / np.count_nonzero(known))


def share_text(share: float, n_rows: int) -> str:
    """A share as a percentage with as many digits as tell one row of many from none.

    Examples
    --------
    >>> share_text(222 / 223, 223), share_text(99998 / 100000, 100000)
    ('99.6 %', '99.998 %')
    """
    digits = max(1, math.ceil(math.log10(n_rows)) - 2)
    return f"{100 * share:.{digits}f} %"


def strangest_rows(model: Any, X: Any, n: int) -> list[Strange]:
    """The ``n`` rows of lowest score among the training rows X, the lowest first."""
    scores = np.asarray(model.training_scores_, dtype=float)
    order = np.argsort(scores, kind="stable")  # NaN, which rows of weight 0 have, comes last
    order = order[np.isfinite(scores[order])]
    first = order[:n]
    if sparse.issparse(X) or not explains_exactly(model):
        return [Strange(int(k), float(scores[k]), [], [], np.zeros(0)) for k in first]
    usual = order[len(order) // 2 :][:: max(1, len(order) // (2 * N_USUAL))][:N_USUAL]
    with warnings.catch_warnings():
        # Correlated columns share the blame, which is no news about single rows.
        warnings.filterwarnings("ignore", message=".*have a correlation of")
        found = explain(model, some_of(X, first), background=some_of(X, np.sort(usual)))
    return [
        Strange(
            int(k),
            float(scores[k]),
            list(found.feature_names),
            [cell_text(cell) for cell in found.data[i].tolist()],
            found.values[i],
        )
        for i, k in enumerate(first)
    ]
