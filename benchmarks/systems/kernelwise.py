"""kernelwise: one Gram matrix, warm-started paths."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.cold import correct
from benchmarks.jobs import Task


def cpath(task: Task) -> np.ndarray:
    from kernelwise.kernels import RBF
    from kernelwise.solvers import path_predictions, svm_path

    return path_predictions(svm_path(RBF(task.gamma)(task.X), task.y, task.Cs, task.folds))


def relative_gap(task: Task, K: np.ndarray, C: float) -> float:
    """Largest (primal − dual) / dual of the machines of all folds for one C, two classes."""
    from kernelwise.solvers import svm_path

    y = 2.0 * task.y - 1.0
    path, worst = svm_path(K, task.y, [C], task.folds), 0.0
    for (train, _), (last,) in zip(task.folds, path.last, strict=True):
        beta = last.beta * y[0]  # a path's labels are those for which the first sample is positive
        f = K @ beta
        # The best offset makes some sample meet its margin.
        offsets = y[train] - f[train]
        slack = np.maximum(0.0, 1.0 - y[train] * (f[train] + offsets[:, None]))
        primal = 0.5 * beta @ f + C * slack.sum(axis=1).min()
        dual = y @ beta - 0.5 * beta @ f
        worst = max(worst, (primal - dual) / dual)
    return float(worst)


def grid(task: Task) -> np.ndarray:
    from kernelwise import GridSearchSVC

    search = GridSearchSVC(param_grid={"gamma": task.gammas, "C": task.Cs}, cv=task.folds, refit=False)
    return correct(search.fit(task.X, task.y).cv_results_, task)


def select(task: Task) -> None:
    from kernelwise import TunedSVC

    TunedSVC("rbf", scale=None).fit(task.X, task.y)  # the kernel that the others choose the width of


def fit(task: Task) -> Any:
    from kernelwise import SVC

    return SVC(C=task.C, gamma=task.gamma).fit(task.X, task.y)


def predict(machine: Any, X: np.ndarray) -> np.ndarray:
    return machine.predict(X)
