"""kernelwise detect: unusual rows of a file, on the screen, in files, as JSON, and by a saved model."""

from __future__ import annotations

import csv
import json
import re
from importlib import resources

import jsonschema
import numpy as np
import pytest

import kernelwise
from kernelwise.cli.models import unusual_labels
from kernelwise.cli.output import UserError
from kernelwise.explanation import explain


@pytest.fixture
def rows(tmp_path):
    """80 rows of three columns, of which those of lines 5 and 50 are far away in column b."""
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 2))
    X[[3, 48], 1] = 9.0, -8.0
    words = random.choice(["red", "blue"], 80)
    lines = [f"n{k},{a:.4f},{b:.4f},{w}" for k, (a, b, w) in enumerate(zip(*X.T, words, strict=True))]
    (tmp_path / "rows.csv").write_text("\n".join(["id,a,b,colour", *lines]) + "\n")
    return "rows.csv"


@pytest.fixture
def labelled(tmp_path, rows):
    lines = (tmp_path / rows).read_text().splitlines()
    labels = ["kind", *("" if k % 3 else "odd" if k in (3, 48) else "fine" for k in range(80))]
    (tmp_path / "labelled.csv").write_text("\n".join(map(",".join, zip(lines, labels, strict=True))) + "\n")
    return "labelled.csv"


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_strange_rows_are_explained_once(run, rows, monkeypatch, tmp_path):
    explained = []
    monkeypatch.setattr(
        "kernelwise.reports.outliers.explain",
        lambda *rows, **how: explained.append(rows) or explain(*rows, **how),
    )
    code, out, err = run("detect", rows, "--ignore", "id", "--report", "report.html")
    assert code == 0, err
    assert len(explained) == 1
    assert "98.8 % of the rows" in out
    page = (tmp_path / "report.html").read_text()
    assert {"Line 5:", "Line 50:"} <= set(re.findall(r"Line \d+:", page))


def test_the_strangest_rows_come_first_with_their_reasons(run, rows):
    code, out, err = run(
        "detect", rows, "--ignore", "id", "--contamination", 0.03, "--out", "scores.csv", "--keep", "id"
    )
    assert code == 0, err
    assert out.startswith("80 rows, 3 columns coded as 4 features.\n")
    shown = out[out.index("line ") :].splitlines()
    assert {shown[1].split()[0], shown[2].split()[0]} == {"5", "50"}
    assert "b (" in shown[1]
    assert "b (" in shown[2]
    assert shown[0].split() == ["line", "stranger", "than", "probability", "unusual", "columns"]
    assert "98.8 % of the rows" in shown[1]  # 79 of 80
    assert "97.5 % of the rows" in shown[2]
    assert "e-" not in "".join(shown[:11])  # no powers of ten
    assert "the lower the score, the stranger the row" in out
    assert "The probability is that of being unusual; it is 0.5 at the threshold." in out
    found = table("scores.csv")
    assert list(found[0]) == ["id", "line", "unusual", "rank", "score", "probability"]
    assert {row["rank"] for row in found if row["id"] in ("n3", "n48")} == {"1", "2"}
    assert sorted(found, key=lambda row: float(row["score"])) == sorted(
        found, key=lambda row: int(row["rank"])
    )
    assert [row["id"] for row in found] == [f"n{k}" for k in range(80)]
    assert {row["id"] for row in found if row["unusual"] == "yes"} >= {"n3", "n48"}
    assert "Wrote the scores of 80 rows to scores.csv." in err


def test_json_follows_its_schema(run, rows):
    code, out, err = run("detect", rows, "--ignore", "id", "--json", "--quiet")
    assert code == 0, err
    schema = json.loads(resources.files("kernelwise.cli").joinpath("schema/detect.json").read_text())
    value = json.loads(out)
    jsonschema.Draft202012Validator(schema).validate(value)
    assert [row["line"] for row in value["strangest"][:2]] in ([5, 50], [50, 5])
    assert [row["stranger_than"] for row in value["strangest"][:2]] == [79 / 80, 78 / 80]
    assert value["n_unusual"] == round(value["contamination"] * 80) or value["n_unusual"] > 0


