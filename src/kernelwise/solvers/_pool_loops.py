"""Compiled: sequential minimal optimisation with shrinking, on a Gram matrix.

Variables that may move join a pool: their part of K is copied, usually in single precision, and SMO runs on
the pool, with f centred and scaled to order one. After each round the true f is updated from K itself. This
is shrinking and iterative refinement at once: the answer has the precision of K, the loop the speed of single
precision. A pool outlives a round, so the next C of a path has little to copy.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from ._pair_loops import FAST, INLINED, INNER, mark

REFINE = 256.0  # a round aims at this many units of its precision, relative to the gap it starts from
SLACK = 0.1  # of the gap: bounded variables this close to violating join the pool as well
SAMPLE = 512  # most violators, or a quarter of all variables, to join the pool at once
TINY = (
    1e-30  # kernel values below it are zero in the pool: arithmetic on denormal numbers takes a hundredfold
)
LANES = 32  # the pool is padded to a multiple of this, so that the vectorised loops have no remainder


@njit(fastmath=FAST, **INNER)
def _subtract_rows(K: Any, rows: Any, change: Any, f: Any) -> None:
    """f −= Σ change_k K[rows_k], four rows a sweep so that f is loaded and stored a quarter as often."""
    k = 0
    while k + 4 <= rows.shape[0]:
        Ka, Kb, Kc, Kd = K[rows[k]], K[rows[k + 1]], K[rows[k + 2]], K[rows[k + 3]]
        a, b, c, d = change[k], change[k + 1], change[k + 2], change[k + 3]
        for t in range(f.shape[0]):
            f[t] -= a * Ka[t] + b * Kb[t] + c * Kc[t] + d * Kd[t]
        k += 4
    while k < rows.shape[0]:
        Ka = K[rows[k]]
        a = change[k]
        for t in range(f.shape[0]):
            f[t] -= a * Ka[t]
        k += 1


@njit(**INNER)
def _survey(f: Any, beta: Any, lo: Any, hi: Any, idx: Any) -> Any:
    """Among ``idx``: maximum of f over I_up, minimum over I_low, number of free ones, their sum of f."""
    up, low = -np.inf, np.inf
    n_free, total = 0, 0.0
    for t in idx:
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
def _matters(t: int, f: Any, beta: Any, lo: Any, hi: Any, up: float, low: float) -> bool:
    """Whether variable t is free, or bounded and not clear of the gap."""
    rises, falls = beta[t] < hi[t], beta[t] > lo[t]
    return (rises and (falls or f[t] > low)) or (falls and f[t] < up)


@njit(**INNER)
def _thin_out(pool_K: Any, stride: int, pool: Any, size: int, status: Any) -> int:
    """Keep only what matters (status 3) in the pool, and return its new size."""
    old = np.empty(
        size, np.uintp
    )  # unsigned, here and in the pool: Numba checks signed indices for wrap-around
    m = 0
    for a in range(size):
        if status[pool[a]] == 3:
            old[m] = a
            pool[m] = pool[a]
            m += 1
    for a in range(m):
        to = pool_K[a * stride : a * stride + m]
        row = pool_K[np.int64(old[a]) * stride : (np.int64(old[a]) + 1) * stride]
        for b in range(m):
            to[b] = row[old[b]]
    return m


@njit(**INNER)
def _admit(K: Any, pool_K: Any, stride: int, shift: float, pool: Any, size: int, new: Any) -> int:
    """Copy the rows and columns of the variables ``new`` to the end of the pool, and return its new size."""
    m = size + new.shape[0]
    for a in range(size, m):
        pool[a] = new[a - size]
    for a in range(size, m):
        row = K[pool[a]]
        to = pool_K[a * stride : a * stride + m]
        for b in range(m):
            value = row[pool[b]] - shift
            to[b] = value if abs(value) > TINY else 0.0
    for a in range(size):
        to = pool_K[a * stride : a * stride + m]
        for b in range(size, m):
            to[b] = pool_K[b * stride + a]
    return m


@njit(**INLINED)
def _round(
    K: Any,
    beta: Any,
    f: Any,
    lo: Any,
    hi: Any,
    pool: Any,
    pool_K: Any,
    stride: int,
    shift: float,
    smo: Any,
    centre: float,
    tol: float,
    limit: int,
) -> Any:
    """Optimise the variables of the pool, then update β and f."""
    m = pool.shape[0]
    padded = (m + LANES - 1) // LANES * LANES
    short = np.zeros((4, padded), pool_K.dtype)
    long = np.zeros((3, padded))
    betas, los, his = long[0], long[1], long[2]
    for a in range(m, padded):
        mark(a, betas, los, his, short[2], short[3])
    for a in range(m):
        t = pool[a]
        betas[a], los[a], his[a] = beta[t], lo[t], hi[t]
        short[0, a], short[1, a] = pool_K[a * stride + a], f[t] - centre
        mark(a, betas, los, his, short[2], short[3])
    n_iter, lowest = smo(pool_K, stride, shift, short, betas, los, his, tol, limit)
    rows = np.empty(m, np.uintp)
    change = np.empty(m)
    n_rows = 0
    for a in range(m):
        t = pool[a]
        if betas[a] != beta[t]:
            rows[n_rows], change[n_rows] = t, betas[a] - beta[t]
            beta[t] = betas[a]
            n_rows += 1
    _subtract_rows(K, rows[:n_rows], change[:n_rows], f)
    return n_iter, lowest


@njit(**INNER)
def _update_pool(
    K: Any,
    beta: Any,
    f: Any,
    lo: Any,
    hi: Any,
    pool: Any,
    size: int,
    pool_K: Any,
    stride: int,
    shift: float,
    up: float,
    low: float,
) -> int:
    """Admit the free and the violating variables; of too many, a regular sample with the worst pair."""
    n = f.shape[0]
    centre, reach = 0.5 * (up + low), SLACK * (up - low)
    new = np.empty(n, np.uintp)
    status = np.zeros(n, np.int8)  # 1: in the pool, 2: matters, 3: both
    for a in range(size):
        status[pool[a]] = 1
    n_new, n_matter = 0, 0
    for t in range(n):
        if _matters(t, f, beta, lo, hi, centre + reach, centre - reach):
            n_matter += 1
            if status[t] == 0:
                new[n_new] = t
                n_new += 1
            status[t] += 2
    if size > 2 * n_matter + LANES:
        size = _thin_out(pool_K, stride, pool, size, status)
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
    return _admit(K, pool_K, stride, shift, pool, size, new[:n_new])


@njit(**INLINED)
def shrinking_smo(
    K: Any,
    beta: Any,
    f: Any,
    lo: Any,
    hi: Any,
    tol: float,
    max_iter: int,
    pool: Any,
    size: int,
    pool_K: Any,
    stride: int,
    shift: float,
    smo: Any,
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
    everyone = np.empty(f.shape[0], np.uintp)
    for t in range(f.shape[0]):
        everyone[t] = t
    while True:
        up, low, n_free, total = _survey(f, beta, lo, hi, everyone)
        if stalled or n_iter >= max_iter or not up - low >= tol:
            offset = total / n_free if n_free > 0 else 0.5 * (up + low)
            return n_iter, lowest, up - low, offset, n_free, stalled, size
        size = _update_pool(K, beta, f, lo, hi, pool, size, pool_K, stride, shift, up, low)
        # Leave a first round early: after a few iterations a variable the active set is much smaller.
        limit = max_iter - n_iter
        limit = 4 * size if is_first and 4 * size < limit else limit
        aim = refine * (up - low)
        aim = aim if aim > 0.9 * tol else 0.9 * tol
        k, curvature = _round(
            K, beta, f, lo, hi, pool[:size], pool_K, stride, shift, smo, 0.5 * (up + low), aim, limit
        )
        n_iter, is_first = n_iter + k, False
        lowest = curvature if curvature < lowest else lowest
        up_now, low_now, _, _ = _survey(f, beta, lo, hi, pool[:size])
        stalled = k < limit and up_now - low_now > 0.5 * (up - low)
