"""Intervals, sets of classes and p-values on the command line."""

from __future__ import annotations

import csv
import io
import json
import re
from importlib import resources
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

from kernelwise import load
from kernelwise.cli.predict import discovered, discoveries


def write(path, header, rows):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")


@pytest.fixture
def numbers(run, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(240, 2)).round(4)
    y = (X[:, 0] + 0.1 * rng.normal(size=240)).round(4)
    write(tmp_path / "train.csv", "a,b,y", np.column_stack([X, y])[:160].tolist())
    write(tmp_path / "new.csv", "a,b,y", np.column_stack([X, y])[160:].tolist())
    assert run("tune", "train.csv", "--kernel", "rbf", "--model", "numbers.kw")[0] == 0
    return "numbers.kw"


@pytest.fixture
def classes(run, tmp_path):
    rng = np.random.default_rng(1)
    y = np.repeat(["red", "blue"], 80)
    X = (rng.normal(size=(160, 2)) + (y == "red")[:, None]).round(4)
    rows = [[*x, label] for x, label in zip(X.tolist(), y.tolist(), strict=True)]
    write(tmp_path / "train.csv", "a,b,colour", rows)
    write(tmp_path / "new.csv", "a,b", [row[:2] for row in rows[::8]])
    assert run("tune", "train.csv", "--target", "colour", "--kernel", "rbf", "--model", "classes.kw")[0] == 0
    return "classes.kw"


@pytest.fixture
def partly_labelled(tmp_path):
    """Rows labelled as usual or not, and sixty without a label, of which the last ten are far away."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(262, 2))
    X[[0, 1]] += 7.0
    X[252:] += 9.0
    labels = ["odd", "odd", *["fine"] * 200, *[""] * 60]
    rows = [[*x, label] for x, label in zip(X.round(4).tolist(), labels, strict=True)]
    write(tmp_path / "rows.csv", "a,b,kind", rows)
    return "rows.csv"


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_intervals_are_columns(run, numbers):
    code, out, err = run("predict", numbers, "new.csv", "--interval", 0.9, "--keep", "y")
    assert code == 0, err
    rows = table(out)
    assert list(rows[0]) == ["y", "prediction", "lower", "upper"]
    low, y, high = (np.array([float(row[name]) for row in rows]) for name in ("lower", "y", "upper"))
    assert np.mean((low <= y) & (y <= high)) > 0.8
    assert "The true number lies between lower and upper for about 90 % of new rows that are drawn" in err
    assert "This was found on 160 held-out rows." in err


def test_a_page_on_predictions_has_their_intervals(run, numbers):
    code, out, err = run("predict", numbers, "new.csv", "--interval", 0.8, "--report", "p.html")
    assert code == 0, err
    page, rows = Path("p.html").read_text(), table(out)
    assert "Intervals of 80 %, in brackets, contain the truth for about 80 % of new rows" in page
    highest = max(rows, key=lambda row: float(row["prediction"]))
    shown = re.search(r"\d \(([-−.\d]+) to ([-−.\d]+)\)", page)
    assert [float(end) for end in shown.groups()] == pytest.approx(
        [float(highest["lower"]), float(highest["upper"])], abs=1e-3
    )


def test_sets_are_a_column(run, classes):
    code, out, err = run("predict", classes, "new.csv", "--sets", 0.95, "--proba")
    assert code == 0, err
    rows = table(out)
    assert list(rows[0]) == ["prediction", "p(blue)", "p(red)", "set"]
    assert {"blue|red"} < {row["set"] for row in rows} <= {"", "blue", "red", "blue|red"}
    assert "The true class is in the set for about 95 % of new rows" in err


def test_what_is_written_covers_what_predictions_do(run, tmp_path):
    """Ends of logarithms are rounded far below the width of their own row, and numbers may be very large."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)).round(4)
    y = np.exp(3.0 * (2.0 * X[:, 0] + rng.normal(size=120)))
    for unit, how in ((1.0, ["--log-target"]), (1e200, []), (1e-200, [])):
        write(tmp_path / "train.csv", "a,b,c,y", np.column_stack([X, unit * y]).tolist())
        tune = run("tune", "train.csv", "--target", "y", "--kernel", "rbf", "--model", "m.kw", *how)
        assert tune[0] == 0, tune[2]
        code, out, err = run("predict", "m.kw", "train.csv", "--interval", 0.9)
        assert code == 0, err
        rows = [[float(row[name]) for name in ("lower", "prediction", "upper")] for row in table(out)]
        exact = load("m.kw").predict_interval(pd.DataFrame(X, columns=["a", "b", "c"]))
        low, typical, high = np.array(rows).T
        least = np.abs(exact) if how else np.ptp(exact, axis=1, keepdims=True)
        assert (np.abs(np.stack([low, high], axis=1) - exact) <= 1e-3 * least).all()
        assert (low <= typical).all()
        assert (typical <= high).all()
        assert np.mean((low <= unit * y) & (unit * y <= high)) > 0.85


