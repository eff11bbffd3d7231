"""Scores by name: which is a share of samples, and short cuts for all values of C at once.

A new score with a short cut is one entry of `SCORES`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata

#: How scikit-learn's scores for regressions begin.
OF_NUMBERS = ("r2", "explained_", "neg_mean_", "neg_median_", "neg_root_", "neg_max_", "d2_absolute_")


@dataclass(frozen=True, eq=False)
class FoldAnswers:
    """What one fold answers along a path of C: labels of shape (n_Cs, n_test), and decision values.

    These have a last axis of n_machines for more than two classes; ``classes`` are those of the training
    part. Labels are made when a score asks for them: those of probabilities take longer than such a score.
    """

    make_labels: Callable[[], np.ndarray]
    decision: np.ndarray
    y: np.ndarray
    classes: np.ndarray
    weight: np.ndarray | None

    @cached_property
    def labels(self) -> np.ndarray:
        """The labels, made once."""
        return self.make_labels()

    @property
    def has_all_classes(self) -> bool:
        """Whether the test part has every class."""
        return np.array_equal(np.unique(self.y), self.classes)


class Score(NamedTuple):
    """A score with a short cut: a scorer takes longer than the machine it scores.

    ``fast`` makes scores of shape (n_Cs,) of `FoldAnswers`, or None where the short cut does not hold;
    ``is_share`` says whether the score is the share of samples that are labelled correctly.
    """

    fast: Callable[[FoldAnswers], np.ndarray | None]
    is_share: bool = False


def _accuracy(held: FoldAnswers) -> np.ndarray:
    return np.average(held.labels == held.y, axis=1, weights=held.weight)


def _balanced_accuracy(held: FoldAnswers) -> np.ndarray | None:
    if held.weight is not None or not held.has_all_classes:
        return None
    return np.mean([(held.labels[:, held.y == k] == k).mean(axis=1) for k in held.classes], axis=0)


def _roc_auc(held: FoldAnswers) -> np.ndarray | None:
    if held.weight is not None or held.decision.ndim != 2 or not held.has_all_classes:
        return None
    # Mann and Whitney: the sum of the positives' ranks, less the least it can be, over the pairs.
    positive = held.y == held.classes[1]
    n_positive, n_negative = np.count_nonzero(positive), np.count_nonzero(~positive)
    ranks = rankdata(held.decision, axis=1)[:, positive].sum(axis=1)
    return (ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)


SCORES = {
    "accuracy": Score(_accuracy, is_share=True),
    "balanced_accuracy": Score(_balanced_accuracy),
    "roc_auc": Score(_roc_auc),
}


def _log_loss(p: np.ndarray, truth: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    of_truth = np.maximum(p[:, np.arange(len(truth)), truth], np.finfo(float).eps)
    return np.average(np.log(of_truth), axis=1, weights=weight)


def _brier(p: np.ndarray, truth: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    squares = ((p - np.eye(p.shape[2])[truth]) ** 2).sum(axis=2)
    # Both classes of two have the same error, and scikit-learn counts that of one.
    return -np.average(squares, axis=1, weights=weight) / (2.0 if p.shape[2] == 2 else 1.0)


#: Scores of probabilities, (n_Cs, n_test, n_classes), and class indices, (n_test,); larger is better. They
#: are defined on a fold without one of the classes, too, where scikit-learn's raise.
PROBABILITY_SCORES = {"neg_log_loss": _log_loss, "neg_brier_score": _brier}


def score_of(scoring: Any) -> Score | None:
    """The entry of `SCORES` that a ``scoring`` of classes stands for; None is accuracy."""
    if scoring is None:
        return SCORES["accuracy"]
    return SCORES.get(scoring) if isinstance(scoring, str) else None


def is_share(scoring: Any) -> bool:
    """Whether a ``scoring`` of classes is the share of samples that are labelled correctly."""
    score = score_of(scoring)
    return score is not None and score.is_share


def is_of_numbers(name: str) -> bool:
    """Whether scikit-learn's score of that name is for a regression."""
    return name.startswith(OF_NUMBERS)


def score_unit(scoring: Any, deviation: float) -> float:
    """What a score of numbers is measured in: the deviation of y, its square, or 1 if no unit of y counts."""
    if not isinstance(scoring, str) or "error" not in scoring:
        return 1.0
    if "percentage" in scoring or "log" in scoring:
        return 1.0
    return deviation**2 if scoring == "neg_mean_squared_error" else deviation
