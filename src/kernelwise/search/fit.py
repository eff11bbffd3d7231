"""A fit from its samples to its result: the seven steps of a search, one after the other."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.memory import check_memory
from kernelwise._core.typing import Samples as Features
from kernelwise.exceptions import KernelwiseWarning, TrustWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import KERNELS, Kernel, as_kernel
from kernelwise.kernels.metric import feature_relevance, has_weights
from kernelwise.search.choose import choose, choose_among
from kernelwise.search.data.folds import assign_folds
from kernelwise.search.data.given_folds import folds_of, read_groups
from kernelwise.search.data.samples import Prepared, prepare
from kernelwise.search.data.scaling import factors, variances
from kernelwise.search.engine.context import FINAL, FitContext
from kernelwise.search.engine.runner import Here
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.family import Family
from kernelwise.search.families.one_class import OneClass
from kernelwise.search.families.regression import Regression
from kernelwise.search.final.approximate import finish
from kernelwise.search.final.blend import Blend, choose_blend, finish_blend
from kernelwise.search.final.machine import FinalStep, Finished
from kernelwise.search.final.one_class import Trained, finish_one_class, one_class_result
from kernelwise.search.final.spread import with_spread
from kernelwise.search.final.threshold import Answers, settle_answers
from kernelwise.search.propose.gradient_metric import deviations
from kernelwise.search.propose.metric_forms import metric_of_gradients
from kernelwise.search.result import Choice, FitRecord, OneClassResult, SelectionResult, selection_result
from kernelwise.search.scoring.scorers import HeldOutScorer
from kernelwise.search.settings import EFFORTS, FitSettings, Trainer
from kernelwise.search.table import row_index, tabulate
from kernelwise.search.verdict.leaks import column_findings, conflict_findings
from kernelwise.search.verdict.one_class import doubts
from kernelwise.search.verdict.optimism import stability_findings
from kernelwise.search.verdict.reasons import chosen_line, scored_lines
from kernelwise.search.verdict.summary import announce
from kernelwise.search.verdict.trust import closing_findings, time_findings
from kernelwise.tables import Layout, missing_codes

#: Times that the held-out values of all machines at one C are in memory, with their log odds.
COPIES = 6.0


class ToScore(Protocol):
    """What scikit-learn routes to the scorer, of every sample."""

    @property
    def apart(self) -> np.ndarray:
        """Numbers of shape (n_samples,): samples are not merged where they differ."""

    def of(self, rows: np.ndarray) -> tuple[dict[str, np.ndarray], dict[str, Any], np.ndarray]:
        """Arguments of some samples, other arguments, and weights of these samples."""


@dataclass(frozen=True)
class TrainingData:
    """Samples and targets that an estimator has read and checked; all but X have the shape (n_samples,).

    Attributes
    ----------
    X : array or CSR matrix of shape (n_samples, n_features), or a matrix of kernel values or distances
    y : ndarray
        As the family is given it: class indices, or targets.
    identity : ndarray
        Equal samples are one row only if these numbers are equal, too.
    weight : ndarray
    names : list of str or None
        The columns of the user's table, as a sentence names them, if they have names.
    layout : Layout or None
        Which features are the words and gaps of one column.
    check_matrix : callable or None
        What checks X if it is a matrix.
    to_score : ToScore or None
        What the scorer is given in place of weights.
    split : dict
        Arguments of the splitter, ``groups`` among them.
    findings : list of Finding
        About the columns.
    """

    X: Features
    y: np.ndarray
    identity: np.ndarray
    weight: np.ndarray
    names: list[str] | None = None
    layout: Layout | None = None
    check_matrix: Callable[[Any], np.ndarray] | None = None
    to_score: ToScore | None = None
    split: dict[str, Any] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def look_through(self, columns: Features, owner: str, *, is_classes: bool) -> None:
        """Add findings about columns of the user's own rows that look like a leak, and rows that conflict."""
        names = self.names or unnamed(columns.shape[1])
        groups = self.split.get("groups")
        if groups is not None:
            groups = read_groups(groups, len(self.y), owner)
        self.findings[:0] = [
            *column_findings(columns, self.y, names, is_classes=is_classes, groups=groups),
            *missing_codes(columns, names),
        ]
        if is_classes:
            self.findings.extend(conflict_findings(self.X, self.y))


