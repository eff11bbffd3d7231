"""What the procedures of paper 004 (Yin and Yin 2016) return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from sklearn.pipeline import Pipeline

from kernelwise.findings import Finding
from kernelwise.selection.procedure import ProcedureResult, table_rows


@dataclass(frozen=True, eq=False)
class YinResult(ProcedureResult):
    """σ and C, how they were chosen, and the model trained with them.

    Attributes
    ----------
    method : str
        Name of the criterion, or "grid search".
    sigma, C : float
        σ of exp(−‖x − x′‖²/(2σ²)) on standardised features.
    cv_accuracy : float
    scores : ndarray of shape (n_sigmas,)
        The criterion for every σ; for the grid search, the best cross-validation accuracy.
    accuracies : ndarray of shape (n_Cs,)
        Cross-validation accuracies at ``sigma`` (figure 8).
    sigmas, Cs : ndarray
        The values tried, in increasing order.
    estimator : Pipeline
        Standardising and the machine, trained on all samples.
    seconds : float
        Time of choosing, without training the estimator.
    findings : tuple of Finding

    Examples
    --------
    >>> from kernelwise.datasets import make_two_gaussians
    >>> from kernelwise.selection import yin_select
    >>> X, y = make_two_gaussians(100, random_state=0)
    >>> result = yin_select(X, y, "dbtc", Cs=[0.5, 4.0, 32.0], cv=5)

    σ is where the criterion is largest, C where the accuracy is:

    >>> float(result.sigmas[result.scores.argmax()]) == result.sigma
    True
    >>> float(result.Cs[result.accuracies.argmax()]) == result.C
    True
    >>> result.scores.shape, result.accuracies.shape
    ((35,), (3,))
    """

    method: str
    sigma: float
    C: float
    cv_accuracy: float
    scores: np.ndarray = field(repr=False)
    accuracies: np.ndarray = field(repr=False)
    sigmas: np.ndarray = field(repr=False)
    Cs: np.ndarray = field(repr=False)
    estimator: Pipeline = field(repr=False)
    seconds: float
    findings: tuple[Finding, ...] = ()

    _columns: ClassVar[tuple[str, ...]] = ("method", "sigma", "gamma", "C", "cv_accuracy", "seconds")

    @property
    def gamma(self) -> float:
        """γ = 1/(2σ²)"""
        return 0.5 / self.sigma**2


@dataclass(frozen=True, eq=False)
class YinCurves:
    """Criteria and cross-validation accuracy for every σ (figures 4 to 9).

    Attributes
    ----------
    sigmas : ndarray of shape (n_sigmas,)
    Cs : ndarray of shape (n_Cs,)
    criteria : dict
        Arrays of shape (n_sigmas,) by name of the criterion (figures 5 to 7).
    accuracies : ndarray of shape (n_sigmas, n_Cs)
        A row is figure 8.

    Examples
    --------
    >>> from kernelwise.datasets import make_two_gaussians
    >>> from kernelwise.selection import yin_curves
    >>> X, y = make_two_gaussians(100, random_state=0)
    >>> curves = yin_curves(X, y, sigmas=[0.01, 1.0, 100.0], Cs=[1.0, 100.0], cv=5)
    >>> sorted(curves.criteria), curves.accuracies.shape, curves.best_accuracy.shape
    (['dbtc', 'esdr', 'j4'], (3, 2), (3,))
    >>> list(curves.to_rows()[0])
    ['sigma', 'esdr', 'dbtc', 'j4', 'cv_accuracy']
    """

    sigmas: np.ndarray
    Cs: np.ndarray
    criteria: dict[str, np.ndarray]
    accuracies: np.ndarray

    @property
    def best_accuracy(self) -> np.ndarray:
        """The best accuracy over C for every σ, of shape (n_sigmas,) (figures 4 and 9)."""
        return self.accuracies.max(axis=1)

    def to_rows(self) -> list[dict[str, float]]:
        """One row for every σ: σ, the criteria, and the best cross-validation accuracy."""
        return table_rows({"sigma": self.sigmas, **self.criteria, "cv_accuracy": self.best_accuracy})
