"""Held-out scores whose paths are tasks of dask: each fold of each kernel is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from dask import delayed
from scipy import sparse

from kernelwise.distributed.chunks import computed, persisted
from kernelwise.kernels.gram import gram_of
from kernelwise.search.c_range import spread
from kernelwise.search.cross_validate import HeldOutPaths
from kernelwise.search.fold_kernels import FoldKernels, final_kernel
from kernelwise.search.folds import Folds
from kernelwise.search.kernel_journal import name_of
from kernelwise.search.scored_kernel import KernelPath
from kernelwise.solvers.path import SVMPath, solve_path


@dataclass(frozen=True)
class Shared:
    """What all tasks need; see `HeldOutPaths`."""

    Z: Any
    index: np.ndarray
    weight: np.ndarray
    folds: Folds
    settings: dict[str, Any]

    def gram(self, kernel: Any) -> np.ndarray:
        """Gram matrix of shape (n_samples, n_samples)."""
        return gram_of(kernel, self.Z if sparse.issparse(self.Z) else _aligned(self.Z))


class FoldResult(NamedTuple):
    """The path of one fold, and whether all its machines found K positive semi-definite.

    Workers do not warn: nobody would hear those in other processes.
    """

    path: SVMPath
    is_convex: bool


@dataclass
class ClusterPaths(HeldOutPaths):
    """Paths that dask's current scheduler runs; no Gram matrix is made here.

    A task makes the Gram matrix of all samples where it is, and the machines of its fold that all folds
    together would have: the results are those of `HeldOutPaths`.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        # The scheduler knows how many tasks fit at one moment: each is one thread.
        settings = {**self.settings, "n_jobs": 1}
        self._shared = persisted(Shared(self.Z, self.index, self.weight, self.folds, settings))
        self._variances: dict[str, float] = {}
        self._first: dict[str, list[FoldResult]] = {}

    def ahead(self, kernels: Sequence[Any]) -> None:
        """Run the first values of C of some kernels together.

        Not where the kernels might not all be run after all, for want of time or because a journal has them.
        """
        if self.deadline.seconds is not None or self.journal is not None:
            return
        variances = computed([self._spread(kernel) for kernel in kernels])
        Cs = [self._first_Cs(variance) if self.Cs is None else self.Cs for variance in variances]
        found = computed([self._tasks(kernel, own, None) for kernel, own in zip(kernels, Cs, strict=True)])
        for kernel, variance, own, results in zip(kernels, variances, Cs, found, strict=True):
            self._variances[name_of(kernel, None, None)] = variance
            self._first[name_of(kernel, own, None)] = results

    def _score(self, kernel: Any, reason: str) -> KernelPath:
        variance = self._variances.pop(name_of(kernel, None, None), None)
        if variance is None:
            variance = computed(self._spread(kernel))
        return self._along_C(kernel, reason, None, variance)

    def _solve(self, *args: Any, **options: Any) -> tuple[KernelPath, list[SVMPath]]:
        path, solved = super()._solve(*args, **options)
        # By the clock, what was run ahead takes no time.
        path.seconds = sum(part.seconds for part in solved)
        return path, solved

    def _parts(
        self, kernel: Any, K: np.ndarray | None, Cs: np.ndarray, after: list[SVMPath] | None
    ) -> list[SVMPath]:
        """One path for each fold."""
        results = self._first.pop(name_of(kernel, Cs, None), None)
        if results is None:
            results = computed(self._tasks(kernel, Cs, after))
        self.n_stopped += sum(int((~result.path.converged).sum()) for result in results)
        self.n_indefinite += sum(not result.is_convex for result in results)
        return [result.path for result in results]

    def _spread(self, kernel: Any) -> Any:
        return delayed(partial(_variance, final_kernel(kernel)))(self._shared)

    def _tasks(self, kernel: Any, Cs: np.ndarray, after: list[SVMPath] | None) -> list[Any]:
        is_own = isinstance(kernel, FoldKernels)
        return [
            delayed(
                partial(
                    _fold,
                    kernel.by_fold[k] if is_own else kernel,
                    Cs,
                    k,
                    is_own,
                    None if after is None else after[k],
                )
            )(self._shared)
            for k in range(len(self.folds))
        ]


def _aligned(array: np.ndarray) -> np.ndarray:
    """Arrays that come to a worker may lie at odd addresses, where sums are rounded in another order."""
    return np.require(array, requirements=["A", "W"])


def _variance(kernel: Any, shared: Shared) -> float:
    weight = _aligned(shared.weight)
    return spread(shared.gram(kernel), weight) * float(weight.mean())


def _fold(
    kernel: Any, Cs: np.ndarray, k: int, is_own: bool, after: SVMPath | None, shared: Shared
) -> FoldResult:
    """Train on one fold for every C; ``is_own`` if no other fold has this kernel."""
    path, tables = solve_path(
        shared.gram(kernel),
        shared.index,
        Cs,
        [shared.folds[k]] if is_own else shared.folds,
        sample_weight=_aligned(shared.weight),
        after=after,
        only=0 if is_own else k,
        **shared.settings,
    )
    return FoldResult(path, bool(tables["is_convex"].all()))
