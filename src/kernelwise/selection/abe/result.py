"""What the procedures of paper 000 (Abe 2007) return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from sklearn.pipeline import Pipeline

from kernelwise.findings import Finding
from kernelwise.kernels.radial import ScaledGaussian
from kernelwise.selection.procedure import ProcedureResult


@dataclass(frozen=True, eq=False)
class AbeResult(ProcedureResult):
    """A kernel and C, how they were chosen, and the model trained with them.

    Attributes
    ----------
    method : {"sketch", "second-order", "grid search", "line search"}
    kernel : Kernel
        For samples scaled to [0, 1].
    parameter : float
        The paper's γ (``kernel.gamma`` times the number of features m) or δ.
    C : float
    cv_accuracy : float
    accuracies : ndarray of shape (n_parameters, n_Cs)
        Cross-validation accuracies of the last search; one parameter unless a grid was searched.
    estimator : Pipeline
        Scaling to [0, 1] and the machine, trained on all samples.
    seconds : float
        Time of choosing, without training the estimator.
    findings : tuple of Finding
    parameters, problems, stop_reasons, n_iterations
        By two-class problem, as in `AbeParameters`; empty for the two searches by cross-validation.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import abe_select
    >>> X, y = load_iris(return_X_y=True)
    >>> result = abe_select(X, y, Cs=[1.0, 10.0, 100.0])

    γ of the paper's exp(−(γ/m)D) is that of our kernel times the four features:

    >>> round(result.parameter, 3), round(4 * result.kernel.gamma, 3), result.accuracies.shape
    (15.149, 15.149, (1, 3))
    >>> result.estimator.predict(X[:3])
    array([0, 0, 0])
    """

    method: str
    kernel: ScaledGaussian
    parameter: float
    C: float
    cv_accuracy: float
    accuracies: np.ndarray = field(repr=False)
    estimator: Pipeline = field(repr=False)
    seconds: float
    findings: tuple[Finding, ...]
    parameters: np.ndarray = field(default_factory=lambda: np.empty(0))
    problems: tuple[Any, ...] = ()
    stop_reasons: tuple[str, ...] = ()
    n_iterations: tuple[int, ...] = ()

    _columns: ClassVar[tuple[str, ...]] = ("method", "parameter", "C", "cv_accuracy", "seconds", "kernel")
