"""Compiled: the pool of variables that may move, and their part of the Gram matrix.

Variables that may move join a pool: their part of K is copied, usually in single precision, and SMO runs on
the pool, with f centred and scaled to order one. After each round the true f is updated from K itself. This
is shrinking and iterative refinement at once: the answer has the precision of K, the loop the speed of single
precision. A pool outlives a round, so the next C of a path has little to copy.

Nothing is allocated or sliced here. `Pool` brings the room, in
rows of ``stride`` numbers, and sizes are passed along. ``places`` has rows for everyone, the pool, a list,
the status of each variable and two more lists; unsigned. ``room`` has rows for the bounds, then for β, the
bounds and f in the pool. ``short`` is that of `smo_on_pool`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.llvm.values import at, inner

SLACK = 0.3  # of the gap: bounded variables this close to violating join the pool as well
SAMPLE = 512  # most violators, or a quarter of all variables, to join the pool at once
TINY = (
    1e-30  # kernel values below it are zero in the pool: arithmetic on denormal numbers takes a hundredfold
)


@inner(fastmath=("contract",))
def subtract_rows(K: Any, width: int, n: int, rows: Any, change: Any, n_rows: int, f: Any) -> int:
    """f −= Σ change_k K[rows_k], four rows a sweep so that f is loaded and stored a quarter as often.

    K has rows of ``width`` numbers, and ``n_rows`` is a multiple of four. The order of the sum is this one:
    it must not depend on where in a vector register a sample happens to be.
    """
    for k in range(0, n_rows, 4):
        Ka, Kb = at(K, rows[k] * width), at(K, rows[k + 1] * width)
        Kc, Kd = at(K, rows[k + 2] * width), at(K, rows[k + 3] * width)
        a, b, c, d = change[k], change[k + 1], change[k + 2], change[k + 3]
        for t in range(n):
            f[t] -= a * Ka[t] + b * Kb[t] + c * Kc[t] + d * Kd[t]
    return 0


def change_members(
    K: Any,
    width: int,
    pool_K: Any,
    stride: int,
    shift: float,
    places: Any,
    size: int,
    thins: int,
    n_new: int,
) -> int:
    """Admit new variables to the pool, after all that do not matter have left if ``thins``; return its size.

    What matters has the status 3; the ``n_new`` new ones are in the list. Rows and columns of K are copied.
    """
    pool, new, status, old = (
        at(places, stride),
        at(places, 2 * stride),
        at(places, 3 * stride),
        at(places, 4 * stride),
    )
    if thins:
        m = 0
        for a in range(size):
            if status[pool[a]] == 3:
                old[m] = a
                pool[m] = pool[a]
                m += 1
        for a in range(m):
            row, before = at(pool_K, a * stride), at(pool_K, old[a] * stride)
            for b in range(m):
                row[b] = before[old[b]]
        size = m
    m = size + n_new
    for a in range(size, m):
        pool[a] = new[a - size]
    for a in range(size, m):
        row, given = at(pool_K, a * stride), at(K, pool[a] * width)
        for b in range(m):
            value = given[pool[b]] - shift
            row[b] = value if abs(value) > TINY else 0.0
    for a in range(size):
        row = at(pool_K, a * stride)
        for b in range(size, m):
            row[b] = pool_K[b * stride + a]
    return m


@inner()
def survey(f: Any, beta: Any, lo: Any, hi: Any, members: Any, size: int) -> Any:
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


@inner()
def who_joins(
    n: int, beta: Any, f: Any, lo: Any, hi: Any, size: int, places: Any, stride: int, up: float, low: float
) -> Any:
    """List the free and the violating variables outside the pool; of too many, a regular sample.

    The worst pair is in it. Returns how many are listed, and how many matter.
    """
    centre, reach = 0.5 * (up + low), SLACK * (up - low)
    pool, new, status = at(places, stride), at(places, 2 * stride), at(places, 3 * stride)
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
    return n_new, n_matter
