"""Platt's sigmoids, and a threshold of two classes, around a machine of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier

from kernelwise.export.libsvm import zeros
from kernelwise.solvers.probability import log_threshold

#: As many as CalibratedClassifierCV has folds: its training needs a row of each class in every one.
ROWS_PER_CLASS = 5


def calibrated(svc: Any, mapped: Any, sigmoids: np.ndarray, costs: np.ndarray | None) -> Any:
    """Return a classifier of probabilities 1/(1 + exp(A f + B)), f the values of a fitted machine.

    ``sigmoids`` has a row (A, B) for each machine: that of two classes, or one for each of more classes,
    whose probabilities are normalised. ``mapped`` are samples as ``svc`` takes them. With ``costs``, of shape
    (2, 2), labels are those of least expected cost. Fitted again, it trains the machine and its sigmoids.
    """
    start = zeros(ROWS_PER_CLASS * len(svc.classes_), mapped), np.repeat(svc.classes_, ROWS_PER_CLASS)
    found = CalibratedClassifierCV(FrozenEstimator(svc), method="sigmoid", ensemble=False).fit(*start)
    (part,) = found.calibrated_classifiers_
    part.estimator = svc
    for calibrator, (slope, offset) in zip(part.calibrators, sigmoids, strict=True):
        calibrator.a_, calibrator.b_ = float(slope), float(offset)
    found.set_params(estimator=clone(svc))
    if costs is None:
        return found
    settings = {"pos_label": svc.classes_[1], "response_method": "predict_proba"}
    answer = FixedThresholdClassifier(FrozenEstimator(found), threshold=_threshold(costs), **settings)
    return answer.fit(*start)


def _threshold(costs: np.ndarray) -> float:
    """The probability of the second of two classes above which it is answered."""
    # scikit-learn's threshold is answered by the second class, too; ours, where both cost the same, is not.
    return float(np.nextafter(expit(log_threshold(costs)), 1.0))
