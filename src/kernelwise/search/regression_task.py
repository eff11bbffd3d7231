"""What a search for the kernel, C and ε of a regression works on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise.search.cross_validate import HeldOutPaths
from kernelwise.search.folds import Folds
from kernelwise.search.scored_kernel import KernelPath
from kernelwise.search.task import Task
from kernelwise.solvers.path import SVMPath
from kernelwise.solvers.regression_path import svr_path

#: Rows that the search looks at, at most. A path takes K four times over, and most rows are support vectors.
MAX_SEARCH_ROWS = 2000
#: Seconds of a path of C on n rows, about, over n².
PATH_COST = 2e-7
#: C·variance at most: of the values tried at first, and of those beyond. Larger ones take minutes where a
#: kernel is wide, and a narrower kernel does better with less.
FIRST_TOP, TOP = 2.0**6.5, 2.0**10.5
#: Machines of the search are trained to this many times the tolerance: scores differ by some 1e-4.
COARSER = 10.0
#: ε of the first machines, in units of the standard deviation of y.
FIRST_EPSILON = 0.1


@dataclass
class RegressionPaths(HeldOutPaths):
    """Scores kernels with machines for regression; ``index`` holds the targets, ``epsilon`` what is run."""

    epsilon: float | None = FIRST_EPSILON

    def _first_Cs(self, variance: float) -> np.ndarray:
        Cs = super()._first_Cs(variance)
        return Cs[Cs * variance <= FIRST_TOP]

    def _missing(self, path: KernelPath) -> np.ndarray:
        """As for classes, but a kernel that does not lead goes no further: time goes there."""
        more = super()._missing(path)
        if not more.size or more[0] < path.Cs[0]:
            return more
        leads = all(path.best_score >= other.best_score for other in self.paths)
        return more[more * path.variance <= TOP] if leads else np.empty(0)

    def _machines(self, K: np.ndarray, Cs: np.ndarray, folds: Folds, after: SVMPath | None) -> SVMPath:
        settings = {**self.settings, "tol": COARSER * self.settings["tol"], "after": after}
        assert self.epsilon is not None
        return svr_path(K, self.index, Cs, folds, epsilon=self.epsilon, sample_weight=self.weight, **settings)


@dataclass
class RegressionTask(Task):
    """Samples with real-valued targets to choose a kernel for.

    Parameters
    ----------
    target : ndarray of shape (n_rows,)
        Standardised. The ``index`` of a `Task` is zero for all: to folds and samples they are one class.
    epsilons : list of float
        Every kernel is scored with each of them.
    has_given_epsilons : bool
        Whether they are the user's, and no others are to be tried.
    """

    target: np.ndarray = field(default_factory=lambda: np.empty(0))
    epsilons: list[float] = field(default_factory=lambda: [FIRST_EPSILON])
    has_given_epsilons: bool = False

    @property
    def _answers(self) -> np.ndarray:
        return self.target

    def _paths_class(self) -> type[HeldOutPaths]:
        return RegressionPaths

    def _limits(self) -> tuple[int, float]:
        return MAX_SEARCH_ROWS, PATH_COST

    def run(self, kernel: Any, reason: str) -> KernelPath:
        """Score one kernel with every ε; the best path is returned, the first of equals."""
        return max([self.run_at(kernel, reason, epsilon) for epsilon in self.epsilons], key=_score)

    def run_at(self, kernel: Any, reason: str, epsilon: float, Cs: np.ndarray | None = None) -> KernelPath:
        """Score one kernel with one ε; with these values of C, if any are given."""
        assert isinstance(self.paths, RegressionPaths)
        self.paths.epsilon = epsilon
        self.paths.Cs = self.Cs if Cs is None else Cs
        return super().run(kernel, reason)

    def residual(self, path: KernelPath) -> float:
        """Root mean squared held-out error of the best machine of a path, in units of y's deviation."""
        errors = path.decision[path.best, :, 0] - self.paths.index
        return float(np.sqrt(np.average(errors**2, weights=self.pieces.weight)))


def _score(path: KernelPath) -> float:
    return path.best_score
