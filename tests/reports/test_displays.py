"""Displays draw what the model has, on the axes they are given."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

import kernelwise
from kernelwise import (
    SVC,
    CPathDisplay,
    CriterionDisplay,
    Explanation,
    ExplanationDisplay,
    RelevanceDisplay,
    SearchSurfaceDisplay,
    TunedSVC,
    explain,
)
from kernelwise.reports import displays

matplotlib.use("Agg")
from matplotlib import pyplot


@pytest.fixture
def ax():
    figure, ax = pyplot.subplots()
    yield ax
    pyplot.close(figure)


def stars(ax):
    """Where the marks of what was chosen are: the last points drawn."""
    return ax.collections[-1].get_offsets()


def test_criterion_display_shows_curves_and_held_out_scores(hostile, ax):
    model = hostile.model
    display = CriterionDisplay.from_estimator(model, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    dbtc = model.criterion_path_["dbtc"]
    line = ax.lines[0]
    assert line.get_label() == "DBTC"
    assert_array_equal(line.get_xdata(), model.criterion_path_["gamma"])
    assert_allclose(line.get_ydata(), (dbtc - dbtc.min()) / np.ptp(dbtc))
    assert stars(display.score_ax_)[0, 0] == model.kernel_.gamma


def test_criterion_display_of_a_search_is_over_evaluations(diagonal, ax):
    display = CriterionDisplay.from_estimator(diagonal.model, ax=ax)
    assert display.score_ax_ is None
    assert ax.get_xlabel() == "evaluation"
    assert_array_equal(
        np.concatenate([line.get_ydata() for line in ax.lines]), diagonal.model.criterion_path_["score"]
    )


@pytest.mark.parametrize("name", ["hostile", "three", "regression"])
def test_c_path_display_marks_the_choice(name, request, ax):
    model = request.getfixturevalue(name).model
    CPathDisplay.from_estimator(model, ax=ax)
    assert_array_equal(stars(ax), [[model.C_, -model.result_.value]])
    assert model.C_ in ax.lines[-1].get_xdata()


@pytest.mark.parametrize("name", ["hostile", "regression"])
def test_search_surface_has_every_width(name, request, ax):
    model = request.getfixturevalue(name).model
    display = SearchSurfaceDisplay.from_estimator(model, ax=ax)
    widths = {params["gamma"] for params in model.cv_results_["params"]}
    assert set(display.widths) == widths
    assert_array_equal(stars(ax), [[model.kernel_.gamma, model.C_]])
    assert display.scores[display.chosen] == -model.result_.value
    assert len(set(zip(display.widths, display.Cs, strict=True))) == len(display.scores)


def test_search_surface_of_classes_is_the_table(hostile):
    display = SearchSurfaceDisplay._of(hostile.model)
    table = hostile.model.cv_results_
    ours = sorted(zip(display.widths, display.Cs, display.scores, strict=True))
    params = [(p["gamma"], p["C"]) for p in table["params"]]
    theirs = sorted((*pair, score) for pair, score in zip(params, table["mean_test_score"], strict=True))
    assert_array_equal(ours, theirs)


def test_one_width_has_a_surface_without_contours(blobs, ax):
    model = TunedSVC("rbf", criterion="dbtc", Cs=[1.0, 10.0]).fit(*blobs)
    SearchSurfaceDisplay.from_estimator(model, ax=ax)
    assert_array_equal(stars(ax), [[model.kernel_.gamma, model.C_]])


def test_relevance_display_has_the_largest_on_top(diagonal, ax):
    display = RelevanceDisplay.from_estimator(diagonal.model, ax=ax)
    widths = [bar.get_width() for bar in ax.patches]
    assert_allclose(widths, 100 * np.sort(diagonal.model.relevance_)[::-1][: len(widths)])
    assert [tick.get_text() for tick in ax.get_yticklabels()] == display.relevance.names
    assert ax.yaxis_inverted()


def test_without_axes_a_figure_is_made(hostile):
    display = CPathDisplay.from_estimator(hostile.model)
    assert display.ax_.figure is display.figure_
    pyplot.close(display.figure_)


def test_what_cannot_be_shown_is_refused(blobs, diagonal, hostile, monkeypatch):
    with pytest.raises(ValueError, match=r"no width to choose\. Use CPathDisplay"):
        CriterionDisplay.from_estimator(TunedSVC("linear", Cs=[1.0]).fit(*blobs))
    with pytest.raises(ValueError, match="width is one number, not RBF with weights for"):
        SearchSurfaceDisplay.from_estimator(diagonal.model)
    with pytest.raises(ValueError, match="treats all features alike"):
        RelevanceDisplay.from_estimator(hostile.model)
    with pytest.raises(NotFittedError):
        CPathDisplay.from_estimator(TunedSVC())
    with pytest.raises(TypeError, match="Displays need a fitted TunedSVC or TunedSVR, got SVC"):
        CPathDisplay.from_estimator(SVC())
    monkeypatch.setattr(displays, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"CPathDisplay needs matplotlib\. .*kernelwise\[display\]"):
        CPathDisplay.from_estimator(hostile.model)


def test_displays_are_public():
    names = {"CPathDisplay", "CriterionDisplay", "RelevanceDisplay", "SearchSurfaceDisplay"}
    assert names <= set(kernelwise.__all__)
    assert names <= set(kernelwise.reports.__all__)


@pytest.fixture
def explanation():
    values = np.array([[1.0, -2.0, 0.1, 0.1], [3.0, 0.0, 0.1, -0.1]])
    data = np.array([[0.5, 1.0, 2.0, 3.0], [1.5, 2.0, 3.0, 4.0]])
    return Explanation(values, np.full(2, 0.25), data, ["a", "price in $", "c", "d"])


def test_bars_of_all_rows_and_of_one(explanation, ax):
    display = ExplanationDisplay.from_explanation(explanation, max_shown=2, ax=ax)
    assert display.names == ["a", "price in $", "2 other columns"]
    assert_allclose([bar.get_width() for bar in ax.patches], [2.0, 1.0, 0.2])
    assert [label.get_text() for label in ax.get_yticklabels()][1] == r"price in \$"
    ax.clear()
    one = ExplanationDisplay.from_explanation(explanation, row=0, ax=ax)
    assert one.names == ["price in $ = 1", "a = 0.5", "c = 2", "d = 3"]
    assert_allclose([bar.get_width() for bar in ax.patches], [-2.0, 1.0, 0.1, 0.1])
    assert ax.patches[0].get_facecolor() != ax.patches[1].get_facecolor()
    assert ax.get_xlabel() == "value: from 0.25 without any column to -0.55 with all"


def test_one_column_is_never_hidden_as_others(explanation, ax):
    display = ExplanationDisplay.from_explanation(explanation, max_shown=3, ax=ax)
    assert display.names == ["a", "price in $", "c", "d"]


@pytest.mark.filterwarnings("ignore:With several classes, decision values")
def test_explanations_are_drawn_of_a_model_and_one_output(ax):
    X, y = load_iris(return_X_y=True)
    model = TunedSVC("rbf", Cs=[0.1, 1.0, 10.0]).fit(X, y)
    display = ExplanationDisplay.from_estimator(model, X[:5], background=X[::10], of="1", ax=ax)
    expected = explain(model, X[:5], background=X[::10]).of_output(1).importance()
    assert_allclose(display.lengths, -np.sort(-expected))
    with pytest.raises(ValueError, match=r"has the outputs 0, 1, 2\. Draw one of them"):
        ExplanationDisplay(explain(model, X[:5]))
