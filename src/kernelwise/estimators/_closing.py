"""Findings of a finished fit, and the warnings that are issued for some of them."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.text import count, in_words
from kernelwise.estimators._labels_score import labels_findings
from kernelwise.estimators.fit_record import FitRecord
from kernelwise.exceptions import KernelwiseWarning, TrustWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.multiclass import STRATEGIES
from kernelwise.search.engine.context import FitContext
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.result import Choice, SelectionResult
from kernelwise.search.verdict.optimism import Corrected, lead_error
from kernelwise.search.verdict.trust import (
    baseline_findings,
    class_findings,
    edge_findings,
    fold_findings,
    indefinite_findings,
    lone_findings,
)

#: Prefix of a skipped step, its singular and its plural: of these only the number is told.
KINDS = (
    ("kernel ", "more kernel", "more kernels"),
    ("width factor", "kernel width", "kernel widths"),
    ("C = ", "value of C", "values of C"),
    ("ε = ", "other tolerance of errors (ε)", "other tolerances of errors (ε)"),
)
#: Other steps that are named one by one.
MOST = 3


def closing_findings(
    validator: CrossValidator,
    choice: Choice,
    result: SelectionResult,
    record: FitRecord | None,
    leaks: list[Finding],
    answers_most_likely: bool = True,
) -> tuple[Finding, ...]:
    """The findings of a finished fit, with a warning for all that make its answer doubtful or worse.

    ``record`` is that of the final model, if there is one; ``leaks`` are findings about columns; a classifier
    with a threshold or costs does not answer the most likely class.
    """
    doubts = [*_guess_findings(validator, choice, result, record, answers_most_likely), *leaks]
    if isinstance(validator.family, Classification):
        samples = validator.samples
        doubts += lone_findings(samples.strata, samples.weight, validator.family.classes)
        doubts += _class_findings(validator, choice, validator.family, record)
        if answers_most_likely and record is not None:
            counts = np.bincount(record.truth, weights=record.weight, minlength=len(validator.family.classes))
            changed = counts, record.n_relabelled, has_class_weights(validator)
            doubts += labels_findings(result.score, -result.value, result.standard_error, *changed)
    doubts += fold_findings(validator)
    doubts += weights_undone(validator)
    is_guess = any(finding.name == catalogue.NO_BETTER.name for finding in doubts)
    doubts += edge_findings(
        choice, result.standard_error, is_given=validator.Cs is not None, is_guess=is_guess
    )
    validator.context.issue(doubts, TrustWarning)
    return (*doubts, *validator.context.findings, *_search_findings(validator, choice))


def _guess_findings(
    validator: CrossValidator,
    choice: Choice,
    result: SelectionResult,
    record: FitRecord | None,
    answers_most_likely: bool,
) -> list[Finding]:
    """Whether the model is no better than a constant answer, by the score that is announced.

    Answers by a threshold or by costs give up right answers for something else: whether there is anything to
    give up is seen without them.
    """
    of_choice = choice.scored.labels
    labels = None if of_choice is None else of_choice[choice.index]
    score, error = result.score, result.standard_error
    if not answers_most_likely:
        score, error = -result.value, validator.standard_error(choice.scored, choice.index)
    elif score != -result.value and record is not None:
        labels = record.predicted
    corrected = result.corrected_score - result.score + score
    true = Corrected(corrected, lead_error(validator, labels, error), result.n_evaluations)
    return baseline_findings(score, error, result.baseline, true)


def _class_findings(
    validator: CrossValidator, choice: Choice, family: Classification, record: FitRecord | None
) -> list[Finding]:
    """Classes that the final model, or the models of the search if there is none, never answer."""
    if record is not None:
        return class_findings(record.truth, record.predicted, family.classes, record.weight)
    if choice.scored.stored is None:  # from a journal: not worth a search of its own
        return []
    decision, n_classes = choice.decision[validator.tested], len(family.classes)
    values = decision[:, 0] if n_classes == 2 else decision
    predicted = STRATEGIES[family.multiclass].decide(values, n_classes)
    held = validator.held_out
    return class_findings(held.y[validator.tested], predicted, family.classes, held.weight[validator.tested])


def _search_findings(validator: CrossValidator, choice: Choice) -> list[Finding]:
    """What was skipped, did not converge, or is not convex; with a warning for the first two."""
    findings, context = [], validator.context
    if validator.n_indefinite:
        findings.append(catalogue.INDEFINITE(n=validator.n_indefinite))
    else:  # pairs of coefficients do not see what a matrix of distances leads to
        findings += indefinite_findings(validator, choice)
    findings += time_findings(context)
    if validator.n_stopped:
        findings.append(catalogue.NOT_CONVERGED(n_stopped=validator.n_stopped, n_models=validator.n_machines))
        context.issue(findings[-1:], ConvergenceWarning)
    return findings


def time_findings(context: FitContext) -> list[Finding]:
    """What was skipped for want of time, with a warning."""
    deadline = context.deadline
    if not deadline.skipped:
        return []
    found = [catalogue.TIME_BUDGET(seconds=deadline.seconds, skipped=_kinds(deadline.skipped))]
    context.issue(found, KernelwiseWarning)
    return found


def _kinds(skipped: list[str]) -> str:
    """What was skipped, for a sentence: numbers of widths and of values, all else once, by name."""
    named = []
    rest = list(dict.fromkeys(skipped))
    for start, noun, plural in KINDS:
        found = [what for what in rest if what.startswith(start)]
        rest = [what for what in rest if what not in found]
        named += [count(len(found), noun, plural)] if found else []
    named += rest if len(rest) <= MOST else [*rest[:MOST], count(len(rest) - MOST, "more step", "more steps")]
    return in_words(named)


#: Factors of the classes that differ by less than this share are equal.
EQUAL = 1e-9


def has_class_weights(validator: CrossValidator) -> bool:
    """Whether rows of different classes count differently in training."""
    factor = validator.samples.bound / validator.samples.weight
    return bool(factor.max() > (1.0 + EQUAL) * factor.min())


def weights_undone(validator: CrossValidator) -> list[Finding]:
    """A finding if classes have different weights, and the search maximised the share of right labels."""
    if not validator.scorer.is_share or not has_class_weights(validator):
        return []
    return [catalogue.WEIGHTS_UNDONE()]
