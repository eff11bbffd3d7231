"""Curves of a search, drawn by figures and by displays: scores along C, and criteria over widths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelwise._core.text import count
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.kernels import Kernel
from kernelwise.search.verdict.reasons import around
from kernelwise.search.wording import kernel_text, number

#: Names of criteria for people.
CRITERIA = {
    "dbtc": "DBTC",
    "esdr": "ESDR",
    "j4": "J4",
    "kta": "alignment",
    "centered-kta": "centred alignment",
}


@dataclass(frozen=True, eq=False)
class CPath:
    """One kernel that was scored at several values of C.

    Attributes
    ----------
    kernel, reason : str
        The kernel in words, and why it was tried.
    width : float or None
        The factor before the squared distance, or γ of other kernels.
    epsilon : float or None
        Of a regression.
    first : int
        Its first row in ``cv_results_``.
    Cs, scores, errors, smoothed, n_support, seconds : ndarray of shape (n_Cs,)
        Mean held-out scores, their standard errors, what the choice went by, mean numbers of support
        vectors, and the time.
    """

    kernel: str
    reason: str
    width: float | None
    epsilon: float | None
    first: int
    Cs: np.ndarray
    scores: np.ndarray
    errors: np.ndarray
    smoothed: np.ndarray
    n_support: np.ndarray
    seconds: np.ndarray

    @property
    def best(self) -> int:
        """Index of the C that the choice went by."""
        return int(np.argmax(self.smoothed))

    def plateau(self, index: int) -> tuple[float, float]:
        """Range of C around an index in which scores are within one standard error of the one there.

        They are the scores that the choice went by, as in the sentences on why it won.
        """
        level = self.smoothed[index] - np.nan_to_num(self.errors[index])
        first, last = around(self.smoothed >= level, index)
        return float(self.Cs[first]), float(self.Cs[last])

    @property
    def band(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores less and plus one standard error, each of shape (n_Cs,); NaN if it is not known."""
        return self.scores - self.errors, self.scores + self.errors

    def heading(self, index: int) -> str:
        """What the path shows about the C at an index."""
        low, high = self.plateau(index)
        if low == high:
            return (
                f"C = {number(self.Cs[index])} scores better than its neighbours by more than one standard "
                "error"
            )
        same = f"from {number(low)} to {number(high)}, the score stays within one standard error"
        return f"C = {number(self.Cs[index])}; {same}"


def c_paths(model: TunedMachine) -> list[CPath]:
    """All paths of a tuned machine, in the order in which they were tried."""
    table, errors = model.cv_results_, standard_errors(model)
    params, Cs = table["params"], np.asarray(table["param_C"], dtype=float)
    # Files of earlier versions have no column "path"; along each path C grows.
    path = table.get("path", np.cumsum(np.diff(Cs, prepend=np.inf) <= 0))
    paths = []
    for rows in np.split(np.arange(len(Cs)), np.flatnonzero(np.diff(path)) + 1):
        first = int(rows[0])
        paths.append(
            CPath(
                kernel_text(params[first]["kernel"]),
                str(table["reason"][first]),
                width_of(params[first]["kernel"]),
                params[first].get("epsilon"),
                first,
                Cs[rows],
                np.asarray(table["mean_test_score"])[rows],
                errors[rows],
                np.asarray(table["smoothed_test_score"])[rows],
                np.asarray(table["n_support"])[rows],
                np.asarray(table["mean_fit_time"])[rows] * model.n_splits_,
            )
        )
    return paths


def width_of(kernel: Kernel | str) -> float | None:
    """The factor before the squared distance, or γ of other kernels; None where no one number says it."""
    if not isinstance(kernel, Kernel) or kernel.learns_metric:
        return None
    gamma = getattr(kernel, "scale" if kernel.is_gaussian else "gamma", None)
    return float(gamma) if isinstance(gamma, float | int) else None


def chosen(model: TunedMachine, paths: list[CPath]) -> tuple[int, int]:
    """Index of the chosen kernel among the paths, and that of the chosen C on its path."""
    which = sum(path.first <= model.best_index_ for path in paths) - 1
    return which, model.best_index_ - paths[which].first


def standard_errors(model: TunedMachine) -> np.ndarray:
    """Standard error of every mean held-out score, shape (n_candidates,); NaN if a file does not have it."""
    table = model.cv_results_
    return np.asarray(table.get("standard_error", np.full(len(table["params"]), np.nan)))


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

    def best(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Widths (NaN where a kernel has several), scores and errors of the kernels at their best C."""
        at = [(path.width, path.scores[path.best], path.errors[path.best]) for path in self.tried]
        widths, scores, errors = np.array(at, dtype=float).T
        return widths, scores, errors

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


def criterion_curves(model: TunedMachine) -> CriterionCurves | None:
    """The curves of a tuned machine; None if no criterion was computed."""
    columns = {name: np.asarray(values) for name, values in model.criterion_path_.items()}
    paths = c_paths(model)
    index = chosen(model, paths)[0]
    search = model.result_.search
    if search is not None and search.criterion is not None:
        searched = (CRITERIA.get(search.criterion.name, search.criterion.name), float(search.score))
        x, values = _history(columns, searched[0])
        return CriterionCurves(False, x, values, paths, index, searched)
    if "gamma" not in columns or len(columns) < 2:
        return None
    gamma = columns.pop("gamma")
    values = {CRITERIA.get(name, name): column.astype(float) for name, column in columns.items()}
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
