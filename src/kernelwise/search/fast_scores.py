"""Common scores for all values of C at once: a scorer takes longer than the machine it scores."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.stats import rankdata


def fast_score(
    name: Any,
    labels: np.ndarray,
    decision: np.ndarray,
    y: np.ndarray,
    classes: np.ndarray,
    weight: np.ndarray | None,
) -> np.ndarray | None:
    """Scores of shape (n_Cs,) as by scikit-learn's scorer ``name``, or None if there is no short cut.

    Parameters
    ----------
    name : object
        What the scorer was made from; None is accuracy.
    labels : ndarray of shape (n_Cs, n_test)
        Predicted.
    decision : ndarray of shape (n_Cs, n_test), or (n_Cs, n_test, n_machines) for more than two classes
    y : ndarray of shape (n_test,)
    classes : ndarray of shape (n_classes,)
        Those of the training part.
    weight : ndarray of shape (n_test,) or None
    """
    if name is None or (isinstance(name, str) and name == "accuracy"):
        return np.average(labels == y, axis=1, weights=weight)
    if not isinstance(name, str) or not np.array_equal(np.unique(y), classes):
        return None
    if name == "balanced_accuracy" and weight is None:
        return np.mean([(labels[:, y == k] == k).mean(axis=1) for k in classes], axis=0)
    if name == "roc_auc" and decision.ndim == 2 and weight is None:
        # Mann and Whitney: the sum of the positives' ranks, less the least it can be, over the pairs.
        positive = y == classes[1]
        n_positive, n_negative = np.count_nonzero(positive), np.count_nonzero(~positive)
        ranks = rankdata(decision, axis=1)[:, positive].sum(axis=1)
        return (ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)
    return None
