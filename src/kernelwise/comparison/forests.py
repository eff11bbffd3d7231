"""Forests and boosted trees as they come, and xRFM: what else people take for a table of numbers.

Trees go by the order of the values of a feature, so that they get features as they are, without scaling.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from kernelwise._core.threads import number_of_threads

#: Share of the training rows that xRFM chooses its rounds by; it asks for rows of its own to do that.
XRFM_VALIDATION = 0.2


def random_forest(task: str, random_state: int) -> Any:
    """scikit-learn's random forest with its defaults."""
    kind = RandomForestClassifier if task == "classification" else RandomForestRegressor
    return kind(random_state=random_state)


def gradient_boosting(task: str, random_state: int) -> Any:
    """scikit-learn's histogram-based gradient boosting with its defaults."""
    kind = HistGradientBoostingClassifier if task == "classification" else HistGradientBoostingRegressor
    return kind(random_state=random_state)


def of_library(library: str, task: str, random_state: int) -> Any:
    """The model of a library that may not be installed: a key of `MODELS`."""
    kind = LibraryClassifier if task == "classification" else LibraryRegressor
    return kind(library, random_state=random_state)


class _OfLibrary(BaseEstimator):
    """A library's model with its defaults behind scikit-learn's interface; it sees plain arrays."""

    task = ""

    def __init__(self, library: str = "lightgbm", random_state: int = 0, n_jobs: int | None = None) -> None:
        self.library = library
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _fit(self, X: Any, y: np.ndarray) -> None:
        make = MODELS[self.library]
        self.model_ = make(self.task, self.random_state, number_of_threads(self.n_jobs))
        self.model_.fit(_plain(X), y)


class LibraryClassifier(ClassifierMixin, _OfLibrary):
    """For classes: the library sees 0, 1, …, for CatBoost would answer texts for some labels."""

    task = "classification"

    def fit(self, X: Any, y: Any) -> Self:
        """Train on X of shape (n_samples, n_features) and labels of shape (n_samples,)."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._fit(X, codes)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Labels of shape (n_samples,)."""
        return self.classes_[np.asarray(self.model_.predict(_plain(X))).ravel().astype(int)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of shape (n_samples, n_classes)."""
        return np.asarray(self.model_.predict_proba(_plain(X)), dtype=np.float64)


class LibraryRegressor(RegressorMixin, _OfLibrary):
    """For numbers."""

    task = "regression"

    def fit(self, X: Any, y: Any) -> Self:
        """Train on X of shape (n_samples, n_features) and targets of shape (n_samples,)."""
        self._fit(X, np.asarray(y, dtype=np.float64))
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Numbers of shape (n_samples,)."""
        return np.asarray(self.model_.predict(_plain(X)), dtype=np.float64).ravel()


class _XRFM:
    """xRFM of standardised features; a part of the training rows chooses its rounds."""

    def __init__(self, task: str, random_state: int, n_threads: int) -> None:
        self.task, self.random_state, self.n_threads = task, random_state, n_threads

    def fit(self, X: np.ndarray, y: np.ndarray) -> None:
        """Train on X of shape (n_samples, n_features); numbers are standardised, too, for its ridge."""
        from xrfm import xRFM

        is_classes = self.task == "classification"
        self.scaler = StandardScaler().fit(X)
        self.shift = 0.0 if is_classes else float(y.mean())
        self.scale = 1.0 if is_classes else float(y.std()) or 1.0
        targets = y if is_classes else (y - self.shift) / self.scale
        can_stratify = is_classes and np.bincount(y).min() > 1
        train, test, seen, unseen = train_test_split(
            self.scaler.transform(X).astype(np.float32),
            targets,
            test_size=XRFM_VALIDATION,
            random_state=self.random_state,
            stratify=y if can_stratify else None,
        )
        self.model = xRFM(random_state=self.random_state, n_threads=self.n_threads, verbose=False)
        self.model.fit(train, seen, test, unseen)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Codes of classes, or numbers, of shape (n_samples,)."""
        answers = np.asarray(self.model.predict(self.scaler.transform(X).astype(np.float32))).ravel()
        return answers if self.task == "classification" else self.shift + self.scale * answers

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities of shape (n_samples, n_classes)."""
        return self.model.predict_proba(self.scaler.transform(X).astype(np.float32))


def _lightgbm(task: str, random_state: int, n_threads: int) -> Any:
    import lightgbm

    kind = lightgbm.LGBMClassifier if task == "classification" else lightgbm.LGBMRegressor
    return kind(random_state=random_state, n_jobs=n_threads, verbosity=-1)


def _catboost(task: str, random_state: int, n_threads: int) -> Any:
    import catboost

    kind = catboost.CatBoostClassifier if task == "classification" else catboost.CatBoostRegressor
    return kind(random_seed=random_state, thread_count=n_threads, verbose=False, allow_writing_files=False)


#: What makes a model of (task, random_state, n_threads), by the name of its library.
MODELS: dict[str, Callable[[str, int, int], Any]] = {
    "lightgbm": _lightgbm,
    "catboost": _catboost,
    "xrfm": _XRFM,
}


def _plain(X: Any) -> Any:
    """A sparse matrix as it is; anything else as an array of shape (n_samples, n_features)."""
    return X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
