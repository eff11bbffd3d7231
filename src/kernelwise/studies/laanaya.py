"""Paper 003's experiments and two more: ``python -m kernelwise.studies.laanaya [--quick] [--csv FILE]``.

"weston" is table 1 (100 training and 1000 test points), "sigma" figure 1, "real" table 2 on random halves of
200 samples (the paper's breast cancer has 10 features, ours 9, without the number of the
patient); "relevance" ranks 10 relevant of 200 features, and "plain" has data where a metric does not help.
Every choice is made on training points.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from kernelwise.criteria import RegularizedMargin
from kernelwise.datasets import make_weston
from kernelwise.estimators import MetricTransformer
from kernelwise.selection import (
    MetricResult,
    adaptive_scaling_select,
    constant_trace_select,
    laanaya_select,
    learn_metric,
    rbf_select,
)
from kernelwise.studies._table import Row, format_rows, load_or_say, write_csv

Choose = Callable[[np.ndarray, np.ndarray], MetricResult]
Parts = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

#: Classification rates in per cent that the paper prints, by method.
NAMES = ("SVM (RBF + grid)", "adaptive scaling", "Glasmachers, Igel", "paper 003")
PAPER = {
    "weston": (51.28, 90.63, 65.85, 93.36),
    "breast_cancer_wisconsin": (92.24, 92.24, 92.56, 94.75),
    "heart_statlog": (85.97, 85.97, 87.03, 92.93),
}
#: σ₀ of figure 1's experiment, times the number of features.
SIGMAS = (0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def methods(kernel: str) -> dict[str, Choose]:
    """The paper's four, with the printed step beside conjugate gradients, and ours."""
    freedom = ("rbf", "diagonal") if kernel == "diagonal" else ("rbf", "diagonal", "gaussian")
    return {
        "SVM (RBF + grid)": rbf_select,
        "adaptive scaling": adaptive_scaling_select,
        "Glasmachers, Igel": lambda X, y: constant_trace_select(X, y, kernel),
        "paper 003": lambda X, y: laanaya_select(X, y, kernel),
        "paper 003, printed step": lambda X, y: laanaya_select(X, y, kernel, method="paper"),
        "ours, centred alignment": lambda X, y: learn_metric(X, y, freedom),
        "ours, w": lambda X, y: learn_metric(X, y, freedom, RegularizedMargin(10.0)),
    }


def weston_parts(trials: int) -> Iterator[Parts]:
    for trial in range(trials):
        yield *make_weston(100, random_state=trial), *make_weston(1000, random_state=1000 + trial)


def random_parts(X: np.ndarray, y: np.ndarray, trials: int, n_train: int, n_test: int) -> Iterator[Parts]:
    for trial in range(trials):
        A, B, a, b = train_test_split(
            X, y, train_size=n_train, test_size=n_test, random_state=trial, stratify=y
        )
        yield A, a, B, b


def compare(
    data: str, parts: Iterator[Parts], found: dict[str, Choose], say: Callable[[str], None]
) -> list[Row]:
    """Mean test accuracy of each method over the parts, with its standard error and its worst."""
    scores: dict[str, list[float]] = {name: [] for name in found}
    seconds = dict.fromkeys(found, 0.0)
    for trial, (X, y, X_test, y_test) in enumerate(parts):
        for name, choose in found.items():
            started = time.process_time()
            scores[name].append(100.0 * choose(X, y).estimator.score(X_test, y_test))
            seconds[name] += time.process_time() - started
        say(f"{data}, trial {trial}: " + ", ".join(f"{name} {s[-1]:.1f}" for name, s in scores.items()))
    printed = dict(zip(NAMES, PAPER[data], strict=True)) if data in PAPER else {}
    return [
        {
            "data": data,
            "method": name,
            "rate %": float(np.mean(s)),
            "± s.e.": float(np.std(s, ddof=1) / np.sqrt(len(s))) if len(s) > 1 else float("nan"),
            "worst %": min(s),
            "paper's %": printed.get(name, float("nan")),
            "trials": len(s),
            "CPU seconds a trial": seconds[name] / len(s),
        }
        for name, s in scores.items()
    ]


