"""TunedSVR with a Nyström machine at the end: when it is taken, and what is known of it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import make_friedman1
from tests.estimators.test_tuned_svc_nystroem import assert_compared, nystroem_findings
from threadpoolctl import threadpool_limits

from kernelwise import NystroemSVR, TunedSVR, load
from kernelwise.exceptions import IncompatibleError
from kernelwise.search import Rows
from kernelwise.search.engine.context import Deadline
from kernelwise.search.final import approximate
from kernelwise.search.propose import landmarks


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """BLAS threads that wait for a busy core take a hundred times as long as these small systems."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.fixture(scope="module")
def samples():
    return make_friedman1(300, n_features=5, noise=0.5, random_state=0)


@pytest.fixture(scope="module")
def model(samples):
    return TunedSVR(solver="nystroem").fit(*samples)


def test_nystroem_when_asked_for(samples, model, tmp_path):
    X, y = samples
    machine = model.best_estimator_
    assert isinstance(machine, NystroemSVR)
    assert (machine.kernel_, machine.epsilon) == (model.kernel_, model.epsilon_)
    assert model.score(X, y) > 0.97
    values = machine.predict(model.scaler_.transform(X))
    assert_allclose(model.predict(X), model.target_mean_ + model.target_scale_ * values)
    assert_allclose(machine.support_vectors_[:, 0].std(), 1.0, atol=0.3)  # scaled features
    with pytest.raises(IncompatibleError, match="to_sklearn cannot hold a NystroemSVR"):
        model.to_sklearn()
    model.save(tmp_path / "model.kw")
    loaded = load(tmp_path / "model.kw")
    assert_array_equal(loaded.predict(X), model.predict(X))
    assert loaded.best_estimator_.n_trained_ == 300
    assert model.n_svm_fits_ > len(model.cv_results_["params"]) + machine.search_results_["C"].size


def test_the_record_is_of_rows_that_were_held_out(samples, model):
    """A fifth of the rows is held out, in the units of y, and its errors are what a report shows."""
    record = model._record
    assert (record.n_rows, len(record.truth)) == (300, 60)
    # Targets are on a grid of 2⁻²⁶ deviations.
    nearest = np.abs(record.truth[:, None] - samples[1]).min(axis=1)
    assert nearest.max() <= 2.0**-27 * model.target_scale_ * 1.001
    error = np.mean((record.truth - record.predicted) ** 2)
    assert 1.0 - error / model.target_scale_**2 == pytest.approx(model.best_estimator_.held_out_score_)


def test_a_report_shows_the_machine_and_the_finding(samples, model, tmp_path):
    model.report(tmp_path / "report.html", *samples)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert nystroem_findings(model)[0].message in page


def test_the_finding_has_scores_of_both_machines_on_other_rows(model):
    assert_compared(nystroem_findings(model), [240, 60], least=0.9, gap=0.02)


@pytest.mark.slow
def test_auto_is_exact_for_few_rows_and_nystroem_for_many(samples, model, monkeypatch):
    few = TunedSVR().fit(*samples)
    assert not isinstance(few.best_estimator_, NystroemSVR)
    assert not nystroem_findings(few)
    monkeypatch.setattr(approximate, "EXACT_WORK", 0.0)
    monkeypatch.setattr(approximate, "MANY", 200)
    monkeypatch.setattr(approximate, "WORTH_A_PART", 1.0)
    many = TunedSVR().fit(*samples)
    assert "because 300 distinct rows are more than 200" in nystroem_findings(many)[0].message
    assert_array_equal(many.predict(samples[0]), model.predict(samples[0]))
    assert not isinstance(TunedSVR(solver="exact").fit(*samples).best_estimator_, NystroemSVR)
    # The search is the same.
    assert (many.kernel_, many.result_.value) == (few.kernel_, few.result_.value)
    # The score is that of the final machine: R² by the variance of all targets, of rows held out from it.
    truth, predicted = many._record.truth, many._record.predicted
    place = np.arange(len(truth)) % approximate.N_BLOCKS
    of_blocks = [np.mean((truth - predicted)[place == k] ** 2) for k in range(approximate.N_BLOCKS)]
    assert many.best_score_ == pytest.approx(1.0 - np.mean(of_blocks) / np.var(samples[1]))


def test_a_weight_is_a_repeated_row(samples):
    X, y = samples[0][:120], samples[1][:120]
    weight = np.random.default_rng(0).integers(0, 3, 120)
    settings = {"solver": "nystroem", "scoring": "neg_mean_absolute_error", "cv": 2}
    weighted = TunedSVR(**settings).fit(X, y, weight)
    repeated = TunedSVR(**settings).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-6)


def test_sparse_samples(samples):
    X, y = samples[0][:120], samples[1][:120]
    settings = {"kernel": "rbf", "solver": "nystroem", "cv": 2, "scale": None}
    dense, found = TunedSVR(**settings).fit(X, y), TunedSVR(**settings).fit(sparse.csr_matrix(X), y)
    assert sparse.issparse(found.best_estimator_.support_vectors_)
    assert_allclose(found.predict(X), dense.predict(X), rtol=1e-6)


def test_a_learned_metric(samples):
    X, y = samples[0][:120], samples[1][:120]
    settings = {"kernel": "diagonal", "criterion": "centered-kta", "cv": 2}
    exact, model = TunedSVR(**settings).fit(X, y), TunedSVR(**settings, solver="nystroem").fit(X, y)
    assert isinstance(model.best_estimator_, NystroemSVR)
    assert model.best_estimator_.kernel_ == model.kernel_ == exact.kernel_
    assert_array_equal(model.relevance_, exact.relevance_)
    assert model.score(X, y) == pytest.approx(exact.score(X, y), abs=0.05)


def test_a_deadline_stops_the_growth_and_limits_the_rows(samples, monkeypatch):
    X, y = samples
    monkeypatch.setattr(landmarks, "MAX_SEARCH_ROWS", 100)
    monkeypatch.setattr(landmarks, "SIZES", (5, 10, 20))
    deadline = Deadline(1e-9, clock=lambda: 0.0)
    machine = NystroemSVR()
    rows = Rows(X, y, np.ones(300), np.ones(300), deadline=deadline)
    rows.score = lambda decision, test, weight: -np.mean((decision - y[test]) ** 2, axis=1)
    machine.fit_rows(rows)
    assert machine.n_trained_ == 100
    assert set(machine.search_results_["n_components"]) == {5}
    assert deadline.skipped == ["10 landmarks", "training on 200 of 300 distinct rows"]


def test_a_gram_matrix_has_no_landmarks(samples):
    X, y = samples
    with pytest.raises(ValueError, match="solver='nystroem' of TunedSVR needs kernel values"):
        TunedSVR("precomputed", solver="nystroem").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="'solver' parameter of TunedSVR must be one of 'auto', 'exact'"):
        TunedSVR(solver="fast").fit(X, y)
