"""Primal-dual active-set method, used where pair steps (SMO) converge slowly.

It guesses which variables are free. With the bounded ones fixed, the free ones and the offset follow from one
linear system. Those that it puts outside their bounds are bounded in the next guess, and bounded ones that
violate their condition are free: a Newton method for the conditions of optimality [1]_. From the solution for
another C, or from one that is nearly right, it takes four or five systems; from afar it may not converge,
which shows in the number of corrections.

.. [1] M. Hintermüller, K. Ito, K. Kunisch, "The primal-dual active set strategy as a semismooth Newton
   method", SIAM Journal on Optimization 13, 2002.
"""

from __future__ import annotations

import numpy as np

from kernelwise.solvers.free_face import FreeFace
from kernelwise.solvers.products import subtract

MAX_SYSTEMS = 15
WORSE = 1.3, 3  # times the fewest corrections so far, plus this many: a guess that became worse
GROWTH = 1.5, 50  # times the free variables of the guess, plus this many: as many may be free on the way
SLACK = 0.45  # of the tolerance: bounded variables that violate their condition by less stay bounded


def solve_active_set(
    face: FreeFace,
    beta: np.ndarray,
    f: np.ndarray,
    is_free: np.ndarray,
    lo: np.ndarray,
    hi: np.ndarray,
    total: float,
    tol: float,
    max_free: int,
) -> tuple[np.ndarray, np.ndarray] | None:
    """Minimise ½ βᵀKβ − pᵀβ with Σβ = ``total`` and lo ≤ β ≤ hi; f = p − Kβ.

    ``beta``, within the bounds but of any sum, and which variables are free are a guess. Returns β and f of a
    solution with LIBSVM's violation below ``tol``; None if the guess did not lead to one, or if fewer than
    two or more than ``max_free`` variables were free on the way.
    """
    beta, f = beta.copy(), f.copy()
    can_move = lo < hi
    is_low, is_high = can_move & ~is_free & (beta <= lo), can_move & ~is_free & (beta >= hi)
    is_free = is_free.copy()
    max_free = min(max_free, int(GROWTH[0] * np.count_nonzero(is_free)) + GROWTH[1])
    fewest: int = beta.size
    for _ in range(MAX_SYSTEMS):
        if not 2 <= np.count_nonzero(is_free) <= max_free:
            return None
        # The step that solves all conditions of the free variables, and brings the sum to the total.
        solution = face.solve(is_free, f, total - beta.sum())
        if solution is None:
            return None
        step, b = solution
        subtract(face.K, step, f)
        beta += step
        pull = f - b
        left = pull[is_free]
        misses = left.max() - left.min() > SLACK * (1.0 - 2.0 * SLACK) * tol
        if misses:
            face.forget()  # rounding: its next factor is a fresh one
        rises, falls = is_low & (pull > SLACK * tol), is_high & (pull < -SLACK * tol)
        too_low, too_high = beta < lo, beta > hi
        corrections = rises | falls | too_low | too_high
        n_wrong = int(np.count_nonzero(corrections))
        if n_wrong == 0 and not misses:
            return beta, f
        if n_wrong > WORSE[0] * fewest + WORSE[1]:
            return None
        fewest = min(fewest, n_wrong)
        within = np.minimum(np.maximum(beta, lo), hi)
        subtract(face.K, within - beta, f)
        beta = within
        is_low, is_high = (is_low & ~rises) | too_low, (is_high & ~falls) | too_high
        is_free ^= corrections
    return None
