"""LIBSVM through its authors' own Python package."""

from __future__ import annotations

from typing import Any

import numpy as np
from libsvm.svmutil import svm_predict, svm_train

from benchmarks.cold import cold_path
from benchmarks.jobs import Task


def _fit(X: np.ndarray, y: np.ndarray, C: float, gamma: float) -> Any:
    # scikit-learn's defaults: RBF kernel, a cache of 200 MB, tolerance 1e-3, shrinking.
    return svm_train(y, X, f"-q -t 2 -m 200 -e 0.001 -c {C!r} -g {gamma!r}")


def predict(machine: Any, X: np.ndarray) -> np.ndarray:
    labels, _, _ = svm_predict([], X, machine, "-q")
    return np.asarray(labels, dtype=int)


def fit(task: Task) -> Any:
    return _fit(task.X, task.y, task.C, task.gamma)


def cpath(task: Task) -> np.ndarray:
    return cold_path(task, _fit, predict)