def weston(trials: int, say: Callable[[str], None]) -> list[Row]:
    """Table 1."""
    return compare("weston", weston_parts(trials), methods("diagonal"), say)


def sigma(trials: int, say: Callable[[str], None]) -> list[Row]:
    """Figure 1: the error from a given start, without a choice among starts."""
    rows: list[Row] = []
    for start in SIGMAS:
        found: dict[str, Choose] = {
            "adaptive scaling": partial(adaptive_scaling_select, sigma0=start / 52),
            "paper 003": partial(laanaya_select, sigma0=start / 52),
            "paper 003, printed step": partial(laanaya_select, sigma0=start / 52, method="paper"),
        }
        rows += [{"sigma × d": start, **row} for row in compare("weston", weston_parts(trials), found, say)]
    return rows


def real(trials: int, say: Callable[[str], None]) -> list[Row]:
    """Table 2."""
    rows: list[Row] = []
    for name in ("breast_cancer_wisconsin", "heart_statlog"):
        whole = load_or_say(name)
        if whole is not None:
            parts = random_parts(whole.X, whole.y, trials, 100, 100)
            rows += compare(name, parts, methods("gaussian"), say)
    return rows


def plain(trials: int, say: Callable[[str], None]) -> list[Row]:
    """Whether the automatic choice stays with RBF where a metric does not help."""
    rows: list[Row] = []
    for name in ("twonorm", "banana"):
        whole = load_or_say(name)
        if whole is not None:
            found: dict[str, Choose] = {"SVM (RBF + grid)": rbf_select, "ours, automatic": learn_metric}
            rows += compare(name, random_parts(whole.X, whole.y, trials, 200, 2000), found, say)
    return rows


def relevance(trials: int, say: Callable[[str], None]) -> list[Row]:
    """Whether the relevant features are ranked above all others: class means one standard deviation apart."""
    rows: list[Row] = []
    for trial in range(trials):
        random = np.random.default_rng(trial)
        y = np.arange(400) % 2
        X = random.normal(size=(400, 200))
        X[:, :10] += y[:, None]
        started = time.process_time()
        weights = MetricTransformer().fit(X, y).relevance_
        rows.append(
            {
                "data": "10 of 200",
                "trial": trial,
                "ranked right": bool(weights[:10].min() > weights[10:].max()),
                "least relevant": float(weights[:10].min()),
                "largest other": float(weights[10:].max()),
                "CPU seconds": time.process_time() - started,
            }
        )
        say(str(rows[-1]))
    return rows


#: Experiments, and their numbers of trials in full and with --quick.
EXPERIMENTS: dict[str, tuple[Callable[[int, Callable[[str], None]], list[Row]], int, int]] = {
    "weston": (weston, 30, 2),
    "sigma": (sigma, 10, 1),
    "real": (real, 30, 2),
    "relevance": (relevance, 10, 1),
    "plain": (plain, 10, 1),
}


def main(argv: Sequence[str] | None = None, say: Callable[[str], None] = print) -> None:
    """Print a table for each experiment."""
    parser = argparse.ArgumentParser(prog="python -m kernelwise.studies.laanaya", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(EXPERIMENTS), default=list(EXPERIMENTS))
    parser.add_argument("--quick", action="store_true", help="a trial or two of each")
    parser.add_argument("--trials", type=int, help="so many trials of each")
    parser.add_argument("--csv", metavar="FILE", help="write the rows of the last experiment to a CSV file")
    options = parser.parse_args(argv)
    for name in options.only:
        run, full, quick = EXPERIMENTS[name]
        rows: list[Any] = run(options.trials or (quick if options.quick else full), say)
        say("\n" + format_rows(rows) + "\n")
        if options.csv:
            write_csv(options.csv, rows)


if __name__ == "__main__":
    main()
