"""Searches along gradients in log-parameters (paper 001, Ayat and others 2002, section 3).

`QuasiNewton` is the paper's search; it compares it with plain descent, `GradientDescent`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from kernelwise._core.typing import RandomState
from kernelwise._core.validation import check_choice, check_not_negative
from kernelwise.optimizers.base import Optimizer, Run, projected_gradient_norm
from kernelwise.space import SearchSpace

GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


class QuasiNewton(Optimizer):
    """BFGS search: an approximate Hessian sets directions, a line search sets steps (paper 001, section 3.2).

    Parameters
    ----------
    engine : {"lbfgsb", "golden"}, default="lbfgsb"
        "lbfgsb" is scipy's L-BFGS-B, which needs the fewest evaluations. "golden" is the paper's: BFGS with
        a golden-section line search, which never lets the cost rise.
    tol : float, default=1e-6
        Stops when no component of the gradient exceeds ``tol`` times ``max(1, |cost|)``.
    max_iter : int, default=200
    n_restarts, random_state
        See :class:`Optimizer`.
    min_decrease : float, default=0.0
        Stops, too, after an iteration that lowers the cost by less than this share of it. An estimate from a
        few hundred samples is not worth minimising to six digits.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.optimizers import QuasiNewton
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = load_iris(return_X_y=True)

    One weight per feature; centred alignment keeps the two petal measures:

    >>> result = QuasiNewton().minimize(TuningProblem("diagonal", "centered-kta", X, y))
    >>> result.stop_reason, round(result.score, 3), result.kernel.q.argsort()[::-1][:2].tolist()
    ('converged', 0.865, [3, 2])
    """

    def __init__(
        self,
        engine: str = "lbfgsb",
        tol: float = 1e-6,
        max_iter: int = 200,
        n_restarts: int = 0,
        random_state: RandomState = 0,
        min_decrease: float = 0.0,
    ) -> None:
        check_choice(engine, "engine", "QuasiNewton", ("lbfgsb", "golden"))
        check_not_negative(min_decrease, "min_decrease", "QuasiNewton")
        self.engine = engine
        self.tol = tol
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.min_decrease = min_decrease

    def _is_small(self, before: float, after: float) -> bool:
        """Whether an iteration gained too little to go on."""
        return before - after < self.min_decrease * abs(before)

    def _run(self, space: SearchSpace, start: np.ndarray) -> Run:
        return self._lbfgsb(space, start) if self.engine == "lbfgsb" else self._golden(space, start)

    def _lbfgsb(self, space: SearchSpace, start: np.ndarray) -> Run:
        # Costs come in all sizes (an alignment is below 1, a polarization of the order of n²): scale to 1.
        last, _ = space.value_and_gradient(start)
        scale = max(1.0, abs(last))
        iteration, is_small = 0, False
        space.problem.note(iteration=1)

        def cost(vector: np.ndarray) -> tuple[float, np.ndarray]:
            value, gradient = space.value_and_gradient(vector)
            return value / scale, gradient / scale

        def count(intermediate_result: OptimizeResult) -> None:
            nonlocal iteration, last, is_small
            before, last = last, scale * float(intermediate_result.fun)
            iteration += 1
            space.problem.note(iteration=iteration + 1)
            is_small = self._is_small(before, last)
            if is_small:
                raise StopIteration

        options = {"maxiter": self.max_iter, "maxfun": 20 * self.max_iter, "gtol": self.tol, "ftol": 1e-15}
        found = minimize(
            cost, start, jac=True, method="L-BFGS-B", bounds=space.bounds, callback=count, options=options
        )
        # Status 2 is a line search that rounding stopped: all that can be had from this cost.
        reason = {0: "converged", 1: "max_iter"}.get(found.status, "no progress")
        reason = "converged" if is_small else reason
        return Run(found.x, float(found.fun) * scale, int(found.nit), reason)

    def _golden(self, space: SearchSpace, start: np.ndarray) -> Run:
        vector = start
        value, gradient = space.value_and_gradient(vector)
        H = _first_hessian(gradient)
        for iteration in range(1, self.max_iter + 1):
            if projected_gradient_norm(space, vector, gradient) <= self.tol * max(1.0, abs(value)):
                return Run(vector, value, iteration - 1, "converged")
            space.problem.note(iteration=iteration)
            new = _line_minimum(space, vector, value, _descent_direction(space, vector, gradient, H))
            if new is None:
                # The approximate Hessian may have gone bad: once more along the gradient.
                H = _first_hessian(gradient)
                new = _line_minimum(space, vector, value, _descent_direction(space, vector, gradient, H))
            if new is None:
                return Run(vector, value, iteration, "no progress")
            new_value, new_gradient = space.value_and_gradient(new)
            is_small = self._is_small(value, new_value)
            H = _bfgs_update(H, new - vector, new_gradient - gradient)
            vector, value, gradient = new, new_value, new_gradient
            if is_small:
                return Run(vector, value, iteration, "converged")
        return Run(vector, value, self.max_iter, "max_iter")


def _first_hessian(gradient: np.ndarray) -> np.ndarray:
    """The inverse Hessian that makes the first step one of length 1 along the gradient."""
    return np.eye(len(gradient)) / max(float(np.linalg.norm(gradient)), np.finfo(float).tiny)


def _descent_direction(
    space: SearchSpace, vector: np.ndarray, gradient: np.ndarray, H: np.ndarray
) -> np.ndarray:
    """−H·g without the components that leave the bounds, or −g where that does not go downhill."""
    for direction in (-H @ gradient, -gradient):
        at_low = (vector <= space.bounds[:, 0]) & (direction < 0)
        at_high = (vector >= space.bounds[:, 1]) & (direction > 0)
        direction = np.where(at_low | at_high, 0.0, direction)
        if gradient @ direction < 0:
            break
    return direction


def _line_minimum(
    space: SearchSpace, vector: np.ndarray, value: float, direction: np.ndarray
) -> np.ndarray | None:
    """The lowest point met on the ray, or None if no step lowers the cost."""
    length = float(np.linalg.norm(direction))
    if length == 0:
        return None
    # No step longer than the whole range; the first tries the full quasi-Newton step.
    largest = float(np.linalg.norm(space.bounds[:, 1] - space.bounds[:, 0])) / length

    met: list[tuple[float, float]] = []

    def cost(step: float) -> float:
        met.append((space.value(space.clip(vector + step * direction)), step))
        return met[-1][0]

    low, high = expand_bracket(cost, value, min(1.0, largest), largest)
    golden_section(cost, low, high)
    while min(met)[0] >= value and high * length > 1e-10:
        high /= 16.0
        golden_section(cost, 0.0, high)
    # A cost with several valleys may have been lower outside the last bracket.
    best, step = min(met)
    return space.clip(vector + step * direction) if best < value else None


def _bfgs_update(H: np.ndarray, s: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The BFGS inverse Hessian, unchanged where the curvature along the step is not positive."""
    curvature = float(s @ y)
    if curvature <= 1e-12 * float(np.linalg.norm(s) * np.linalg.norm(y)):
        return H
    V = np.eye(len(s)) - np.outer(s, y) / curvature
    return V @ H @ V.T + np.outer(s, s) / curvature


