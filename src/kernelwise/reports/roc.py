"""The ROC curve of two classes: what share of one class is found at the cost of alarms in the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import auc, roc_curve

from kernelwise.reports.held_out import SOURCES

#: Corners of a curve that are drawn, at most.
MAX_CORNERS = 500


@dataclass(frozen=True, eq=False)
class Roc:
    """Shares of two classes that are above a threshold, for all thresholds.

    Attributes
    ----------
    source : str
        "held out" or "test".
    of : str
        The class that is looked for, `classes_[1]`.
    false_alarms, found : ndarray of shape (n_corners,)
        Share of the other class, and of this one, above each threshold.
    area : float
        Under the curve: the probability that a row of this class ranks above one of the other.
    """

    source: str
    of: str
    false_alarms: np.ndarray
    found: np.ndarray
    area: float

    @property
    def heading(self) -> str:
        """What the curve shows."""
        return (
            f"{SOURCES[self.source]}: a row of class “{self.of}” ranks above one of the other class in "
            f"{100 * self.area:.1f} % of all pairs (ROC AUC {self.area:.3f})"
        )


def roc(source: str, of: str, is_it: np.ndarray, probability: np.ndarray, weight: np.ndarray) -> Roc | None:
    """The curve of rows with a probability, all arrays of shape (n_rows,); None if one class has no rows."""
    if not probability.size or is_it.all() or not is_it.any():
        return None
    false_alarms, found, _ = roc_curve(is_it, probability, sample_weight=weight)
    area = float(auc(false_alarms, found))
    keep = np.unique(np.linspace(0, len(found) - 1, MAX_CORNERS).astype(int))
    return Roc(source, of, false_alarms[keep], found[keep], area)
