"""Plain gradient descent, as paper 001 (Ayat and others 2002) compares it with quasi-Newton."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.optimizers.base import Optimizer, Run, projected_gradient_norm
from kernelwise.space import SearchSpace


class GradientDescent(Optimizer):
    """Gradient descent in the logarithms of the parameters (paper 001, section 3.3 and figure 3).

    Parameters
    ----------
    step : float, default=0.5
        Length of the first step in log-parameters; it fixes the rate, step / ‖gradient‖ at the start.
    is_adaptive : bool, default=True
        Grow the rate by a tenth after a step that lowers the cost; halve it and go back after one that does
        not. False keeps the rate, whatever happens, as the paper's plain descent does.
    tol : float, default=1e-6
        Stops when no component of the gradient exceeds ``tol`` times ``max(1, |cost|)``.
    max_iter : int, default=200
    n_restarts, random_state
        See :class:`Optimizer`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.optimizers import GradientDescent, QuasiNewton
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = load_iris(return_X_y=True)
    >>> problem = TuningProblem("rbf", "dbtc", X, y == 0)

    At a rate that stays as it is, the same peak as quasi-Newton's takes many more evaluations:

    >>> slow = GradientDescent(is_adaptive=False).minimize(problem)
    >>> fast = QuasiNewton().minimize(problem)
    >>> round(slow.kernel.gamma, 3), round(fast.kernel.gamma, 3)
    (0.197, 0.197)
    >>> slow.n_evaluations > 2 * fast.n_evaluations
    True
    """

    def __init__(
        self,
        step: float = 0.5,
        is_adaptive: bool = True,
        tol: float = 1e-6,
        max_iter: int = 200,
        n_restarts: int = 0,
        random_state: Any = 0,
    ) -> None:
        self.step = step
        self.is_adaptive = is_adaptive
        self.tol = tol
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.random_state = random_state

    def _run(self, space: SearchSpace, start: np.ndarray) -> Run:
        vector = start
        value, gradient = space.value_and_gradient(vector)
        best = Run(vector, value, 0, "max_iter")
        rate = self.step / max(float(np.linalg.norm(gradient)), np.finfo(float).tiny)
        for iteration in range(1, self.max_iter + 1):
            if projected_gradient_norm(space, vector, gradient) <= self.tol * max(1.0, abs(value)):
                return Run(best.vector, best.value, iteration - 1, "converged")
            space.problem.note(iteration=iteration)
            trial = space.clip(vector - rate * gradient)
            if np.abs(trial - vector).max() <= 1e-12:
                return Run(best.vector, best.value, iteration, "no progress")
            trial_value, trial_gradient = space.value_and_gradient(trial)
            is_lower = trial_value < value
            if self.is_adaptive:
                rate *= 1.1 if is_lower else 0.5
            if is_lower or not self.is_adaptive:
                vector, value, gradient = trial, trial_value, trial_gradient
            if value < best.value:
                best = Run(vector, value, iteration, "max_iter")
        return Run(best.vector, best.value, self.max_iter, "max_iter")
