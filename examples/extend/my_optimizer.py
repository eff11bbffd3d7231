"""An optimizer of one's own: the simplex of Nelder and Mead, which asks for values only."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_iris

from kernelwise import TunedSVC
from kernelwise.optimizers import Optimizer, Run, SearchSpace
from kernelwise.testing import check_optimizer


class NelderMead(Optimizer):
    """Moves a simplex of n_parameters + 1 points downhill; for a few parameters, and no gradient.

    Nelder and Mead, The Computer Journal 7 (1965), by scipy.

    Parameters
    ----------
    tol : float, default=1e-6
        Stops when all points of the simplex are this close to the best one, in log-parameters.
    max_iter : int, default=500
    n_restarts, random_state
        See :class:`~kernelwise.optimizers.Optimizer`.
    """

    requires_gradient = False

    def __init__(
        self, tol: float = 1e-6, max_iter: int = 500, n_restarts: int = 0, random_state: Any = 0
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.random_state = random_state

    def _run(self, space: SearchSpace, start: np.ndarray) -> Run:
        iteration = 0

        def count(_: np.ndarray) -> None:
            nonlocal iteration
            iteration += 1
            space.problem.note(iteration=iteration)  # for the history

        found = minimize(
            space.value,
            start,
            method="Nelder-Mead",
            bounds=space.bounds,
            callback=count,
            # A simplex of a fixed size: scipy's own is a share of the start, which is nothing at log γ = 0.
            options={
                "initial_simplex": space.clip(start + np.vstack([np.zeros(len(start)), np.eye(len(start))])),
                "maxiter": self.max_iter,
                "xatol": self.tol,
                "fatol": np.inf,
            },
        )
        return Run(found.x, float(found.fun), iteration, "converged" if found.success else "max_iter")


def main() -> TunedSVC:
    """Check the optimizer, then let it search γ and C together, by the cross-validated error."""
    check_optimizer(NelderMead())
    X, y = load_iris(return_X_y=True)
    model = TunedSVC("rbf", criterion="cv-error", search=NelderMead(tol=1e-3)).fit(X, y)
    print(model.kernel_, f"C={model.C_:.3g}", f"cross-validated {model.best_score_:.4f}")
    return model


if __name__ == "__main__":
    main()
