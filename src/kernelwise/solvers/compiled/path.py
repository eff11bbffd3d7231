"""Compiled: the dual for one value of C after the other, the entry to all compiled code of the solver.

The Gram matrix and the pool are addresses here: the functions that read them, `change_members`, `smo_on_pool`
and `subtract_rows`, are compiled for their precisions, and are addresses, too. So the path is compiled once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.llvm.values import at, call, inner
from kernelwise.solvers.compiled.pairs import LANES
from kernelwise.solvers.compiled.pool import survey, who_joins

REFINE = 256.0  # a round aims at this many units of its precision, relative to the gap it starts from


@inner()
def _violation(n: int, beta: Any, f: Any, p: Any, s: float, unit_lo: Any, unit_hi: Any) -> float:
    """LIBSVM's violation of s·β if it touches no bound but zero."""
    up, low = -np.inf, np.inf
    for t in range(n):
        value = s * f[t] + (1.0 - s) * p[t]
        if beta[t] != 0.0 or unit_hi[t] > 0.0:
            up = value if value > up else up
        if beta[t] != 0.0 or unit_lo[t] < 0.0:
            low = value if value < low else low
    return up - low


@inner()
def _start_from_last(
    n: int, beta: Any, f: Any, p: Any, last: float, C: float, unit_lo: Any, unit_hi: Any
) -> None:
    """Keep β, scale it like C, what was bounded staying so, or scale it by what gives the least objective.

    Of the first two the one with the lower objective. The third is the solution for a very narrow kernel,
    K = 1; for others it frees what should stay bounded, and is taken only if it halves the violation.
    """
    linear, quadratic = 0.0, 0.0
    for t in range(n):
        linear += p[t] * beta[t]
        quadratic += (p[t] - f[t]) * beta[t]
    s, stay = C / last, True
    best = linear / quadratic if quadratic > 0.0 else 1.0
    if 1.0 < best < s and _violation(n, beta, f, p, best, unit_lo, unit_hi) < 0.5 * _violation(
        n, beta, f, p, 1.0, unit_lo, unit_hi
    ):
        s, stay = best, False
    elif 0.5 * s * s * quadratic - s * linear >= 0.5 * quadratic - linear:
        return
    for t in range(n):
        if beta[t] != 0.0:
            is_low, is_high = beta[t] == last * unit_lo[t], beta[t] == last * unit_hi[t]
            bound = C * (unit_lo[t] if is_low else unit_hi[t])
            beta[t] = bound if stay and (is_low or is_high) else s * beta[t]
        f[t] = s * f[t] + (1.0 - s) * p[t]


