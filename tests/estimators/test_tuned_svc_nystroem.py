"""TunedSVC with a Nyström machine at the end: when it is taken, and what is said about it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics import accuracy_score, balanced_accuracy_score, roc_auc_score

from kernelwise import SVC, NystroemSVC, TunedSVC, load
from kernelwise.exceptions import IncompatibleError
from kernelwise.search.engine.context import Deadline
from kernelwise.search.final import approximate
from kernelwise.search.propose import landmarks
from kernelwise.search.wording import number


@pytest.fixture(scope="module")
def samples():
    return make_classification(400, 5, n_informative=4, n_redundant=0, class_sep=1.5, random_state=1)


def nystroem_findings(model):
    return [finding for finding in model.diagnostics_ if finding.name == "nystroem"]


def test_nystroem_when_asked_for(samples, tmp_path):
    X, y = samples
    model = TunedSVC(solver="nystroem").fit(X, y)
    machine = model.best_estimator_
    assert isinstance(machine, NystroemSVC)
    assert machine.kernel_ == model.kernel_
    assert model.score(X, y) > 0.9
    Z = model.scaler_.transform(X)
    assert_allclose(model.decision_function(X), machine.decision_function(Z))
    assert_array_equal(model.predict(X), machine.predict(Z))
    assert_allclose(model.predict_proba(X), machine.predict_proba(Z))
    assert_allclose(machine.support_vectors_[:, 0].std(), 1.0, atol=0.3)  # scaled features
    with pytest.raises(IncompatibleError, match="to_sklearn cannot hold a NystroemSVC"):
        model.to_sklearn()
    model.save(tmp_path / "model.kw")
    again = load(tmp_path / "model.kw")
    assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    n_tried = len(model.cv_results_["params"])
    assert model.n_svm_fits_ > n_tried + machine.search_results_["C"].size
    # A fifth of the rows is held out, and its confusion is what a report shows.
    assert len(model._record.truth) == 80
    assert np.mean(model._record.truth == model._record.scored) == pytest.approx(machine.held_out_score_)


def assert_compared(findings, n_rows, least, gap):
    """The finding has so many training and other rows, and scores that are as good and as close."""
    [finding] = findings
    assert "as you asked" in finding.message
    match = re.search(
        r"on (\d+) training rows and (\d+) other rows, .* ([\d.]+) and an exact one ([\d.]+)\.",
        finding.message,
    )
    assert [int(n) for n in match.groups()[:2]] == n_rows
    approximate, exact = (float(score) for score in match.groups()[2:])
    assert abs(approximate - exact) < gap
    assert exact > least


def test_the_finding_has_scores_of_both_machines_on_other_rows(samples):
    model = TunedSVC(solver="nystroem").fit(*samples)
    assert_compared(nystroem_findings(model), [320, 80], least=0.85, gap=0.04)


def test_auto_is_exact_for_few_rows_and_nystroem_for_many(samples, monkeypatch):
    X, y = samples
    few = TunedSVC().fit(X, y)
    assert not isinstance(few.best_estimator_, NystroemSVC)
    assert not nystroem_findings(few)
    monkeypatch.setattr(approximate, "MANY", 300)
    monkeypatch.setattr(approximate, "EXACT_WORK", 0.0)
    many = TunedSVC().fit(X, y)
    assert isinstance(many.best_estimator_, NystroemSVC)
    assert "because 400 distinct rows are more than 300" in nystroem_findings(many)[0].message
    assert not isinstance(TunedSVC(solver="exact").fit(X, y).best_estimator_, NystroemSVC)
    # The search is the same.
    assert many.kernel_ == few.kernel_
    assert many.result_.value == few.result_.value


def test_three_classes_with_weights_and_text_labels():
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    model = TunedSVC(solver="nystroem", class_weight="balanced", scoring="f1_macro").fit(
        X, labels, sample_weight=1.0 + (y == 1)
    )
    assert model.score(X, labels) > 0.9
    assert model.predict_proba(X).shape == (150, 3)


def test_a_deadline_stops_the_growth_and_limits_the_rows(samples, monkeypatch):
    X, y = samples
    monkeypatch.setattr(landmarks, "MAX_SEARCH_ROWS", 100)
    deadline = Deadline(1e-9, clock=lambda: 0.0)
    rows = landmarks.Rows(X, y, np.ones(400), np.ones(400), np.array([0, 1]), deadline=deadline)
    machine = NystroemSVC(n_components=20)
    rows.score = machine._score(rows)
    machine.fit_rows(rows)
    assert machine.n_trained_ == 100
    assert deadline.skipped == ["training on 300 of 400 distinct rows"]
    monkeypatch.setattr(landmarks, "SIZES", (5, 10, 20))
    machine = NystroemSVC()
    rows.score = machine._score(rows)
    machine.fit_rows(rows)
    assert set(machine.search_results_["n_components"]) == {5}
    assert "10 landmarks" in deadline.skipped


def test_a_gram_matrix_has_no_landmarks(samples):
    X, y = samples
    with pytest.raises(ValueError, match="solver='nystroem' of TunedSVC needs kernel values"):
        TunedSVC("precomputed", solver="nystroem").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="'solver' parameter of TunedSVC must be one of 'auto', 'exact'"):
        TunedSVC(solver="fast").fit(X, y)


def test_an_exact_machine_of_a_part_where_the_approximation_is_worse(samples, monkeypatch):
    """It is the SVC of these rows, its sigmoid that of others, and neither depends on the rows' order."""
    X, y = samples
    monkeypatch.setattr(approximate, "MANY", 100)
    monkeypatch.setattr(approximate, "EXACT_WORK", 0.0)
    monkeypatch.setattr(approximate, "WORTH_A_PART", -1.0)
    model = TunedSVC().fit(X, y)
    machine, [said] = model.best_estimator_, [f for f in model.diagnostics_ if f.name == "part of rows"]
    assert not nystroem_findings(model)
    assert isinstance(machine, SVC)
    assert "an exact one of 200 rows, with C = " in said.message  # the root of 100 times 400
    assert f"with C = {machine.C:.4g}." in said.message
    assert "sampled" not in {finding.name for finding in model.diagnostics_}
    assert "on 320 training rows and 80 other rows" in said.message
    assert model._record.n_rows == machine.n_trained_ == 200
    assert len(model._record.truth) == 80
    assert model.score(X, y) > 0.9
    Z = model.scaler_.transform(X)
    # What was held out has the answers that the record tells.
    p = machine.predict_proba(Z)
    assert_allclose(p, model.predict_proba(X))
    assert np.mean(model.predict(X) == y) == pytest.approx(
        np.mean(model._record.truth == model._record.predicted), abs=0.08
    )
    order = np.random.default_rng(0).permutation(len(y))
    again = TunedSVC(n_jobs=2).fit(X[order], y[order])
    assert_allclose(again.predict_proba(X), model.predict_proba(X), rtol=1e-9)
    assert isinstance(TunedSVC(solver="nystroem").fit(X, y).best_estimator_, NystroemSVC)
    monkeypatch.setattr(approximate, "WORTH_A_PART", 1.0)
    assert isinstance(TunedSVC().fit(X, y).best_estimator_, NystroemSVC)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy", "roc_auc"])
