"""NystroemSVC: against the machines it stands for, and what it does with odd input."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris, make_circles, make_classification
from sklearn.kernel_approximation import Nystroem
from sklearn.svm import LinearSVC

from kernelwise import SVC, NystroemSVC
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF, DiagonalGaussian, Linear, Sigmoid
from kernelwise.large import LinearMachine, NystroemMap, choose_landmarks
from kernelwise.search import Rows
from kernelwise.search.propose import landmarks as _nystroem_search


@pytest.fixture(scope="module")
def samples():
    X, y = make_classification(600, 6, n_informative=4, random_state=1)
    return X, y


def test_map_is_that_of_scikit_learn(samples):
    X = samples[0]
    peer = Nystroem(gamma=0.1, n_components=40, random_state=0).fit(X)
    ours = NystroemMap.from_landmarks(RBF(0.1), peer.components_)
    # The features differ by a rotation: their inner products do not.
    features, others = ours.transform(X), peer.transform(X)
    assert_allclose(features @ features.T, others @ others.T, atol=1e-9)
    marked = ours.transform(peer.components_)
    assert_allclose(marked @ marked.T, RBF(0.1)(peer.components_), atol=1e-9)


def test_machine_is_that_of_a_scikit_learn_pipeline(samples):
    X, y = samples
    ours = NystroemSVC(RBF(0.1), C=2.0, n_components=30).fit(X, y)
    Phi = NystroemMap.from_landmarks(RBF(0.1), X[ours.support_]).transform(X)
    # At 10⁴ it stops a little above the minimum, whatever its tol; at 10⁵ it reaches it.
    peer = LinearSVC(C=2.0, dual=False, intercept_scaling=1e4, tol=1e-12, max_iter=10000).fit(Phi, y)
    assert_array_equal(ours.support_vectors_, X[ours.support_])
    assert_allclose(ours.machine_values(X).ravel(), peer.decision_function(Phi), atol=1e-6)


def test_with_all_rows_as_landmarks_it_is_the_kernel_machine():
    """The dual of the squared hinge is the hinge's with K + I/(2C) and no bound."""
    X, y = make_circles(60, noise=0.1, factor=0.5, random_state=0)
    C = 3.0
    phi = NystroemMap.from_landmarks(RBF(1.0), X)
    solution = LinearMachine(phi.blocks(X, 10.0), 2.0 * y - 1.0).solve(C)
    exact = SVC(kernel="precomputed", C=1e6, tol=1e-9).fit(RBF(1.0)(X) + np.eye(60) / (2.0 * C), y)
    values = RBF(1.0)(X)[:, exact.support_] @ exact._beta[0] + exact.intercept_[0]
    assert_allclose(solution.values, values, atol=1e-5)


@pytest.mark.parametrize("limit", [1e-3, 10.0])
def test_features_that_do_not_fit_are_computed_again(samples, limit):
    X, y = samples
    whole = NystroemSVC(RBF(0.1), n_components=30).fit(X, y)
    part = NystroemSVC(RBF(0.1), n_components=30, memory_limit=limit).fit(X, y)
    assert_allclose(part.decision_function(X), whole.decision_function(X), atol=1e-8)


def test_single_precision_features_give_nearly_the_same_machine(samples, monkeypatch):
    X, y = samples
    double = NystroemSVC(RBF(0.1), n_components=30).fit(X, y)
    monkeypatch.setattr("kernelwise.large.DOUBLE", 0.0)
    single = NystroemSVC(RBF(0.1), n_components=30).fit(X, y)
    difference = np.abs(single.decision_function(X) - double.decision_function(X)).max()
    assert 0.0 < difference < 1e-4


@pytest.mark.parametrize("multiclass", ["ovo", "ovr", "ovr-fuzzy", "ovo-reject"])
def test_three_classes(multiclass):
    X, y = load_iris(return_X_y=True)
    model = NystroemSVC(n_components=40, multiclass=multiclass).fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.decision_function(X).shape == (150, 3)
    p = model.predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0)
    assert_allclose(np.exp(model.predict_log_proba(X)), p)
    assert np.mean(p.argmax(axis=1) == y) > 0.9


def test_sparse_samples_give_the_same_machine(samples):
    X, y = samples
    dense = NystroemSVC(RBF(0.1), n_components=30).fit(X, y)
    thin = NystroemSVC(RBF(0.1), n_components=30).fit(sparse.csr_array(X), y)
    assert_allclose(thin.decision_function(sparse.csr_array(X)), dense.decision_function(X), atol=1e-7)


def test_class_weights_move_the_boundary(samples):
    X, y = samples
    plain = NystroemSVC(C=1.0, n_components=30).fit(X, y)
    moved = NystroemSVC(C=1.0, n_components=30, class_weight={0: 1.0, 1: 20.0}).fit(X, y)
    assert moved.predict(X).sum() > plain.predict(X).sum()


