"""A cross-validation of machines: prepared once, and solved for one kernel after the other.

The native core (`kernelwise._native.PathProblem`) runs folds, machines and values of C without Python in
between. What pair steps alone do not solve there, `MachinePath` goes on with: with Newton steps and active
sets, whose linear systems need LAPACK. `fit_many` are single fits of many small machines, such as those of
pairs of classes, on parts of one Gram matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from kernelwise import _native
from kernelwise._core.threads import cached_property, number_of_threads, one_blas_thread, threads
from kernelwise.multiclass import Machine
from kernelwise.solvers.box_qp import (
    DOUBLE,
    GAP,
    N_COLUMNS,
    NOT_CONVEX,
    OFFSET,
    GramFacts,
    Outcome,
    check_finite,
    in_units,
    unit_of,
)
from kernelwise.solvers.dual import ROUNDING, SVMSolution, iteration_cap, warn_of
from kernelwise.solvers.fold_path import Fold, MachinePath, Solved, Terms, class_terms

#: What is kept of every machine, beside its decision values: `n_support`, `n_bounded`, `objective`, `n_iter`,
#: `gap`, `converged` and `is_convex`.
Tables = dict[str, np.ndarray]
#: With fewer folds the machine on all samples costs more than its start saves.
SEED_FOLDS = 3
#: Machines of at most so many members, and at least so many machines: no start from all samples is worth it.
SMALL, MANY = 500, 10
#: Members of all machines times values of C times folds that one thread solves in a few milliseconds.
LITTLE = 40_000
#: Of the tolerance: what rounding may add to f in fits of many machines.
SHARE_OF_TOL = 0.01
#: Shares of the first C that lead to it where pair steps from nothing crawl.
LADDER = np.geomspace(1e-4, 0.1, 4)


class Ended(Protocol):
    """A path that another may go on from."""

    @property
    def Cs(self) -> np.ndarray: ...
    @property
    def last(self) -> list[list[Solved]]: ...


class PathsSolved(NamedTuple):
    """Decision values of shape (n_Cs, n_held, n_machines), `Tables`, and where to go on."""

    decision: np.ndarray
    tables: Tables
    last: list[list[Solved]]


class Places(NamedTuple):
    """Where the decision values of held-out samples go, fold by fold, among ``n`` of them."""

    by_fold: list[np.ndarray]
    n: int


class PathProblem:
    """Machines, folds and weights; the Gram matrix and the values of C come with each call of `solve`.

    Parameters
    ----------
    machines : list of Machine
    splits : list of (train, test)
        Index arrays.
    places : Places
    weight : ndarray of shape (n_folds, n_samples)
    terms : list of Terms, default=None
        The duals of the machines, if they are not those of their labels.
    loss : {"hinge", "squared_hinge", "logistic"}
    counts : ndarray of shape (n_folds, n_samples), default=None
        How many support vectors each sample is, if not one.
    """

    #: Times the pair steps that are worth linear systems: tests make them fewer.
    patience = 1.0

    def __init__(
        self,
        machines: list[Machine],
        splits: Sequence[Fold],
        places: Places,
        weight: np.ndarray,
        terms: list[Terms] | None = None,
        loss: str = "hinge",
        counts: np.ndarray | None = None,
    ) -> None:
        self.machines, self.splits, self.places = machines, list(splits), places
        self.terms = [class_terms(machine) for machine in machines] if terms is None else terms
        self.loss, self.counts = loss, counts
        self.weight = np.zeros((len(self.splits), np.shape(weight)[-1]))
        for own, given, (train, _) in zip(self.weight, weight, self.splits, strict=True):
            own[train] = given[train]
        self.ends = np.append(0, np.cumsum([machine.members.size for machine in machines]))
        self.most = int(np.diff(self.ends).max())

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "_native"}

    @property
    def n_samples(self) -> int:
        """Number of samples, which is that of the rows of K."""
        return self.weight.shape[1]

    @cached_property
    def _native(self) -> Any:
        """The same problem in the native core, with its memory."""
        p, lo, hi = (np.concatenate(of_all) for of_all in list(zip(*self.terms, strict=True))[:3])
        tests = [test for _, test in self.splits]
        return _native.PathProblem(
            members=np.concatenate([machine.members for machine in self.machines]).astype(np.uintp),
            member_ends=self.ends,
            lo=lo,
            hi=hi,
            p=p,
            turns=np.array([terms.turn for terms in self.terms]),
            weights=self.weight,
            counts=None if self.counts is None else np.ascontiguousarray(self.counts, float),
            test=np.concatenate(tests).astype(np.uintp),
            test_ends=np.append(0, np.cumsum([test.size for test in tests])),
            answers=np.concatenate(self.places.by_fold).astype(np.int64),
            n_answers=self.places.n,
        )

    def forget(self) -> None:
        """Give back the memory of the native core."""
        self.__dict__.pop("_native", None)

    def solve(
        self,
        K: np.ndarray,
        Cs: np.ndarray,
        *,
        tol: float,
        callback: Callable[[int, int], None] | None = None,
        **how: Any,
    ) -> PathsSolved:
        """Solve every machine for every C on the training part of every fold, from warm starts.

        Parameters
        ----------
        K : ndarray of shape (n_samples, n_samples)
        Cs : ndarray of shape (n_Cs,)
            Positive, in any order.
        callback : callable, default=None
            Called as ``callback(done, total)`` after each machine of each fold.
        tol, **how
            As in `begin`.
        """
        unit = unit_of(np.diagonal(K))
        path = self.begin(K, Cs, unit=unit, tol=tol, callback=callback, **how)
        path.finish(callback)
        is_whole = path.folds.size == len(self.splits)
        tables = path.tables if is_whole else path.tables[path.folds]
        columns = tables.transpose(3, 2, 0, 1)
        return PathsSolved(path.decision.transpose(1, 2, 0), _tables(columns, tol, unit), path.solutions())

    def begin(
        self,
        K: np.ndarray,
        Cs: np.ndarray,
        *,
        tol: float,
        unit: float = 1.0,
        max_iter: int = -1,
        n_jobs: int | None = None,
        after: Ended | None = None,
        only: int | None = None,
        alone: bool = False,
        callback: Callable[[int, int], None] | None = None,
    ) -> _Path:
        """Solve what pair steps solve, with kernel values in units of ``unit``.

        Parameters
        ----------
        K, Cs, callback
            As in `solve`.
        tol, max_iter, n_jobs
            As in `svm_path`.
        after : Ended, default=None
            A path of the same problem and K, to go on from with larger values of C.
        only : int, default=None
            The fold to be solved; ``after`` is then a path of this fold. All folds start from one coarse
            machine; ``alone`` says that this one starts as if there were no other.
        """
        folds = np.arange(len(self.splits)) if only is None else np.array([only])
        lasts = last_solutions(after, Cs, folds.size, len(self.machines))
        K = np.ascontiguousarray(K if unit == 1.0 else K / unit)
        order = np.argsort(Cs, kind="stable")
        scaled = np.array([in_units(C, unit) for C in np.asarray(Cs)[order].tolist()])
        cap, n_threads = iteration_cap(max_iter, len(K)), number_of_threads(n_jobs)
        path = _Path(self, K, scaled, order, tol, cap, n_threads, folds, lasts)
        if self.loss == "hinge":
            path.run(has_seed=not alone and len(self.splits) >= SEED_FOLDS, callback=callback)
        return path


class _Path:
    """One call of `PathProblem.solve`: what is asked, and where the results are.

    ``tables`` has the shape (n_folds, n_machines, n_Cs, 8), ``decision`` (n_machines, n_Cs, n_answers), both
    in the order of C that was asked for; ``Cs`` increase. ``n_done`` values of C are solved; the next one was
    begun at ``last_C``, with ``beta`` and ``f`` of shape (n_folds, n_members of all machines).
    """

    def __init__(
        self,
        problem: PathProblem,
        K: np.ndarray,
        Cs: np.ndarray,
        order: np.ndarray,
        tol: float,
        max_iter: int,
        n_threads: int,
        folds: np.ndarray,
        lasts: list[list[Solved]] | None,
    ) -> None:
        self.problem, self.K, self.Cs, self.order, self.folds = problem, K, Cs, order, folds
        self.tol, self.max_iter, self.goes_on = tol, max_iter, lasts is not None
        n_folds, n_machines = len(problem.splits), len(problem.machines)
        self.n_threads = 1 if problem.ends[-1] * Cs.size * n_folds < LITTLE else n_threads
        # The values of one machine stand together, whose sums and votes are then several times as fast.
        self.decision = np.full((n_machines, Cs.size, problem.places.n), np.nan)
        self.tables = np.zeros((n_folds, n_machines, Cs.size, N_COLUMNS))
        self.n_done = np.zeros((n_folds, n_machines), np.int64)
        self.last_C = np.zeros((n_folds, n_machines))
        self.beta, self.f = np.zeros((2, n_folds, problem.ends[-1]))
        for fold, solved in zip(folds, lasts or [], strict=lasts is not None):
            for m, (C, beta, f) in enumerate(solved):
                self.last_C[fold, m], self.beta[fold, self.part(m)], self.f[fold, self.part(m)] = C, beta, f

    def part(self, m: int) -> slice:
        """Where the members of a machine are."""
        return slice(self.problem.ends[m], self.problem.ends[m + 1])

    def run(self, *, has_seed: bool, callback: Callable[[int, int], None] | None) -> None:
        """Solve what pair steps solve, in the native core."""
        problem = self.problem
        has_seed = has_seed and not self.goes_on
        # Small parts of the samples are cut out for each fold, unless they share a start.
        is_small = problem.most < problem.n_samples
        is_small = is_small and (not has_seed or (problem.most <= SMALL and len(problem.machines) >= MANY))
        problem._native.solve(
            self.K,
            Cs=self.Cs,
            rank=self.order,
            folds=self.folds,
            tol=self.tol,
            max_iter=self.max_iter,
            patience=problem.patience,
            may_guess=not GramFacts(self.K).has_copies,
            is_whole=not is_small,
            has_seed=has_seed,
            goes_on=self.goes_on,
            n_threads=self.n_threads,
            decision=self.decision,
            tables=self.tables,
            n_done=self.n_done,
            last_C=self.last_C,
            beta=self.beta,
            f=self.f,
            callback=callback,
        )
        check_finite(self.tables[self.folds, :, :, GAP])

    def finish(self, callback: Callable[[int, int], None] | None) -> None:
        """Solve the rest, with linear systems between pair steps."""
        is_left = self.n_done[self.folds] < self.Cs.size
        left = {m: self.folds[own].tolist() for m, own in enumerate(is_left.T) if own.any()}
        if not left:
            return
        # Folds are shared out if there is one machine, else machines: the folds of one share its part of K.
        if len(left) == 1 and self.K.dtype == DOUBLE:
            self.problem.forget()  # the part of K that linear systems need is as large
        ready = {m: self._machine(m) for m in left} if len(left) == 1 else {}
        jobs = [(m, [fold]) for m in ready for fold in left[m]] if ready else list(left.items())

        def solve(m: int, folds: list[int]) -> int:
            machine = ready.get(m) or self._machine(m)
            for fold in folds:
                self._go_on(machine, m, fold)
            return len(folds)

        n_done = is_left.size - np.count_nonzero(is_left)
        with one_blas_thread():
            for n_more in threads(self.n_threads, return_as="generator")((solve, job, {}) for job in jobs):
                for _ in range(n_more):
                    n_done += 1
                    if callback is not None:
                        callback(n_done, is_left.size)

    def _machine(self, m: int) -> MachinePath:
        problem = self.problem
        members, terms = problem.machines[m].members, problem.terms[m]
        return MachinePath(self.K, members, terms, self.tol, self.max_iter, problem.loss)

    def _go_on(self, machine: MachinePath, m: int, fold: int) -> None:
        """Solve one machine on one fold for the values of C that are left."""
        problem, n_done, part = self.problem, self.n_done[fold, m], self.part(m)
        test, counts = problem.splits[fold][1], problem.counts
        last = Solved(float(self.last_C[fold, m]), self.beta[fold, part], self.f[fold, part])
        asked, Cs, begun = self.order[n_done:], self.Cs[n_done:], self.tables[fold, m, self.order[n_done]]
        n_rungs = 0
        is_begun = n_done > 0 or self.goes_on or begun[0] >= self.max_iter
        if machine.has_bounds and not is_begun:
            # Pair steps crawled from the start, which is of no use then: smaller C lead to the first one.
            Cs, n_rungs = np.append(Cs[0] * LADDER, Cs), LADDER.size
            last = Solved(float(Cs[0]), np.zeros_like(last.beta), machine.p.copy())
        path = machine.fold(
            test, problem.weight[fold], Cs, last, begun, None if counts is None else counts[fold]
        )
        self.decision[m][np.ix_(asked, problem.places.by_fold[fold])] = path.decision[n_rungs:]
        path.rows[n_rungs, 0] += path.rows[:n_rungs, 0].sum()
        self.tables[fold, m, asked] = path.rows[n_rungs:]
        self.last_C[fold, m], self.beta[fold, part], self.f[fold, part] = path.last

    def solutions(self) -> list[list[Solved]]:
        """The last solutions, by fold and machine."""
        parts = [self.part(m) for m in range(len(self.problem.machines))]
        return [
            [Solved(C, beta[own], f[own]) for C, own in zip(Cs, parts, strict=True)]
            for Cs, beta, f in zip(
                self.last_C[self.folds].tolist(), self.beta[self.folds], self.f[self.folds], strict=True
            )
        ]


def _tables(columns: np.ndarray, tol: float, unit: float) -> Tables:
    """The tables, each of shape (n_Cs, n_folds, n_machines), from the columns of how machines were found."""
    n_iter, lowest, gap, _, n_free, _, n_support, objective = columns
    return {
        "n_support": n_support.astype(int),
        "n_bounded": (n_support - n_free).astype(int),
        "objective": objective / unit,
        "n_iter": n_iter.astype(int),
        "gap": np.maximum(gap, 0.0),
        "converged": gap < tol,
        "is_convex": lowest > NOT_CONVEX,
    }


def last_solutions(
    after: Ended | None, Cs: np.ndarray, n_folds: int, n_machines: int
) -> list[list[Solved]] | None:
    """The solutions that a path goes on from, by fold and machine; None is from the beginning."""
    if after is None:
        return None
    shape = len(after.last), len(after.last[0])
    if shape != (n_folds, n_machines):
        raise ValueError(
            f"'after' has {shape[0]} folds and {shape[1]} machines, this path {n_folds} and {n_machines}. "
            "Pass a path of the same data and folds."
        )
    if Cs.min() <= after.Cs.max():
        raise ValueError(
            f"A path can only continue with larger C: 'after' ends at {after.Cs.max():g}, and 'Cs' begins at "
            f"{Cs.min():g}."
        )
    return after.last


def warn_of_worst(tables: dict[str, np.ndarray], tol: float, has_C: bool = True) -> None:
    """One warning of each kind for the whole path, about its worst machine."""
    worst = np.unravel_index(np.where(tables["converged"], -1.0, tables["gap"]).argmax(), tables["gap"].shape)
    n_iter, gap = int(tables["n_iter"][worst]), float(tables["gap"][worst])
    converged, is_convex = bool(tables["converged"].all()), bool(tables["is_convex"].all())
    warn_of(Outcome(n_iter, gap, 0.0, 0, converged, is_convex), tol, has_C)


def fit_many(
    K: np.ndarray,
    machines: list[Machine],
    weight: np.ndarray,
    C: float,
    tol: float,
    max_iter: int,
    n_jobs: int | None,
) -> list[SVMSolution | None]:
    """Solve machines on their parts of K, which is float64; see `solve_svm_dual`.

    The result is None for machines that want more than pair steps: few of them, or none.
    """
    nothing: list[SVMSolution | None] = [None] * len(machines)
    if unit_of(np.diagonal(K)) != 1.0 or max_iter >= 0:  # steps of two solvers would have to be counted
        return nothing
    everyone, nobody = np.arange(len(K)), np.empty(0, int)
    problem = PathProblem(machines, [(everyone, nobody)], Places([nobody], 0), weight[None])
    path = problem.begin(K, np.array([C]), tol=tol, n_jobs=n_jobs)
    largest = float(np.abs(np.diagonal(K)).max())
    found = nothing
    for m, (machine, row, last) in enumerate(
        zip(machines, path.tables[0, :, 0], path.solutions()[0], strict=True)
    ):
        # The steps have kept f up to date, and each has rounded it.
        is_sided = not row.any()  # one side has no weight: there was nothing to solve
        if is_sided or not path.n_done[0, m] or row[1] <= NOT_CONVEX:
            continue
        if ROUNDING * largest * float(np.abs(last.beta).sum()) > SHARE_OF_TOL * tol:
            continue
        found[m] = _solution(machine, last.beta, last.f, row, C * weight[machine.members])
    return found


def _solution(
    machine: Machine, beta: np.ndarray, f: np.ndarray, row: np.ndarray, cost: np.ndarray
) -> SVMSolution:
    """What is known of a machine whose first member was positive; ``row`` says how it was found."""
    turn, offset = machine.signs[0], float(row[OFFSET])
    signs = turn * machine.signs
    quadratic = float(beta @ (signs - f))
    objective = 0.5 * quadratic - float(signs @ beta)
    primal = 0.5 * quadratic + float(cost @ np.maximum(0.0, signs * (f - offset)))
    gap = max(float(row[GAP]), 0.0)
    return SVMSolution(
        turn * beta, float(turn * offset), objective, turn * f, int(row[0]), gap, primal + objective, True
    )
