"""``python -m benchmarks.history [--append] [--since 0.1.0]``: a dozen ratios beside those of earlier runs.

Each ratio is the CPU time of a reference (scikit-learn on the same data, or a part of ours) divided by ours,
both the least of several runs in turn, with one thread: higher is faster, and another machine changes it
little. ``benchmarks/history.csv`` has the runs that were appended. What is below `SLOWER` times the median of
the earlier runs is marked, and the exit code is then 1. ``--since VERSION`` compares with the runs of that
version alone, and marks what became slower by `SINCE`: for a release, on a computer that does nothing else.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC as TheirSVC
from sklearn.svm import SVR as TheirSVR
from threadpoolctl import threadpool_limits

from benchmarks.copies import few_rows
from benchmarks.data import SEED, Data, deal, load

FILE = Path(__file__).with_name("history.csv")
SLOWER = 0.75
SINCE = 0.9
REPEAT = 3
CS = 2.0 ** np.arange(-1, 13, 3)

Pair = tuple[Callable[[], Any], Callable[[], Any]]


def noisy(n: int) -> Data:
    """Two classes that overlap, with five labels of a hundred flipped."""
    X, y = make_classification(n, n_features=20, flip_y=0.05, class_sep=0.8, random_state=SEED)
    return deal(X, y, 10, 1.0 / 20)


def loop_and_path(data: Data) -> Pair:
    """scikit-learn's fits and predictions for every fold and C, and our path."""
    from kernelwise.kernels import RBF
    from kernelwise.solvers import svm_path

    def theirs() -> None:
        for train, test in data.folds:
            for C in CS:
                TheirSVC(C=C, gamma=data.gamma).fit(data.X[train], data.y[train]).predict(data.X[test])

    return theirs, lambda: svm_path(RBF(data.gamma)(data.X), data.y, CS, data.folds)


def pairs() -> Iterator[tuple[str, Pair]]:
    """What is compared, by name: the reference and ours."""
    from kernelwise import SVC, SVR, GridSearchSVC, TunedSVC
    from kernelwise.kernels import RBF
    from kernelwise.solvers import svm_path

    cancer, overlapping = load("breast_cancer"), noisy(500)
    yield "path_breast_cancer", loop_and_path(cancer)
    yield "path_noisy_500", loop_and_path(overlapping)
    X, y = few_rows(600, 5, 200, 0.15)
    table = deal(X.astype(float), y.astype(int), 10, 0.1)
    grid = {"gamma": [0.01, 0.3], "C": CS.tolist()}
    settings = {"cv": table.folds, "refit": False}
    yield (
        "grid_of_copies",
        (
            lambda: GridSearchCV(TheirSVC(), grid, **settings).fit(table.X, table.y),
            lambda: GridSearchSVC(grid, **settings).fit(table.X, table.y),
        ),
    )
    Cs = 2.0 ** np.arange(-1, 16.5, 0.5)
    search = GridSearchSVC({"gamma": [cancer.gamma], "C": Cs.tolist()}, cv=cancer.folds, refit=False)
    yield (
        "path_in_grid_search",  # 1 would be no cost of its own
        (
            lambda: svm_path(RBF(cancer.gamma)(cancer.X), cancer.y, Cs, cancer.folds),
            lambda: search.fit(cancer.X, cancer.y),
        ),
    )
    small = {"C": [0.1, 1.0, 10.0, 100.0], "gamma": [0.001, 0.01, 0.1]}
    for name, data in (("breast_cancer", cancer), ("noisy_500", overlapping)):
        yield (
            f"tuned_rbf_{name}",  # to a grid of twelve settings by five folds
            (
                lambda data=data: GridSearchCV(TheirSVC(), small, cv=5).fit(data.X, data.y),
                lambda data=data: TunedSVC("rbf", scale=None).fit(data.X, data.y),
            ),
        )
    large = noisy(3000)
    for C in (1.0, 100.0):
        yield (
            f"fit_noisy_3000_C{C:g}",
            (
                lambda C=C: TheirSVC(C=C, gamma=large.gamma).fit(large.X, large.y),
                lambda C=C: SVC(C=C, gamma=large.gamma).fit(large.X, large.y),
            ),
        )
    theirs, ours = (kind(gamma=large.gamma).fit(large.X[:1500], large.y[:1500]) for kind in (TheirSVC, SVC))
    yield "predict_3000", (lambda: theirs.predict(large.X), lambda: ours.predict(large.X))
    targets = large.X[:1000] @ np.arange(20.0) + large.y[:1000]
    yield (
        "fit_regression_1000",
        (
            lambda: TheirSVR(C=10.0, gamma=0.05).fit(large.X[:1000], targets),
            lambda: SVR(RBF(0.05), C=10.0).fit(large.X[:1000], targets),
        ),
    )
    yield "gram_3000", (lambda: rbf_kernel(large.X, gamma=0.05), lambda: RBF(0.05)(large.X))
    with tempfile.TemporaryDirectory() as cache:
        yield "import", tuple(lambda code=code: run_apart(code, cache) for code in IMPORTS)  # type: ignore[misc]


