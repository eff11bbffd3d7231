"""The result of a search."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise.criteria import Criterion
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel


class History(list[dict[str, Any]]):
    """One row per evaluation; ``history.to_frame()`` or ``pandas.DataFrame(history)`` makes a table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.optimizers import QuasiNewton
    >>> from kernelwise.problem import TuningProblem
    >>> problem = TuningProblem("rbf", "dbtc", *load_iris(return_X_y=True))
    >>> history = QuasiNewton().minimize(problem).history
    >>> "gamma" in history[0], "score" in history[0]
    (True, True)

    Where the iterations ended, the score never fell:

    >>> scores = [row["score"] for row in history.by_iteration()]
    >>> scores == sorted(scores)
    True
    """

    def to_frame(self) -> Any:
        """The history as a pandas DataFrame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self)

    def by_iteration(self) -> History:
        """The row of the lowest cost of every iteration of every start: where each iteration ended."""
        best: dict[tuple[int, int], dict[str, Any]] = {}
        for row in self:
            key = (row.get("start", 0), row.get("iteration", 0))
            if key not in best or row["value"] < best[key]["value"]:
                best[key] = row
        return History(best.values())


@dataclass(frozen=True)
class TuningResult:
    """Result of a search: the best kernel, and how the search found it.

    Attributes
    ----------
    kernel : Kernel
    criterion : Criterion or None
        With its own parameters where the search ended, such as ``criterion.C``.
    value : float
        The cost at ``kernel``; smaller is better.
    score : float
        The paper's own quantity there.
    theta : ndarray
        The point of the search: ``kernel.theta``, then ``criterion.theta``.
    history : History
        One row per evaluation: value, score, gradient norm, parameters, seconds since the start, and what
        the criterion reports (number of support vectors, margin, validation error) and the test error.
    stop_reason : str
        "converged", "interior peak", "plateau", "boundary", "grid exhausted", "max_iter" or
        "no progress", of the run that found the best kernel.
    converged : bool
        Whether that reason means an optimum inside the range.
    n_evaluations, n_gradients, n_iterations : int
        Over all restarts.
    seconds : float
    diagnostics : tuple of Finding

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.optimizers import LineSearch
    >>> from kernelwise.problem import TuningProblem
    >>> result = LineSearch().minimize(TuningProblem("rbf", "dbtc", *load_iris(return_X_y=True)))
    >>> round(result.kernel.gamma, 3), round(result.score, 3), result.stop_reason, result.converged
    (0.247, 1.181, 'interior peak', True)
    >>> result.n_evaluations == len(result.history)
    True
    """

    kernel: Kernel
    criterion: Criterion | None
    value: float
    score: float
    theta: np.ndarray
    history: History = field(repr=False)
    stop_reason: str
    converged: bool
    n_evaluations: int
    n_gradients: int
    n_iterations: int
    seconds: float
    diagnostics: tuple[Finding, ...] = ()
