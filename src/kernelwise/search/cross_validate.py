"""Held-out scores of kernels along paths of C, all on the same folds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, MutableMapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.memory import MIB
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels.gram import Grams, base_of
from kernelwise.search import kernel_journal as path_journal
from kernelwise.search.c_range import beyond, c_range, spread
from kernelwise.search.deadline import Deadline
from kernelwise.search.fold_kernels import FoldKernels, final_kernel
from kernelwise.search.folds import Folds
from kernelwise.search.scored_kernel import KernelPath, check_defined, joined
from kernelwise.solvers import svm_path
from kernelwise.solvers.path import SVMPath

MAX_EXTENSIONS = 4
#: C grows further only for a gain of more held-out samples than this.
MARGIN = 1.0
#: Bytes of held-out decision values that are kept.
MAX_STORED = 512 * MIB


@dataclass
class HeldOutPaths:
    """Scores kernels on fixed folds, and remembers all it has scored.

    Parameters
    ----------
    Z : array or CSR matrix of shape (n_samples, n_features), or the Gram matrix itself
    index : ndarray of shape (n_samples,)
        Class index of each sample.
    weight : ndarray of shape (n_samples,)
        Bounds of the machines as multiples of C.
    folds : list of (train, test)
    score : callable
        ``score(decision, rows)`` → scores of shape (n_Cs,) of held-out decision values.
    settings : dict
        ``strategy``, ``tol``, ``max_iter`` and ``n_jobs`` of `svm_path`.
    Cs : ndarray or None
        Values of C for every kernel; None is a range that follows the kernel.
    deadline : Deadline
        The range of a kernel goes on only while there is time.
    journal : mutable mapping from str, default=None
        Scored kernels are looked up there and put there.
    epsilon : float, default=None
        Of a regression.
    """

    Z: Any
    index: np.ndarray
    weight: np.ndarray
    folds: Folds
    score: Callable[[np.ndarray, np.ndarray], np.ndarray]
    settings: dict[str, Any]
    Cs: np.ndarray | None = None
    deadline: Deadline = field(default_factory=Deadline)
    journal: MutableMapping[str, Any] | None = None
    epsilon: float | None = None
    paths: list[KernelPath] = field(default_factory=list)
    n_stopped: int = 0
    n_indefinite: int = 0

    def __post_init__(self) -> None:
        self._grams: dict[str | None, Grams] = {}

    def run(self, kernel: Any, reason: str) -> KernelPath:
        """Score a kernel for every C, and for more beyond an end where the best is."""
        path = self._score(kernel, reason) if self.journal is None else self._remembered(kernel, reason)
        if path.again is None:
            path.again = self._again(kernel, reason, path.Cs)
        self.paths.append(path)
        self._forget()
        return path

    def _forget(self) -> None:
        """Held-out values of the worst kernels, if all together are too large: they can be had again."""
        stored = [path for path in self.paths if path.stored is not None]
        stored.sort(key=lambda path: path.best_score)
        excess = sum(path.decision.nbytes for path in stored) - MAX_STORED
        for path in stored[:-1]:
            if excess <= 0:
                return
            excess -= path.decision.nbytes
            path.stored = None

    def ahead(self, kernels: Sequence[Any]) -> None:
        """Kernels that `run` will be asked for: nothing here, where one is run after the other."""

    def _remembered(self, kernel: Any, reason: str) -> KernelPath:
        """From the journal, or into it."""
        assert self.journal is not None
        # A time budget may leave fewer rows to the search, and end a path before its time.
        name = f"{path_journal.name_of(kernel, self.Cs, self.epsilon)} {len(self.index)}"
        n_skipped = len(self.deadline.skipped)
        if name not in self.journal:
            before = self.n_stopped, self.n_indefinite
            path = self._score(kernel, reason)
            counts = self.n_stopped - before[0], self.n_indefinite - before[1]
            if len(self.deadline.skipped) == n_skipped:
                self.journal[name] = path_journal.to_json(path, *counts)
            return path
        found = self.journal[name]
        self.n_stopped += found["n_stopped"]
        self.n_indefinite += found["n_indefinite"]
        return path_journal.from_json(found, kernel, reason, self._again(kernel, reason, found["Cs"]))

    def _again(self, kernel: Any, reason: str, Cs: Sequence[float] | np.ndarray) -> Callable[[], np.ndarray]:
        """What scores a kernel as it would be scored now, for its decision values."""
        then = copy(self)
        then.paths, then.deadline = list(self.paths), Deadline()

        def again() -> np.ndarray:
            path = then._score(kernel, reason)
            if not np.array_equal(path.Cs, Cs):  # its time was up before the end of its path
                then.Cs = np.asarray(Cs)
                path = then._score(kernel, reason)
            return path.decision

        return again

    def _score(self, kernel: Any, reason: str) -> KernelPath:
        with self._gram(final_kernel(kernel)) as K:
            variance = spread(K, self.weight) * float(self.weight.mean())
            if not isinstance(kernel, FoldKernels):
                path = self._along_C(kernel, reason, K, variance)
        if isinstance(kernel, FoldKernels):  # each fold has a Gram matrix, in the same memory
            path = self._along_C(kernel, reason, None, variance)
        return path

    def _along_C(self, kernel: Any, reason: str, K: np.ndarray | None, variance: float) -> KernelPath:
        before = self.n_indefinite
        Cs = self._first_Cs(variance) if self.Cs is None else self.Cs
        path, solved = self._solve(kernel, reason, K, Cs, variance)
        for _ in range(MAX_EXTENSIONS if self.Cs is None else 0):
            more = self._missing(path)
            if not more.size or not self._is_affordable(path, more):
                break
            goes_on = more[0] > path.Cs[-1]  # from the solutions at hand
            further, last = self._solve(kernel, reason, K, more, variance, solved if goes_on else None)
            path, solved = joined(path, further), last if goes_on else solved
        # Every Gram matrix counts once, however often the range of C went on.
        n_matrices = len(kernel.by_fold) if isinstance(kernel, FoldKernels) else 1
        self.n_indefinite = min(self.n_indefinite, before + n_matrices)
        return path

    def _first_Cs(self, variance: float) -> np.ndarray:
        return c_range(variance)

    def _gram(self, kernel: Any) -> AbstractContextManager[np.ndarray]:
        """The Gram matrix, from distances or inner products that kernels share where they can."""
        base = base_of(kernel)
        if base not in self._grams:
            self._grams[base] = Grams(self.Z, [] if base is None else [base])
        return self._grams[base].gram(kernel)

    def _missing(self, path: KernelPath) -> np.ndarray:
        """Values of C beyond the end at which the best one is; none where they cannot matter."""
        smoothed = path.smoothed
        if path.best == 0 and np.ptp(path.scores.mean(axis=1)) > 0.0:
            return beyond(path.Cs, path.variance, upwards=False)
        is_top = path.best == len(path.Cs) - 1 and not path.is_finished
        # Machines get dear as C grows: less than one held-out sample is no reason to go on.
        if is_top and smoothed[-1] - smoothed[:-1].max() > MARGIN / len(self.index):
            return beyond(path.Cs, path.variance, upwards=True)
        return np.empty(0)

    def _is_affordable(self, path: KernelPath, more: np.ndarray) -> bool:
        # Two values above may take as long as all before them; those below take less than any.
        share = 1.0 if more[0] > path.Cs[0] else more.size / path.Cs.size
        return self.deadline.allows(f"C = {more[0]:.3g} of {path.kernel}", path.seconds * share)

    def _solve(
        self,
        kernel: Any,
        reason: str,
        K: np.ndarray | None,
        Cs: np.ndarray,
        variance: float,
        after: list[SVMPath] | None = None,
    ) -> tuple[KernelPath, list[SVMPath]]:
        """The path of a kernel, and what it can go on from."""
        started = time.perf_counter()
        solved = self._parts(kernel, K, Cs, after)
        decision = solved[0].decision
        if len(solved) > 1:
            decision = decision.copy()  # what comes from a cluster may be read-only
            for part, (_, test) in zip(solved, self.folds, strict=True):
                decision[:, test] = part.decision[:, test]
        scores = np.stack([self.score(decision[:, test], test) for _, test in self.folds], axis=1)
        check_defined(scores)
        top = int(np.argmax(Cs))
        path = KernelPath(
            kernel=final_kernel(kernel),
            reason=reason,
            Cs=np.asarray(Cs),
            scores=scores,
            # Kept for probabilities only, and many classes have many machines: half the memory.
            stored=decision.reshape(len(Cs), len(self.index), -1).astype(np.float32),
            n_support=np.mean([part.n_support.mean(axis=(1, 2)) for part in solved], axis=0),
            is_finished=not any(part.n_bounded[top].any() for part in solved),
            variance=variance,
            seconds=time.perf_counter() - started,
            n_machines=sum(part.n_support.size for part in solved),
            epsilon=self.epsilon,
        )
        return path, solved

    def _parts(
        self, kernel: Any, K: np.ndarray | None, Cs: np.ndarray, after: list[SVMPath] | None
    ) -> list[SVMPath]:
        """One path of all folds, or one for each of them."""
        if not isinstance(kernel, FoldKernels):
            assert K is not None
            return [self._path(K, Cs, self.folds, None if after is None else after[0])]
        solved = []
        for k, (own, fold) in enumerate(zip(kernel.by_fold, self.folds, strict=True)):
            with self._gram(own) as K_own:
                solved.append(self._path(K_own, Cs, [fold], None if after is None else after[k]))
        return solved

    def _path(self, K: np.ndarray, Cs: np.ndarray, folds: Folds, after: SVMPath | None) -> SVMPath:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            path = self._machines(K, Cs, folds, after)
        self._count(path, caught)
        return path

    def _machines(self, K: np.ndarray, Cs: np.ndarray, folds: Folds, after: SVMPath | None) -> SVMPath:
        """Train on every fold for every C."""
        return svm_path(K, self.index, Cs, folds, sample_weight=self.weight, after=after, **self.settings)

    def _count(self, path: SVMPath, caught: list[warnings.WarningMessage]) -> None:
        """Count what one sentence in the end is about; pass on all other warnings."""
        self.n_stopped += int((~path.converged).sum())
        for warning in caught:
            if issubclass(warning.category, KernelwiseWarning):  # K is not positive semi-definite
                self.n_indefinite += 1
            elif not issubclass(warning.category, ConvergenceWarning):
                warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)

    @property
    def n_machines(self) -> int:
        """Machines trained so far."""
        return sum(path.n_machines for path in self.paths)
