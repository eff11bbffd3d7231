"""The last step of a tuned classifier with more rows than an exact machine can be trained on."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from sklearn.base import clone

from kernelwise._core.validation import check_choice
from kernelwise.estimators._final import exact_seconds
from kernelwise.estimators._fit_record import FitRecord, held_out_classes
from kernelwise.estimators.nystroem_svc import NystroemSVC
from kernelwise.findings import Finding
from kernelwise.search.canonical import sample
from kernelwise.search.deadline import Deadline
from kernelwise.search.landmarks import FEW, MANY, HeldOutValues, Rows
from kernelwise.search.scored_kernel import KernelPath
from kernelwise.search.task import Task

SOLVERS = ("auto", "exact", "nystroem")
#: Rows that both machines are trained on and, at most, asked about to compare them.
N_COMPARED, N_ASKED = 5000, 20_000


def why_nystroem(solver: str, task: Task, path: KernelPath, place: int) -> str | None:
    """Why the final machine is a Nyström machine; None if it is an exact one."""
    n = len(task.index)
    if solver == "nystroem":
        return "as asked for"
    if solver == "exact" or task.is_gram:
        return None
    if task.whole is not None:  # what is here is a sample, however few rows of it are distinct
        return f"because {task.whole.n_rows} rows are more than {MANY}"
    if n <= FEW:
        return None
    if task.deadline.seconds is None:
        return f"because {n} distinct rows are more than {MANY}" if n > MANY else None
    seconds, left = exact_seconds(task, path, place), max(task.deadline.left, 0.0)
    if seconds <= left:
        return None
    return f"because an exact one would take about {seconds:.0f} s on {n} rows, and {left:.0f} s were left"


def check_solver(solver: Any, is_gram: bool) -> None:
    """Raise unless TunedSVC has that solver, for such samples."""
    check_choice(solver, "solver", "TunedSVC", SOLVERS)
    if solver == "nystroem" and is_gram:
        raise ValueError(
            "solver='nystroem' of TunedSVC computes kernel values of samples and landmarks, which a "
            "precomputed Gram matrix does not let it. Use solver='exact', or pass samples and a kernel."
        )


def train_nystroem(model: Any, task: Task, reason: str) -> None:
    """Train on the rows of a task, compare with an exact machine on a sample of them, and set attributes.

    Parameters
    ----------
    model : TunedSVC
        With the chosen kernel and C.
    task : Task
        Gets a finding that says what was done, why, and what it costs.
    reason : str
        Of `why_nystroem`.
    """
    started = time.perf_counter()
    machine = NystroemSVC(
        kernel=model.kernel_,
        multiclass=model.multiclass,
        reject_label=model.reject_label,
        decision_function_shape=model.decision_function_shape,
        memory_limit=model.memory_limit,
        random_state=task.random_state,
    )
    classes = model.classes_
    whole = None if task.whole is None else task.whole.training_rows(model.class_weight)
    rows, weight, decision = _fit(machine, task, classes, np.arange(len(task.index)), task.deadline, whole)
    said = f"The final machine is a Nyström machine with {len(machine.support_)} landmarks, {reason}."
    task.findings.append(
        Finding(
            "nystroem",
            "info",
            f"{said} {_compared(machine, task, classes, model._machine())}".strip(),
            "For an exact one, use solver='exact' and no time_budget, or one that is long enough.",
        )
    )
    sigmoids = machine.sigmoids_
    held_out = held_out_classes(task.index[rows], decision, sigmoids, len(classes), model.multiclass)
    model.best_estimator_, model._sigmoids, model.n_iter_ = machine, sigmoids, machine.n_iter_
    model._record = FitRecord(machine.n_trained_, 0, *held_out, weight=weight)
    model._gram_columns = None
    model.n_svm_fits_ += machine.n_iter_.size * (machine.search_results_["C"].size + 1)
    model.refit_time_ = time.perf_counter() - started


def _fit(
    machine: NystroemSVC,
    task: Task,
    classes: np.ndarray,
    used: np.ndarray,
    deadline: Deadline,
    whole: Rows | None = None,
) -> HeldOutValues:
    part = Rows(task.Z[used], task.index[used], task.weight[used], task.bound[used], classes)

    def score(decision: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
        return task.score(decision, used[rows], weight)

    return machine.fit_rows(part, score, deadline, whole)


def _compared(machine: NystroemSVC, task: Task, classes: np.ndarray, exact: Any) -> str:
    """Scores of both machines, trained on the same rows, on other ones; empty if there are none."""
    n = len(task.index)
    used = sample(task.index, min(N_COMPARED, n // 2), task.random_state)
    others = np.setdiff1d(np.arange(n), used)
    if len(others) > N_ASKED:
        others = others[sample(task.index[others], N_ASKED, task.random_state)]
    if len(np.unique(task.index[others])) < len(classes):  # no others, or a score of some classes
        return ""
    cost = task.paths.paths[-1].seconds  # of machines on as many rows
    if not task.deadline.allows("comparing the Nyström machine with an exact one", cost):
        return ""
    twin = clone(machine).set_params(n_components=len(machine.support_))
    _fit(twin, task, classes, used, Deadline())
    exact.fit(task.Z[used], classes[task.index[used]], sample_weight=task.bound[used])
    scores = []
    for one in (twin, exact):
        values = one.machine_values(task.Z[others])
        decision = values.T if len(classes) == 2 else values[None]
        scores.append(float(task.score(decision, others, task.weight[others])[0]))
    return (
        f"Trained on {len(used)} rows and asked about {len(others)} others, such a machine scores "
        f"{scores[0]:.4f} and an exact one {scores[1]:.4f}."
    )
