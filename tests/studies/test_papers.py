"""The studies of papers 000, 003 and 004."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as SklearnSVC

from kernelwise.datasets import make_weston
from kernelwise.selection import rbf_select
from kernelwise.selection.from_isotropic import FromIsotropic
from kernelwise.studies import _laanaya_protocol, _table, abe, laanaya, yin
from kernelwise.studies._study import Study


@pytest.mark.parametrize("name", ["abe", "glasmachers", "yin", "beyond"])
def test_missing_files_are_said_and_left_out(run, monkeypatch, capsys, name):
    def missing(name, part=None):
        raise FileNotFoundError(f"Data set {name!r} needs a file.")

    monkeypatch.setattr(_table, "load", missing)
    parts = {"glasmachers": ["optima"], "yin": ["table2", "curves"]}.get(name, [])
    study = run(name, *parts)
    assert (study.tables, study.figures, study.sentences) == ({}, {}, [])
    first, *others = capsys.readouterr().err.splitlines()
    assert "is left out. Data set" in first
    assert all(line.endswith(" is left out, too: its file was not found either.") for line in others)
    assert len({line.partition(" ")[0] for line in (first, *others)}) == len(others) + 1


# -- paper 004 --------------------------------------------------------------------------------------------


def test_yin_has_a_row_for_each_method(run, rows, monkeypatch):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(yin, "load_or_say", {"ilpd": (X[50:], y[50:])}.get)
    study = run("yin", "table2")
    found = rows(study, "table2")
    assert [row["method"] for row in found] == ["esdr", "dbtc", "j4", "grid search"]
    assert [row["paper's"] for row in found] == [0.7219, 0.6649, 0.6079, 0.7237]
    assert all(found[-1]["accuracy"] >= row["accuracy"] for row in found)
    p = found[0]["accuracy"]
    assert found[0]["± s.e."] == pytest.approx(np.sqrt(p * (1 - p) / 100))
    assert len(study.sentences) == 2


def test_yin_compares_esdr_with_standard_errors():
    def row(method, accuracy, paper, at_end=False):
        return {
            "data": "toy",
            "method": method,
            "accuracy": accuracy,
            "± s.e.": 0.03,
            "paper's": paper,
            "sigma at an end": at_end,
        }

    def sentences(esdr, at_end=False):
        return list(
            yin.esdr_sentences([row("esdr", esdr, 0.8, at_end), row("dbtc", 0.8, 0.7), row("j4", 0.8, 0.9)])
        )

    # The paper has J4 ahead, so that nothing is claimed of it.
    (holds,), (within,), (fails,) = sentences(0.81), sentences(0.76), sentences(0.75, at_end=True)
    assert "ESDR-CV ≥ DBTC-CV holds (difference +1.00 points, standard error 4.24" in holds
    assert "holds within one standard error" in within
    assert "does not hold: ESDR goes to an end" in fails


def test_tic_tac_toe_comes_in_two_codes(monkeypatch):
    board = np.array([[1.0, -1.0, 0.0]]), np.array([1])
    monkeypatch.setattr(yin, "load_or_say", {"tic_tac_toe": board}.get)
    assert yin.load_set("tic_tac_toe")[0].tolist() == [[1.0, -1.0, 0.0]]
    assert yin.load_set("tic_tac_toe_xob")[0].tolist() == [[1.0, 2.0, 3.0]]
    assert yin.load_set("ilpd") is None


def test_yin_draws_figures_3_to_9(run, rows, monkeypatch):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(yin, "load_or_say", {"banknote": (X[50:], y[50:])}.get)
    study = run("yin", "curves", "gaussians")
    assert list(study.figures) == ["figures4to7", "figure8", "figure3", "figure9"]
    assert len(study.figures["figure3"].panels) == 25
    assert [panel.title for panel in study.figures["figures4to7"].panels] == [
        f"banknote: figure {k}" for k in (4, 5, 6, 7)
    ]
    wide = [row for row in rows(study, "figure3") if row["row"] == row["column"] == 3][-1]
    # In input space: E‖x − y‖² = 2·2 + 2 between the classes, 2·2 within.
    assert wide["esdr"] == pytest.approx(6 / 4, rel=1e-4)


# -- paper 000 --------------------------------------------------------------------------------------------


def test_abe_has_parameters_beside_the_papers(run, rows, monkeypatch):
    monkeypatch.setattr(abe, "QUICK_SETS", ("iris",))
    study = run("abe")
    found = {row["method"]: row for row in rows(study, "tables")}
    assert list(found) == list(abe.METHODS)
    assert found["RBF (s)"]["parameter"] == pytest.approx(14.1, rel=0.05)
    assert found["Diag (s)"]["parameter"] == pytest.approx(0.975, rel=0.05)
    ours, paper = rows(study, "times")
    assert ours["ovr gamma"] == pytest.approx(found["RBF (s)"]["parameter"])
    assert (paper["ovr seconds"], paper["ovo seconds"]) == (3209.0, 188.0)
    marks = study.figures["curves"].panels[0].marks
    assert marks[0].value == pytest.approx(found["RBF (s)"]["parameter"])
    assert marks[1].value == 14.1


def test_stand_ins_have_fewer_rows_and_the_papers_sets_all(monkeypatch):
    X, y = load_digits(return_X_y=True)
    dataset = SimpleNamespace(X=X, y=y)
    sets = {"optdigits": dataset, "thyroid": dataset}
    monkeypatch.setattr(abe, "load_or_say", lambda name, part=None: sets.get(name))
    found = abe.load_all(Study("abe", ""), 500)
    assert {name: len(parts[1]) for name, parts in found.items()} == {"thyroid": 1797, "optdigits": 500}
    assert all(len(parts[3]) == 1797 for parts in found.values())


def test_halves_have_alternate_rows_of_each_class():
    X, y = np.arange(8.0)[:, None], np.array([0, 1, 1, 0, 0, 1, 1, 0])
    X_train, y_train, X_test, y_test = abe.halves(X, y)
    assert X_train.ravel().tolist() == [0.0, 1.0, 4.0, 5.0]
    assert (y_train.tolist(), y_test.tolist()) == ([0, 1, 0, 1], [1, 0, 1, 0])
    assert X_test.ravel().tolist() == [2.0, 3.0, 6.0, 7.0]


# -- paper 003 --------------------------------------------------------------------------------------------


def test_laanaya_compares_methods_on_the_same_parts():
    study = Study("laanaya", "", is_quick=True, say=lambda text: None)
    methods = {"SVM (RBF + grid)": rbf_select}
    (row,) = laanaya.compare(study, "weston", "weston", laanaya.weston_parts, methods)
    parts = [laanaya.weston_parts(trial) for trial in range(row["trials"])]
    scores = [100 * rbf_select(*part[:2]).estimator.score(*part[2:]) for part in parts]
    assert [len(part[1]) for part in parts] == [100] * len(parts)
    assert row["paper's %"] == 51.28
    assert row["rate %"] == pytest.approx(np.mean(scores))
    assert row["worst %"] == min(scores)


def test_laanaya_has_the_papers_four_methods():
    assert set(laanaya.NAMES) < set(laanaya.methods("gaussian"))


def test_laanaya_notes_what_differs_by_two_standard_errors():
    study = Study("laanaya", "", say=lambda text: None)
    rows = [
        {"data": "toy", "method": name, "rate %": rate, "± s.e.": 1.0, "paper's %": paper}
        for name, rate, paper in (("near", 91.0, 90.0), ("far", 93.0, 90.0), ("ours", 93.0, None))
    ]
    laanaya.note_differences(study, rows)
    assert study.sentences == ["toy, far: 93.00 % (standard error 1.00) where the paper has 90.00 %."]


def test_laanaya_draws_figure_1_with_the_papers_errors():
    rows = [{"method": "paper 003", "sigma × d": start, "error %": 5.0 * start} for start in (0.5, 1.0)]
    (panel,) = laanaya.sigma_figure(rows).panels
    assert panel.lines[0].y == [2.5, 5.0]
    assert {round(mark.value, 2) for mark in panel.marks} == {48.72, 9.37, 34.15, 6.64}


def test_laanaya_protocol_chooses_on_test_points_or_on_training_points(monkeypatch):
    study = Study("laanaya", "", is_quick=True, say=lambda text: None)
    monkeypatch.setattr(_laanaya_protocol, "GAMMAS", (0.25, 1.0))
    monkeypatch.setattr(_laanaya_protocol, "CS", (0.1, 1.0))
    seen = []

    def learners(data, C, start, rhos):
        seen.append((round(start, 6), C))
        return {"algorithm 1": FromIsotropic("diagonal", C, 0.1, start, "alternating", 2, 1)}

    monkeypatch.setattr(_laanaya_protocol, "learners", learners)

    def draw(trial):
        return *make_weston(60, n_noise=2, random_state=trial), *make_weston(
            80, n_noise=2, random_state=50 + trial
        )

    rows = _laanaya_protocol.protocol_rows(study, "weston", draw)
    assert [(row["method"], row["chosen by"]) for row in rows] == [
        (method, protocol)
        for protocol in ("the paper's", "training points")
        for method in ("SVM", "algorithm 1")
    ]
    # The best cell over both partitions, by hand, with the test points.
    rates = {}
    for gamma in (0.25, 1.0):
        for C in (0.1, 1.0):
            models = [
                make_pipeline(StandardScaler(), SklearnSVC(C=C, gamma=gamma / 4)).fit(*draw(trial)[:2])
                for trial in range(2)
            ]
            rates[gamma, C] = [100 * models[t].score(*draw(t)[2:]) for t in range(2)]
    best = max(rates, key=lambda cell: np.mean(rates[cell]))
    assert rows[0]["rate %"] == pytest.approx(np.mean(rates[best]))
    assert rows[0]["less SVM"] == 0.0
    assert rows[1]["less SVM"] == pytest.approx(rows[1]["rate %"] - rows[0]["rate %"])
    assert seen[0] == (2 * best[0], best[1])


def test_laanaya_figure_1_has_the_plain_machine_and_the_constant_trace(run, rows, monkeypatch):
    monkeypatch.setattr(laanaya, "WIDER", (0.05, 1.0, 20.0, 2.0, 5.0))
    monkeypatch.setattr(laanaya, "SIGMAS", ())
    study = run("laanaya", "sigma")
    found = rows(study, "figure1")
    assert {row["method"] for row in found} == {"SVM (RBF)", "Glasmachers, Igel"}
    assert "the luck of one start" in study.sentences[0]
