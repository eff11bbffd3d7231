"""A machine solved to rounding by a method that shares nothing with SMO: the judge between two solvers.

A dense primal-dual interior-point method (Mehrotra's predictor and corrector) for a few hundred samples, with
the duality gap as its certificate.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

MAX_STEPS = 200
#: Of the objective: a solution with a larger relative duality gap is not called exact.
MAX_GAP = 1e-9


class ExactMachine(NamedTuple):
    """Signed coefficients of shape (n_samples,), and the ends of the interval of optimal offsets.

    ``gap`` is the duality gap relative to the objective. Where a support vector is free the two ends agree;
    otherwise every offset between them has the same objective, and LIBSVM's rule is the middle.
    """

    beta: np.ndarray
    low: float
    high: float
    gap: float

    @property
    def intercept(self) -> float:
        """The middle of the interval."""
        return 0.5 * (self.low + self.high)

    @property
    def is_exact(self) -> bool:
        """Whether the duality gap certifies the solution."""
        return self.gap < MAX_GAP


def solve_exactly(K: np.ndarray, signs: np.ndarray, bound: np.ndarray) -> ExactMachine:
    """Minimise ½ αᵀQα − Σα with Q = K y yᵀ, Σ y α = 0 and 0 ≤ α ≤ bound.

    ``K`` is positive semi-definite, of shape (n_samples, n_samples); ``signs`` are ±1 and ``bound`` C times
    the weights, both of shape (n_samples,).
    """
    used = np.flatnonzero(bound > 0)
    y, high = signs[used], bound[used]
    Q = K[np.ix_(used, used)] * np.outer(y, y)
    alpha, offset, z, v = _interior_point(Q, y, high, np.ones(y.size), 0.0)
    beta = np.zeros(len(signs))
    beta[used] = y * alpha
    # A variable is at the bound whose multiplier is larger than the room that is left to it.
    at_zero, at_high = z > alpha / high, v > 1.0 - alpha / high
    f = y * (1.0 - Q @ alpha)
    lowest, highest = _offsets(f, y, at_zero, at_high)
    if np.any(~at_zero & ~at_high):
        lowest = highest = offset
    dual = alpha.sum() - 0.5 * alpha @ Q @ alpha
    middle = 0.5 * (lowest + highest)
    primal = 0.5 * alpha @ Q @ alpha + high @ np.maximum(0.0, y * (f - middle))
    return ExactMachine(beta, lowest, highest, abs(primal - dual) / max(abs(primal), 1e-300))


def one_class_exactly(
    K: np.ndarray, nu: float, weight: np.ndarray, linear: np.ndarray | None = None
) -> ExactMachine:
    """Minimise ½ αᵀKα − pᵀα with Σα = ν Σw and 0 ≤ α ≤ w; p is ``linear``, or zero.

    The ends of the interval are those of ρ, the offset that is subtracted from Kα. ``K`` is as in
    `solve_exactly`, the other arrays are of shape (n_samples,).
    """
    used = np.flatnonzero(weight > 0)
    high, ones = weight[used], np.ones(used.size)
    total = nu * weight.sum()
    # In units in which scores are of order one, as the method expects it.
    unit = total * np.diagonal(K)[used].mean()
    Q = K[np.ix_(used, used)] / unit
    p = np.zeros(used.size) if linear is None else linear[used] / unit
    alpha, offset, z, v = _interior_point(Q, ones, high, p, total)
    beta = np.zeros(weight.size)
    beta[used] = alpha
    at_zero, at_high = z > alpha / high, v > 1.0 - alpha / high
    g = Q @ alpha - p
    highest, lowest = _offsets(-g, ones, at_zero, at_high)
    if np.any(~at_zero & ~at_high):
        lowest = highest = offset
    middle = -0.5 * (lowest + highest)
    gap = alpha @ g - total * middle + high @ np.maximum(0.0, middle - g)
    # Not relative to the objective, which is zero where the samples surround the origin.
    return ExactMachine(beta, -unit * lowest, -unit * highest, abs(gap) / total)


def _offsets(f: np.ndarray, y: np.ndarray, at_zero: np.ndarray, at_high: np.ndarray) -> tuple[float, float]:
    """The largest f of the coefficients that may rise, and the smallest of those that may fall."""
    may_rise = np.where(y > 0, ~at_high, ~at_zero)
    may_fall = np.where(y > 0, ~at_zero, ~at_high)
    return float(f[may_rise].max(initial=-np.inf)), float(f[may_fall].min(initial=np.inf))


def _interior_point(
    Q: np.ndarray, y: np.ndarray, high: np.ndarray, p: np.ndarray, total: float
) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
    """Minimise ½ αᵀQα − pᵀα with yᵀα = total.

    Returns the solution α, the offset, and the multipliers of the lower and the upper bounds.
    """
    x, s = 0.5 * high, 0.5 * high
    z, v, b = np.ones_like(x), np.ones_like(x), 0.0
    best = np.inf
    for _ in range(MAX_STEPS):
        r_dual = p - Q @ x - b * y + z - v
        r_sum = total - y @ x
        gap = (x @ z + s @ v) / (1.0 + x.sum())
        residual = max(gap, np.abs(r_dual).max(), abs(r_sum) / high.sum())
        if residual >= best and residual < 1e-10:  # rounding has the last word
            break
        best = min(best, residual)
        try:
            factor = cho_factor(Q + np.diag(z / x + v / s))
        except LinAlgError:  # the certificate says how far it came
            break
        by_y = cho_solve(factor, y)

        def step(
            to_z: np.ndarray, to_v: np.ndarray, state: tuple = (x, s, z, v, r_dual, r_sum, factor, by_y)
        ) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
            x, s, z, v, r_dual, r_sum, factor, by_y = state
            part = cho_solve(factor, r_dual + to_z / x - to_v / s)
            db = (y @ part - r_sum) / (y @ by_y)
            dx = part - db * by_y
            return dx, db, (to_z - z * dx) / x, (to_v + v * dx) / s

        dx, _, dz, dv = step(-x * z, -s * v)
        reach = _reach(x, dx, s, -dx, z, dz, v, dv)
        mean = (x @ z + s @ v) / (2 * x.size)
        ahead = ((x + reach * dx) @ (z + reach * dz) + (s - reach * dx) @ (v + reach * dv)) / (2 * x.size)
        target = mean * (ahead / mean) ** 3
        dx, db, dz, dv = step(target - x * z - dx * dz, target - s * v + dx * dv)
        reach = 0.995 * _reach(x, dx, s, -dx, z, dz, v, dv)
        x, s, b = x + reach * dx, s - reach * dx, b + reach * db
        z, v = z + reach * dz, v + reach * dv
        s = np.maximum(s, np.finfo(float).tiny)
    return x, b, z, v


def _reach(*pairs: np.ndarray) -> float:
    """How far the step goes, at most 1, before one of the positive vectors has an entry of zero."""
    reach = 1.0
    for value, change in zip(pairs[::2], pairs[1::2], strict=True):
        falls = change < 0
        if falls.any():
            reach = min(reach, float((-value[falls] / change[falls]).min()))
    return reach
