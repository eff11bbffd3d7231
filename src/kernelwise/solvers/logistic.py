"""Kernel logistic regression on a Gram matrix, for one C after the other.

It minimises ½‖w‖² + Σ cᵢ log(1 + exp(−yᵢ f(xᵢ))), with cᵢ = C wᵢ and an offset that is not regularised. With
σᵢ = 1/(1 + exp(yᵢ fᵢ)) the solution is βᵢ = cᵢ yᵢ σᵢ: all samples are support vectors, none is at its bound.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from scipy.linalg import lapack
from scipy.special import expit, xlog1py, xlogy

from kernelwise.solvers.box_qp import Outcome, check_finite

#: Newton steps, at most; a handful is usual.
MAX_STEPS = 200
#: Of the samples: products with K that conjugate gradients may take; more cost as much as a factorisation.
SHARE = 1 / 15
#: Of the residual that conjugate gradients leave, at most.
LEFT = 0.1
#: Of cᵢ: the least curvature of a loss, for numbers that rounding would lose.
FLAT = 1e-12
#: Longest step of the offset: with it, a step of Newton's method never goes too far for this loss.
LONGEST = 1.0
#: Of the objective: what rounding may add to it.
ROUNDING = 1e-13
#: The least part of a step that is tried.
SHORTEST = 1e-9


class LogisticMachine:
    """Coefficients β = yα of a machine, and the steps of Newton's method that improve them.

    With s = c y σ and W = diag(c σ(1 − σ)) a step δ of the coefficients, whose sum is zero, solves
    δ + W(Kδ + δb) = s − β: by conjugate gradients where they take few products with K, as for small C, else
    by a Cholesky factor.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples), or a callable
        The Gram matrix, or its product with a vector; without the matrix there are no factors.
    signs : ndarray of shape (n_samples,)
        Labels ±1, both of which occur.
    beta : ndarray of shape (n_samples,)
        Coefficients to start from, whose sum is zero.

    Attributes
    ----------
    values, f : ndarray of shape (n_samples,)
        Kβ, and −Kβ − y log(α/(c − α)), which is the offset for all samples if β is the solution.
    objective, duality_gap : float
        ½ βᵀKβ + Σ α log(α/c) + (c − α) log(1 − α/c), and the primal objective plus it.
    """

    def __init__(
        self, K: np.ndarray | Callable[[np.ndarray], np.ndarray], signs: np.ndarray, beta: np.ndarray
    ) -> None:
        self.K = None if callable(K) else K
        self.product = K if callable(K) else K.__matmul__
        self.signs, self.beta = signs, beta
        self.values = self.product(beta) if beta.any() else np.zeros(signs.size)
        self.offset = 0.0
        self.most = np.inf if self.K is None else SHARE * signs.size  # products for one step

    def solve(self, cost: np.ndarray, tol: float, max_iter: int = MAX_STEPS) -> Outcome:
        """Go from the coefficients at hand to those for the cᵢ, ``cost``, which are positive."""
        y, n_iter, is_convex, goes_on = self.signs, 0, True, True
        while True:
            self.offset = offset_of(self.values, y, cost, self.offset)
            share = expit(-y * (self.values + self.offset))
            rest = cost * y * share - self.beta
            drift = self.product(rest)
            # β + rest is within its bounds, and its sum is zero: this is its violation of the dual.
            gap = float(np.ptp(drift))
            check_finite(np.array(gap))
            if gap < tol or n_iter >= min(max_iter, MAX_STEPS) or not goes_on:
                break
            weight = cost * share * (1.0 - share)
            found = self._by_products(weight, rest, drift, min(LEFT, gap) * gap)
            found = found or self._by_factor(weight, rest)
            is_convex = found is not None
            goes_on = found is not None and self._step(cost, *found)
            n_iter += 1
        self.beta, self.values, self.f = self.beta + rest, self.values + drift, self.offset - drift
        self.offset = float(self.f.mean())
        quadratic = 0.5 * float(self.beta @ self.values)
        self.objective = quadratic + float(cost @ (xlogy(share, share) + xlog1py(1.0 - share, -share)))
        self.duality_gap = quadratic + losses(self.values + self.offset, y, cost) + self.objective
        return Outcome(n_iter, gap, self.offset, y.size, gap < tol, is_convex)

    def _step(self, cost: np.ndarray, change: np.ndarray, slope: np.ndarray) -> bool:
        """Take a step, whose product with K is ``slope``, or a part of it that gains; False if none does."""
        before, t = self._objective(cost, change, slope, 0.0), 1.0
        while self._objective(cost, change, slope, t) > before + ROUNDING * abs(before):
            t *= 0.5
            if t < SHORTEST:
                return False
        self.beta, self.values = self.beta + t * change, self.values + t * slope
        return True

    def _objective(self, cost: np.ndarray, change: np.ndarray, slope: np.ndarray, t: float) -> float:
        """The primal objective behind a part t of a step, whose product with K is ``slope``."""
        beta, values = self.beta + t * change, self.values + t * slope
        offset = offset_of(values, self.signs, cost, self.offset)
        return 0.5 * float(beta @ values) + losses(values + offset, self.signs, cost)

    def _by_products(
        self, weight: np.ndarray, rest: np.ndarray, drift: np.ndarray, enough: float
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """The step and its product with K by conjugate gradients; None where they are not worth it.

        They go by the inner product aᵀKb, so that each of them lowers the quadratic model of the objective.
        """
        if not self.most:
            return None
        change, slope = np.zeros_like(rest), np.zeros_like(rest)
        total, p, Kp, size = weight.sum(), rest, drift, float(rest @ drift)
        for n_products in itertools.count(1):
            step = p + weight * (Kp - (weight @ Kp) / total)
            curvature = float(Kp @ step)
            if not min(size, curvature) > 0.0:
                return None
            a = size / curvature
            change, slope, rest = change + a * p, slope + a * Kp, rest - a * step
            drift = self.product(rest)
            if np.ptp(drift) < enough:
                break
            if n_products > self.most:
                self.most = 0.0  # larger C take even more
                break
            size, last = float(rest @ drift), size
            p, Kp = rest + (size / last) * p, drift + (size / last) * Kp
        return change, slope

    def _by_factor(self, weight: np.ndarray, rest: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
        """The same by a Cholesky factor of I + hKh with h² = ``weight``; None if there is none."""
        if self.K is None:
            return None
        h = np.sqrt(np.maximum(weight, FLAT * weight.max()))
        A = self.K * h
        A *= h[:, None]
        A.flat[:: h.size + 1] += 1.0
        factor, info = lapack.dpotrf(A.T, lower=1, overwrite_a=1, clean=0)
        if info != 0:
            return None
        u, v = lapack.dpotrs(factor, np.column_stack([rest / h, h]), lower=1)[0].T
        change = h * (u - v * ((h @ u) / (h @ v)))
        return change, self.product(change)


def offset_of(values: np.ndarray, signs: np.ndarray, cost: np.ndarray, start: float) -> float:
    """The offset b with the least Σ c log(1 + exp(−y (values + b))), to rounding."""
    b = start
    for _ in range(MAX_STEPS):
        share = expit(-signs * (values + b))
        slope, curvature = float(cost @ (signs * share)), float(cost @ (share * (1.0 - share)))
        step = min(max(slope / max(curvature, 1e-300), -LONGEST), LONGEST)
        b += step
        if abs(step) < 1e-12 * (1.0 + abs(b)):
            break
    return b


def losses(odds: np.ndarray, signs: np.ndarray, cost: np.ndarray) -> float:
    """Σ c log(1 + exp(−y f))."""
    return float(cost @ np.logaddexp(0.0, -signs * odds))
