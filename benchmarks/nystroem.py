"""``python -m benchmarks.nystroem``: tuned Nyström machines beside scikit-learn's grid, and an exact one.

Processor and wall seconds of one process; pin BLAS to as many threads as you want compared. The grid (7
values of γ, 7 of C, 3 folds) is run on ``--grid-rows`` rows; its time on all rows is extrapolated like n.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from kernelwise import TunedSVC

N_TEST = 20_000
GAMMAS, CS = np.geomspace(1e-3, 1.0, 7), np.geomspace(1e-2, 1e4, 7)


def samples(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Training and test samples: 20 features, 10 of them informative, about 96 % to be had."""
    X, y = make_classification(
        n + N_TEST,
        n_features=20,
        n_informative=10,
        n_redundant=5,
        n_clusters_per_class=2,
        class_sep=1.0,
        flip_y=0.02,
        random_state=0,
    )
    return X[:n], y[:n], X[n:], y[n:]


def grid(n_components: int) -> GridSearchCV:
    """What a user of scikit-learn would write."""
    pipeline = make_pipeline(
        StandardScaler(),
        Nystroem(n_components=n_components, random_state=0),
        LinearSVC(dual=False),
    )
    return GridSearchCV(pipeline, {"nystroem__gamma": GAMMAS, "linearsvc__C": CS}, cv=3)


def run(name: str, model: Any, n: int) -> float:
    """Train on n rows, print one line, and return the processor seconds."""
    X, y, X_test, y_test = samples(n)
    started, wall = time.process_time(), time.perf_counter()
    model.fit(X, y)
    seconds, wall = time.process_time() - started, time.perf_counter() - wall
    accuracy = 100 * model.score(X_test, y_test)
    print(f"{name:44s}{n:8d}{seconds:10.1f}{wall:10.1f}{accuracy:10.2f}", flush=True)
    for finding in getattr(model, "diagnostics_", ()):
        print(f"    {finding}")
    return seconds


def main() -> None:
    """Run all systems and print the ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--exact-rows", type=int, default=20_000, help="both machines are trained on these")
    parser.add_argument("--grid-rows", type=int, default=20_000)
    parser.add_argument("--components", type=int, default=500, help="of scikit-learn's grid")
    options = parser.parse_args()
    print(f"{'':44s}{'rows':>8s}{'CPU s':>10s}{'wall s':>10s}{'accuracy':>10s}")
    run("TunedSVC, exact", TunedSVC(solver="exact"), options.exact_rows)
    run("TunedSVC, Nyström", TunedSVC(solver="nystroem"), options.exact_rows)
    ours = run("TunedSVC, Nyström", TunedSVC(solver="nystroem"), options.rows)
    theirs = run(
        f"GridSearchCV(Nystroem({options.components}) + LinearSVC)",
        grid(options.components),
        options.grid_rows,
    )
    whole = theirs * options.rows / options.grid_rows
    print(
        f"The grid on {options.rows} rows, extrapolated from {options.grid_rows}: {whole:.0f} s of processor "
        f"time, {whole / ours:.1f} times as long as ours."
    )


if __name__ == "__main__":
    main()
