"""What the procedures of paper 002 (Glasmachers 2006) return."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from kernelwise.diagnostics import BoundaryVerdict
from kernelwise.estimators.svc import SVC
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel
from kernelwise.kernels.distances import DISTANCES
from kernelwise.result import TuningResult
from kernelwise.selection.procedure import ProcedureResult, table_rows


@dataclass(frozen=True, eq=False)
class GlasmachersResult(ProcedureResult):
    """A kernel and C, how they were chosen, and the model trained with them.

    Attributes
    ----------
    method : str
        Name of the criterion.
    kernel : Kernel
        That of ``search`` or, if that one is too narrow, the best optimum inside the range or the start.
    C : float
    cv_accuracy : float
        At ``C``; NaN if the criterion chose C.
    start : Kernel
        Where the first search began: Jaakkola's heuristic, unless ``start`` names another.
    search : TuningResult
        The best optimum of all searches, too narrow or not.
    optima : tuple of TuningResult
        Where each search ended: that from ``start``, those of the restarts, and one from a wide kernel if
        the best is too narrow and no other one ended inside the range.
    is_narrow : bool
        Whether ``search`` ended at σ → 0.
    nearest : float
        Its kernel value of a typical sample with its nearest neighbour: the median over the points. NaN if
        the kernel is not radial.
    verdict : BoundaryVerdict or None
        The theorems on these data; None if the kernel is not Gaussian.
    Cs, accuracies : ndarray of shape (n_Cs,)
        Values of C tried and their cross-validation accuracies; empty if the criterion chose C.
    estimator : SVC
        Trained on all samples.
    seconds : float
        Time of choosing, without training the estimator.
    findings : tuple of Finding

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from kernelwise.selection import glasmachers_select
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> result = glasmachers_select(X, y, "kta", Cs=[1.0, 10.0])

    A width inside the range, and what the closest pair says about narrower ones:

    >>> result.is_narrow, 0.01 < result.sigma < 10.0, result.verdict.sign
    (False, True, 1)
    >>> len(result.optima), result.estimator.predict(X).shape
    (1, (100,))
    """

    method: str
    kernel: Kernel
    C: float
    cv_accuracy: float
    start: Kernel
    search: TuningResult = field(repr=False)
    optima: tuple[TuningResult, ...] = field(repr=False)
    is_narrow: bool
    nearest: float
    verdict: BoundaryVerdict | None = field(repr=False)
    Cs: np.ndarray = field(repr=False)
    accuracies: np.ndarray = field(repr=False)
    estimator: SVC = field(repr=False)
    seconds: float
    findings: tuple[Finding, ...] = ()

    _columns: ClassVar[tuple[str, ...]] = (
        *("method", "sigma", "C", "cv_accuracy", "is_narrow", "seconds", "kernel"),
    )

    @property
    def sigma(self) -> float:
        """σ of exp(−‖x − x′‖²/(2σ²)); NaN if the kernel is not RBF."""
        is_rbf = self.kernel.is_gaussian and self.kernel.gram_base == DISTANCES
        return float(np.sqrt(1.0 / self.kernel.metric(1).item())) if is_rbf else np.nan


@dataclass(frozen=True, eq=False)
class GlasmachersCurves:
    """The criteria of paper 002 for every σ of exp(−‖x − x′‖²/(2σ²)).

    Attributes
    ----------
    sigmas : ndarray of shape (n_sigmas,)
        In increasing order.
    C : float
    radius_margin, radius2, margin : ndarray of shape (n_sigmas,)
        R²/γ², R² and γ, of the kernel plus I/C.
    polarization, alignment, centered_alignment : ndarray of shape (n_sigmas,)
        Of the kernel itself, without I/C.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from kernelwise.selection import glasmachers_curves
    >>> curves = glasmachers_curves(*make_moons(60, noise=0.2, random_state=0), sigmas=[1e-4, 0.1, 1.0])

    Without repeated points polarization ends at n, and R² at (1 + 1/C)(1 − 1/n), as σ → 0,
    here 2 (1 − 1/60):

    >>> [round(float(curve[0]), 6) for curve in (curves.polarization, curves.radius2)]
    [60.0, 1.966667]
    >>> curves.radius_margin.shape, len(curves.to_rows())
    ((3,), 3)
    """

    sigmas: np.ndarray
    C: float
    radius_margin: np.ndarray
    radius2: np.ndarray
    margin: np.ndarray
    polarization: np.ndarray
    alignment: np.ndarray
    centered_alignment: np.ndarray

    def to_rows(self) -> list[dict[str, float]]:
        """One row for every σ."""
        names = [name for name in self.__dataclass_fields__ if name not in ("sigmas", "C")]
        return table_rows({"sigma": self.sigmas, **{name: getattr(self, name) for name in names}})
