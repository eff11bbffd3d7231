"""Searches from several starts, and which of their optima are too narrow (paper 002, Glasmachers 2006)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from kernelwise._core.validation import check_labels
from kernelwise.criteria import Criterion
from kernelwise.diagnostics import BoundaryVerdict, distinct_points
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel
from kernelwise.optimizers.base import Optimizer
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.space import SearchSpace

#: Kernel value of the typical sample with its nearest neighbour below which a kernel counts as σ → 0; at
#: Jaakkola's start it is at least exp(−½).
NARROW = 1e-3
#: Smallest kernel value above which it counts as σ → ∞, where criteria are flat and any search ends.
WIDE = 1.0 - 1e-3
SPREAD = 2.0  # of the restarts, in the logarithm of a parameter


class Searches:
    """Searches for one kernel by one criterion.

    Attributes
    ----------
    optima : list of TuningResult
        Where each search ended.
    nearest : list of float
        For each, the median over the different points of the largest kernel value with another one; NaN for
        a kernel that is not radial.
    is_inside : list of bool
        Whether it ended at an optimum neither at σ → 0 nor at σ → ∞.
    """

    def __init__(
        self,
        X: Any,
        y: np.ndarray,
        criterion: Criterion,
        optimizer: Optimizer,
        bounds: Mapping[str, tuple[float, float]] | None,
    ) -> None:
        self.X, self.y, self.criterion = X, y, criterion
        self.optimizer, self.bounds = optimizer, bounds
        classes, index = check_labels(y, len(y))
        self.points = distinct_points(X, index, len(classes)).first
        self.optima: list[TuningResult] = []
        self.nearest: list[float] = []
        self.is_inside: list[bool] = []
        self._caught: list[list[warnings.WarningMessage]] = []

    def run(self, kernel: Kernel, criterion: Criterion | None = None) -> None:
        """Search from this kernel; warnings wait until it is known which optimum is the best."""
        problem = TuningProblem(kernel, criterion or self.criterion, self.X, self.y, bounds=self.bounds)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.optima.append(self.optimizer.minimize(problem))
        self._caught.append(caught)
        self._look_at(self.optima[-1])

    def restart(self, kernel: Kernel, n_restarts: int, random_state: Any) -> None:
        """Search from starts with normal noise on the parameters: log-normal noise on positive ones."""
        random = check_random_state(random_state)
        problem = TuningProblem(kernel, self.criterion, self.X, self.y, bounds=self.bounds)
        space = SearchSpace(problem)
        for _ in range(n_restarts):
            noise = random.normal(scale=SPREAD, size=space.start.shape)
            theta = space.to_theta(space.clip(space.start + noise))
            self.run(problem.kernel_at(theta), problem.criterion_at(theta))

    def run_wide(self, kernel: Kernel) -> None:
        """Search from the median distance between samples, or as near to it as the bounds allow."""
        problem = TuningProblem(kernel, self.criterion, self.X, self.y, bounds=self.bounds)
        space = SearchSpace(problem)
        wide = kernel.initialize(self.X, self.y, "median").theta.ravel()
        vector = space.to_vector(np.concatenate([wide, self.criterion.theta]))
        self.run(problem.kernel_at(space.to_theta(space.clip(vector))))

    def _look_at(self, result: TuningResult) -> None:
        """Note whether the kernel is so narrow, or so wide, that samples all look alike to it."""
        nearest, farthest = np.nan, 0.0
        if result.kernel.is_radial:
            K = result.kernel(self.X[self.points])
            farthest = float(K.min())
            np.fill_diagonal(K, -np.inf)
            nearest = float(np.median(K.max(axis=1)))
        self.nearest.append(nearest)
        self.is_inside.append(result.converged and not nearest < NARROW and farthest < WIDE)

    @property
    def best(self) -> int:
        """Number of the search with the lowest cost."""
        return min(range(len(self.optima)), key=lambda k: self.optima[k].value)

    @property
    def is_narrow(self) -> bool:
        """Whether the best search ended at σ → 0."""
        return self.nearest[self.best] < NARROW

    @property
    def chosen(self) -> int | None:
        """The best search or, if that one is narrow, the best that ended at an optimum inside, if any."""
        if not self.is_narrow:
            return self.best
        inside = np.flatnonzero(self.is_inside).tolist()
        return min(inside, key=lambda k: self.optima[k].value, default=None)

    def findings(self) -> list[Finding]:
        """Return the findings of the chosen search and issue its warnings; ``optima`` has the others."""
        if self.chosen is None:
            return []
        for caught in self._caught[self.chosen]:
            warnings.warn(caught.message, caught.category, stacklevel=3)
        return list(self.optima[self.chosen].diagnostics)

    def narrow_finding(self, method: str, verdict: BoundaryVerdict | None) -> Finding:
        """Say why the best optimum counts as one at σ → 0, and which kernel is used instead."""
        parts = [
            f"The best {method} found is at σ → 0: with {self.optima[self.best].kernel!r} the kernel value "
            f"of a typical sample and its nearest neighbour is {self.nearest[self.best]:.1e}, so each sample "
            "is similar only to itself."
        ]
        if verdict is not None:
            parts.append(verdict.finding.message)
            if verdict.sign > 0:
                parts.append("This pair does not cause the optimum; other pairs of close samples do.")
        used = "the start, since no search ended at an optimum inside the range"
        if self.chosen is not None:
            used = f"the best optimum inside the range, {self.optima[self.chosen].kernel!r}"
        parts.append(f"The kernel chosen is {used}.")
        advice = "Look at optima, try more restarts, or choose the width by another criterion."
        return Finding("boundary", "warning", " ".join(parts), advice)
