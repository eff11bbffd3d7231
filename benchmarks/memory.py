"""Whether memory_limit is kept: the peak memory of fits and predictions, each in a process of its own.

``python -m benchmarks.memory`` fits tuned models of 5000 to 100 000 rows × 20 columns with the default limit
and with 500 MiB, and predicts 5000 other rows; small limits are tried with 4000 rows. What the process had
after importing kernelwise, making the data and a fit of 100 rows is subtracted. The aim is a share of the
limit of at most 1.2. It takes five minutes; ``--case TunedSVC 5000 500`` is one of them.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

import kernelwise
from benchmarks.harness import ROOT, THREADS
from kernelwise._core.memory import MEMORY_LIMIT, MIB

CASES = [("TunedSVC", n) for n in (5000, 20_000, 100_000)] + [
    ("TunedSVR", 20_000),
    ("TunedOneClassSVM", 20_000),
]
LIMITS = (MEMORY_LIMIT, 500)
FEW_ROWS, SMALL_LIMITS = 4000, (50, 100, 300)
N_NEW = 5000


def table(name: str, n_rows: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Two classes of some clusters, a number that depends on three columns, or the rows alone."""
    X, y = make_classification(
        *(n_rows, 20), n_informative=10, n_clusters_per_class=4, class_sep=0.8, flip_y=0.05, random_state=0
    )
    if name == "TunedSVR":
        noise = np.random.default_rng(0).normal(size=n_rows)
        return X, np.sin(X[:, 0]) * X[:, 1] + X[:, 2] + 0.1 * noise
    return X, y if name == "TunedSVC" else None


def resident() -> float:
    """MiB that this process has now."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / MIB


def most_resident() -> float:
    """MiB that this process had at most; what getrusage says may be of the process that started it."""
    with open("/proc/self/status") as file:
        return int(next(line for line in file if line.startswith("VmHWM")).split()[1]) / 1024


def measure(name: str, n_rows: int, limit: float) -> str:
    """A row of the table: peak memory of fit and predictions, their CPU seconds, the score of new rows."""
    X, y = table(name, n_rows + N_NEW)
    new = slice(n_rows, None)
    model: Any = getattr(kernelwise, name)(memory_limit=limit)
    getattr(kernelwise, name)().fit(X[:100], None if y is None else y[:100])  # loads what a first fit loads
    before, started = resident(), time.process_time()
    model.fit(X[:n_rows], None if y is None else y[:n_rows])
    fitted = time.process_time()
    (model.predict_proba if name == "TunedSVC" else model.predict)(X[new])
    ended = time.process_time()
    peak = most_resident() - before
    score = "" if y is None else f"{model.score(X[new], y[new]):.4f}"
    seconds = f"{fitted - started:.1f} | {ended - fitted:.2f}"
    return f"| `{name}` | {n_rows} | {limit:g} | {peak:.0f} | {peak / limit:.2f} | {seconds} | {score} |"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.memory", description=__doc__)
    parser.add_argument("--case", nargs=3, metavar=("ESTIMATOR", "ROWS", "LIMIT"))
    case = parser.parse_args(arguments).case
    if case is not None:
        warnings.simplefilter("ignore")
        print(measure(case[0], int(case[1]), float(case[2])))
        return
    print("| estimator | rows | limit (MiB) | peak (MiB) | of it | fit (s) | 5000 predictions (s) | score |")
    print("|---|---|---|---|---|---|---|---|")
    cases = [(*case, limit) for case in CASES for limit in LIMITS]
    cases += [(name, FEW_ROWS, limit) for name in ("TunedSVC", "TunedSVR") for limit in SMALL_LIMITS]
    for name, n_rows, limit in cases:
        command = [sys.executable, "-m", "benchmarks.memory", "--case", name, str(n_rows), str(limit)]
        environment = os.environ | dict.fromkeys(THREADS, "1")
        subprocess.run(command, cwd=ROOT, env=environment, check=True)


if __name__ == "__main__":
    main()
