"""Many classes: held-out values in bounded memory, and labels that are a quantity."""

import numpy as np
import pytest

from kernelwise import TunedSVC
from kernelwise._core import memory
from kernelwise._core.memory import MIB
from kernelwise.exceptions import NotEnoughMemoryError
from kernelwise.search.data import folds
from kernelwise.search.engine import validator
from kernelwise.search.propose import candidates


@pytest.fixture(scope="module")
def clouds():
    """Twelve classes of ten rows, a little apart."""
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(12), 10)
    return rng.normal(size=(12, 3))[y] * 2.0 + rng.normal(size=(120, 3)), y


@pytest.mark.parametrize(
    ("kernel", "scoring"), [("auto", None), ("rbf", None), ("rbf", ["accuracy", "neg_log_loss"])]
)
def test_some_values_of_c_at_a_time_give_the_same_answer(clouds, monkeypatch, kernel, scoring):
    settings = {"tol": 1e-6, "scoring": scoring, "refit": "accuracy" if scoring else True}
    together = TunedSVC(kernel, **settings).fit(*clouds)
    monkeypatch.setattr(validator, "MAX_AT_A_TIME", 8 * 120 * 66 * 2)  # two values of C
    model = TunedSVC(kernel, **settings).fit(*clouds)
    assert model.best_params_ == together.best_params_
    assert model.best_score_ == together.best_score_
    for name in ("mean_test_score",) if scoring is None else ("mean_test_accuracy", "mean_test_neg_log_loss"):
        np.testing.assert_allclose(model.cv_results_[name], together.cv_results_[name], rtol=1e-4)
    np.testing.assert_allclose(model.predict_proba(clouds[0]), together.predict_proba(clouds[0]), atol=1e-4)


def test_decision_values_are_never_kept_beyond_the_limit(clouds, monkeypatch):
    monkeypatch.setattr(validator, "MAX_AT_A_TIME", 1)
    sizes = []
    solve = validator.CrossValidator._solve_together

    def watched(self, run, kernel, reason, Cs, *more):
        sizes.append(Cs.size)
        return solve(self, run, kernel, reason, Cs, *more)

    monkeypatch.setattr(validator.CrossValidator, "_solve_together", watched)
    TunedSVC("rbf").fit(*clouds)
    assert set(sizes) == {1}


def test_a_sketch_of_too_many_classes_is_not_made(clouds, monkeypatch):
    monkeypatch.setattr(candidates, "MOST_CLASSES", 11)
    model = TunedSVC("rbf").fit(*clouds)
    assert set(model.criterion_path_) == {"gamma"}
    assert model.score(*clouds) > 0.5


def test_very_many_machines_are_searched_on_fewer_rows(clouds, monkeypatch):
    monkeypatch.setattr(folds, "MOST_VALUES", 66 * 60)
    model = TunedSVC("rbf").fit(*clouds)
    assert "sampled" in [finding.name for finding in model.diagnostics_]
    assert "sample of 60 of 120 distinct rows" in str(model.diagnostics_)
    assert model.best_estimator_.n_trained_ == 120


def test_what_does_not_fit_into_memory_is_refused_before_anything_is_trained(clouds, monkeypatch):
    monkeypatch.setattr(memory, "SMALL", 0.01 * MIB)
    monkeypatch.setattr(memory, "available_memory", lambda: 0.3 * MIB)
    with pytest.raises(NotEnoughMemoryError, match=r"66 two-class models on 120 samples .* multiclass='ovr'"):
        TunedSVC("rbf").fit(*clouds)


def test_numbers_that_are_a_quantity_are_refused_as_on_the_command_line():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), rng.normal(100, 60, size=400).astype(int)
    with pytest.raises(ValueError, match=r"different whole numbers in 400 samples, .* Use TunedSVR"):
        TunedSVC().fit(X, y)
    with pytest.raises(ValueError, match="most of them in fewer than 10 samples: it looks like a quantity"):
        TunedSVC().fit(X, np.arange(400) % 110)
    words = np.array([f"row {k}" for k in (*range(13), *[0] * 27)])
    with pytest.raises(ValueError, match="12 of them in one sample only: these cannot be classes"):
        TunedSVC().fit(X[:40], words)


def test_a_weight_counts_as_copies_of_a_label(clouds):
    X, y = clouds
    rows = np.r_[:30, 30:120:10]  # ten rows of three classes, one of each other
    with pytest.raises(ValueError, match="9 of them in one sample only"):
        TunedSVC("rbf", Cs=[1.0]).fit(X[rows], y[rows])
    TunedSVC("rbf", Cs=[1.0], cv=2).fit(X[rows], y[rows], sample_weight=np.full(len(rows), 2.0))
