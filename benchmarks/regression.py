"""``python -m benchmarks.regression``: TunedSVR beside GridSearchCV(SVR) on the same outer folds.

R² of the outer folds with its standard error, and CPU time, on one thread. The grid is 10 values of γ, 8 of C
and 3 of ε, by 5-fold cross-validation on standardised features and targets.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR
from threadpoolctl import threadpool_limits

from kernelwise import TunedSVR

SETS: dict[str, Callable[[], Any]] = {
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "friedman1, n = 400": lambda: make_friedman1(400, noise=1.0, random_state=0),
    "friedman1, n = 1000": lambda: make_friedman1(1000, noise=1.0, random_state=0),
    "friedman2, n = 400": lambda: make_friedman2(400, noise=100.0, random_state=0),
    "friedman3, n = 400": lambda: make_friedman3(400, noise=0.1, random_state=0),
    "friedman1, no noise": lambda: make_friedman1(400, noise=0.0, random_state=0),
}
GRID = {
    "regressor__svr__gamma": np.logspace(-4, 0.5, 10),
    "regressor__svr__C": np.logspace(-1, 3, 8),
    "regressor__svr__epsilon": [0.03, 0.1, 0.3],
}


def grid_search() -> Any:
    """scikit-learn's search over the same three numbers."""
    machine = TransformedTargetRegressor(make_pipeline(StandardScaler(), SVR()), transformer=StandardScaler())
    return GridSearchCV(machine, GRID, cv=KFold(5, shuffle=True, random_state=0))


def outer_scores(
    model: Any, X: np.ndarray, y: np.ndarray, n_folds: int, seed: int
) -> tuple[np.ndarray, float]:
    """R² of each outer fold, and CPU seconds of all."""
    started = time.process_time()
    folds = KFold(n_folds, shuffle=True, random_state=seed).split(X)
    scores = [clone(model).fit(X[train], y[train]).score(X[test], y[test]) for train, test in folds]
    return np.array(scores), time.process_time() - started


def main(arguments: list[str] | None = None) -> None:
    """Print a line for every set and method."""
    parser = argparse.ArgumentParser(description="R² and CPU time of TunedSVR and GridSearchCV(SVR)")
    parser.add_argument("--folds", type=int, default=5, help="outer folds")
    parser.add_argument("--seed", type=int, default=1, help="of the outer folds")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=list(SETS))
    parser.add_argument("--no-grid", action="store_true", help="TunedSVR only: the grid takes minutes a set")
    options = parser.parse_args(arguments)
    TunedSVR().fit(*make_friedman1(50))  # compiles
    methods = {"TunedSVR()": TunedSVR(), 'TunedSVR("diagonal")': TunedSVR("diagonal")}
    if not options.no_grid:
        methods["GridSearchCV(SVR)"] = grid_search()
    with threadpool_limits(1):
        for name in options.sets:
            X, y = SETS[name]()
            for method, model in methods.items():
                scores, seconds = outer_scores(model, X, y, options.folds, options.seed)
                error = scores.std(ddof=1) / np.sqrt(len(scores))
                print(
                    f"{name:20} {method:22} R² {scores.mean():.4f} ± {error:.4f}, {seconds:7.2f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
