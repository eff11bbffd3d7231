"""The section on what a model looks at: exact values, chosen rows, and no more work than is allowed."""

from __future__ import annotations

import time
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from kernelwise import TunedSVC, explain
from kernelwise.reports import columns_used as module
from kernelwise.reports import report_data
from kernelwise.reports.columns_used import Relevance, looks_at
from kernelwise.reports.drawing import Names
from kernelwise.reports.page import render

from .conftest import SCRIPT


def test_shares_rows_and_drawings_are_those_of_explain(hostile):
    found = looks_at(hostile.model, hostile.X, hostile.y)
    assert (found.n_columns, found.n_rows, found.n_background) == (3, 120, 20)
    assert_allclose(found.importance.sum(), 1.0)
    assert (np.diff(found.importance) <= 0).all()
    assert found.names[0] == SCRIPT  # the column that the classes were made of
    assert found.weights is None
    assert [part.name for part in found.dependence] == found.names
    drawn = found.dependence[0]
    assert_allclose(drawn.cells, hostile.X[SCRIPT])
    odds = hostile.model.decision_function(hostile.X)
    total = sum(part.values for part in found.dependence)
    assert_allclose(total - total.mean(), odds - odds.mean(), atol=1e-9)  # all three columns are drawn


def test_a_sure_a_doubtful_and_a_wrong_row(hostile):
    found = looks_at(hostile.model, hostile.X, hostile.y, lines=np.arange(120) + 2)
    sure, doubtful, wrong = found.rows
    p = hostile.model.predict_proba(hostile.X).max(axis=1)
    is_right = hostile.model.predict(hostile.X) == hostile.y
    assert sure.title == f"A clear row (line {np.argmax(np.where(is_right, p, 0)) + 2})"
    assert doubtful.title == f"The least certain row (line {np.argmin(p) + 2})"
    assert wrong.title == f"A wrongly predicted row (line {np.argmax(np.where(is_right, 0, p)) + 2})"
    assert sure.said.endswith("which is correct")
    assert ", but it is " in wrong.said
    assert len(sure.names) == 3
    assert (np.diff(np.abs(sure.values)) <= 0).all()


def test_rows_of_several_classes_have_their_probability():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC("rbf", Cs=[0.1, 1.0, 10.0]).fit(X, y)
    p = model.predict_proba(X).max(axis=1)
    sure, doubtful, *_ = looks_at(model, X, y).rows
    assert p.max() > 0.99
    assert sure.said.endswith("with a probability of > 99 %, which is correct")
    assert f"with a probability of {100 * p.min():.0f} %, " in doubtful.said


def test_no_wrong_row_where_all_are_right():
    X, y = load_iris(return_X_y=True)
    X, y = X[:100], y[:100]
    found = looks_at(TunedSVC("rbf", Cs=[0.1, 1.0, 10.0]).fit(X, y), X, y)
    assert [row.title.split(" (")[0] for row in found.rows] == ["A clear row", "The least certain row"]
    assert "have a correlation of" in found.caution


def test_regressions_have_ends_and_the_largest_error(regression):
    found = looks_at(regression.model, regression.X, regression.y)
    predicted = regression.model.predict(regression.X)
    high, low, far = found.rows
    assert high.title == f"The highest prediction (row {np.argmax(predicted)})"
    assert low.title == f"The lowest prediction (row {np.argmin(predicted)})"
    assert far.title == f"The largest error (row {np.argmax(np.abs(predicted - regression.y))})"
    assert_allclose(float(high.end.replace("−", "-")), predicted.max(), rtol=0.01)
    assert found.unit == "the prediction"


def test_several_classes_are_drawn_for_the_one_that_matters():
    X, y = load_iris(return_X_y=True)
    model = TunedSVC("diagonal", Cs=[0.1, 1.0, 10.0]).fit(X, y)
    found = looks_at(model, X, y)
    assert {part.of for part in found.dependence} <= {"0", "1", "2"}
    assert_allclose(found.weights, [model.relevance_[int(name.split()[1])] for name in found.names])


def test_nothing_is_estimated_and_nothing_takes_long(three, hostile, monkeypatch):
    assert looks_at(three.model, three.X, three.y) is None  # a full metric
    monkeypatch.setattr(module, "MOST_STEPS", 1e3)
    assert looks_at(hostile.model, hostile.X, hostile.y) is None