def unnamed(n_columns: int) -> list[str]:
    """What a sentence calls columns that have no names."""
    return [f"column {k}" for k in range(n_columns)]


@dataclass
class Found:
    """A finished fit: what was tried, what was chosen, the final machine, and what is said of it.

    ``table`` is ``cv_results_``, of which the choice is one ``row``; ``machine`` is None with refit=False.
    """

    validator: CrossValidator
    prepared: Prepared
    choice: Choice
    table: dict[str, Any]
    row: int
    result: SelectionResult | OneClassResult = field(init=False)
    findings: tuple[Finding, ...] = field(init=False)
    answers: Answers = field(default_factory=Answers)
    machine: Finished | None = None
    one_class: Trained | None = None

    @property
    def kernel(self) -> Any:
        """The chosen kernel."""
        return self.choice.scored.kernel

    @property
    def C(self) -> float:
        """C of the final machine, or that of the search without one."""
        last = self.machine
        return self.choice.C if last is None or last.held_rows is None else last.C

    @property
    def record(self) -> FitRecord | None:
        """Facts of the fit; None without a final machine."""
        return None if self.machine is None else self.machine.record

    @property
    def n_machines(self) -> int:
        """Machines that were trained, final ones included."""
        last = self.machine or self.one_class
        return self.validator.n_machines + (0 if last is None else last.n_machines)

    @property
    def relevance(self) -> np.ndarray | None:
        """The share of each column in the distances; None if the kernel has no weights of features."""
        samples = self.validator.samples
        if not isinstance(self.kernel, Kernel) or samples.is_gram or not has_weights(self.kernel):
            return None
        variance = variances(samples.Z, samples.weight)
        shares = feature_relevance(self.kernel, variance, deviations(samples, variance))
        return shares if samples.columns is None else np.bincount(samples.columns, shares)

    @property
    def metric(self) -> np.ndarray | None:
        """The learned metric in units of X; None if the kernel has learned none."""
        samples = self.validator.samples
        if not isinstance(self.kernel, Kernel) or samples.is_gram or not self.kernel.learns_metric:
            return None
        n_features = samples.Z.shape[1]
        factor = factors(self.prepared.scaler, n_features)
        return self.kernel.metric(n_features) * np.outer(factor, factor)

    def by_sample(self, of_rows: np.ndarray) -> np.ndarray:
        """Numbers of distinct rows as numbers of the user's samples; NaN for samples of weight zero."""
        row_of = self.prepared.distinct.row_of
        return np.where(row_of >= 0, of_rows[row_of], np.nan)


def new_context(seconds: float | None, owner: str, verbose: int) -> FitContext:
    """A context without journal; with ``verbose``, lines are printed about scored kernels and the choice."""
    context = FitContext().begin(seconds)
    if verbose > 0:
        context.on_scored = lambda scored: print(scored_lines(scored, owner), file=sys.stderr)
        context.on_end = lambda result: print(chosen_line(result, owner), file=sys.stderr)
    return context


def run(
    trainer: Trainer, data: TrainingData, settings: FitSettings, family: Family, context: FitContext
) -> Found:
    """Choose a kernel and C (or ν), train the final machine, and say what is to know of it."""
    validator, prepared = prepare_fit(trainer, data, settings, family, context)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # one sentence about all of them follows
        if isinstance(family, OneClass):
            choice = choose_among(validator, settings.kernel)
        else:
            choice = choose(validator, settings.kernel, settings.criterion, settings.search)
    table = tabulate(validator, settings.steering_name)
    row = row_index(validator, choice, settings.refit, table, settings.owner)
    if not choice.is_by_rule:
        folds = validator.fold_rows
        choice.each = validator.family.own_C(choice.scored, validator.held_out, folds.fold, folds.asked)
    end = _end_one_class if isinstance(family, OneClass) else _end
    found = end(Found(validator, prepared, choice, table, row), trainer, data, settings)
    context.on_end(found.result)
    return found


