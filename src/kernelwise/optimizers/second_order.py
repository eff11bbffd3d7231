"""The second-order step of paper 000 (Abe 2007, eqs. 9 and 10), made safe."""

from __future__ import annotations

from typing import Any

import numpy as np

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
        self, tol: float = 1e-6, max_iter: int = 100, n_restarts: int = 0, random_state: Any = 0
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.random_state = random_state

    def check(self, problem: TuningProblem) -> None:
        super().check(problem)
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
