"""Where paths of C are run: here, in threads. (On a cluster: `kernelwise.distributed.dask_runner`.)"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from kernelwise._core.memory import MEMORY_LIMIT, MIB, check_gram_memory, give_back, matrices_within
from kernelwise._core.threads import cached_property, number_of_threads, threads
from kernelwise._core.validation import check_gram
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import Kernel
from kernelwise.kernels.distances import DISTANCES_OF
from kernelwise.kernels.gram import Grams, Shapes, add_part, base_of, gram_of
from kernelwise.multiclass import order_by_class
from kernelwise.search.data.folds import LEAST_MATRICES, Folds
from kernelwise.search.engine.scored_kernel import FoldKernels, Scorable, final_kernel
from kernelwise.solvers.box_qp import SINGLE
from kernelwise.solvers.fold_path import Solved
from kernelwise.solvers.kernel_rows import NativeRows, can_be_native
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
#: Rows that are enough for the variance of a kernel of which each fold has its own, and from which on Gram
#: matrices are made in single precision if the native core can: in a fifth of the time and half the memory.
MANY_ROWS = 1500
#: Rows at which its rounding is looked at, and by how much decision values may be off: a hundredth of the
#: margin, or of the deviation of the targets, is far below what a held-out score can tell.
SOME_ROWS, MOST_OFF = 100, 0.01


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

    def without_values(self) -> FoldsSolved:
        """The same without decision values, which take the memory."""
        return self._replace(path=replace(self.path, decision=np.empty(0)))

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

    def is_single(self, kernel: Any) -> bool:
        """Whether the Gram matrix of a kernel is made in single precision."""
        is_large = self.Z.shape[0] >= MANY_ROWS
        return is_large and self.family.takes_single and can_be_native(kernel, self.Z)

    def single_gram(self, kernel: Kernel, out: np.ndarray | None = None) -> np.ndarray:
        """The Gram matrix in single precision, of shape (n_samples, n_samples)."""
        if out is None:
            check_gram_memory(1, self.Z.shape[0], itemsize=4)
            out = np.empty((self.Z.shape[0],) * 2, SINGLE)
        return NativeRows(kernel, self.Z, symmetric=True).gram(out, self.settings.get("n_jobs"))

    def rounding(self, kernel: Kernel, K: np.ndarray, path: SVMPath) -> float:
        """How far decision values at the largest C are off, about, where K is in single precision.

        Of the machine with the largest coefficients, at some rows.
        """
        solved = [(m, one) for fold in path.last for m, one in enumerate(fold)]
        m, worst = max(solved, key=lambda pair: float(np.linalg.norm(pair[1].beta)))
        used = np.flatnonzero(worst.beta)
        members, rows = path.members[m][used], np.linspace(0, len(K) - 1, SOME_ROWS).astype(int)
        if not used.size:
            return 0.0
        off = kernel(self.Z[rows], self.Z[members]) - K[np.ix_(rows, members)]
        return float(np.abs(off @ worst.beta[used]).max())

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
        return FoldsSolved(replace(path, is_single=K.dtype == SINGLE), tables)

    @cached_property
    def _solver(self) -> Callable[..., tuple[SVMPath, Tables]]:
        """The machines on the folds, prepared for all kernels."""
        return self.family.prepare(self)

    def forget_solver(self) -> None:
        """Give back the memory of the machines; they are prepared again if they are asked for."""
        self.__dict__.pop("_solver", None)

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

    def release(self) -> None:
        """Give back the memory of Gram matrices; more kernels may be asked for all the same."""

    def make_room(self) -> None:
        """Give back as much of it as another problem of as many rows needs."""


class Here:
    """Runs paths in threads of this process, one kernel after the other.

    It takes no more than ``memory_limit`` MiB: threads are fewer where there is no room for what each needs,
    and distances and Gram matrices are kept for the next kernel as long as there is room.
    """

    is_timed_by_clock: ClassVar[bool] = True

    def __init__(self, problem: FoldProblem, memory_limit: float = MEMORY_LIMIT) -> None:
        # Matrices that there is room for, of which each thread takes a share.
        room, share = matrices_within(memory_limit, problem.Z.shape[0]), problem.family.path_matrices
        n_jobs = number_of_threads(problem.settings.get("n_jobs"))
        n_jobs = max(1, min(n_jobs, int((room - LEAST_MATRICES) / share)))
        self.problem = replace(problem, settings={**problem.settings, "n_jobs": n_jobs})
        self._room = room - n_jobs * share
        self._grams: dict[str | None, Grams] = {}
        self._shapes = Shapes(problem.Z, min(MAX_SHAPES, memory_limit * MIB / 8))
        self._total: np.ndarray | None = None
        self._single: np.ndarray | None = None
        self._is_checked = False  # the Gram matrix at hand

    def prefetch(
        self, kernels: Sequence[Scorable], first_Cs: FirstCs, epsilons: Sequence[float | None]
    ) -> None:
        """Do nothing: kernels are scored one at a time."""

    def release(self) -> None:
        """Forget what is kept for the next kernel."""
        self._forget()
        self._total = self._single = None
        self.problem.forget_solver()
        give_back()

    def make_room(self) -> None:
        """Forget what another problem of as many rows, and its Gram matrix, would not fit beside."""
        self.problem.forget_solver()
        if self._n_held + 1.0 > self._room:
            self.release()

    @property
    def _n_held(self) -> float:
        """Matrices that are kept for the next kernel."""
        n_held = 2.0 * len(self._grams) + self._shapes.n_matrices + (self._total is not None)
        return n_held + 0.5 * (self._single is not None)

    def _forget(self) -> None:
        self._grams.clear()
        self._shapes.clear()

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
        return [self._precisely(kernel, K, Cs, last, epsilon=epsilon, check=is_new)]

    def _precisely(
        self, kernel: Any, K: np.ndarray, Cs: np.ndarray, after: SVMPath | None, **how: Any
    ) -> FoldsSolved:
        """Solve in the precision of K, or in double precision where single precision would show."""
        problem = self.problem
        if K.dtype != SINGLE:
            return problem.solve(K, Cs, after=after, kernel=kernel, **how)
        if after is None or (after.is_single and self._may_go_on(kernel, K, Cs, after)):
            solved = problem.solve(K, Cs, after=after, kernel=kernel, **how)
            if problem.rounding(kernel, K, solved.path) <= MOST_OFF:
                return solved
        with self._gram(kernel, may_be_single=False) as exact:
            if after is not None and after.is_single:
                after = moved(after, K, exact)
            return problem.solve(exact, Cs, after=after, kernel=kernel, **how)

    def _may_go_on(self, kernel: Any, K: np.ndarray, Cs: np.ndarray, after: SVMPath) -> bool:
        """Whether larger C promise to do with single precision: coefficients grow, but less than C does."""
        off = self.problem.rounding(kernel, K, after)
        return bool(off * np.sqrt(Cs.max() / after.Cs.max()) <= MOST_OFF)

    def _solve_folds(
        self, kernels: FoldKernels, Cs: np.ndarray, epsilon: float | None, after: list[SVMPath] | None
    ) -> list[FoldsSolved]:
        solved = []
        for k, own in enumerate(kernels.by_fold):
            with self._gram(own) as K:
                last = None if after is None else after[k]
                how = {"alone": k, "epsilon": epsilon, "check": not _is_sure(own)}
                solved.append(self._precisely(own, K, Cs, last, **how))
        return solved

    @contextmanager
    def _gram(self, kernel: Any, *, may_be_single: bool = True) -> Iterator[np.ndarray]:
        """A Gram matrix, valid inside the context."""
        if may_be_single and self.problem.is_single(kernel):
            self._single = self.problem.single_gram(kernel, self._single)
            yield self._single
            return
        parts = kernel.parts() if isinstance(kernel, Kernel) else [(1.0, kernel)]
        if len(parts) > 1:
            if self._total is None:
                self._total = np.empty((self.problem.Z.shape[0],) * 2)
            for m, (weight, part) in enumerate(parts):
                with self._gram(part, may_be_single=False) as K:
                    add_part(self._total, K, weight, is_first=m == 0)
                del K  # or it would be there beside the next
            yield self._total
            return
        if self._n_held + 2.0 > self._room:  # distances, and the Gram matrix that comes of them
            self._forget()
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


def moved(path: SVMPath, K: np.ndarray, exact: np.ndarray) -> SVMPath:
    """A path on K as one to go on from with the exact Gram matrix: f = p − Kβ of its solutions changes."""

    def new(one: Solved, members: np.ndarray) -> Solved:
        used = np.flatnonzero(one.beta)
        f, height = one.f.copy(), max(1, SHARE // max(1, used.size))
        for first in range(0, len(members), height):
            where = np.ix_(members[first : first + height], members[used])
            f[first : first + height] += (K[where] - exact[where]) @ one.beta[used]
        return one._replace(f=f)

    last = [[new(*pair) for pair in zip(fold, path.members, strict=True)] for fold in path.last]
    return replace(path, last=last)


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
