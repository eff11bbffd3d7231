"""Novelty detection: ``python -m benchmarks.novelty --tables FOLDER [FOLDER ...] [--out FOLDER]``

TunedOneClassSVM without labels and with ten labelled outliers, beside scikit-learn's detectors and a
one-class machine with the defaults that a study of 246 problems recommends (ν = 0.2, γ = 4/features, robust
scaling): ROC AUC and average precision on rows that nobody was trained on, and processor seconds of a fit.

Problems are the anomaly sets (``ad_*``; a half of the rows to train on, once as it comes and once without its
anomalies) and the classes of other sets, four of each at most, every one in turn as the normal class; every
second class has 5 % of the others among its training rows. At most 400 rows are trained on. Words are one-hot
columns, for all methods. Cells are kept in ``novelty_cells.csv`` as they are done, and not done again.
"""

from __future__ import annotations

import argparse
import csv
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.covariance import EllipticEnvelope
from sklearn.ensemble import IsolationForest
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.neighbors import LocalOutlierFactor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import RobustScaler, StandardScaler
from sklearn.svm import OneClassSVM

from kernelwise import TunedOneClassSVM

ANOMALIES = (
    *("ad_thyroid", "ad_annthyroid", "ad_satellite", "ad_pendigits", "ad_optdigits", "ad_vertebral"),
    *("ad_wbc", "ad_mammography"),
)
CLASSES = (
    *("banana", "banknote", "breast_cancer_wisconsin", "heart_statlog", "ilpd", "iris", "letter_train"),
    *("optdigits_train", "pendigits_train", "planning_relax", "ringnorm", "satimage_train", "segment"),
    *("splice", "tic_tac_toe", "thyroid_train", "twonorm", "usps_train", "vertebral_2c", "waveform", "dna"),
    *("phoneme", "qsar_biodegradation", "steel_plates_faults", "madelon", "mfeat_fou", "mfeat_kar"),
    *("coil2000_train", "colon_cancer", "german_credit", "credit_approval", "car_evaluation"),
)
#: Sets whose numbers are codes of words.
CODED = ("splice",)
MOST_CLASSES, FEWEST_ROWS = 4, 20
MOST_TRAINED, MOST_TESTED = 400, 400
SHARE = 0.05
N_LABELLED = 10
#: Features from which on a covariance takes minutes.
WIDE = 200
OURS, LABELLED = "TunedOneClassSVM", "TunedOneClassSVM, 10 labels"
FIELDS = ("problem", "set", "rows", "features", "method", "auc", "ap", "seconds")


class Problem(NamedTuple):
    """Rows to train on, outliers that may be labelled, and rows to score, −1 where they are outliers."""

    name: str
    set: str
    X: np.ndarray
    outliers: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def read(name: str, folders: list[Path]) -> tuple[np.ndarray, np.ndarray] | None:
    """Features, words as one-hot columns, and the last column; None if no folder has the file."""
    path = next((path for folder in folders for path in sorted(folder.glob(f"{name}.csv*"))), None)
    if path is None:
        return None
    table = pd.read_csv(path)
    y, X = table.iloc[:, -1].to_numpy(), table.iloc[:, :-1]
    if name in CODED:
        X = X.astype(str)
    numbers = X.select_dtypes("number")
    parts = [numbers.fillna(numbers.median())]
    if len(numbers.columns) < len(X.columns):
        parts.append(pd.get_dummies(X.drop(columns=numbers.columns), dtype=float))
    return pd.concat(parts, axis=1).to_numpy(float), y