def test_landmarks_grow_while_it_pays(samples, monkeypatch):
    X, y = samples
    monkeypatch.setattr(_nystroem_search, "SIZES", (2, 4, 8, 16, 32, 64, 128))
    model = NystroemSVC(RBF(0.1), random_state=1).fit(X, y)
    tried = np.unique(model.search_results_["n_components"])
    assert 2 < len(tried) < 7
    best = [model.search_results_["score"][model.search_results_["n_components"] == m].max() for m in tried]
    assert best[-1] < max(best[:-1]) + 0.01
    assert model.held_out_score_ == max(best)


def test_landmarks_do_not_grow_towards_what_they_cannot_reach(samples, monkeypatch):
    X, y = samples
    monkeypatch.setattr(_nystroem_search, "SIZES", (2, 4, 8, 16))

    def tried(ceiling):
        machine = NystroemSVC(RBF(0.1), random_state=1)
        rows = Rows(X, y, *np.ones((2, len(y))), np.arange(2))
        rows.score = machine._score(rows)
        machine.classes_ = rows.classes
        return [len(one.landmarks) for one in machine.searched(rows, ceiling).candidates]

    assert tried(lambda search: 10.0) == [2, 4]
    assert tried(lambda search: 0.0) == tried(None) == [2, 4, 8, 16]


def test_many_rows_are_searched_on_a_sample_and_trained_on_all(samples, monkeypatch):
    X, y = samples
    monkeypatch.setattr(_nystroem_search, "MAX_SEARCH_ROWS", 200)
    few = NystroemSVC(RBF(0.1), C=2.0, n_components=30).fit(X, y)
    Phi = NystroemMap.from_landmarks(RBF(0.1), few.support_vectors_)
    all_rows = LinearMachine(Phi.blocks(X, 10.0), 2.0 * y - 1.0).solve(2.0)
    assert_allclose(few.machine_values(X).ravel(), all_rows.values, atol=1e-6)


def test_landmarks_are_spread_in_the_kernels_metric():
    X = np.array([[0.0, 0.0], [0.0, 50.0], [1.0, 0.0], [1.0, 50.0]])
    for seed in range(5):  # the second feature has next to no weight
        rows = choose_landmarks(DiagonalGaussian(np.array([1.0, 1e-12])), X, 2, seed)
        assert set(X[rows, 0]) == {0.0, 1.0}


def test_rank_of_a_linear_kernel_is_that_of_the_data(samples):
    X, y = samples  # two of the six features are combinations of others
    assert NystroemSVC(Linear(), n_components=50).fit(X, y).n_components_ == 4


def test_an_indefinite_kernel_warns(samples):
    X, y = samples
    with pytest.warns(KernelwiseWarning, match=r"indefinite: its eigenvalues range from -.* another kernel"):
        NystroemSVC(Sigmoid(gamma=1.0, coef0=-1.0), n_components=30).fit(X, y)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"C": 0.0}, "'C' parameter of NystroemSVC must be 'auto' or a positive number"),
        (
            {"n_components": 0},
            "'n_components' parameter of NystroemSVC must be 'auto' or an integer of at least 1. Got 0",
        ),
        ({"n_components": "many"}, "must be 'auto' or an integer of at least 1. Got 'many'"),
        ({"memory_limit": -1}, "'memory_limit' parameter of NystroemSVC must be a positive number"),
        ({"multiclass": "all"}, "'multiclass' parameter of NystroemSVC must be one of"),
        ({"kernel": "gauss"}, "gauss"),
    ],
)
def test_bad_parameters_are_refused(samples, settings, message):
    with pytest.raises(ValueError, match=message):
        NystroemSVC(**settings).fit(*samples)


def test_a_class_of_one_row_is_trained_on_and_not_held_out(samples):
    X, y = samples
    X = X.copy()
    X[7] += 20.0
    y = np.where(np.arange(len(y)) == 7, 2, y)
    model = NystroemSVC(n_components=len(y)).fit(X, y)
    assert model.predict(X[[7]]) == [2]
    shares = _nystroem_search.held_out_shares(y, np.ones(len(y)), 0)
    assert shares[7] == 0.0
    assert _nystroem_search.held_out_shares(y, np.where(y == 2, 2.0, 1.0), 0)[7] == 0.5
    with pytest.raises(ValueError, match=r"^Every class has 1 sample, so none can be held out"):
        NystroemSVC().fit([[0.0], [1.0]], [0, 1])


def test_the_search_of_c_balances_what_it_trains_on():
    """As bounds of the training part itself: by the counts of its rows, not of all rows."""
    y = np.repeat([0, 1], [10, 5])
    rows = Rows(np.zeros((15, 1)), y, np.ones(15), np.repeat([0.75, 1.5], [10, 5]), np.arange(2), True)
    share = np.ones(15)
    share[[0, 1, 10, 11, 12]] = 0.0  # 8 and 2 are left
    expected = np.where(y == 0, 10 / (2 * 8), 10 / (2 * 2)) * share
    assert_allclose(rows.bound_on(share), expected)
    fewer = rows[np.arange(14)].bound_on(share[:14])  # 8 and 1
    assert_allclose(fewer[[5, 13]], [9 / (2 * 8), 9 / 2])
