"""NystroemSVR: against the machines it stands for, and what it does with odd input."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVR

import kernelwise
from kernelwise import SVR, NystroemSVR
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import RBF, Linear
from kernelwise.large import LinearMachine, NystroemMap, squared_epsilon_insensitive
from kernelwise.search.engine.context import Deadline
from kernelwise.search.propose import landmarks


@pytest.fixture(scope="module")
def samples():
    return make_friedman1(500, n_features=6, noise=0.5, random_state=1)


def test_machine_is_that_of_a_scikit_learn_pipeline(samples):
    X, y = samples
    ours = NystroemSVR(RBF(0.5), C=2.0, epsilon=0.3, n_components=30).fit(X, y)
    Phi = NystroemMap.from_landmarks(RBF(0.5), X[ours.support_]).transform(X)
    peer = LinearSVR(C=2.0, epsilon=0.3, loss="squared_epsilon_insensitive", dual=False, tol=1e-12)
    peer.set_params(intercept_scaling=1e5, max_iter=10000).fit(Phi, y)
    assert_array_equal(ours.support_vectors_, X[ours.support_])
    assert_allclose(ours.predict(X), peer.predict(Phi), atol=1e-3)  # it stops a little above the minimum


def test_without_a_tube_it_is_ridge_regression_on_the_features(samples):
    X, y = samples
    ours = NystroemSVR(RBF(0.5), C=2.0, epsilon=0.0, n_components=30).fit(X, y)
    Phi = NystroemMap.from_landmarks(RBF(0.5), X[ours.support_]).transform(X)
    assert_allclose(ours.predict(X), Ridge(alpha=0.25).fit(Phi, y).predict(Phi), atol=1e-7)


def test_it_is_about_as_good_as_an_exact_machine(samples):
    X, y = samples
    train, test = np.arange(400), np.arange(400, 500)
    exact = SVR(RBF(0.5), C=20.0, epsilon=0.1).fit(X[train], y[train])
    ours = NystroemSVR(RBF(0.5)).fit(X[train], y[train])
    assert ours.score(X[test], y[test]) > exact.score(X[test], y[test]) - 0.02
    assert ours.n_trained_ == 400


def test_sparse_samples_give_the_same_machine(samples):
    X, y = samples
    dense = NystroemSVR(RBF(0.5), n_components=30).fit(X, y)
    thin = NystroemSVR(RBF(0.5), n_components=30).fit(sparse.csr_array(X), y)
    assert_allclose(thin.predict(sparse.csr_array(X)), dense.predict(X), atol=1e-6)


@pytest.mark.parametrize("limit", [1e-3, 10.0])
def test_features_that_do_not_fit_are_computed_again(samples, limit):
    X, y = samples
    kept = NystroemSVR(RBF(0.5), n_components=30).fit(X, y)
    computed = NystroemSVR(RBF(0.5), n_components=30, memory_limit=limit).fit(X, y)
    assert_allclose(computed.predict(X), kept.predict(X), atol=1e-7)


@pytest.mark.parametrize("factor", [1e-6, 1e6])
def test_units_of_the_targets_do_not_matter(samples, factor):
    X, y = samples
    ours = NystroemSVR(n_components=30, epsilon=0.2).fit(X, y)
    scaled = NystroemSVR(n_components=30, epsilon=0.2 * factor).fit(X, factor * y)
    assert scaled.C_ == ours.C_
    assert_allclose(scaled.predict(X) / factor, ours.predict(X), rtol=1e-6)


def test_landmarks_grow_while_it_pays(samples, monkeypatch):
    monkeypatch.setattr(landmarks, "SIZES", (2, 4, 8, 16, 32, 64, 128))
    model = NystroemSVR(RBF(0.5)).fit(*samples)
    tried = np.unique(model.search_results_["n_components"])
    assert len(tried) > 2
    assert model.held_out_score_ > 0.8


def test_many_rows_are_searched_on_a_sample_and_trained_on_all(samples, monkeypatch):
    X, y = samples
    monkeypatch.setattr(landmarks, "MAX_SEARCH_ROWS", 200)
    few = NystroemSVR(RBF(0.5), C=2.0, epsilon=0.2, n_components=30).fit(X, y)
    blocks = NystroemMap.from_landmarks(RBF(0.5), few.support_vectors_).blocks(X, 10.0)
    loss = partial(squared_epsilon_insensitive, epsilon=0.2)
    assert_allclose(few.predict(X), LinearMachine(blocks, y, loss=loss).solve(2.0).values, atol=1e-6)


def test_prepared_rows_with_a_deadline_and_a_score_of_their_own(samples, monkeypatch):
    X, y = samples
    monkeypatch.setattr(landmarks, "MAX_SEARCH_ROWS", 100)
    deadline = Deadline(1e-9, clock=lambda: 0.0)
    asked = []

    def score(predictions, test, weight):
        asked.append((predictions.shape, test))
        return -np.average(np.abs(predictions - y[test]), axis=1, weights=weight)

    machine = NystroemSVR(n_components=20)
    rows = landmarks.Rows(X, y, np.ones(500), np.ones(500), score=score, deadline=deadline)
    search = machine.searched(rows)
    machine.train_on(search)
    held_out = search.held_out()
    assert machine.n_trained_ == 100
    assert deadline.skipped == ["training on 400 of 500 distinct rows"]
    assert asked[0][0] == (10, 20)
    assert_array_equal(held_out.rows, asked[0][1])
    assert held_out.decision.shape == (20, 1)
    assert (
        machine.held_out_score_
        == machine.search_results_["score"][machine.C_ == machine.search_results_["C"]]
    )


def test_the_final_machine_is_trained_on_the_rows_that_others_are_a_sample_of(samples):
    X, y = samples
    everything = landmarks.Rows(X, y, np.ones(500), np.ones(500))
    part = landmarks.Rows(X[:200], y[:200], np.ones(200), np.ones(200), full=everything)
    part.score = lambda predictions, *_: np.zeros(len(predictions))
    machine = NystroemSVR(RBF(0.5), n_components=30, C=2.0, epsilon=0.0)
    machine.fit_rows(part)
    Phi = NystroemMap.from_landmarks(RBF(0.5), machine.support_vectors_).transform(X)
    assert machine.n_trained_ == 500
    assert_allclose(machine.predict(X), Ridge(alpha=0.25).fit(Phi, y).predict(Phi), atol=1e-7)


def test_a_linear_kernel_has_weights_of_the_features(samples):
    X, y = samples
    model = NystroemSVR(Linear(), n_components=50, epsilon=0.0).fit(X, y)
    assert model.n_components_ == 6
    assert_allclose(X @ model.coef_[0] + model.intercept_[0], model.predict(X))
    with pytest.raises(AttributeError, match="only available when using a linear kernel"):
        _ = NystroemSVR(n_components=10).fit(X, y).coef_


def test_constant_targets_are_predicted(samples):
    X, _ = samples
    model = NystroemSVR(n_components=10, epsilon=0.0).fit(X, np.full(len(X), 3.0))
    assert_allclose(model.predict(X), 3.0)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_saved_machine_comes_back(samples, form, tmp_path):
    X, y = form(samples[0]), samples[1]
    model = NystroemSVR(n_components=20).fit(X, y)
    model.save(tmp_path / "model.npz")
    for other in (kernelwise.load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(model))):
        assert type(other) is NystroemSVR
        assert_array_equal(other.predict(X), model.predict(X))
        assert other.C_ == model.C_
        assert other.n_trained_ == model.n_trained_
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("dual_coef_", np.zeros((2, 20)), "'dual_coef_' of NystroemSVR has shape"),
        ("intercept_", np.array([np.nan]), "'intercept_' of NystroemSVR is not finite"),
        ("support_vectors_", np.zeros((20, 5)), "'support_vectors_' of NystroemSVR has shape"),
        ("kernel_", "rbf", "its kernel is a str"),
    ],
)
def test_a_file_whose_parts_do_not_fit_is_refused(samples, name, value, says, tmp_path):
    model = NystroemSVR(n_components=20).fit(*samples)
    setattr(model, name, value)
    model.save(tmp_path / "model.npz")
    with pytest.raises(ValueError, match=says):
        kernelwise.load(tmp_path / "model.npz")


def test_a_kernel_of_ones_own_is_not_saved(samples, tmp_path):
    class Own(RBF):
        """A kernel that no other program knows."""

    with pytest.raises(IncompatibleError, match="save cannot store NystroemSVR"):
        NystroemSVR(Own(0.5), n_components=10).fit(*samples).save(tmp_path / "model.npz")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"C": 0.0}, "'C' parameter of NystroemSVR must be 'auto' or a positive number"),
        ({"epsilon": -0.1}, "'epsilon' parameter of NystroemSVR must be .* not negative"),
        (
            {"n_components": 0},
            "'n_components' parameter of NystroemSVR must be 'auto' or an integer of at least 1. Got 0",
        ),
        ({"memory_limit": -1}, "'memory_limit' parameter of NystroemSVR must be a positive number"),
        ({"kernel": "gauss"}, "gauss"),
        ({"kernel": "precomputed"}, "kernel must be a Kernel or one of"),
    ],
)
def test_bad_parameters_are_refused(samples, settings, message):
    with pytest.raises(ValueError, match=message):
        NystroemSVR(**settings).fit(*samples)


@pytest.mark.parametrize(
    ("weight", "message"),
    [([0.0, 1.0, 0.0], "needs at least 2 samples of positive weight"), ([0.0, 0.0, 0.0], "zero or negative")],
)
def test_too_few_samples_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        NystroemSVR().fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0], sample_weight=weight)