def test_logarithms_of_numbers_that_hardly_differ_keep_their_digits(run, tmp_path):
    X = np.random.default_rng(0).normal(size=(120, 1)).round(4)
    y = 1e6 + 100.0 * np.exp(X[:, 0])
    write(tmp_path / "train.csv", "a,y", np.column_stack([X, y]).tolist())
    assert (
        run("tune", "train.csv", "--target", "y", "--kernel", "rbf", "--log-target", "--model", "m.kw")[0]
        == 0
    )
    code, out, err = run("predict", "m.kw", "train.csv", "--interval", 0.9)
    assert code == 0, err
    low, high = (np.array([float(row[name]) for row in table(out)]) for name in ("lower", "upper"))
    assert np.mean((low <= y) & (y <= high)) > 0.85


def test_sets_by_class_are_those_of_the_model(run, classes):
    code, out, err = run("predict", classes, "new.csv", "--sets", 0.9, "--by-class")
    assert code == 0, err
    assert (
        "for about 90 % of new rows that are drawn like the training rows, and of those of every class."
        in err
    )
    X = pd.read_csv("new.csv")
    found = load(classes).predict_set(X, 0.9, conditional="class")
    assert [row["set"] for row in table(out)] == ["|".join(np.array(["blue", "red"])[one]) for one in found]


def test_classes_with_what_stands_between_classes_are_in_quotes(run, tmp_path):
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "a|b"], 40)
    write(tmp_path / "train.csv", "x,z,kind", [[*rng.normal(size=2).round(3), one] for one in y])
    assert run("tune", "train.csv", "--kernel", "rbf", "--model", "m.kw")[0] == 0
    code, out, err = run("predict", "m.kw", "train.csv", "--sets", 0.9)
    assert code == 0, err
    assert 'a|"a|b"|b' in {row["set"] for row in table(out)}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--interval", 90], "--interval must be above 0 and below 1"),
        (["--interval", 0.999], "A coverage of 0.999 needs 999 held-out rows at least"),
        (["--sets", 0.9], "--sets is for classification models, and numbers.kw is a regression model"),
        (["--fdr", 0.1], "--fdr is for detection models"),
        (["--by-class"], "--by-class says whom --sets holds for"),
    ],
)
def test_mistakes_get_a_sentence_and_no_file(run, numbers, options, said, tmp_path):
    code, _, err = run("predict", numbers, "new.csv", *options, "--out", "out.csv")
    assert code == 2
    assert said in err
    assert not (tmp_path / "out.csv").exists()


def test_new_rows_are_detected_at_a_false_discovery_rate(run, tmp_path):
    write(tmp_path / "usual.csv", "a,b", np.random.default_rng(3).normal(size=(200, 2)).round(4).tolist())
    code, _, err = run("detect", "usual.csv", "--model", "detector.kw")
    assert code == 0, err
    write(tmp_path / "new.csv", "a,b", [[0.1, 0.2]] * 20 + [[9.0, 9.0]] * 5)
    code, out, err = run("predict", "detector.kw", "new.csv", "--fdr", 0.1)
    assert code == 0, err
    rows = table(out)
    assert list(rows[0]) == ["prediction", "score", "p-value"]
    assert [row["prediction"] for row in rows] == ["usual"] * 20 + ["unusual"] * 5
    assert "5 of 25 rows called unusual: on average over such files, at most 10 %" in err


