"""A comparison of methods: its rows, and what they say in a line."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Protocol

from scipy.stats import norm as normal
from scipy.stats import t as student

#: Standard errors of a difference from which one method is clearly better than another, of many folds.
CLEAR = 2.0
#: A standard error of fewer folds than this says little.
FEW_FOLDS = 5
#: Times that differ by less than this factor are about the same.
SAME_TIME = 1.5
NAMES = {"accuracy": "accuracy, %", "r2": "R²", "log_loss": "log-loss", "rmse": "RMSE", "mae": "MAE"}
NAMES |= {"roc_auc": "ROC AUC", "coverage": "covered, %", "width": "width", "set_size": "classes in a set"}
NOT_BEST = "A support vector machine is not the best model here: "


class Compared(Protocol):
    """What a report reads of a :class:`kernelwise.Comparison`."""

    def rows(self) -> list[dict[str, Any]]: ...
    def verdict(self) -> list[str]: ...
    def losses(self) -> list[str]: ...
    def notes(self) -> list[str]: ...


@dataclass(frozen=True)
class Versus:
    """Rows of a comparison, the first method against all others.

    Attributes
    ----------
    rows : list of dict
        :meth:`kernelwise.Comparison.rows`.
    score : str
        The key of the score in the rows.
    baseline : str
        The method that ignores X; empty if there is none.
    rivals : tuple of str
        Methods that are no support vector machine, if the first one is.
    """

    rows: list[dict[str, Any]]
    score: str = "accuracy"
    baseline: str = ""
    rivals: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """Who is clearly better, and at what time."""
        first, guess = self.rows[0], [row for row in self.rows[1:] if row["method"] == self.baseline]
        name, others = first["method"], [row for row in self.rows[1:] if row not in guess]
        if guess and not is_clear(guess[0], -1):
            return f"{name} is not clearly better than guessing ({self.baseline})"
        if not others:
            return f"{name}: {self.amount(first[self.score])} on rows that it was not trained on"
        clear = [row for row in others if is_clear(row, 1)]
        best = max(clear or others, key=_difference)
        if clear:
            about = NOT_BEST if best["method"] in self.rivals else ""
            return f"{about}{best['method']} is {self._gap(best)} better than {name}, {_time(best, first)}"
        equal = [row for row in others if not is_clear(row, -1)]
        if not equal:
            of_all = "the other method" if len(others) == 1 else f"all {len(others)} other methods"
            below = f"{best['method']}, {self._gap(best)} below"
            return f"{name} is clearly better than {of_all}; next is {below}"
        best = max(equal, key=_difference)
        same = f"the difference from {best['method']} ({_time(best, first)}) may be chance"
        return f"No method is clearly better than {name}; {same}"

    @property
    def columns(self) -> dict[str, str]:
        """Heads of the columns of numbers that are in all rows, by their key."""
        keys = (self.score, "log_loss", "rmse", "mae", "coverage", "width", "set_size")
        return {key: NAMES[key] for key in keys if key in self.rows[0]}

    def cell(self, row: dict[str, Any], key: str) -> str:
        """A number of the table, with its standard error where it has one."""
        errors = {self.score: "standard_error", "difference": "difference_error"}
        if math.isnan(row[key]):
            return ""
        if key == "log_loss":
            return f"{row[key]:.3f}"
        if key == "coverage":
            return f"{100 * row[key]:.1f}"
        if key not in errors:
            return f"{row[key]:.4g}"
        factor, digits = (100, 1) if self.score == "accuracy" else (1, 3)
        sign = "+" if key == "difference" else ""
        value = f"{factor * row[key]:{sign}.{digits}f} ± {factor * row[errors[key]]:.{digits}f}"
        return value.replace("-", "−")

    def amount(self, score: float) -> str:
        """A score in a sentence."""
        return (
            f"{100 * score:.1f} % correct" if self.score == "accuracy" else f"{NAMES[self.score]} {score:.3f}"
        )

    def _gap(self, row: dict[str, Any]) -> str:
        gap = abs(row["difference"])
        return f"{100 * gap:.1f} points" if self.score == "accuracy" else f"{gap:.3f} ({NAMES[self.score]})"


def versus(comparison: Compared) -> Versus:
    """What a report shows of a :class:`kernelwise.Comparison`."""
    keys = ("score", "baseline", "rivals")
    more = {key: getattr(comparison, key) for key in keys if hasattr(comparison, key)}
    return Versus(comparison.rows(), **more)


def is_clear(row: dict[str, Any], sign: int) -> bool:
    """Whether a method is above (1) or below (−1) the first by so many errors of the difference."""
    return bool(sign * row["difference"] > clear_from(row.get("splits")) * row["difference_error"] + 1e-12)


def clear_from(n_splits: int | None) -> float:
    """Standard errors that chance exceeds as rarely as two of many folds.

    They are quantiles of Student's distribution, since the error itself is estimated from ``n_splits``
    differences: 14 for two folds, 2.9 for five. A single split has no error, and nothing is clear.
    """
    if n_splits is None:
        return CLEAR
    return float(student.isf(normal.sf(CLEAR), n_splits - 1)) if n_splits > 1 else math.inf


def _difference(row: dict[str, Any]) -> float:
    return float(row["difference"])


def _time(row: dict[str, Any], first: dict[str, Any]) -> str:
    """The time of a method beside that of the first one: at 10 × the time."""
    factor = row["seconds"] / max(first["seconds"], 1e-9)
    if 1 / SAME_TIME < factor < SAME_TIME:
        return "in about the same time"
    return f"at {_rounded(factor)} × the time" if factor > 1 else f"at 1/{_rounded(1 / factor)} of the time"


def _rounded(factor: float) -> str:
    return f"{factor:.1f}" if factor < 3 else f"{factor:.0f}"
