"""Is a kernel machine or a forest right? ``python -m benchmarks.forests [--rows 800] [--sets NAME ...]``

TunedSVC("rbf"), TunedSVC() and, as they come, forests and boosting (LightGBM, CatBoost and xRFM if they are
installed) on the same outer folds, two times five: accuracy and log-loss for classes, R² for numbers. A line
for each set, then the means. Finished cells are kept in a journal for each set: an interrupted run goes on.
The sets with classes are those of KERNELWISE_DATA, the tables of numbers those of the folder --tables. The
tables of docs/forests.md come last.

``--efforts`` measures the levels of ``effort`` instead, with CPU seconds of a fit, which docs/cost.md quotes.
"""

from __future__ import annotations

import argparse
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.nested import samples
from kernelwise import TunedSVC, TunedSVR, __version__
from kernelwise._core.journal import Journal, fingerprint
from kernelwise.comparison import METHODS, REGRESSION_METHODS, Comparison, compare
from kernelwise.comparison.methods import TABLE
from kernelwise.datasets.manifest import FILES
from kernelwise.search.settings import EFFORTS
from kernelwise.studies.study import few_rows
from kernelwise.studies.tables import Row, markdown
from kernelwise.tables import learn_encoding, read_table

N_FOLDS, N_REPEATS = 5, 2
#: Tables with numbers as targets; the words of abalone (M, F, I) are coded as `kernelwise tune` does.
NUMBERS = (
    "abalone",
    "airfoil_self_noise",
    "concrete",
    "energy_cooling",
    "energy_heating",
    "wine_quality_red",
)
#: More tables of the folder, with classes: those of many rows show what an effort gains.
CLASSES = ("phoneme", "adult10k", "coil2000_train", "german_credit")
TASKS = dict.fromkeys(FILES, "classification") | dict.fromkeys(NUMBERS, "regression")
TASKS |= dict.fromkeys(CLASSES, "classification")
#: Parts and variants of other sets, which would count twice.
NOT_COMPARED = ("breast_cancer_libsvm_scaled", "breast_cancer_ljubljana", "splice", "waveform", "usps_test")
SETS = [name for name in FILES if not name.endswith("_train") and name not in NOT_COMPARED] + list(NUMBERS)
#: Columns that are no method's.
NAMES = ("set", "rows")
#: Tables that are written: what they show, its task, and its factor.
MEASURES = {
    "accuracy": ("classification", 100.0),
    "log_loss": ("classification", 1.0),
    "r2": ("regression", 1.0),
}
SECONDS = "cpu_seconds"


