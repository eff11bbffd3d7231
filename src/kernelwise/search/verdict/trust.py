"""Reasons not to trust the answer.

The model is no better than a constant answer, never predicts a class, or is at the end of a range; no fold of
the user's holds out some rows or classes; a kernel matrix is not positive semi-definite.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.labels import lone_rows
from kernelwise._core.text import count
from kernelwise._core.validation import copies_of
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels.gram import gram_of
from kernelwise.search.data.canonical import sample
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.propose.c_range import LIMITS, STEP
from kernelwise.search.propose.climb import STEP as WIDTH_STEP
from kernelwise.search.propose.climb import Climb
from kernelwise.search.result import Choice
from kernelwise.search.verdict.baseline import Baseline
from kernelwise.search.verdict.optimism import Corrected
from kernelwise.search.verdict.wording import kernel_text, number

#: Classes that a sentence lists, at most.
MAX_LISTED = 5


def baseline_findings(
    score: float, error: float, baseline: Baseline | None, corrected: Corrected | None = None
) -> list[Finding]:
    """A warning if a score is not above that of a constant answer by more than its standard error.

    What counts is the score corrected for the choice among many settings, and the error of its lead, if they
    are given.
    """
    true = Corrected(score, float(np.nan_to_num(error)), 1) if corrected is None else corrected
    is_unknown = baseline is None or not np.isfinite(baseline.score)
    if baseline is None or is_unknown or true.score - baseline.score > true.min_significant_lead:
        return []
    found = f"{score:.4g}{f' ± {error:.2g}' if error > 0.0 else ''}"
    values: dict[str, Any] = {
        "is_below": score <= baseline.score,
        "score": found,
        "answer": baseline.answer,
        "baseline": round(baseline.score, 9) + 0.0,
    }
    if score - baseline.score <= true.min_significant_lead:
        return [catalogue.NO_BETTER(**values)]
    return [catalogue.NO_BETTER_BUT_FOR_LUCK(corrected=true.score, n_settings=true.n_settings, **values)]


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
