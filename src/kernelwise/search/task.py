"""What a search for kernel and C works on: canonical rows, folds, scores, and the time there is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from kernelwise._core.equal_rows import row_hashes
from kernelwise._core.weights import copies_of, with_copies
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel
from kernelwise.search.canonical import sample
from kernelwise.search.cross_validate import HeldOutPaths
from kernelwise.search.deadline import Deadline
from kernelwise.search.folds import Pieces, deal, is_dealt_apart
from kernelwise.search.scored_kernel import KernelPath
from kernelwise.sketch.sketch import DistanceSketch

#: Folds for fewer rows than this; more folds for few rows, where the noise of a split costs most.
FOLDS = ((500, 5), (1500, 3))
FEWEST_FOLDS = 2
#: Rows that the search looks at, at most; the final machine sees all.
MAX_SEARCH_ROWS = 5000
#: Seconds of a path of C on n rows, about, over n²: how many rows a time budget allows.
PATH_COST = 8e-8
#: Paths that a time budget should allow.
N_PATHS = 8


@dataclass
class Task:
    """Samples to choose a kernel for.

    Parameters
    ----------
    Z : array or CSR matrix of shape (n_rows, n_features), or the Gram matrix
        Scaled samples, in canonical order.
    index : ndarray of shape (n_rows,)
        Class index of each row.
    weight, bound : ndarray of shape (n_rows,)
        Weights of the rows, and the bounds of the machines' coefficients as multiples of C: the weights times
        those of the classes.
    score : callable
        ``score(decision, rows, weight)`` → scores of shape (n_Cs,); rows are those of ``Z``.
    settings : dict
        ``strategy``, ``tol``, ``max_iter`` and ``n_jobs`` of `svm_path`.
    Cs : ndarray or None
    cv : int, "auto" or Pieces
        Number of folds, or the folds themselves.
    deadline : Deadline
    random_state : int
    columns : ndarray of shape (n_rows,) or None
        If ``Z`` is a Gram matrix, which columns of the user's it has.
    watch : callable
        Returns a context that every kernel is scored in.
    callback : callable
        Called with every finished path.
    backend : {None, "dask"}
        Where the paths are run: here, or as tasks of dask's scheduler.
    whole : WholeData or None
        Rows elsewhere, of which those of ``Z`` are a sample.
    needs_all_classes : bool
        No more folds of our own than every class has samples for: the score may be undefined without one.
    """

    Z: Any
    index: np.ndarray
    weight: np.ndarray
    bound: np.ndarray
    score: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]
    settings: dict[str, Any]
    Cs: np.ndarray | None = None
    cv: Any = "auto"
    deadline: Deadline = field(default_factory=Deadline)
    random_state: int = 0
    columns: np.ndarray | None = None
    watch: Callable[[], AbstractContextManager[Any]] = nullcontext
    callback: Callable[[KernelPath], None] = lambda path: None
    backend: str | None = None
    whole: Any = None
    needs_all_classes: bool = False
    findings: list[Finding] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rows = self._search_rows()
        self.pieces = self._pieces()
        self.n_folds = self.pieces.n_folds
        where = self.rows[self.pieces.rows]
        share = self.pieces.weight / self.weight[where]
        self.paths = self._paths_class()(
            self.Z[np.ix_(where, where)] if self.is_gram else self.Z[where],
            self._answers[where],
            self.bound[where] * share,
            self.pieces.folds,
            lambda decision, test: self.score(decision, where[test], self.pieces.weight[test]),
            self.settings,
            self.Cs,
            self.deadline,
        )

    # What a regression has others of; the rest of a task is the same for both.
    @property
    def _answers(self) -> np.ndarray:
        return self.index

    def _paths_class(self) -> type[HeldOutPaths]:
        if self.backend is None:
            return HeldOutPaths
        from kernelwise.distributed.runner import ClusterPaths  # imports dask

        return ClusterPaths

    def _limits(self) -> tuple[int, float]:
        """Most rows of a search, and the cost of a path."""
        return MAX_SEARCH_ROWS, PATH_COST

    def _pieces(self) -> Pieces:
        if isinstance(self.cv, Pieces):
            return self.cv.within(self.rows)
        index, weight = self.index[self.rows], self.weight[self.rows]
        counts = np.bincount(index, weights=copies_of(weight))
        most = int(counts.max())
        n_folds = self.cv
        if n_folds == "auto":
            n_folds = min(folds_for(counts.sum()), most)
            if self.needs_all_classes:
                n_folds = max(FEWEST_FOLDS, min(n_folds, int(counts.min())))
        if n_folds > most:
            raise ValueError(
                f"cv={n_folds} is more than the {most} samples of the largest class. Use fewer folds."
            )
        points = None if self.is_gram else row_hashes(self.Z[self.rows])[0]
        is_apart = is_dealt_apart(points, index, weight, n_folds)
        return deal(index, weight, n_folds, self.random_state, is_apart)

    @property
    def is_gram(self) -> bool:
        """Whether ``Z`` is a Gram matrix."""
        return self.columns is not None

    def _search_rows(self) -> np.ndarray:
        """All rows, or a sample of them if they are too many for the search or its time."""
        n, (limit, cost) = len(self.index), self._limits()
        if self.deadline.seconds is not None:
            affordable = np.sqrt(max(self.deadline.left, 0.0) / N_PATHS / cost)
            limit = int(np.clip(affordable, 300, limit))
        if n <= limit:
            return np.arange(n)
        self.findings.append(
            Finding(
                "sampled",
                "info",
                f"Kernel and C were chosen on a stratified sample of {limit} of {n} distinct rows.",
                "The final machine is trained on all rows that its time allows.",
            )
        )
        return sample(self.index, limit, self.random_state)

    @cached_property
    def Z_search(self) -> Any:
        """Scaled samples of the search."""
        return self.Z[self.rows]

    @property
    def y_search(self) -> np.ndarray:
        """Class indices, or targets, of the search's rows."""
        return self._answers[self.rows]

    @property
    def weight_search(self) -> np.ndarray | None:
        """Weights of the search's rows; None if all are one."""
        weight = self.weight[self.rows]
        return None if (weight == 1.0).all() else weight

    @property
    def n_copies(self) -> float:
        """How many samples the search has seen, repeated ones included."""
        return float(copies_of(self.weight[self.rows]).sum())

    def started(self, kernel: Kernel, heuristic: str) -> Kernel:
        """A kernel with parameters from the search's rows, each as often as its weight says."""
        labels = self.index[self.rows]  # all the same in a regression, whose kernels know of none
        samples = with_copies(self.Z_search, labels if labels.any() else None, self.weight_search)
        return kernel.initialize(*samples, heuristic)

    def sketch(self, kernel: Any = None) -> DistanceSketch:
        """The distance sketch of the search's rows, or of the whole."""
        if self.whole is not None:
            return self.whole.sketch(kernel)
        return DistanceSketch.from_data(
            self.Z_search,
            self.y_search,
            kernel=kernel,
            sample_weight=self.weight_search,
            n_jobs=self.settings.get("n_jobs"),
        )

    def ahead(self, kernels: Sequence[Any]) -> None:
        """Say what kernels `run` will be asked for next, if there is time: a cluster scores them together."""
        self.paths.ahead(kernels)

    def run(self, kernel: Any, reason: str) -> KernelPath:
        """Score one kernel."""
        with self.watch():
            path = self.paths.run(kernel, reason)
        self.callback(path)
        return path


def folds_for(n: float) -> int:
    """Number of folds for that many rows."""
    return next((folds for limit, folds in FOLDS if n < limit), FEWEST_FOLDS)
