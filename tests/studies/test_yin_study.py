"""The study of paper 004."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from kernelwise.datasets import make_two_gaussians
from kernelwise.selection import yin_curves, yin_grid_search
from kernelwise.studies import yin
from kernelwise.studies.claims import VERDICTS, judge
from kernelwise.studies.yin import theory


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
    assert {row["larger class"] for row in found} == {0.5}
    assert len(study.sentences) == 2


def test_the_best_of_the_curves_is_that_of_the_grid_search():
    X, y = make_two_gaussians(80, bayes_error=0.1, random_state=1)
    settings = {"sigmas": [0.1, 0.5, 1.0, 4.0], "Cs": [0.5, 4.0, 32.0], "cv": 5}
    curves = yin_curves(X, y, **settings)
    found = yin.best_of_grid(
        {**{name: getattr(curves, name) for name in ("sigmas", "Cs", "accuracies")}, "seconds": 1.0}
    )
    expected = yin_grid_search(X, y, **settings)
    assert 2.0 ** found["log2 sigma"] == pytest.approx(expected.sigma)
    assert 2.0 ** found["log2 C"] == pytest.approx(expected.C)
    assert (found["accuracy"], found["at smallest C"]) == (expected.cv_accuracy, expected.accuracies[0])


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


def test_printed_accuracies_below_the_larger_class_are_said():
    row = {"data": "toy", "method": "j4", "accuracy": 0.71, "at smallest C": 0.7, "larger class": 0.7}
    (sentence,) = yin.below_sentences([{**row, "paper's": 0.6}, {**row, "paper's": 0.7}])
    assert "0.6000 is below the share of the larger class, 0.7000" in sentence


def test_tic_tac_toe_comes_in_two_codes(monkeypatch):
    board = np.array([[1.0, -1.0, 0.0]]), np.array([1])
    monkeypatch.setattr(yin, "load_or_say", {"tic_tac_toe": board}.get)
    assert yin.load_set("tic_tac_toe")[0].tolist() == [[1.0, -1.0, 0.0]]
    assert yin.load_set("tic_tac_toe_xob")[0].tolist() == [[1.0, 2.0, 3.0]]
    assert yin.load_set("ilpd") is None


def test_yin_draws_figures_2_to_9_and_judges_the_claims(run, rows, monkeypatch):
    X, y = load_iris(return_X_y=True)
    monkeypatch.setattr(yin, "load_or_say", {"banknote": (X[50:], y[50:])}.get)
    monkeypatch.setattr(yin, "WIDE", ((1, 3), (2, 3)))
    study = run("yin")
    assert list(study.figures) == ["figures4to7", "figure8", "figure2", "figure3", "figure9"]
    assert len(study.figures["figure2"].panels) == len(study.figures["figure3"].panels) == 25
    assert [panel.title for panel in study.figures["figures4to7"].panels] == [
        f"banknote: figure {k}" for k in (4, 5, 6, 7)
    ]
    wide = [row for row in rows(study, "figure3") if row["row"] == row["column"] == 3][-1]
    # In input space: E‖x − y‖² = 2·2 + 2 between the classes, 2·2 within.
    assert wide["esdr"] == pytest.approx(6 / 4, rel=1e-4)
    first = study.figures["figure2"].panels[1].lines[1]
    # Image (1, 2): class 2 has the mean (1, 1) and the standard deviation exp(−1).
    assert np.hypot(first.x[0] - 1, first.y[0] - 1) == pytest.approx(np.exp(-1))
    found = {row["claim"]: row["verdict"] for row in rows(study, "claims")}
    assert set(found.values()) <= set(VERDICTS)
    assert next(found[said] for said in found if said.startswith("DBTC takes account")) == "does not hold"


def test_rank_correlations_are_spearmans():
    rows = [
        {"data": "toy", "esdr": float(k), "dbtc": -float(k), "j4": 1.0, "cv accuracy": 0.5 + k**2 / 100}
        for k in range(5)
    ]
    esdr, dbtc, j4 = theory.follow_rows(rows)
    assert (esdr["rank correlation"], dbtc["rank correlation"]) == (pytest.approx(1), pytest.approx(-1))
    assert j4["rank correlation"] is None
    assert (esdr["opposite steps"], dbtc["opposite steps"], j4["opposite steps"]) == (0, 1, 0)
    assert (esdr["largest value"], esdr["best accuracy"]) == (4.0, pytest.approx(0.66))


def test_the_power_of_C_is_the_slope_of_the_logarithms():
    Cs = 2.0 ** np.arange(20)
    found = {
        s: {"Cs": Cs, "accuracies": np.where(Cs >= 4.0**s, np.where(Cs >= 16.0**s, 1.0, 0.98), 0.5)}
        for s in (1, 2, 3)
    }
    rows = theory.wide_rows(found)
    assert [row["C for 0.978"] for row in rows] == [2.0, 4.0, 6.0]
    assert theory.slope(rows, "C for 0.978") == pytest.approx(2)
    assert theory.slope(rows, "C for 0.999") == pytest.approx(4)
    assert theory.slope([{"log2 sigma": 1, "C": None}], "C") is None


def test_limits_are_those_of_a_double_loop():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(30, 3)), np.arange(30) % 3 == 0
    found = theory.limit_rows("toy", X, y)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    D = cdist(Z, Z) ** 2
    within = 1 / 3 * D[np.ix_(y, y)].mean() + 2 / 3 * D[np.ix_(~y, ~y)].mean()
    assert found["original space"] == pytest.approx(D[np.ix_(y, ~y)].mean() / within)
    assert found["relative difference at σ = 2^9"] < 1e-4
    assert found["at σ = 2^-12"] == pytest.approx(30 / 28) == found["n/(n − 2)"]
    assert found["repeated rows"] == 0


def test_mixed_classes_have_n_over_n_minus_two(monkeypatch):
    monkeypatch.setattr(theory, "SIZES", (10, 30))
    for row in theory.mixed_rows(60):
        assert row["ESDR"] == pytest.approx(row["n/(n − 2)"], abs=0.02)
        assert row["without self-pairs"] == pytest.approx(1, abs=0.02)
    (claimed,) = judge(yin.CLAIMS, {"mixed": theory.mixed_rows(3)})
    assert claimed["verdict"] != "holds"
