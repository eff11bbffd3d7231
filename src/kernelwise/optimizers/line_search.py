"""One parameter: the whole range on a grid, then refined around the best point."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from kernelwise.optimizers.base import Optimizer, Run
from kernelwise.space import SearchSpace

FLAT = 1e-9


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
