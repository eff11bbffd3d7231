"""Systems with scikit-learn's or LIBSVM's interface: every fold and every setting solved from nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV

from benchmarks.jobs import Task

Fit = Callable[[np.ndarray, np.ndarray, float, float], Any]
Predict = Callable[[Any, np.ndarray], np.ndarray]


class EstimatorSystem:
    """The four jobs by a class with the interface of scikit-learn's SVC."""

    def __init__(self, SVC: Any) -> None:
        self.SVC = SVC

    def fit(self, task: Task) -> Any:
        return self._fit(task.X, task.y, task.C, task.gamma)

    def predict(self, machine: Any, X: np.ndarray) -> np.ndarray:
        return machine.predict(X)

    def cpath(self, task: Task) -> np.ndarray:
        return cold_path(task, self._fit, self.predict)

    def grid(self, task: Task) -> np.ndarray:
        grid = {"gamma": task.gammas, "C": task.Cs}
        search = GridSearchCV(self.SVC(), grid, cv=task.folds, n_jobs=1, refit=False)
        return correct(search.fit(task.X, task.y).cv_results_, task)

    def _fit(self, X: np.ndarray, y: np.ndarray, C: float, gamma: float) -> Any:
        return self.SVC(C=C, gamma=gamma).fit(X, y)


def cold_path(task: Task, fit: Fit, predict: Predict) -> np.ndarray:
    """Held-out labels of shape (n_Cs, n_samples).

    The fits and predictions of GridSearchCV in a plain loop, because GridSearchCV keeps no predictions.
    """
    labels = np.empty((len(task.Cs), len(task.y)), dtype=int)
    for train, test in task.folds:
        X, y, X_test = task.X[train], task.y[train], task.X[test]
        for row, C in zip(labels, task.Cs, strict=True):
            row[test] = predict(fit(X, y, float(C), task.gamma), X_test)
    return labels


def correct(cv_results: dict[str, Any], task: Task) -> np.ndarray:
    """Correct labels from the accuracies of a search, of shape (n_gammas · n_Cs, n_folds), C fastest."""
    share = np.column_stack([cv_results[f"split{k}_test_score"] for k in range(len(task.folds))])
    order = np.lexsort((cv_results["param_C"].astype(float), -cv_results["param_gamma"].astype(float)))
    return np.rint(share[order] * [len(test) for _, test in task.folds]).astype(int)
