"""One method on one outer fold: its training, with time and work, and its measures.

Measures are of classes, of numbers, and of the order of unusual rows.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import numpy as np
from joblib import parallel_config
from sklearn.base import clone, is_outlier_detector
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.threads import number_of_threads
from kernelwise._core.typing import Estimator, Frame, Predictor, RowsLike, Samples
from kernelwise.estimators import TunedSVC, TunedSVR
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.tables import Table

Splits = list[tuple[np.ndarray, np.ndarray]]
#: Errors beside the score, in the order of a cell.
ERRORS = {
    "classification": ("log_loss",),
    "regression": ("rmse", "mae"),
    "detection": ("average_precision",),
}
#: What a coverage adds: the share of held-out rows that is covered, and how much an answer leaves open.
COVERED = {"classification": ("coverage", "set_size"), "regression": ("coverage", "width")}
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


def covered(model: Any, parts: Parts, coverage: float) -> tuple[float | None, float | None]:
    """The share of held-out rows that intervals or sets of classes contain, and their mean width or size.

    None of a method that has neither.
    """
    if isinstance(model, TunedSVC):
        sets = model.predict_set(parts.X_test, coverage)
        is_true = parts.y_test[:, None] == model.classes_
        return float(np.mean((sets & is_true).any(axis=1))), float(np.mean(sets.sum(axis=1)))
    if isinstance(model, TunedSVR) and model.quantile is None:
        low, high = model.predict_interval(parts.X_test, coverage).T
        return float(np.mean((low <= parts.y_test) & (parts.y_test <= high))), float(np.mean(high - low))
    return None, None


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


def n_machines(model: Any) -> int:
    """How many times a fitted search trained an SVC (one-vs-one machines of one SVC count once)."""
    if hasattr(model, "cv_results_"):  # ours have n_svm_fits_, too, which counts one-vs-one machines
        return len(model.cv_results_["params"]) * int(model.n_splits_) + 1
    return int(getattr(model, "n_svm_fits_", 1))


def _rows(X: RowsLike, rows: np.ndarray) -> Any:
    return X[rows] if isinstance(X, Table) else safe_indexing(X, rows)


def nested_cell(
    estimator: Estimator,
    X: RowsLike,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    *,
    n_jobs: int | None = None,
    inner: Splits | None = None,
    measure: Measure = accuracy,
    coverage: float | None = None,
) -> tuple[float | None, ...]:
    """Score, wall and processor seconds, machines and errors of one method on one outer fold.

    The times are those of the training alone. ``measure`` is of `MEASURES`; without it the score is the
    accuracy, and there are no errors. With a ``coverage``, the two numbers of `covered` follow.
    """
    parts = Parts(_rows(X, train), y[train], _rows(X, test), y[test], inner)
    model, work = trained(estimator, parts, n_jobs)
    with warnings.catch_warnings():
        warnings.filterwarnings(
            "ignore", ".*training rows", KernelwiseWarning
        )  # test rows may be unlike them
        score, errors = measure(model, parts)
        more = () if coverage is None else covered(model, parts, coverage)
    return score, *work, *errors, *more


def trained(estimator: Estimator, parts: Parts, n_jobs: int | None) -> tuple[Any, tuple[float, float, float]]:
    """A method trained on the training part, and wall and processor seconds and machines.

    The searches of scikit-learn use threads, for processor time is not seen in other processes; its boosting
    would take all cores if nobody held it.
    """
    model = clone(estimator)
    if parts.inner is not None and "cv" in model.get_params(deep=False):
        model.set_params(cv=parts.inner)
    with (
        warnings.catch_warnings(),
        nullcontext() if n_jobs is None else parallel_config(backend="threading"),
        threadpool_limits(number_of_threads(n_jobs), user_api="openmp"),
    ):
        warnings.simplefilter("ignore")  # of peers: what matters here is what they score
        started, cpu_started = time.perf_counter(), time.process_time()
        model.fit(parts.X, *(() if is_outlier_detector(model) else (parts.y,)))  # those see no label
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
    return model, (seconds, cpu_seconds, float(n_machines(model)))
