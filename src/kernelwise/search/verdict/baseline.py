"""The score of an answer that ignores X, which every score is shown beside."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from kernelwise.multiclass import STRATEGIES, two_class_machines
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.families.regression import Regression
from kernelwise.search.scoring.scores import ODDS
from kernelwise.solvers.probability import SMALLEST

#: The answer where all classes have the same score.
GUESS = "guessing"

#: Classes that are asked as constant answers, at most: every one is scored in every fold.
MOST_CLASSES = 12


@dataclass(frozen=True)
class Baseline:
    """The best answer that is the same for every row, and its score.

    Attributes
    ----------
    score : float
        On the same held-out rows and folds, and by the same scorer, as the score that it stands beside.
    answer : str
        The answer in words, such as ``"always answering 'mild'"``.
    """

    score: float
    answer: str


def baseline(validator: CrossValidator) -> Baseline:
    """The best constant answer: one of the classes, or the mean, the median or the quantile of the targets.

    A score that only ranks rows, such as ROC AUC, gives all of them its chance level.
    """
    decision, answers = _constants(validator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # precision and the like warn of a class that is never predicted
        try:
            by_fold = _scores(validator, decision)
        except Exception as error:  # a finished search is not to fail for a score that no constant has
            return Baseline(np.nan, f"{GUESS} has no score ({error})")
    scores = np.nan_to_num(by_fold.mean(axis=1), nan=-np.inf)
    best = int(np.argmax(scores))
    if not np.isfinite(scores[best]):
        return Baseline(np.nan, GUESS)
    is_tie = len(scores) > 1 and np.ptp(scores) <= 1e-12 * abs(scores[best])
    if is_tie and isinstance(validator.family, Classification):  # of numbers, the mean can be the median
        return Baseline(float(scores[best]), GUESS)
    return Baseline(float(scores[best]), f"always answering {answers[best]}")


def _scores(validator: CrossValidator, decision: np.ndarray) -> np.ndarray:
    """Scores of shape (n_answers, n_folds) of constant decision values, (n_answers[, n_machines]).

    Labels are enough for most scores of classes: pairs of sixty classes have 1770 values for every row. Of
    many classes, those that are not among the most frequent count as the worst of these.
    """
    n_answers, n_rows = len(decision), len(validator.held_out)
    family = validator.family
    if isinstance(family, Classification) and family.shown != ODDS and validator.goes_by_labels:
        frequent = np.argsort(-_shares(validator, n_answers), kind="stable")[:MOST_CLASSES]
        asked = validator.scores_by_labels(np.tile(frequent[:, None], len(validator.tested)))
        scores = np.tile(asked.min(axis=0), (n_answers, 1))
        scores[frequent] = asked
        return scores
    every_row = (np.broadcast_to(one, (1, n_rows, *one.shape)) for one in decision)  # one answer at a time
    return np.concatenate([validator.scores_of(values) for values in every_row])


def _constants(validator: CrossValidator) -> tuple[np.ndarray, list[str]]:
    """Decision values of each constant answer, (n_answers,) or (n_answers, n_machines), and its name."""
    family = validator.family
    if isinstance(family, Classification):
        odds = _odds_of_shares(validator, family)[None]
        if family.shown == ODDS:
            return odds, ["the shares of the classes"]
        decision = decision_for_classes(len(family.classes), STRATEGIES[family.multiclass].machines)
        shown = family.as_shown(decision[None], np.broadcast_to(odds, decision.shape)[None])[0]
        return shown, [repr(label) for label in family.classes.tolist()]
    assert isinstance(family, Regression)
    return family.constants(validator.held_out.y, validator.held_out.weight)


def _shares(validator: CrossValidator, n_classes: int) -> np.ndarray:
    """The weight of each class among the rows that are held out, of shape (n_classes,)."""
    tested = validator.tested
    return np.bincount(validator.held_out.y[tested], validator.held_out.weight[tested], minlength=n_classes)


def _odds_of_shares(validator: CrossValidator, family: Classification) -> np.ndarray:
    """Log odds, () or (n_machines,), by which every row has the shares of the classes as probabilities."""
    n_classes = len(family.classes)
    shares = _shares(validator, n_classes)
    problems = two_class_machines(np.arange(n_classes), n_classes, STRATEGIES[family.multiclass].machines)
    odds = []
    for machine in problems:
        of_members = np.maximum(
            shares[machine.members], SMALLEST * shares.sum()
        )  # of one row, held out by none
        is_positive = machine.signs > 0
        odds.append(np.log(of_members[is_positive].sum() / of_members[~is_positive].sum()))
    return np.array(odds[0] if n_classes == 2 else odds)


def decision_for_classes(n_classes: int, strategy: str) -> np.ndarray:
    """Decision values by which two-class models all answer one class: (n_classes,) or (…, n_machines).

    A model that the class is no part of has the value zero.
    """
    decision = np.zeros((n_classes, len(two_class_machines(np.arange(n_classes), n_classes, strategy))))
    for k, machine in enumerate(two_class_machines(np.arange(n_classes), n_classes, strategy)):
        decision[machine.members, k] = machine.signs
    return decision[:, 0] if n_classes == 2 else decision
