"""The two-class machines of one SVC: training, LIBSVM's layout of the coefficients, and Platt's sigmoids."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.memory import MIB
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.threads import number_of_threads, one_blas_thread, threads
from kernelwise.estimators._machine import check_coefficients, decision_values
from kernelwise.estimators.kernel_argument import MATRICES, Rows, gram_of, kernel_values, trains_by_rows
from kernelwise.kernels import Kernel
from kernelwise.multiclass import STRATEGIES, Machine, class_pairs, two_class_machines, two_class_problems
from kernelwise.search import FoldRows
from kernelwise.solvers import SVMSolution, solve_svm_dual, svm_path
from kernelwise.solvers.kernel_rows import can_be_native
from kernelwise.solvers.path_problem import fit_many
from kernelwise.solvers.probability import doubt_of, fit_platt_of
from kernelwise.solvers.temperature import tempered
from kernelwise.solvers.working_sets import LATE, solve_svm_by_rows

LARGEST = 4000  # samples whose Gram matrix machines of some of them share
SHARE = 2**19  # values of it that a thread computes at a time
#: (train, test) pairs of row numbers.
Folds = list[tuple[np.ndarray, np.ndarray]]


class TrainedMachines(NamedTuple):
    """Signed coefficients of shape (n_machines, n_samples), and one number per machine of everything else."""

    beta: np.ndarray
    intercept: np.ndarray
    n_iter: np.ndarray
    converged: np.ndarray


def train_machines(
    source: np.ndarray | Rows,
    index: np.ndarray,
    n_classes: int,
    weight: np.ndarray,
    *,
    C: float,
    strategy: str,
    tol: float,
    max_iter: int,
    start: np.ndarray | None,
    n_jobs: int | None,
    loss: str = "hinge",
) -> TrainedMachines:
    """Solve every two-class problem on its part of one Gram matrix, or of samples.

    ``index`` has the class index of each sample; its bound is C·w_i with the weights. ``start``, of shape
    (n_machines, n_samples), are coefficients to start from. The others are as in `svm_path`, and so are the
    signs and the order of the machines.
    """
    machines = two_class_machines(index, n_classes, strategy)
    beta = np.zeros((len(machines), index.size))
    # One warning about all machines follows. (Python's own way to silence them would be seen by all threads.)
    settings = {"C": C, "tol": tol, "max_iter": max_iter, "loss": loss, "warns": False}
    tasks = [
        (source, machine, weight, None if start is None else start[m]) for m, machine in enumerate(machines)
    ]
    if len(tasks) == 1:
        solutions = [_train(*tasks[0], settings)]
    else:
        # One BLAS thread each, as in svm_path: the result does not depend on n_jobs.
        with one_blas_thread():
            known: list[SVMSolution | None] = [None] * len(machines)
            if start is None and loss == "hinge" and machines[0].members.size < index.size:
                K = _whole_gram(source, index.size, n_jobs)
                if K is not None:
                    source = K
                    known = fit_many(K, machines, weight, C, tol, max_iter, n_jobs)
            left = [(source, *task[1:]) for task, one in zip(tasks, known, strict=True) if one is None]
            most = _threads_in_memory(source, machines, n_jobs)
            others = iter(threads(most)(delayed(_train)(*task, settings) for task in left))
            solutions = [next(others) if one is None else one for one in known]
    for row, machine, solution in zip(beta, machines, solutions, strict=True):
        row[machine.members] = solution.beta
    trained = TrainedMachines(
        beta,
        np.array([s.intercept for s in solutions]),
        np.array([s.n_iter for s in solutions], dtype=np.int32),
        np.array([s.converged for s in solutions]),
    )
    check_coefficients(trained.beta, trained.intercept)
    _warn_if_stopped(trained, max(s.gap for s in solutions), tol)
    return trained


def _threads_in_memory(source: np.ndarray | Rows, machines: list[Machine], n_jobs: int | None) -> int:
    """Threads that the memory is enough for. (What one machine may take decides its steps: it stays.)"""
    wanted = number_of_threads(n_jobs)
    if not isinstance(source, Rows):  # which was made because it takes a third of the memory
        return wanted
    most = max(machine.members.size for machine in machines)
    # A working set in single precision, or the Gram matrix, rows that are kept and a working set.
    is_native = can_be_native(source.kernel, source.X)
    each = 4 * min(most, LATE[0]) ** 2 if is_native else MATRICES * 8 * most**2
    return max(1, min(wanted, int(source.memory_limit // min(max(each, 1), source.memory_limit))))


def _whole_gram(source: np.ndarray | Rows, n: int, n_jobs: int | None) -> np.ndarray | None:
    """The Gram matrix of all samples if it is small: each of its parts is one of several machines."""
    if not isinstance(source, Rows):
        return source if source.dtype == np.float64 and source.flags.c_contiguous else None
    kernel, X = source.kernel, source.X
    if n > LARGEST or MATRICES * n * n * 8 > source.memory_limit or not isinstance(kernel, Kernel):
        return None
    K, height = np.empty((n, n)), max(1, SHARE // n)

    def fill(first: int) -> None:
        rows = slice(first, first + height)
        K[rows] = kernel_values(kernel, X[rows], X, n)

    threads(n_jobs)((fill, (first,), {}) for first in range(0, n, height))
    return K if np.isfinite(K.diagonal()).all() else None


def _train(
    source: np.ndarray | Rows,
    machine: Machine,
    weight: np.ndarray,
    start: np.ndarray | None,
    settings: dict[str, Any],
) -> SVMSolution:
    members, signs = machine
    # The first sample is positive in training, so that the names of the classes do not matter.
    sign = signs[0]
    signs = sign * signs
    settings = {
        **settings,
        "sample_weight": weight[members],
        "warm_start": None if start is None else sign * start[members],
    }
    is_part = members.size < weight.size
    if isinstance(source, Rows):
        X = source.X
        if is_part:  # scikit-learn's indexing takes as long as some of these machines
            X = X[members] if isinstance(X, np.ndarray) else safe_indexing(X, members)
        if not is_part or trains_by_rows(source.kernel, X, members.size, source.memory_limit / MIB):
            solution = solve_svm_by_rows(
                source.kernel, X, signs, memory_limit=source.memory_limit, **settings
            )
            return _negated(solution) if sign < 0 else solution
        part = gram_of(source.kernel, X, members.size)
    else:
        part = source[np.ix_(members, members)] if is_part else source
    solution = solve_svm_dual(part, signs, check=False, **settings)
    return _negated(solution) if sign < 0 else solution


def _negated(solution: SVMSolution) -> SVMSolution:
    """The same machine for labels of the opposite sign."""
    return replace(solution, beta=-solution.beta, intercept=-solution.intercept, gradient=-solution.gradient)


def _warn_if_stopped(trained: TrainedMachines, gap: float, tol: float) -> None:
    stopped = int((~trained.converged).sum())
    if stopped:
        warnings.warn(
            f"{stopped} of {trained.converged.size} models stopped early, after up to {trained.n_iter.max()} "
            f"iterations, with a violation of up to {gap:.1e} (tol {tol:.1e}). Raise max_iter or tol, scale "
            "the features, or lower C.",
            ConvergenceWarning,
            stacklevel=4,
        )


def last_beta(machine: Any, n_samples: int, classes: np.ndarray) -> np.ndarray | None:
    """Coefficients of an SVC's last fit, of shape (n_machines, n_samples), if they fit the next one."""
    if not hasattr(machine, "_beta") or machine.machines_ != STRATEGIES[machine.multiclass].machines:
        return None
    if machine.n_trained_ != n_samples or not np.array_equal(machine.classes_, classes):
        return None
    beta = np.zeros((machine.beta_.shape[0], n_samples))
    beta[:, machine.support_] = machine.beta_
    return beta


