"""Searches over one parameter.

`SecondOrder` has the step of paper 000 (Abe 2007, eqs. 9 and 10), made safe; `LineSearch` looks at the whole
range on a grid and refines around the best point.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from kernelwise._core.typing import RandomState
from kernelwise.exceptions import IncompatibleError
from kernelwise.optimizers.base import Optimizer, Run
from kernelwise.problem import TuningProblem
from kernelwise.space import SearchSpace

# A score whose change over a doubling of the parameter is below this share of it is called flat.
FLAT = 1e-9


class SecondOrder(Optimizer):
    """Second-order search for the peak of d²(p) over the factor p of a kernel exp(−p·D).

    The step solves c + bΔ + aΔ²/2 = 0, with c, b, a the first, second and third derivative of the score
    (paper 000, eqs. 9 and 10), in the form Δ = 2c / (−b + √(b² − 2ac)), which is the paper's Δ⁻ without
    cancellation. Where the square root is not real or the step does not go uphill, the parameter is doubled
    or halved instead: an inflection is passed, not taken for a peak. Points left and right of the peak are
    kept as a bracket.

    Parameters
    ----------
    tol : float, default=1e-6
        The largest relative correction at which the search stops.
    max_iter : int, default=100
    n_restarts, random_state
        See :class:`Optimizer`.

    Notes
    -----
    ``stop_reason`` is "interior peak", "plateau" (the score only rises to its limit, so that there is no
    peak), "boundary" or "max_iter".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import minmax_scale
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.optimizers import SecondOrder
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = load_iris(return_X_y=True)

    The paper's start is γ = 0.01 in exp(−(γ/m)D), with m = 4 features here:

    >>> problem = TuningProblem(RBF(0.01 / 4), "dbtc", minmax_scale(X), y == 0)
    >>> result = SecondOrder().minimize(problem)
    >>> round(4 * result.kernel.gamma, 4), result.n_iterations, result.stop_reason
    (11.7197, 5, 'interior peak')
    """

    max_parameters = 1

    def __init__(
        self, tol: float = 1e-6, max_iter: int = 100, n_restarts: int = 0, random_state: RandomState = 0
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.random_state = random_state

    def _check_own(self, problem: TuningProblem) -> None:
        if not problem.has_scale_derivatives:
            raise IncompatibleError(
                f"SecondOrder needs three derivatives along one width, which {type(problem.kernel).__name__} "
                f"with {type(problem.criterion).__name__} does not have. Use RBF or Mahalanobis with "
                "InterClassDistance or Polarization, or LineSearch or QuasiNewton."
            )

    def _run(self, space: SearchSpace, start: np.ndarray) -> Run:
        low, high = np.exp(space.bounds[0])
        left, right = 0.0, np.inf
        p = float(np.exp(start[0]))
        reason, iteration, score = "max_iter", 0, np.nan
        for iteration in range(1, self.max_iter + 1):
            space.problem.note(iteration=iteration)
            score, c, b, a = space.problem.scale_derivatives(np.log([p]))
            if c > 0:
                left = p
            else:
                right = p
            stop = self._stop_reason(p, score, c, b, a, low, high)
            if stop:
                reason = stop
                break
            p = float(np.clip(_next(p, c, b, a, left, right), low, high))
        return Run(np.log([p]), space.problem.criterion.sign * float(score), iteration, reason)

    def _stop_reason(
        self, p: float, score: float, c: float, b: float, a: float, low: float, high: float
    ) -> str | None:
        if abs(c) * p <= FLAT * abs(score) and -b * p * p <= FLAT * abs(score):
            return "plateau"
        step = second_order_step(c, b, a)
        if b < 0 and step is not None and abs(step) <= self.tol * p:
            return "interior peak"
        if (c > 0 and p >= high) or (c < 0 and p <= low):
            return "boundary"
        return None


def second_order_step(c: float, b: float, a: float) -> float | None:
    """Δ = 2c / (−b + √(b² − 2ac)), or None where that does not go uphill.

    Where the root is not real it is taken as zero. In this form the step is then −2c/b, which stays long
    at an inflection (b → 0); the paper's form −b/a would be zero there and look like convergence.
    """
    denominator = -b + np.sqrt(max(b * b - 2.0 * a * c, 0.0))
    return 2.0 * c / denominator if denominator > 0 else None


def _next(p: float, c: float, b: float, a: float, left: float, right: float) -> float:
    step = second_order_step(c, b, a)
    if step is not None and left < p + step < right:
        return p + step
    if left > 0 and np.isfinite(right):
        return float(np.sqrt(left * right))
    return 2.0 * p if c > 0 else p / 2.0


class LineSearch(Optimizer):
    """Global search over one parameter: a grid over its bounds, then Brent's method between the neighbours.

    Parameters
    ----------
    n_points : int, default=61
        Points of the grid, equally spaced in the logarithm of the parameter.
    tol : float, default=1e-8
        Absolute accuracy of the refined logarithm.

    Notes
    -----
    ``stop_reason`` is "interior peak", "plateau" (the best value is at an end and the curve is flat there)
    or "boundary".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.optimizers import LineSearch
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = load_iris(return_X_y=True)
    >>> result = LineSearch().minimize(TuningProblem("rbf", "centered-kta", X, y))
    >>> round(result.kernel.gamma, 3), round(result.score, 3), result.stop_reason
    (0.308, 0.795, 'interior peak')
    """

    requires_gradient = False
    max_parameters = 1

    def __init__(self, n_points: int = 61, tol: float = 1e-8) -> None:
        self.n_points = n_points
        self.tol = tol

    def _starts(self, space: SearchSpace) -> list[np.ndarray]:
        return [space.start]  # a global search: where it starts does not matter

    def _run(self, space: SearchSpace, start: np.ndarray) -> Run:
        points = np.linspace(space.bounds[0, 0], space.bounds[0, 1], self.n_points)
        values = np.array([space.value(np.array([point])) for point in points])
        k = int(values.argmin())
        low, high = points[max(k - 1, 0)], points[min(k + 1, len(points) - 1)]
        space.problem.note(iteration=1)
        how = {"bounds": (low, high), "method": "bounded", "options": {"xatol": self.tol}}
        found: Any = minimize_scalar(lambda v: space.value(np.array([v])), **how)
        is_refined = found.fun < values[k]
        best, value = map(float, (found.x, found.fun) if is_refined else (points[k], values[k]))
        return Run(np.array([best]), value, 1, _stop_reason(values, k, best, space.bounds[0]))


def _stop_reason(values: np.ndarray, k: int, best: float, bounds: np.ndarray) -> str:
    is_flat = np.isclose(values, values[k], rtol=FLAT, atol=0.0)
    end = 0 if k <= len(values) // 2 else len(values) - 1
    if is_flat[min(k, end) : max(k, end) + 1].all() and is_flat.sum() > 1:
        return "plateau"
    is_inside = 0 < k < len(values) - 1 or np.abs(bounds - best).min() > 1e-4 * (bounds[1] - bounds[0])
    return "interior peak" if is_inside else "boundary"
