"""``python -m benchmarks.copies``: full grids on tables of few columns with many copies of rows.

Seconds of `GridSearchSVC`, and how many held-out labels differ from scikit-learn's on a part of the grid. A
label counts as different only if its decision values are farther from zero than the tolerance of the solvers:
what rounding decides would otherwise count as often as there are copies of a row.

With ``--all-small FOLDER`` instead the seconds for every table of the folder that has classes and at most
1000 rows, slowest last; words are coded as `kernelwise tune` does. ``--journal FILE`` remembers what is done.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator, MutableMapping
from pathlib import Path

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.data import SEED, Data, Table, _from_file, deal
from benchmarks.jobs import powers
from kernelwise._core.journal import Journal
from kernelwise.datasets.loader import ENVIRONMENT_VARIABLE
from kernelwise.tables import learn_encoding, read_table

#: Where scikit-learn is compared with: every so many values of C and gamma.
PART = 6
TOL = 1e-3
#: Of tables that are small: the most rows, the most values of a target that are classes, and rows of a class.
MOST_ROWS, MOST_CLASSES, LEAST_OF_CLASS = 1000, 30, 10
#: Grades of the six columns of `car`, from the worst.
GRADES = (
    *[["vhigh", "high", "med", "low"]] * 2,
    ["2", "3", "4", "5more"],
    ["2", "4", "more"],
    ["small", "med", "big"],
    ["low", "med", "high"],
)


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


def car() -> Table:
    """All 1728 rows of six grades as whole numbers, four classes; the file is car_evaluation.csv."""
    folders = os.environ.get(ENVIRONMENT_VARIABLE, "").split(os.pathsep)
    files = [path for folder in folders if (path := Path(folder) / "car_evaluation.csv").is_file()]
    if not files:
        raise FileNotFoundError(f"No folder of {ENVIRONMENT_VARIABLE} has car_evaluation.csv.")
    cells = np.loadtxt(files[0], dtype=str, delimiter=",", skiprows=1)
    grades = [[order.index(cell) for cell in cells[:, k]] for k, order in enumerate(GRADES)]
    return np.array(grades).T, cells[:, -1]


TABLES: dict[str, Callable[[], Table]] = {
    "titanic": _from_file("titanic"),
    "tic_tac_toe": _from_file("tic_tac_toe"),
    "integers_640x5": lambda: integers(640, 5, 3, 0.1),
    "integers_245x3": lambda: integers(245, 3, 5, 0.15),
    "rows_600x5": lambda: few_rows(600, 5, 200, 0.15),
    "balance_flipped": lambda: balance(0.1),
    "car": car,
}


def small_tables(folders: list[Path]) -> Iterator[tuple[str, Table]]:
    """Names and samples of the tables of classes in CSV files that have few rows."""
    for path in sorted(path for folder in folders for path in folder.glob("*.csv*")):
        table = read_table(path)
        if len(table) > MOST_ROWS:
            continue
        try:
            encoding = learn_encoding(table, target=table.names[-1], impute=True, lump=True).encoding
        except ValueError as error:
            print(f"{path.stem} is left out: {error}")
            continue
        X, y = np.asarray(encoding.samples(table)), np.asarray(encoding.labels(table))
        classes, counts = np.unique(y, return_counts=True)
        is_used = np.isin(y, classes[counts >= LEAST_OF_CLASS])
        if classes.size > MOST_CLASSES or np.unique(y[is_used]).size < 2:
            print(f"{path.stem} is left out: its last column has no classes.")
            continue
        yield path.name.split(".")[0], (X[is_used], y[is_used])


def prepared(table: Table) -> Data:
    """A table, standardised, with ten folds."""
    X, y = table
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
    from kernelwise.solvers.path import ClassPaths

    distinct, worst = Distinct.of(data.X, data.y, is_gram=False), 0
    training = distinct.training(np.ones((len(data.folds), len(data.y))), data.folds)
    classes, index = np.unique(distinct.targets, return_inverse=True)
    paths = ClassPaths(classes, index, training.folds, training.weight, "ovo", training.places)
    for gamma in gammas:
        K = RBF(gamma)(distinct.X)
        path, _ = paths.solve(K, np.asarray(Cs), tol=TOL, n_jobs=1)
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


def print_small(folders: list[Path], gammas: np.ndarray, Cs: np.ndarray, done: MutableMapping) -> None:
    """A line for each small table as it is done, then those of them in the order of their seconds."""
    for name, table in small_tables(folders):
        if name not in done:
            done[name] = [*table[0].shape, seconds(prepared(table), gammas, Cs)]
            print(f"{name:28} {done[name][2]:7.2f}", flush=True)
    print("From the fastest to the slowest:")
    for name, (n, n_columns, spent) in sorted(done.items(), key=lambda item: item[1][2]):
        print(f"{name:28} {n:5} x {n_columns:3} {spent:7.2f} CPU s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(TABLES), metavar="NAME")
    parser.add_argument("--compare", action="store_true", help="compare labels with scikit-learn: minutes")
    parser.add_argument("--quick", action="store_true", help="every sixth value of C and gamma only")
    parser.add_argument("--all-small", nargs="+", type=Path, metavar="FOLDER", help="folders of CSV files")
    parser.add_argument("--journal", type=Path, help="file that remembers what --all-small has done")
    options = parser.parse_args()
    gammas, Cs = 1 / (2 * powers(-8, 9, 0.5) ** 2), powers(-1, 16, 0.5)
    some_gammas, some_Cs = gammas[::PART], Cs[::PART]
    if options.quick:
        gammas, Cs = some_gammas, some_Cs
    seconds(prepared(TABLES["integers_245x3"]()), gammas[:1], Cs[:2])  # compiles
    if options.all_small and options.journal:
        with Journal(options.journal, {"gammas": gammas.size, "Cs": Cs.size}) as journal:
            print_small(options.all_small, gammas, Cs, journal)
        return
    if options.all_small:
        print_small(options.all_small, gammas, Cs, {})
        return
    for name in options.names:
        try:
            data = prepared(TABLES[name]())
        except FileNotFoundError as error:
            print(f"{name:16} is left out: {error}")
            continue
        different = len(np.unique(data.X, axis=0))
        line = f"{name:16} {data.X.shape[0]:5} x {data.X.shape[1]:2}, {different:4} different rows "
        line += f"{seconds(data, gammas, Cs):7.2f} CPU s"
        if options.compare:
            worst, n_cells = differing(data, some_gammas, some_Cs)
            line += f"  at most {worst} labels differ in any of {n_cells} cells"
        print(line, flush=True)


if __name__ == "__main__":
    main()