@inner()
def _shrinking_smo(
    n: int,
    K: int,
    width: int,
    beta: Any,
    f: Any,
    tol: float,
    max_iter: int,
    size: int,
    pool_K: int,
    short: int,
    stride: int,
    precision: float,
    shift: float,
    change_members: int,
    smo_on_pool: int,
    subtract_rows: int,
    places: Any,
    room: Any,
    row: Any,
) -> int:
    """Run rounds of SMO on the pool of variables that may move, each followed by an exact update of f.

    K has rows of ``width`` numbers, and the first two rows of ``room`` are the bounds. The numbers of ``row``
    become

    - pairs done, and the lowest curvature met relative to the diagonal,
    - LIBSVM's violation, the mean of f over the free variables or the middle of the gap if there are none,
      and their number,
    - whether the precision of the pool allows no more progress.

    Returns the size of the pool.
    """
    lo, hi, betas, los = room, at(room, stride), at(room, 2 * stride), at(room, 3 * stride)
    his, values, pool, rows = (
        at(room, 4 * stride),
        at(room, 5 * stride),
        at(places, stride),
        at(places, 2 * stride),
    )
    n_iter, lowest, stalled, is_first = 0, 0.0, False, size == 0
    while True:
        up, low, n_free, total = survey(f, beta, lo, hi, places, n)
        if stalled or n_iter >= max_iter or not up - low >= tol:
            row[0], row[1], row[2] = n_iter, lowest, up - low
            row[3] = total / n_free if n_free > 0 else 0.5 * (up + low)
            row[4], row[5] = n_free, stalled
            return size
        n_new, n_matter = who_joins(n, beta, f, lo, hi, size, places, stride, up, low)
        # A pool that is K itself, which its width tells, is no copy to be thinned out.
        thins = 1 if 4 * size > 5 * n_matter + 4 * LANES and width != stride else 0
        size = call(change_members, (K, width, pool_K, stride, shift, places, size, thins, n_new))
        # Leave a first round early: after a few iterations a variable the active set is much smaller.
        limit = max_iter - n_iter
        limit = 4 * size if is_first and 4 * size < limit else limit
        aim = REFINE * precision * (up - low)
        aim = aim if aim > 0.9 * tol else 0.9 * tol
        centre = 0.5 * (up + low)
        for a in range(size):
            t = pool[a]
            betas[a], los[a], his[a], values[a] = beta[t], lo[t], hi[t], f[t] - centre
        k = call(smo_on_pool, (pool_K, short, stride, shift, size, room, places, aim, limit))
        n_iter, is_first = n_iter + k, False
        lowest = values[0] if values[0] < lowest else lowest
        change, n_rows = los, 0  # the bounds have done their part
        for a in range(size):
            t = pool[a]
            if betas[a] != beta[t]:
                rows[n_rows], change[n_rows] = t, betas[a] - beta[t]
                beta[t] = betas[a]
                n_rows += 1
        while n_rows & 3:
            rows[n_rows], change[n_rows] = rows[n_rows - 1], 0.0
            n_rows += 1
        call(subtract_rows, (K, width, n, rows, change, n_rows, f))
        up_now, low_now, _, _ = survey(f, beta, lo, hi, pool, size)
        stalled = k < limit and up_now - low_now > 0.5 * (up - low)


def smo_path(
    K: int,
    width: int,
    p: Any,
    beta: Any,
    f: Any,
    unit_lo: Any,
    unit_hi: Any,
    Cs: Any,
    n: int,
    n_Cs: int,
    n_kept: int,
    stride: int,
    start: int,
    tol: float,
    limit: int,
    size: int,
    pool_K: int,
    short: int,
    precision: float,
    shift: float,
    change_members: int,
    smo_on_pool: int,
    subtract_rows: int,
    places: Any,
    room: Any,
    coefficients: Any,
    table: Any,
    done: Any,
) -> int:
    """Solve for increasing C with bounds C·unit_lo and C·unit_hi, each from the solution before.

    Stops behind the first C for which no support vector is bounded, since no larger one changes that
    solution, and at one that is not solved to ``tol`` in ``limit`` pair steps (or in this precision). β and f
    are those of the C before ``start``, if that is not 0. ``coefficients``, of shape (n_Cs, n) or (0, n),
    receives β for each C, and ``table``, of shape (n_Cs, 8), what `_shrinking_smo` writes, the number of
    support vectors and the objective. Returns how many C are done; the numbers of ``done`` become whether the
    last of them was solved, and the size of the pool.
    """
    lo, hi = room, at(room, stride)
    for c in range(start, n_Cs):
        C, row = Cs[c], at(table, c * 8)
        for t in range(n):
            lo[t], hi[t] = C * unit_lo[t], C * unit_hi[t]
        if c > 0:
            _start_from_last(n, beta, f, p, Cs[c - 1], C, unit_lo, unit_hi)
        size = _shrinking_smo(
            n,
            K,
            width,
            beta,
            f,
            tol,
            limit,
            size,
            pool_K,
            short,
            stride,
            precision,
            shift,
            change_members,
            smo_on_pool,
            subtract_rows,
            places,
            room,
            row,
        )
        n_support, objective = 0, 0.0
        for t in range(n):
            n_support += beta[t] != 0.0
            objective -= 0.5 * beta[t] * (p[t] + f[t])
        row[6], row[7] = n_support, objective
        if n_kept > 0:
            kept = at(coefficients, c * n)
            for t in range(n):
                kept[t] = beta[t]
        done[0], done[1] = row[2] < tol, size
        if done[0] == 0 or row[4] == n_support:
            return c + 1
    return n_Cs
