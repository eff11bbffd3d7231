"""Outliers found by a one-class model: scores, threshold, and which columns make the strangest rows so."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from kernelwise._core.text import count
from kernelwise.explanation import explain, explains_exactly
from kernelwise.findings import Finding
from kernelwise.reports.columns_used import cell_text, coded_names, some_of
from kernelwise.reports.held_out import some_rows
from kernelwise.reports.provenance import Provenance, provenance
from kernelwise.reports.regions import leading_plane, plane_axis, plane_cells
from kernelwise.search.wording import kernel_meaning, kernel_text

#: Strange rows that are explained, bars of each, rows drawn, bins of the histogram.
N_STRANGE, MAX_BARS, MAX_DRAWN, N_BINS = 10, 6, 1000, 40
#: Scores below this share of the largest are drawn as if they had it: logarithms need a floor.
FLOOR = 1e-12
#: Usual rows that the columns of a strange row are compared with.
N_USUAL = 20
#: A column with a smaller share than this is no reason.
SMALLEST = 0.01


@dataclass(frozen=True, eq=False)
class Plane:
    """Rows along their two leading directions, and where the model draws its line.

    Attributes
    ----------
    a, b : ndarray of shape (n_grid,)
    values : ndarray of shape (n_grid, n_grid)
        Decision values; negative where a row would be unusual.
    points : ndarray of shape (n_points, 2)
    is_unusual : ndarray of shape (n_points,)
    axes : tuple of str
    share : float
    n_features : int
    """

    a: np.ndarray
    b: np.ndarray
    values: np.ndarray
    points: np.ndarray
    is_unusual: np.ndarray
    axes: tuple[str, str]
    share: float
    n_features: int


@dataclass(frozen=True, eq=False)
class UnusualRows:
    """The contents of a report on unusual rows."""

    n_rows: int
    n_columns: int
    n_features: int
    n_unusual: int
    contamination: float
    is_named: bool  # whether the user has named the share
    threshold: float
    threshold_error: float | None
    kernel: str
    meaning: str
    exact: str
    nu: float
    criterion: str
    labels: np.ndarray | None  # of the rows, shape (n_rows,): 1, −1, or 0 where unknown
    scores: np.ndarray  # of the rows, shape (n_rows,), NaN for rows of weight 0
    strangest: list[Strange]
    row_names: list[str]  # of the strangest rows
    probabilities: list[float]  # of the strangest rows
    plane: Plane | None
    why: tuple[str, ...]
    how: tuple[str, ...]
    findings: tuple[Finding, ...]
    preparation: tuple[str, ...]
    n_machines: int
    seconds: float
    provenance: Provenance

    @property
    def heading(self) -> str:
        """The report in a line."""
        share = 100 * self.n_unusual / self.n_rows
        return f"{self.n_unusual} of {count(self.n_rows, 'row')} are unusual ({share:.1f} %)"


def unusual_rows(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    command: str | None = None,
    source: str | None = None,
    seed: Any = None,
    preparation: Sequence[str] = (),
    lines: Any = None,
    n_columns: int | None = None,
    findings: Sequence[Finding] = (),
) -> UnusualRows:
    """Collect what there is to show about a `TunedOneClassSVM` and the rows X that it was trained on."""
    scores = np.asarray(model.training_scores_, dtype=float)
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if n != len(scores):
        raise ValueError(
            f"A report on unusual rows needs the {len(scores)} rows that the model was trained on, got {n} "
            "rows."
        )
    strange = strangest_rows(model, X, N_STRANGE)
    numbers = [one.row for one in strange]
    found = [*model.diagnostics_, *findings]
    n_features = int(model.best_estimator_.n_features_in_)
    return UnusualRows(
        n_rows=int(np.isfinite(scores).sum()),
        n_columns=n_features if n_columns is None else n_columns,
        n_features=n_features,
        n_unusual=int((scores < model.threshold_).sum()),
        contamination=float(model.contamination_),
        is_named=model.contamination is not None,
        threshold=float(model.threshold_),
        threshold_error=None if model.threshold_error_ is None else float(model.threshold_error_),
        kernel=kernel_text(model.kernel_),
        meaning=kernel_meaning(model.kernel_, getattr(model, "scale", None)) or "",
        exact=repr(model.kernel_),
        nu=float(model.nu_),
        criterion=model.criterion_,
        labels=None if y is None else np.asarray(y),
        scores=scores,
        strangest=strange,
        row_names=[f"row {k}" for k in numbers] if lines is None else [f"line {lines[k]}" for k in numbers],
        probabilities=[float(model.training_probabilities_[k]) for k in numbers],
        plane=plane_of(model, X, scores),
        why=tuple(model.result_.why),
        how=tuple(model.result_.how),
        findings=tuple(sorted(found, key=lambda one: one.severity == "info")),
        preparation=tuple(preparation),
        n_machines=int(model.n_svm_fits_),
        seconds=float(model.result_.seconds),
        provenance=provenance(model, X, np.zeros(n) if y is None else y, command, source, seed),
    )


def plane_of(model: Any, X: Any, scores: np.ndarray) -> Plane | None:
    """The picture of a model; None if its rows have no two directions or are sparse."""
    if sparse.issparse(X):
        return None
    rows = some_rows(len(scores))
    Z = model.machine_samples(X)[rows]
    plane = leading_plane(model.kernel_, Z)
    if plane is None:
        return None
    a, b, cells = plane_cells(plane)
    names = coded_names(model)
    # Strange rows are few: they are drawn all, and of the others a part.
    is_unusual = scores[rows] < model.threshold_
    drawn = np.union1d(np.flatnonzero(is_unusual), some_rows(len(rows), MAX_DRAWN))
    return Plane(
        a,
        b,
        model.best_estimator_.decision_function(cells).reshape(len(b), len(a)),
        plane.coordinates[drawn],
        is_unusual[drawn],
        (plane_axis(plane, Z, names, 0), plane_axis(plane, Z, names, 1)),
        plane.share,
        Z.shape[1],
    )


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
