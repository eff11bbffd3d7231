"""The table of a search as paths: one kernel and its values of C each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.reports.words import is_share, kernel_text, number, width_of


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
        """Place of the C that the choice went by."""
        return int(np.argmax(self.smoothed))

    def plateau(self, place: int) -> tuple[float, float]:
        """Range of C around a place in which scores are within one standard error of the one there."""
        is_below = self.scores < self.scores[place] - np.nan_to_num(self.errors[place])
        low = np.flatnonzero(is_below[:place])
        high = np.flatnonzero(is_below[place:])
        first = int(low[-1]) + 1 if low.size else 0
        last = place + int(high[0]) - 1 if high.size else len(self.Cs) - 1
        return float(self.Cs[first]), float(self.Cs[last])

    def heading(self, place: int) -> str:
        """What the path shows about the C at a place."""
        low, high = self.plateau(place)
        if low == high:
            return f"C = {number(self.Cs[place])} scores better than its neighbours by a standard error"
        same = f"from {number(low)} to {number(high)} the score is the same within one standard error"
        return f"C = {number(self.Cs[place])}; {same}"


def c_paths(model: Any) -> list[CPath]:
    """All paths of a tuned machine, in the order in which they were tried."""
    table, errors = model.cv_results_, standard_errors(model)
    params = table["params"]
    starts = [row for row in range(len(params)) if row == 0 or not _goes_on(params[row - 1], params[row])]
    paths = []
    for first, end in zip(starts, [*starts[1:], len(params)], strict=True):
        rows = slice(first, end)
        paths.append(
            CPath(
                kernel_text(params[first]["kernel"]),
                str(table["reason"][first]),
                width_of(params[first]["kernel"]),
                params[first].get("epsilon"),
                first,
                np.array([p["C"] for p in params[rows]]),
                np.asarray(table["mean_test_score"])[rows],
                errors[rows],
                np.asarray(table["smoothed_test_score"])[rows],
                np.asarray(table["n_support"])[rows],
                np.asarray(table["mean_fit_time"])[rows] * n_folds(table),
            )
        )
    return paths


def _goes_on(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether two rows of the table are of one path: C grows along it."""
    is_same = before["kernel"] is after["kernel"] or before["kernel"] == after["kernel"]
    return is_same and before["C"] < after["C"] and before.get("epsilon") == after.get("epsilon")


def chosen(model: Any, paths: list[CPath]) -> tuple[CPath, int]:
    """The path of the chosen kernel, and the place of the chosen C on it."""
    path = [path for path in paths if path.first <= model.best_index_][-1]
    return path, model.best_index_ - path.first


def n_folds(table: dict[str, Any]) -> int:
    """Number of folds in a table of scores."""
    return sum(name.startswith("split") and name.endswith("_test_score") for name in table)


def standard_errors(model: Any) -> np.ndarray:
    """Standard error of every mean held-out score, shape (n_candidates,); NaN if there is no telling.

    That of a share of n samples is √(p(1 − p)/n): two or three folds say little about their own spread, from
    which that of all other scores has to be taken.
    """
    table = model.cv_results_
    record = getattr(model, "_record", None)
    mean = np.asarray(table["mean_test_score"], dtype=float)
    if is_share(model) and record is not None:
        return np.sqrt(np.clip(mean * (1.0 - mean), 0.0, None) / record.weight.sum())
    folds = np.array([table[f"split{k}_test_score"] for k in range(n_folds(table))], dtype=float)
    if len(folds) < 2:
        return np.full(len(mean), np.nan)
    return folds.std(axis=0, ddof=1) / np.sqrt(len(folds))
