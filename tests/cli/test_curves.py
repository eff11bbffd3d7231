"""kernelwise curves: criteria over widths, on the screen, in files and as JSON."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest

from kernelwise import criterion_curves
from kernelwise.criteria import USUAL

FEW = ("--log2g", "-6,0,3", "--log2c", "0,4,4", "--cv", 3)


@pytest.fixture
def data(tmp_path):
    """60 rows of two numbers, in two classes that overlap; and their X and y."""
    random = np.random.default_rng(0)
    y = np.arange(60) % 2
    X = np.round(random.normal(size=(60, 2)) + 1.5 * y[:, None], 4)
    lines = [f"{a},{b},{'uv'[label]}" for (a, b), label in zip(X, y, strict=True)]
    (tmp_path / "data.csv").write_text("\n".join(["a,b,kind", *lines]) + "\n")
    return X, y


def test_the_table_is_that_of_criterion_curves(run, data):
    code, out, err = run("curves", "data.csv", "--criteria", "dbtc,span,fsm", *FEW)
    assert code == 0, err
    widths = [2.0**-6, 2.0**-3, 1.0]
    curves = criterion_curves(*data, ["dbtc", "span", "fsm"], widths=widths, Cs=[1, 16], cv=3)
    lines = out.splitlines()
    assert lines[0].startswith("60 rows, 2 features")
    assert [line.rstrip() for line in lines[1:5]] == str(curves).splitlines()
    assert f": {100 * curves.best_accuracy.max():.1f} % ±" in out
    assert "± is a jackknife over the folds" in out
    assert "width 3 of 3" in err


def test_the_usual_criteria_as_json(run, data):
    code, out, err = run("curves", "data.csv", "--json", "--quiet", *FEW)
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["command"] == "curves"
    assert [one["criterion"] for one in found["choices"]] == list(USUAL) == list(found["scores"])
    assert found["widths"] == [2.0**-6, 2.0**-3, 1.0]
    assert found["settings"]["criteria"] == list(USUAL)
    assert {one["own_C"] for one in found["choices"]} <= {None, 1.0, 16.0}


def test_names_of_columns_stay_and_advice_can_be_followed(run, tmp_path):
    random = np.random.default_rng(0)
    group = np.repeat(np.arange(30), 10)
    X = random.normal(size=(30, 3))[group] + 0.05 * random.normal(size=(300, 3))
    y = random.integers(0, 2, 30)[group]
    lines = [f"{a:.4f},{b:.4f},{c:.4f},P{g},{'uv'[k]}" for (a, b, c), g, k in zip(X, group, y, strict=True)]
    (tmp_path / "g.csv").write_text("\n".join(["a,b,c,sample,kind", *random.permutation(lines)]) + "\n")
    code, _, err = run("curves", "g.csv", "--target", "kind", "--ignore", "sample", *FEW)
    assert code == 0, err
    assert "'sample' has values that repeat and determine the target" in err
    assert "`kernelwise tune` can, with --group." in err
    assert "'row'" not in err


def test_all_curves_in_a_file_and_a_figure(run, data):
    code, _, err = run("curves", "data.csv", "--criteria", "all", "--out", "c.csv", "--figure", "c.svg", *FEW)
    assert code == 0, err
    with open("c.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = {row["criterion"] for row in rows}
    assert len(rows) == 3 * len(names)
    assert len(names) > 20
    assert {row["own_C"] for row in rows if row["criterion"] == "dbtc"} == {""}
    assert "nan" not in {cell for row in rows for cell in row.values()}
    with open("c.svg", encoding="utf-8") as file:
        assert "<svg" in file.read()
    assert "Wrote the curves to c.csv." in err
    assert "Drew the curves to c.svg." in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--criteria", "dbtx"), "--criteria dbtx is unknown. Did you mean dbtc?"),
        (("--kernel", "poly"), "--kernel must be one of rbf, laplacian"),
        (("--log2g", "1,2"), "--log2g 1,2 is not begin,end,step"),
        (("--figure", "c.txt"), "--figure c.txt must end in .png, .svg or .pdf."),
        (("--figure", "missing/c.png"), "there is no folder missing"),
        (("--out", "data.csv"), "data.csv is given twice, as FILE and as out"),
        (("--scale", "log"), "--scale must be one of standard, minmax, none"),
        (("--target", "a"), "the target is a quantity, but `curves` compares criteria of classes"),
    ],
)
def test_what_cannot_be_done_is_refused(refused, data, options, message):
    assert re.search(message, refused("curves", "data.csv", *options))


def test_a_figure_needs_matplotlib(refused, data, monkeypatch):
    monkeypatch.setattr("kernelwise.cli.curves.find_spec", lambda name: None)
    assert refused("curves", "data.csv", "--figure", "c.png").endswith('pip install "kernelwise[display]".')
