"""Newton steps on free variables, for the problems on which pairwise steps crawl: on hundreds, and on few.

Pair steps crawl on wide kernels, polynomials and large C, whose linear systems are nearly singular. What a
step loses there by rounding, or by fixing variables before they meet a bound, costs millions of pair steps.
Steps on few variables are therefore as exact as can be, with a factor of their own.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dtrsv
from scipy.linalg.lapack import dpotrs

from kernelwise.solvers.free_face import FreeFace, cholesky

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


MAX_DROPS = 60


def newton_on_few(
    K: np.ndarray, beta: np.ndarray, f: np.ndarray, lo: np.ndarray, hi: np.ndarray
) -> np.ndarray | None:
    """Minimise over the free variables, bounded ones fixed, dropping those that run into a bound.

    The step d on the free set F solves ``K_FF d + b 1 = f_F, 1ᵀd = 0``. A variable that blocks it is fixed at
    its bound and the step continues on the smaller face; the smaller system is solved by the Schur complement
    of the one Cholesky factor. A ridge makes singular systems solvable: each step is then a proximal one and
    still descends. Returns what to add to β; None when K_FF is not positive definite even with the largest
    ridge, or when fewer than two variables are free.
    """
    free = np.flatnonzero((beta > lo) & (beta < hi))
    if free.size < 2:
        return None
    factor, _ = cholesky(_centred(np.asfortranarray(K[free[:, None], free], dtype=np.float64)))
    if factor is None:
        return None
    low, high = lo[free], hi[free]
    start = beta[free]
    now = start.copy()
    # Solutions x of K_FF x = f_F and K_FF x = 1 on the variables kept; zero on those dropped.
    columns = _solve(factor, np.column_stack([f[free], np.ones(free.size)]))
    dropped: list[int] = []
    kept = np.ones(free.size)
    # A column of the inverse for each, scaled to 1 at its pivot.
    inverse = np.empty((free.size, MAX_DROPS), order="F")
    while True:
        step, offset = _balanced(columns, kept, free.size - len(dropped))
        fraction, blocking = _longest(now, step, low, high)
        now += fraction * step
        # The residual shrinks to (1 - t) f + t b 1, and so does its solution.
        columns[:, 0] += fraction * (offset * columns[:, 1] - columns[:, 0])
        if blocking < 0:
            break
        now[blocking] = high[blocking] if step[blocking] > 0 else low[blocking]
        k = len(dropped)
        if k == min(MAX_DROPS, free.size - 2):
            break
        # Taking a variable out of the system takes its pivot out of the inverse, a rank-one change.
        unit = np.zeros((free.size, 1))
        unit[blocking] = 1.0
        column = _solve(factor, unit)[:, 0]
        if dropped:  # of each column of the inverse as much as those before it leave
            # A lower triangle in C order is an upper one in Fortran's, which BLAS reads without a copy.
            share = dtrsv(inverse[dropped, :k].T, column[dropped], lower=0, trans=1, diag=1)
            column -= inverse[:, :k] @ share
        inverse[:, k] = column / column[blocking]
        columns -= inverse[:, k, None] * columns[blocking]
        dropped.append(blocking)
        kept[blocking] = 0.0
        columns *= kept[:, None]
    step = np.zeros(beta.size)
    step[free] = np.clip(now, low, high) - start
    return step


def _centred(A: np.ndarray) -> np.ndarray:
    """A with rows and columns centred, plus a constant of its size, in place.

    Steps that sum to zero do not see the difference; Cholesky's factor of a wide kernel does, all of whose
    values are nearly equal: what tells them apart would be lost beside their common part.
    """
    means = A.mean(axis=0)
    A -= means
    A -= means[:, None]
    A += means.mean()
    A += np.diagonal(A).mean()
    return A


def _solve(factor: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    return dpotrs(factor, rhs, lower=1)[0]


def _balanced(columns: np.ndarray, kept: np.ndarray, n_kept: int) -> tuple[np.ndarray, float]:
    """Newton step, and the offset b that keeps its sum at zero; ``kept`` is 1 or 0 for each variable."""
    total, total_one = (kept @ columns).tolist()
    offset = total / total_one if total_one > 0 else 0.0
    step = columns[:, 0] - offset * columns[:, 1]
    # On a nearly singular face the two columns are huge and their difference does not sum to zero by itself.
    step -= step.sum() / n_kept * kept
    return step, offset


def _longest(now: np.ndarray, step: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[float, int]:
    """Largest fraction ≤ 1 of ``step`` within the bounds, and the variable that blocks it (or −1)."""
    room = np.where(step > 0, high, low) - now
    fractions = np.full(step.size, np.inf)
    np.divide(room, step, out=fractions, where=step != 0.0)
    blocking = int(fractions.argmin())
    if fractions[blocking] >= 1.0:
        return 1.0, -1
    return max(float(fractions[blocking]), 0.0), blocking
