"""Paths over C of several machines on several folds: what classes and regressions share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from kernelwise._core.threads import Task, one_blas_thread, threads
from kernelwise.multiclass import Machine
from kernelwise.solvers.box_qp import NOT_CONVEX, Outcome
from kernelwise.solvers.dual import iteration_cap, warn_of
from kernelwise.solvers.fold_path import N_COLUMNS, Fold, FoldPath, MachinePath
from kernelwise.solvers.follow import Solved
from kernelwise.solvers.many_paths import ManyPaths, are_small
from kernelwise.solvers.squared_hinge import RidgePath
from kernelwise.solvers.units import in_units, unit_of

#: What is kept of every machine, beside its decision values: `n_support`, `n_bounded`, `objective`, `n_iter`,
#: `gap`, `converged` and `is_convex`.
Tables = dict[str, np.ndarray]
#: Samples of a machine times values of C: with fewer, threads wait for Python's lock longer than they help.
TOO_SMALL = 4000
#: What solves one machine for every C, by the loss.
PATHS: dict[str, type[MachinePath] | type[RidgePath]] = {"hinge": MachinePath, "squared_hinge": RidgePath}


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


def run_paths(
    K: np.ndarray,
    machines: list[Machine],
    splits: list[Fold],
    places: Places,
    weight: np.ndarray,
    Cs: np.ndarray,
    tol: float,
    max_iter: int,
    n_jobs: int | None,
    callback: Callable[[int, int], None] | None = None,
    after: Ended | None = None,
    only: int | None = None,
    p: np.ndarray | None = None,
    loss: str = "hinge",
    counts: np.ndarray | None = None,
) -> PathsSolved:
    """Solve every machine for every C on the training part of every fold, from warm starts.

    ``splits`` are in the numbering of K, ``places`` in that of the decision values, and ``p``, of shape
    (n_members,), is the linear term of the dual if it is not the labels of the machine; ``loss`` is that of
    classes. ``weight``, of shape (n_samples,) or (n_folds, n_samples), are for all folds or for each;
    ``counts``, of shape (n_folds, n_samples), say how many support vectors a sample is. All others are
    checked; see `kernelwise.solvers.path.solve_path`.
    """
    n_starts = 0 if after else len(splits)
    weights = np.broadcast_to(weight, (len(splits), K.shape[0]))
    largest = weights.max(axis=0)
    tests = places.by_fold
    # Columns that machines share take the memory of K once more; a fold alone is then as it is with others.
    shares_columns = sum(map(len, tests)) <= len(K)
    counted: Any = [None] * len(splits) if counts is None else counts
    if only is not None:
        splits, tests, weights = [splits[only]], [tests[only]], weights[only : only + 1]
        counted = counted[only : only + 1]
    order = np.argsort(Cs, kind="stable")
    # Where the values increase, which is usual, without an index: that takes longer than a small path.
    rank = slice(None) if (order[1:] > order[:-1]).all() else np.argsort(order, kind="stable")
    lasts = last_solutions(after, Cs, len(splits), len(machines))
    unit = unit_of(np.diagonal(K))
    Cs = np.array([in_units(C, unit) for C in Cs])
    if unit != 1.0:
        K = K / unit
    columns = np.empty((N_COLUMNS, Cs.size, len(splits), len(machines)))
    # The values of one machine stand together, whose sums and votes are then several times as fast.
    decision = np.full((len(machines), Cs.size, places.n), np.nan)
    last: list[list[Any]] = [[None] * len(machines) for _ in splits]
    settings = largest, n_starts, Cs[order], tol, iteration_cap(max_iter, K.shape[0]), p
    n_asked = n_jobs
    if max(machine.members.size for machine in machines) * Cs.size < TOO_SMALL:
        n_jobs = 1
    n_solved = np.zeros((len(splits), len(machines)), int)  # values of C
    n_steps = np.zeros_like(n_solved)  # of the next one, so far
    n_done, n_paths = 0, n_solved.size
    with one_blas_thread():
        shared: list[Any] = [None] * len(splits)
        is_plain = p is None and loss == "hinge" and counts is None and shares_columns
        if is_plain and are_small(machines, len(K), n_starts, settings[4]):
            settings = largest, 0, *settings[2:]
            many = ManyPaths(K, machines, Cs[order], order, tol, lasts, decision)
            for found in many.results(splits, weights, tests, n_asked):
                part = slice(found.first, found.first + len(found.last))
                columns[:, :, found.fold, part] = found.tables.T
                n_solved[found.fold, part], last[found.fold][part] = found.n_done, found.last
                for m, (own, n) in enumerate(zip(found.last, found.n_done.tolist(), strict=True)):
                    if own is not None and n < Cs.size:
                        n_steps[found.fold, found.first + m] = found.tables[m, order[n], 0]
                for _ in range(np.count_nonzero(found.n_done == Cs.size)):
                    n_done += 1
                    if callback is not None:
                        callback(n_done, n_paths)
            lasts = [
                [own or given for own, given in zip(*both, strict=True)]
                for both in zip(last, lasts, strict=True)
            ]
        elif len(machines) > 1 and shares_columns:
            shared = threads(n_jobs)((np.take, (K, test, 1), {}) for _, test in splits)
        for m, s, path in _paths_left(
            PATHS[loss],
            K,
            machines,
            splits,
            weights,
            counted,
            lasts,
            settings,
            n_jobs,
            shared,
            n_solved,
            n_steps,
        ):
            if n_steps[s, m]:
                path.rows[0, 0] += n_steps[s, m]
            if n_solved[s, m]:
                asked = order[n_solved[s, m] :]
                decision[m][np.ix_(asked, tests[s])], columns[:, asked, s, m] = path.decision, path.rows.T
            else:
                decision[m][:, tests[s]], columns[:, :, s, m] = path.decision[rank], path.rows[rank].T
            last[s][m] = path.last
            n_done += 1
            if callback is not None:
                callback(n_done, n_paths)
    return PathsSolved(np.moveaxis(decision, 0, 2), _tables(columns, tol, unit), last)


def _tables(columns: np.ndarray, tol: float, unit: float) -> Tables:
    """The tables, each of shape (n_Cs, n_folds, n_machines), from the columns of `smo_path`."""
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
) -> list[list[Solved | None]]:
    """The solutions that a path goes on from, by fold and machine; None is from the beginning."""
    if after is None:
        return [[None] * n_machines for _ in range(n_folds)]
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
    return [list(fold) for fold in after.last]


def _paths_left(
    family: type[MachinePath] | type[RidgePath],
    K: np.ndarray,
    machines: list[Machine],
    splits: list[Fold],
    weights: np.ndarray,
    counts: Any,
    lasts: list[list[Solved | None]],
    settings: tuple[Any, ...],
    n_jobs: int | None,
    shared: list[Any],
    n_solved: np.ndarray,
    n_steps: np.ndarray,
) -> Iterator[tuple[int, int, FoldPath]]:
    """Yield the number of the machine, that of the fold, and its path from the first C that is not solved.

    ``n_solved``, of shape (n_folds, n_machines), says how many values of C are, and ``n_steps`` how many pair
    steps of the next one are done.
    """
    parallel = threads(n_jobs, return_as="generator")
    if len(machines) == 1:  # share out the folds
        machine = family(K, machines[0], *settings)
        jobs: Iterable[Task] = (
            (machine.fold, (*split, weight, last[0], count), {})
            for split, weight, count, last in zip(splits, weights, counts, lasts, strict=True)
        )
        for s, path in enumerate(parallel(jobs)):
            yield 0, s, path
        return

    Cs = settings[2]
    left = [np.flatnonzero(n_solved[:, m] < Cs.size).tolist() for m in range(len(machines))]

    def all_folds(m: int) -> list[FoldPath]:
        path, found = family(K, machines[m], *settings), []  # gathers its part of K once
        for s in left[m]:
            path.Cs, path.max_iter = Cs[n_solved[s, m] :], settings[4] - int(n_steps[s, m])
            found.append(path.fold(*splits[s], weights[s], lasts[s][m], counts[s], shared[s]))
        return found

    some = [m for m, folds in enumerate(left) if folds]
    for m, paths in zip(some, parallel((all_folds, (m,), {}) for m in some), strict=True):
        for s, path in zip(left[m], paths, strict=True):
            yield m, s, path


def warn_of_worst(tables: dict[str, np.ndarray], tol: float, has_C: bool = True) -> None:
    """One warning of each kind for the whole path, about its worst machine."""
    worst = np.unravel_index(np.where(tables["converged"], -1.0, tables["gap"]).argmax(), tables["gap"].shape)
    n_iter, gap = int(tables["n_iter"][worst]), float(tables["gap"][worst])
    converged, is_convex = bool(tables["converged"].all()), bool(tables["is_convex"].all())
    warn_of(Outcome(n_iter, 0, gap, 0.0, 0, converged, is_convex), tol, has_C)
