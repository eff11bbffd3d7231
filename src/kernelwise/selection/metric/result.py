"""What the procedures that learn a metric return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from kernelwise.findings import Finding
from kernelwise.kernels import Kernel


@dataclass(frozen=True, eq=False)
class MetricResult:
    """A Gaussian kernel with its metric and C, how they were chosen, and the machine trained with them.

    Attributes
    ----------
    method : str
        The name of the chosen candidate, a key of the two dictionaries.
    kernel : Kernel
        For standardised samples.
    C : float
    cv_accuracies : dict from str to float
        Of each candidate at its best C; every fold learns its own metric and scaling.
    standard_errors : dict from str to float
        Of these accuracies, from their spread over the folds.
    metric : ndarray of shape (n_features, n_features)
        Q for standardised samples.
    relevance : ndarray of shape (n_features,)
        Share of each feature; they sum to 1.
    start : float or None
        The start of the search that was kept; None for a kernel that was not searched for.
    estimator : Pipeline
        Standardising and the machine, trained on all samples.
    seconds : float
        Of choosing, without training the estimator.
    findings : tuple of Finding

    Examples
    --------
    >>> from kernelwise.datasets import make_weston
    >>> from kernelwise.selection import laanaya_select
    >>> X, y = make_weston(80, n_noise=4, random_state=0)
    >>> result = laanaya_select(X, y, sigma0=1.0, max_iter=10, Cs=[1.0, 10.0], cv=3)
    >>> result.metric.shape, round(float(result.relevance.sum()), 6)
    ((6, 6), 1.0)

    The two features that matter, of six:

    >>> result.relevance.argsort()[::-1][:2].tolist(), result.cv_accuracy > 0.9
    ([0, 1], True)
    """

    method: str
    kernel: Kernel
    C: float
    cv_accuracies: dict[str, float]
    standard_errors: dict[str, float]
    metric: np.ndarray = field(repr=False)
    relevance: np.ndarray = field(repr=False)
    start: float | None
    estimator: Pipeline = field(repr=False)
    seconds: float
    findings: tuple[Finding, ...]

    @property
    def cv_accuracy(self) -> float:
        """Of the chosen candidate."""
        return self.cv_accuracies[self.method]

    def to_dict(self) -> dict[str, Any]:
        """One row of a table."""
        names = ("method", "C", "cv_accuracy", "start", "seconds")
        return {**{name: getattr(self, name) for name in names}, "kernel": repr(self.kernel)}
