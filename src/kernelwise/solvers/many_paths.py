"""Paths of many small machines, such as those of pairs of classes, with little of Python between them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from kernelwise._core.threads import Task, number_of_threads, threads
from kernelwise.multiclass import Machine
from kernelwise.solvers.box_qp import SINGLE, GramFacts, Pool
from kernelwise.solvers.compiled.machine_code import compiled_many_paths
from kernelwise.solvers.fold_path import N_COLUMNS, SEED_FOLDS, Fold
from kernelwise.solvers.follow import Solved

#: Pair steps for one C: as many as `BoxQP.patience` allows with a hundred free variables.
MOST_STEPS = 4500
#: Times as many pair steps must be allowed: those of a C that is not solved here count there, too.
ENOUGH = 10
#: Members of machines that are not worth a start from all samples.
SMALL = 500
#: Machines whose preparation is worth compiled code.
MANY = 10
#: Columns that are worked on together: their kernel values with all support vectors stay in the cache.
LONG = 128
#: Columns that stand together on average: with fewer, a copy of all of them is faster.
SHORT = 12
#: Members of all machines times values of C times folds that one thread solves in a few milliseconds.
LITTLE = 40_000
#: Calls of compiled code for each thread, so that the threads end at about the same time.
CALLS = 4


def are_small(machines: list[Machine], n_samples: int, n_folds: int, max_iter: int) -> bool:
    """Whether machines are parts of the samples that `ManyPaths` solves faster than `MachinePath` does.

    Large machines, and few of them, are solved as fast if their folds start from a machine of all samples, as
    ``n_folds`` of them would. Few pair steps (``max_iter``) are counted by `MachinePath` alone.
    """
    most = max(machine.members.size for machine in machines)
    if max_iter < ENOUGH * MOST_STEPS or most == n_samples:
        return False
    return n_folds < SEED_FOLDS or (most <= SMALL and len(machines) >= MANY)


class HeldOut(NamedTuple):
    """Where kernel values with the held-out samples of a fold are, and where their decision values go.

    The samples stand in columns of ``K`` in runs, from ``columns`` on; ``runs``, of shape (n_runs + 1,),
    counts the samples before each of them.
    """

    K: np.ndarray
    answers: np.ndarray
    columns: np.ndarray
    runs: np.ndarray

    @classmethod
    def of(cls, K: np.ndarray, test: np.ndarray, answers: np.ndarray) -> HeldOut:
        """The columns ``test`` of K itself if most of them stand together, else a copy of them."""
        order = np.argsort(test, kind="stable")
        columns, runs = _runs(test[order])
        if test.size < SHORT * columns.size:
            K, (columns, runs) = np.take(K, test[order], axis=1), _runs(np.arange(test.size))
        return cls(K, answers[order], columns, runs)


def _runs(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First columns of runs of at most `LONG` columns that stand together, and how many are before each."""
    breaks = np.flatnonzero(np.diff(columns) != 1) + 1
    ends = [*breaks.tolist(), columns.size]
    begins = np.array([k for first, end in pairwise([0, *ends]) for k in range(first, end, LONG)], int)
    return columns[begins], np.append(begins, columns.size)


class ManySolved(NamedTuple):
    """Machines from ``first`` on, solved on the fold numbered ``fold``.

    ``tables``, of shape (n_machines, n_Cs, 8), are those of `smo_path` in the order asked for. ``n_done``, of
    shape (n_machines,), is how many values of C are solved; of the next one the tables have the number of
    pair steps so far, if it was begun. ``last`` has the solution of each machine for the
    last of them; if not all are solved, where to go on with the next, or None if nothing was begun.
    """

    fold: int
    first: int
    tables: np.ndarray
    n_done: np.ndarray
    last: list[Solved | None]


