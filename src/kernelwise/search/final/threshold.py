"""What final answers go by beside the machine: costs of wrong answers, and a threshold of probability."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy.ndimage import uniform_filter1d
from scipy.special import expit

from kernelwise.findings import Finding, catalogue
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.result import Choice
from kernelwise.search.scoring.probabilities import cross_fitted_odds

#: Thresholds that are compared, at most.
N_TRIED = 199
#: Share of them whose scores are averaged: the score of one threshold jumps with every row.
SMOOTH = 0.05


class Threshold(NamedTuple):
    """A threshold of probability, its standard error, its score, and that of a threshold of one half."""

    value: float
    error: float
    score: float
    score_at_half: float
    is_at_end: bool


class Answers(NamedTuple):
    """A threshold, its standard error if it was chosen, and the costs that answers go by; None is none.

    Costs have the shape (n_classes, n_classes), by true class and answer.
    """

    threshold: float | None = None
    error: float | None = None
    costs: np.ndarray | None = None


def settle_answers(validator: CrossValidator, choice: Choice, odds: np.ndarray | None = None) -> Answers:
    """What answers go by: costs that are given, or those that a threshold stands for.

    ``odds``, of shape (n_held_out, n_machines), are those of held-out rows if they are not the choice's.
    """
    family = validator.family
    if not isinstance(family, Classification) or family.threshold is None:
        return Answers(costs=getattr(family, "costs", None))
    threshold, error = family.threshold, None
    if isinstance(threshold, str):
        found = choose_threshold(validator, choice, odds)
        threshold, error = found.value, found.error
        validator.context.findings.extend(threshold_findings(found, family.classes.tolist()[1]))
    return Answers(float(threshold), error, costs_of_threshold(float(threshold)))


def costs_of_threshold(threshold: float) -> np.ndarray:
    """Costs under which ``classes_[1]`` is answered where its probability is above the threshold."""
    return np.array([[0.0, threshold], [1.0 - threshold, 0.0]])


def choose_threshold(
    validator: CrossValidator, choice: Choice, blended: np.ndarray | None = None
) -> Threshold:
    """The threshold of the highest mean score over the folds, smoothed over neighbouring thresholds.

    Probabilities of a row come from sigmoids of the other folds. The standard error is the jackknife's: the
    choice is repeated without each fold.
    """
    family = validator.family
    assert isinstance(family, Classification)
    folds = validator.fold_rows
    if blended is None:
        decision = choice.decision[None, :, 0].astype(float)
        odds = cross_fitted_odds(decision, validator.held_out, folds.fold, 2, family.machines, folds.asked)[0]
    else:
        odds = blended[:, 0]
    known = np.unique(odds[validator.tested])
    middles = np.append((known[1:] + known[:-1]) / 2.0, 0.0)
    tried = np.unique(middles)
    if len(tried) > N_TRIED:
        tried = np.unique(np.append(np.quantile(middles, np.linspace(0.0, 1.0, N_TRIED)), 0.0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # precision and the like warn of a class that is never predicted
        values = odds[None] - tried[:, None]
        shown = family.as_shown(values, np.broadcast_to(odds, values.shape))
        scores = np.nan_to_num(validator.scores_of(shown))
    if np.ptp(scores, axis=0).max() == 0.0:
        raise ValueError(
            "threshold='auto' needs a score that changes with the threshold, but this one is the same for "
            "every threshold. Use a score such as 'f1_macro', or threshold=None."
        )
    best = _best(scores, tried)
    others = [expit(tried[_best(np.delete(scores, k, axis=1), tried)]) for k in range(scores.shape[1])]
    spread = np.sum((np.array(others) - np.mean(others)) ** 2)
    error = float(np.sqrt(spread * (len(others) - 1) / len(others))) if len(others) > 1 else np.nan
    half = int(np.searchsorted(tried, 0.0))
    means = scores.mean(axis=1)
    is_at_end = best in (0, len(tried) - 1)
    return Threshold(float(expit(tried[best])), error, float(means[best]), float(means[half]), is_at_end)


def _best(scores: np.ndarray, tried: np.ndarray) -> int:
    """Index of the threshold of the highest smoothed score; of equals the one nearest to one half.

    One half itself, if its own score is no less than that of the threshold which is so found.
    """
    # The largest odd number within the share: a window of even width leans to one class.
    width = 2 * max(0, int((SMOOTH * len(tried) - 1.0) / 2.0)) + 1
    means = scores.mean(axis=1)
    smoothed = uniform_filter1d(means, width, mode="nearest")
    equal = np.flatnonzero(smoothed >= smoothed.max() - 1e-12)
    best, half = int(equal[np.argmin(np.abs(tried[equal]))]), int(np.searchsorted(tried, 0.0))
    return half if means[half] >= means[best] else best


def threshold_findings(found: Threshold, label: object) -> list[Finding]:
    """What was chosen; a warning if it is the lowest or highest threshold of all."""
    chosen = catalogue.THRESHOLD(
        label=label,
        threshold=found.value,
        error=found.error,
        score=found.score,
        score_at_half=found.score_at_half,
    )
    return [chosen, *([catalogue.THRESHOLD_AT_END(threshold=found.value)] if found.is_at_end else [])]
