"""The study of paper 003."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as SklearnSVC
from tests.studies.test_numbers import STUDIES, read

from kernelwise.datasets import make_weston
from kernelwise.selection import rbf_select
from kernelwise.studies import laanaya
from kernelwise.studies.claims import judge
from kernelwise.studies.laanaya import plain_start
from kernelwise.studies.laanaya.plain_start import FromIsotropic, protocol_sentences
from kernelwise.studies.study import Study


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
    monkeypatch.setattr(plain_start, "GAMMAS", (0.25, 1.0))
    monkeypatch.setattr(plain_start, "CS", (0.1, 1.0))
    seen = []

    def learners(data, C, start, n_features, rhos):
        seen.append((round(start, 6), C))
        return {
            "adaptive scaling": FromIsotropic("diagonal", C, 0.1, start, "paper", 1),
            "Glasmachers, Igel": FromIsotropic("diagonal", C, 0.1, start, "paper", 2),
            "algorithm 1": FromIsotropic("diagonal", C, 0.1, start, "alternating", 2, 1),
        }

    monkeypatch.setattr(plain_start, "learners", learners)

    def draw(trial):
        return *make_weston(60, n_noise=2, random_state=trial), *make_weston(
            80, n_noise=2, random_state=50 + trial
        )

    rows = plain_start.protocol_rows(study, "weston", draw)
    assert [(row["method"], row["chosen by"]) for row in rows] == [
        (method, protocol)
        for protocol in ("the paper's", "training points")
        for method in ("SVM", "adaptive scaling", "Glasmachers, Igel", "algorithm 1")
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
    for row in rows[:4]:
        assert row["less Glasmachers, Igel"] == pytest.approx(row["rate %"] - rows[2]["rate %"])
        assert row["less SVM"] == pytest.approx(row["rate %"] - rows[0]["rate %"])
        assert row["less constant trace"] == pytest.approx(row["rate %"] - rows[1]["rate %"])
    assert seen[0] == (2 * best[0], best[1])


@pytest.mark.slow
def test_laanaya_figure_1_has_the_plain_machine_and_the_constant_trace(run, rows, monkeypatch):
    monkeypatch.setattr(laanaya, "WIDER", (0.05, 1.0, 20.0, 2.0, 5.0))
    monkeypatch.setattr(laanaya, "SIGMAS", ())
    study = run("laanaya", "sigma")
    found = rows(study, "figure1")
    assert {row["method"] for row in found} == {"SVM (RBF)", "Glasmachers, Igel"}
    assert study.sentences == []  # of a quick run


def test_table_2_of_paper_003_takes_the_sets_that_are_there(monkeypatch, run, rows):
    X, y = load_breast_cancer(return_X_y=True)
    there = {"heart_statlog": SimpleNamespace(X=X, y=y)}
    monkeypatch.setattr(plain_start, "load_or_say", there.get)
    monkeypatch.setattr(laanaya, "methods", lambda kernel: {laanaya.NAMES[0]: rbf_select})
    (row,) = rows(run("laanaya", "real"), "table2")
    assert (row["data"], row["method"]) == ("heart_statlog", laanaya.NAMES[0])
    assert 88 < row["rate %"] <= 100
    monkeypatch.setattr(plain_start, "load_or_say", lambda name: None)
    assert "table2" not in run("laanaya", "real").tables


def test_half_of_the_points_lie_in_the_band():
    for direction in plain_start.BANDS.values():
        X, y, X_test, y_test = plain_start.band_parts(direction, 3)
        assert (X.shape, X_test.shape) == ((100, 6), (1000, 6))
        assert np.mean(y_test == 1) == pytest.approx(0.5, abs=0.05)
        assert np.array_equal(y == 1, np.abs(X @ direction) < 0.6744897501960817)


def test_w_is_above_some_chords_and_below_others():
    found = [plain_start.above_chord(100.0, seed) for seed in range(25)]
    assert 0 < sum(found) < 25


def test_a_convex_objective_is_above_no_chord(monkeypatch):
    """The sum of the kernel values is convex in every entry of Q."""

    class Convex:
        def __init__(self, *settings):
            pass

        def value(self, K, y):
            return K.sum()

    monkeypatch.setattr(plain_start, "RegularizedMargin", Convex)
    assert not any(plain_start.above_chord(0.0, seed) for seed in range(25))


def test_a_full_metric_is_compared_with_a_diagonal_one(monkeypatch):
    monkeypatch.setattr(plain_start, "METHODS", {"conjugate gradients": "conjugate-gradient"})
    monkeypatch.setattr(plain_start, "paper_choice", lambda study, data, draw: (0.125, 100.0))
    study = Study("laanaya", "", is_quick=True, say=lambda text: None)
    rows = plain_start.correlation_rows(study, {})
    oblique = [row for row in rows if row["data"] == next(iter(plain_start.BANDS))]
    found = {row["method"]: row for row in oblique}
    full, diagonal = (found[f"conjugate gradients, {freedom} Q"] for freedom in ("full", "diagonal"))
    assert full["less diagonal"] == pytest.approx(full["rate %"] - diagonal["rate %"])
    assert diagonal["share of the direction"] == pytest.approx(1 / 6)
    assert full["share of the direction"] > 0.5
    assert diagonal["less diagonal"] is None
    (claimed,) = judge(laanaya.CLAIMS, {"correlation": rows})
    assert "which leads to better rates" in claimed["claim"]


def test_sentences_on_the_protocol_have_its_numbers():
    page = (STUDIES / "laanaya.md").read_text(encoding="utf-8")
    sentences = list(protocol_sentences(read(STUDIES / "laanaya_protocol.csv")))
    assert len(sentences) == 5
    assert all(sentence in page for sentence in sentences)


def test_thirty_partitions_of_every_set_by_both_protocols():
    rows = read(STUDIES / "laanaya_protocol.csv")
    assert {row["trials"] for row in rows} == {30}
    for data in ("heart_statlog", "breast_cancer_wisconsin", "breast_cancer_libsvm_scaled", "weston"):
        for protocol in ("the paper's", "training points"):
            found = {row["method"] for row in rows if (row["data"], row["chosen by"]) == (data, protocol)}
            assert found >= {"conjugate gradients", *plain_start.PRINTED[data]}
