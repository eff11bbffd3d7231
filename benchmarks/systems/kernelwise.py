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
