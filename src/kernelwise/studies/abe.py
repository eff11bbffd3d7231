"""Iris and thyroid in tables 1 and 2 of paper 000: ``python -m kernelwise.studies.abe [--csv FILE]``.

Iris is cut into halves of alternate rows of each class, since the paper's own halves are not published;
thyroid has official parts. Every choice is made on the training part.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from kernelwise.datasets import make_two_gaussians
from kernelwise.selection import AbeResult, abe_grid_search, abe_line_search, abe_select
from kernelwise.studies._table import Row, format_rows, load_or_say, write_csv

Halves = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]

METHODS: dict[str, Callable[..., AbeResult]] = {
    "RBF (g)": abe_grid_search,
    "RBF (s)": abe_select,
    "Diag (l)": abe_line_search,
    "Diag (s)": lambda X, y, **settings: abe_select(X, y, "mahalanobis", **settings),
}
#: Parameter, C, test and training error in per cent, in the order of METHODS.
PAPER = {
    "iris": (
        (0.1, 5e3, 5.33, 0.0),
        (14.1, 1.0, 5.33, 2.67),
        (0.5, 1.0, 5.33, 1.33),
        (0.975, 1.0, 5.33, 1.33),
    ),
    "thyroid": (
        (5.0, 1e5, 2.71, 0.50),
        (95.2, 7e3, 4.26, 0.05),
        (0.5, 100.0, 2.80, 0.74),
        (1.18, 50.0, 2.61, 0.61),
    ),
}


def halves(X: np.ndarray, y: np.ndarray) -> Halves:
    """Alternate rows of each class: X_train, y_train, X_test, y_test."""
    place = np.empty(len(y), dtype=int)
    for label in np.unique(y):
        place[y == label] = np.arange(np.count_nonzero(y == label))
    is_train = place % 2 == 0
    return X[is_train], y[is_train], X[~is_train], y[~is_train]


def load_parts(name: str) -> Halves | None:
    """Training and test part, or None if a file is missing."""
    if name == "iris":
        whole = load_or_say(name)
        return None if whole is None else halves(whole.X, whole.y)
    train, test = (load_or_say(name, part) for part in ("train", "test"))
    return None if train is None or test is None else (train.X, train.y, test.X, test.y)


def table_rows(name: str, parts: Halves, **settings: Any) -> Iterator[Row]:
    """The rows of one data set; ``settings`` as of `abe_select`."""
    X, y, X_test, y_test = parts
    for (method, choose), (parameter, C, test, train) in zip(METHODS.items(), PAPER[name], strict=True):
        result = choose(X, y, **settings)
        yield {
            "data": name,
            "method": method,
            "parameter": result.parameter,
            "paper's": parameter,
            "C": result.C,
            "paper's C": C,
            "test error %": 100 * (1 - result.estimator.score(X_test, y_test)),
            "paper's test": test,
            "train error %": 100 * (1 - result.estimator.score(X, y)),
            "paper's train": train,
            "cv accuracy": result.cv_accuracy,
            "seconds": result.seconds,
        }


def main(argv: Sequence[str] | None = None, say: Callable[[str], None] = print) -> None:
    """Print the table, a data set at a time."""
    parser = argparse.ArgumentParser(prog="python -m kernelwise.studies.abe", description=__doc__)
    parser.add_argument("--csv", metavar="FILE", help="also write the rows to a CSV file")
    parser.add_argument("--data", nargs="+", choices=list(PAPER), default=list(PAPER), help="only these sets")
    options = parser.parse_args(argv)
    abe_select(*make_two_gaussians(60, random_state=0))  # compiles, so that no row pays for it
    rows: list[Row] = []
    for name in options.data:
        parts = load_parts(name)
        if parts is None:
            continue
        new = list(table_rows(name, parts))
        say(format_rows(new) + "\n")
        rows += new
    if options.csv:
        write_csv(options.csv, rows)


if __name__ == "__main__":
    main()
