"""What a selection of kernel and C returns."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelwise.criteria import Criterion, as_criterion
from kernelwise.findings import Finding
from kernelwise.result import History, TuningResult
from kernelwise.selection.auto import Choice
from kernelwise.selection.task import Task


@dataclass(frozen=True)
class SelectionResult(TuningResult):
    """A kernel and a C chosen by cross-validation, and how.

    Attributes
    ----------
    C : float
    cv_results : dict
        Every kernel and C that was scored, as in GridSearchCV.
    criterion_path : dict from str to ndarray
        The criteria over the widths, or the history of the criterion's search.
    why : tuple of str
        One sentence for every decision.
    n_svm_fits : int
    """

    C: float = 1.0
    cv_results: dict[str, Any] = field(default_factory=dict, repr=False)
    criterion_path: dict[str, Any] = field(default_factory=dict, repr=False)
    why: tuple[str, ...] = ()
    n_svm_fits: int = 0

    def with_findings(self, findings: tuple[Finding, ...]) -> SelectionResult:
        """The same with other findings."""
        return replace(self, diagnostics=findings)


def selection_result(
    task: Task, choice: Choice, criterion: Any, table: dict[str, Any], C: float, score: float
) -> SelectionResult:
    """The result of a finished search."""
    search = choice.search
    kernel = choice.path.kernel
    is_auto = isinstance(criterion, str) and criterion == "auto"
    used: Criterion | None = None if is_auto else as_criterion(criterion)
    history = History(
        {"evaluation": row, "value": -mean, "score": mean, **params}
        for row, (params, mean) in enumerate(zip(table["params"], table["mean_test_score"], strict=True))
    )
    skipped = bool(task.deadline.skipped)
    return SelectionResult(
        kernel=kernel,
        criterion=used if search is None else search.criterion,
        value=-score if search is None else search.value,
        score=score,
        theta=kernel.theta if hasattr(kernel, "theta") else np.empty(0),
        history=history if search is None else search.history,
        stop_reason="time budget" if skipped else "converged" if search is None else search.stop_reason,
        converged=not skipped and (search is None or search.converged),
        n_evaluations=len(history),
        n_gradients=0 if search is None else search.n_gradients,
        n_iterations=len(task.paths.paths),
        seconds=task.deadline.elapsed,
        C=C,
        cv_results=table,
        criterion_path=choice.criterion_path,
        why=tuple(choice.why),
        n_svm_fits=task.paths.n_machines,
    )
