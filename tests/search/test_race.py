"""Many rows: forms of kernel compete on some of them first, and those that do well go on to all."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_friedman1

from kernelwise import TunedSVC, TunedSVR
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.search.propose import forms

FEW = 100


@pytest.fixture
def few_rows(monkeypatch):
    """A first stage of few rows: it needs no large table then."""
    monkeypatch.setattr(forms, "FIRST_ROWS", FEW)


@pytest.fixture(scope="module")
def table():
    return make_classification(400, 5, n_informative=4, n_redundant=0, class_sep=0.7, random_state=0)


def test_the_rows_of_the_first_stage_keep_their_folds(make_validator, in_turn):
    rng = np.random.default_rng(0)
    validator = make_validator(rng.normal(size=(300, 2)), np.arange(300) % 2, cv=in_turn(300))
    few = validator.on_fewer(60)
    assert len(few.in_folds) == 60
    assert np.bincount(few.in_folds.y).tolist() == [30, 30]
    np.testing.assert_array_equal(few.fold_rows.fold, validator.fold_rows.fold[few.fold_rows.rows])
    np.testing.assert_array_equal(few.in_folds.Z, validator.in_folds.Z[few.fold_rows.rows])
    assert few.scored == []


def test_a_race_scores_fewer_settings_on_all_rows(few_rows, table):
    model = TunedSVC().fit(*table)
    assert set(model.result_.forms) == {"rbf", "laplacian", "weighted rbf", "weighted laplacian", "sum"}
    assert model.result_.how[0].startswith(f"All forms competed on {FEW} rows first.")
    assert "The others were scored on 400 rows" in model.result_.how[0]
    gammas = {kernel.gamma for kernel in model.cv_results_["param_kernel"] if type(kernel).__name__ == "RBF"}
    # That of the first stage, and neighbours uphill.
    np.testing.assert_allclose(np.divide(sorted(gammas)[1:], sorted(gammas)[:-1]), 2.0)
    assert model.n_svm_fits_ > len(model.cv_results_["params"]) * model.n_splits_
    assert model.criterion_path_  # of the first stage, where widths were named


def test_few_rows_run_no_race(table):
    model = TunedSVC().fit(*table)
    assert not any("competed" in sentence for sentence in model.result_.how)


def test_forms_that_fall_behind_leave(few_rows, table, monkeypatch):
    monkeypatch.setattr(forms, "FAR", 0.0)
    model = TunedSVC().fit(*table)
    assert "fell behind by more than 0 standard errors and left" in model.result_.how[0]
    # The first form stays in any case: the others have their weights of features from it.
    assert "rbf" in model.result_.forms
    assert len(model.result_.forms) < 5


def test_the_answer_depends_neither_on_the_order_of_rows_nor_on_threads(few_rows, table):
    X, y = table
    order = np.random.default_rng(1).permutation(len(y))
    first, second = TunedSVC().fit(X, y), TunedSVC(n_jobs=2).fit(X[order], y[order])
    assert repr(first.kernel_) == repr(second.kernel_)
    assert first.C_ == second.C_
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))


def test_a_regression_keeps_the_forms_that_its_sums_are_made_of(few_rows, monkeypatch):
    monkeypatch.setattr(forms, "FAR", 0.0)
    X, y = make_friedman1(250, 5, noise=0.5, random_state=0)
    model = TunedSVR().fit(X, y)
    assert {"rbf", "laplacian", "sum", "weighted sum"} <= set(model.result_.forms)
    assert model.result_.how[0].startswith(f"All forms competed on {FEW} rows first. The others")


def test_a_race_without_time_for_all_forms_takes_what_it_has(few_rows, table):
    with pytest.warns(KernelwiseWarning, match="time budget"):
        model = TunedSVC(time_budget=0.001).fit(*table)
    assert "rbf" in model.result_.forms


def test_a_class_with_few_rows_in_a_sample_runs_no_race(few_rows, table):
    X, y = table
    rare = np.flatnonzero(y == 1)[8:]
    X, y = np.delete(X, rare, axis=0), np.delete(y, rare)
    model = TunedSVC(scoring="roc_auc").fit(X, y)
    assert not any("competed" in sentence for sentence in model.result_.how)
