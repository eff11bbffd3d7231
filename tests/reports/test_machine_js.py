"""The arithmetic of the page that answers, in a browser, against that of Python."""

from __future__ import annotations

import json
import warnings
from functools import cache
from importlib.resources import files

import numpy as np
import pytest
from sklearn.base import is_outlier_detector

from kernelwise import TunedSVC, explain
from kernelwise.explanation import explains_exactly
from kernelwise.kernels import RBF
from kernelwise.reports.askable import askable, cells_of

from .asked_models import NAMED, OTHERS, asked
from .browsing import needs_browser

pytestmark = [needs_browser, pytest.mark.slow]
SCRIPT = (files("kernelwise.reports") / "static" / "machine.js").read_text(encoding="utf-8")
ANSWERS = """([text, rows]) => {
  const machine = Machine(JSON.parse(text)), {classes, middle} = machine.data;
  return rows.map((cells) => {
    const row = machine.begin(cells), answer = machine.answer(row), unlike = machine.unlike(row);
    return {...answer, unlike, shapley: machine.shapley(row, classes.length > 2 ? answer.place : middle)};
  });
}"""


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page()
    page.add_script_tag(content=SCRIPT)
    yield page
    page.close()


@cache
def answers(page, name):
    """What the page was told of a model, and what it says of its rows."""
    model, rows = asked(name)
    data = askable(model)
    text = json.dumps(data, allow_nan=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # new words and gaps
        return data, page.evaluate(ANSWERS, [text, cells_of(model, rows)])


@pytest.mark.parametrize("name", [*NAMED, *OTHERS])
@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.KernelwiseWarning")
def test_page_answers_as_python_does(page, name):
    model, rows = asked(name)
    data, found = answers(page, name)
    assert len(found) == 500
    if data["task"] == "numbers":
        expected = model.predict(rows).reshape(len(rows), -1)
        off = np.abs(np.array([one["predicted"] for one in found]) - expected)
        assert off.max() < 1e-3 * np.ptp(expected)
        assert all(one["value"] == one["predicted"][data["middle"]] for one in found)
        if not data["quantiles"]:
            ends, expected = np.array([one["interval"] for one in found]), model.predict_interval(rows)
            assert np.abs(ends - expected).max() < 1e-3 * np.ptp(expected)
    else:
        classes = np.array([-1, 1]) if data["task"] == "one class" else model.classes_
        assert np.array_equal(classes[[one["place"] for one in found]], model.predict(rows))
        if data["task"] == "one class" or data["sigmoids"] is not None:
            p = np.array([one["probabilities"] for one in found])
            if data["task"] == "one class":
                expected = np.column_stack(
                    [model.outlier_probability(rows), 1 - model.outlier_probability(rows)]
                )
            else:
                expected = model.predict_proba(rows)
            assert np.abs(p - expected).max() < 1e-3
    if not is_outlier_detector(model):
        unlike = model.unlike(rows)
        # The kernel is not asked twice where single precision could change the answer.
        near_reach = np.abs(unlike.distance - unlike.reach) < 1e-4 * unlike.reach
        said = np.array([one["unlike"]["is_remote"] for one in found])
        assert np.array_equal(said[~near_reach], unlike.is_remote[~near_reach])
        outside = np.array([one["unlike"]["is_far"] for one in found])
        assert np.array_equal(outside[~near_reach], unlike.is_outside[~near_reach])


@pytest.mark.parametrize("name", [*NAMED, *OTHERS])
@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.KernelwiseWarning")
def test_bars_are_exact_shapley_values(page, name):
    model, rows = asked(name)
    data, found = answers(page, name)
    if not explains_exactly(model):
        assert name in ("metric", "polynomial")
        assert data["bars"] is None
        assert all(one["shapley"] is None for one in found)
        return
    output = None
    if data["task"] == "classes":
        output = "machine-values" if data["sigmoids"] is None else "probability-log-odds"
    # The rows that explain compares with, where the page has as many.
    assert data["bars"]["n_background"] == min(100, len(model.best_estimator_.support_vectors_))
    expected = explain(model, rows, background="support", output=output)
    values, base = expected.values, expected.base_values
    if values.ndim == 3:
        places = [one.get("place", data["middle"]) for one in found]
        values, base = values[np.arange(500), :, places], base[np.arange(500), places]
    unit = max(1.0, np.ptp(values)) if data["task"] == "numbers" else 1.0
    assert np.abs(np.array([one["shapley"]["values"] for one in found]) - values).max() < 1e-3 * unit
    assert np.abs(np.array([one["shapley"]["base"] for one in found]) - base).max() < 1e-3 * unit


TIMES = """([text, rows]) => {
  const machine = Machine(JSON.parse(text)), times = {};
  const timed = (name, ask) => {
    const start = performance.now(), found = ask();
    (times[name] ??= []).push(performance.now() - start);
    return found;
  };
  const odds = rows.map((cells) => {
    const row = timed("begin", () => machine.begin(cells));
    const answer = timed("answer", () => machine.answer(row));
    const bars = timed("bars", () => machine.shapley(row, 0));
    timed("changes", () => machine.changes(row, answer.place));
    timed("nearest", () => [machine.unlike(row), machine.nearest(row, 3)]);
    return bars.values.reduce((a, b) => a + b, bars.base);
  });
  return {odds, times};
}"""


def test_bars_of_a_large_model_add_up(page):
    """The times of its parts are printed: pytest -s -k large_model tests/reports/test_machine_js.py."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(505, 30)), random.integers(0, 2, 505)
    model = TunedSVC(RBF(0.03), Cs=[0.1], cv=3).fit(X, y)
    data = askable(model)
    found = page.evaluate(TIMES, [json.dumps(data), cells_of(model, X[:20])])
    np.testing.assert_allclose(found["odds"], model.decision_function(X[:20]), atol=1e-4)
    medians = {name: round(float(np.median(times)), 1) for name, times in found["times"].items()}
    print(len(model.best_estimator_.support_vectors_), "support vectors × 30 columns, ms:", medians)
