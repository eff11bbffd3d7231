"""The main job on a data set that ships with scikit-learn: ``python -m kernelwise.demo``."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from kernelwise import GridSearchSVC
from kernelwise.criteria import CRITERIA, MachineCriterion, as_criterion
from kernelwise.exceptions import BoundaryWarning
from kernelwise.optimizers import LineSearch, QuasiNewton
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.solvers import path_predictions, svm_path

ROW = "{:<14} {:>10} {:>10} {:>9} {:>9} {:>8}   {}"
CS = 2.0 ** np.arange(-5, 16)
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


def main() -> None:
    """Choose a kernel by every criterion, then C by cross-validation, beside a grid search; print a table."""
    data = load_breast_cancer()
    X, y = StandardScaler().fit_transform(data.data), data.target
    print(f"breast_cancer: {len(y)} samples, {X.shape[1]} features, 2 classes")
    print("Kernel by a criterion, then C from 21 values by 5-fold cross-validation:\n")
    print(ROW.format("criterion", "gamma", "score", "C", "accuracy", "seconds", "how the search ended"))
    _first_use(X, y)
    for name in (name for name in CRITERIA if not isinstance(as_criterion(name), MachineCriterion)):
        started = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BoundaryWarning)  # the last column says it
            problem = TuningProblem("rbf", name, X, y)
            # Criteria that train machines search C, too.
            search = LineSearch() if problem.theta.size == 1 else QuasiNewton()
            result = search.minimize(problem)
        print(_row(name, f"{result.kernel.get_params()['gamma']:.4g}", result, X, y, started))

    started = time.perf_counter()
    result = QuasiNewton().minimize(TuningProblem("diagonal", "centered-kta", X, y))
    print(_row("centered-kta", "a feature", result, X, y, started))
    weights = sorted(zip(result.theta, data.feature_names, strict=True), reverse=True)
    print("\nWith a width for each feature it trusts most:", ", ".join(str(name) for _, name in weights[:5]))

    started = time.perf_counter()
    grid = {"gamma": 2.0 ** np.arange(-15, 4), "C": CS}
    best = GridSearchSVC(grid, cv=FOLDS, refit=False).fit(X, y)
    print(
        f"Grid search, 19 x 21 values from shared Gram matrices: gamma {best.best_params_['gamma']:.4g}, "
        f"C {best.best_params_['C']:g}, accuracy {best.best_score_:.3f}, "
        f"{time.perf_counter() - started:.2f} s"
    )


def _first_use(X: np.ndarray, y: np.ndarray) -> None:
    """Load the compiled solver now, so that the first row does not pay for it."""
    svm_path(X[:40] @ X[:40].T, y[:40], [1.0], [(np.arange(40), np.arange(0))])


def _row(name: str, width: str, result: TuningResult, X: Any, y: Any, started: float) -> str:
    path = svm_path(result.kernel(X), y, CS, list(FOLDS.split(X, y)))
    accuracy = (path_predictions(path) == y).mean(axis=1)
    best = int(accuracy.argmax())
    seconds = f"{time.perf_counter() - started:.2f}"
    return ROW.format(
        name,
        width,
        f"{result.score:.4g}",
        f"{CS[best]:g}",
        f"{accuracy[best]:.3f}",
        seconds,
        result.stop_reason,
    )


if __name__ == "__main__":
    main()