def test_rows_without_label_are_detected_beside_usual_ones(run, partly_labelled):
    asked = "detect", partly_labelled, "--labels", "kind", "--fdr", 0.1
    code, out, err = run(*asked, "--out", "scores.csv")
    assert code == 0, err
    assert "of 60 rows called unusual" in out
    with open("scores.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["unusual"] for row in rows[-10:]] == ["yes"] * 10
    assert sum(row["unusual"] == "yes" for row in rows) < 15
    assert {row["p-value"] for row in rows[:202]} == {""}
    code, out, err = run(*asked, "--json")
    value = json.loads(out)
    schema = json.loads(resources.files("kernelwise.cli").joinpath("schema/detect.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(value)
    found = [int(row["line"]) for row in rows if row["unusual"] == "yes"]
    assert value["discoveries"] == {"fdr": 0.1, "lines": found}


def test_rows_without_labels_have_no_false_discovery_rate(run, partly_labelled):
    code, _, err = run("detect", partly_labelled, "--ignore", "kind", "--fdr", 0.1)
    assert code == 2
    assert "--fdr compares rows without a label with rows that are labelled as usual" in err
    code, _, err = run("detect", partly_labelled, "--labels", "kind", "--fdr", 1.5)
    assert code == 2
    assert "--fdr must be above 0 and below 1" in err


def test_too_few_usual_rows_for_any_discovery_are_told():
    p = np.array([1 / 20, 1 / 20, *np.linspace(0.1, 1.0, 8)])
    told = discovered(p, 0.1, 19)
    assert "0 of 10 rows called unusual" in told
    # Of m rows, k with p-values of 1/(n + 1) are discovered if 1/(n + 1) ≤ k·0.1/m.
    assert "2 of them could not be more unusual, but beside 19 usual rows it takes 5 such rows" in told
    assert discoveries(np.r_[np.full(5, 1 / 20), p[-5:]], 0.1).sum() == 5
    assert not discoveries(np.r_[np.full(4, 1 / 20), p[-6:]], 0.1).any()
    assert discovered(np.r_[np.full(5, 1 / 20), p[-5:]], 0.1, 19).endswith("usual ones.")
    assert discovered(p[2:], 0.1, 19).endswith("usual ones.")


def test_compare_shows_what_intervals_cover(run, numbers):
    asked = ("compare", "train.csv", "--methods", "kernelwise,SVR defaults", "--folds", 2, "--coverage", 0.8)
    code, out, err = run(*asked, "--json")
    assert code == 0, err
    value = json.loads(out)
    schema = json.loads(resources.files("kernelwise.cli").joinpath("schema/compare.json").read_text())
    jsonschema.Draft202012Validator(schema).validate(value)
    assert value["settings"]["coverage"] == 0.8
    ours, *others = value["methods"]
    assert 0.7 < ours["coverage"] < 0.95
    assert 0.2 < ours["width"] < 0.5  # the noise has a deviation of 0.1
    assert all(row["coverage"] is row["width"] is None for row in others)
    code, out, err = run(*asked, "--report", "c.html")
    assert code == 0, err
    share = 100 * ours["coverage"]
    assert f"{share:.1f} %  {ours['width']:.4g}" in out.splitlines()[1]
    assert "coverage is the share of held-out rows whose truth is in the intervals of a method." in out
    page = Path("c.html").read_text()
    assert "covered, %" in page
    assert f'<td class="n">{share:.1f}</td>' in page


def test_a_coverage_that_compare_cannot_show(run, numbers):
    for asked, says in (
        (("--coverage", 2), "--coverage must be above 0 and below 1"),
        (("--task", "detection", "--target", "y", "--coverage", 0.9), "--coverage does not work with --task"),
    ):
        code, _, err = run("compare", "train.csv", *asked)
        assert code == 2
        assert says in err