class ManyPaths:
    """Machines that are solved for every C (increasing) on folds, many of them in one call of compiled code.

    ``order`` says where the results of each C go. ``decision``, of shape (n_machines, n_Cs, n_answers),
    receives decision values of held-out samples. ``lasts`` are solutions to go on from, by fold and machine:
    all or none of them.
    """

    def __init__(
        self,
        K: np.ndarray,
        machines: list[Machine],
        Cs: np.ndarray,
        order: np.ndarray,
        tol: float,
        lasts: list[list[Solved | None]],
        decision: np.ndarray,
    ) -> None:
        self.K, self.Cs, self.order, self.tol = GramFacts(K).K, Cs, order, tol  # refused if not contiguous
        sizes = [machine.members.size for machine in machines]
        self.ends, self.most = np.append(0, np.cumsum(sizes)), max(sizes)
        self.members = np.concatenate([machine.members for machine in machines]).astype(np.uintp)
        # The first member is positive in training, so that names of classes do not matter.
        self.turns = np.array([machine.signs[0] for machine in machines])
        self.signs = np.concatenate([machine.signs[0] * machine.signs for machine in machines])
        self.n_before = int(lasts[0][0] is not None)
        self.lasts, self.decision = lasts, decision

    def results(
        self, splits: list[Fold], weights: np.ndarray, answers: list[np.ndarray], n_jobs: int | None
    ) -> Iterator[ManySolved]:
        """Solve all machines on all folds, in calls that keep ``n_jobs`` threads busy.

        Each fold has weights of the samples, of shape (n_samples,), and the place of the decision values of
        each sample that it holds out.
        """
        is_little = self.members.size * self.Cs.size * len(splits) < LITTLE
        n = 1 if is_little else number_of_threads(n_jobs)
        n_machines = len(self.decision)
        n_parts = 1 if n == 1 else min(n_machines, -(-CALLS * n // len(splits)))
        bounds = np.linspace(0, n_machines, n_parts + 1).astype(int).tolist()
        shown = [HeldOut.of(self.K, test, own) for (_, test), own in zip(splits, answers, strict=True)]

        def tasks() -> Iterator[Task]:
            for s, (train, _) in enumerate(splits):
                weight = np.zeros(len(self.K))
                weight[train] = weights[s, train]
                for part in pairwise(bounds):
                    yield self.solve, (s, weight, shown[s], *part), {}

        found: Iterator[ManySolved] = threads(n, return_as="generator")(tasks())
        return found

    def solve(self, fold: int, weight: np.ndarray, held_out: HeldOut, first: int, stop: int) -> ManySolved:
        """Solve the machines from ``first`` to ``stop`` on one fold; see `results`.

        Samples of weight zero are not trained on.
        """
        run, functions = compiled_many_paths(self.K.dtype, SINGLE)
        n_rows, n, most = self.Cs.size + self.n_before, stop - first, self.most
        begin, end = self.ends[first], self.ends[stop]
        members, signs = self.members[begin:end], self.signs[begin:end]
        starts = self.ends[first : stop + 1] - begin
        slices = [slice(*both) for both in pairwise(starts.tolist())]
        limits = signs * weight[members]
        is_used = limits != 0.0
        ends = np.append(0, np.cumsum(is_used))[starts]
        last_C, last_beta, last_f = np.zeros(n), np.zeros(end - begin), signs.copy()
        if self.n_before:
            for m, own in enumerate(slices):
                solved = self.lasts[fold][first + m]
                assert solved is not None
                last_C[m], last_beta[own], last_f[own] = solved
        used, idle, limits = members[is_used], members[~is_used], limits[is_used]
        beta, f, idle_f = last_beta[is_used], last_f[is_used], np.empty(len(idle))
        pool = Pool(most, SINGLE)
        stride = pool.room.shape[1]
        tables, n_done = np.empty((n, self.Cs.size, N_COLUMNS)), np.empty(n, int)
        run(
            self.K,
            held_out.K,
            used,
            ends,
            signs[is_used],
            beta,
            f,
            np.minimum(limits, 0.0),
            np.maximum(limits, 0.0),
            idle,
            starts - ends,
            idle_f,
            self.turns[first:stop],
            *held_out[1:],
            np.append(np.zeros(self.n_before), self.Cs),
            self.order,
            self.n_before,
            self.tol,
            MOST_STEPS,
            *functions,
            *pool.addresses,
            np.empty((most, most), self.K.dtype),
            pool.places,
            pool.room,
            np.empty(2, np.int64),
            np.empty(stride, np.uintp),
            np.empty((n_rows, stride)),
            np.empty((n_rows, most)),
            np.empty((n_rows, held_out.answers.size)),
            np.zeros((n_rows, N_COLUMNS)),
            last_C,
            self.decision[first:stop],
            tables,
            n_done,
            len(self.K),
            n,
            held_out.columns.size,
            held_out.K.shape[1],
            held_out.answers.size,
            self.Cs.size,
            self.decision.shape[2],
            n_rows,
            stride,
        )
        # A machine that has seen one side only answers that: there was nothing to solve.
        n_positive = np.diff(np.append(0, np.cumsum(limits > 0.0))[ends])
        n_done[(n_positive == 0) | (n_positive == np.diff(ends))] = -1
        last_beta[is_used], last_f[is_used], last_f[~is_used] = beta, f, signs[~is_used] - idle_f
        found = [
            Solved(C, last_beta[own], last_f[own]) if done >= 0 else None
            for C, own, done in zip(last_C.tolist(), slices, n_done.tolist(), strict=True)
        ]
        return ManySolved(fold, first, tables, np.maximum(n_done, 0), found)
