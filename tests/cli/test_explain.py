"""kernelwise explain: values of a saved model, in a file, on the screen and as JSON."""

from __future__ import annotations

import csv
import json
import re
from importlib import resources

import jsonschema
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

import kernelwise

from .conftest import SHORT

pytestmark = pytest.mark.filterwarnings("ignore:X does not have valid feature names")
NUMBERS = ("--kernel", "diagonal")


@pytest.fixture
def train(tmp_path, rows):
    lines = [",".join(row.split(",")[k] for k in (0, 1, 3)) for row in rows]  # without the column of words
    (tmp_path / "train.csv").write_text("\n".join(["a,b,class", *lines]) + "\n")
    return "train.csv"


@pytest.fixture
def model(run, train):
    assert run("tune", train, *SHORT, *NUMBERS, "--model", "m.kw").code == 0
    return "m.kw"


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def validated(outcome):
    assert outcome.code == 0, outcome.err
    assert outcome.out.count("\n") == 1
    schema = json.loads(resources.files("kernelwise.cli").joinpath("schema/explain.json").read_text())
    value = json.loads(outcome.out)
    jsonschema.Draft202012Validator(schema).validate(value)
    return value


def test_the_file_has_the_values_of_the_library(run, model, train):
    code, out, err = run("explain", model, train, "--rows", 5, "--out", "values.csv", "--background", train)
    assert code == 0
    assert "Wrote the values of 5 rows to values.csv." in err
    assert out.splitlines()[0].split() == ["column", "mean", "|value|", "learned", "weight"]
    found = table("values.csv")
    assert [row["line"] for row in found] == ["2", "3", "4", "5", "6"]
    X = np.loadtxt(train, delimiter=",", skiprows=1, usecols=(0, 1))
    loaded = kernelwise.load(model)
    expected = kernelwise.explain(loaded, X[:5], background=X)
    assert_allclose([[float(row[name]) for name in "ab"] for row in found], expected.values, rtol=1e-12)
    total = [float(row["decision"]) for row in found]
    assert_allclose(total, loaded.decision_function(X[:5]), rtol=1e-9)


def test_json_fits_its_schema(run, model, train):
    value = validated(run("explain", model, train, "--rows", 3, "--json", "--output", "probability-log-odds"))
    assert value["columns"] == ["a", "b"]
    assert value["classes"] == []
    assert value["is_exact"] is True
    assert value["value_function"] == "interventional"
    assert value["lines"] == [2, 3, 4]
    assert np.shape(value["values"]) == (3, 2)


def test_several_classes_and_a_column_of_words(run, tmp_path, rows):
    X, y = load_iris(return_X_y=True)
    np.savetxt(tmp_path / "iris.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,d,y", comments="")
    assert run("tune", "iris.csv", *SHORT, "--kernel", "rbf", "--model", "iris.kw").code == 0
    value = validated(
        run("explain", "iris.kw", "iris.csv", "--rows", 2, "--json", "--out", "v.csv", "--quiet")
    )
    assert np.shape(value["values"]) == (2, 4, 3)
    found = table("v.csv")
    assert [(row["line"], row["class"]) for row in found] == [(n, c) for n in "23" for c in value["classes"]]
    (tmp_path / "words.csv").write_text("\n".join(["a,b,colour,class", *rows]) + "\n")
    assert run("tune", "words.csv", *SHORT, "--kernel", "laplacian", "--model", "words.kw").code == 0
    value = validated(run("explain", "words.kw", "words.csv", "--rows", 2, "--json", "--quiet"))
    assert value["columns"] == ["a", "b", "colour"]


def test_the_table_says_what_its_values_are(run, model, train):
    out = run("explain", model, train, "--rows", 2).out
    assert "mean |value| is how far the column moves the decision value" in out
    assert re.search(r"The larger the decision value is, the more the model tends to answer '\w+'\.", out)
    assert "--background FILE" in out
    assert "support vectors" in out
    assert "use --out FILE" in out
    followed = run("explain", model, train, "--rows", 2, "--background", train, "--out", "v.csv").out
    assert "--background FILE" not in followed
    assert "--out FILE" not in followed