def golden_section(
    f: Callable[[float], float], low: float, high: float, tol: float = 1e-2, max_iter: int = 60
) -> tuple[float, float]:
    """Minimise a function on an interval by keeping the golden part of it that holds the lower value.

    Returns the best point inside that was met, and its value.
    """
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    f_left, f_right = f(left), f(right)
    for _ in range(max_iter):
        if high - low <= tol * (abs(low) + abs(high)) / 2.0:
            break
        if f_left <= f_right:
            high, right, f_right = right, left, f_left
            left = high - GOLDEN * (high - low)
            f_left = f(left)
        else:
            low, left, f_left = left, right, f_right
            right = low + GOLDEN * (high - low)
            f_right = f(right)
    return (left, f_left) if f_left <= f_right else (right, f_right)


def expand_bracket(
    f: Callable[[float], float], f_zero: float, first: float, largest: float
) -> tuple[float, float]:
    """An interval (0 or more, up to ``largest``) that holds a minimum of f on the ray from 0, by doubling.

    ``f_zero`` is f(0), which is known; ``first`` the first step tried.
    """
    before, low, value = 0.0, 0.0, f_zero
    step = min(first, largest)
    while True:
        ahead = f(step)
        if ahead >= value:
            return before, step
        before, low, value = low, step, ahead
        if step >= largest:
            return before, largest
        step = min(2.0 * step, largest)


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
        random_state: RandomState = 0,
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
