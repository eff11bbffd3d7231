"""Paper 003 (Laanaya and others 2011) as printed: from Q₀ = σ₀I with K′ = K_{Q₀}, and algorithm 1 itself.

In algorithm 1 the machine is trained at Q_q, and its α stays fixed while Q moves; where Q comes to rest the
machine is trained again, until Q rests where it started. With α fixed the inner loop lowers a lower bound of
w that touches w at Q_q and has its gradient there. So the fixed points of the algorithm are the stationary
points of w, but w itself may rise on the way, and nothing makes the algorithm arrive: the number of trainings
is limited.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelwise.criteria import RegularizedMargin
from kernelwise.exceptions import BoundaryWarning
from kernelwise.findings import Finding
from kernelwise.kernels import DiagonalGaussian, Gaussian, Kernel
from kernelwise.optimizers import ManifoldDescent
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.search.metric_learner import FLOOR, LearnedMetric

ALTERNATING = "alternating"
#: Most trainings of the machine in algorithm 1.
N_TRAININGS = 10
#: Q is at rest if no entry moves by more than this share of the largest.
AT_REST = 1e-4


@dataclass(frozen=True)
class FromIsotropic:
    """Minimises w from an isotropic metric: by algorithm 1, or with α trained anew at every point.

    ``start`` is the sum of the weights of the features that vary at Q₀; ``method`` is "alternating", whose
    inner loops take the printed step (the sign of eq. 23 and the inner stop put right), or one of
    :class:`~kernelwise.optimizers.ManifoldDescent`; ``max_iter`` are the most steps of a search, which is an
    inner loop of "alternating", and ``n_trainings`` the most inner loops. A full
    Q starts from σ₀I itself, not from a diagonal metric.
    """

    kernel: str
    C: float
    rho: float
    start: float
    method: str
    max_iter: int
    n_trainings: int = N_TRAININGS

    def learn(self, Z: np.ndarray, y: np.ndarray) -> LearnedMetric:
        """Learn on standardised samples of shape (n_samples, n_features)."""
        kernel = self._first(Z)
        w = RegularizedMargin(self.C, self.rho, kernel(Z))
        if self.method != ALTERNATING:
            found = self._search(kernel, w, self.method, Z, y)
            findings: tuple[Finding, ...] = ()
            value = found.value
        else:
            found, findings = self._alternate(kernel, w, Z, y)
            value = w.value(found.kernel(Z), y)
        # The number of steps is small on purpose: that it was reached is no news.
        findings += tuple(one for one in found.diagnostics if one.name != "max_iter")
        return LearnedMetric(found.kernel, self.start, {self.start: value}, found, findings)

    def _alternate(
        self, kernel: Kernel, w: RegularizedMargin, Z: np.ndarray, y: np.ndarray
    ) -> tuple[TuningResult, tuple[Finding, ...]]:
        """The last inner loop, and a finding if it was not the last for Q's sake."""
        inner = RegularizedMargin(self.C, self.rho, w.K_reference, retrain=False)
        d = Z.shape[1]
        for _ in range(self.n_trainings):
            found = self._search(kernel, inner, "paper", Z, y)
            before, after = kernel.metric(d), found.kernel.metric(d)
            if np.abs(after - before).max() <= AT_REST * np.abs(before).max():
                return found, ()
            kernel = found.kernel
        times = f"{self.n_trainings} times in turn"
        message = f"Model and metric were trained {times}, and the metric still changes."
        advice = 'method="conjugate-gradient" minimises w itself.'
        return found, (Finding("alternation", "info", message, advice),)

    def _search(
        self, kernel: Kernel, criterion: RegularizedMargin, method: str, Z: np.ndarray, y: np.ndarray
    ) -> TuningResult:
        optimizer = ManifoldDescent(method, tol=1e-4, max_iter=self.max_iter)
        with warnings.catch_warnings():
            # Each of many searches would say so; the findings of the last one do.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", BoundaryWarning)
            return optimizer.minimize(TuningProblem(kernel, criterion, Z, y))

    def _first(self, Z: np.ndarray) -> Kernel:
        """The isotropic kernel; features that do not vary count for nothing."""
        varies = np.ptp(Z, axis=0) > 0
        weight = self.start / max(int(varies.sum()), 1)
        q = np.where(varies, weight, FLOOR * weight)
        return DiagonalGaussian(q) if self.kernel == "diagonal" else Gaussian(np.diag(q))
