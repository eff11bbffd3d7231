"""Time, memory and quality by the number of rows: ``python -m benchmarks.sizes [--rows 200 1000 …]``.

Every fit runs in a process of its own, so that its peak memory can be told: that of the process, less what
it took once the data and the packages were there. Seconds are of the processor, with one thread of BLAS; a
second run with two threads gives the seconds by the clock. Classes are scored by accuracy and log-loss on
20 000 rows that no method has seen, numbers by R², and one class by the area under the ROC curve, beside rows
that do not belong to it. ``--json FILE`` keeps finished cells, and a run that was interrupted goes on from
there. ``--grid`` is the comparison with a 9 × 8 grid of scikit-learn on ten small sets. ``--real`` fits large
tables of KERNELWISE_DATA instead (their official test part is new, or a quarter of the rows).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor, IsolationForest
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.data import coded_tables
from benchmarks.nested import samples
from kernelwise import TunedOneClassSVM, TunedSVC, TunedSVR
from kernelwise.studies.study import few_rows

ROWS = (200, 1000, 5000, 20_000, 100_000, 300_000, 1_000_000)
N_NEW, N_PREDICTED = 20_000, 5000
#: The grid of scikit-learn's users: nine widths and eight values of C, five folds.
GRID = {"svc__gamma": 10.0 ** np.arange(-5.0, 4.0), "svc__C": 10.0 ** np.arange(-2.0, 6.0)}
#: Sets of 150 to 1500 rows for the comparison with it.
SMALL = (
    "iris",
    "planning_relax",
    "heart_statlog",
    "vertebral_2c",
    "breast_cancer",
    "breast_cancer_wisconsin",
    "ilpd",
    "tic_tac_toe",
    "banknote",
    "splice_ida",
)
SMALL_ROWS = 1000
#: Large tables: names of the training part and of the official test part, if there is one.
REAL = {
    "adult10k": ("adult10k",),
    "coil2000": ("coil2000_train", "coil2000_test"),
    "letter": ("letter_train", "letter_test"),
    "satimage": ("satimage_train", "satimage_test"),
    "usps": ("usps_train", "usps_test"),
    "madelon": ("madelon",),
}
Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def grid() -> GridSearchCV:
    """What people write today."""
    return GridSearchCV(make_pipeline(StandardScaler(), SVC()), GRID, cv=5)


#: Methods by the task and their name, and the most rows that each is asked for.
METHODS: dict[str, dict[str, tuple[Any, int]]] = {
    "classes": {
        "TunedSVC()": (lambda: TunedSVC(random_state=0), 10**6),
        'TunedSVC("rbf")': (lambda: TunedSVC("rbf", random_state=0), 10**6),
        "boosting": (lambda: HistGradientBoostingClassifier(random_state=0), 10**6),
        "GridSearchCV": (grid, 1000),
    },
    "numbers": {
        "TunedSVR()": (lambda: TunedSVR(random_state=0), 10**5),
        "boosting": (lambda: HistGradientBoostingRegressor(random_state=0), 10**5),
    },
    "one class": {
        "TunedOneClassSVM()": (lambda: TunedOneClassSVM(random_state=0), 10**6),
        "isolation forest": (lambda: IsolationForest(random_state=0), 10**6),
    },
}


def parts(task: str, size: str) -> Parts:
    """X, new X, y and new y, of a number of rows or of a name of `REAL`."""
    if size not in REAL:
        X, y = data(task, int(size) + N_NEW)
        return X[:-N_NEW], X[-N_NEW:], y[:-N_NEW], y[-N_NEW:]
    # As text, or the first rows of letter would be numbers rather than classes.
    (X, y), *new = [(X, y.astype(str)) for X, y in coded_tables(*REAL[size])]
    if not new:
        return tuple(train_test_split(X, y, stratify=y, random_state=0))
    X_new, y_new = new[0]
    return X, X_new, y, y_new


def data(task: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """20 columns, ten of them with a signal, of n rows."""
    if task == "numbers":
        random = np.random.default_rng(0)
        X = random.uniform(size=(n, 20))
        smooth = 10.0 * np.sin(np.pi * X[:, 0] * X[:, 1]) + 20.0 * (X[:, 2] - 0.5) ** 2
        return X, smooth + 10.0 * X[:, 3] + 5.0 * X[:, 4] + random.normal(size=n)
    return make_classification(
        n,
        20,
        n_informative=10,
        n_clusters_per_class=4,
        class_sep=0.8,
        flip_y=0.05,
        random_state=0,
    )


def one(task: str, name: str, size: str, n_jobs: int) -> dict[str, float]:
    """What one fit in this process takes, and how good its model is."""
    X, X_new, y, y_new = parts(task, size)
    model = METHODS[task][name][0]()
    if "n_jobs" in model.get_params():
        model.set_params(n_jobs=n_jobs)
    # One class is trained on the rows of that class, and in the end asked about those of the other one, too.
    given = (X[y == 1],) if task == "one class" else (X, y)
    warnings.simplefilter("ignore")
    METHODS[task][name][0]().fit(*(part[:300] for part in given))  # loads what a first fit loads
    before = memory()
    wall, cpu = time.perf_counter(), time.process_time()
    model.fit(*given)
    found = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    found["fit_mb"] = memory() - before
    cpu = time.process_time()
    model.predict(X_new[:N_PREDICTED])
    found["predict"] = time.process_time() - cpu
    if task == "numbers":
        found["score"] = float(model.score(X_new, y_new))
    elif task == "one class":
        found["score"] = float(roc_auc_score(y_new, model.decision_function(X_new)))
    else:
        found["score"] = float(model.score(X_new, y_new))
        if hasattr(model, "predict_proba"):
            found["log_loss"] = float(log_loss(y_new, model.predict_proba(X_new)))
    found["mb"] = memory()
    return found


def memory() -> float:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def in_process(task: str, name: str, size: int | str, n_jobs: int = 1) -> dict[str, float]:
    """`one` in a process of its own, with as many threads of BLAS as the fit has."""
    environment = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(n_jobs))
    command = [sys.executable, "-m", "benchmarks.sizes", "--one", task, name, str(size), str(n_jobs)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} on {size} failed:\n{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def exponent(rows: list[dict[str, Any]], name: str) -> str:
    """By which power of the rows the processor time has grown since the size before."""
    own = [row for row in rows if row["method"] == name]
    if len(own) < 2:
        return ""
    a, b = own[-2:]
    return f"{math.log(b['cpu'] / a['cpu']) / math.log(b['rows'] / a['rows']):.1f}"


def table(task: str, sizes: list[int], kept: Path | None) -> list[dict[str, Any]]:
    """A row for every size and method, as soon as it is there."""
    finished: dict[str, Any] = json.loads(kept.read_text()) if kept is not None and kept.exists() else {}
    print(
        f"\n| rows | {task}: method | CPU s | s, two threads | MB of the fit | MB in all | score | log-loss "
        f"| {N_PREDICTED} predictions, s |"
    )
    print("|---|---|---|---|---|---|---|---|---|", flush=True)
    rows: list[dict[str, Any]] = []
    for n_rows in sizes:
        for name, (_, most) in METHODS[task].items():
            if n_rows > most:
                continue
            key = f"{task} {name} {n_rows}"
            if key not in finished:
                finished[key] = in_process(task, name, n_rows)
                finished[key]["two"] = in_process(task, name, n_rows, 2)["wall"]
                if kept is not None:
                    kept.write_text(json.dumps(finished, indent=1))
            found = finished[key]
            rows.append({"method": name, "rows": n_rows, **found})
            loss = f"{found['log_loss']:.4f}" if "log_loss" in found else ""
            grown = exponent(rows, name)
            print(
                f"| {n_rows} | {name} | {found['cpu']:.2f}{f' (n^{grown})' if grown else ''} | "
                f"{found['two']:.2f} | {found['fit_mb']:.0f} | {found['mb']:.0f} | {found['score']:.4f} | "
                f"{loss} | {found['predict']:.2f} |",
                flush=True,
            )
    return rows


def beside_boosting(rows: list[dict[str, Any]]) -> None:
    """The default and boosting on classes, a row for each size, as docs/cost.md has them."""
    print(
        f"\n## classes\n\n| rows | `TunedSVC()` | memory | accuracy, log-loss | {N_PREDICTED} predictions |",
        end="",
    )
    print(" gradient boosting of scikit-learn | accuracy, log-loss |\n|---|---|---|---|---|---|---|")
    for ours in (row for row in rows if row["method"] == "TunedSVC()"):
        (other,) = (row for row in rows if row["method"] == "boosting" and row["rows"] == ours["rows"])
        quality = [f"{100 * row['score']:.1f} %, {row['log_loss']:.3f}" for row in (ours, other)]
        print(
            f"| {ours['rows']} | {ours['cpu']:.2f} s | {ours['mb'] / 1000:.2f} GB | {quality[0]} | "
            f"{ours['predict']:.2f} s | {other['cpu']:.2f} s | {quality[1]} |"
        )


def real_tables(names: list[str]) -> None:
    """A row for every table: what `TunedSVC()` takes, and how it answers new rows."""
    print("| table | CPU s | MB of the fit | accuracy | log-loss | predictions, s |")
    print("|---|---|---|---|---|---|", flush=True)
    for name in names:
        found = in_process("classes", "TunedSVC()", name)
        print(
            f"| {name} | {found['cpu']:.1f} | {found['fit_mb']:.0f} | {100 * found['score']:.2f} % | "
            f"{found['log_loss']:.4f} | {found['predict']:.2f} |",
            flush=True,
        )


def compare_with_grid() -> None:
    """CPU seconds of the default, of RBF alone and of the grid on ten small sets, in one process."""
    warnings.simplefilter("ignore")
    kinds = {'TunedSVC("rbf")': lambda: TunedSVC("rbf"), "TunedSVC()": TunedSVC, "grid": grid}
    print("| set | rows | " + " | ".join(kinds) + " | grid / TunedSVC() | TunedSVC() / RBF |")
    print("|---|---|---|---|---|---|---|")
    ratios = []
    for name in SMALL:
        X, y = samples(name)
        X, y = few_rows(X, y, SMALL_ROWS)
        taken = []
        for kind, make in kinds.items():
            make().fit(X, y) if kind != "grid" else None
            times = []
            for _ in range(1 if kind == "grid" else 3):
                start = time.process_time()
                make().fit(X, y)
                times.append(time.process_time() - start)
            taken.append(min(times))
        ratios.append((taken[2] / taken[1], taken[1] / taken[0]))
        cells = " | ".join(f"{one:.3f} s" for one in taken)
        print(f"| {name} | {len(y)} | {cells} | {ratios[-1][0]:.1f} | {ratios[-1][1]:.2f} |", flush=True)
    means = np.exp(np.log(ratios).mean(axis=0))
    print(f"| geometric mean | | | | | {means[0]:.1f} | {means[1]:.2f} |")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=list(ROWS))
    parser.add_argument("--tasks", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.add_argument("--json", type=Path)
    parser.add_argument(
        "--grid", action="store_true", help="the comparison with a grid on small sets instead"
    )
    parser.add_argument("--real", nargs="*", choices=list(REAL), help="large tables instead, all by default")
    parser.add_argument("--one", nargs=4, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one is not None:
        task, name, size, n_jobs = arguments.one
        print(json.dumps(one(task, name, size, int(n_jobs))))
    elif arguments.grid:
        compare_with_grid()
    elif arguments.real is not None:
        real_tables(arguments.real or list(REAL))
    else:
        for task in arguments.tasks:
            rows = table(task, arguments.rows, arguments.json)
            if task == "classes":
                beside_boosting(rows)


if __name__ == "__main__":
    main()
