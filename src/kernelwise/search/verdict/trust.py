"""Findings of a finished fit: reasons not to trust its answer, and what its search left out.

The model is no better than a constant answer, never predicts a class, or is at the end of a range; no fold of
the user's holds out some rows or classes; a kernel matrix is not positive semi-definite.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.labels import lone_rows
from kernelwise._core.text import count, in_words
from kernelwise._core.validation import copies_of
from kernelwise.exceptions import KernelwiseWarning, TrustWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels.gram import gram_of
from kernelwise.multiclass import STRATEGIES
from kernelwise.search.data.canonical import sample
from kernelwise.search.engine.context import FitContext
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.families.regression import Regression
from kernelwise.search.propose.c_range import LIMITS, STEP
from kernelwise.search.propose.climb import STEP as WIDTH_STEP
from kernelwise.search.propose.climb import Climb
from kernelwise.search.result import Choice, FitRecord, SelectionResult
from kernelwise.search.verdict.baseline import Baseline
from kernelwise.search.verdict.optimism import Corrected, lead_error
from kernelwise.search.wording import error_text, kernel_text, number, score_text

#: Classes that a sentence lists, at most.
MAX_LISTED = 5
#: Prefix of a skipped step, its singular and its plural: of these only the number is told.
KINDS = (
    ("kernel ", "more kernel", "more kernels"),
    ("width factor", "kernel width", "kernel widths"),
    ("C = ", "value of C", "values of C"),
    ("ε = ", "other tolerance of errors (ε)", "other tolerances of errors (ε)"),
)
#: Other steps that are named one by one.
MOST = 3
#: Classes are unequal if the rarest has less than this share of the rows of the most frequent one.
UNEQUAL = 0.5
#: Labels that differ matter from this number of rows on, and this share of all rows or of the rarest class.
FEWEST, OF_ALL, OF_RARE = 5.0, 0.05, 0.2
#: Rows that should lie beyond a quantile.
FEW_BEYOND = 10
#: Factors of the classes that differ by less than this share are equal.
EQUAL = 1e-9


def closing_findings(
    validator: CrossValidator,
    choice: Choice,
    result: SelectionResult,
    record: FitRecord | None,
    leaks: list[Finding],
    answers_most_likely: bool = True,
    is_compared: bool = True,
) -> tuple[Finding, ...]:
    """The findings of a finished fit, with a warning for all that make its answer doubtful or worse.

    ``record`` is that of the final model, if there is one; ``leaks`` are findings about columns; a classifier
    with a threshold or costs does not answer the most likely class. ``is_compared`` says whether the final
    model is one that the search compared, and its record that of the folds.
    """
    of_folds = record if is_compared else None
    doubts = [*_guess_findings(validator, choice, result, of_folds, answers_most_likely), *leaks]
    if isinstance(validator.family, Classification):
        samples = validator.samples
        doubts += lone_findings(samples.strata, samples.weight, validator.family.classes)
        doubts += _class_findings(validator, choice, validator.family, record)
        if answers_most_likely and record is not None and is_compared:
            counts = np.bincount(record.truth, weights=record.weight, minlength=len(validator.family.classes))
            changed = counts, record.n_relabelled, has_class_weights(validator)
            doubts += labels_findings(result.score, -result.value, result.standard_error, *changed)
    if isinstance(validator.family, Regression):
        doubts += quantile_findings(validator.family.quantiles, validator.n_held_out)
    doubts += fold_findings(validator)
    doubts += weights_undone(validator)
    is_guess = any(finding.name == catalogue.NO_BETTER.name for finding in doubts)
    doubts += edge_findings(
        choice, result.standard_error, is_given=validator.Cs is not None, is_guess=is_guess
    )
    validator.context.issue(doubts, TrustWarning)
    return (*doubts, *validator.context.findings, *_search_findings(validator, choice))


def quantile_findings(quantiles: tuple[float, ...], n_rows: float) -> list[Finding]:
    """The quantile that is farthest out, if few of the rows lie beyond it."""
    farthest = min(quantiles, key=lambda q: min(q, 1.0 - q), default=0.5)
    n_beyond = n_rows * min(farthest, 1.0 - farthest)
    if n_beyond >= FEW_BEYOND - 1e-6 or not quantiles:
        return []
    return [catalogue.EXTREME_QUANTILE(n_beyond=n_beyond, n_rows=n_rows, quantile=farthest)]


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
    elif score != -result.value:  # labels of other rows than those of the folds are of no use here
        labels = None if record is None else record.predicted
    corrected = result.corrected_score - result.score + score
    true = Corrected(corrected, lead_error(validator, labels, error), result.n_evaluations)
    without = "" if answers_most_likely else " without costs or threshold"
    return baseline_findings(score, error, result.baseline, true, without)


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


def has_class_weights(validator: CrossValidator) -> bool:
    """Whether rows of different classes count differently in training."""
    factor = validator.samples.bound / validator.samples.weight
    return bool(factor.max() > (1.0 + EQUAL) * factor.min())


def weights_undone(validator: CrossValidator) -> list[Finding]:
    """A finding if classes have different weights, and the search maximised the share of right labels."""
    if not validator.scorer.is_share or not has_class_weights(validator):
        return []
    return [catalogue.WEIGHTS_UNDONE()]


def labels_findings(
    score: float,
    searched: float,
    error: float,
    counts: np.ndarray,
    n_changed: float,
    has_class_weights: bool,
) -> list[Finding]:
    """A warning if the labels of `predict` score less than those of the search, and many rows have others.

    The score must be lower by a standard error. ``n_changed`` rows have another label; ``counts``, of shape
    (n_classes,), are the rows of each class.
    """
    if searched - score <= float(np.nan_to_num(error)) or not _is_notable(n_changed, counts):
        return []
    pairs = [] if has_class_weights or not _are_unequal(counts) else [catalogue.WITH_WEIGHTS]
    pairs += [catalogue.BY_RANKING] if len(counts) == 2 else []  # of more there is no such score
    return [
        catalogue.LABELS_BY_PROBABILITY(
            score=score,
            searched=searched,
            n_changed=n_changed,
            n_rows=float(counts.sum()),
            ways=_any_of([catalogue.BY_DECISION, *(way for way, _ in pairs)]),
            options=_any_of([option for _, option in pairs] or [catalogue.BY_LOG_LOSS]),
        )
    ]


def _are_unequal(counts: np.ndarray) -> bool:
    return bool(counts.min() < UNEQUAL * counts.max())


def _is_notable(n_changed: float, counts: np.ndarray) -> bool:
    """Whether so many rows have another label that it matters; of a rare class, few rows are many."""
    of_rare = OF_RARE * counts.min() if _are_unequal(counts) else np.inf
    return bool(n_changed >= max(FEWEST, min(OF_ALL * counts.sum(), of_rare)))


def _any_of(ways: list[str]) -> str:
    """Ways to go, for a sentence: this, that, or the other."""
    return f"{', '.join(ways[:-1])}{', or ' if len(ways) > 1 else ''}{ways[-1]}"


def baseline_findings(
    score: float,
    error: float,
    baseline: Baseline | None,
    corrected: Corrected | None = None,
    of_what: str = "",
) -> list[Finding]:
    """A warning if a score is not above that of a constant answer by more than its standard error.

    What counts is the score corrected for the choice among many settings, and the error of its lead, if they
    are given. ``of_what`` says of what the score is, if it is not the one that is announced.
    """
    true = Corrected(score, float(np.nan_to_num(error)), 1) if corrected is None else corrected
    is_unknown = baseline is None or not np.isfinite(baseline.score)
    if baseline is None or is_unknown or true.score - baseline.score > true.min_significant_lead:
        return []
    told = error if error > 0.0 else None
    values: dict[str, Any] = {
        "is_below": score <= baseline.score,
        "score": f"{score_text(score, False, told)}{error_text(told, False)}{of_what}",
        "answer": baseline.answer,
        "baseline": score_text(baseline.score, False, told),
    }
    if score - baseline.score <= true.min_significant_lead:
        return [catalogue.NO_BETTER(**values)]
    corrected_text = score_text(true.score, False, told)
    return [catalogue.NO_BETTER_BUT_FOR_LUCK(corrected=corrected_text, n_settings=true.n_settings, **values)]


def class_findings(
    truth: np.ndarray, predicted: np.ndarray, classes: np.ndarray, weight: np.ndarray | None = None
) -> list[Finding]:
    """A warning if some classes are never predicted; truth and predictions are indices, (n_held_out,).

    A row counts as often as its weight says.
    """
    n_rows = np.bincount(truth, weights=weight, minlength=len(classes))
    present = np.unique(truth)
    never = np.setdiff1d(present, predicted)
    if not never.size:
        return []
    labels = classes.tolist()
    shown = [f"{labels[k]!r} ({count(round(float(n_rows[k]), 6), 'row')})" for k in never[:MAX_LISTED]]
    more = f" and {len(never) - MAX_LISTED} more" if len(never) > MAX_LISTED else ""
    answered = np.setdiff1d(predicted, [-1])
    named = f"{', '.join(shown)}{more}"
    if len(answered) == 1:
        return [catalogue.ALWAYS_THE_SAME(answer=labels[answered[0]], classes=named)]
    return [catalogue.NEVER_PREDICTED(n=len(never), n_classes=len(present), classes=named)]


def lone_findings(index: np.ndarray, weight: np.ndarray, classes: np.ndarray) -> list[Finding]:
    """A warning if a class has one row, which is never held out; ``index`` has the class of each row."""
    labels = [repr(classes.tolist()[k]) for k in np.sort(index[lone_rows(index, weight)])]
    if not labels:
        return []
    more = f" and {len(labels) - MAX_LISTED} more" if len(labels) > MAX_LISTED else ""
    shown = ", ".join(labels[:MAX_LISTED])
    return [catalogue.CLASS_OF_ONE_ROW(n=len(labels), classes=f"{shown}{more}")]


def edge_findings(choice: Choice, error: float, *, is_given: bool, is_guess: bool) -> list[Finding]:
    """Findings if C or the width chosen is at an end of what could be tried, and better than what is inside.

    They are warnings if the values inside are worse by more than the standard error of the score, or if the
    user gave the values of C (``is_given``); ``is_guess`` says that the model is no better than a constant
    answer, and C at an end, where all scores are equal, is worth a warning.
    """
    found = [_edge_of_C(choice, error, is_given, is_guess)]
    if choice.climb is not None and choice.climb.tried[choice.climb.best] is choice.scored:
        found.append(_edge_of_width(choice.climb, error))
    return [finding for finding in found if finding is not None]


def _severity(gain: float, error: float) -> str:
    return "warning" if gain > float(np.nan_to_num(error)) else "info"


def _edge_of_C(choice: Choice, error: float, is_given: bool, is_guess: bool) -> Finding | None:
    scored, index = choice.scored, choice.index
    Cs, smoothed = scored.Cs, scored.smoothed
    if len(Cs) < 2 or index not in (0, len(Cs) - 1) or index != scored.best:
        return None
    is_low = index == 0
    if not is_low and scored.is_finished:  # larger values give the same models
        return None
    gain = float(smoothed[index] - smoothed[1 if is_low else -2])
    if not is_guess and gain <= 0.0:
        return None
    scaled = Cs[index] * scored.variance
    is_last = scaled / STEP < LIMITS[0] if is_low else scaled * STEP > LIMITS[1]
    if not (is_given or is_last):
        return None
    C = number(Cs[index])
    if is_given:
        return catalogue.C_AT_GIVEN_END(C=C, is_low=is_low)
    severity = "warning" if is_guess else _severity(gain, error)
    if is_low:
        return catalogue.C_SMALLEST(C=C, severity=severity)
    return catalogue.C_LARGEST(C=C, severity=severity)


def _edge_of_width(climb: Climb, error: float) -> Finding | None:
    """The best width is the last one inside the limits, and better than its neighbour within."""
    low, high = climb.limits
    factor = climb.best
    others = [other for other in climb.tried if other != factor]
    if not others or not (low > 0.0 or np.isfinite(high)):
        return None
    is_low = factor / WIDTH_STEP < low and factor == min(climb.tried)
    is_high = factor * WIDTH_STEP > high and factor == max(climb.tried)
    neighbour = min(others) if is_low else max(others)
    gain = climb.tried[factor].best_score - climb.tried[neighbour].best_score
    if not (is_low or is_high) or gain <= 0.0:
        return None
    kernel, severity = kernel_text(climb.tried[factor].kernel), _severity(gain, error)
    if is_low:
        return catalogue.WIDEST(kernel=kernel, severity=severity)
    return catalogue.NARROWEST(kernel=kernel, severity=severity)


#: Classes never held out that are named, at most.
MAX_NAMED = 3


def fold_findings(validator: CrossValidator) -> list[Finding]:
    """Findings about folds: classes that a fold does not learn, and rows and classes that none holds out."""
    found = []
    if isinstance(validator.family, Classification):
        found += _unlearned(validator)
        found += (
            [] if validator.fold_rows.is_partition else _classes_never_held_out(validator, validator.family)
        )
    if not validator.fold_rows.is_partition:
        weight = validator.samples.weight[np.unique(validator.fold_rows.rows)]
        n_all, n_held = float(copies_of(weight).sum()), validator.n_held_out
        if n_held < n_all:
            found.append(catalogue.ROWS_NEVER_HELD_OUT(n_held=n_held, n_rows=n_all))
    return found


def _unlearned(validator: CrossValidator) -> list[Finding]:
    strata = validator.in_folds.strata
    n_classes = len(np.unique(strata))
    n_folds = sum(len(np.unique(strata[train])) < n_classes for train, _ in validator.folds)
    return [catalogue.CLASSES_NOT_TRAINED_ON(n=n_folds)] if n_folds else []


def _classes_never_held_out(validator: CrossValidator, family: Classification) -> list[Finding]:
    lone = np.unique(validator.held_out.strata[validator.fold_rows.fold < 0])
    if not len(lone):
        return []
    names = ", ".join(map(repr, family.classes[lone[:MAX_NAMED]].tolist()))
    more = f" and {len(lone) - MAX_NAMED} more" if len(lone) > MAX_NAMED else ""
    return [catalogue.CLASSES_NEVER_HELD_OUT(n=len(lone), classes=f"{names}{more}")]


#: Rows whose eigenvalues are looked at: a part of a positive semi-definite matrix is one, too.
MAX_EIGEN_ROWS = 500
#: Share of the eigenvalues, by their sizes, that may be negative.
NEGATIVE_SHARE = 0.01


def indefinite_findings(validator: CrossValidator, choice: Choice) -> list[Finding]:
    """A finding if many eigenvalues of the chosen Gram matrix are negative; of matrices that were given."""
    if not validator.samples.is_gram:
        return []
    rows = np.arange(len(validator.samples))
    if len(rows) > MAX_EIGEN_ROWS:
        rows = sample(validator.samples.strata, MAX_EIGEN_ROWS, validator.random_state)
    values = np.linalg.eigvalsh(gram_of(choice.scored.kernel, validator.samples[rows].Z))
    share = float(-values[values < 0.0].sum() / np.abs(values).sum()) if values.any() else 0.0
    return [catalogue.INDEFINITE_AS_GIVEN(percent=100 * share)] if share > NEGATIVE_SHARE else []