def test_work_is_bounded():
    random = np.random.default_rng(0)
    X = random.normal(size=(1500, 40))
    y = random.integers(2, size=1500)  # noise: every row is a support vector
    model = TunedSVC("rbf", Cs=[1.0], cv=2).fit(X, y)
    explain(model, X[:2])  # compiles
    start = time.process_time()
    found = looks_at(model, X, y)
    assert time.process_time() - start < 6.0
    assert found.n_rows < 200


def test_the_page_has_the_section_only_with_rows(hostile, three):
    text = render(report_data(hostile.model, hostile.X, hostile.y, interactive=False))
    assert 'id="looks-at"' in text
    assert "<script" not in text
    assert "Shapley values over 120 rows" in text
    assert 'id="looks-at"' not in render(report_data(hostile.model))
    assert 'id="looks-at"' not in render(report_data(three.model, three.X, three.y))


@pytest.mark.parametrize("n_columns", [1, 20])
def test_few_and_many_columns(n_columns):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, n_columns))
    y = (X.sum(axis=1) > 0).astype(int)
    found = looks_at(TunedSVC("linear", Cs=[0.1, 1.0]).fit(X, y), X, y)
    if n_columns == 1:
        assert found.heading == "The data has only one column"
    else:
        assert found.names[-1] == "8 other columns"
        assert len(found.dependence) == 6
        assert_allclose(found.importance.sum(), 1.0)


def test_words_and_gaps_are_columns():
    random = np.random.default_rng(0)
    town = random.choice(["Ulm", SCRIPT, None], 80)
    size = np.where(random.random(80) < 0.1, np.nan, random.normal(size=80))
    frame = pd.DataFrame({"town": town, "size": size})
    y = np.where(frame["town"] == "Ulm", "yes", "no")
    model = TunedSVC("rbf", Cs=[0.1, 1.0, 10.0]).fit(frame, y)
    found = looks_at(model, frame, y)
    assert found.names == ["town", "size"]
    assert found.dependence[0].words == (SCRIPT, "Ulm", "missing")
    assert found.dependence[1].words == ()
    text = render(report_data(model, frame, y, interactive=False))
    assert 'id="looks-at"' in text
    assert "<script" not in text
    ticks = Names(0, 3, names=("a", "b" * 50, "c")).ticks()
    assert [label for _, label in ticks] == ["a", "b" * 11 + "…", "c"]
    assert_allclose([place for place, _ in ticks], [1 / 6, 1 / 2, 5 / 6])
    assert len(Names(0, 40, names=("word",) * 40).ticks()) <= 6


@pytest.mark.parametrize(
    ("values", "expected"),
    [([-2.0, 0.5], [2.0, 0.5]), ([[1.0, 3.0, 2.5], [0.0, -1.0, -4.0]], [0.5, 1.0])],
)
def test_without_probabilities_the_surest_row_is_the_farthest_from_a_boundary(values, expected):
    model = SimpleNamespace(sigmoids_=None, decision_function=lambda X: np.array(values))
    assert_allclose(module.sureness(model, None), expected)


def test_weights_are_in_the_order_of_the_bars_and_the_last_bar_is_of_the_others():
    share, weights = np.array([0.1, 0.5, 0.3, 0.1]), np.array([1.0, 2.0, 4.0, 8.0])
    names, values = module.largest(share, list("abcd"), 4, weights)
    assert (names, values.tolist()) == (["b", "c", "a", "d"], [2.0, 4.0, 1.0, 8.0])
    names, values = module.largest(share, list("abcd"), 2, weights)
    assert (names, values.tolist()) == (["b", "c", "2 other columns"], [2.0, 4.0, 9.0])


def test_the_heading_says_when_all_weigh_the_same():
    names = ["ri", "na", "mg", "al"]
    assert Relevance(names, np.full(4, 0.25), 4).heading == "All 4 columns weigh the same"
    uneven = Relevance(names, np.array([0.8, 0.15, 0.04, 0.01]), 4)
    assert uneven.heading == "2 of 4 columns make up 95 % of the distance: ri, na"
