"""Step 6 of a search: a few widths of a kernel, then uphill from the best of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from kernelwise.kernels import Kernel
from kernelwise.search.engine.scored_kernel import FoldKernels, ScoredKernel
from kernelwise.search.engine.validator import CrossValidator

#: Ratio of the γ of neighbouring widths in the climb, and the factor within which one is not tried again.
STEP, NEAR = 4.0, 1.9
MAX_CLIMBS = 8
#: γ times this and divided by it are tried beside the best in the end.
REFINE = 2.0


@dataclass
class Climb:
    """A search among the kernels ``base.rescaled(factor)``; it climbs to no factor outside the limits.

    ``epsilons`` are the values of ε to score with; None is those of the family.
    """

    base: Kernel | FoldKernels
    validator: CrossValidator
    limits: tuple[float, float] = (0.0, np.inf)
    epsilons: Sequence[float | None] | None = None
    tried: dict[float, ScoredKernel] = field(default_factory=dict)

    def score_all(self, factors: Sequence[float], reasons: Sequence[str]) -> ScoredKernel:
        """Try the factors; return the best kernel as scored."""
        self.validator.prefetch([self._at(factor) for factor in factors], self.epsilons)
        for factor, reason in zip(factors, reasons, strict=True):
            self._try(factor, reason)
        return self.tried[self.best]

    def run(self, factors: Sequence[float], reasons: Sequence[str]) -> ScoredKernel:
        """Try the factors, then their neighbours uphill; return the best kernel as scored."""
        self.score_all(factors, reasons)
        if self.base.input_powers:
            for _ in range(MAX_CLIMBS):
                if not self._try_around(STEP, NEAR, "uphill"):
                    break
            self._try_around(REFINE, np.sqrt(REFINE), "refined")
        return self.tried[self.best]

    def go_on(self) -> ScoredKernel:
        """Try nearest neighbours uphill from the best factor, which is known to be nearly right."""
        for _ in range(MAX_CLIMBS):
            if not self._try_around(REFINE, np.sqrt(REFINE), "refined"):
                break
        return self.tried[self.best]

    @property
    def best(self) -> float:
        """The factor with the highest smoothed score; of equals, the first tried: no climb for nothing."""
        return max(self.tried, key=lambda factor: self.tried[factor].best_score)

    @property
    def best_kernel(self) -> Kernel | FoldKernels:
        """What was scored at the best factor."""
        return self._at(self.best)

    def _at(self, factor: float) -> Kernel | FoldKernels:
        return self.base if factor == 1.0 else self.base.rescaled(factor)

    def _try_around(self, step: float, near: float, reason: str) -> bool:
        """Try both neighbours of the best factor that are not known yet; False if there was none."""
        best, before = self.best, len(self.tried)
        inside = [new for new in (best * step, best / step) if self.limits[0] <= new <= self.limits[1]]
        new = [one for one in inside if not any(1.0 / near < factor / one < near for factor in self.tried)]
        self.validator.prefetch([self._at(factor) for factor in new], self.epsilons)
        for factor in new:
            self._try(factor, reason)
        return len(self.tried) > before

    def _try(self, factor: float, reason: str) -> None:
        # The dearest path so far is the guess at the time of the next; the first one is always run.
        cost = max((scored.seconds for scored in self.tried.values()), default=0.0)
        if self.tried and not self.validator.context.deadline.allows(
            f"width factor {factor:.3g} ({reason})", cost
        ):
            return
        self.tried[factor] = self.validator.score(self._at(factor), reason, epsilons=self.epsilons)
