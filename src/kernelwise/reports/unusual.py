"""All that a report on unusual rows shows, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from kernelwise._core.text import count
from kernelwise.findings import Finding
from kernelwise.reports.held_out import some_rows
from kernelwise.reports.provenance import Provenance, provenance
from kernelwise.reports.regions import leading_plane, plane_axis, plane_cells
from kernelwise.reports.relevance import coded_names
from kernelwise.reports.strangest import Strange, strangest_rows
from kernelwise.search.wording import kernel_meaning, kernel_text

#: Strange rows that are explained, bars of each, rows drawn, bins of the histogram.
N_STRANGE, MAX_BARS, MAX_DRAWN, N_BINS = 10, 6, 1000, 40
#: Scores below this share of the largest are drawn as if they had it: logarithms need a floor.
FLOOR = 1e-12


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
