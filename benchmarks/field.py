"""kernelwise beside the field: ``python -m benchmarks.field [--rivals NAME ...] [--sets NAME ...]``

Every rival with its default settings, on the sets and the outer folds of `benchmarks.forests`: accuracy and
log-loss or R², CPU seconds of a fit and of predictions, the size of a saved model and of what pip installs.
Each rival runs in a process of its own, in another environment if you name its Python, such as
``--python catboost=venvs/catboost/bin/python``; kernelwise must be installed there, too. Finished cells are
kept in a CSV file for each rival in --out: an interrupted run goes on. With ``--rivals`` and no name it only
prints the table of finished cells.
"""

from __future__ import annotations

import argparse
import csv
import json
import pickle
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from benchmarks import forests
from kernelwise.comparison.cells import MEASURES, Parts, trained
from kernelwise.comparison.methods import BY_TASK, OURS
from kernelwise.comparison.nested import Partition
from kernelwise.studies.tables import Row, markdown

#: Rivals, and what pip installs for each.
RIVALS = {
    "kernelwise": "kernelwise",
    "kernelwise, one kernel": "kernelwise",
    "GridSearchCV": "scikit-learn",
    "Optuna TPE": "optuna",
    "liquidSVM": "liquidSVM",
    "neo-ls-svm": "neo-ls-svm",
    "xrfm": "xrfm",
    "random forest": "scikit-learn",
    "lightgbm": "lightgbm",
    "catboost": "catboost",
    "ebm": "interpret-core",
    "realmlp": "pytabkit[models]",
}
SETS = forests.SETS
COLUMNS = ("set", "fold", "rows", "score", "log_loss", "fit_seconds", "predict_seconds", "bytes", "why")


