"""What a criterion said about the kernels, and what cross-validation said about the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise.reports.paths import CPath, c_paths, chosen
from kernelwise.search.wording import number

#: Names of criteria for people.
NAMES = {
    "dbtc": "DBTC",
    "esdr": "ESDR",
    "j4": "J4",
    "kta": "alignment",
    "centered-kta": "centred alignment",
}


@dataclass(frozen=True, eq=False)
class CriterionCurves:
    """Criteria along widths, or along the evaluations of a search.

    Attributes
    ----------
    is_over_widths : bool
        Whether ``x`` holds widths γ; else numbers of evaluations.
    x : dict from str to ndarray
        By the name of the curve.
    values : dict from str to ndarray
        The paper's quantities; larger is better.
    tried : list of CPath
        Kernels that cross-validation scored.
    chosen : int
        Index of the chosen one in ``tried``.
    searched : tuple of (str, float) or None
        Name of the criterion that an optimizer searched, and its value at the end.
    """

    is_over_widths: bool
    x: dict[str, np.ndarray]
    values: dict[str, np.ndarray]
    tried: list[CPath]
    chosen: int
    searched: tuple[str, float] | None = None

    @property
    def heading(self) -> str:
        """What the curves show."""
        if self.searched is not None:
            name, end = self.searched
            scored = count(len(self.tried), "kernel")
            return f"The search for {name} ended at {number(end)}; cross-validation scored {scored}"
        width = self.tried[self.chosen].width
        peaks = ", ".join(f"{name} {number(gamma, 2)}" for name, gamma in self.peaks().items())
        n = len({path.width for path in self.tried if path.width is not None})
        if width is None:
            scored = f"{count(n, 'kernel')} with one width scored; the chosen kernel has several widths"
        else:
            scored = f"γ = {number(width)} was chosen among {count(n, 'width')}"
        return f"{scored}; peaks: {peaks}" if peaks else scored

    def scaled(self, name: str) -> np.ndarray:
        """A curve as it is drawn: over widths from 0 to 1, since criteria have units of their own."""
        values = self.values[name]
        spread = np.nanmax(values) - np.nanmin(values)
        if not self.is_over_widths:
            return values
        return (values - np.nanmin(values)) / (spread if spread > 0 else 1.0)

    def peaks(self) -> dict[str, float]:
        """Where each curve has its maximum, for those that have it inside the range."""
        highest = {name: int(np.nanargmax(values)) for name, values in self.values.items()}
        return {
            name: float(self.x[name][index])
            for name, index in highest.items()
            if 0 < index < len(self.x[name]) - 1
        }


def criterion_curves(model: Any) -> CriterionCurves | None:
    """The curves of a tuned machine; None if no criterion was computed."""
    columns = {name: np.asarray(values) for name, values in model.criterion_path_.items()}
    paths = c_paths(model)
    index = chosen(model, paths)[0]
    search = model.result_.search
    if search is not None and search.criterion is not None:
        searched = (NAMES.get(search.criterion.name, search.criterion.name), float(search.score))
        x, values = _history(columns, searched[0])
        return CriterionCurves(False, x, values, paths, index, searched)
    if "gamma" not in columns or len(columns) < 2:
        return None
    gamma = columns.pop("gamma")
    values = {NAMES.get(name, name): column.astype(float) for name, column in columns.items()}
    return CriterionCurves(True, dict.fromkeys(values, gamma), values, paths, index)


def _history(
    columns: dict[str, np.ndarray], name: str
) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Scores over evaluations, a curve for every start."""
    start = columns.get("start", np.zeros(len(columns["evaluation"])))
    x, values = {}, {}
    for k, which in enumerate(np.unique(start), 1):
        rows = (start == which) & np.isfinite(columns["score"].astype(float))
        label = f"{name} from start {k}"
        if rows.any():
            x[label] = columns["evaluation"][rows].astype(float)
            values[label] = columns["score"][rows].astype(float)
    return x, values