IMPORTS = ("import sklearn.svm", "from kernelwise import TunedSVC")


def run_apart(code: str, cache: str) -> None:
    """Run code in a process of its own, whose CPU time `cpu_seconds` counts.

    Both packages are read as byte code, which the first process writes to ``cache``, whatever the settings of
    this one: pip compiles what it installs, but a source tree may be compiled at every import.
    """
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": cache}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)


def cpu_seconds() -> float:
    """CPU seconds of this process and of those that it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def ratio_of(pair: Pair, repeat: int) -> float:
    """The least time of the reference divided by ours, after one call of ours that compiles and loads."""
    pair[1]()
    least = [np.inf, np.inf]
    for _ in range(repeat):
        for k, run in enumerate(pair):
            started = cpu_seconds()
            run()
            least[k] = min(least[k], cpu_seconds() - started)
    return least[0] / least[1]


def earlier(path: Path, version: str | None = None) -> dict[str, list[float]]:
    """The ratios of earlier runs, or of those of one version, by name."""
    found: dict[str, list[float]] = {}
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                if version not in (None, row["version"]):
                    continue
                found.setdefault(row["ratio"], []).append(float(row["value"]))
    return found


def append(path: Path, ratios: dict[str, float], day: str) -> None:
    """Add one row for each ratio, with the day and our version; the file gets a header if it is new."""
    from kernelwise import __version__

    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(["day", "version", "ratio", "value"])
        writer.writerows([day, __version__, name, f"{value:.3g}"] for name, value in ratios.items())


def is_slower(value: float, before: list[float], share: float) -> bool:
    """Whether a ratio is below this share of the median of earlier ones."""
    return bool(before) and value < share * float(np.median(before))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--append", action="store_true", help=f"add this run to {FILE.name}")
    parser.add_argument("--since", metavar="VERSION", help="compare with runs of this version alone")
    parser.add_argument("--only", nargs="*", default=None, metavar="NAME")
    parser.add_argument("--repeat", type=int, default=REPEAT)
    options = parser.parse_args(arguments)
    before, ratios, n_slower = earlier(FILE, options.since), {}, 0
    if not before and options.since:
        parser.error(f"{FILE.name} has no run of version {options.since}.")
    with threadpool_limits(1):
        for name, pair in pairs():
            if options.only is not None and name not in options.only:
                continue
            value = ratios[name] = ratio_of(pair, options.repeat)
            known = before.get(name, [])
            median = f"{np.median(known):8.2f}" if known else "       -"
            slower = is_slower(value, known, SINCE if options.since else SLOWER)
            n_slower += slower
            print(f"{name:24} {value:8.2f}  before {median}{'  SLOWER' if slower else ''}", flush=True)
    if options.append:
        append(FILE, ratios, datetime.date.today().isoformat())
    return 1 if n_slower else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