class LiquidSVM(BaseEstimator):
    """liquidSVM's own selection of width and λ: 10 × 10 settings, five folds; features are standardised."""

    def __init__(self, task: str = "classification") -> None:
        self.task = task

    def fit(self, X: np.ndarray, y: ArrayLike) -> Self:
        """Train on X of shape (n_samples, n_features); it must see classes as 1, 2, … ."""
        from benchmarks.systems.liquidsvm import liquidSVM

        self.shift, self.scale = X.mean(axis=0), np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
        is_classes = self.task == "classification"
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        make = liquidSVM.mcSVM if is_classes else liquidSVM.lsSVM
        targets = codes + 1.0 if is_classes else np.asarray(y, dtype=np.float64)
        self.machine = make((X - self.shift) / self.scale, targets, threads=1)
        self.targets = targets
        return self

    def __getstate__(self) -> dict[str, Any]:
        """None: the machine is in the memory of its library."""
        raise TypeError("liquidSVM's machines cannot be pickled.")

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Labels or numbers of shape (n_samples,); its `predict` fails where 0 is no class."""
        some = np.resize(self.targets, len(X))
        answers = self.machine.test((X - self.shift) / self.scale, some)[0][:, 0]
        return self.classes_[answers.astype(int) - 1] if self.task == "classification" else answers


def estimator_of(rival: str, task: str) -> Any:
    """An untrained estimator."""
    if RIVALS[rival] == "kernelwise":
        return OURS[task](blend=rival == "kernelwise", random_state=0)
    return LiquidSVM(task) if rival == "liquidSVM" else BY_TASK[task][rival](0)


def saved_bytes(model: Any) -> int | None:
    """Size of a model file, ours as `save` writes it, that of others as a pickle; None if it has none."""
    if hasattr(model, "save"):
        with TemporaryDirectory() as folder:
            model.save(Path(folder) / "model.kw")
            return (Path(folder) / "model.kw").stat().st_size
    try:
        return len(pickle.dumps(getattr(model, "best_estimator_", model)))
    except (TypeError, ValueError, AttributeError, pickle.PicklingError):
        return None


def measured(estimator: Any, parts: Parts, task: str) -> Row:
    """What one rival does on one outer fold; seconds of predictions are those of 1000 rows."""
    model, (_, fit_seconds, _) = trained(estimator, parts, None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        started = time.process_time()
        model.predict(parts.X_test)
        predict_seconds = (time.process_time() - started) * 1000 / len(parts.y_test)
        score, errors = MEASURES[task](model, parts)
    return {
        "score": score,
        "log_loss": errors[0] if task == "classification" else None,
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
        "bytes": saved_bytes(model),
    }


def file_of(rival: str, folder: Path) -> Path:
    return folder / f"{re.sub(r'[^a-z]+', '-', rival.lower())}.csv"


def cells_of(path: Path) -> dict[tuple[str, int], Row]:
    """Finished cells by set and fold; numbers that a rival does not have are None."""
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as lines:
        rows = [{key: value or None for key, value in row.items()} for row in csv.DictReader(lines)]
    return {(str(row["set"]), int(row["fold"] or 0)): row for row in rows}


def run(rival: str, options: argparse.Namespace) -> None:
    """Measure what is missing, fold by fold, so that a run that is stopped has the same folds of all sets."""
    path = file_of(rival, options.out)
    facts, kept = about(rival) | {"rows": options.rows}, path.with_suffix(".json")
    old = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else facts
    for key in ("version", "rows"):
        if old[key] != facts[key]:
            raise SystemExit(f"{path} is of {key} {old[key]}, not {facts[key]}. Choose another --out.")
    kept.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    data = {}
    few = np.random.default_rng(0).normal(size=(60, 3))
    for task in {forests.TASKS[name] for name in options.sets}:  # imports are nobody's time
        targets = (few[:, 0] > 0).astype(int) if task == "classification" else few[:, 0]
        trained(estimator_of(rival, task), Parts(few, targets, few, targets, None), None)[0].predict(few)
    for name in options.sets:
        X, y = forests.cut(*forests.read(name, options.tables), options.rows, forests.TASKS[name])
        data[name] = X, y
    for fold in range(options.folds):
        for name, (X, y) in data.items():
            if (name, fold) in cells_of(path):  # or another process has done it in the meantime
                continue
            task = forests.TASKS[name]
            splits = Partition(None, None, len(y)).outer(y, task, forests.N_FOLDS, forests.N_REPEATS, 0)
            train, test = splits[fold]
            cell: Row = {"set": name, "fold": fold, "rows": len(y)}
            try:
                cell |= measured(
                    estimator_of(rival, task), Parts(X[train], y[train], X[test], y[test], None), task
                )
            except Exception as error:  # whatever a rival raises is its answer here, and is kept
                cell["why"] = f"{type(error).__name__}: {error}".splitlines()[0][:120]
            is_new = not path.exists()
            with path.open("a", newline="", encoding="utf-8") as file:
                writer = csv.DictWriter(file, COLUMNS)
                if is_new:
                    writer.writeheader()
                writer.writerow({key: f"{v:.5g}" if isinstance(v, float) else v for key, v in cell.items()})
            print(rival, name, fold, cell.get("why") or f"{cell['score']:.4f}", flush=True)


def needed(package: str) -> Iterator[str]:
    """Names of installed packages that a package such as ``pytabkit[models]`` cannot do without."""
    todo, seen = [package], set()
    while todo:
        name, _, extra = todo.pop().rstrip("]").partition("[")
        name = re.sub(r"[-_.]+", "-", name).lower()
        try:
            requirements = metadata.requires(name) or []
        except metadata.PackageNotFoundError:  # another system's, or of an older Python
            continue
        if (name, extra) not in seen:
            seen.add((name, extra))
            yield name
            for line in requirements:
                wanted, _, marker = line.partition(";")
                of_extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)", marker)
                if of_extra is None or of_extra[1] in extra.split(","):
                    match = re.match(r"\s*([\w.-]+(?:\[[^\]]*\])?)", wanted)
                    todo.append(match[1] if match else "")


def about(rival: str) -> Row:
    """Version and licence of a rival, and the megabytes that pip installs for it beside scikit-learn."""
    package = RIVALS[rival]
    own = metadata.distribution(package.partition("[")[0])
    added = set(needed(package)) - set(needed("scikit-learn"))
    files = {Path(str(file.locate())) for name in added for file in metadata.files(name) or []}
    kinds = [line for line in own.metadata.get_all("Classifier") or [] if line.startswith("License ::")]
    named = [own.metadata.get("License-Expression"), *(line.rpartition(" :: ")[2] for line in kinds)]
    named += [own.metadata.get("License"), own.read_text("LICENSE")]
    return {
        "version": own.version,
        "licence": next((text for text in named if text), "not named").strip().splitlines()[0][:40],
        "megabytes": sum(path.stat().st_size for path in files if path.is_file()) / 1e6,
    }


def mean_of(cells: dict[tuple[str, int], Row], column: str, task: str = "") -> tuple[float, set[str]]:
    """The mean over sets of the means over folds, and the sets that have this number."""
    by_set: dict[str, list[float]] = {}
    for (name, _), cell in cells.items():
        if cell[column] is not None and forests.TASKS[name].startswith(task):
            by_set.setdefault(name, []).append(float(cell[column]))
    means = [np.mean(values) for values in by_set.values()]
    return (float(np.mean(means)) if means else np.nan), set(by_set)


def table(folder: Path) -> list[Row]:
    """A row for each rival with finished cells, over those that kernelwise has, too.

    A rival that lacks sets, for it failed or was not run on them, has our mean over its sets beside its own.
    """
    ours = cells_of(file_of("kernelwise", folder))
    rows = []
    for rival in RIVALS:
        path = file_of(rival, folder)
        cells = {key: cell for key, cell in cells_of(path).items() if key in ours}
        if not cells:
            continue
        facts = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        row: Row = {"rival": rival, "version": facts["version"]}
        for title, column, task, factor, digits in (
            ("accuracy", "score", "classification", 100.0, 2),
            ("log-loss", "log_loss", "classification", 1.0, 3),
            ("R²", "score", "regression", 1.0, 3),
        ):
            value, sets = mean_of(cells, column, task)
            row[title] = f"{factor * value:.{digits}f}" if sets else "–"
            there = {key: ours[key] for key in cells if key[0] in sets}
            if sets and len(sets) < len(mean_of(ours, column, task)[1]):
                same = factor * mean_of(there, column, task)[0]
                row[title] += f" (of {len(sets)}; ours {same:.{digits}f})"
        row["fit, CPU s"] = f"{mean_of(cells, 'fit_seconds')[0]:.2f}"
        row["1000 predictions, CPU ms"] = f"{1e3 * mean_of(cells, 'predict_seconds')[0]:.0f}"
        size, sets = mean_of(cells, "bytes")
        row["model, kB"] = f"{size / 1e3:.0f}" if sets else "–"
        row |= {"installs, MB": f"{facts['megabytes']:.0f}", "licence": facts["licence"]}
        rows.append(row)
    return rows


def main(arguments: list[str] | None = None) -> None:
    """Run what is missing, each rival in a process of its own, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rivals", nargs="*", choices=RIVALS, default=[*RIVALS], metavar="NAME")
    parser.add_argument("--sets", nargs="*", choices=SETS, default=SETS, metavar="NAME")
    parser.add_argument("--folds", type=int, default=2, help="so many outer folds of benchmarks.forests")
    parser.add_argument("--rows", type=int, default=800, help="rows of a set at most")
    parser.add_argument("--tables", type=Path, default=Path("tables"), help="folder of tables of numbers")
    parser.add_argument("--out", type=Path, default=Path("field"), help="folder of finished cells")
    parser.add_argument("--python", nargs="*", default=[], metavar="NAME=PYTHON", help="Python of a rival")
    parser.add_argument("--again", action="store_true", help="finished cells of these rivals, too")
    parser.add_argument("--here", action="store_true", help="in this process, without a table")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    pythons = dict(pair.split("=", 1) for pair in options.python)
    for rival in options.rivals:
        if options.here:
            run(rival, options)
            continue
        if options.again:
            file_of(rival, options.out).unlink(missing_ok=True)
        command = [pythons.get(rival, sys.executable), "-m", "benchmarks.field", "--here", "--rivals", rival]
        for name in ("folds", "rows", "tables", "out"):
            command += [f"--{name}", str(getattr(options, name))]
        if subprocess.run([*command, "--sets", *options.sets], check=False).returncode:
            print(f"{rival} stopped, or cannot be run here.")
    if options.here:
        return
    print(markdown(table(options.out)))


if __name__ == "__main__":
    main()