def libsvm_layout(beta: np.ndarray, labels: np.ndarray, n_classes: int) -> np.ndarray:
    """Coefficients of pairwise machines as LIBSVM stores them, of shape (n_classes - 1, n_SV).

    A column holds the coefficients of that support vector against the other classes, in their order.
    ``beta``, of shape (n_machines, n_SV), has one row per pair (0, 1), (0, 2), …; ``labels`` has the class
    index of each support vector.
    """
    dual_coef = np.zeros((n_classes - 1, labels.size))
    for row, (first, second) in zip(beta, class_pairs(n_classes), strict=True):
        dual_coef[second - 1, labels == first] = row[labels == first]
        dual_coef[first, labels == second] = row[labels == second]
    return dual_coef


def fit_sigmoids(
    source: np.ndarray | Rows,
    trained: TrainedMachines,
    held: FoldRows,
    index: np.ndarray,
    factors: np.ndarray,
    *,
    strategy: str,
    **settings: Any,
) -> np.ndarray:
    """Fit one sigmoid per machine on decision values that folds hold out; returns (n_machines, 2).

    All folds share the Gram matrix, if that is the source. ``index`` has the class index of each sample,
    ``factors`` the weight of each class, which is in the likelihood, too: probabilities are those of a
    population in which the classes have their weights. The only row of a class has the value of the machines
    ``trained`` on all samples. C, tol, max_iter and n_jobs among the settings are as in `SVC`.
    """
    rows, y = held.rows, index[held.rows]
    bound = held.weight * factors[y]
    how = {"strategy": strategy, **settings}
    decision = _held_out_values(source, rows, y, bound, held.folds, how)
    lone = held.fold < 0
    if lone.any():
        decision[lone] = _training_values(source, trained, rows[lone])
    machines, doubt = two_class_machines(y, len(factors), strategy), doubt_of(len(factors), strategy)
    sigmoids = fit_platt_of(machines, decision, bound, held.weight, doubt)
    return tempered(sigmoids, decision, y, bound, held.weight, len(factors), strategy)


