"""Compiled inner loops: sequential minimal optimisation with shrinking, on a Gram matrix.

The problem, in signed variables β = y·α, is

    minimise ½ βᵀKβ − pᵀβ   subject to   Σβ = constant,  lo ≤ β ≤ hi,

and f = p − Kβ is its negative gradient. A variable may rise if β < hi (I_up) and fall if β > lo (I_low);
β is optimal to ``tol`` when max f over I_up − min f over I_low < tol, which is LIBSVM's stopping rule.
Points with lo = hi = 0 take no part, but f gives their decision value for nothing.

Variables that may move join a pool: their part of K is copied, usually in single precision, and SMO runs on
the pool, with f centred and scaled to order one. After each round the true f is updated from K itself. This
is shrinking and iterative refinement at once: the answer has the precision of K, the loop the speed of single
precision. A pool outlives a round, so the next C of a path has little to copy.

The working pair is chosen by second-order information [1]_. Numba does not vectorise an arg-max of floats, so
value and index are packed into one integer, whose maximum is. The index takes the place of the value's lowest
bits, which may cost a little progress, but only an exact scan may end a round.

.. [1] R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection using second order information for training
   support vector machines", JMLR 6, 2005.

Everything compiled is in this one file, because Numba's cache looks at no other to see whether it is stale.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

TAU = 1e-12  # floor of the curvature of a pair, as in LIBSVM
RESCALE = 1.0 / 64  # a copy is scaled anew each time its gap has shrunk by this
REFINE = (
    256.0  # a round in a given precision aims at this many units of it relative to the gap it starts from
)
HAIR = 4 * 2.0**-52
SLACK = 0.1  # of the gap: bounded variables this close to violating join the pool as well
SAMPLE = 512  # most violators, or a quarter of all variables, to join the pool at once
LANES = 32  # the pool is padded to a multiple of this, so that the vectorised loops have no remainder
# Everything but "no infinities", which mark the variables that may not move.
# Inner functions are never called from Python: no wrappers to compile.
INNER: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "error_model": "numpy"}
FAST = {"nnan", "nsz", "reassoc", "contract", "arcp"}


def _packed(typing: Any, value: Any, index: Any, keep: Any) -> Any:
    """Integer that orders as ``value`` does in the bits of ``keep`` and holds ``index`` in the others."""
    key: Any = types.int32 if value == types.float32 else types.int64

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integer = ir.IntType(key.bitwidth)
        bits = builder.bitcast(args[0], integer)
        sign = builder.ashr(bits, integer(integer.width - 1))
        # The bits of negative floats count downwards: flip all but the sign.
        bits = builder.xor(bits, builder.and_(sign, integer(2 ** (integer.width - 1) - 1)))
        index, keep = (builder.trunc(a, integer) if integer.width < 64 else a for a in args[1:])
        return builder.or_(builder.and_(bits, keep), index)

    return key(value, types.int64, types.int64), generate


_pack: Any = intrinsic(_packed)


@njit(fastmath=FAST, **INNER)
def _move_and_rank(f: Any, Ki: Any, Kj: Any, step: Any, may_rise: Any, keep: int) -> Any:
    """Set f −= step (Ki − Kj) and return the packed arg-max of f over I_up."""
    best = _pack(f.dtype.type(-np.inf), 0, keep)
    for t in range(f.shape[0]):
        value = f[t] - step * (Ki[t] - Kj[t])
        f[t] = value
        key = _pack(value + may_rise[t], t, keep)
        best = key if key > best else best
    return best


@njit(fastmath=FAST, **INNER)
def _best_partner(f: Any, Ki: Any, diag: Any, kii: Any, fi: Any, may_fall: Any, keep: int) -> Any:
    """Packed arg-max of (fi − f)² / curvature over the violators in I_low, and the packed largest fi − f."""
    zero = f.dtype.type(0.0)
    tau = f.dtype.type(TAU)
    best = _pack(zero, 0, keep)
    widest = _pack(zero, 0, -1)
    for t in range(f.shape[0]):
        slope = fi - f[t] + may_fall[t]
        slope = slope if slope > zero else zero
        curvature = kii + diag[t] - (Ki[t] + Ki[t])
        curvature = curvature if curvature > tau else tau
        key = _pack(slope * slope / curvature, t, keep)
        best = key if key > best else best
        width = _pack(slope, 0, -1)
        widest = width if width > widest else widest
    return best, widest


@njit(**INNER)
def _extremes(f: Any, may_rise: Any, may_fall: Any) -> Any:
    """Arg-max of f over I_up, that maximum, and the minimum of f over I_low; exact."""
    i = -1
    up = -np.inf
    low = np.inf
    for t in range(f.shape[0]):
        if may_rise[t] == 0 and f[t] > up:
            i = t
            up = np.float64(f[t])
        if may_fall[t] == 0 and f[t] < low:
            low = np.float64(f[t])
    return i, up, low


@njit(**INNER)
def _mark(t: int, beta: Any, lo: Any, hi: Any, may_rise: Any, may_fall: Any) -> None:
    """Note whether variable t may move: 0 if so, −∞ if not."""
    may_rise[t] = 0.0 if beta[t] < hi[t] else -np.inf
    may_fall[t] = 0.0 if beta[t] > lo[t] else -np.inf


@njit(**INNER)
def _take_step(i: int, j: int, step: float, beta: Any, lo: Any, hi: Any) -> float:
    """Raise β_i and lower β_j by ``step`` or as far as the bounds allow, and return how far that was."""
    room_i = hi[i] - beta[i]
    room_j = beta[j] - lo[j]
    step = room_i if room_i < step else step
    step = room_j if room_j < step else step
    # Bounds are met exactly: a variable that rounding leaves a hair away from one would count as free.
    hair = HAIR * (abs(beta[i]) + abs(beta[j]) + step)
    beta[i] = hi[i] if room_i - step <= hair else beta[i] + step
    beta[j] = lo[j] if room_j - step <= hair else beta[j] - step
    return step


@njit(**INNER)
def _smo(pool_K: Any, stride: int, short: Any, beta: Any, lo: Any, hi: Any, tol: float, limit: int) -> Any:
    """Optimise pairs of the pool until the gap is below ``tol`` or ``limit`` pairs are done.

    ``pool_K`` holds row i from i·stride on. The rows of ``short`` are the diagonal, f, and the marks of I_up
    and I_low, in the precision of ``pool_K``; f is changed, centred and scaled.

    Returns
    -------
    n_iter, lowest : pairs done, and the lowest curvature met, relative to the diagonal
    """
    diag, f, may_rise, may_fall = short[0], short[1], short[2], short[3]
    m = f.shape[0]
    index_bits = 1
    while (1 << index_bits) < m:
        index_bits += 1
    index = (1 << index_bits) - 1
    keep = ~index
    scale, lowest, alarm = 1.0, 0.0, _pack(f.dtype.type(0.0), 0, -1)
    n_iter, i = 0, 0
    scan = True
    while True:
        if scan:
            i, up, low = _extremes(f, may_rise, may_fall)
            if not up - low >= tol * scale:
                break
            # Centre and scale anew, so that the packed keys resolve what is left of the gap.
            centre, factor = 0.5 * (up + low), 1.0 / (up - low)
            for t in range(m):
                f[t] = (f[t] - centre) * factor
            scale *= factor
            aim = tol * scale * (1.0 + 1e-6)
            alarm = _pack(f.dtype.type(aim if aim > RESCALE else RESCALE), 0, -1)
        Ki = pool_K[i * stride : i * stride + m]
        partner, widest = _best_partner(f, Ki, diag, diag[i], f[i], may_fall, keep)
        if widest <= alarm and not scan:
            scan = True
            continue
        if n_iter >= limit:
            break
        scan = False
        j = partner & index
        n_iter += 1
        curvature = np.float64(diag[i]) + diag[j] - 2.0 * Ki[j]
        relative = curvature / (abs(diag[i]) + abs(diag[j]) + TAU)
        lowest = relative if relative < lowest else lowest
        curvature = curvature if curvature > TAU else TAU
        step = _take_step(i, j, (np.float64(f[i]) - f[j]) / (curvature * scale), beta, lo, hi)
        _mark(i, beta, lo, hi, may_rise, may_fall)
        _mark(j, beta, lo, hi, may_rise, may_fall)
        Kj = pool_K[j * stride : j * stride + m]
        i = _move_and_rank(f, Ki, Kj, f.dtype.type(step * scale), may_rise, keep) & index
    return n_iter, lowest


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
def _admit(K: Any, pool_K: Any, stride: int, pool: Any, size: int, new: Any) -> int:
    """Copy the rows and columns of the variables ``new`` to the end of the pool, and return its new size."""
    m = size + new.shape[0]
    for a in range(size, m):
        pool[a] = new[a - size]
    for a in range(size, m):
        row = K[pool[a]]
        to = pool_K[a * stride : a * stride + m]
        for b in range(m):
            to[b] = row[pool[b]]
    for a in range(size):
        to = pool_K[a * stride : a * stride + m]
        for b in range(size, m):
            to[b] = pool_K[b * stride + a]
    return m


@njit(**INNER)
def _round(
    K: Any,
    beta: Any,
    f: Any,
    lo: Any,
    hi: Any,
    pool: Any,
    pool_K: Any,
    stride: int,
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
        _mark(a, betas, los, his, short[2], short[3])
    for a in range(m):
        t = pool[a]
        betas[a], los[a], his[a] = beta[t], lo[t], hi[t]
        short[0, a], short[1, a] = pool_K[a * stride + a], f[t] - centre
        _mark(a, betas, los, his, short[2], short[3])
    n_iter, lowest = _smo(pool_K, stride, short, betas, los, his, tol, limit)
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
    every = 1 + n_new // (SAMPLE if SAMPLE > n // 4 else n // 4)
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
    return _admit(K, pool_K, stride, pool, size, new[:n_new])


@njit(**INNER)
def _shrinking_smo(
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
        size = _update_pool(K, beta, f, lo, hi, pool, size, pool_K, stride, up, low)
        # Leave a first round early: after a few iterations a variable the active set is much smaller.
        limit = max_iter - n_iter
        limit = 4 * size if is_first and 4 * size < limit else limit
        aim = refine * (up - low)
        aim = aim if aim > 0.9 * tol else 0.9 * tol
        k, curvature = _round(K, beta, f, lo, hi, pool[:size], pool_K, stride, 0.5 * (up + low), aim, limit)
        n_iter, is_first = n_iter + k, False
        lowest = curvature if curvature < lowest else lowest
        up_now, low_now, _, _ = _survey(f, beta, lo, hi, pool[:size])
        stalled = k < limit and up_now - low_now > 0.5 * (up - low)


@njit(**INNER)
def _start_from_last(
    beta: Any, f: Any, p: Any, s: float, last_lo: Any, last_hi: Any, lo: Any, hi: Any
) -> None:
    """Keep β or scale it by s like C, whichever has the lower objective; what was bounded then stays so."""
    linear, quadratic = 0.0, 0.0
    for t in range(beta.shape[0]):
        linear += p[t] * beta[t]
        quadratic += (p[t] - f[t]) * beta[t]
    if 0.5 * s * s * quadratic - s * linear >= 0.5 * quadratic - linear:
        return
    for t in range(beta.shape[0]):
        if beta[t] != 0.0:
            is_low, is_high = beta[t] == last_lo[t], beta[t] == last_hi[t]
            beta[t] = lo[t] if is_low else hi[t] if is_high else s * beta[t]
        f[t] = s * f[t] + (1.0 - s) * p[t]


def smo_path(
    K: Any,
    p: Any,
    beta: Any,
    f: Any,
    unit_lo: Any,
    unit_hi: Any,
    Cs: Any,
    tol: float,
    limit: int,
    pool: Any,
    size: int,
    pool_K: Any,
    stride: int,
    bounds: Any,
    coefficients: Any,
    table: Any,
) -> Any:
    """Solve for increasing C with bounds C·unit_lo and C·unit_hi, each from the solution before.

    Stops behind the first C for which no support vector is bounded, since no larger one changes that
    solution, and at one that is not solved to ``tol`` in ``limit`` pair steps (or in this precision).

    Parameters
    ----------
    bounds : array of shape (4, n)
        Room for the bounds of two values of C.
    coefficients : array of shape (n_Cs, n) or (0, n)
        Receives β for each C.
    table : array of shape (n_Cs, 8)
        Receives, for each C, what `_shrinking_smo` returns (all but the last), the number of support vectors
        and the objective.

    Returns
    -------
    n_done, is_solved, size : C's dealt with, whether the last of them was solved, and the size of the pool
    """
    n = beta.shape[0]
    lo, hi, last_lo, last_hi = bounds[0], bounds[1], bounds[2], bounds[3]
    for c in range(Cs.shape[0]):
        lo, hi, last_lo, last_hi = last_lo, last_hi, lo, hi
        for t in range(n):
            lo[t], hi[t] = Cs[c] * unit_lo[t], Cs[c] * unit_hi[t]
        if c > 0:
            _start_from_last(beta, f, p, Cs[c] / Cs[c - 1], last_lo, last_hi, lo, hi)
        n_iter, lowest, gap, offset, n_free, stalled, size = _shrinking_smo(
            K, beta, f, lo, hi, tol, limit, pool, size, pool_K, stride
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
