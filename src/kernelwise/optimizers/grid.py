"""Every combination of given parameter values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np

from kernelwise.optimizers.base import Optimizer, Run
from kernelwise.problem import TuningProblem
from kernelwise.space import SearchSpace

MAX_POINTS = 1_000_000


class GridSearch(Optimizer):
    """Search that tries every point of a grid; it needs no gradient.

    Parameters
    ----------
    values : dict from parameter name to a sequence of values, default=None
        In the parameter's own units, such as ``{"gamma": [0.1, 1.0, 10.0]}``. A parameter that is not named
        is left as it is.
    n_points : int, default=9
        Points per parameter, equally spaced in ``theta`` between its bounds, when ``values`` is None.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.optimizers import GridSearch
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = load_iris(return_X_y=True)
    >>> problem = TuningProblem("rbf", "esdr", X, y)
    >>> GridSearch({"gamma": [0.01, 0.1, 1.0]}).minimize(problem).kernel
    RBF(gamma=0.01)
    """

    requires_gradient = False

    def __init__(self, values: Mapping[str, Sequence[float]] | None = None, n_points: int = 9) -> None:
        self.values = values
        self.n_points = n_points

    def check(self, problem: TuningProblem) -> None:
        super().check(problem)
        if problem.kernel.geometry != "euclidean" and self.values is not None:
            raise ValueError(f"GridSearch takes no named values for {type(problem.kernel).__name__}.")
        unknown = sorted(set(self.values or ()) - set(problem.theta_names))
        if unknown:
            raise ValueError(
                f"{type(problem.kernel).__name__} has no free parameter {unknown[0]!r}; "
                f"it has {', '.join(problem.theta_names)}."
            )

    def _starts(self, space: SearchSpace) -> list[np.ndarray]:
        return [space.start]

    def _run(self, space: SearchSpace, start: np.ndarray) -> Run:
        axes = self._axes(space, start)
        n_points = int(np.prod([float(len(axis)) for axis in axes]))
        if n_points > MAX_POINTS:
            raise ValueError(
                f"The grid has {n_points} points; at most {MAX_POINTS} are allowed. "
                "Use fewer points per parameter, or QuasiNewton."
            )
        points = [np.array(point) for point in product(*axes)]
        values = [space.value(point) for point in points]
        k = int(np.argmin(values))
        return Run(points[k], float(values[k]), 1, "grid exhausted")

    def _axes(self, space: SearchSpace, start: np.ndarray) -> list[np.ndarray]:
        if self.values is None:
            return [np.linspace(low, high, self.n_points) for low, high in space.bounds]
        is_log = {h.name: h.is_log for h in space.problem.hyperparameters}
        axes = []
        for entry, name in zip(start, space.problem.theta_names, strict=True):
            given = np.asarray(self.values.get(name, ()), dtype=float)
            if not given.size:
                axes.append(np.array([entry]))
            elif is_log[name.split("[")[0]]:
                if (given <= 0).any():
                    raise ValueError(f"Values of {name!r} in the grid must be positive, got {given.min()}.")
                axes.append(np.log(given))
            else:
                axes.append(given)
        return axes
