"""Searches that need no gradient: every point of a grid, and CMA-ES by the package cma."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import product

import numpy as np
from sklearn.utils import check_random_state

from kernelwise._core.typing import RandomState
from kernelwise._core.validation import check_positive
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

    def _check_own(self, problem: TuningProblem) -> None:
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


class CMAES(Optimizer):
    """Evolution strategy with covariance matrix adaptation; it needs no gradient.

    Points are drawn from a normal distribution, which moves towards the better half of them and learns how
    the parameters depend on each other (Hansen and Ostermeier 2001). It takes many more evaluations than a
    search that follows a gradient, and finds its way over steps and shallow local optima. Papers 002
    (Glasmachers 2006), 003 (Laanaya and others 2011) and 004 (Yin and Yin 2016) cite it. It needs the package
    cma: ``pip install "kernelwise[cma]"``.

    Parameters
    ----------
    sigma : float, default=1.0
        Standard deviation of the first points, in the units of ``theta``: 1 is a factor of e for a width.
    tol : float, default=1e-6
        The search ends where steps in ``theta`` are smaller than this, or costs differ by a thousandth of it.
    max_iter : int, default=1000
        Generations of points.
    n_restarts : int, default=0
        Further runs from random starts; the best run counts.
    random_state : int, RandomState or None, default=0
        Of the points and of the restarts.

    Examples
    --------
    >>> from kernelwise.optimizers import CMAES
    >>> CMAES(max_iter=50)
    CMAES(sigma=1.0, tol=1e-06, max_iter=50, n_restarts=0, random_state=0)

    References
    ----------
    N. Hansen, A. Ostermeier: Completely derandomized self-adaptation in evolution strategies. Evolutionary
    Computation 9(2), 2001.
    """

    requires_gradient = False

    def __init__(
        self,
        sigma: float = 1.0,
        tol: float = 1e-6,
        max_iter: int = 1000,
        n_restarts: int = 0,
        random_state: RandomState = 0,
    ) -> None:
        for name, value in (("sigma", sigma), ("tol", tol), ("max_iter", max_iter)):
            check_positive(value, name, "CMAES")
        self.sigma = sigma
        self.tol = tol
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.random_state = random_state

    def _check_own(self, problem: TuningProblem) -> None:
        if find_spec("cma") is None:
            raise ImportError(
                'CMAES needs the package cma. Install it with pip install "kernelwise[cma]", or use '
                "QuasiNewton or GridSearch."
            )

    def _run(self, space: SearchSpace, start: np.ndarray) -> Run:
        from cma import CMAEvolutionStrategy

        random = check_random_state(self.random_state)
        options = {
            "bounds": [space.bounds[:, 0], space.bounds[:, 1]],
            "CMA_stds": self._spread(space),
            "tolx": self.tol,
            "tolfun": 1e-3 * self.tol,
            "maxiter": self.max_iter,
            # Draws of our own: cma would seed NumPy's generator, which belongs to the user.
            "seed": np.nan,
            "randn": lambda *shape: random.standard_normal(shape),
            "verbose": -10,
            "signals_filename": "",
        }
        strategy = CMAEvolutionStrategy(space.clip(start), self.sigma, options)
        best, value = space.clip(start), space.value(space.clip(start))
        while not strategy.stop():
            space.problem.note(iteration=int(strategy.countiter) + 1)
            points = [space.clip(np.asarray(point, dtype=float)) for point in strategy.ask()]
            values = [space.value(point) for point in points]
            strategy.tell(points, values)
            k = int(np.argmin(values))
            if values[k] < value:
                best, value = points[k], values[k]
        reason = "max_iter" if "maxiter" in strategy.stop() else "converged"
        return Run(best, value, int(strategy.countiter), reason)

    def _spread(self, space: SearchSpace) -> np.ndarray:
        """Standard deviations of the parameters over ``sigma``: those without a logarithm by their range."""
        if space.is_matrix:
            return np.ones(len(space.start))
        is_log = np.concatenate(
            [
                np.full(np.size(getattr(part, h.name)), h.is_log)
                for part in (space.problem.kernel, space.problem.criterion)
                for h in part.hyperparameters
            ]
        )
        width = (space.bounds[:, 1] - space.bounds[:, 0]) / 10.0
        return np.where(is_log, 1.0, width)
