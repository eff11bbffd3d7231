"""A time budget under a clock of our own, and samples of many rows."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification

from kernelwise import TunedSVC
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.search import Classification
from kernelwise.search.engine import context
from kernelwise.search.engine.context import Deadline


class SlowClock:
    """Every look at it takes a tenth of a second."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 0.1
        return self.now


@pytest.fixture
def slow_clock(monkeypatch):
    clock = SlowClock()

    def deadline(seconds, reserve):
        return Deadline(seconds, reserve, clock=clock)

    monkeypatch.setattr(context, "Deadline", deadline)
    return clock


@pytest.mark.parametrize("kernel", ["rbf", "poly", "diagonal"])
def test_a_short_budget_gives_a_usable_machine_and_says_what_was_skipped(kernel, slow_clock):
    X, y = make_classification(800, 6, random_state=0)
    with pytest.warns(KernelwiseWarning, match=r"budget of 0.5 s was too short for \d+ kernel widths.*Raise"):
        model = TunedSVC(kernel, time_budget=0.5).fit(X, y)
    assert model.score(X, y) > 0.8
    [finding] = [finding for finding in model.diagnostics_ if finding.name == "time budget"]
    assert finding.severity == "warning"
    assert "distinct rows" in finding.message
    assert model.result_.stop_reason == "time budget"
    assert not model.result_.converged
    assert model.result_.diagnostics == model.diagnostics_


def test_skipped_widths_are_counted_once(slow_clock):
    X, y = make_classification(200, 6, random_state=0)
    sentence = r"short for 6 kernel widths and training on \d+ of 200 distinct rows\. Raise"
    with pytest.warns(KernelwiseWarning, match=sentence) as caught:
        short = TunedSVC("rbf", time_budget=0.5).fit(X, y)
    assert len(caught) == 1
    # The finding has the number of widths; another one here, of the first widths alone, would contradict it.
    assert "The time budget ended before the search had scored all of them." in short.result_.how
    long = TunedSVC("rbf").fit(X, y)
    assert len(short.cv_results_["params"]) < len(long.cv_results_["params"])


def test_a_long_budget_changes_nothing(blobs):
    X, y = blobs
    one, other = TunedSVC(time_budget=1e6).fit(X, y), TunedSVC().fit(X, y)
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    assert one.diagnostics_ == other.diagnostics_
    assert "time budget" not in {finding.name for finding in one.diagnostics_}


def test_many_rows_are_sampled_for_the_search(monkeypatch):
    monkeypatch.setattr(Classification, "max_rows", 100)
    X, y = make_classification(400, 5, n_informative=3, n_classes=3, random_state=0)
    model = TunedSVC().fit(X, y)
    [finding] = [finding for finding in model.diagnostics_ if finding.name == "sampled"]
    assert "100 of 400 distinct rows" in finding.message
    assert model.best_estimator_.shape_fit_[0] == 400
    order = np.random.default_rng(0).permutation(400)
    np.testing.assert_array_equal(TunedSVC().fit(X[order], y[order]).predict(X), model.predict(X))


def test_given_folds_are_kept_on_sampled_rows(monkeypatch):
    monkeypatch.setattr(Classification, "max_rows", 90)
    X, y = make_classification(300, 5, random_state=0)
    folds = [
        (np.flatnonzero(np.arange(300) % 3 != k), np.flatnonzero(np.arange(300) % 3 == k)) for k in range(3)
    ]
    model = TunedSVC(cv=folds).fit(X, y)
    assert model.n_splits_ == 3
