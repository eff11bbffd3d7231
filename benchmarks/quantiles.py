"""``python -m benchmarks.quantiles --tables FOLDER``: quantile machines beside boosting and a linear model.

For every set and outer fold: D² of the pinball loss (1 − loss / that of the training rows' quantile), the
share of test rows below the prediction, and CPU seconds of the fit, on one thread, for the quantiles 0.1, 0.5
and 0.9. ``--path`` instead times a path over 35 values of C beside single fits from nothing: our own,
LIBSVM's, which has the median only, and liquidSVM's own cross-validation of the same values, if it is there.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.linear_model import QuantileRegressor
from sklearn.metrics import mean_pinball_loss
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVR as LibSVR
from threadpoolctl import threadpool_limits

from benchmarks.forests import NUMBERS, cut, read
from kernelwise import TunedSVR
from kernelwise.kernels import RBF
from kernelwise.solvers.regression import RegressionPaths, solve_svr

QUANTILES = (0.1, 0.5, 0.9)
MADE: dict[str, Callable[[], Any]] = {
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "friedman1": lambda: make_friedman1(400, noise=1.0, random_state=0),
    "friedman2": lambda: make_friedman2(400, noise=100.0, random_state=0),
    "friedman3": lambda: make_friedman3(400, noise=0.1, random_state=0),
}
CS = 2.0 ** np.linspace(-8.0, 9.0, 35)


class Each:
    """A model for each quantile; ``make(q)`` returns it."""

    def __init__(self, make: Callable[[float], Any]) -> None:
        self.make = make

    def fit(self, X: np.ndarray, y: np.ndarray) -> Each:
        """Train all of them."""
        self.models = [clone(self.make(q)).fit(X, y) for q in QUANTILES]
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Predictions of shape (n_rows, n_quantiles), in order."""
        return np.sort(np.column_stack([model.predict(X) for model in self.models]), axis=1)


def linear(quantile: float) -> Any:
    """scikit-learn's linear quantile regression, with the penalty that five folds prefer."""
    line = make_pipeline(StandardScaler(), QuantileRegressor(quantile=quantile))
    grid = {"quantileregressor__alpha": [0.0, 0.001, 0.01]}

    def score(model: Any, X: np.ndarray, y: np.ndarray) -> float:
        return -float(mean_pinball_loss(y, model.predict(X), alpha=quantile))

    return GridSearchCV(line, grid, scoring=score, cv=5)


METHODS: dict[str, Callable[[], Any]] = {
    "TunedSVR": lambda: TunedSVR(quantile=list(QUANTILES)),
    "boosting": lambda: Each(
        lambda q: HistGradientBoostingRegressor(loss="quantile", quantile=q, random_state=0)
    ),
    "linear": lambda: Each(linear),
}


def measured(
    make: Callable[[], Any], X: np.ndarray, y: np.ndarray, n_folds: int
) -> tuple[np.ndarray, np.ndarray, float]:
    """D² and shares below, both (n_quantiles,), means over the outer folds; and CPU seconds of a fit."""
    scores, shares, seconds = [], [], 0.0
    for train, test in KFold(n_folds, shuffle=True, random_state=1).split(X):
        started = time.process_time()
        model = make().fit(X[train], y[train])
        seconds += time.process_time() - started
        predicted = model.predict(X[test])
        guesses = np.quantile(y[train], QUANTILES)
        losses, of_guess = (
            [
                mean_pinball_loss(y[test], np.broadcast_to(one, y[test].shape), alpha=q)
                for q, one in zip(QUANTILES, columns, strict=True)
            ]
            for columns in (predicted.T, guesses)
        )
        scores.append(1.0 - np.array(losses) / np.array(of_guess))
        shares.append((y[test, None] <= predicted).mean(axis=0))
    return np.mean(scores, axis=0), np.mean(shares, axis=0), seconds / n_folds


def compare(options: argparse.Namespace) -> None:
    """Print a line for every set and method, and the means."""
    total: dict[str, list[Any]] = {name: [] for name in METHODS}
    for name in options.sets:
        X, y = MADE[name]() if name in MADE else cut(*read(name, options.tables), options.rows, "regression")
        for method, make in METHODS.items():
            found = measured(make, np.asarray(X), np.asarray(y, dtype=float), options.folds)
            total[method].append(found)
            print(line(name, method, *found), flush=True)
    for method, all_found in total.items():
        scores, shares, seconds = zip(*all_found, strict=True)
        print(line("mean", method, np.mean(scores, axis=0), np.mean(shares, axis=0), float(np.mean(seconds))))
        off = 100.0 * np.abs(np.array(shares) - QUANTILES).mean()
        print(f"{'':20} {method:22} shares below are off by {off:.1f} points on average")
    print(f"\n## sets\n\n| set | {' | '.join(METHODS)} |\n|---|{'---|' * len(METHODS)}")
    for k, name in enumerate(options.sets):
        print(f"| {name} | {' | '.join(cell(*found[k][:2]) for found in total.values())} |")
    means = (
        [np.mean(part, axis=0) for part in list(zip(*found, strict=True))[:2]] for found in total.values()
    )
    print(f"| mean | {' | '.join(cell(*found) for found in means)} |")