def anomaly_problems(name: str, X: np.ndarray, y: np.ndarray, seed: int) -> Iterator[Problem]:
    """A half of the rows to train on, with the anomalies in it and without."""
    for k, kind in enumerate(("as it comes", "clean")):
        rows = np.random.default_rng([seed, k]).permutation(len(y))
        half, rest = rows[: len(y) // 2], rows[len(y) // 2 :]
        known = half[y[half] == 1]
        train = half if k == 0 else half[y[half] == 0]
        normal, strange = rest[y[rest] == 0][: 2 * MOST_TESTED], rest[y[rest] == 1][:MOST_TESTED]
        test = np.r_[normal, strange]
        label = np.where(y[test] == 1, -1, 1)
        yield Problem(f"{name}, {kind}", name, X[train[:MOST_TRAINED]], X[known], X[test], label)


def class_problems(name: str, X: np.ndarray, y: np.ndarray, seed: int) -> Iterator[Problem]:
    """Every class in turn as the normal one, four at most."""
    rng = np.random.default_rng(seed)
    labels, counts = np.unique(y, return_counts=True)
    chosen = labels[counts >= FEWEST_ROWS]
    if len(chosen) > MOST_CLASSES:
        chosen = chosen[np.sort(rng.choice(len(chosen), MOST_CLASSES, replace=False))]
    for k, label in enumerate(chosen):
        normal, other = (rng.permutation(np.flatnonzero((y == label) == is_in)) for is_in in (True, False))
        n = min(MOST_TRAINED, int(0.6 * len(normal)))
        share = SHARE * (k % 2)
        n_strange = round(share * n)
        train = np.r_[normal[: n - n_strange], other[:n_strange]]
        known, other = other[n_strange : n_strange + N_LABELLED], other[n_strange + N_LABELLED :]
        inside = normal[n : n + MOST_TESTED]
        outside = other[: max(20, min(MOST_TESTED, len(inside)))]
        test, truth = np.r_[inside, outside], np.r_[np.ones(len(inside)), -np.ones(len(outside))]
        yield Problem(f"{name}, {label}, {share:.0%}", name, X[train], X[known], X[test], truth)


def problems(folders: list[Path], sets: list[str], seed: int) -> Iterator[Problem]:
    """All problems of the sets that are there."""
    for name in sets:
        found = read(name, folders)
        if found is None:
            print(f"{name} is left out: no folder of --tables has {name}.csv.")
            continue
        yield from (anomaly_problems if name.startswith("ad_") else class_problems)(name, *found, seed)


def detectors(n: int, m: int) -> dict[str, Callable[[], Any]]:
    """Untrained detectors by name, for n rows of m features."""
    scaled = StandardScaler
    found: dict[str, Callable[[], Any]] = {
        OURS: TunedOneClassSVM,
        "TunedOneClassSVM, mass-volume": lambda: TunedOneClassSVM(criterion="mass-volume"),
        "TunedOneClassSVM, median": lambda: TunedOneClassSVM(criterion="median"),
        LABELLED: TunedOneClassSVM,
        "OneClassSVM": OneClassSVM,
        "OneClassSVM, standardised": lambda: make_pipeline(scaled(), OneClassSVM()),
        "OneClassSVM, published default": lambda: make_pipeline(
            RobustScaler(), OneClassSVM(nu=0.2, gamma=4.0 / m)
        ),
        "IsolationForest": lambda: IsolationForest(random_state=0),
        "LocalOutlierFactor": lambda: LocalOutlierFactor(novelty=True),
        "LocalOutlierFactor, standardised": lambda: make_pipeline(scaled(), LocalOutlierFactor(novelty=True)),
    }
    if m <= WIDE:
        found["EllipticEnvelope"] = lambda: EllipticEnvelope(random_state=0)
    return found


def cell(problem: Problem, method: str, make: Callable[[], Any]) -> dict[str, Any]:
    """One method on one problem."""
    X, start = problem.X, time.process_time()
    if method == LABELLED:
        known = problem.outliers[:N_LABELLED]
        # Outliers that are among the rows already are rows whose label is known.
        is_known = (X[:, None, :] == known[None]).all(axis=2).any(axis=1)
        added = known[~(known[:, None, :] == X[None]).all(axis=2).any(axis=1)]
        y = np.r_[np.where(is_known, -1, 0), -np.ones(len(added))].astype(int)
        model = make().fit(np.concatenate([X, added]), y if len(known) else None)
    else:
        model = make().fit(X)
    seconds = time.process_time() - start
    strange, truth = -np.nan_to_num(model.score_samples(problem.X_test)), problem.y_test < 0
    return {
        "problem": problem.name,
        "set": problem.set,
        "rows": len(X),
        "features": X.shape[1],
        "method": method,
        "auc": round(float(roc_auc_score(truth, strange)), 5),
        "ap": round(float(average_precision_score(truth, strange)), 5),
        "seconds": round(seconds, 3),
    }


def means(cells: pd.DataFrame) -> pd.DataFrame:
    """Means over problems and over sets, with errors, and the lead of ours over each; the best first."""
    rows, sets = [], cells.groupby("problem")["set"].first()
    wide = {name: cells.pivot_table(index="problem", columns="method", values=name) for name in ("auc", "ap")}
    for method in dict.fromkeys(cells["method"]):
        row: dict[str, Any] = {"method": method}
        for measure, table in wide.items():
            both = table[list(dict.fromkeys((OURS, method)))].dropna()
            lead = both[OURS] - both[method]
            row["problems"] = len(both)
            row[measure] = round(float(both[method].mean()), 4)
            row[f"{measure} error"] = round(float(both[method].sem()), 4)
            row[f"{measure} by sets"] = round(float(both[method].groupby(sets).mean().mean()), 4)
            row[f"{measure} lead"] = round(float(lead.mean()), 4)
            row[f"{measure} lead error"] = round(float(lead.groupby(sets).mean().sem()), 4)
        row["seconds"] = round(float(cells[cells["method"] == method]["seconds"].mean()), 3)
        rows.append(row)
    return pd.DataFrame(rows).sort_values("auc", ascending=False, kind="stable")


def main(arguments: list[str] | None = None) -> None:
    """Do the cells that are not done, and print and write the means."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=Path, nargs="+", required=True, help="folders of the CSV files")
    parser.add_argument("--sets", nargs="*", default=[*ANOMALIES, *CLASSES], metavar="NAME")
    parser.add_argument("--methods", nargs="*", metavar="NAME", help="all if none are named")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder of finished cells")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # peers warn of singular covariances, ours of sets that deserve it
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "novelty_cells.csv"
    done = set()
    if path.exists():
        kept = pd.read_csv(path)
        done = set(zip(kept["problem"], kept["method"], strict=True))
    with open(path, "a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        if not done:
            writer.writeheader()
        for problem in problems(options.tables, options.sets, options.seed):
            for method, make in detectors(*problem.X.shape).items():
                if (problem.name, method) in done or method not in (options.methods or [method]):
                    continue
                writer.writerow(cell(problem, method, make))
                file.flush()
    table = means(pd.read_csv(path))
    table.to_csv(options.out / "novelty_means.csv", index=False, lineterminator="\n")
    print(table.to_string(index=False))


if __name__ == "__main__":
    main()