def prepare_fit(
    trainer: Trainer, data: TrainingData, settings: FitSettings, family: Family, context: FitContext
) -> tuple[CrossValidator, Prepared]:
    """The first two steps, samples and folds: what scores kernels on the folds, and the rows."""
    owner, X, y, seed = settings.owner, data.X, data.y, settings.seed
    for kernel in settings.kernels:
        if (
            isinstance(kernel, Kernel | dict) or kernel in KERNELS
        ):  # a list is refused before any of it is tried
            as_kernel(kernel).check_takes(X)
    apart = None if data.to_score is None else data.to_score.apart
    how: dict[str, Any] = {"scale": settings.scale, "owner": owner, "check_matrix": data.check_matrix}
    prepared = prepare(X, data.identity, data.weight, **how, apart=apart, layout=data.layout)
    rows = prepared.distinct.rows
    family = family.of_targets(y[rows], prepared.distinct.weight, owner)
    samples = prepared.samples(family.encode, y)
    if context.full_data is not None:
        context.warn(context.full_data.scaled_by(prepared.scaler, seed), KernelwiseWarning)
    counted = samples if data.to_score is None else replace(samples, weight=np.ones(len(samples)))
    steering, of_rows = settings.steering, X[rows]
    family, scorer = family.scored_by(steering, trainer._scorer_of(steering), of_rows, counted, owner)
    if data.to_score is not None and isinstance(scorer, HeldOutScorer):
        scorer.route(*data.to_score.of(rows))
    others = {
        name: family.scored_by(score, trainer._scorer_of(score), of_rows, samples, owner)
        for name, score in settings.others.items()
    }
    needs_all, effort = steering is not None, EFFORTS[settings.effort]
    cv = folds_of(
        *(settings.cv, X, partial(family.decoded, y), data.weight, prepared.distinct, owner),
        strata=family.strata(y),
        params=data.split,
        random_state=seed,
        needs_all_classes=needs_all,
        fewest_folds=effort.fewest_folds,
    )
    folds = assign_folds(
        *(samples, cv, family, context),
        random_state=seed,
        needs_all_classes=needs_all,
        share=effort.of_numbers if isinstance(family, Regression) else effort.of_classes,
        fewest_folds=effort.fewest_folds,
        memory_limit=settings.memory_limit,
    )
    _check_values(len(folds.asked), family)
    family = family.for_rows(samples, folds.rows, seed)
    values, runner, of_solver = family.values(settings.values_of_C), _runner(settings), settings.of_solver
    validator = CrossValidator(
        samples, folds, family, scorer, context, runner, of_solver, values, seed, others, effort=effort
    )
    return validator, prepared


def _check_values(n_held: int, family: Family) -> None:
    """Raise before anything is trained if the values of all machines, at one C, would not fit into memory."""
    n_machines = family.n_machines
    check_memory(
        COPIES * 8.0 * n_held * n_machines,
        f"Cross-validation of {n_machines} two-class models on {n_held} samples",
        "Use multiclass='ovr', which has one model for each class instead of each pair, or merge classes.",
    )


def _runner(settings: FitSettings) -> Any:
    """Where paths are run."""
    if settings.backend is None:
        return partial(Here, memory_limit=settings.memory_limit)
    from kernelwise.distributed.dask_runner import OnDask

    return OnDask


