"""The contract of an optimizer."""

from __future__ import annotations

import numpy as np

from kernelwise.criteria import InterClassDistance
from kernelwise.kernels import RBF
from kernelwise.optimizers import Optimizer
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.testing.assertions import assert_close


def check_optimizer(optimizer: Optimizer, *, rtol: float = 1e-3, random_state: int = 0) -> None:
    """Raise AssertionError unless an optimizer finds a known peak and keeps the contract of Optimizer.

    The task is the width of an RBF kernel that maximises the distance between the centres of two blobs,
    which has one peak; the reference is a grid, and a finer one around its best width.

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
    coarse, step = np.linspace(np.log(1e-3), np.log(1e2), 201, retstep=True)
    near = min(coarse, key=lambda point: problem.value(np.array([point])))
    fine = near + np.linspace(-step, step, 101)
    peak = float(np.exp(min(fine, key=lambda point: problem.value(np.array([point])))))

    parameters = repr(optimizer)
    first, second = optimizer.minimize(problem), optimizer.minimize(problem)
    after = repr(optimizer)
    assert after == parameters, f"minimize changed the optimizer: {parameters} became {after}."
    kernel = problem.kernel
    assert kernel == RBF(gamma=0.3), f"minimize changed the kernel of the problem to {kernel!r}."
    width = float(np.exp(first.theta[0]))
    assert_close(width, peak, "the width found is not that of the peak, 'gamma'", rtol=max(rtol, 3e-3))
    assert first.value <= start, (
        f"the cost found, {first.value:.6g}, is above that of the start, {start:.6g}."
    )
    assert_close(second.value, first.value, "a second call finds another cost", rtol=0.0)
    assert_close(second.theta, first.theta, "a second call finds another theta", rtol=0.0)
    _check_history(first)
    _check_history(second)
    assert first.converged, (
        "the optimizer did not converge on a smooth problem with one peak; its stop_reason is "
        f"{first.stop_reason!r}."
    )


def _check_history(result: TuningResult) -> None:
    n_rows, n_evaluations = len(result.history), result.n_evaluations
    assert n_rows == n_evaluations, f"the history has {n_rows} rows for {n_evaluations} evaluations."
    lowest = min(row["value"] for row in result.history)
    assert_close(result.value, lowest, "the result is not the lowest cost of its history")
    assert_close(result.score, -result.value, "the score is not the cost with its sign changed", rtol=0.0)