def test_a_saved_model_finds_unusual_rows_of_another_file(run, rows, tmp_path):
    assert run("detect", rows, "--ignore", "id", "--model", "detector.kw").code == 0
    (tmp_path / "new.csv").write_text("colour,b,a,id\nred,0.1,0.2,x\nblue,40,0.3,y\n")
    code, out, _ = run("predict", "detector.kw", "new.csv", "--keep", "id", "--proba")
    assert code == 0
    found = list(csv.DictReader(out.splitlines()))
    assert [row["prediction"] for row in found] == ["usual", "unusual"]
    assert float(found[0]["p(unusual)"]) < 0.5 < float(found[1]["p(unusual)"])
    model = kernelwise.load("detector.kw")
    assert type(model).__name__ == "TunedOneClassSVM"
    known = run("predict", "detector.kw", rows).err
    assert "that the model was trained on. Such rows look more usual than they are." in known


def test_the_unit_of_a_width_is_said(run, rows):
    code, out, err = run("detect", rows, "--ignore", "id", "--kernel", "rbf")
    assert code == 0, err
    assert re.search(
        r"alike when closer than about [\d.]+ interquartile ranges \(the spread of the middle", out
    )


def test_labels_of_some_rows_are_used(run, labelled):
    code, out, err = run("detect", labelled, "--ignore", "id", "--labels", "kind", "--json")
    assert code == 0, err
    assert "2 rows labelled 'odd' count as unusual, because it is rarer than 'fine'; 25 are usual" in err
    assert json.loads(out)["criterion"] in ("roc_auc", "average_precision")


def test_unusual_rows_may_be_the_only_labelled_ones(run, labelled, tmp_path):
    (tmp_path / "odd.csv").write_text((tmp_path / labelled).read_text().replace(",fine", ","))
    code, out, err = run("detect", "odd.csv", "--ignore", "id", "--labels", "kind", "--outlier", "odd")
    assert code == 0, err
    assert "2 rows labelled 'odd' count as unusual, as set by --outlier; 0 are usual and 78 have no" in err
    assert "estimated from the labels" in out
    assert "it is 0.5 at the threshold" not in out


def test_one_column_is_enough(run, tmp_path):
    (tmp_path / "one.csv").write_text(
        "a\n" + "".join(f"{k % 7 + 0.01 * k:.2f}\n" for k in range(60)) + "90\n"
    )
    code, out, err = run("detect", "one.csv", "--json", "--keep", "a", "--out", "s.csv")
    assert code == 0, err
    assert json.loads(out)["strangest"][0]["line"] == 62
    assert table("s.csv")[-1]["unusual"] == "yes"


def test_a_report_is_written(run, rows, tmp_path):
    pytest.importorskip("jinja2")
    assert run("detect", rows, "--ignore", "id", "--report", "r.html").code == 0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "strangest of 80 rows" in page
    assert "stranger than 98.8 % of the rows, probability" in page
    assert "Line 5" in page
    assert len(page) < 2_000_000


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--contamination", "0.7"), "--contamination must be a share above 0 and at most 0.5, got 0.7."),
        (("--scoring", "roc_auc"), "--scoring needs labels. Name their column with --labels"),
        (("--kernel", "rbff"), "Did you mean"),
        (("--scale", "x"), "--scale"),
        (("--labels", "colour", "--outlier", "green"), "--outlier"),
        (("--out", "-"), "--out must be a file"),
        (("--keep", "nothing"), "has no column 'nothing' (--keep)"),
    ],
)
def test_bad_options_are_one_sentence(refused, rows, arguments, expected):
    assert expected in refused("detect", rows, "--ignore", "id", *arguments)


def test_columns_of_the_standard_input_are_not_kept(refused):
    assert "a pipe can be read only once" in refused("detect", "-", "--keep", "id", "--out", "s.csv")


