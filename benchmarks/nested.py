"""Nested accuracy and time of our default beside other searches: ``python -m benchmarks.nested --help``.

Every method makes its choices on the training half of an outer split and is scored on the other half (two
folds, drawn more often where the set is small and luck is large). Finished cells are kept in a journal for
each set, so that an interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.datasets

from kernelwise._core.journal import Journal, fingerprint
from kernelwise.comparison import METHODS, compare, peers
from kernelwise.datasets import load

#: Sets of at most 5000 rows, and one that ships with scikit-learn; one of those that have the same source, as
#: both parts of a set do, and dna and the two codings of splice. What repeats a set would count it twice.
SETS = [
    "iris",
    "planning_relax",
    "heart_statlog",
    "vertebral_2c",
    "ilpd",
    "breast_cancer",
    "breast_cancer_wisconsin",
    "tic_tac_toe",
    "banknote",
    "titanic",
    "usps_test",
    "segment",
    "dna",
    "thyroid_train",
    "satimage_train",
    "pendigits_test",
    "optdigits_train",
    "waveform",
    "letter_test",
]


def samples(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A set by name: a benchmark file, or one of scikit-learn's."""
    if name in ("wine", "breast_cancer", "digits"):
        return getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    for part in ("train", "test"):
        if name.endswith(f"_{part}"):
            data = load(name.removesuffix(f"_{part}"), part=part)
            return data.X, data.y
    data = load(name)
    return data.X, data.y


def repeats(n_samples: int) -> int:
    """How often the two outer folds are drawn: 20 times for 250 rows, 5 for 1000, once for 5000."""
    return min(max(5000 // n_samples, 1), 20)


def estimators(names: list[str]) -> dict[str, Any]:
    """The methods by name; halving gets the grid that it is compared with."""
    found = {name: make(0) for name, make in METHODS.items()}
    found["halving"] = found["HalvingGridSearchCV"].set_params(
        param_grid={"svc__gamma": peers.GAMMAS, "svc__C": peers.CS}
    )
    return {name: found[name] for name in names}


class Columns:
    """The table in columns of fixed width."""

    def head(self, names: list[str]) -> None:
        print(f"{'set':26s}{'n':>6s}{'splits':>7s}" + "".join(f"{name[:14]:>16s}{'s':>9s}" for name in names))

    def row(self, name: str, n: int, n_splits: int, rights: list[float], seconds: np.ndarray) -> None:
        cells = "".join(f"{right:16.2f}{second:9.3f}" for right, second in zip(rights, seconds, strict=True))
        print(f"{name:26s}{n:6d}{n_splits:7d}{cells}", flush=True)

    def summary(self, title: str, values: np.ndarray) -> None:
        print(f"{title:44s}" + "".join(f"{value:16.2f}{'':9s}" for value in values))


class Markdown:
    """The same for a page: per cent right, and CPU seconds in brackets."""

    def head(self, names: list[str]) -> None:
        print("| " + " | ".join(["data set", "rows", *names]) + " |")
        print("|" + "---|" * (len(names) + 2))

    def row(self, name: str, n: int, n_splits: int, rights: list[float], seconds: np.ndarray) -> None:
        cells = (f"{right:.2f} ({second:.2g} s)" for right, second in zip(rights, seconds, strict=True))
        print("| " + " | ".join([name, str(n), *cells]) + " |", flush=True)

    def summary(self, title: str, values: np.ndarray) -> None:
        print("| " + " | ".join([title, "", *(f"{value:.2f}" for value in values)]) + " |")


def main() -> None:
    """Run what is missing and print one row per set, then the averages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--methods", default="kernelwise,full grid", help=f"of {', '.join(METHODS)}, halving")
    parser.add_argument("--repeats", type=int, help="of the two outer folds; more on small sets by default")
    parser.add_argument("--markdown", action="store_true", help="print the table of the README")
    parser.add_argument("--journals", type=Path, default=Path("nested"), help="folder of the journals")
    arguments = parser.parse_args()
    names = arguments.methods.split(",")
    arguments.journals.mkdir(parents=True, exist_ok=True)
    layout = Markdown() if arguments.markdown else Columns()
    layout.head(names)
    differences, speeds = [], []
    for name in arguments.data.split(","):
        X, y = samples(name)
        n_repeats = arguments.repeats or repeats(len(y))
        about = {"data": fingerprint(X, y), "folds": 2}
        with Journal(arguments.journals / f"{name}.journal", about) as journal:
            table = compare(
                X, y, estimators(names), n_splits=2, n_repeats=n_repeats, journal=journal, baseline=False
            )
        rows = table.rows()
        seconds = np.median(table.cpu_seconds, axis=1)
        layout.row(name, len(y), table.scores.shape[1], [100 * row["accuracy"] for row in rows], seconds)
        differences.append([100 * row["difference"] for row in rows])
        speeds.append(seconds / seconds[0])
    summary = {
        f"mean difference from {names[0]} (points)": np.mean(differences, axis=0),
        "its standard error over the sets": np.std(differences, axis=0, ddof=1) / np.sqrt(len(differences)),
        f"median difference from {names[0]} (points)": np.median(differences, axis=0),
        f"sets on which it is ahead of {names[0]}": np.sum(np.asarray(differences) > 0, axis=0),
        f"largest gain over {names[0]} (points)": np.max(differences, axis=0),
        f"time relative to {names[0]} (geometric mean)": np.exp(np.log(speeds).mean(axis=0)),
    }
    for title, values in summary.items():
        layout.summary(title, values)


if __name__ == "__main__":
    main()
