"""What a search returns: the kernel and C (or ν) chosen, the reason of every choice, and facts of the fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kernelwise._core.text import html_block, html_list
from kernelwise.conformal import own_weight
from kernelwise.criteria import Criterion
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel
from kernelwise.result import History, TuningResult
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.wording import blend_text

if TYPE_CHECKING:
    from kernelwise.search.propose.climb import Climb
    from kernelwise.search.verdict.baseline import Baseline


class TriedForm(NamedTuple):
    """One of several forms of kernel: all that was scored for it, and how its own search went."""

    scored: tuple[ScoredKernel, ...]
    climb: Climb | None
    how: list[str]
    findings: list[Finding]


@dataclass(frozen=True)
class Member:
    """One of the settings that a blend is the mean of, with its share of it.

    A regression has ε, and classes have a loss.
    """

    kernel: Any
    C: float
    weight: float
    epsilon: float | None = None
    loss: str = ""


@dataclass
class Choice:
    """A kernel and a C among those scored, and how they were chosen.

    Attributes
    ----------
    scored : ScoredKernel
    index : int
        Index of the chosen C among its values; the best one if none is given.
    climb : Climb or None
        Over whose widths the kernel is the best.
    criterion_path, search
        As in `SelectionResult`.
    why, how : list of str
        What decided, beside the scores; and how the search went.
    forms : dict from str to float
        Forms of kernel that were tried, and the best score of each; empty if there was no choice among forms.
    tried_forms : dict from str to TriedForm
        The same forms, for a rule that takes another setting than the search.
    is_by_rule : bool
        Whether such a rule has.
    each : tuple of int
        Indices of C for each of several machines that have their own; empty if all have the same.
    candidates : sequence of Candidate
        Of one class: what was tried, in the order in which it was scored.
    members : tuple of Member
        What the final model is a blend of; empty if it is that of one setting.
    blended : ndarray of shape (n_held_out, n_machines) or None
        Held-out values of the blend.
    """

    scored: ScoredKernel
    index: int = -1
    climb: Climb | None = None
    criterion_path: dict[str, Any] = field(default_factory=dict)
    search: TuningResult | None = None
    why: list[str] = field(default_factory=list)
    how: list[str] = field(default_factory=list)
    forms: dict[str, float] = field(default_factory=dict)
    tried_forms: dict[str, TriedForm] = field(default_factory=dict)
    is_by_rule: bool = False
    each: tuple[int, ...] = ()
    candidates: Sequence[Any] = ()
    members: tuple[Member, ...] = ()
    blended: np.ndarray | None = None

    def __post_init__(self) -> None:
        if self.index < 0:
            self.index = self.scored.best

    @property
    def C(self) -> float:
        """The chosen C."""
        return float(self.scored.Cs[self.index])

    @property
    def machine_C(self) -> float | list[float]:
        """What the final machine is told: the chosen C, or one for each machine."""
        return [float(self.scored.Cs[index]) for index in self.each] if self.each else self.C

    @property
    def decision(self) -> np.ndarray:
        """Held-out decision values of the chosen machines, shape (n_held_out, n_machines)."""
        if not self.each:
            return self.scored.decision_at(self.index)
        parts = [self.scored.decision_at(index)[:, m] for m, index in enumerate(self.each)]
        return np.stack(parts, axis=1)

    def scored_values(self, validator: CrossValidator) -> np.ndarray:
        """What scorers see of held-out values of the blend, or of the chosen machines.

        Its shape is (1, n_held_out) or (1, n_held_out, n_machines).
        """
        values = (self.decision if self.blended is None else self.blended)[None].astype(float)
        values = values[:, :, 0] if values.shape[2] == 1 else values
        if self.blended is None:
            return validator.scored_values(values)
        return validator.family.as_shown(values, values)


def columns_of(result: TuningResult | None) -> dict[str, Any]:
    """The history of a search as columns."""
    if result is None:
        return {}
    names = dict.fromkeys(name for row in result.history for name in row)
    return {name: np.array([row.get(name, np.nan) for row in result.history]) for name in names}


@dataclass(frozen=True, repr=False)
class SelectionResult(TuningResult):
    """A kernel and a C chosen by cross-validation, and how; printed, it says why.

    ``score`` is the one that is quoted for the model, and ``best_score_``: that of the labels which the final
    model gives (`predict`), on the rows that the folds hold out or, if the final model is an approximation or
    one of a part of the rows, on others that were held out from it. ``value``, ``history`` and ``cv_results``
    are what the search compared: scores of decision values, of which ``value`` is minus that of the choice.
    Both are the same number for most models; where they are not, ``how`` says so.

    Attributes
    ----------
    C : float
        That the search chose. A final model that is none of those compared has its own (``C_``).
    cv_results : dict
        Every kernel and C that was scored, as in GridSearchCV.
    criterion_path : dict from str to ndarray
        The criteria over the widths, or the history of the criterion's search.
    search : TuningResult or None
        Of the criterion that an optimizer searched.
    why : tuple of str
        Why this answer won: its score beside the next best and a constant answer, and what is as good.
    how : tuple of str
        How the search went, one sentence for every step.
    forms : dict from str to float
        Forms of kernel that were tried, such as "rbf" and "sum", and the best score of each, averaged over
        neighbouring values of C. Empty if there was no choice among forms.
    baseline : Baseline or None
        The score of the best answer that ignores X, on the same held-out rows.
    n_svm_fits : int
    standard_error : float
        How far ``corrected_score`` typically is from the score on new rows: see
        `kernelwise.search.verdict.summary.told_error`.
    corrected_score : float
        The score less what the best of so many settings, or a blend that may have learned nothing, owes to
        luck: what is expected of new rows. See `kernelwise.search.verdict.optimism`.
    members : tuple of Member
        Settings that the final model is a blend of (``kernel``, ``C``, ``epsilon``, ``loss``), those of the
        largest ``weight`` first; the weights sum to 1. Empty if the model is that of one setting.
    """

    C: float = 1.0
    cv_results: dict[str, Any] = field(default_factory=dict, repr=False)
    criterion_path: dict[str, Any] = field(default_factory=dict, repr=False)
    search: TuningResult | None = field(default=None, repr=False)
    why: tuple[str, ...] = ()
    how: tuple[str, ...] = ()
    forms: dict[str, float] = field(default_factory=dict)
    baseline: Baseline | None = None
    n_svm_fits: int = 0
    standard_error: float = np.nan
    corrected_score: float = np.nan
    members: tuple[Member, ...] = ()

    @property
    def blend(self) -> str:
        """What the final model is called if it is a blend, such as "a blend of 4 kernels"; else empty."""
        return blend_text([one.kernel for one in self.members]) if self.members else ""

    def __repr__(self) -> str:
        blend = f", members={len(self.members)}" if self.members else ""
        head = f"SelectionResult(kernel={self.kernel!r}, C={self.C:g}{blend}, score={self.score:.4f})"
        numbers = (
            f"{self.n_evaluations} settings scored, {self.n_svm_fits} models trained, {self.seconds:.2f} s; "
            f"stopped: {self.stop_reason}"
        )
        return "\n".join([head, numbers, *self.why, *self.how, *map(str, self.diagnostics)])

    def _repr_html_(self) -> str:
        """What a notebook shows: why, findings, and how the search went."""
        return _as_html(self, f"C = {self.C:g}")


def selection_result(
    validator: CrossValidator,
    choice: Choice,
    criterion: Any,
    table: dict[str, Any],
    row: int,
) -> SelectionResult:
    """The result of a finished search, whose choice is one row of the table ``cv_results_``.

    A criterion that is a name says that cross-validation alone chose. What is said of the final model follows
    (`kernelwise.search.verdict.summary`).
    """
    kernel, search = choice.scored.kernel, choice.search
    used: Criterion | None = criterion if isinstance(criterion, Criterion) else None
    reason, converged = "converged", True
    if search is not None and used is not None:
        used, reason, converged = search.criterion, search.stop_reason, search.converged
    if validator.context.deadline.skipped:
        reason, converged = "time budget", False
    history = History(
        {"evaluation": number, "value": -mean, "score": mean, **params}
        for number, (params, mean) in enumerate(zip(table["params"], table["mean_test_score"], strict=True))
    )
    score = float(table["mean_test_score"][row])
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
        n_iterations=len(validator.scored),
        seconds=validator.context.deadline.elapsed,
        C=choice.C,
        cv_results=table,
        criterion_path=choice.criterion_path,
        search=search,
        how=tuple(choice.how),
        forms=choice.forms,
        n_svm_fits=validator.n_machines,
        standard_error=float(table["standard_error"][row]),
        members=choice.members,
    )


@dataclass(frozen=True)
class OneClassResult:
    """What was chosen for one class, and why.

    Attributes
    ----------
    kernel : Kernel
        On scaled features.
    nu, score, standard_error : float
        The score is that of the criterion, NaN if there was nothing to choose; its error is over the folds.
    criterion : str
        What chose: a name of `kernelwise.search.families.one_class.CRITERIA`, or a score of labels.
    threshold, threshold_error : float
        In units of `TunedOneClassSVM.score_samples`.
    contamination : float
        The share of rows that the threshold is for.
    n_rows, n_outliers : int
        Distinct rows that the machine was trained on, and the weight of training rows below the threshold.
    labelled : (int, int)
        Samples labelled normal, and labelled outliers.
    why, how : tuple of str
        The reason of every choice, and how the search went.
    cv_results : dict
        As ``cv_results_``.
    n_svm_fits : int
    seconds : float
    diagnostics : tuple of Finding
    """

    kernel: Kernel
    nu: float
    criterion: str
    score: float
    standard_error: float
    threshold: float
    threshold_error: float
    contamination: float
    n_rows: int
    n_outliers: float
    labelled: tuple[int, int]
    why: tuple[str, ...] = ()
    how: tuple[str, ...] = ()
    cv_results: dict[str, Any] = field(default_factory=dict, repr=False)
    n_svm_fits: int = 0
    seconds: float = 0.0
    diagnostics: tuple[Finding, ...] = ()

    def __repr__(self) -> str:
        head = f"OneClassResult(kernel={self.kernel!r}, nu={self.nu:g}, threshold={self.threshold:.4g})"
        return "\n".join([head, *self.why, *self.how, *map(str, self.diagnostics)])

    def _repr_html_(self) -> str:
        """What a notebook shows: why, findings, and how the search went."""
        return _as_html(self, f"ν = {self.nu:g}")


def _as_html(result: SelectionResult | OneClassResult, regularisation: str) -> str:
    return html_block(
        f"{result.kernel!r}, {regularisation}",
        html_list(result.why),
        html_block("Findings", html_list(map(str, result.diagnostics))) if result.diagnostics else "",
        html_block("How it was chosen", html_list(result.how)) if result.how else "",
    )


class HeldOut(NamedTuple):
    """Answers of the chosen machines to rows that they were not trained on, each of shape (n_held_out,).

    Truth and predictions are class indices (−1 for rejected), or targets in the units of y. The probability
    is that of ``classes_[1]`` for two classes, of the predicted class for more; it is empty for a regression.
    ``of_truth`` is the probability of the true class, None for a regression.

    There are two labels of a row. ``predicted`` is by the rule of `predict`, with sigmoids of the other folds
    (`kernelwise.search.final.machine.unseen_odds`): its score is the one that people are given,
    ``result_.score``. ``scored`` is by the decision values, the rule by which the search compares models,
    that of ``cv_results_`` (None for a regression). They differ for a few rows near a boundary.
    """

    truth: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray
    scored: np.ndarray | None = None
    of_truth: np.ndarray | None = None


@dataclass(frozen=True)
class FitRecord:
    """Small facts of a fit, kept for reports: answers as in `HeldOut`, and the weights of those rows.

    The final machine was trained on ``n_rows`` distinct rows; ``n_bounded`` of its support vectors have a
    coefficient at its bound, in one machine at least.

    Intervals and sets of classes go by these answers. ``fold`` says which fold held out each row, and
    ``holds_for`` for which new rows their coverage holds, in words; ``spread`` is σ of `conformal.Spread`
    from the errors of other rows, in standard deviations of the targets. Files of version 0.1 have none.
    ``times`` says how many of the answers are of one row, on average, where folds hold rows out repeatedly.
    """

    n_rows: int
    n_bounded: int
    truth: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray
    weight: np.ndarray
    scored: np.ndarray | None = None
    of_truth: np.ndarray | None = None
    spread: np.ndarray | None = None
    fold: np.ndarray | None = None
    holds_for: str = ""
    times: float = 1.0

    @property
    def own_weight(self) -> float:
        """The weight of a new row beside these answers."""
        return own_weight(self.weight, self.times)

    @property
    def n_relabelled(self) -> float:
        """Weight of the rows that `predict` labels otherwise than the search did."""
        if self.scored is None:
            return 0.0
        return float(self.weight[self.predicted != self.scored].sum())