def _held_out_values(
    source: np.ndarray | Rows,
    rows: np.ndarray,
    y: np.ndarray,
    bound: np.ndarray,
    folds: Folds,
    how: dict[str, Any],
) -> np.ndarray:
    """Decision values of the rows, shape (n_rows, n_machines), by machines that folds hold them out of.

    They are from one Gram matrix, or from samples, with one training for each fold.
    """
    if not isinstance(source, Rows):
        K = source if np.array_equal(rows, np.arange(len(source))) else source[np.ix_(rows, rows)]
        settings = {name: value for name, value in how.items() if name != "C"}
        path = svm_path(K, y, [how["C"]], folds, sample_weight=bound, **settings)
        return path.decision[0].reshape(len(y), -1)
    n_classes = int(y.max()) + 1
    decision = np.full((len(y), len(two_class_problems(n_classes, how["strategy"]))), np.nan)
    for train, test in folds:
        part = source._replace(X=safe_indexing(source.X, rows[train]))
        trained = train_machines(part, y[train], n_classes, bound[train], start=None, **how)
        decision[test] = _values(part, trained, safe_indexing(source.X, rows[test]))
    return decision


def _training_values(source: np.ndarray | Rows, trained: TrainedMachines, rows: np.ndarray) -> np.ndarray:
    """Decision values of some training samples, shape (n_rows, n_machines)."""
    if isinstance(source, Rows):
        return _values(source, trained, safe_indexing(source.X, rows))
    return source[rows] @ trained.beta.T + trained.intercept


def _values(source: Rows, trained: TrainedMachines, X: Any) -> np.ndarray:
    """Decision values, shape (n_samples, n_machines), of machines trained on the source."""
    support = np.flatnonzero(trained.beta.any(axis=0))
    vectors = safe_indexing(source.X, support)
    return decision_values([(source.kernel, trained.beta[:, support])], X, vectors, trained.intercept)