def read(name: str, folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """X of shape (n_rows, n_features) and y of a set."""
    if name in FILES:
        return samples(name)
    found = sorted(folder.glob(f"{name}.csv*"))
    if not found:
        raise FileNotFoundError(f"There is no {name}.csv in {folder}.")
    learned = learn_encoding(read_table(found[0]), task=TASKS[name])
    encoding, table = learned.encoding, learned.table
    return np.asarray(encoding.samples(table)), np.asarray(encoding.labels(table))


def cut(X: np.ndarray, y: np.ndarray, n_rows: int, task: str) -> tuple[np.ndarray, np.ndarray]:
    """At most so many rows, always the same ones; classes with fewer rows than folds are left out."""
    X, y = few_rows(X, y, n_rows)
    if task == "regression":
        return X, y
    classes, counts = np.unique(y, return_counts=True)
    keep = np.isin(y, classes[counts >= N_FOLDS])
    return X[keep], y[keep]


def methods(task: str, efforts: bool = False) -> dict[str, Any]:
    """Two machines of ours, and forests and boosting that are installed; or ours at each level of effort."""
    kind, known = (TunedSVC, METHODS) if task == "classification" else (TunedSVR, REGRESSION_METHODS)
    if efforts:
        return {level: kind(effort=level, random_state=0) for level in EFFORTS}
    ours = {"RBF": kind("rbf", random_state=0), "kernelwise": kind(random_state=0)}
    trees = [method for method in TABLE if method.is_rival and "classification" in method.tasks]
    there = [method.name for method in trees if not method.module or find_spec(method.module)]
    return ours | {name: known[name](0) for name in there}


def measured(name: str, options: argparse.Namespace) -> tuple[int, Comparison]:
    """Rows of a set, and its comparison, from its journal as far as that goes."""
    task = TASKS[name]
    there = methods(task, options.efforts)
    chosen = {key: one for key, one in there.items() if key in (options.methods or [key])}
    X, y = cut(*read(name, options.tables), options.rows, task)
    about = {"data": fingerprint(X, y), "folds": options.folds, "version": __version__}
    with Journal(options.out / f"{name}.journal", about) as journal:
        table = compare(
            X,
            y,
            chosen,
            n_splits=options.folds,
            n_repeats=options.repeats,
            task=task,
            journal=journal,
            baseline=False,
        )
    return len(y), table


def row_of(name: str, n_rows: int, table: Comparison, measure: str) -> Row:
    """A row of the table of a measure: its mean over the outer folds, for every method."""
    of_folds = table.cpu_seconds if measure == SECONDS else table.errors.get(measure, table.scores)
    values, factor = of_folds.mean(axis=1), MEASURES.get(measure, ("", 1.0))[1]
    return {"set": name, "rows": n_rows, **dict(zip(table.methods, (factor * values).tolist(), strict=True))}


def with_means(rows: list[Row]) -> list[Row]:
    """The rows, and below them their means."""
    means = {key: float(np.mean([row[key] for row in rows])) for key in rows[0] if key not in NAMES}
    return [*rows, {"set": f"mean of {len(rows)}", "rows": "", **means}]


def leads(tables: dict[str, list[Row]], ours: str = "kernelwise") -> list[Row]:
    """What ours is ahead by, on average over the sets with its standard error, and on how many of them."""
    found = []
    for measure, rows in tables.items():
        if ours not in rows[0] or len(rows) < 2:
            continue
        values = {key: np.array([row[key] for row in rows]) for key in rows[0] if key not in NAMES}
        sign = -1.0 if measure == "log_loss" else 1.0
        row: Row = {"measure": measure, "sets": len(rows)}
        for name, theirs in values.items():
            if name != ours:
                ahead = sign * (values[ours] - theirs)
                error = ahead.std(ddof=1) / np.sqrt(len(ahead))
                row[name] = f"{ahead.mean():+.3g} ± {error:.2g}, ahead on {np.sum(ahead > 0)}"
        found.append(row)
    return found


def line(rows: list[Row]) -> str:
    """A set in all its measures: 95.20 (0.144) is accuracy and log-loss, 0.912 is R²."""
    cells = [[row[key] for row in rows] for key in rows[0] if key not in NAMES]
    texts = [f"{cell[0]:.2f} ({cell[1]:.3f})" if len(cell) == 2 else f"{cell[0]:.3f}" for cell in cells]
    return f"{rows[0]['set']:28s}{rows[0]['rows']:>6}" + "".join(f"{text:>19s}" for text in texts)


def print_tables(tables: dict[str, list[Row]]) -> None:
    """A table for each measure, which `benchmarks.figures` puts into pages."""
    for measure, rows in tables.items():
        print(f"\n## {measure}\n\n{markdown(rows)}")


def main(arguments: list[str] | None = None) -> None:
    """Run what is missing, print a line for each set and the means, and the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="*", choices=TASKS, default=SETS, metavar="NAME")
    parser.add_argument("--efforts", action="store_true", help="the levels of effort instead of methods")
    parser.add_argument("--folds", type=int, default=N_FOLDS, help="outer folds")
    parser.add_argument("--repeats", type=int, default=N_REPEATS, help="of the outer folds")
    parser.add_argument("--methods", nargs="*", metavar="NAME", help="all that are installed by default")
    parser.add_argument("--rows", type=int, default=800, help="rows of a set at most")
    parser.add_argument("--tables", type=Path, default=Path("tables"), help="folder of tables of numbers")
    parser.add_argument("--out", type=Path, default=Path("forests"), help="folder of journals")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    tables: dict[str, list[Row]] = {}
    for name in options.sets:
        try:
            n_rows, table = measured(name, options)
        except FileNotFoundError as error:
            print(f"{name} is left out. {error}")
            continue
        measures = [measure for measure, (task, _) in MEASURES.items() if task == TASKS[name]]
        if measures[0] not in tables:
            print(f"{' '.join(measures):34s}" + "".join(f"{method:>19s}" for method in table.methods))
        rows = [row_of(name, n_rows, table, measure) for measure in measures]
        for measure, row in zip(measures, rows, strict=True):
            tables.setdefault(measure, []).append(row)
        print(line(rows), flush=True)
        if options.efforts:
            seconds = row_of(name, n_rows, table, SECONDS)
            tables.setdefault(SECONDS, []).append(seconds)
            print(line([{**seconds, "set": f"{name}, CPU s"}]), flush=True)
    ahead = leads(tables)
    tables = {measure: with_means(rows) for measure, rows in tables.items()}
    for task in dict.fromkeys(TASKS.values()):
        means = [rows[-1] for measure, rows in tables.items() if MEASURES.get(measure, ("",))[0] == task]
        if means:
            print(line(means))
    print_tables(tables | {"ahead": ahead} if ahead else tables)


if __name__ == "__main__":
    main()
