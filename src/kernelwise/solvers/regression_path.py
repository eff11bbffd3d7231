"""Cross-validation of C for regression: held-out predictions for every C and fold from one Gram matrix."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelwise.multiclass import Machine
from kernelwise.solvers.fold_path import Fold
from kernelwise.solvers.path import SVMPath, as_path
from kernelwise.solvers.path_problem import PathProblem, Places, Tables
from kernelwise.solvers.regression import direction, twin_targets


@dataclass(frozen=True, eq=False)
class RegressionPaths:
    """The ε-insensitive machine of numbers on folds, prepared for one Gram matrix after the other.

    It is one machine with two variables for every sample (see :mod:`kernelwise.solvers.regression`), so that
    warm starts, Newton steps and the exact end of a path are those of classes. The Gram matrix is K repeated
    twice in both directions, a copy of 4 n² numbers: the native loops run along full rows. For the few
    thousand rows of a search that is small change. ``weight`` has the shape (n_samples,) or (n_folds,
    n_samples); ``places`` are as in `kernelwise.solvers.path.ClassPaths`.
    """

    y: np.ndarray
    splits: list[Fold]
    weight: np.ndarray
    places: Places | None = None
    _problems: dict[float, PathProblem] = field(default_factory=dict)

    def problem(self, epsilon: float) -> PathProblem:
        """The machine of one ε, which is the same for all Gram matrices."""
        if epsilon not in self._problems:
            n = self.y.size
            p, signs = twin_targets(direction(self.y) * self.y, epsilon)
            places = self.places or Places([test for _, test in self.splits], n)
            weight = np.broadcast_to(self.weight, (len(self.splits), n))
            machine = Machine(np.tile(np.arange(n), 2), signs)
            self._problems.clear()  # the next ε is seldom the last one
            self._problems[epsilon] = PathProblem([machine], self.splits, places, weight, p)
        return self._problems[epsilon]

    def solve(self, K: np.ndarray, Cs: np.ndarray, *, epsilon: float, **how: Any) -> tuple[SVMPath, Tables]:
        """The path of one Gram matrix, and tables of shape (n_Cs, n_folds, 1); no warnings.

        The path's ``decision``, of shape (n_Cs, n_samples), holds the held-out predictions; its ``classes``
        are empty. All else is as in `PathProblem.solve`.
        """
        started = time.perf_counter()
        problem = self.problem(epsilon)
        solved = problem.solve(K, Cs, **how)
        members = [machine.members for machine in problem.machines]
        path = as_path(solved, started, np.empty(0), Cs, "regression", members)
        return replace(path, decision=direction(self.y) * path.decision), solved.tables
