"""Compiled: the dual for one value of C after the other, the entry to all compiled code of the solver."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from kernelwise.solvers.compiled.pairs import INLINED, INNER
from kernelwise.solvers.compiled.pool import shrinking_smo


@njit(**INNER)
def _violation(beta: Any, f: Any, p: Any, s: float, unit_lo: Any, unit_hi: Any) -> float:
    """LIBSVM's violation of s·β if it touches no bound but zero."""
    up, low = -np.inf, np.inf
    for t in range(beta.shape[0]):
        value = s * f[t] + (1.0 - s) * p[t]
        if beta[t] != 0.0 or unit_hi[t] > 0.0:
            up = value if value > up else up
        if beta[t] != 0.0 or unit_lo[t] < 0.0:
            low = value if value < low else low
    return up - low


@njit(**INLINED)
def _start_from_last(beta: Any, f: Any, p: Any, last: float, C: float, unit_lo: Any, unit_hi: Any) -> None:
    """Keep β, scale it like C, what was bounded staying so, or scale it by what gives the least objective.

    Of the first two the one with the lower objective. The third is the solution for a very narrow kernel,
    K = 1; for others it frees what should stay bounded, and is taken only if it halves the violation.
    """
    linear, quadratic = 0.0, 0.0
    for t in range(beta.shape[0]):
        linear += p[t] * beta[t]
        quadratic += (p[t] - f[t]) * beta[t]
    s, stay = C / last, True
    best = linear / quadratic if quadratic > 0.0 else 1.0
    if 1.0 < best < s and _violation(beta, f, p, best, unit_lo, unit_hi) < 0.5 * _violation(
        beta, f, p, 1.0, unit_lo, unit_hi
    ):
        s, stay = best, False
    elif 0.5 * s * s * quadratic - s * linear >= 0.5 * quadratic - linear:
        return
    for t in range(beta.shape[0]):
        if beta[t] != 0.0:
            is_low, is_high = beta[t] == last * unit_lo[t], beta[t] == last * unit_hi[t]
            bound = C * (unit_lo[t] if is_low else unit_hi[t])
            beta[t] = bound if stay and (is_low or is_high) else s * beta[t]
        f[t] = s * f[t] + (1.0 - s) * p[t]


def smo_path(
    K: Any,
    p: Any,
    beta: Any,
    f: Any,
    unit_lo: Any,
    unit_hi: Any,
    Cs: Any,
    start: int,
    tol: float,
    limit: int,
    size: int,
    pool_K: Any,
    shift: float,
    smo: Any,
    places: Any,
    room: Any,
    short: Any,
    coefficients: Any,
    table: Any,
) -> Any:
    """Solve for increasing C with bounds C·unit_lo and C·unit_hi, each from the solution before.

    Stops behind the first C for which no support vector is bounded, since no larger one changes that
    solution, and at one that is not solved to ``tol`` in ``limit`` pair steps (or in this precision). β and f
    are those of the C before ``start``, if that is not 0. ``coefficients``, of shape (n_Cs, n) or (0, n),
    receives β for each C, and ``table``, of shape (n_Cs, 8), what `shrinking_smo` returns (all but the last),
    the number of support vectors and the objective. Returns how many C are done, whether the last of them was
    solved, and the size of the pool.
    """
    n = beta.shape[0]
    lo, hi = room[0], room[1]
    for c in range(start, Cs.shape[0]):
        for t in range(n):
            lo[t], hi[t] = Cs[c] * unit_lo[t], Cs[c] * unit_hi[t]
        if c > 0:
            _start_from_last(beta, f, p, Cs[c - 1], Cs[c], unit_lo, unit_hi)
        n_iter, lowest, gap, offset, n_free, stalled, size = shrinking_smo(
            K, beta, f, lo, hi, tol, limit, size, pool_K, shift, smo, places, room, short
        )
        n_support, objective = 0, 0.0
        for t in range(n):
            n_support += beta[t] != 0.0
            objective -= 0.5 * beta[t] * (p[t] + f[t])
            if coefficients.shape[0] > 0:
                coefficients[c, t] = beta[t]
        row = table[c]
        row[0], row[1], row[2], row[3] = n_iter, lowest, gap, offset
        row[4], row[5], row[6], row[7] = n_free, stalled, n_support, objective
        if not gap < tol:
            return c + 1, False, size
        if n_free == n_support:
            return c + 1, True, size
    return Cs.shape[0], True, size
