"""The study of paper 001."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from kernelwise.optimizers import GradientDescent, QuasiNewton
from kernelwise.studies import _ayat_real, _ayat_synthetic, ayat
from kernelwise.studies._ayat_synthetic import Method, first_at, make_problem, mean_row


class Samples(NamedTuple):
    """What the command takes of a data set."""

    X: np.ndarray
    y: np.ndarray


@pytest.fixture
def small(monkeypatch):
    """The task with a tenth of the samples."""
    for name, n in (("N_TRAIN", 100), ("N_VALIDATION", 50), ("N_TEST", 50)):
        monkeypatch.setattr(_ayat_synthetic, name, n)


def test_the_synthetic_task_has_figures_3_to_6(small, run, rows):
    study = run("ayat", "synthetic")
    names = [method.name for method in _ayat_synthetic.methods()]
    assert [row["method"] for row in rows(study, "synthetic")] == names
    assert list(study.figures) == ["figure3", "figure4", "figure5", "figure6"]
    for name in names:
        curve = [row for row in rows(study, "curves") if row["method"] == name and row["draw"] == 1]
        assert [row["iteration"] for row in curve] == list(range(len(curve)))
        starts = [curve[0][parameter] for parameter in ("gamma", "sigma", "C")]
        np.testing.assert_allclose(starts, [1 / 2.72, 1 / 2.72, 1000.0])
        assert all(row["test_error"] <= 1 and row["n_support"] > 0 for row in curve)
    support = study.figures["figure4"].panels[1]
    assert (support.title, support.marks[0].value) == ("support vectors", 40.0)


def test_kernels_of_figure_1(run, rows):
    study = run("ayat", "kernels")
    found = rows(study, "figure1")
    assert {row["value"] for row in found if row["distance"] == 0.0} == {1.0}
    far = {row["kernel"]: row["value"] for row in found if row["distance"] == 8.0}
    assert far["KMOD, γ = 1, σ = 1"] == pytest.approx(np.expm1(1 / 65) / np.expm1(1))
    assert min(far, key=far.get) == "RBF, γ = 1"


def test_the_sigmoid_of_figure_2(run):
    frontier, curve = run("ayat", "posterior").figures["figure2"].panels
    assert [line.name for line in frontier.lines] == ["the others", "virginica", "frontier"]
    sigmoid = curve.lines[-1].y
    assert np.all(np.diff(sigmoid) > 0)
    assert sigmoid[0] < 0.05
    assert sigmoid[-1] > 0.95


def test_the_problem_is_the_papers():
    method = _ayat_synthetic.methods()[0]
    problem = make_problem(method, 0.42, 0)
    assert (problem.X.shape, problem.criterion.validation[0].shape) == ((1000, 2), (500, 2))
    problem.value(problem.theta)
    assert problem.history[0]["n_support"] == 140
    assert problem.history[0]["test_error"] == 0.026


def test_the_scan_and_the_search_lower_error_and_support_vectors(small):
    method = Method("ours", "exact", QuasiNewton("golden", max_iter=10, min_decrease=0.01), True, 0.0, 0, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells = [_ayat_synthetic.cell(method, 1.0, draw) for draw in range(3)]
    row = mean_row(1.0, method, cells, [cell["ends"]["lowest"] for cell in cells])
    assert row["to"] < row["objective"]
    assert row["support to"] < 0.3 * row["support"]
    assert row["reached"] == 1.0
    for cell in cells:
        assert np.all(np.diff([point["objective"] for point in cell["curve"]]) <= 0)


def test_a_bound_falls(small, monkeypatch):
    monkeypatch.setattr(_ayat_synthetic, "N_TRAIN", 200)
    for criterion in ("margin", "vc"):
        method = Method("bound", criterion, GradientDescent(max_iter=5), False, 0.0, 0, 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cell = _ayat_synthetic.cell(method, 0.42, 0)
        assert cell["ends"]["to"] < 0.9 * cell["ends"]["objective"]
        assert cell["ends"]["to"] == cell["ends"]["lowest"]
        assert mean_row(0.42, method, [cell], [0.0])["reached"] == 0.0


def test_iterations_count_up_to_the_target():
    costs = [[0, 4.0], [1, 2.0], [2, 1.005], [3, 1.0]]
    assert first_at(costs, 1.0) == 2
    assert first_at(costs, 0.5) is None
    cells = [{"costs": costs, "ends": {"iterations": 3}}] * 2
    row = mean_row(0.42, _ayat_synthetic.methods()[0], cells, [1.0, 0.5])
    assert (row["at target"], row["reached"]) == (2.5, 0.5)


def test_digits_before_and_after(monkeypatch, run, rows):
    X, y = load_digits(return_X_y=True)
    parts = {"train": Samples(X[:900], y[:900]), "test": Samples(X[900:], y[900:])}
    monkeypatch.setattr(ayat, "load_or_say", lambda name, part=None: parts[part])
    monkeypatch.setattr(ayat, "QUICK_DIGITS", (3, 8))
    found = rows(run("ayat", "digits"), "digits")
    assert len(found) == 12
    assert [row["tuned"] for row in found[:3]] == ["before", "lowest", "fewest"]
    assert [row["z"] for row in found[:3]] == [0, 0, 0]
    assert [row["paper's"] for row in found[:3]] == [527, 198, 198]
    assert found[2]["support"] < found[0]["support"]


def test_cancer_over_random_halves(monkeypatch, run, rows):
    monkeypatch.setattr(ayat, "load_or_say", lambda name: Samples(*load_breast_cancer(return_X_y=True)))
    found = rows(run("ayat", "cancer"), "cancer")
    assert [row["kernel"] for row in found] == ["KMOD", "RBF"]
    assert all(row["error % after"] < 10 for row in found)
    assert found[0]["paper's (Ljubljana)"] == "25.4 ± 4.4"


def test_missing_files_are_left_out(monkeypatch, run):
    monkeypatch.setattr(ayat, "load_or_say", lambda name, part=None: None)
    study = run("ayat", "posterior", "digits", "cancer")
    assert (study.tables, study.figures) == ({}, {})


def test_sentences_on_digits_compare_with_the_paper():
    summary = {"rejection": 0.0, "accuracy": 0.9}
    found = {
        "KMOD": {
            "before": {**summary, "recognition": 0.97, "support_vectors": 120.0},
            "fewest": {**summary, "recognition": 0.965, "support_vectors": 40.4},
        }
    }
    (sentence,) = _ayat_real.digit_sentences(_ayat_real.digit_rows("digits", found, 1000))
    assert "by -0.50 points (the paper's digits: +0.42)" in sentence
    assert "from 120 to 40 (527 to 198)" in sentence
