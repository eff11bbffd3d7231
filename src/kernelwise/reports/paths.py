"""The table of a search as paths: one kernel and its values of C each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.reports.words import width_of
from kernelwise.search.reasons import around
from kernelwise.search.wording import kernel_text, number


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


def c_paths(model: Any) -> list[CPath]:
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


def chosen(model: Any, paths: list[CPath]) -> tuple[int, int]:
    """Index of the chosen kernel among the paths, and that of the chosen C on its path."""
    which = sum(path.first <= model.best_index_ for path in paths) - 1
    return which, model.best_index_ - paths[which].first


def standard_errors(model: Any) -> np.ndarray:
    """Standard error of every mean held-out score, shape (n_candidates,); NaN if a file does not have it."""
    table = model.cv_results_
    return np.asarray(table.get("standard_error", np.full(len(table["params"]), np.nan)))
