"""Nested accuracy and time of our default beside other searches: ``python -m benchmarks.nested --help``.

Every method makes its choices on the training half of an outer split and is scored on the other half (5 × 2
folds). Finished cells are kept in a journal, so that an interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.datasets

from kernelwise.comparison import METHODS, compare
from kernelwise.datasets import load

#: Every set of at most 5000 rows, and two that ship with scikit-learn.
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
    "digits",
    "satimage_test",
    "usps_test",
    "segment",
    "splice_ida",
    "splice",
    "dna",
    "thyroid_test",
    "thyroid_train",
    "satimage_train",
    "pendigits_test",
    "optdigits_test",
    "optdigits_train",
    "waveform_ida",
    "waveform",
    "letter_test",
]


class Journal(MutableMapping[str, Any]):
    """A file with one line of JSON for every finished cell."""

    def __init__(self, path: str, prefix: str) -> None:
        self.path, self.prefix = Path(path), prefix
        self.cells: dict[str, Any] = {}
        if self.path.exists():
            for line in self.path.read_text(encoding="utf-8").splitlines():
                key, value = json.loads(line)
                if key.startswith(prefix):
                    self.cells[key.removeprefix(prefix)] = value

    def __getitem__(self, key: str) -> Any:
        return self.cells[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.cells[key] = value
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([self.prefix + key, value]) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def __delitem__(self, key: str) -> None:
        raise TypeError("a journal only grows")

    def __iter__(self) -> Iterator[str]:
        return iter(self.cells)

    def __len__(self) -> int:
        return len(self.cells)


def samples(name: str) -> tuple[np.ndarray, np.ndarray]:
    """A set by name: a benchmark file, or one of scikit-learn's."""
    if name in ("breast_cancer", "digits"):
        return getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    for part in ("train", "test"):
        if name.endswith(f"_{part}"):
            data = load(name.removesuffix(f"_{part}"), part=part)
            return data.X, data.y
    data = load(name)
    return data.X, data.y


def main() -> None:
    """Run what is missing and print one row per set, then the averages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", default=",".join(SETS), help="names, separated by commas")
    parser.add_argument("--methods", default="kernelwise,full grid", help=f"of {', '.join(METHODS)}")
    parser.add_argument("--repeats", type=int, default=5, help="of the two outer folds")
    parser.add_argument("--journal", default="nested.jsonl")
    arguments = parser.parse_args()
    methods = arguments.methods.split(",")
    print(f"{'set':26s}{'n':>6s}" + "".join(f"{name[:14]:>16s}{'s':>9s}" for name in methods))
    differences, speeds = [], []
    for name in arguments.data.split(","):
        X, y = samples(name)
        table = compare(
            X,
            y,
            methods,
            n_splits=2,
            n_repeats=arguments.repeats,
            journal=Journal(arguments.journal, f"{name}/"),
        )
        rows = table.rows()
        cells = "".join(f"{100 * row['accuracy']:16.2f}{row['cpu_seconds']:9.3f}" for row in rows)
        print(f"{name:26s}{len(y):6d}{cells}", flush=True)
        differences.append([100 * row["difference"] for row in rows])
        speeds.append([row["cpu_seconds"] / rows[0]["cpu_seconds"] for row in rows])
    summary = {
        "points above the first": np.mean(differences, axis=0),
        "most": np.max(differences, axis=0),
        "times slower (geometric mean)": np.exp(np.log(speeds).mean(axis=0)),
    }
    for title, values in summary.items():
        print(f"{title:32s}" + "".join(f"{value:16.2f}{'':9s}" for value in values))


if __name__ == "__main__":
    main()
