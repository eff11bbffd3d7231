"""Where one-class machines begin: feasible coefficients that are near those of a solution."""

from __future__ import annotations

import numpy as np

from kernelwise._native import HAIR
from kernelwise.solvers.box_qp import BoxQP
from kernelwise.solvers.dual import negative_gradient


def cold_start(K: np.ndarray, p: np.ndarray, weight: np.ndarray, nu: float) -> BoxQP:
    """The better of two starts: all samples alike, or the outermost at their bounds.

    The first is the solution for a very narrow kernel, the second nearly that for a wide one. With ν = 1
    there is one feasible point only.
    """
    zeros = np.zeros(weight.size)
    even = BoxQP(K, nu * weight, p - nu * (K @ weight), zeros, weight)
    if nu == 1.0:
        return even
    outer = BoxQP(K, zeros.copy(), even.f.copy(), zeros, weight)
    shift_total(outer, nu * weight.sum())
    outer.f[:] = negative_gradient(K, outer.beta, p)
    return even if objective(even, p) < objective(outer, p) else outer


def objective(qp: BoxQP, p: np.ndarray) -> float:
    """½ βᵀKβ − pᵀβ"""
    return -0.5 * float(qp.beta @ (p + qp.f))


def move_total(qp: BoxQP, p: np.ndarray, total: float) -> None:
    """Change Σβ to ``total``, by what has the lower objective: the same factor for all, or `shift_total`."""
    now = qp.beta.sum()
    factor = total / now if now > 0.0 else np.inf
    shifted = BoxQP(qp.K, qp.beta.copy(), qp.f.copy(), qp.lo, qp.hi)
    change = shift_total(shifted, total)
    rows = np.flatnonzero(change)
    shifted.f -= change[rows] @ qp.K[rows] if rows.size < 0.5 * change.size else qp.K @ change
    if (qp.beta * factor <= qp.hi).all():
        scaled = BoxQP(qp.K, qp.beta * factor, p + factor * (qp.f - p), qp.lo, qp.hi)
        if objective(scaled, p) < objective(shifted, p):
            shifted = scaled
    qp.beta[:], qp.f[:] = shifted.beta, shifted.f


def shift_total(qp: BoxQP, total: float) -> np.ndarray:
    """Raise β of the largest f to their bounds, or lower those of the smallest to zero, until Σβ is total.

    Returns the change of β, of shape (n_samples,); f is left as it is.
    """
    excess = total - qp.beta.sum()
    room = qp.hi - qp.beta if excess > 0 else qp.beta
    order = np.argsort(-np.sign(excess) * qp.f, kind="stable")
    before = np.cumsum(room[order]) - room[order]
    left = np.abs(excess) - before
    left[left <= HAIR * total] = 0.0  # rounding is no reason to leave a bound
    change = np.zeros_like(room)
    change[order] = np.sign(excess) * np.minimum(room[order], left)
    full = np.abs(change) >= room
    qp.beta += change
    qp.beta[full & (change > 0)] = qp.hi[full & (change > 0)]
    qp.beta[full & (change < 0)] = 0.0
    return change