def _end(found: Found, trainer: Trainer, data: TrainingData, settings: FitSettings) -> Found:
    """The final machine of classes or numbers, if it is asked for, and what is said of it."""
    validator, choice, context = found.validator, found.choice, found.validator.context
    criterion = validator.family.criterion(settings.criterion)
    blend = _blend_of(found, settings)
    result = selection_result(validator, choice, criterion, found.table, found.row)
    found.answers = settle_answers(validator, choice, None if blend is None else blend.values)
    last = None
    if settings.refit is not False:
        context.on_phase(FINAL)
        validator.release()
        with context.task("refit"):
            step = FinalStep(trainer, settings, validator, choice, found.answers.costs)
            last = finish(step) if blend is None else finish_blend(step, blend)
            last = with_spread(step, last, has_groups=data.split.get("groups") is not None)
    found.machine = last
    if last is None:
        result = announce(result, validator, choice, None)
    else:
        # A machine that the search did not compare holds out other rows than the search.
        answers, others = None, None
        if last.n_others is None:
            is_known = last.record.scored is not None or isinstance(validator.family, Regression)
            answers = last.record.predicted if is_known else None
        elif last.label_scores is not None:
            others = last.C, last.n_others
        result = announce(result, validator, choice, last.label_scores, answers, last.luck, others)
    context.findings.extend(stability_findings(validator))
    likely, is_compared = found.answers.costs is None, last is None or last.n_others is None
    findings = data.findings
    found.findings = closing_findings(validator, choice, result, found.record, findings, likely, is_compared)
    found.result = replace(result, diagnostics=found.findings)
    return found


def _blend_of(found: Found, settings: FitSettings) -> Blend | None:
    """The blend that the final machine is to be; None if it is one of the choice alone."""
    if not settings.blends:
        return None
    choice = found.choice
    blend = choose_blend(found.validator, choice, settings.solver)
    if isinstance(blend, str):
        choice.how.append(f"The final model is no blend of several settings, because {blend}.")
        if settings.blend != "auto":
            found.validator.context.findings.append(catalogue.NO_BLEND(reason=blend))
        return None
    choice.members, choice.blended = blend.members, blend.values
    return blend


def _end_one_class(found: Found, trainer: Trainer, data: TrainingData, settings: FitSettings) -> Found:
    """The final machine of one class, and what is said of it."""
    validator, choice, context = found.validator, found.choice, found.validator.context
    tried = [choice.candidates[k] for k in found.table["path"]]
    found.table["form"] = np.array([one.form for one in tried], dtype=object)
    found.table["width_factor"] = np.array([one.factor for one in tried])
    step = FinalStep(trainer, settings, validator, choice)
    context.on_phase(FINAL)
    validator.release()
    with context.task("refit"):
        trained = found.one_class = finish_one_class(step)
    result = one_class_result(step, trained, found.table, found.row)
    rows = validator.samples[trained.rows]
    names = data.names or unnamed(rows.n_columns)
    about = doubts(validator, choice, rows, result.contamination, names, settings.criterion)
    context.issue(about, TrustWarning)
    about += time_findings(context)
    if validator.n_stopped:
        n_stopped, n_models = validator.n_stopped, validator.n_machines
        about.append(catalogue.NOT_CONVERGED_ONE_CLASS(n_stopped=n_stopped, n_models=n_models))
        context.issue(about[-1:], ConvergenceWarning)
    found.findings = (*about, *data.findings, *context.findings)
    found.result = replace(result, diagnostics=found.findings)
    return found


def metric_by_gradients(
    trainer: Trainer,
    data: TrainingData,
    settings: FitSettings,
    family: Family,
    context: FitContext,
    *,
    full: bool,
    rounds: int,
) -> Kernel:
    """The kernel of the metric that the gradients of a plain RBF machine say, after so many rounds."""
    validator, _ = prepare_fit(trainer, data, settings, family, context)
    plain = choose(validator, "rbf")
    found: Kernel = metric_of_gradients(validator, plain, full=full, rounds=rounds).scored.kernel
    return found
