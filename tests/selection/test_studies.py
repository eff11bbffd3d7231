"""The commands that print the papers' tables."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from sklearn.datasets import load_iris

from kernelwise.selection import rbf_select
from kernelwise.studies import _table, abe, laanaya, yin


@pytest.fixture
def say():
    return []


def test_a_missing_file_is_said_and_left_out(monkeypatch, capsys, say):
    def missing(name, part=None):
        raise FileNotFoundError(f"Data set {name!r} needs a file.")

    monkeypatch.setattr(_table, "load", missing)
    for study in (abe, yin):
        study.main([], say.append)
    assert say == []
    printed = capsys.readouterr().err
    for name in {*abe.PAPER, *yin.PAPER} - {"tic_tac_toe_xob"}:
        assert f"{name} is left out. Data set {name!r} needs a file." in printed


def test_yin_prints_a_row_for_each_method(monkeypatch, tmp_path, say):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(yin, "load_or_say", lambda name: (X[50:], y[50:]))
    file = tmp_path / "rows.csv"
    yin.main(["--quick", "--data", "ilpd", "--csv", str(file)], say.append)
    with open(file, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["method"] for row in rows] == ["esdr", "dbtc", "j4", "grid search"]
    assert [row["paper's"] for row in rows] == ["0.7219", "0.6649", "0.6079", "0.7237"]
    assert all(float(rows[-1]["accuracy"]) >= float(row["accuracy"]) for row in rows)
    assert len(say[0].strip().splitlines()) == 5


def test_tic_tac_toe_comes_in_two_codes(monkeypatch):
    board = np.array([[1.0, -1.0, 0.0]]), np.array([1])
    monkeypatch.setattr(yin, "load_or_say", {"tic_tac_toe": board}.get)
    assert yin.load_set("tic_tac_toe")[0].tolist() == [[1.0, -1.0, 0.0]]
    assert yin.load_set("tic_tac_toe_xob")[0].tolist() == [[1.0, 2.0, 3.0]]
    assert yin.load_set("ilpd") is None


def test_abe_prints_parameters_beside_the_papers(say):
    abe.main(["--data", "iris"], say.append)
    rows = [line.split() for line in say[0].strip().splitlines()]
    assert [" ".join(row[1:3]) for row in rows[1:]] == list(abe.METHODS)
    assert float(rows[2][3]) == pytest.approx(14.1, rel=0.05)
    assert float(rows[4][3]) == pytest.approx(0.975, rel=0.05)


def test_halves_have_alternate_rows_of_each_class():
    X, y = np.arange(8.0)[:, None], np.array([0, 1, 1, 0, 0, 1, 1, 0])
    X_train, y_train, X_test, y_test = abe.halves(X, y)
    assert X_train.ravel().tolist() == [0.0, 1.0, 4.0, 5.0]
    assert (y_train.tolist(), y_test.tolist()) == ([0, 1, 0, 1], [1, 0, 1, 0])
    assert X_test.ravel().tolist() == [2.0, 3.0, 6.0, 7.0]


def test_an_empty_table_is_no_error(tmp_path):
    assert _table.format_rows([]) == "(no rows)"
    _table.write_csv(str(tmp_path / "none.csv"), [])
    assert not (tmp_path / "none.csv").exists()


def test_laanaya_compares_methods_on_the_same_parts(say):
    parts = list(laanaya.weston_parts(2))
    assert [len(part[1]) for part in parts] == [100, 100]
    rows = laanaya.compare("weston", iter(parts), {"SVM (RBF + grid)": rbf_select}, say.append)
    assert (rows[0]["trials"], rows[0]["paper's %"]) == (2, 51.28)
    scores = [100 * rbf_select(*part[:2]).estimator.score(*part[2:]) for part in parts]
    assert rows[0]["rate %"] == pytest.approx(np.mean(scores))
    assert rows[0]["worst %"] == min(scores)
    assert len(say) == 2


def test_laanaya_prints_a_table_for_each_experiment(monkeypatch, tmp_path, say):
    asked = []

    def experiment(trials, say):
        asked.append(trials)
        return [{"data": "toy", "method": "none", "rate %": 50.0}]

    monkeypatch.setitem(laanaya.EXPERIMENTS, "weston", (experiment, 30, 2))
    for arguments in ([], ["--quick"], ["--trials", "7"]):
        laanaya.main(["--only", "weston", "--csv", str(tmp_path / "rows.csv"), *arguments], say.append)
    assert asked == [30, 2, 7]
    assert (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()[1] == "toy,none,50.0"


def test_laanaya_has_the_papers_four_methods():
    assert set(laanaya.NAMES) < set(laanaya.methods("gaussian"))
