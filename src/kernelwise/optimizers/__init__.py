"""Optimizers: θ → better θ, seeing only a TuningProblem."""

from __future__ import annotations

from collections.abc import Callable

from kernelwise.optimizers.base import Optimizer, Run
from kernelwise.optimizers.gradient_searches import GradientDescent, QuasiNewton
from kernelwise.optimizers.manifold_descent import ManifoldDescent
from kernelwise.optimizers.one_parameter import LineSearch, SecondOrder
from kernelwise.optimizers.value_searches import CMAES, GridSearch
from kernelwise.space import SearchSpace

OPTIMIZERS: dict[str, Callable[[], Optimizer]] = {
    "quasi-newton": QuasiNewton,
    "second-order": SecondOrder,
    "gradient-descent": GradientDescent,
    "manifold": ManifoldDescent,
    "line-search": LineSearch,
    "grid": GridSearch,
    "cma-es": CMAES,
}


def as_optimizer(optimizer: Optimizer | str) -> Optimizer:
    """Return the optimizer with that name, or the optimizer itself.

    Parameters
    ----------
    optimizer : str or Optimizer
        A name of :data:`OPTIMIZERS`, which stands for the optimizer with its defaults, or an object.

    Examples
    --------
    >>> from kernelwise.optimizers import LineSearch, as_optimizer
    >>> as_optimizer("second-order"), as_optimizer(LineSearch()).max_parameters
    (SecondOrder(tol=1e-06, max_iter=100, n_restarts=0, random_state=0), 1)
    """
    if isinstance(optimizer, Optimizer):
        return optimizer
    if isinstance(optimizer, str) and optimizer in OPTIMIZERS:
        return OPTIMIZERS[optimizer]()
    names = ", ".join(map(repr, OPTIMIZERS))
    raise ValueError(f"optimizer must be an Optimizer or one of {names}, got {optimizer!r}.")


__all__ = [
    "CMAES",
    "OPTIMIZERS",
    "GradientDescent",
    "GridSearch",
    "LineSearch",
    "ManifoldDescent",
    "Optimizer",
    "QuasiNewton",
    "Run",
    "SearchSpace",
    "SecondOrder",
    "as_optimizer",
]
