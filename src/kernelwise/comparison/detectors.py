"""Detectors of unusual rows as they come, beside ours."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import OneClassSVM


def one_class_defaults() -> Any:
    """scikit-learn's one-class machine as it is, on standardised features."""
    return make_pipeline(StandardScaler(with_mean=True), OneClassSVM())


def isolation_forest(random_state: int) -> Any:
    """scikit-learn's isolation forest with its defaults."""
    return IsolationForest(random_state=random_state)


def local_outlier_factor() -> Any:
    """scikit-learn's local outlier factor, for rows that it was not trained on."""
    return make_pipeline(StandardScaler(), LocalOutlierFactor(novelty=True))


def elliptic_envelope(random_state: int) -> Any:
    """scikit-learn's robust ellipse."""
    return EllipticEnvelope(random_state=random_state)


class EqualScores(OutlierMixin, BaseEstimator):
    """The answer that ignores X: all rows are alike."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn nothing."""
        self.n_features_in_ = X.shape[1]
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Zeros of shape (n_samples,)."""
        return np.zeros(X.shape[0])

    def predict(self, X: Any) -> np.ndarray:
        """Ones of shape (n_samples,)."""
        return np.ones(X.shape[0], dtype=int)


def ranking_scores(model: Any, X: Any, y: np.ndarray) -> tuple[float, float]:
    """ROC AUC and average precision of the order in which a model puts rows; unusual ones have y = −1."""
    strangeness = -np.asarray(model.decision_function(X), dtype=float)
    is_unusual = y == -1
    return float(roc_auc_score(is_unusual, strangeness)), float(
        average_precision_score(is_unusual, strangeness)
    )


def check_detection_labels(y: np.ndarray) -> None:
    """Raise unless every row is labelled 1, usual, or −1, unusual, and both occur."""
    found = set(np.unique(y).tolist())
    if found != {-1, 1}:
        shown = ", ".join(map(repr, sorted(found, key=str)[:6]))
        raise ValueError(
            "The labels of compare(task='detection') must be 1 for usual rows and -1 for unusual ones, and "
            f"both must occur, got {shown}."
        )
