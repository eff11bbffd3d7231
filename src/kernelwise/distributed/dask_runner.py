"""Paths of C as tasks of dask: each fold of each kernel is one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from dask import delayed
from scipy import sparse

from kernelwise._core.typing import Samples
from kernelwise.distributed.chunks import computed, persisted
from kernelwise.kernels.gram import GramSource, gram_of
from kernelwise.search.engine.kernel_journal import name_of
from kernelwise.search.engine.runner import FirstCs, FoldProblem, FoldsSolved, KernelRun
from kernelwise.search.engine.scored_kernel import FoldKernels, final_kernel
from kernelwise.solvers.path import SVMPath

Given = GramSource | FoldKernels
#: Paths of the folds to go on from.
After = list[SVMPath] | None


class OnDask:
    """Runs paths on dask's current scheduler; no Gram matrix is made here.

    A task makes the Gram matrix of all samples where it is, and the machines of its fold that all folds
    together would have: the results are those of `kernelwise.search.engine.runner.Here`.

    Parameters
    ----------
    problem : FoldProblem
    """

    is_timed_by_clock: ClassVar[bool] = False

    def __init__(self, problem: FoldProblem) -> None:
        self.problem = problem
        # The scheduler knows how many tasks fit at one moment: each is one thread.
        self._shared = persisted(replace(problem, settings={**problem.settings, "n_jobs": 1}))
        self._variances: dict[str, float] = {}
        self._first: dict[str, list[FoldsSolved]] = {}

    def prefetch(self, kernels: Sequence[Any], first_Cs: FirstCs, epsilons: Sequence[float | None]) -> None:
        """Run the first values of C of some kernels together."""
        variances = computed([self._variance(kernel) for kernel in kernels])
        jobs = {}
        for kernel, variance in zip(kernels, variances, strict=True):
            self._variances[name_of(kernel, None, None)] = variance
            own = first_Cs(variance)
            for epsilon in epsilons:
                jobs[name_of(kernel, own, epsilon)] = self._tasks(kernel, own, epsilon, None)
        # What is left of earlier ones will not be asked for: their scores led to smaller values of C.
        self._first = dict(zip(jobs, computed(list(jobs.values())), strict=True))

    def release(self) -> None:
        """Do nothing: Gram matrices are where the tasks are, and end with them."""

    make_room = release

    @contextmanager
    def kernel(self, kernel: Given) -> Iterator[KernelRun]:
        """A context in which one kernel is solved."""
        name = name_of(kernel, None, None)
        if name not in self._variances:
            self._variances[name] = computed(self._variance(kernel))
        yield KernelRun(self._variances[name], partial(self._solve, kernel))

    def _solve(self, kernel: Given, Cs: np.ndarray, epsilon: float | None, after: After) -> list[FoldsSolved]:
        """One path for each fold."""
        found = self._first.pop(name_of(kernel, Cs, epsilon), None)
        return computed(self._tasks(kernel, Cs, epsilon, after)) if found is None else found

    def _variance(self, kernel: Given) -> Any:
        return delayed(partial(_variance, final_kernel(kernel)))(self._shared)

    def _tasks(self, kernel: Given, Cs: np.ndarray, epsilon: float | None, after: After) -> list[Any]:
        is_own = isinstance(kernel, FoldKernels)
        return [
            delayed(
                partial(
                    _solve_fold,
                    kernel.by_fold[k] if isinstance(kernel, FoldKernels) else kernel,
                    Cs,
                    epsilon,
                    k,
                    is_own,
                    None if after is None else after[k],
                )
            )(self._shared)
            for k in range(len(self.problem.folds))
        ]


def _aligned(array: Samples) -> Any:
    """Arrays that come to a worker may lie at odd addresses, where sums are rounded in another order."""
    return array if sparse.issparse(array) else np.require(array, requirements=["A", "W"])


def _variance(kernel: GramSource, problem: FoldProblem) -> float:
    problem = replace(problem, bound=_aligned(problem.bound))
    return problem.variance(gram_of(kernel, _aligned(problem.Z)))


def _solve_fold(
    kernel: GramSource,
    Cs: np.ndarray,
    epsilon: float | None,
    k: int,
    is_own: bool,
    after: SVMPath | None,
    problem: FoldProblem,
) -> FoldsSolved:
    """Train on one fold for every C; ``is_own`` if no other fold has this kernel."""
    problem = replace(problem, Z=_aligned(problem.Z), bound=_aligned(problem.bound))
    return problem.solve(
        gram_of(kernel, problem.Z),
        Cs,
        alone=k if is_own else None,
        epsilon=epsilon,
        after=after,
        only=None if is_own else k,
        kernel=kernel,
    )
