"""Compiled inner loops: sequential minimal optimisation with shrinking, on a Gram matrix.

The problem, in signed variables β = y·α, is

    minimise ½ βᵀKβ − pᵀβ   subject to   Σβ = constant,  lo ≤ β ≤ hi,

and f = p − Kβ is its negative gradient. A variable may go up if β < hi (I_up) and down if β > lo (I_low);
β is optimal to ``tol`` when max f over I_up − min f over I_low < tol, which is LIBSVM's stopping rule.
Points with lo = hi = 0 take no part, but f gives their decision value for nothing.

The working pair is chosen by second-order information [1]_. Numba does not vectorise an arg-max of floats, so value
and index are packed into one integer whose maximum is vectorised. The index takes the lowest bits of the value;
what this rounds away is made good by an exact scan before the loop may stop.

.. [1] R.-E. Fan, P.-H. Chen, C.-J. Lin, "Working set selection using second order information for training
   support vector machines", JMLR 6, 2005.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

TAU = 1e-12  # floor of the curvature of a pair, as in LIBSVM
NONE = np.int64(-(2**63 - 1))
MAGNITUDE = np.int64(2**63 - 1)
LOW_WORD = np.int64(2**32 - 1)
# Everything but "no infinities": bounds may be infinite.
FAST = {"nnan", "nsz", "reassoc", "contract", "arcp"}


@intrinsic
def _bits64(typing: Any, x: Any) -> Any:
    """Bit pattern of a float64 as an int64."""
    return types.int64(types.float64), lambda ctx, builder, sig, args: builder.bitcast(args[0], ir.IntType(64))


@intrinsic
def _bits32(typing: Any, x: Any) -> Any:
    """Bit pattern of a float32 as an int32."""
    return types.int32(types.float32), lambda ctx, builder, sig, args: builder.bitcast(args[0], ir.IntType(32))


@njit(fastmath=FAST)
def _move_and_rank(f: Any, Ki: Any, Kj: Any, step: float, beta: Any, hi: Any, keep: int) -> int:
    """Set f −= step (Ki − Kj) and return the packed arg-max of f over I_up."""
    best = NONE
    for t in range(f.shape[0]):
        value = f[t] - step * (np.float64(Ki[t]) - np.float64(Kj[t]))
        f[t] = value
        key = _bits64(value)
        key ^= (key >> np.int64(63)) & MAGNITUDE  # integers now order as the floats do
        key = (key & keep) | np.int64(t)
        key = key if beta[t] < hi[t] else NONE
        best = key if key > best else best
    return best


@njit(fastmath=FAST)
def _best_partner(f: Any, Ki: Any, diag: Any, kii: float, fi: float, scale: float, beta: Any, lo: Any) -> Any:
    """Packed arg-max over I_low of (fi − f)² / curvature, and the bits of the largest scale·(fi − f).

    The ranking is in single precision, after a scaling that keeps it far from overflow: any violating partner makes
    progress, so the rounding costs at most a little of it.
    """
    best = np.int64(-1)
    widest = np.int32(-1)
    for t in range(f.shape[0]):
        slope = np.float32((fi - f[t]) * scale)
        curvature = np.float32(kii + diag[t] - 2.0 * np.float64(Ki[t]))
        curvature = curvature if curvature > np.float32(TAU) else np.float32(TAU)
        violates = (beta[t] > lo[t]) and (slope > np.float32(0.0))
        key = (np.int64(_bits32(slope * slope / curvature)) << np.int64(32)) | np.int64(t)
        key = key if violates else np.int64(-1)
        best = key if key > best else best
        width = _bits32(slope) if violates else np.int32(-1)
        widest = width if width > widest else widest
    return best, widest


@njit
def _extremes(f: Any, beta: Any, lo: Any, hi: Any) -> Any:
    """Arg-max of f over I_up, that maximum, and the minimum of f over I_low; exact."""
    i = np.int64(-1)
    up = -np.inf
    low = np.inf
    for t in range(f.shape[0]):
        if beta[t] < hi[t] and f[t] > up:
            i = np.int64(t)
            up = f[t]
        if beta[t] > lo[t] and f[t] < low:
            low = f[t]
    return i, up, low


@njit
def _smo(K: Any, diag: Any, beta: Any, f: Any, lo: Any, hi: Any, tol: float, max_iter: int) -> Any:
    """Optimise pairs until the gap is below ``tol``; return the iterations and the lowest relative curvature met."""
    n = f.shape[0]
    index_bits = np.int64(1)
    while (np.int64(1) << index_bits) < n:
        index_bits += np.int64(1)
    index_mask = (np.int64(1) << index_bits) - np.int64(1)
    n_iter = np.int64(0)
    lowest = 0.0
    i, up, low = _extremes(f, beta, lo, hi)
    scale = 1.0 / (up - low) if up > low else 1.0
    exact = True
    while n_iter < max_iter:
        fi = f[np.uintp(i)]
        Ki = K[np.uintp(i)]
        kii = diag[np.uintp(i)]
        partner, widest = _best_partner(f, Ki, diag, kii, fi, scale, beta, lo)
        # One part in 10⁶ covers the single precision of the width; then only the exact scan may stop the loop.
        if partner < 0 or widest <= _bits32(np.float32(tol * scale * 1.000001)):
            i, up, low = _extremes(f, beta, lo, hi)
            if not up - low >= tol:
                break
            if not exact:
                exact = True
                scale = 1.0 / (up - low)
                continue
            if partner < 0:
                break
        exact = False
        j = np.uintp(partner & LOW_WORD)
        n_iter += np.int64(1)
        curvature = kii + diag[j] - 2.0 * np.float64(Ki[j])
        lowest = min(lowest, curvature / (abs(kii) + abs(diag[j]) + TAU))
        step = (fi - f[j]) / max(curvature, TAU)
        room_i = hi[np.uintp(i)] - beta[np.uintp(i)]
        room_j = beta[j] - lo[j]
        if step < min(room_i, room_j):
            beta[np.uintp(i)] += step
            beta[j] -= step
        elif room_i <= room_j:
            step = room_i
            beta[np.uintp(i)] = hi[np.uintp(i)]
            beta[j] = beta[j] - step if room_i < room_j else lo[j]
        else:
            step = room_j
            beta[np.uintp(i)] += step
            beta[j] = lo[j]
        key = _move_and_rank(f, Ki, K[j], step, beta, hi, ~index_mask)
        if key == NONE:
            break
        i = key & index_mask
    return n_iter, lowest


@njit(fastmath=FAST)
def _add_rows(K: Any, rows: Any, change: Any, f: Any) -> None:
    """f −= Σ change_k K[rows_k], four rows a sweep so that f is loaded and stored a quarter as often."""
    n_rows = rows.shape[0]
    k = 0
    while k + 4 <= n_rows:
        Ka, Kb, Kc, Kd = K[rows[k]], K[rows[k + 1]], K[rows[k + 2]], K[rows[k + 3]]
        a, b, c, d = change[k], change[k + 1], change[k + 2], change[k + 3]
        for t in range(f.shape[0]):
            f[t] -= a * Ka[t] + b * Kb[t] + c * Kc[t] + d * Kd[t]
        k += 4
    while k < n_rows:
        Ka = K[rows[k]]
        a = change[k]
        for t in range(f.shape[0]):
            f[t] -= a * Ka[t]
        k += 1


@njit
def _active(f: Any, beta: Any, lo: Any, hi: Any, up: float, low: float) -> Any:
    """Indices of the variables that may still move: free ones, and bounded ones not clear of the gap."""
    idx = np.empty(f.shape[0], np.uintp)
    m = 0
    for t in range(f.shape[0]):
        rises = beta[t] < hi[t] and f[t] >= low
        falls = beta[t] > lo[t] and f[t] <= up
        if rises or falls:
            idx[m] = t
            m += 1
    return idx[:m]


def shrinking_smo(K: Any, beta: Any, f: Any, lo: Any, hi: Any, tol: float, max_iter: int, work: Any) -> Any:
    """Run SMO on copies of the active part of K, with an exact update of f after each.

    ``work`` is a flat buffer for the copy, and its dtype that of the copy. A float32 copy halves the memory traffic;
    f is corrected from K itself after every round, so the answer has the precision of K.

    Returns
    -------
    n_iter, gap, n_rounds, lowest : iterations, LIBSVM's violation, rounds, lowest relative curvature met
    """
    n_iter = np.int64(0)
    n_rounds = np.int64(0)
    lowest = 0.0
    while True:
        _, up, low = _extremes(f, beta, lo, hi)
        if not up - low >= tol or n_iter >= max_iter:
            return n_iter, up - low, n_rounds, lowest
        idx = _active(f, beta, lo, hi, up, low)
        m = idx.shape[0]
        Ks = work[: m * m].reshape((m, m))
        start = np.empty(m)
        fs, los, his, diags = np.empty(m), np.empty(m), np.empty(m), np.empty(m)
        for a in range(m):
            row, copy = K[idx[a]], Ks[a]
            for b in range(m):
                copy[b] = row[idx[b]]
            start[a], fs[a], los[a], his[a] = beta[idx[a]], f[idx[a]], lo[idx[a]], hi[idx[a]]
            diags[a] = np.float64(Ks[a, a])
        betas = start.copy()
        # Leave the first round early: after a few iterations a variable the active set is much smaller.
        limit = max_iter - n_iter if n_rounds > 0 else min(max_iter - n_iter, np.int64(4 * m))
        k, curvature = _smo(Ks, diags, betas, fs, los, his, 0.9 * tol, limit)
        n_iter += k
        n_rounds += np.int64(1)
        lowest = min(lowest, curvature)
        changed = 0
        for a in range(m):
            if betas[a] != start[a]:
                beta[idx[a]] = betas[a]
                idx[changed] = idx[a]
                start[changed] = betas[a] - start[a]
                changed += 1
        _add_rows(K, idx[:changed], start[:changed], f)
        if k == 0:
            return n_iter, up - low, n_rounds, lowest