@pytest.mark.parametrize("gain", [-1.0, 1.0], ids=["part", "nystroem"])
def test_the_score_that_is_quoted_is_that_of_the_approximate(samples, monkeypatch, scoring, gain):
    X, y = samples
    monkeypatch.setattr(approximate, "MANY", 100)
    monkeypatch.setattr(approximate, "EXACT_WORK", 0.0)
    monkeypatch.setattr(approximate, "WORTH_A_PART", gain)
    model = TunedSVC("rbf", scoring=scoring).fit(X, y)
    record, result = model._record, model.result_
    place = np.empty(len(record.truth), int)
    place[np.argsort(record.truth, kind="stable")] = np.arange(len(place)) % approximate.N_BLOCKS
    blocks = [place == k for k in range(approximate.N_BLOCKS)]
    if scoring == "roc_auc":
        expected = [roc_auc_score(record.truth[one], record.probability[one]) for one in blocks]
    else:
        score = {"accuracy": accuracy_score, "balanced_accuracy": balanced_accuracy_score}[scoring]
        expected = [score(record.truth[one], record.predicted[one]) for one in blocks]
    assert model.best_score_ == result.score
    assert result.score == pytest.approx(np.mean(expected))
    if scoring == "accuracy":
        n = len(place)
        p = (result.score * n + 2) / (n + 4)  # of Agresti and Coull
        assert result.standard_error == pytest.approx(np.sqrt(p * (1 - p) / (n + 4)))
    else:
        assert np.isfinite(result.standard_error)
    assert f"{len(place)} rows that were held out from it" in result.how[-1]
    assert not any("faster rule" in sentence for sentence in result.how)
    machine = model.best_estimator_
    assert model.C_ == getattr(machine, "C_", machine.C)
    assert f"The final model has C = {number(model.C_)};" in result.how[-1]
    assert f"C = {number(result.C)} scored" in result.how[-1]
    assert result.C == model.best_params_["C"]
    assert f"C = {number(model.C_)} " in result.why[0]
    assert result.value == -model.cv_results_["mean_test_score"][model.best_index_]
