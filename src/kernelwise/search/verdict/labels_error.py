"""The standard error of a score of labels, from the rows of each class: three folds tell little of theirs."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from kernelwise.multiclass import STRATEGIES
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.scoring.score_names import goes_by_labels
from kernelwise.search.verdict.baseline import decision_for_classes


def shown_as_sure(judge: CrossValidator, labels: np.ndarray) -> np.ndarray:
    """What a scorer sees of models that are sure of these labels, (n_tested,): shape (1, n_held_out, ...)."""
    family = judge.family
    assert isinstance(family, Classification)
    sure = decision_for_classes(len(family.classes), STRATEGIES[family.multiclass].machines)
    sure = np.concatenate([sure, np.zeros_like(sure[:1])])  # the last, −1, is rejected
    decision = np.zeros((len(judge.held_out), *sure.shape[1:]))
    decision[judge.tested] = sure[labels]
    return np.asarray(family.as_shown(decision[None], decision[None]))


def labels_error(judge: CrossValidator, labels: np.ndarray | None) -> float:
    """Standard error of the score of held-out labels, class indices of shape (n_tested,).

    The jackknife within classes: the score without one row, for each class and each label that its rows got.
    Of balanced accuracy this is √(Σ r(1 − r)/(n − 1)) over the number of classes, with the recall r and the
    number n of rows of each class, so that eleven rows of a rare class have the error of eleven rows.

    NaN if the labels are not known, for scores that look at more than labels, and for accuracy, whose error
    is that of a share.
    """
    if labels is None or judge.scorer.is_share or not goes_by_labels(_scikit_scorer(judge)):
        return np.nan
    values, tested = shown_as_sure(judge, labels)[:, judge.tested], judge.fold_rows.asked[judge.tested]
    rows, weight, y = judge.fold_rows.rows[tested], judge.fold_rows.weight[tested], judge.held_out.y
    truth, variance = y[judge.tested], 0.0
    for k in np.unique(truth):
        n = weight[truth == k].sum()
        counts, scores = [], []
        for label in np.unique(labels[truth == k]):
            cell = np.flatnonzero((truth == k) & (labels == label))
            left = weight.astype(float)
            left[cell[0]] -= min(1.0, weight[cell[0]])
            kept = left > 0.0
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # precision and the like warn of a class without rows
                scores.append(float(judge.scorer(values[:, kept], rows[kept], left[kept])[0]))
            counts.append(float(weight[cell].sum()))
        mean = np.average(scores, weights=counts)
        variance += (n - 1.0) / n * float(np.dot(counts, (np.array(scores) - mean) ** 2))
    # Rows that several folds hold out have several answers, which are no more rows for that.
    return float(np.sqrt(max(variance, 0.0) * weight.sum() / judge.n_held_out))


def _scikit_scorer(judge: CrossValidator) -> Any:
    return getattr(judge.scorer, "scorer", None)
