"""A time budget is kept where there are many classes, many rows, and for numbers."""

from __future__ import annotations

import time
import warnings
from functools import partial

import numpy as np
import pytest

from kernelwise import TunedSVC, TunedSVR
from kernelwise.search.engine import context


def table(n_classes, n_rows):
    """Rows around three centres for each class; a number without classes."""
    random = np.random.default_rng(1)
    if n_classes is None:
        X = random.normal(size=(n_rows, 10))
        return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=n_rows)
    centres = 1.6 * random.normal(size=(3 * n_classes, 10))
    of = random.integers(0, len(centres), n_rows)
    return centres[of] + random.normal(size=(n_rows, 10)), of % n_classes


@pytest.fixture
def by_processor(monkeypatch):
    """The clock of the processor, which other programs do not stop."""
    monkeypatch.setattr(time, "perf_counter", time.process_time)
    monkeypatch.setattr(context, "Deadline", partial(context.Deadline, clock=time.process_time))


@pytest.mark.parametrize(
    ("n_classes", "n_rows", "scoring"),
    [(2, 20_000, None), (20, 5000, None), (60, 1000, None), (60, 3000, "f1_macro"), (None, 10_000, None)],
)
def test_a_budget_of_one_second_is_kept_within_another(n_classes, n_rows, scoring, by_processor):
    X, y = table(n_classes, n_rows)
    model = (TunedSVR if n_classes is None else TunedSVC)(time_budget=1.0, n_jobs=1, scoring=scoring)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    assert time.process_time() - started < 2.0
    assert model.best_score_ > model.result_.baseline.score


def test_what_many_classes_take_is_left_out_and_told(by_processor):
    X, y = table(60, 1000)
    with pytest.warns(
        match="The time budget of 1 s was too short for .*widths by criteria of class separability"
    ):
        model = TunedSVC(time_budget=1.0, n_jobs=1).fit(X, y)
    assert list(model.criterion_path_) == ["gamma"]
    assert set(model.cv_results_["reason"]) <= {"usual", "wide", "uphill", "refined"}
