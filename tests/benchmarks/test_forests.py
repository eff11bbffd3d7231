"""benchmarks.forests: which rows, which tables, and the page that they are put into."""

import csv
from pathlib import Path

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from benchmarks import forests

PAGE = Path(__file__).parents[2] / "docs" / "forests.md"


def test_classes_with_fewer_rows_than_folds_are_left_out():
    y = np.repeat([0, 1, 2], [40, 30, 3])
    X, kept = forests.cut(np.arange(73.0)[:, None], y, 100, "classification")
    assert np.unique(kept).tolist() == [0, 1]
    assert y[X[:, 0].astype(int)].tolist() == kept.tolist()
    assert len(forests.cut(X, kept, 50, "regression")[1]) == 50


def test_a_run_writes_the_tables_goes_on_and_fills_the_page(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] + 0.5 * rng.normal(size=60) > 0).astype(int)
    monkeypatch.setattr(forests, "read", lambda name, folder: (X, y))
    rivals = {"usual": LogisticRegression(), "guess": DummyClassifier()}
    monkeypatch.setattr(forests, "methods", lambda task, efforts: rivals)
    page = tmp_path / "docs" / "forests.md"
    page.parent.mkdir()
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    command = ["--sets", "iris", "banknote", "--out", str(tmp_path / "out"), "--page", str(page)]
    forests.main(command)
    *_, last = first = capsys.readouterr().out.splitlines()
    assert len(first) == 4  # heads, a line for each set, the means
    assert last.startswith("mean of 2")
    with open(tmp_path / "docs" / "studies" / "forests_log_loss.csv", newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["set"] for row in rows] == ["banknote", "iris", "mean of 2"]
    assert float(rows[0]["usual"]) < float(rows[0]["guess"]) == pytest.approx(np.log(2), rel=0.02)
    text = page.read_text(encoding="utf-8")
    assert text.count("| iris | 60 | ") == 2  # accuracy and log-loss; the table of regressions stays

    def never(*_, **__):
        raise AssertionError("the journal has this cell")

    monkeypatch.setattr(LogisticRegression, "fit", never)
    forests.main([*command, "--methods", "guess"])
    assert page.read_text(encoding="utf-8") == text
    assert "usual" not in capsys.readouterr().out
    forests.main(command)
    assert capsys.readouterr().out.splitlines() == first
    assert page.read_text(encoding="utf-8") == text


def test_a_page_keeps_the_cells_that_a_run_leaves_out(tmp_path):
    path = tmp_path / "forests_r2.csv"
    new, old = {"set": "concrete", "rows": 5, "x": 0.5}, {"set": "wine_quality_red", "rows": 9, "x": 0.25}
    assert forests.with_others([new], path) == [new]
    forests.write_csv(path, forests.with_means([old, {**new, "x": 0.1}]))
    merged = forests.with_others([new], path)
    assert merged == [new, old]
    assert forests.with_means(merged)[-1] == {"set": "mean of 2", "rows": "", "x": 0.375}
    # Another method on one of the sets: the other set has a gap, and is not in the means.
    more = forests.with_others([{"set": "concrete", "rows": 5, "y": 0.75}], path)
    assert more == [{"set": "concrete", "rows": 5, "x": 0.1, "y": 0.75}, {**old, "y": None}]
    assert forests.with_means(more)[-1] == {"set": "mean of 1", "rows": "", "x": 0.1, "y": 0.75}
    # Of other rows of the set nothing is kept, and where no set has all methods there are no means.
    other = forests.with_others([{"set": "concrete", "rows": 6, "y": 0.75}], path)
    assert other[0] == {"set": "concrete", "rows": 6, "x": None, "y": 0.75}
    assert forests.with_means(other) == other


def test_a_page_without_its_place_is_refused():
    with pytest.raises(ValueError, match="forests: r2"):
        forests.filled("# A page", {"r2": [{"set": "a", "rows": 5, "x": 0.5}]}, "studies")


def test_every_set_that_is_compared_has_a_place_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    assert all(text.count(f"<!-- forests: {measure} -->") == 1 for measure in forests.MEASURES)
