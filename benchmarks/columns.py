"""Columns that do not matter: ``python -m benchmarks.columns --tables FOLDER [--sets NAME ...]``

TunedSVC and TunedSVR with and without screened columns, a forest and boosting, on the same five folds. A line
for each set: accuracy (log-loss) or R², and CPU seconds for one fit. Before them, the seconds that
`column_alignment` takes for 500 columns of 500 rows. The sets have much noise:

- madelon, of the folder: 20 of 500 columns matter, most of them together only.
- weston: 2 of 200 columns matter, and one of them only together with the other.
- product, friedman: numbers that 3 of 32 and 5 of 100 columns tell.
- random: classes that 500 columns say nothing about.

``--sets`` may also name sets of KERNELWISE_DATA, which have little.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks.forests import cut
from benchmarks.nested import samples
from kernelwise import TunedSVC, TunedSVR
from kernelwise.comparison import METHODS, REGRESSION_METHODS
from kernelwise.datasets import make_weston
from kernelwise.metrics import column_alignment
from kernelwise.search.propose import forms

N_FOLDS = 5
TREES = ("random forest", "gradient boosting")
Data = tuple[np.ndarray, np.ndarray]


def madelon(folder: Path, n_rows: int) -> Data:
    """So many rows of the challenge of 2003."""
    values = np.loadtxt(folder / "madelon.csv.gz", delimiter=",", skiprows=1)
    rows = np.random.RandomState(0).permutation(len(values))[:n_rows]
    return values[rows, :-1], values[rows, -1].astype(int)


def product(n_rows: int = 1000) -> Data:
    """A column times functions of two others: the mean of the target shows the first one only."""
    random = np.random.default_rng(0)
    X = random.uniform(-1.0, 1.0, size=(n_rows, 32))
    y = X[:, 3] * np.cos(2.0 * X[:, 4]) + 0.5 * X[:, 3] * X[:, 7]
    return X, y / y.std() + np.sqrt(0.05) * random.normal(size=n_rows)


def noise(n_rows: int = 300) -> Data:
    """Classes that have nothing to do with the columns."""
    random = np.random.default_rng(0)
    return random.normal(size=(n_rows, 500)), random.permutation(np.arange(n_rows) % 2)


def sets(options: argparse.Namespace) -> dict[str, Callable[[], Data]]:
    """What is measured unless the user names sets."""
    return {
        "madelon": lambda: madelon(options.tables, options.rows),
        "weston": lambda: make_weston(400, n_noise=198, random_state=0),
        "product": product,
        "friedman": lambda: make_friedman1(300, 100, noise=1.0, random_state=0),
        "random": noise,
    }


def measured(X: np.ndarray, y: np.ndarray, make: Callable[[], Any]) -> tuple[float, float | None, float]:
    """Mean score, log-loss of classes, and CPU seconds for one fit."""
    is_numbers = y.dtype.kind == "f"
    folds = (KFold if is_numbers else StratifiedKFold)(N_FOLDS, shuffle=True, random_state=7)
    scores, losses, seconds = [], [], []
    for train, test in folds.split(X, y):
        model = make()
        started = time.process_time()
        model.fit(X[train], y[train])
        seconds.append(time.process_time() - started)
        scores.append(model.score(X[test], y[test]))
        if not is_numbers:
            losses.append(log_loss(y[test], model.predict_proba(X[test]), labels=np.unique(y)))
    return float(np.mean(scores)), float(np.mean(losses)) if losses else None, float(np.mean(seconds))


def unscreened() -> Any:
    """A context in which no columns are screened."""
    return mock.patch.multiple(forms, screened_products=lambda validator: None)


def line(name: str, X: np.ndarray, y: np.ndarray, with_trees: bool) -> str:
    """A set: every method in a cell."""
    is_numbers = y.dtype.kind == "f"
    ours = TunedSVR if is_numbers else TunedSVC
    known = REGRESSION_METHODS if is_numbers else METHODS
    cells = []
    for context in (unscreened(), nullcontext()):
        with context:
            cells.append(measured(X, y, ours))
    cells += [measured(X, y, lambda key=key: known[key](0)) for key in TREES if with_trees]
    texts = [
        f"{score:.3f} {seconds:.2f} s" if loss is None else f"{100 * score:.1f} ({loss:.3f}) {seconds:.2f} s"
        for score, loss, seconds in cells
    ]
    return f"{name:18s}{len(y):>6}{X.shape[1]:>6}" + "".join(f"{text:>24s}" for text in texts)


def main(arguments: list[str] | None = None) -> None:
    """Print the cost of an alignment, and a line for each set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=Path, default=Path("tables"), help="folder with madelon.csv.gz")
    parser.add_argument("--sets", nargs="*", metavar="NAME", help="all with much noise by default")
    parser.add_argument("--rows", type=int, default=1000, help="rows of madelon and of named sets at most")
    options = parser.parse_args(arguments)
    X, y = noise(500)
    started = time.process_time()
    column_alignment(X, y)
    print(f"column_alignment, 500 rows of 500 columns: {time.process_time() - started:.2f} s")
    heads = ("without", "with screened columns", *TREES)
    print(f"{'set':18s}{'rows':>6}{'cols':>6}" + "".join(f"{head:>24s}" for head in heads))
    known = sets(options)
    for name in options.sets or known:
        is_noisy = name in known
        X, y = known[name]() if is_noisy else cut(*samples(name), options.rows, "classification")
        print(line(name, X, y, with_trees=is_noisy), flush=True)


if __name__ == "__main__":
    main()
