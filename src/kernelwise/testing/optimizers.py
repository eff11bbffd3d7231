"""The contract of an optimizer."""

from __future__ import annotations

import numpy as np

from kernelwise.criteria import InterClassDistance
from kernelwise.kernels import RBF
from kernelwise.optimizers import Optimizer
from kernelwise.problem import TuningProblem


def check_optimizer(optimizer: Optimizer, *, rtol: float = 1e-3, random_state: int = 0) -> None:
    """Raise AssertionError unless an optimizer finds a known peak and keeps the contract of Optimizer.

    The task is the width of an RBF kernel that maximises the distance between the centres of two blobs,
    which has one peak; the reference is a fine grid.

    Parameters
    ----------
    optimizer : Optimizer
    rtol : float, default=1e-3
        Allowed relative distance of the width from the peak. Give a grid search its spacing.
    random_state : int, default=0

    Examples
    --------
    >>> from kernelwise.optimizers import LineSearch
    >>> from kernelwise.testing import check_optimizer
    >>> check_optimizer(LineSearch())
    """
    random = np.random.default_rng(random_state)
    X = np.concatenate([random.normal(size=(30, 3)), random.normal(size=(30, 3)) + 2.0])
    y = np.repeat(["a", "b"], 30)
    problem = TuningProblem(RBF(gamma=0.3), InterClassDistance(), X, y)
    start = problem.value(problem.kernel.theta)
    widths = np.exp(np.linspace(np.log(1e-3), np.log(1e2), 4001))
    peak = min(widths, key=lambda gamma: problem.value(np.log([gamma])))

    parameters = repr(optimizer)
    first, second = optimizer.minimize(problem), optimizer.minimize(problem)
    assert repr(optimizer) == parameters, "minimize changed the optimizer"
    assert problem.kernel == RBF(gamma=0.3), "minimize changed the kernel of the problem"
    assert np.isclose(np.exp(first.theta[0]), peak, rtol=max(rtol, 3e-3)), (first.kernel, peak)
    assert first.value <= start
    assert first.value == second.value
    assert np.array_equal(first.theta, second.theta)
    assert len(first.history) == len(second.history) == first.n_evaluations
    assert np.isclose(first.value, min(row["value"] for row in first.history), rtol=1e-12)
    assert first.score == -first.value
    assert first.converged, first.stop_reason
