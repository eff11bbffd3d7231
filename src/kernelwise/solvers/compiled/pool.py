"""Compiled: sequential minimal optimisation with shrinking, on a Gram matrix.

Variables that may move join a pool: their part of K is copied, usually in single precision, and SMO runs on
the pool, with f centred and scaled to order one. After each round the true f is updated from K itself. This
is shrinking and iterative refinement at once: the answer has the precision of K, the loop the speed of single
precision. A pool outlives a round, so the next C of a path has little to copy.

Nothing is allocated or sliced here, which took a third of the time of compiling. `Pool` brings the room, and
sizes are passed along. ``places`` has rows for everyone, the pool, a list, the status of each variable and
two more lists; unsigned, since Numba checks signed indices for wrap-around. ``room`` has rows for the bounds,
then for β and the bounds in the pool, and one for a direction. ``short`` is that of `smo_on_pool`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from kernelwise.solvers.compiled.pairs import FAST, INLINED, INNER, LANES, mark

REFINE = 256.0  # a round aims at this many units of its precision, relative to the gap it starts from
SLACK = 0.3  # of the gap: bounded variables this close to violating join the pool as well
SAMPLE = 512  # most violators, or a quarter of all variables, to join the pool at once
TINY = (
    1e-30  # kernel values below it are zero in the pool: arithmetic on denormal numbers takes a hundredfold
)


@njit(fastmath=FAST, **INNER)
def _subtract_rows(K: Any, rows: Any, change: Any, n_rows: int, f: Any) -> None:
    """f −= Σ change_k K[rows_k], four rows a sweep so that f is loaded and stored a quarter as often.

    ``n_rows`` is a multiple of four.
    """
    for k in range(0, n_rows, 4):
        Ka, Kb, Kc, Kd = K[rows[k]], K[rows[k + 1]], K[rows[k + 2]], K[rows[k + 3]]
        a, b, c, d = change[k], change[k + 1], change[k + 2], change[k + 3]
        for t in range(f.shape[0]):
            f[t] -= a * Ka[t] + b * Kb[t] + c * Kc[t] + d * Kd[t]


@njit(**INNER)
def _survey(f: Any, beta: Any, lo: Any, hi: Any, members: Any, size: int) -> Any:
    """Among ``members``: maximum of f over I_up, minimum over I_low, number of free ones, their sum of f."""
    up, low = -np.inf, np.inf
    n_free, total = 0, 0.0
    for a in range(size):
        t = members[a]
        rises, falls = beta[t] < hi[t], beta[t] > lo[t]
        if rises:
            up = f[t] if f[t] > up else up
        if falls:
            low = f[t] if f[t] < low else low
        if rises and falls:
            n_free += 1
            total += f[t]
    return up, low, n_free, total


@njit(**INNER)
def _thin_out(pool_K: Any, pool: Any, size: int, status: Any, old: Any) -> int:
    """Keep only what matters (status 3) in the pool, and return its new size."""
    m = 0
    for a in range(size):
        if status[pool[a]] == 3:
            old[m] = a
            pool[m] = pool[a]
            m += 1
    for a in range(m):
        for b in range(m):
            pool_K[a, b] = pool_K[old[a], old[b]]
    return m


@njit(**INNER)
def _admit(K: Any, pool_K: Any, shift: float, pool: Any, size: int, m: int, new: Any) -> None:
    """Copy the rows and columns of the variables ``new`` to the end of the pool, which makes it m in size."""
    for a in range(size, m):
        pool[a] = new[a - size]
    for a in range(size, m):
        for b in range(m):
            value = K[pool[a], pool[b]] - shift
            pool_K[a, b] = value if abs(value) > TINY else 0.0
    for a in range(size):
        for b in range(size, m):
            pool_K[a, b] = pool_K[b, a]


@njit(**INLINED)
def _round(
    K: Any,
    beta: Any,
    f: Any,
    lo: Any,
    hi: Any,
    m: int,
    pool_K: Any,
    shift: float,
    smo: Any,
    places: Any,
    room: Any,
    short: Any,
    centre: float,
    tol: float,
    limit: int,
) -> Any:
    """Optimise the variables of the pool, then update β and f."""
    pool, rows = places[1], places[2]
    betas, los, his = room[2], room[3], room[4]
    padded = (m + LANES - 1) // LANES * LANES
    for a in range(padded):
        if a < m:
            t = pool[a]
            betas[a], los[a], his[a] = beta[t], lo[t], hi[t]
            short[0, a], short[1, a], short[4, a] = pool_K[a, a], f[t] - centre, 0.0
        else:
            betas[a], los[a], his[a] = 0.0, 0.0, 0.0
            short[0, a], short[1, a], short[4, a] = 0.0, 0.0, 0.0
        mark(a, betas, los, his, short[2], short[3])
    n_iter, lowest = smo(pool_K, shift, short, room, places, padded, tol, limit)
    change, n_rows = los, 0  # the bounds have done their part
    for a in range(m):
        t = pool[a]
        if betas[a] != beta[t]:
            rows[n_rows], change[n_rows] = t, betas[a] - beta[t]
            beta[t] = betas[a]
            n_rows += 1
    while n_rows % 4 > 0:
        rows[n_rows], change[n_rows] = rows[n_rows - 1], 0.0
        n_rows += 1
    _subtract_rows(K, rows, change, n_rows, f)
    return n_iter, lowest


@njit(**INNER)
def _update_pool(
    K: Any,
    beta: Any,
    f: Any,
    lo: Any,
    hi: Any,
    size: int,
    pool_K: Any,
    shift: float,
    places: Any,
    up: float,
    low: float,
) -> int:
    """Admit the free and the violating variables; of too many, a regular sample with the worst pair."""
    n = f.shape[0]
    centre, reach = 0.5 * (up + low), SLACK * (up - low)
    pool, new, status = places[1], places[2], places[3]
    for t in range(n):
        status[t] = 0  # 1: in the pool, 2: matters, 3: both
    for a in range(size):
        status[pool[a]] = 1
    n_new, n_matter = 0, 0
    for t in range(n):
        # Free, or bounded and not clear of the gap.
        rises, falls = beta[t] < hi[t], beta[t] > lo[t]
        if (rises and (falls or f[t] > centre - reach)) or (falls and f[t] < centre + reach):
            n_matter += 1
            if status[t] == 0:
                new[n_new] = t
                n_new += 1
            status[t] |= 2
    # A pool that is K itself, which its width tells, is no copy to be thinned out.
    if 4 * size > 5 * n_matter + 4 * LANES and pool_K.shape[1] != K.shape[1]:
        size = _thin_out(pool_K, pool, size, status, places[4])
    every = 1 + n_new // (SAMPLE if n // 4 < SAMPLE else n // 4)
    if every > 1:
        kept, seen_up, seen_low = 0, False, False
        for k in range(n_new):
            t = new[k]
            top = not seen_up and beta[t] < hi[t] and f[t] == up
            bottom = not seen_low and beta[t] > lo[t] and f[t] == low
            seen_up, seen_low = seen_up or top, seen_low or bottom
            if top or bottom or k % every == 0:
                new[kept] = t
                kept += 1
        n_new = kept
    _admit(K, pool_K, shift, pool, size, size + n_new, new)
    return size + n_new


@njit(**INLINED)
def shrinking_smo(
    K: Any,
    beta: Any,
    f: Any,
    lo: Any,
    hi: Any,
    tol: float,
    max_iter: int,
    size: int,
    pool_K: Any,
    shift: float,
    smo: Any,
    places: Any,
    room: Any,
    short: Any,
) -> Any:
    """Run rounds of SMO on the pool of variables that may move, each followed by an exact update of f.

    Returns
    -------
    n_iter, lowest : pairs done, and the lowest curvature met relative to the diagonal
    gap, offset, n_free : LIBSVM's violation, the mean of f over the free variables or the middle of the gap
        if there are none, and their number
    stalled, size : whether the precision of ``pool_K`` allows no more progress, and the size of the pool
    """
    n_iter, lowest, stalled, is_first = 0, 0.0, False, size == 0
    refine = REFINE * (2.0**-23 if pool_K.itemsize == 4 else 2.0**-52)
    while True:
        up, low, n_free, total = _survey(f, beta, lo, hi, places[0], f.shape[0])
        if stalled or n_iter >= max_iter or not up - low >= tol:
            offset = total / n_free if n_free > 0 else 0.5 * (up + low)
            return n_iter, lowest, up - low, offset, n_free, stalled, size
        size = _update_pool(K, beta, f, lo, hi, size, pool_K, shift, places, up, low)
        # Leave a first round early: after a few iterations a variable the active set is much smaller.
        limit = max_iter - n_iter
        limit = 4 * size if is_first and 4 * size < limit else limit
        aim = refine * (up - low)
        aim = aim if aim > 0.9 * tol else 0.9 * tol
        k, curvature = _round(
            K, beta, f, lo, hi, size, pool_K, shift, smo, places, room, short, 0.5 * (up + low), aim, limit
        )
        n_iter, is_first = n_iter + k, False
        lowest = curvature if curvature < lowest else lowest
        up_now, low_now, _, _ = _survey(f, beta, lo, hi, places[1], size)
        stalled = k < limit and up_now - low_now > 0.5 * (up - low)
