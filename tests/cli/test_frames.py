"""Files with words and gaps: the command line and Python give the same model."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise import TunedSVC, compare
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.persistence import load
from tests.tables.conftest import as_library, columns

#: Tables with words and gaps, and the columns that the command line asks to leave out.
SETS = {
    "credit_approval": [],
    "german_credit": [],
    "adult10k": [],
    "titanic_passengers": ["Name", "Ticket", "Cabin"],
    "horse_colic": [],
    "breast_cancer_ljubljana": [],
    "car_evaluation": [],
    "congressional_voting": [],
}
N_ROWS = 300
SETTINGS = {"kernel": "diagonal", "Cs": [1.0, 8.0], "cv": 3}
OPTIONS = ("--kernel", "diagonal", "--log2c", "0,3,3", "--cv", "3")


def folders():
    named = os.environ.get("KERNELWISE_DATA", "")
    above = [folder / "shared" / "data2" for folder in Path(__file__).resolve().parents]
    return [*(Path(name) for name in named.split(os.pathsep) if name), *above]


def table_of(name):
    """The first rows of a table, or a test that is skipped."""
    found = [path for folder in folders() for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz")]
    path = next((path for path in found if path.is_file()), None)
    if path is None:
        pytest.skip(f"needs the file {name}.csv: set KERNELWISE_DATA to the folder that holds it")
    return pd.read_csv(path).sample(frac=1.0, random_state=0)[:N_ROWS].reset_index(drop=True)


def check_same(run, table, target, left_out):
    table.to_csv("table.csv", index=False)
    ignore = ("--ignore", ",".join(left_out)) if left_out else ()
    outcome = run("tune", "table.csv", "--target", target, *ignore, *OPTIONS, "--model", "model.kw")
    assert outcome.code == 0, outcome.err
    by_file = load("model.kw")
    X = pd.read_csv("table.csv").drop(columns=[target, *left_out])
    model = TunedSVC(**SETTINGS).fit(X, pd.read_csv("table.csv")[target].to_numpy())
    assert by_file.encoder_ == model.encoder_
    assert by_file.kernel_ == model.kernel_
    assert by_file.C_ == model.C_
    assert_array_equal(by_file.relevance_, model.relevance_)
    assert_array_equal(by_file.predict_proba(X), model.predict_proba(X))
    assert run("predict", "model.kw", "table.csv", "--proba").code == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_a_table_of_the_collection(run, name):
    table = table_of(name)
    check_same(run, table, str(table.columns[-1]), SETS[name])


@pytest.fixture
def small():
    lists, y = columns()
    return as_library(lists, "pandas").drop(columns="new").assign(answer=y)


def test_a_small_table(run, small):
    check_same(run, small, "answer", [])


def test_predictions_with_new_gaps_and_words(run, refused, small):
    small.to_csv("table.csv", index=False)
    assert run("tune", "table.csv", *OPTIONS, "--model", "model.kw").code == 0
    small.assign(rooms=[None, *small["rooms"][1:]]).to_csv("gap.csv", index=False)
    sentence = refused("predict", "model.kw", "gap.csv", "--strict")
    assert "gap.csv, line 2, column 'rooms': a value is missing, but the training file has none" in sentence
    small.assign(size=None, town=["Rom", *small["town"][1:]]).to_csv("new.csv", index=False)
    assert run("predict", "model.kw", "new.csv", "--unknown", "ignore").code == 0
    small.assign(town="Rom").to_csv("far.csv", index=False)  # predicting and scoring both warn
    far = run("predict", "model.kw", "far.csv", "--unknown", "ignore").err
    assert far.count("Column 'town': 120 cells have a word that is not in the training rows") == 1
    assert far.count("Score on the target") == 1
    small.drop(columns="size").to_csv("less.csv", index=False)
    sentence = refused("predict", "model.kw", "less.csv")
    assert "less.csv has no column 'size', which the model needs" in sentence


def test_imputed_gaps_have_no_features(run, small):
    small.to_csv("table.csv", index=False)
    assert run("tune", "table.csv", "--impute", *OPTIONS, "--model", "model.kw").code == 0
    assert load("model.kw").encoder_.gaps == []
    assert run("predict", "model.kw", "table.csv").code == 0


def test_a_report_and_a_comparison(run, small):
    small.to_csv("table.csv", index=False)
    assert run("tune", "table.csv", "table.csv", *OPTIONS, "--report", "report.html").code == 0
    assert "town" in Path("report.html").read_text(encoding="utf-8")
    methods = ("--methods", "kernelwise,SVC defaults", "--folds", "2")
    outcome = run("compare", "table.csv", *methods, "--json")
    assert outcome.code == 0
    X, y = small.drop(columns="answer"), small["answer"].to_numpy()
    table = compare(X, y, ["kernelwise", "SVC defaults"], n_splits=2)
    assert table.scores[0].mean() > table.scores[-1].mean()


def test_codes_that_count_as_words_are_those_of_categorical_features(run):
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"code": rng.integers(1, 4, 60), "size": rng.normal(size=60).round(3)})
    y = np.where((table["code"] == 2) ^ (table["size"] > 1.0), "yes", "no")
    table.assign(play=y).to_csv("codes.csv", index=False)
    settings = ("--kernel", "rbf", "--log2c", "0,3,3", "--cv", "3")
    outcome = run(
        "tune", "codes.csv", "--target", "play", "--words", "code", *settings, "--verbose", "--model", "m.kw"
    )
    assert outcome.code == 0, outcome.err
    assert "'code' (3 words)" in outcome.err
    model = TunedSVC("rbf", Cs=[1.0, 8.0], cv=3, categorical_features=["code"]).fit(table, y)
    by_file = load("m.kw")
    assert by_file.encoder_ == model.encoder_
    assert_array_equal(by_file.predict_proba(table), model.predict_proba(table))
    # 1 and 1.0 are one code, and the file of the model knows it.
    table.assign(code=table["code"].astype(float)).to_csv("new.csv", index=False)
    told = run("predict", "m.kw", "new.csv")
    assert told.code == 0, told.err
    assert told.out.split()[1:] == model.predict(table).tolist()
    for names, sentence in (("play", "is in --words, and the target"), ("cod", "Did you mean 'code'?")):
        assert sentence in run("tune", "codes.csv", "--target", "play", "--words", names).err
    assert "and left out" in run("tune", "codes.csv", "--words", "size", "--ignore", "size").err


def test_filled_gaps_are_filled_in_python_as_on_the_command_line(run):
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"town": rng.choice(["a", "b", "b", "c"], 80), "size": rng.normal(size=80).round(3)})
    y = np.where((table["town"] == "b") ^ (table["size"] > 0.5), "yes", "no")
    table.loc[:5, "town"], table.loc[3:8, "size"] = None, np.nan
    table.assign(play=y).to_csv("table.csv", index=False)
    options = ("--kernel", "rbf", "--log2c", "0,3,3", "--cv", "3", "--impute", "--model", "m.kw")
    assert run("tune", "table.csv", "--target", "play", *options).code == 0
    new = pd.DataFrame({"town": [None, "b", "a", None], "size": [0.1, np.nan, np.nan, np.nan]})
    new.to_csv("new.csv", index=False)
    told = run("predict", "m.kw", "new.csv", "--proba").out.split()[1:]
    with (
        pytest.warns(KernelwiseWarning, match="'size': 3 cells have no value"),
        pytest.warns(KernelwiseWarning, match="'town': 2 cells have no value"),
    ):
        p = load("m.kw").predict_proba(new)
    assert_allclose([float(line.split(",")[-1]) for line in told], p[:, 1], atol=1e-4)