def test_labels_go_with_columns_of_words_and_dates(run, tmp_path):
    rng = np.random.default_rng(0)
    day, city = rng.integers(1, 28, 120), rng.choice(["Nice", "Lyon", "Metz"], 120)
    labels = np.where(np.arange(120) < 6, "odd", np.where(np.arange(120) < 90, "fine", ""))
    lines = [
        f"2024-03-{d:02d},{c},{x:.2f},{k}"
        for d, c, x, k in zip(day, city, rng.normal(size=120), labels, strict=True)
    ]
    (tmp_path / "mixed.csv").write_text("\n".join(["joined,city,size,kind", *lines]) + "\n")
    code, _, err = run("detect", "mixed.csv", "--labels", "kind", "--fdr", 0.1)
    assert code == 0, err
    assert "30 have no label" in err


def test_a_column_of_labels_is_no_feature(run, refused, labelled, tmp_path):
    text = (tmp_path / labelled).read_text().replace("colour,kind", "colour,outlier")
    (tmp_path / "named.csv").write_text(text)
    told = refused("detect", "named.csv", "--ignore", "id", "--strict")
    assert "its name suggests that it holds labels" in told
    command = "kernelwise detect named.csv --ignore id --strict --labels outlier"
    assert told.splitlines()[-1] == f"To continue: {command}"
    assert "'outlier' (seems to hold labels, by its name" in run("detect", "named.csv", "--ignore", "id").out


def test_which_label_is_unusual_is_asked_for(refused, rows, tmp_path):
    (tmp_path / "three.csv").write_text("a,kind\n1,x\n2,y\n3,z\n4,x\n")
    told = refused("detect", "three.csv", "--labels", "kind")
    assert "cannot tell which label marks unusual rows. Set it with --outlier: 'x', 'y', 'z'." in told
    (tmp_path / "two.csv").write_text("a,kind\n1,odd\n2,odd\n3,fine\n4,\n5,\n")
    told = refused("detect", "two.csv", "--labels", "kind")
    assert "cannot tell which label marks unusual rows. Set it with --outlier: 'fine', 'odd'." in told


@pytest.fixture
def some_strange(tmp_path):
    random = np.random.default_rng(1)
    X = np.vstack([random.normal(size=(60, 2)), random.uniform(-8, 8, size=(12, 2))])
    labels = [0] * 60 + [1] * 12
    lines = [f"{a:.3f},{b:.3f},{k}" for (a, b), k in zip(X, labels, strict=True)]
    (tmp_path / "d.csv").write_text("\n".join(["a,b,strange", *lines]) + "\n")


def test_detectors_are_compared(run, some_strange):
    methods = "kernelwise,OneClassSVM defaults,isolation forest,local outlier factor"
    code, out, err = run(
        "compare", "d.csv", "--task", "detection", "--target", "strange", "--methods", methods, "--folds", 2
    )
    assert code == 0, err
    assert out.splitlines()[0].split()[:3] == ["method", "ROC", "AUC"]
    scores = {line.rsplit("  ", 1)[0].strip()[:10]: line for line in out.splitlines()[1:6]}
    assert any("all rows a" in name for name in scores)
    assert "0.5000" in next(line for name, line in scores.items() if "all rows" in name)


def test_a_detector_is_compared_with_the_baseline_alone(run, some_strange):
    options = ("--task", "detection", "--target", "strange", "--methods", "kernelwise")
    code, out, err = run("compare", "d.csv", *options)
    assert code == 0, err
    assert "kernelwise: ROC AUC 0." in out


def test_a_label_is_known_by_its_name_or_by_how_rare_it_is():
    cells = np.array(["good", "fraud", "fair", ""])
    labels, why = unusual_labels(cells, None, "f.csv")
    assert labels.tolist() == [1, -1, 1, 0]
    assert why == (
        "1 row labelled 'fraud' counts as unusual, because of its name; 2 are usual and 1 have no label."
    )
    labels, why = unusual_labels(np.array(["a"] * 6 + ["b"] * 2), None, "f.csv")
    assert labels.tolist() == [1] * 6 + [-1] * 2
    assert "because it is rarer than 'a'" in why
    with pytest.raises(UserError, match=r"f\.csv: the column of --labels is empty"):
        unusual_labels(np.array(["", ""]), None, "f.csv")
    with pytest.raises(UserError, match="all rows are labelled as unusual"):
        unusual_labels(np.array(["x", "x"]), "x", "f.csv")
