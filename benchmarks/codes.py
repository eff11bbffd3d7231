"""Whole numbers that are names: ``python -m benchmarks.codes --tables FOLDER [--seeds 4]``

First simulated tables of lessons that are rated on three levels, which depend on who teaches what. Accuracy
on five folds of a forest and of `TunedSVC` with all columns as numbers, as it comes ("found"), and with
teachers and courses named in ``categorical_features`` ("told"). In ten times as many tables, how often it
reads teachers and courses as names, and the size of the class. Then simulated tables of six quantities, one
of which matters: how often this one is read as a name, and how often one of the others. No constant was
chosen on these seeds. In the end, for tables of the folder and sets of KERNELWISE_DATA, the columns that
`TunedSVC` reads as names on five training parts, and how many columns it asks.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
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


#: Rows, teachers and courses of simulated tables.
SIZES = ((150, 25, 26), (250, 12, 30), (400, 40, 9), (400, 12, 9))
#: Seeds before this one were used while the rule was made.
FIRST_SEED = 2000
#: Quantities in whole numbers, and how a target may follow one that goes from 0 to 1.
VALUES: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "score": lambda random, n: random.integers(1, random.integers(9, 41), n),
    "visits": lambda random, n: random.poisson(random.uniform(3.0, 15.0), n),
    "wait": lambda random, n: np.minimum(random.geometric(random.uniform(0.08, 0.3), n), 40),
    "fives": lambda random, n: 5 * random.integers(0, random.integers(8, 21), n),
    "length": lambda random, n: np.rint(random.normal(50.0, random.uniform(2.0, 6.0), n)),
    "memory": lambda random, n: 2 ** random.integers(0, 12, n),
}
ANSWERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "line": lambda x: x,
    "logarithm": lambda x: np.log1p(4.0 * x),
    "square": lambda x: (x - 0.5) ** 2,
    "one wave": lambda x: np.sin(6.0 * x),
    "three waves": lambda x: np.sin(18.0 * x),
    "one step": lambda x: 1.0 * (x > 0.5),
    "up and down a step": lambda x: 1.0 * (x > 0.3) - (x > 0.6),
}
QUANTITY_ROWS = (150, 300, 600)


def lessons(
    seed: int, n_rows: int = 150, n_teachers: int = 25, n_courses: int = 26
) -> tuple[pd.DataFrame, np.ndarray]:
    """A simulated table and its ratings."""
    random, n = np.random.default_rng(seed), n_rows
    columns = {
        "native": random.integers(1, 3, n),
        "teacher": random.integers(1, n_teachers + 1, n),
        "course": random.integers(1, n_courses + 1, n),
        "semester": random.integers(1, 3, n),
        "size": random.integers(3, 40, n),
    }
    quality = random.normal(size=n_teachers + 1)[columns["teacher"]]
    quality += random.normal(size=n_courses + 1)[columns["course"]]
    quality += 0.3 * (columns["native"] == 1) + 0.4 * random.normal(size=n)
    return pd.DataFrame(columns), in_thirds(quality)


def in_thirds(numbers: np.ndarray) -> np.ndarray:
    """Three classes of about equal size."""
    return np.digitize(numbers, np.quantile(numbers, [1 / 3, 2 / 3]))


def read_as_names(frame: pd.DataFrame, y: np.ndarray, is_classes: bool = True) -> set[str]:
    """Columns of whole numbers that are read as names."""
    table = Table(tuple(frame.columns), tuple(frame[name].to_numpy(float) for name in frame))
    return {str(table.names[k]) for k in with_codes(table, y, is_classes).codes_as_words}


def simulated_lessons(n_seeds: int) -> None:
    """Print a line for each size: mean accuracies, and shares of columns that are read as names."""
    methods = {
        "forest": RandomForestClassifier(500, random_state=0),
        "numbers": TunedSVC(categorical_features=None, random_state=0),
        "found": TunedSVC(random_state=0),
        "told": TunedSVC(categorical_features=["teacher", "course"], random_state=0),
    }
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    heads = (*methods, "names found", "size as names")
    print("  rows teachers courses" + "".join(f"{head:>15s}" for head in heads))
    for size in SIZES:
        seeds = range(FIRST_SEED, FIRST_SEED + n_seeds)
        cells = [
            np.mean([cross_val_score(model, *lessons(seed, *size), cv=folds).mean() for seed in seeds])
            for model in methods.values()
        ]
        more = range(FIRST_SEED, FIRST_SEED + 10 * n_seeds)
        read = [read_as_names(*lessons(seed, *size)) for seed in more]
        cells.append(np.mean([len(one & {"teacher", "course"}) / 2 for one in read]))
        cells.append(np.mean(["size" in one for one in read]))
        n_rows, n_teachers, n_courses = size
        line = f"{n_rows:6d}{n_teachers:9d}{n_courses:8d}"
        print(line + "".join(f"{100.0 * cell:13.1f} %" for cell in cells), flush=True)


def quantities(seed: int, which: str, answer: str, n_rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Six quantities, and a target that follows one of them and chance."""
    random = np.random.default_rng([seed, n_rows, list(VALUES).index(which), list(ANSWERS).index(answer)])
    frame = pd.DataFrame({name: values(random, n_rows) for name, values in VALUES.items()})
    x = np.log2(frame[which]) if which == "memory" else frame[which]
    signal = ANSWERS[answer](((x - x.min()) / np.ptp(x)).to_numpy())
    return frame, random.choice([0.5, 1.0, 2.0]) * signal / signal.std() + random.normal(size=n_rows)


def simulated_quantities(n_seeds: int) -> None:
    """Print a line for each answer: in how many tables a quantity is read as a name."""
    print(f"{'six quantities':24s}{'tables':>8s}{'that matters':>15s}{'one of others':>15s}")
    for answer in ANSWERS:
        found = []
        for which, n_rows, seed in product(VALUES, QUANTITY_ROWS, range(FIRST_SEED, FIRST_SEED + n_seeds)):
            frame, y = quantities(seed, which, answer, n_rows)
            for is_classes in (True, False):
                read = read_as_names(frame, in_thirds(y) if is_classes else y, is_classes)
                found.append((which in read, bool(read - {which})))
        cells = "".join(f"{100.0 * share:13.1f} %" for share in np.mean(found, axis=0))
        print(f"{answer:24s}{len(found):8d}{cells}", flush=True)


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
    parser.add_argument("--seeds", type=int, default=4, help="simulated tables of each kind")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    simulated_lessons(options.seeds)
    simulated_quantities(2 * options.seeds)
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
