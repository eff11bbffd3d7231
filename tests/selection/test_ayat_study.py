"""The command that prints the figures and tables of paper 001."""

from __future__ import annotations

import csv
import warnings
from typing import NamedTuple

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits

from kernelwise.optimizers import GradientDescent, QuasiNewton
from kernelwise.result import History, TuningResult
from kernelwise.studies import _ayat_synthetic, ayat
from kernelwise.studies._ayat_synthetic import Method, make_problem, outcome, synthetic_rows


class Samples(NamedTuple):
    """What the command takes of a data set."""

    X: np.ndarray
    y: np.ndarray


@pytest.fixture
def small(monkeypatch):
    """The task with a tenth of the samples."""
    for name, n in (("N_TRAIN", 100), ("N_VALIDATION", 50), ("N_TEST", 50)):
        monkeypatch.setattr(_ayat_synthetic, name, n)


def test_the_synthetic_task_has_four_curves(small, tmp_path):
    said, file = [], tmp_path / "curves.csv"
    ayat.main(["--quick", "--only", "synthetic", "--csv", str(file)], said.append)
    names = [method.name for method in _ayat_synthetic.methods()]
    assert [any(name in text for text in said) for name in names] == [True] * 7
    with open(file, newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert {row["method"] for row in rows} == set(names)
    for name in names:
        curve = [row for row in rows if row["method"] == name and row["draw"] == "1"]
        assert [int(row["iteration"]) for row in curve] == list(range(len(curve)))
        starts = [float(curve[0][parameter]) for parameter in ("gamma", "sigma", "C")]
        np.testing.assert_allclose(starts, [1 / 2.72, 1 / 2.72, 1000.0])
        assert all(float(row["test_error"]) <= 1 and float(row["n_support"]) > 0 for row in curve)


def test_the_problem_is_the_papers():
    method = _ayat_synthetic.methods()[0]
    problem = make_problem(method, 0.42, 0)
    assert (problem.X.shape, problem.criterion.validation[0].shape) == ((1000, 2), (500, 2))
    problem.value(problem.theta)
    assert problem.history[0]["n_support"] == 140
    assert problem.history[0]["test_error"] == 0.026


def test_the_scan_and_the_search_lower_error_and_support_vectors(small):
    method = Method("ours", "exact", QuasiNewton("golden", max_iter=10, min_decrease=0.01), True, 0.0, 0, 0)
    curves: list = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (row,) = synthetic_rows(1.0, range(3), [method], curves)
    assert row["to"] < row["objective"]
    assert row["support to"] < 0.3 * row["support"]
    assert row["reached"] == 1.0
    for draw in range(3):
        values = [curve["objective"] for curve in curves if curve["draw"] == draw]
        assert np.all(np.diff(values) <= 0)


def test_a_bound_falls(small, monkeypatch):
    monkeypatch.setattr(_ayat_synthetic, "N_TRAIN", 200)
    for criterion in ("margin", "vc"):
        method = Method("bound", criterion, GradientDescent(max_iter=5), False, 0.0, 0, 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            (row,) = synthetic_rows(0.42, range(1), [method], [])
        assert row["to"] < 0.9 * row["objective"]
        assert row["to"] == row["lowest"]


def test_iterations_count_up_to_the_target():
    history = History(
        {"iteration": k, "value": value, "test_error": 0.1, "n_support": 9 - k}
        for k, value in enumerate((4.0, 2.0, 1.005, 1.0))
    )
    result = TuningResult(None, None, 1.0, 1.0, None, history, "converged", True, 9, 4, 3, 0.0)
    assert outcome(result, 1.0)["at target"] == 2
    assert outcome(result, 0.5)["at target"] == outcome(result, 1.0)["iterations"] == 3
    assert outcome(result, 0.5)["reached"] == 0.0
    assert outcome(result, None)["support to"] == 6


def test_digits_before_and_after(monkeypatch):
    X, y = load_digits(return_X_y=True)
    parts = {"train": Samples(X[:900], y[:900]), "test": Samples(X[900:], y[900:])}
    monkeypatch.setattr(ayat, "load_or_say", lambda name, part=None: parts[part])
    monkeypatch.setattr(ayat, "QUICK_DIGITS", (3, 8))
    said: list[str] = []
    ayat.main(["--quick", "--only", "digits"], said.append)
    rows = [line.split() for line in said[0].splitlines()[1:]]
    assert len(rows) == 12
    assert [row[2] for row in rows[:3]] == ["before", "lowest", "fewest"]
    assert [row[-1] for row in rows[:3]] == ["0", "0", "0"]
    assert [row[-2] for row in rows[:3]] == ["527", "198", "198"]
    assert float(rows[2][-3]) < float(rows[0][-3])


def test_cancer_over_random_halves(monkeypatch):
    monkeypatch.setattr(ayat, "load_or_say", lambda name: Samples(*load_breast_cancer(return_X_y=True)))
    said: list[str] = []
    ayat.main(["--quick", "--only", "cancer"], said.append)
    rows = [line.split() for line in said[0].splitlines()[1:]]
    assert [row[1] for row in rows] == ["KMOD", "RBF"]
    assert all(float(row[4]) < 10 for row in rows)
    assert rows[0][-3:] == ["25.4", "±", "4.4"]


def test_missing_files_are_left_out(monkeypatch):
    monkeypatch.setattr(ayat, "load_or_say", lambda name, part=None: None)
    said: list[str] = []
    ayat.main(["--quick", "--only", "digits", "cancer"], said.append)
    assert said == []
