"""What a selection of kernel and C returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kernelwise.criteria import Criterion, as_criterion
from kernelwise.result import History, TuningResult
from kernelwise.search.choice import Choice
from kernelwise.search.task import Task


@dataclass(frozen=True, repr=False)
class SelectionResult(TuningResult):
    """A kernel and a C chosen by cross-validation, and how; printed, it says why.

    ``value``, ``score`` and ``history`` are of the cross-validation.

    Attributes
    ----------
    C : float
    cv_results : dict
        Every kernel and C that was scored, as in GridSearchCV.
    criterion_path : dict from str to ndarray
        The criteria over the widths, or the history of the criterion's search.
    search : TuningResult or None
        Of the criterion that an optimizer searched.
    why : tuple of str
        One sentence for every decision.
    n_svm_fits : int
    """

    C: float = 1.0
    cv_results: dict[str, Any] = field(default_factory=dict, repr=False)
    criterion_path: dict[str, Any] = field(default_factory=dict, repr=False)
    search: TuningResult | None = field(default=None, repr=False)
    why: tuple[str, ...] = ()
    n_svm_fits: int = 0

    def __repr__(self) -> str:
        head = f"SelectionResult(kernel={self.kernel!r}, C={self.C:g}, score={self.score:.4f})"
        numbers = (
            f"{self.n_evaluations} candidates, {self.n_svm_fits} machines, {self.seconds:.2f} s; "
            f"stopped: {self.stop_reason}"
        )
        return "\n".join([head, numbers, *self.why, *map(str, self.diagnostics)])


def selection_result(
    task: Task, choice: Choice, criterion: Any, table: dict[str, Any], C: float, score: float
) -> SelectionResult:
    """The result of a finished search."""
    kernel, search = choice.path.kernel, choice.search
    is_auto = isinstance(criterion, str) and criterion == "auto"
    used: Criterion | None = None if is_auto else as_criterion(criterion)
    reason, converged = "converged", True
    if search is not None and not is_auto:
        used, reason, converged = search.criterion, search.stop_reason, search.converged
    if task.deadline.skipped:
        reason, converged = "time budget", False
    history = History(
        {"evaluation": row, "value": -mean, "score": mean, **params}
        for row, (params, mean) in enumerate(zip(table["params"], table["mean_test_score"], strict=True))
    )
    return SelectionResult(
        kernel=kernel,
        criterion=used,
        value=-score,
        score=score,
        theta=kernel.theta if hasattr(kernel, "theta") else np.empty(0),
        history=history,
        stop_reason=reason,
        converged=converged,
        n_evaluations=len(history),
        n_gradients=0 if search is None else search.n_gradients,
        n_iterations=len(task.paths.paths),
        seconds=task.deadline.elapsed,
        C=C,
        cv_results=table,
        criterion_path=choice.criterion_path,
        search=search,
        why=tuple(choice.why),
        n_svm_fits=task.paths.n_machines,
    )
