"""What all studies share: cells, tables, figures, files."""

from __future__ import annotations

import csv
import json
import re
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import kernelwise
from kernelwise.studies import figures, tables
from kernelwise.studies import study as studies
from kernelwise.studies.claims import Claim, add_claims, found
from kernelwise.studies.figures import Curves, Line, Mark, Panel
from kernelwise.studies.study import Study, few_rows
from kernelwise.studies.writing import write


@pytest.fixture
def said():
    return []


@pytest.fixture
def study(said):
    return Study("toy", "A toy", say=said.append)


def picture():
    lines = (Line("ours", [1.0, 2.0, 4.0], [0.5, None, 0.7]), Line("theirs", [1.0, 4.0], [-0.1, 0.2], "o"))
    panels = tuple(
        Panel(f"scale {scale}", "γ", "accuracy", lines, (Mark("the paper's", 0.6),), "log", scale)
        for scale in ("linear", "symlog")
    )
    return Curves("Accuracy over γ", panels)


def test_a_cell_is_computed_once(said):
    calls = []

    def compute(value):
        calls.append(value)
        return {"value": np.float64(value), "none": np.nan, "list": np.arange(2)}

    journal = {}
    for _ in range(2):
        study = Study("toy", "A toy", journal=journal, say=said.append)
        found = study.cell("first", compute, 3.0)
        assert found == {"value": 3.0, "none": None, "list": [0, 1]}
    assert json.loads(json.dumps(journal)) == journal
    assert calls == [3.0]
    assert said == ["  toy/first"]


def test_trials_are_cells_by_number(study, said):
    assert study.cells("squares", 3, lambda power, trial: trial**power, 2) == [0, 1, 4]
    assert said == ["  toy/squares/0", "  toy/squares/1", "  toy/squares/2"]


def test_rows_are_grouped_in_order_of_appearance():
    rows = [{"data": data, "method": method} for data, method in ("ba", "aa", "bb")]
    assert tables.grouped(rows, "data") == {"b": [rows[0], rows[2]], "a": [rows[1]]}
    assert list(tables.grouped(rows, "data")) == ["b", "a"]
    assert tables.keyed(rows, "data", "method")["b", "b"] is rows[2]
    with pytest.raises(tables.NoRow, match="'c'"):
        tables.grouped(rows, "data")["c"]


def test_a_cell_of_other_data_is_refused(said):
    X = np.arange(6.0).reshape(3, 2)
    study = Study("toy", "A toy", say=said.append)
    assert study.cell("sum", lambda parts, draw: parts[0].sum() + draw(), (X, X), partial(len, X)) == 18.0
    assert study.cell("sum", None, (X, X), partial(len, X)) == 18.0
    for parts, draw in (((X, X + 1), partial(len, X)), ((X, X), partial(len, X[:2]))):
        with pytest.raises(ValueError, match="toy/sum of other data"):
            study.cell("sum", None, parts, draw)


def test_a_study_is_written_as_a_page_tables_and_figures(study, tmp_path):
    rows = [{"data": "iris", "accuracy": 0.123456789, "paper's": None}]
    study.table("main", "The main table", rows)
    study.table("points", "Points of the figure", rows, is_shown=False)
    study.table("empty", "Nothing", [])
    study.figure("curve", picture())
    study.note("Ours is better.")
    paths = write(study, tmp_path / "out")
    names = ["toy.md", "toy_main.csv", "toy_points.csv", "toy_curve.svg"]
    assert [path.name for path in paths] == names
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted([*names, "toy.json"])
    page = paths[0].read_text(encoding="utf-8")
    assert "| iris | 0.1235 |  |" in page
    assert page.count("0.1235") == 1
    assert "Ours is better." in page
    assert "![Accuracy over γ](toy_curve.svg)" in page
    for link in re.findall(r"\]\((.*?)\)", page):
        assert (tmp_path / "out" / link).exists()
    with open(paths[1], newline="", encoding="utf-8") as lines:
        assert list(csv.DictReader(lines)) == [{"data": "iris", "accuracy": "0.123456789", "paper's": ""}]


