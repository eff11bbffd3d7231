"""Kernel logistic regression on a Gram matrix, for one C after the other.

It minimises ½‖w‖² + Σ cᵢ log(1 + exp(−yᵢ f(xᵢ))), with cᵢ = C wᵢ and an offset that is not regularised. With
σᵢ = 1/(1 + exp(yᵢ fᵢ)) the solution is βᵢ = cᵢ yᵢ σᵢ: all samples are support vectors, none is at its bound.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from scipy.linalg import lapack
from scipy.special import expit, log_expit, xlog1py, xlogy

from kernelwise.solvers.box_qp import Outcome, check_finite

#: Newton steps, at most; a handful is usual.
MAX_STEPS = 200
#: Of the samples: products with K that conjugate gradients may take; more cost as much as a factorisation.
SHARE = 1 / 15
#: Samples up to which exact steps by a factor take less time: calls from Python take longer than arithmetic.
FEW = 128
#: Of the residual that conjugate gradients leave, at most.
LEFT = 0.1
#: Of cᵢ: the least curvature of a loss, for numbers that rounding would lose.
FLAT = 1e-12
#: Longest step of the offset: with it, a step of Newton's method never goes too far for this loss.
LONGEST = 1.0
#: Of the objective, or of the offset: what may be rounding.
ROUNDING = 1e-13
TINY = 1e-300
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
        self.offset, self.odds, self.share = 0.0, 0.0, np.full(signs.size, 0.5)
        self.path: list[tuple[float, np.ndarray, np.ndarray]] = []
        # Products for one step.
        self.most = np.inf if self.K is None else SHARE * signs.size if signs.size > FEW else 0.0

    def solve(self, cost: np.ndarray, tol: float, max_iter: int = MAX_STEPS) -> Outcome:
        """Go from the coefficients at hand to those for the cᵢ, ``cost``, which are positive."""
        y, n_iter, is_convex = self.signs, 0, True
        self.odds = log_odds(y, cost)
        start = self._put(self.beta, self.values, cost, self.offset)
        found: float | None = start
        size = float(np.log(cost.sum()))
        if len(self.path) == 2:  # on the line through the last two solutions, in log C
            (first, beta, values), (last, *_) = self.path
            ahead = (size - last) / (last - first)
            found = self._go(ahead * (self.beta - beta), ahead * (self.values - values), cost, start) or start
        while True:
            share = self.share
            rest = cost * y * share - self.beta
            drift = self.product(rest)
            # β + rest is within its bounds, and its sum is zero: this is its violation of the dual.
            gap = float(drift.max() - drift.min())
            check_finite(np.array(gap))
            if gap < tol or n_iter >= min(max_iter, MAX_STEPS) or found is None:
                break
            weight = cost * share * (1.0 - share)
            step = self._by_products(weight, rest, drift, min(LEFT, gap))
            step = step or self._by_factor(weight, rest)
            is_convex = step is not None
            found = None if step is None else self._go(*step, cost, found)
            n_iter += 1
        self.beta, self.values, self.f = self.beta + rest, self.values + drift, self.offset - drift
        self.offset = float(self.f.mean())
        self.path = [*[one for one in self.path if one[0] != size][-1:], (size, self.beta, self.values)]
        quadratic = 0.5 * float(self.beta @ self.values)
        self.objective = quadratic + float(cost @ (xlogy(share, share) + xlog1py(1.0 - share, -share)))
        losses = float(cost @ log_expit(y * (self.values + self.offset)))
        self.duality_gap = quadratic - losses + self.objective
        return Outcome(n_iter, gap, self.offset, y.size, gap < tol, is_convex)

    def _put(self, beta: np.ndarray, values: np.ndarray, cost: np.ndarray, offset: float) -> float:
        """Take over β and Kβ with the best offset, which is looked for near ``offset``; the objective."""
        self.beta, self.values = beta, values
        self.offset, self.share = best_offset(values, self.signs, cost, offset, self.odds)
        losses = float(cost @ log_expit(self.signs * (values + self.offset)))
        return 0.5 * float(beta @ values) - losses

    def _go(self, change: np.ndarray, slope: np.ndarray, cost: np.ndarray, before: float) -> float | None:
        """Take a step, whose product with K is ``slope``, or a part of it; None if none lowers ``before``."""
        beta, values, offset, t = self.beta, self.values, self.offset, 1.0
        shift = float(slope.mean())  # which may be far more than its differences
        while t > SHORTEST:
            found = self._put(beta + t * change, values + t * slope, cost, offset - t * shift)
            if found <= before + ROUNDING * abs(before):
                return found
            t *= 0.5
        self._put(beta, values, cost, offset)
        return None

    def _by_products(
        self, weight: np.ndarray, rest: np.ndarray, drift: np.ndarray, left: float
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """The step and its product with K by conjugate gradients; None where they are not worth it.

        They go by the inner product aᵀKb, so that each of them lowers the quadratic model of the objective.
        """
        if not self.most:
            return None
        change, slope = np.zeros_like(rest), np.zeros_like(rest)
        total, p, Kp, size = weight.sum(), rest, drift, float(rest @ drift)
        enough = left**2 * size
        for n_products in itertools.count(1):
            step = p + weight * (Kp - (weight @ Kp) / total)
            curvature = float(Kp @ step)
            if not min(size, curvature) > 0.0:
                return None
            a = size / curvature
            change, slope, rest = change + a * p, slope + a * Kp, rest - a * step
            drift = self.product(rest)
            size, last = float(rest @ drift), size
            if size <= enough:
                break
            if n_products > self.most:
                self.most = 0.0  # larger C take even more
                break
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
        change = h * (u - v * ((h @ u - rest.sum()) / (h @ v)))  # of a sum that makes that of β zero
        return change, self.product(change)


def log_odds(signs: np.ndarray, cost: np.ndarray) -> float:
    """Log odds of the classes, by their costs."""
    return float(np.log(cost[signs > 0].sum()) - np.log(cost[signs < 0].sum()))


def best_offset(
    values: np.ndarray, signs: np.ndarray, cost: np.ndarray, start: float, odds: float
) -> tuple[float, np.ndarray]:
    """The offset b with the least Σ c log(1 + exp(−y (values + b))), and σ there.

    It is looked for from ``start`` on; ``odds`` are those of `log_odds`.
    """
    signed = signs * cost
    # With all odds below that of the classes, the slope is positive, and with all above it negative.
    b = min(max(start, odds - float(values.max())), odds - float(values.min()))
    for _ in range(MAX_STEPS):
        share = expit(-signs * (values + b))
        step = float(signed @ share) / max(float(cost @ (share * (1.0 - share))), TINY)
        if abs(step) <= ROUNDING * (1.0 + abs(b)):
            break
        b += min(max(step, -LONGEST), LONGEST)
    return b, share
