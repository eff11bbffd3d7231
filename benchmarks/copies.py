"""``python -m benchmarks.copies``: full grids on tables of few columns with many copies of rows.

Seconds of `GridSearchSVC`, and how many held-out labels differ from scikit-learn's on a part of the grid. A
label counts as different only if its decision values are farther from zero than the tolerance of the solvers:
what rounding decides would otherwise count as often as there are copies of a row.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.data import SEED, Data, Table, _from_file, deal
from benchmarks.jobs import powers

#: Where scikit-learn is compared with: every so many values of C and gamma.
PART = 6
TOL = 1e-3


def integers(n: int, n_columns: int, n_values: int, flipped: float) -> Table:
    """Random whole numbers whose sum decides the label, some of them flipped."""
    rng = np.random.default_rng(SEED)
    X = rng.integers(n_values, size=(n, n_columns))
    y = X.sum(axis=1) + rng.normal(scale=0.5, size=n) > n_columns * (n_values - 1) / 2
    return X, y ^ (rng.random(n) < flipped)


def few_rows(n: int, n_columns: int, n_distinct: int, flipped: float) -> Table:
    """Some hundred different rows, each several times, with labels by a plane and some of them flipped."""
    rng = np.random.default_rng(SEED)
    X = rng.integers(4, size=(n_distinct, n_columns))[rng.integers(n_distinct, size=n)]
    along = X @ rng.normal(size=n_columns)
    return X, (along > np.median(along)) ^ (rng.random(n) < flipped)


def balance(flipped: float) -> Table:
    """All 625 rows of four whole numbers from 1 to 5: which product of two is larger, some labels flipped."""
    rng = np.random.default_rng(SEED)
    X = np.stack(np.meshgrid(*[np.arange(1, 6)] * 4), axis=-1).reshape(-1, 4)
    moment = X[:, 0] * X[:, 1] - X[:, 2] * X[:, 3]
    y = np.sign(moment) + 1
    return X, np.where(rng.random(len(y)) < flipped, rng.permutation(y), y)


TABLES: dict[str, Callable[[], Table]] = {
    "titanic": _from_file("titanic"),
    "tic_tac_toe": _from_file("tic_tac_toe"),
    "integers_640x5": lambda: integers(640, 5, 3, 0.1),
    "integers_245x3": lambda: integers(245, 3, 5, 0.15),
    "rows_600x5": lambda: few_rows(600, 5, 200, 0.15),
    "balance_flipped": lambda: balance(0.1),
}


def load(name: str) -> Data:
    """A table, standardised, with ten folds."""
    X, y = TABLES[name]()
    X = StandardScaler().fit_transform(np.asarray(X, dtype=float))
    return deal(X, np.unique(y, return_inverse=True)[1], 10, 1.0)


def seconds(data: Data, gammas: np.ndarray, Cs: np.ndarray) -> float:
    """CPU seconds of a grid with ten folds."""
    from kernelwise import GridSearchSVC

    started = time.process_time()
    GridSearchSVC({"gamma": gammas.tolist(), "C": Cs.tolist()}, cv=data.folds, refit=False).fit(
        data.X, data.y
    )
    return time.process_time() - started


def differing(data: Data, gammas: np.ndarray, Cs: np.ndarray) -> tuple[int, int]:
    """The most labels of a cell that differ from scikit-learn's, and the number of cells."""
    from kernelwise.kernels import RBF
    from kernelwise.solvers.copies import Distinct
    from kernelwise.solvers.path import solve_path

    distinct, worst = Distinct.of(data.X, data.y, is_gram=False), 0
    training = distinct.training(np.ones((len(data.folds), len(data.y))), data.folds)
    settings = {"strategy": "ovo", "tol": TOL, "max_iter": -1, "n_jobs": 1, "places": training.places}
    for gamma in gammas:
        K = RBF(gamma)(distinct.X)
        path, _ = solve_path(K, distinct.targets, Cs, training.folds, training.weight, **settings)
        for c, C in enumerate(Cs):
            n_different = 0
            for (train, test), answers in zip(data.folds, training.answers, strict=True):
                ours = path.decision[c, answers]
                machine = SVC(C=C, gamma=gamma, tol=TOL, decision_function_shape="ovo")
                theirs = machine.fit(data.X[train], data.y[train]).decision_function(data.X[test])
                is_far = np.minimum(np.abs(ours), np.abs(theirs)) > TOL
                is_other = ((ours >= 0) != (theirs >= 0)) & is_far
                n_different += int(is_other.reshape(len(test), -1).any(axis=1).sum())
            worst = max(worst, n_different)
    return worst, len(gammas) * len(Cs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(TABLES), metavar="NAME")
    parser.add_argument("--compare", action="store_true", help="compare labels with scikit-learn: minutes")
    parser.add_argument("--quick", action="store_true", help="every sixth value of C and gamma only")
    options = parser.parse_args()
    gammas, Cs = 1 / (2 * powers(-8, 9, 0.5) ** 2), powers(-1, 16, 0.5)
    some_gammas, some_Cs = gammas[::PART], Cs[::PART]
    if options.quick:
        gammas, Cs = some_gammas, some_Cs
    seconds(load("integers_245x3"), gammas[:1], Cs[:2])  # compiles
    for name in options.names:
        data = load(name)
        different = len(np.unique(data.X, axis=0))
        line = f"{name:16} {data.X.shape[0]:5} x {data.X.shape[1]:2}, {different:4} different rows "
        line += f"{seconds(data, gammas, Cs):7.2f} CPU s"
        if options.compare:
            worst, n_cells = differing(data, some_gammas, some_Cs)
            line += f"  at most {worst} labels differ in any of {n_cells} cells"
        print(line, flush=True)


if __name__ == "__main__":
    main()
