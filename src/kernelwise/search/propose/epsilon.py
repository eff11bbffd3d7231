"""The width ε of a regression's insensitive zone, which follows the noise."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.text import in_words
from kernelwise.search.engine.rules import is_better
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.propose.climb import Climb

#: ε worth trying, as shares of the held-out error. For Gaussian noise the best is about 0.6 of its deviation
#: (Smola, Murata, Schölkopf and Müller 1998); less where the error is that of too few rows more than noise.
SHARES = (0.6, 0.3, 0.1, 0.03)
#: One within this factor of another is not tried.
NEAR = 1.4
MAX_ROUNDS = 3
#: Where ε has fallen by more than this, the widths are looked at again: the large ε hid what they can do.
FELL = 3.0


def fit_epsilon(
    validator: CrossValidator, scored: ScoredKernel, climb: Climb | None = None
) -> tuple[ScoredKernel, list[str]]:
    """Try other ε with the kernel chosen, if its family says so; return the best, and what was done in words.

    ``climb`` is where the kernel comes from; it is climbed once more with a much smaller ε.
    """
    if not validator.family.fits_epsilon:
        return scored, []
    kernel = scored.kernel if climb is None else climb.best_kernel
    assert scored.epsilon is not None
    first = scored.epsilon
    tried = [first]
    for _ in range(MAX_ROUNDS):
        before = scored
        for share in SHARES:
            other = _try(validator, kernel, scored, share, tried)
            gains = other.scores[other.best] - scored.scores[scored.best]
            # A fixed ε did better on six sets of 300 rows than the best of several by a little.
            scored = other if is_better(other.best_score, scored.best_score, gains) else scored
        if scored is before:
            break
    assert scored.epsilon is not None
    if climb is not None and scored.epsilon < first / FELL:
        scored = Climb(kernel, validator, epsilons=[scored.epsilon], tried={1.0: scored}).run([], [])
    assert scored.epsilon is not None
    return scored, _said(scored.epsilon, tried)


def _said(chosen: float, tried: list[float]) -> list[str]:
    """Which ε was chosen among which others, in words; nothing where there was no other."""
    others = [f"{epsilon:.3g}" for epsilon in tried if epsilon != chosen]
    if not others:
        return []
    return [
        f"The model ignores errors up to ε = {chosen:.3g} standard deviations of the target. "
        f"The search also tried {in_words(others)}."
    ]


def _try(
    validator: CrossValidator, kernel: Any, scored: ScoredKernel, share: float, tried: list[float]
) -> ScoredKernel:
    """Score the same kernel with ε that share of its error; unchanged if such an ε was tried."""
    # Two digits: rounding of the data must not matter.
    epsilon = float(f"{share * residual(validator, scored):.2g}")
    is_known = any(max(epsilon / other, other / epsilon) < NEAR for other in tried) if epsilon > 0 else True
    if is_known or not validator.context.deadline.allows(f"ε = {epsilon:.2g}", scored.seconds):
        return scored
    tried.append(epsilon)
    # With the same values of C: one that was tried further would win by that alone.
    return validator.score(kernel, "other ε", Cs=scored.Cs, epsilons=[epsilon])


def residual(validator: CrossValidator, scored: ScoredKernel) -> float:
    """Root mean squared held-out error of the best machine, in units of y's deviation."""
    errors = scored.decision[scored.best, :, 0] - validator.held_out.y
    return float(np.sqrt(np.average(errors**2, weights=validator.held_out.weight)))
