"""Measures of a trained method on an outer fold: of classes, of numbers, and of the order of unusual rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from kernelwise._core.typing import Frame, Predictor, Samples

Splits = list[tuple[np.ndarray, np.ndarray]]
#: Errors beside the score, in the order of a cell.
ERRORS = {
    "classification": ("log_loss",),
    "regression": ("rmse", "mae"),
    "detection": ("average_precision",),
}
SCORES = {"classification": "accuracy", "regression": "r2", "detection": "roc_auc"}
#: Folds of the training rows that give a method without probabilities its sigmoids.
N_FOLDS = 5


class Parts(NamedTuple):
    """Rows and targets of an outer fold: those that a method is trained on, and those that are held out."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray
    inner: Splits | None  # folds of the training part, for what has a ``cv``


#: What a trained method scores on an outer fold, and its errors.
Measure = Callable[[Any, Parts], tuple[float, tuple[float | None, ...]]]


def accuracy(model: Predictor, parts: Parts) -> tuple[float, tuple[float | None, ...]]:
    """The share of held-out rows with the right label, and no errors."""
    return float(np.mean(model.predict(parts.X_test) == parts.y_test)), ()


def _accuracy_and_log_loss(model: Predictor, parts: Parts) -> tuple[float, tuple[float | None, ...]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loss = held_out_log_loss(model, *parts[:4], inner=parts.inner)
    return accuracy(model, parts)[0], (loss,)


def _r2_and_errors(model: Predictor, parts: Parts) -> tuple[float, tuple[float | None, ...]]:
    rest = parts.y_test - model.predict(parts.X_test)
    scatter = float(np.mean((parts.y_test - parts.y_test.mean()) ** 2))
    squared = float(np.mean(rest**2))
    r2 = 1.0 - squared / scatter if scatter > 0 else 0.0
    return r2, (float(np.sqrt(squared)), float(np.mean(np.abs(rest))))


def _ranking(model: Any, parts: Parts) -> tuple[float, tuple[float | None, ...]]:
    """ROC AUC and average precision of the order in which a model puts rows; unusual ones have y = −1."""
    strangeness = -np.asarray(model.decision_function(parts.X_test), dtype=float)
    is_unusual = parts.y_test == -1
    area = float(roc_auc_score(is_unusual, strangeness))
    return area, (float(average_precision_score(is_unusual, strangeness)),)


MEASURES: dict[str, Measure] = {
    "classification": _accuracy_and_log_loss,
    "regression": _r2_and_errors,
    "detection": _ranking,
}


def held_out_log_loss(
    model: Predictor,
    X_train: Samples | Frame,
    y_train: np.ndarray,
    X_test: Samples | Frame,
    y_test: np.ndarray,
    inner: list[tuple[np.ndarray, np.ndarray]] | None = None,
) -> float | None:
    """The mean of −log p of the true classes of the test rows; None for a method without probabilities.

    A method that has decision values only, such as scikit-learn's SVC, gets Platt's sigmoids of decision
    values on folds of the training rows: what it has chosen is kept, and trained once more for each fold.
    ``inner`` are these folds, if rows are not independent.
    """
    sure: Any = model if hasattr(model, "predict_proba") else calibrated(model, X_train, y_train, inner)
    if sure is None:
        return None
    p = np.asarray(sure.predict_proba(X_test), dtype=np.float64)
    classes = np.unique(np.concatenate([y_train, y_test]))
    p_of_all = np.zeros((len(p), len(classes)))  # a class that a model has never seen has no probability
    p_of_all[:, np.searchsorted(classes, getattr(sure, "classes_", classes))] = p
    return float(log_loss(y_test, p_of_all / p_of_all.sum(axis=1, keepdims=True), labels=classes))


def calibrated(model: Predictor, X: Samples | Frame, y: np.ndarray, inner: Splits | None = None) -> Any:
    """What a fitted model has chosen, with sigmoids; None if it has no decision value for each class.

    None, too, if ``inner`` does not hold out every row once, as folds of time do not.
    """
    chosen = getattr(model, "best_estimator_", model)
    n_classes, n_folds = len(np.unique(y)), min(N_FOLDS, int(np.unique(y, return_counts=True)[1].min()))
    if n_folds < 2 or not hasattr(chosen, "decision_function"):
        return None
    if np.asarray(chosen.decision_function(X[:1])).size != (1 if n_classes == 2 else n_classes):
        return None
    if inner is not None and not _hold_out_all(inner, y):
        return None
    folds = StratifiedKFold(n_folds, shuffle=True, random_state=0) if inner is None else inner
    return CalibratedClassifierCV(clone(chosen), cv=folds, ensemble=False).fit(X, y)


def _hold_out_all(folds: list[tuple[np.ndarray, np.ndarray]], y: np.ndarray) -> bool:
    """Whether folds hold out every row once, and train on all classes."""
    held_out = np.sort(np.concatenate([test for _, test in folds]))
    knows_all = all(len(np.unique(y[train])) == len(np.unique(y)) for train, _ in folds)
    return knows_all and np.array_equal(held_out, np.arange(len(y)))
