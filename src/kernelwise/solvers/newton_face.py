"""Newton steps on hundreds of free variables, for the problems on which pairwise steps crawl."""

from __future__ import annotations

import numpy as np

from kernelwise.solvers.free_face import FreeFace

MAX_SYSTEMS = 20
SOON = 0.02  # of a step: variables that meet a bound this early are fixed together


def newton_on_face(
    face: FreeFace, beta: np.ndarray, f: np.ndarray, lo: np.ndarray, hi: np.ndarray, max_free: int
) -> np.ndarray | None:
    """Minimise over the free variables, bounded ones fixed, dropping those that run into a bound.

    The step d on the free set F solves ``K_FF d + b 1 = f_F, 1ᵀd = 0``. A variable that blocks it is fixed at
    its bound and the step continues on the smaller face. Those that would meet a bound soon are fixed with
    it, where they are: one linear system for all of them. A ridge makes singular systems solvable: each step
    is then a proximal one and still descends. Returns what to add to β; None when K_FF is not positive
    definite even with the largest ridge, or when fewer than two or more than ``max_free`` variables are free.
    """
    is_free = (beta > lo) & (beta < hi)
    n_free = int(np.count_nonzero(is_free))
    if not 2 <= n_free <= max_free:
        return None
    now, left = beta.copy(), f.copy()
    for _ in range(MAX_SYSTEMS):
        solution = face.solve(is_free, left, 0.0)
        if solution is None:
            return None
        step, offset = solution
        # On a nearly singular face the step does not sum to zero by itself.
        step[is_free] -= step.sum() / n_free
        ends, fractions = np.where(step > 0, hi, lo), np.full(step.size, np.inf)
        np.divide(ends - now, step, out=fractions, where=step != 0.0)
        first = max(float(fractions.min()), 0.0)
        if first >= 1.0:
            now += step
            break
        now += first * step
        meets = fractions <= first
        now[meets] = ends[meets]
        # The residual shrinks to (1 - t) f + t b 1.
        left += first * (offset - left)
        is_free &= fractions > max(first, SOON)
        n_free = int(np.count_nonzero(is_free))
        if n_free < 2:
            break
    return np.clip(now, lo, hi) - beta