def cell(scores: np.ndarray, shares: np.ndarray) -> str:
    """D² of all quantiles, and the shares of test rows below each, as docs/guide/regression.md has them."""
    return f"{scores.mean():.3f}; {', '.join(f'{100.0 * share:.1f}' for share in shares)} %"


def line(name: str, method: str, scores: np.ndarray, shares: np.ndarray, seconds: float) -> str:
    """A line of numbers."""
    each = " ".join(f"{score:.3f}" for score in scores)
    below = " ".join(f"{100.0 * share:.1f}" for share in shares)
    return f"{name:20} {method:22} D² {scores.mean():.4f} ({each}), below {below} %, {seconds:6.2f} s"


def cpu(work: Callable[[], Any]) -> float:
    """CPU seconds, the best of three."""
    found = []
    for _ in range(3):
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
    return min(found)


def time_paths(n_rows: int) -> None:
    """Print CPU seconds of 35 values of C, on all rows and in five folds, with an RBF kernel."""
    X, y = make_friedman1(n_rows, noise=1.0, random_state=0)
    X, y = StandardScaler().fit_transform(X), (y - y.mean()) / y.std()
    kernel = RBF(0.1)
    K = kernel(X)
    everyone = [(np.arange(n_rows), np.empty(0, int))]
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    for quantile in (0.5, 0.9):
        how: dict[str, Any] = {"epsilon": 0.0, "tol": 1e-3, "n_jobs": 1}

        def along(splits: Any, quantile: float = quantile, how: dict[str, Any] = how) -> Any:
            return RegressionPaths(y, splits, np.ones(n_rows), quantiles=(quantile,)).solve(K, CS, **how)

        def one_by_one(quantile: float = quantile) -> None:
            for C in CS:
                solve_svr(kernel, X, y, C, quantile=quantile)

        path = cpu(lambda along=along: along(everyone))
        in_folds = cpu(lambda along=along: along(folds))
        print(f"{n_rows} rows, q = {quantile:g}: path {path:.3f} s, in five folds {in_folds:.3f} s")
        print(f"    our single fits {cpu(one_by_one) / path:.1f} × the path", flush=True)
        if quantile == 0.5:

            def by_libsvm() -> None:
                for C in CS:
                    LibSVR(kernel="precomputed", C=0.5 * C, epsilon=0.0, cache_size=1000).fit(K, y)

            print(f"    LIBSVM's single fits {cpu(by_libsvm) / path:.0f} × the path", flush=True)
        by_liquid = liquid_svm(X, y, quantile, kernel.gamma)
        if by_liquid is None:
            print("    liquidSVM is not installed")
        else:
            print(f"    liquidSVM's five folds {cpu(by_liquid) / in_folds:.1f} × our five folds", flush=True)


def liquid_svm(X: np.ndarray, y: np.ndarray, quantile: float, gamma: float) -> Callable[[], None] | None:
    """liquidSVM's qtSVM at the same values of C, one width and five folds; None if it is not installed."""
    try:
        from benchmarks.systems.liquidsvm import _decimals, liquidSVM
    except ImportError:
        return None

    def run() -> None:
        machine = liquidSVM.SVM(
            X,
            y,
            scenario="QT",
            threads=1,
            folds=5,
            gammas=_decimals(np.array([gamma**-0.5])),
            c_values=_decimals(CS),
            WEIGHTS=str(quantile),
        )
        machine.train()
        machine.clean()

    return run


def main(arguments: list[str] | None = None) -> None:
    """Compare on sets, or time paths."""
    parser = argparse.ArgumentParser(description="Quantile machines: loss, shares below, and times")
    parser.add_argument("--tables", type=Path, default=Path(), help="the folder of the tables")
    parser.add_argument("--sets", nargs="*", choices=(*NUMBERS, *MADE), default=[*NUMBERS, *MADE])
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--folds", type=int, default=5, help="outer folds")
    parser.add_argument("--path", nargs="*", type=int, metavar="ROWS", help="time paths of so many rows")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # of test rows unlike the training rows, and of targets with few values
    with threadpool_limits(1):
        if options.path is None:
            compare(options)
        for n_rows in options.path or []:
            time_paths(n_rows)


if __name__ == "__main__":
    main()
