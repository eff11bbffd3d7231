"""The criteria of paper 002 (Glasmachers 2006) over the width of the kernel, whose limits it is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.criteria import KernelTargetAlignment, Polarization, RadiusMargin
from kernelwise.criteria.base import SearchState
from kernelwise.kernels import RBF
from kernelwise.kernels.distances import DISTANCES
from kernelwise.kernels.gram import Grams
from kernelwise.selection.procedure import check_training, check_values, table_rows


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


def glasmachers_curves(X: Any, y: Any, sigmas: Any, C: float = 1.0) -> GlasmachersCurves:
    """Compute R²/γ², polarization and alignment for every σ (paper 002, section 2).

    Distances are computed once. Returns a `GlasmachersCurves`.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    sigmas : array of shape (n_sigmas,)
    C : float, default=1.0
        C of the 2-norm machine.

    Examples
    --------
    >>> from kernelwise.selection import glasmachers_curves
    >>> curves = glasmachers_curves([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1], [0.01, 1.0])
    >>> curves.polarization.round(3), curves.radius_margin.round(3)
    (array([4.   , 3.977]), array([3.   , 2.762]))
    """
    X, y = check_training(X, y)
    sigmas = check_values(sigmas, "sigmas", "glasmachers_curves")
    radius_margin, state = RadiusMargin(C, search_C=False), SearchState()
    others = (Polarization(), KernelTargetAlignment(), KernelTargetAlignment(centered=True))
    grams = Grams(X, [DISTANCES])
    table = np.empty((len(sigmas), 6))
    for k, sigma in enumerate(sigmas):
        with grams.gram(RBF(0.5 / sigma**2)) as K:
            value = radius_margin.evaluate(K, y, memory=state, needs_gradient=False).value
            report = state.report
            scores = [criterion.score(K, y) for criterion in others]
            table[k] = value, report["radius2"], report["margin"], *scores
    return GlasmachersCurves(sigmas, float(C), *table.T)