def test_a_figure_names_its_axes_and_marks_the_papers_value(tmp_path):
    figures.save(picture(), tmp_path / "a.svg")
    figures.save(picture(), tmp_path / "b.svg")
    text = " ".join(ElementTree.parse(tmp_path / "a.svg").getroot().itertext())
    for name in ("γ", "accuracy", "ours", "theirs", "the paper's", "scale symlog"):
        assert name in text
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_without_matplotlib_there_are_tables(study, said, monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    study.table("main", "The main table", [{"data": "iris"}])
    study.figure("old", figures.Kept("Drawn before"))
    study.figure("curve", picture())
    assert [path.name for path in write(study, tmp_path)] == ["toy.md", "toy_main.csv", "toy_old.svg"]
    assert said[-1].startswith("Without matplotlib these figures are missing, and nothing else: curve. Get")
    page = (tmp_path / "toy.md").read_text(encoding="utf-8")
    assert ("toy_old.svg" in page, "toy_curve.svg" in page) == (True, False)
    (part,) = json.loads((tmp_path / "toy.json").read_text(encoding="utf-8"))["parts"].values()
    assert part["figures"] == {"old": "Drawn before"}  # a later run keeps no file that is not there
    with pytest.raises(ImportError, match="Figures need matplotlib"):
        figures.save(picture(), tmp_path / "a.svg")


def test_an_unknown_part_is_refused():
    with pytest.raises(
        ValueError, match=r"The study yin has no part 'table9'\. Its parts are table1, table2, curves"
    ):
        studies.run("yin", only=["table9"])


def test_an_empty_table_is_no_error(tmp_path):
    assert tables.format_rows([]) == "(no rows)"
    tables.write_csv(tmp_path / "none.csv", [])
    assert not (tmp_path / "none.csv").exists()


def test_few_rows_are_always_the_same():
    X, y = np.arange(20.0)[:, None], np.arange(20)
    a, b = few_rows(X, y, 5), few_rows(X, y, 5)
    assert a[0].ravel().tolist() == b[1].tolist()
    assert len(set(a[1])) == 5
    assert few_rows(X, y, 20)[0] is X


def test_a_page_of_some_parts_says_so(tmp_path):
    study = studies.run("glasmachers", is_quick=True, only=["patterns"], say=lambda line: None)
    page = write(study, tmp_path)[0].read_text(encoding="utf-8")
    assert "command: `kernelwise reproduce glasmachers --quick --only patterns`" in page


def test_a_legend_of_long_names_stays_inside_the_figure(tmp_path):
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    names = [f"a rather long name of a curve, number {k}" for k in range(5)]
    picture = Curves("", (Panel("", "x", "y", tuple(Line(name, [0.0, 1.0], [0.0, 1.0]) for name in names)),))
    figure = Figure(picture.size, layout="constrained")
    picture.draw(figure)
    figure.draw_without_rendering()
    box = figure.legends[0].get_window_extent()
    assert 0.0 <= box.x0 < box.x1 <= figure.bbox.width
    assert box.height < figure.bbox.height / 2


def test_a_page_says_how_it_was_made(said, tmp_path):
    journal = {"toy/old": {"data": "", "value": 1, "software": "0.0.9, commit abc"}}
    study = Study("toy", "A toy", journal=journal, say=said.append, data={"iris": "0123456789abcdef"})
    study.cell("old", None)
    study.cell("new", lambda: 2)
    study.table("main", "The main table", [{"data": "iris"}])
    page = write(study, tmp_path)[0].read_text(encoding="utf-8")
    made = page[page.index("## How this page was made") :]
    assert "- command: `kernelwise reproduce toy`\n" in made
    assert f"- {studies.made_now()}\n" in made
    assert re.search(r"kernelwise \d+\.\d+\.\d+\S*, (commit [0-9a-f]{12}\+?, )?\d{4}-\d\d-\d\d\n", made)
    assert "- cells from a journal: 1 by 0.0.9, commit abc; 1 by " in made
    assert "scikit-learn " in made
    assert "iris 0123456789ab" in made
    assert "cdef" not in made


def test_without_git_there_is_no_commit(monkeypatch):
    def no_git(*_, **__):
        raise FileNotFoundError("git")

    monkeypatch.setattr(studies.subprocess, "run", no_git)
    studies.commit.cache_clear()
    assert studies.commit() == ""
    assert studies.software() == kernelwise.__version__
    studies.commit.cache_clear()


def test_parts_that_are_not_run_are_kept(monkeypatch, tmp_path, said):
    def first(study):
        study.table("one", "Table one", [{"data": "iris", "rate": study.choose(1.5, 0.0), "is so": False}])
        study.figure("curve", picture())
        study.note("First.")

    def second(study):
        study.table("two", "Table two", [{"data": "wine", "rate": n_runs, "is so": True}])
        study.note(f"Second {n_runs}.")

    claim = Claim(
        "It works", "here", lambda one, two: found(not one[0]["is so"], rate=two[0]["rate"]), "{rate}"
    )
    parts = {"first": first, "second": second, "claims": partial(add_claims, [claim])}
    toy = SimpleNamespace(TITLE="A toy", PARTS=parts, QUICK_MEANS="nothing", DATA=())
    monkeypatch.setattr(studies, "import_module", lambda name: toy)
    n_runs = 1
    write(studies.run("toy", say=said.append), tmp_path)
    svg = (tmp_path / "toy_curve.svg").read_bytes()
    n_runs = 2
    study = studies.run("toy", only=["second"], say=said.append, kept=tmp_path)
    assert study.tables["one"].rows == [{"data": "iris", "rate": 1.5, "is so": False}]
    page = write(study, tmp_path)[0].read_text(encoding="utf-8")
    assert "| iris | 1.5 | False |" in page
    assert "| wine | 2 | True |" in page
    assert "| It works | here | 2 | holds |  |" in page
    assert page.index("First.") < page.index("Second 2.")
    assert "Second 1." not in page
    assert "![Accuracy over γ](toy_curve.svg)" in page
    assert (tmp_path / "toy_curve.svg").read_bytes() == svg
    assert studies.run("toy", only=["second"], say=said.append, kept=tmp_path / "none").tables.keys() == {
        "two"
    }


def test_the_page_on_data_has_every_file_of_every_study():
    manifest = files("kernelwise.datasets").joinpath("manifest.toml").read_text(encoding="utf-8")
    sources, of_files = tomllib.loads(manifest), {}
    for study in studies.NAMES:
        for data in import_module(f"kernelwise.studies.{study}").DATA:
            for name in (data,) if data in sources else (f"{data}_train", f"{data}_test"):
                of_files.setdefault(name, []).append(study)
    expected = []
    for name in sorted(of_files):
        source = sources[name]
        openml = f"OpenML {source['openml']}" if "openml" in source else ""
        copy = "scikit-learn" if name in ("iris", "optdigits_test") else openml
        file = f"`{source['raw']}`" if "raw" in source else "" if copy else "none"
        cells = (name, ", ".join(of_files[name]), copy, file, f"<{source['url']}>")
        expected.append(f"| {' | '.join(cells)} |")
    page = (Path(__file__).parents[2] / "docs" / "studies-data.md").read_text(encoding="utf-8")
    _, _, table = page.partition("|---|---|---|---|---|\n")
    assert table.partition("\n\n")[0].splitlines() == expected
    assert len(expected) == 30
