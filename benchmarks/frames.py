"""Tables as they are read: ``python -m benchmarks.frames --tables FOLDER [--rows 1000] [--sets NAME ...]``

TunedSVC() on data frames with words and gaps, as pandas and polars read them from a CSV file, beside
scikit-learn's boosting with categories and its random forest with one-hot columns, on the same five folds:
accuracy, log-loss and processor seconds of one fit. A line for each set, then the means. The run stops unless
the model of a polars frame gives the probabilities of the model of the pandas frame, to the last bit.
"""

from __future__ import annotations

import argparse
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from benchmarks.forests import print_tables, with_means
from kernelwise import TunedSVC
from kernelwise.exceptions import TrustWarning
from kernelwise.studies.tables import Row

SETS = (
    "credit_approval",
    "german_credit",
    "adult10k",
    "titanic_passengers",
    "horse_colic",
    "breast_cancer_ljubljana",
    "car_evaluation",
    "congressional_voting",
)
N_FOLDS = 5
#: scikit-learn's boosting refuses columns with more words than this, and is given the others.
MOST_WORDS = 255
MEASURES = ("accuracy", "log_loss", "seconds")
OURS, BOOSTING, FOREST = "TunedSVC", "HistGradientBoosting", "RandomForest"


def read(name: str, folder: Path, n_rows: int) -> tuple[pd.DataFrame, pl.DataFrame, np.ndarray]:
    """Both frames of a set without the target, which is the last column, and the target."""
    path = next((path for path in sorted(folder.glob(f"{name}.csv*"))), None)
    if path is None:
        raise FileNotFoundError(f"There is no {name}.csv in {folder}; name its folder with --tables.")
    frame, other = pd.read_csv(path), pl.read_csv(path, infer_schema_length=None)
    rows = np.sort(np.random.default_rng(0).permutation(len(frame))[:n_rows])
    y = frame.iloc[rows, -1].to_numpy().astype(str)
    return frame.iloc[rows, :-1].reset_index(drop=True), other[rows, :-1], y


def forest() -> Pipeline:
    """A random forest on one-hot columns, as tutorials make it."""
    words = make_column_selector(dtype_exclude=["number", "bool"])
    columns = ColumnTransformer(
        [("words", OneHotEncoder(handle_unknown="ignore"), words)],
        remainder=SimpleImputer(strategy="median"),
    )
    return Pipeline([("columns", columns), ("forest", RandomForestClassifier(random_state=0))])


def as_categories(frame: pd.DataFrame) -> pd.DataFrame:
    """What scikit-learn's boosting takes: words as categories, and no column with very many of them."""
    words = frame.select_dtypes(exclude=["number", "bool"])
    few = [name for name in words if words[name].nunique() <= MOST_WORDS]
    return frame.drop(columns=[name for name in words if name not in few]).astype(
        dict.fromkeys(few, "category")
    )


def measured(frame: pd.DataFrame, other: pl.DataFrame, y: np.ndarray) -> dict[str, dict[str, float]]:
    """Means over the folds, by measure and method."""
    found: dict[str, dict[str, list[float]]] = {measure: {} for measure in MEASURES}
    categories = as_categories(frame)
    for k, (train, test) in enumerate(StratifiedKFold(N_FOLDS, shuffle=True, random_state=0).split(frame, y)):
        methods: dict[str, tuple[Any, pd.DataFrame]] = {
            OURS: (TunedSVC(random_state=0), frame),
            BOOSTING: (HistGradientBoostingClassifier(random_state=0), categories),
            FOREST: (forest(), frame),
        }
        for method, (model, X) in methods.items():
            start = time.process_time()
            model.fit(X.iloc[train], y[train])
            seconds = time.process_time() - start
            p = model.predict_proba(X.iloc[test])
            right = np.mean(model.predict(X.iloc[test]) == y[test])
            values = (100.0 * right, log_loss(y[test], p, labels=model.classes_), seconds)
            for measure, value in zip(MEASURES, values, strict=True):
                found[measure].setdefault(method, []).append(float(value))
            if method == OURS and k == 0:
                again = TunedSVC(random_state=0).fit(other[train], y[train])
                assert np.array_equal(again.predict_proba(other[test]), p), "polars gives another model"
    return {
        measure: {method: float(np.mean(values)) for method, values in by_method.items()}
        for measure, by_method in found.items()
    }


def main(arguments: list[str] | None = None) -> None:
    """Run the sets, print a line for each and the means, and the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="*", default=list(SETS), metavar="NAME")
    parser.add_argument("--rows", type=int, default=1000, help="rows of a set at most")
    parser.add_argument("--tables", type=Path, default=Path("tables"), help="folder of the CSV files")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore", TrustWarning)  # names and row numbers of titanic_passengers
    warnings.simplefilter("ignore", UserWarning)  # words that a part of the rows does not have
    tables: dict[str, list[Row]] = {measure: [] for measure in MEASURES}
    print(
        f"{'accuracy (log-loss), seconds':34s}" + "".join(f"{name:>27s}" for name in (OURS, BOOSTING, FOREST))
    )
    for name in options.sets:
        try:
            frame, other, y = read(name, options.tables, options.rows)
        except FileNotFoundError as error:
            print(f"{name} is left out. {error}")
            continue
        for measure, values in measured(frame, other, y).items():
            tables[measure].append({"set": name, "rows": len(y), **values})
        print(_line([rows[-1] for rows in tables.values()]), flush=True)
    if not tables["accuracy"]:
        return
    tables = {measure: with_means(rows) for measure, rows in tables.items()}
    print(_line([rows[-1] for rows in tables.values()]))
    print_tables(tables)


def _line(rows: list[Row]) -> str:
    """A set: 95.20 (0.144) 1.2 is accuracy, log-loss and seconds."""
    cells = [[row[key] for row in rows] for key in rows[0] if key not in ("set", "rows")]
    texts = [f"{accuracy:.2f} ({loss:.3f}) {seconds:6.2f} s" for accuracy, loss, seconds in cells]
    return f"{rows[0]['set']:28s}{rows[0]['rows']:>6}" + "".join(f"{text:>27s}" for text in texts)


if __name__ == "__main__":
    main()
