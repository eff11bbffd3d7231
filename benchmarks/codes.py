"""Whole numbers that are names: ``python -m benchmarks.codes --tables FOLDER [--seeds 8]``

First simulated tables: 150 lessons of 25 teachers in 26 courses, rated on three levels, which depend on who
teaches what. Accuracy on five folds of a forest and of `TunedSVC` with all columns as numbers, as it comes
("found"), and with teachers and courses named in ``categorical_features`` ("told"). Then, for tables of the
folder and sets of KERNELWISE_DATA, the columns that `TunedSVC` reads as names on five training parts, and how
many columns it asks.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score

from benchmarks.nested import samples
from kernelwise import TunedSVC
from kernelwise.tables import Table, learn_encoding, read_table
from kernelwise.tables.codes import may_be_codes, with_codes

#: Tables with columns of whole numbers, and what is predicted.
TABLES = {
    **dict.fromkeys(("german_credit", "titanic_passengers", "adult10k"), "classification"),
    **dict.fromkeys(("coil2000_train", "horse_colic", "credit_approval"), "classification"),
    **dict.fromkeys(("auto_mpg", "energy_heating", "forest_fires", "concrete", "servo"), "regression"),
}
SETS = (
    "heart_statlog",
    "splice",
    "letter_test",
    "breast_cancer_wisconsin",
    "optdigits_test",
    "satimage_test",
)
N_FOLDS, MOST_ROWS = 5, 800


def lessons(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """A simulated table and its ratings."""
    random, n = np.random.default_rng(seed), 150
    columns = {
        "native": random.integers(1, 3, n),
        "teacher": random.integers(1, 26, n),
        "course": random.integers(1, 27, n),
        "semester": random.integers(1, 3, n),
        "size": random.integers(3, 67, n),
    }
    quality = random.normal(size=26)[columns["teacher"]] + random.normal(size=27)[columns["course"]]
    quality += 0.3 * (columns["native"] == 1) + 0.4 * random.normal(size=n)
    return pd.DataFrame(columns), np.digitize(quality, np.quantile(quality, [1 / 3, 2 / 3]))


def simulated(n_seeds: int) -> None:
    """Print a line for each method: its mean accuracy over simulated tables."""
    methods = {
        "random forest": RandomForestClassifier(500, random_state=0),
        "numbers": TunedSVC(categorical_features=None, random_state=0),
        "found": TunedSVC(random_state=0),
        "told": TunedSVC(categorical_features=["teacher", "course"], random_state=0),
    }
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    for name, model in methods.items():
        scores = [cross_val_score(model, *lessons(seed), cv=folds).mean() for seed in range(n_seeds)]
        print(f"{name:16s}{100.0 * np.mean(scores):8.1f} %", flush=True)


def tables(folder: Path) -> Iterator[tuple[str, Table, np.ndarray, bool]]:
    """Name, table, target and whether it has classes."""
    for name, task in TABLES.items():
        found = next(folder.glob(f"{name}.csv*"))
        learned = learn_encoding(read_table(found), task=task, codes=False)
        table, encoding = learned.table, learned.encoding
        target = table.names.index(encoding.target)
        apart = replace(table, left_out={**table.left_out, target: "is the target"})
        yield name, apart, np.asarray(encoding.labels(table)), task == "classification"
    for name in SETS:
        X, y = samples(name)
        yield name, Table(tuple(f"x{k}" for k in range(X.shape[1])), tuple(X.T.astype(float))), y, True


def main(arguments: list[str] | None = None) -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", type=Path, default=Path("tables"), help="folder of tables")
    parser.add_argument("--seeds", type=int, default=8, help="simulated tables")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    simulated(options.seeds)
    for name, table, y, is_classes in tables(options.tables):
        rows = np.random.default_rng(0).permutation(len(y))[:MOST_ROWS]
        kind = StratifiedKFold if is_classes else KFold
        found: Counter[str] = Counter()
        for train, _ in kind(N_FOLDS, shuffle=True, random_state=0).split(rows, y[rows]):
            part = rows[train]
            coded = with_codes(table[part], y[part], is_classes)
            found.update(str(table.names[k]) for k in coded.codes_as_words - table.codes_as_words)
        n_asked = sum(
            may_be_codes(table[rows], k) for k in range(len(table.names)) if k not in table.left_out
        )
        print(f"{name:26s}{n_asked:4d} columns asked, read as names: {dict(found) or 'none'}", flush=True)


if __name__ == "__main__":
    main()
