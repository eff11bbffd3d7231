"""Where paths of C are run: here, in threads. (On a cluster: `kernelwise.distributed.dask_runner`.)"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from kernelwise._core.memory import MIB
from kernelwise._core.threads import cached_property, threads
from kernelwise._core.validation import check_gram
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import Kernel
from kernelwise.kernels.distances import DISTANCES_OF
from kernelwise.kernels.gram import Grams, Shapes, add_part, base_of, gram_of
from kernelwise.multiclass import order_by_class
from kernelwise.search.data.folds import Folds
from kernelwise.search.engine.scored_kernel import FoldKernels, Scorable, final_kernel
from kernelwise.solvers.path import ClassPaths, SVMPath, check_disjoint, check_trained
from kernelwise.solvers.path_problem import Places, Tables, warn_of_worst

if TYPE_CHECKING:
    from kernelwise.search.families.family import Family

#: Kernel values that a thread reads at a time.
SHARE = 2**20
#: From a kernel's variance in feature space to the values of C that it is scored at first.
FirstCs = Callable[[float], np.ndarray]
#: Bytes of distances after weights of features that are kept from width to width.
MAX_SHAPES = 256 * MIB
#: Rows that are enough for the variance of a kernel of which each fold has its own.
MANY_ROWS = 1500


def class_paths(
    y: np.ndarray,
    folds: Folds,
    bound: np.ndarray,
    strategy: str,
    places: Places | None = None,
    loss: str = "hinge",
) -> ClassPaths:
    """Two-class machines on folds, prepared for all kernels; parameters are as in `FoldProblem`.

    ``strategy`` is "ovo" or "ovr".
    """
    weight = np.broadcast_to(bound, (len(folds), len(y)))
    classes, index = np.unique(y, return_inverse=True)
    if places is None:
        check_disjoint(folds, len(y))
    check_trained(folds, index, weight, classes, n_needed=len(classes) if places is None else 2)
    return ClassPaths(classes, index, folds, weight, strategy, places, loss)


class FoldsSolved(NamedTuple):
    """The path of some folds, and tables about its machines (`kernelwise.solvers.path_problem`)."""

    path: SVMPath
    tables: Tables

    @property
    def is_convex(self) -> bool:
        """Whether all machines found K positive semi-definite."""
        return bool(self.tables["is_convex"].all())

    def warn(self, tol: float) -> None:
        """Warn of machines that did not converge, or for which K is not positive semi-definite."""
        warn_of_worst(self.tables, tol)


@dataclass(frozen=True, eq=False)
class FoldProblem:
    """What stays the same from kernel to kernel: samples (or the Gram matrix), targets, folds and family.

    ``bound``, of shape (n_samples,) or (n_folds, n_samples), has the bounds of the coefficients as multiples
    of C, for all folds or for each; ``settings`` are ``tol``, ``max_iter`` and ``n_jobs`` of the solver, and
    ``places`` say where answers go if folds are free (`kernelwise.solvers.path.ClassPaths`).
    """

    Z: Any
    y: np.ndarray
    bound: np.ndarray
    folds: Folds
    family: Family
    settings: dict[str, Any]
    places: Places | None = None

    def by_class(self, strata: np.ndarray, *, is_gram: bool) -> FoldProblem:
        """The same problem with its samples in the order that paths of many classes have them in.

        Else each path would copy its Gram matrix into this order. Z is a Gram matrix if ``is_gram``.
        """
        classes, index = np.unique(strata, return_inverse=True)
        if len(classes) < 3:
            return self
        order = order_by_class(index, [test for _, test in self.folds])
        new = np.argsort(order)
        Z = self.Z[np.ix_(order, order)] if is_gram else self.Z[order]
        folds = [(new[train], new[test]) for train, test in self.folds]
        return replace(self, Z=Z, y=self.y[order], bound=self.bound[..., order], folds=folds)

    def variance(self, K: np.ndarray, rows: np.ndarray | slice = slice(None)) -> float:
        """Variance in feature space times the mean bound: C is worth trying in units of one over it.

        K may be the Gram matrix of some ``rows`` only.
        """
        bound = self.bound if self.bound.ndim == 1 else self.bound.mean(axis=0)
        return feature_space_variance(K, bound[rows], self.settings.get("n_jobs")) * float(bound.mean())

    def about_variance(self, kernel: Kernel) -> float:
        """The same from some of the rows: enough to know which powers of four are worth trying as C."""
        rows = np.linspace(0, self.Z.shape[0] - 1, MANY_ROWS).astype(int)
        return self.variance(gram_of(kernel, self.Z[rows]), rows)

    def solve(
        self,
        K: np.ndarray,
        Cs: np.ndarray,
        *,
        alone: int | None = None,
        epsilon: float | None = None,
        after: SVMPath | None = None,
        only: int | None = None,
        check: bool = True,
        kernel: Any = None,
    ) -> FoldsSolved:
        """Train for every C on all folds, on the fold ``only``, or on ``alone`` as if there were no other.

        ``check`` says whether K is looked through for what a Gram matrix cannot have; ``kernel`` is what K is
        of, for families that ask about rows beside the samples.
        """
        K = np.ascontiguousarray(check_gram(K, may_be_distances=True) if check else K)
        fold = only if alone is None else alone
        how = {} if self.family.beside is None else {"beside": kernel(self.Z, self.family.beside)}
        path, tables = self._solver(
            K, Cs, epsilon=epsilon, after=after, only=fold, alone=alone is not None, **how
        )
        return FoldsSolved(path, tables)

    @cached_property
    def _solver(self) -> Callable[..., tuple[SVMPath, Tables]]:
        """The machines on the folds, prepared for all kernels."""
        return self.family.prepare(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_solver"}


class KernelRun(NamedTuple):
    """One kernel, ready to be solved, and its `FoldProblem.variance`.

    ``solve(Cs, epsilon, after)`` returns a list of FoldsSolved, one of all folds or one for each; ``after``
    is such a list of paths, to go on from with larger C, or None.
    """

    variance: float
    solve: Callable[[np.ndarray, float | None, list[SVMPath] | None], list[FoldsSolved]]


class Runner(Protocol):
    """Runs the paths of a `FoldProblem`, which it is made from."""

    #: Whether the time of a path is what the clock says; else it is the sum over its parts.
    is_timed_by_clock: ClassVar[bool]

    def kernel(self, kernel: Scorable) -> AbstractContextManager[KernelRun]:
        """A context in which one kernel is solved."""

    def prefetch(
        self, kernels: Sequence[Scorable], first_Cs: FirstCs, epsilons: Sequence[float | None]
    ) -> None:
        """Begin with kernels that will be asked for next; ``first_Cs`` are the values of C by variance."""


class Here:
    """Runs paths in threads of this process, one kernel after the other."""

    is_timed_by_clock: ClassVar[bool] = True

    def __init__(self, problem: FoldProblem) -> None:
        self.problem = problem
        self._grams: dict[str | None, Grams] = {}
        self._shapes = Shapes(problem.Z, MAX_SHAPES)
        self._total: np.ndarray | None = None
        self._is_checked = False  # the Gram matrix at hand

    def prefetch(
        self, kernels: Sequence[Scorable], first_Cs: FirstCs, epsilons: Sequence[float | None]
    ) -> None:
        """Do nothing: kernels are scored one at a time."""

    @contextmanager
    def kernel(self, kernel: Scorable) -> Iterator[KernelRun]:
        """A context with the Gram matrix, from distances or inner products that kernels share."""
        if isinstance(kernel, FoldKernels) and self.problem.Z.shape[0] > MANY_ROWS:
            yield KernelRun(self.problem.about_variance(kernel.final), partial(self._solve_folds, kernel))
            return
        with self._gram(final_kernel(kernel)) as K:
            variance = self.problem.variance(K)
            self._is_checked = _is_sure(kernel)
            if not isinstance(kernel, FoldKernels):
                yield KernelRun(variance, partial(self._solve, kernel, K))
                return
        # Each fold has a Gram matrix, in the same memory.
        yield KernelRun(variance, partial(self._solve_folds, kernel))

    def _solve(
        self, kernel: Any, K: np.ndarray, Cs: np.ndarray, epsilon: float | None, after: list[SVMPath] | None
    ) -> list[FoldsSolved]:
        last = None if after is None else after[0]
        is_new, self._is_checked = not self._is_checked, True
        return [self.problem.solve(K, Cs, epsilon=epsilon, after=last, check=is_new, kernel=kernel)]

    def _solve_folds(
        self, kernels: FoldKernels, Cs: np.ndarray, epsilon: float | None, after: list[SVMPath] | None
    ) -> list[FoldsSolved]:
        solved = []
        for k, own in enumerate(kernels.by_fold):
            with self._gram(own) as K:
                last = None if after is None else after[k]
                solved.append(
                    self.problem.solve(
                        K, Cs, alone=k, epsilon=epsilon, after=last, check=not _is_sure(own), kernel=own
                    )
                )
        return solved

    @contextmanager
    def _gram(self, kernel: Any) -> Iterator[np.ndarray]:
        """A Gram matrix, valid inside the context."""
        parts = kernel.parts() if isinstance(kernel, Kernel) else [(1.0, kernel)]
        if len(parts) > 1:
            if self._total is None:
                self._total = np.empty((self.problem.Z.shape[0],) * 2)
            for m, (weight, part) in enumerate(parts):
                with self._gram(part) as K:
                    add_part(self._total, K, weight, is_first=m == 0)
            yield self._total
            return
        shaped = self._shapes.gram(kernel) if isinstance(kernel, Kernel) else None
        if shaped is not None:
            yield shaped
            return
        base = base_of(kernel)
        if base not in self._grams:
            bases = [] if base is None else [base]
            self._grams[base] = Grams(self.problem.Z, bases, n_jobs=self.problem.settings.get("n_jobs"))
        with self._grams[base].gram(kernel) as K:
            yield K


def _is_sure(kernel: Scorable) -> bool:
    """Whether a Gram matrix needs no look: exp(−s·D) of distances is symmetric, and cannot overflow."""
    return isinstance(kernel, Kernel) and all(part.distance in DISTANCES_OF for _, part in kernel.parts())


def feature_space_variance(K: np.ndarray, weight: np.ndarray, n_jobs: int | None = 1) -> float:
    """Variance of the weighted samples in feature space: the mean of k(x, x) less the mean of K.

    Its size, where K is not positive semi-definite and it may be negative.
    """
    share = weight / weight.sum()
    diagonal = np.diagonal(K)
    # The same blocks of rows for any number of threads, and so the same rounding.
    height = max(1, SHARE // len(K))
    blocks = (K[first : first + height] for first in range(0, len(K), height))
    means = threads(n_jobs)((np.dot, (block, share), {}) for block in blocks)
    variance = abs(float(share @ diagonal - share @ np.concatenate(means)))
    if variance <= 4.0 * np.finfo(float).eps * float(share @ np.abs(diagonal)):
        raise DegenerateGramError(
            "The kernel has the same value for all pairs of samples, up to rounding, so no C can separate "
            "them. Make the kernel narrower, or rescale X."
        )
    return variance