def test_without_a_file_the_background_is_the_support_vectors(run, model, train):
    value = validated(run("explain", model, train, "--json"))
    X, loaded = np.loadtxt(train, delimiter=",", skiprows=1, usecols=(0, 1)), kernelwise.load(model)
    support = loaded.scaler_.inverse_transform(loaded.best_estimator_.support_vectors_)
    assert 2 < len(support) <= 100
    expected = kernelwise.explain(loaded, X, background=support)
    assert_allclose(value["values"], expected.values, rtol=1e-9)


def test_estimates_say_so(run, train):
    assert run("tune", train, *SHORT, "--kernel", "poly", "--model", "p.kw").code == 0
    outcome = run("explain", "p.kw", train, "--rows", 2, "--json")
    value = validated(outcome)
    assert value["is_exact"] is False
    assert np.shape(value["standard_errors"]) == (2, 2)
    assert "is not a product over columns" in outcome.err


def test_more_rows_than_there_are(run, model, train):
    code, out, err = run("explain", model, train, "--rows", 500)
    assert code == 0
    assert "train.csv has only 40 rows, which are all explained." in err
    assert "on average over 40 rows" in out


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("--rows must be at least 1, got 0", ("--rows", 0)),
        (
            "--output must be one of decision, machine-values, probability-log-odds, got 'prediction'",
            ("--output", "prediction"),
        ),
        ("Did you mean decision?", ("--output", "decison")),
        ("missing.csv", ("--background", "missing.csv")),
        ("there is no folder", ("--out", "no/where.csv")),
        ("train.csv is given twice", ("--out", "train.csv")),
        ("m.kw is given twice", ("--out", "m.kw")),
    ],
)
def test_mistakes_are_one_sentence_and_write_nothing(refused, model, train, tmp_path, message, arguments):
    before = sorted(path.name for path in tmp_path.iterdir())
    assert message in refused("explain", model, train, *arguments)
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_background_of_other_columns_writes_nothing(refused, model, train, tmp_path):
    (tmp_path / "other.csv").write_text("x,y\n1,2\n3,4\n")
    refused("explain", model, train, "--background", "other.csv", "--out", "values.csv")
    assert not (tmp_path / "values.csv").exists()


def test_the_model_comes_first(refused, model, train):
    assert "The model comes first: kernelwise explain m.kw train.csv" in refused("explain", train, model)


def test_the_report_of_a_file_says_what_the_model_looks_at(run, tmp_path, rows):
    (tmp_path / "words.csv").write_text("\n".join(["a,b,colour,class", *rows]) + "\n")
    arguments = (*SHORT, "--kernel", "laplacian", "--report", "report.html")
    assert run("tune", "words.csv", *arguments).code == 0
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    section = text[text.index('id="looks-at"') : text.index('id="experts"')]
    assert "A clear row (line " in section
    assert "colour = " in section


def test_a_width_is_explained(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 2)).round(4)
    y = X[:, 0] + np.where(X[:, 1] > 0.5, 0.3, 0.02) * rng.normal(size=200)
    lines = [f"{a},{b},{c:.4f}" for (a, b), c in zip(X.tolist(), y, strict=True)]
    (tmp_path / "numbers.csv").write_text("\n".join(["a,b,y", *lines]) + "\n")
    assert run("tune", "numbers.csv", "--kernel", "rbf", "--model", "numbers.kw").code == 0
    asked = ("explain", "numbers.kw", "numbers.csv", "--rows", 3, "--output", "log-width")
    value = validated(run(*asked, "--json"))
    assert value["columns"] == ["a", "b", "the prediction"]
    loaded = kernelwise.load("numbers.kw")
    widths = np.log(np.diff(loaded.predict_interval(X[:3], 0.9), axis=1)[:, 0])
    assert_allclose(np.sum(value["values"], axis=1) + value["base_values"], widths, atol=1e-9)
    out = run(*asked).out
    assert out.splitlines()[1].startswith("b ")
    assert "how far the column moves the logarithm of the width of intervals" in out
    assert "A value of 0.1 makes the interval about 10 % wider" in out


def test_a_width_of_classes_is_refused(refused, model, train):
    assert "--output must be one of decision," in refused("explain", model, train, "--output", "log-width")
