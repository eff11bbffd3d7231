"""Predicted against observed numbers of a regression, and how far apart they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from kernelwise.reports.held_out import SOURCES, some_rows
from kernelwise.search.wording import number


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predicted against observed targets.

    Attributes
    ----------
    source : str
        "held out" or "test".
    observed, predicted : ndarray of shape (n_shown,)
        Thinned to what a plot can show.
    rmse, mae, median : float
        Root of the mean squared error, mean and median of the absolute errors of all rows, in units of y.
    mean_rmse : float
        Root of the mean squared error of the answer that is always the mean of the observed targets.
    """

    source: str
    observed: np.ndarray
    predicted: np.ndarray
    rmse: float
    mae: float
    median: float
    mean_rmse: float

    @property
    def heading(self) -> str:
        """What the points show."""
        half = f"half of the predictions are within {number(self.median)}"
        return f"{SOURCES[self.source]}: {half} (RMSE {number(self.rmse)}, MAE {number(self.mae)})"


def predictions(
    source: str, observed: np.ndarray, predicted: np.ndarray, weight: np.ndarray | None = None
) -> Predictions:
    """Errors of all rows, and some of them for a plot; all arrays have the shape (n_rows,)."""
    errors, centre = predicted - observed, np.average(observed, weights=weight)
    rows = some_rows(len(observed))
    return Predictions(
        source,
        observed[rows],
        predicted[rows],
        rmse=float(np.sqrt(np.average(errors**2, weights=weight))),
        mae=float(np.average(np.abs(errors), weights=weight)),
        median=float(np.median(np.abs(errors))),
        mean_rmse=float(np.sqrt(np.average((observed - centre) ** 2, weights=weight))),
    )
