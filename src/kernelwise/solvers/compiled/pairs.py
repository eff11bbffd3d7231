"""Compiled: sequential minimal optimisation, pair by pair, on a copy of part of a Gram matrix.

The problem, in signed variables β = y·α, is

    minimise ½ βᵀKβ − pᵀβ   subject to   Σβ = constant,  lo ≤ β ≤ hi,

and f = p − Kβ is its negative gradient. A variable may rise if β < hi (I_up) and fall if β > lo (I_low);
β is optimal to ``tol`` when max f over I_up − min f over I_low < tol, which is LIBSVM's stopping rule.
Points with lo = hi = 0 take no part, but f gives their decision value for nothing.

The working pair is chosen by second-order information [1]_. LLVM does not vectorise an arg-max of floats, so
value and index are packed into one integer, whose maximum is. The index takes the place of the value's lowest
bits, which may cost a little progress, but only an exact scan may end a round.

.. [1] R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection using second order information for training
   support vector machines", JMLR 6, 2005.
.. [2] A. Torres-Barrán, C. M. Alaíz, J. R. Dorronsoro, "Faster SVM training via conjugate SMO", Pattern
   Recognition 111, 2021.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.llvm.values import Instruction, Value, at, inner, like
from kernelwise.solvers.compiled.rounding import HAIR

TAU = 1e-12  # floor of the curvature of a pair, as in LIBSVM
RESCALE = 1.0 / 64  # a copy is scaled anew each time its gap has shrunk by this
LANES = 64  # a multiple of any vector's length, unrolled: the pool is padded to a multiple of it
RESTART = 7  # turned steps in a row: more gain little, and move more variables at once
TIGHTER = 0.5  # of the tolerance: at the same gap turned steps are farther from the solution
EVEN = 16.0  # times the least value of the diagonal: where it varies more, turned steps lose their precision
FLATTEST = 1e-3  # of a pair's own curvature: with less, rounding decides
# Everything but "no infinities", which mark the variables that may not move.
FAST = ("nnan", "nsz", "reassoc", "contract", "arcp")


@Instruction
def _pack(to: Any, value: Value, index: Value, keep: Value) -> Value:
    """Integer that orders as ``value`` does in the bits of ``keep`` and holds ``index`` in the others."""
    kind, integer, width = ("int32", "i32", 32) if value.type == "float32" else ("int64", "i64", 64)
    bits = to.put(f"bitcast {to.llvm(value.type)} {value.text} to {integer}")
    sign = to.put(f"ashr {integer} {bits}, {width - 1}")
    # The bits of negative floats count downwards: flip all but the sign.
    flipped = to.put(f"and {integer} {sign}, {2 ** (width - 1) - 1}")
    kept = to.put(f"and {integer} {to.put(f'xor {integer} {bits}, {flipped}')}, {to.cast(keep, kind).text}")
    return Value(kind, to.put(f"or {integer} {kept}, {to.cast(index, kind).text}"))


@inner(fastmath=FAST, is_inlined=True)
def _move_and_rank(
    f: Any, g: Any, Ki: Any, Kj: Any, turn: Any, step: Any, may_rise: Any, m: int, keep: int
) -> Any:
    """Set g = Ki − Kj + turn·g and f −= step·g, and return the packed arg-max of f over I_up.

    Without g (None) the direction is the pair alone.
    """
    best = _pack(like(-np.inf, f), 0, keep)
    for t in range(m):
        slope = Ki[t] - Kj[t]
        if g is not None:
            slope += turn * g[t]
            g[t] = slope
        value = f[t] - step * slope
        f[t] = value
        key = _pack(value + may_rise[t], t, keep)
        best = key if key > best else best
    return best


@inner(fastmath=FAST, is_inlined=True)
def _best_partner(
    f: Any, g: Any, Ki: Any, diag: Any, i: int, flatness: Any, may_fall: Any, m: int, keep: int
) -> Any:
    """Packed arg-max of (f_i − f)² / curvature over the violators in I_low, and the packed largest f_i − f.

    The curvature is that of the pair, less (g_i − g)²·flatness if made conjugate to the last step.
    """
    zero, tau = like(0.0, f), like(TAU, f)
    best = _pack(zero, 0, keep)
    widest = _pack(zero, 0, -1)
    kii, fi = diag[i], f[i]
    for t in range(m):
        slope = fi - f[t] + may_fall[t]
        slope = slope if slope > zero else zero
        curvature = kii + diag[t] - (Ki[t] + Ki[t])
        if g is not None:
            curvature -= (g[i] - g[t]) * (g[i] - g[t]) * flatness
        curvature = curvature if curvature > tau else tau
        key = _pack(slope * slope / curvature, t, keep)
        best = key if key > best else best
        width = _pack(slope, 0, -1)
        widest = width if width > widest else widest
    return best, widest


@inner()
def _extremes(f: Any, may_rise: Any, may_fall: Any, m: int) -> Any:
    """Arg-max of f over I_up, that maximum, and the minimum of f over I_low; exact."""
    i = -1
    up = -np.inf
    low = np.inf
    for t in range(m):
        if may_rise[t] == 0 and f[t] > up:
            i = t
            up = np.float64(f[t])
        if may_fall[t] == 0 and f[t] < low:
            low = np.float64(f[t])
    return i, up, low


@inner()
def mark(t: int, beta: Any, lo: Any, hi: Any, may_rise: Any, may_fall: Any) -> None:
    """Note whether variable t may move: 0 if so, −∞ if not."""
    may_rise[t] = 0.0 if beta[t] < hi[t] else -np.inf
    may_fall[t] = 0.0 if beta[t] > lo[t] else -np.inf


@inner()
def _take_step(i: int, j: int, step: float, beta: Any, lo: Any, hi: Any) -> float:
    """Raise β_i and lower β_j by ``step`` or as far as the bounds allow, and return how far that was."""
    room_i = hi[i] - beta[i]
    room_j = beta[j] - lo[j]
    step = room_i if room_i < step else step
    step = room_j if room_j < step else step
    # Bounds are met exactly: a variable that rounding leaves a hair away from one would count as free, and
    # the offset be its f alone. Nor may it hand that hair to its partner, which would leave a bound for it.
    hair = HAIR * (abs(beta[i]) + abs(beta[j]) + step)
    meets_i, meets_j = room_i - step <= hair, room_j - step <= hair
    if meets_i:
        beta[i] = hi[i]
    elif step > hair or not meets_j:
        beta[i] += step
    if meets_j:
        beta[j] = lo[j]
    elif step > hair or not meets_i:
        beta[j] -= step
    return step


@inner(is_inlined=True)
def _turn(i: int, j: int, turn: float, who: Any, share: Any, size: int) -> int:
    """Make the direction e_i − e_j + turn·(the last one), and return its number of entries."""
    at_i, at_j = size, size
    for k in range(size):
        share[k] *= turn
        at_i = k if who[k] == i else at_i
        at_j = k if who[k] == j else at_j
    if at_i == size:
        who[size], share[size] = i, 0.0
        at_j += at_j == size
        size += 1
    if at_j == size:
        who[size], share[size] = j, 0.0
        size += 1
    share[at_i] += 1.0
    share[at_j] -= 1.0
    return size


@inner(is_inlined=True)
def _stays_free(who: Any, share: Any, size: int, step: float, beta: Any, lo: Any, hi: Any) -> bool:
    """Whether a step along the direction leaves all its variables clear of their bounds."""
    for k in range(size):
        t = who[k]
        value = beta[t] + step * share[k]
        hair = HAIR * (abs(beta[t]) + abs(value))
        if not lo[t] + hair < value < hi[t] - hair:
            return False
    return True


def smo_on_pool(
    pool_K: Any,
    short: Any,
    stride: int,
    shift: float,
    size: int,
    room: Any,
    places: Any,
    tol: float,
    limit: int,
) -> int:
    """Optimise pairs of the pool until the gap is below ``tol`` or ``limit`` pairs are done.

    All arrays have rows of ``stride`` numbers, whose first ``size`` entries count. Rows 2 to 5 of ``room``
    are β, its bounds, and f. The rows of ``short`` become the diagonal, f, the marks of I_up and I_low, and
    g, in the precision of ``pool_K``; f is centred and scaled there. The last rows of ``room`` and ``places``
    are for the direction, too.

    A pair alone undoes some of what the pairs before it did. So, after the first m steps, a step is turned:
    along e_i − e_j plus the multiple of the last direction d with which it is conjugate to d (g = K d is kept
    for that). Where pair steps crawl this takes half of them or less [2]_. After `RESTART` turned steps, and
    where a bound is in the way, a step is along the pair alone, so that few variables ever move at once.

    Returns the number of pairs done; the first number of row 5 of ``room`` becomes the lowest curvature met,
    relative to the diagonal.
    """
    diag, f, may_rise, may_fall = short, at(short, stride), at(short, 2 * stride), at(short, 3 * stride)
    g, beta, lo, hi = at(short, 4 * stride), at(room, 2 * stride), at(room, 3 * stride), at(room, 4 * stride)
    share, who = at(room, 5 * stride), at(places, 5 * stride)
    m = (size + LANES - 1) // LANES * LANES  # so the compiler knows that vectorised loops have no remainder
    for t in range(m):
        g[t] = 0.0
        if t < size:
            diag[t], f[t] = pool_K[t * stride + t], share[t]
        else:
            beta[t], lo[t], hi[t], diag[t], f[t] = 0.0, 0.0, 0.0, 0.0, 0.0
        mark(t, beta, lo, hi, may_rise, may_fall)
    most, least = diag[0], diag[0]
    for t in range(size):
        most = diag[t] if diag[t] > most else most
        least = diag[t] if diag[t] < least else least
    straight = m if most <= EVEN * least else limit
    index = 1
    while index < m - 1:
        index += index + 1
    keep = ~index
    scale, lowest, alarm = 1.0, 0.0, _pack(like(0.0, f), 0, -1)
    n_iter, i, age, size, flatness = 0, 0, 0, 0, 0.0
    scan = True
    while True:
        if scan:
            i, up, low = _extremes(f, may_rise, may_fall, m)
            aim = tol * scale * (TIGHTER if n_iter > straight else 1.0)
            if not up - low >= aim:
                break
            # Centre and scale anew, so that the packed keys resolve what is left of the gap.
            centre, factor = 0.5 * (up + low), 1.0 / (up - low)
            for t in range(m):
                f[t] = (f[t] - centre) * factor
            scale *= factor
            aim *= factor * (1.0 + 1e-6)
            alarm = _pack(like(aim if aim > RESCALE else RESCALE, f), 0, -1)
        Ki = at(pool_K, i * stride)
        if flatness > 0.0:
            partner, widest = _best_partner(f, g, Ki, diag, i, like(flatness, f), may_fall, m, keep)
        else:
            partner, widest = _best_partner(f, None, Ki, diag, i, None, may_fall, m, keep)
        if widest <= alarm and not scan:
            scan = True
            continue
        if n_iter >= limit:
            break
        scan = False
        j = partner & index
        if may_fall[j] != 0.0:  # what is gained is zero in this precision; there may be no such row
            break
        n_iter += 1
        curvature = np.float64(diag[i]) + diag[j] - 2.0 * Ki[j]
        relative = curvature / (abs(diag[i] + shift) + abs(diag[j] + shift) + TAU)
        lowest = relative if relative < lowest else lowest
        slope, bend = np.float64(f[i]) - f[j], np.float64(g[i]) - g[j]
        turn = -bend * flatness
        flatter = curvature + bend * turn
        step = 0.0
        is_turned = flatness > 0.0 and flatter > FLATTEST * curvature
        if is_turned:
            step = slope / (flatter * scale)
            size = _turn(i, j, turn, who, share, size)
            is_turned = _stays_free(who, share, size, step, beta, lo, hi)
        if is_turned:
            for k in range(size):
                beta[who[k]] += step * share[k]
            age += 1
        else:
            turn, flatter, age = 0.0, curvature if curvature > TAU else TAU, 0
            step = _take_step(i, j, slope / (flatter * scale), beta, lo, hi)
            size = _turn(i, j, 0.0, who, share, 0)
        mark(i, beta, lo, hi, may_rise, may_fall)
        mark(j, beta, lo, hi, may_rise, may_fall)
        is_inside = may_rise[i] == 0.0 and may_fall[j] == 0.0
        will_turn = n_iter > straight and age < RESTART and flatter > TAU and is_inside
        flatness = 1.0 / flatter if will_turn else 0.0
        Kj, down = at(pool_K, j * stride), like(step * scale, f)
        if will_turn or is_turned:
            i = _move_and_rank(f, g, Ki, Kj, like(turn, f), down, may_rise, m, keep) & index
        else:
            i = _move_and_rank(f, None, Ki, Kj, None, down, may_rise, m, keep) & index
        scan = may_rise[i] != 0.0  # nobody may rise, so that i may be a place that pads the pool
    share[0] = lowest
    return n_iter
