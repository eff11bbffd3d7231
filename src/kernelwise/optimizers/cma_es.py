"""CMA-ES, by the package cma: a search of several parameters that needs no gradient."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from kernelwise._core.validation import check_positive
from kernelwise.optimizers.base import Optimizer, Run
from kernelwise.problem import TuningProblem
from kernelwise.space import SearchSpace


class CMAES(Optimizer):
    """Evolution strategy with covariance matrix adaptation; it needs no gradient.

    Points are drawn from a normal distribution, which moves towards the better half of them and learns how
    the parameters depend on each other (Hansen and Ostermeier 2001). It takes many more evaluations than a
    search that follows a gradient, and finds its way over steps and shallow local optima. Papers 002
    (Glasmachers 2006), 003 (Laanaya and others 2011) and 004 (Yin and Yin 2016) cite it. It needs the package
    cma: ``pip install 'kernelwise[cma]'``.

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
        random_state: Any = 0,
    ) -> None:
        for name, value in (("sigma", sigma), ("tol", tol), ("max_iter", max_iter)):
            check_positive(value, name, "CMAES")
        self.sigma = sigma
        self.tol = tol
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.random_state = random_state

    def check(self, problem: TuningProblem) -> None:
        super().check(problem)
        if find_spec("cma") is None:
            raise ImportError(
                "CMAES needs the package cma. Install it with pip install 'kernelwise[cma]', or use "
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
