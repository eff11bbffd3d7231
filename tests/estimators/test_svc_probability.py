"""Probabilities of SVC: the coupling, the folds behind them, and their agreement with predict."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.datasets import load_digits, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import cross_val_predict, train_test_split

from kernelwise import SVC
from kernelwise.search import folds_for_sigmoids
from kernelwise.solvers.probability import couple, fit_platt, platt_probability


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return train_test_split(X, y, random_state=0)


def test_coupling_recovers_probabilities_that_are_consistent():
    p = np.random.default_rng(0).dirichlet(np.ones(4), size=50)
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    pairwise = np.column_stack([p[:, i] / (p[:, i] + p[:, j]) for i, j in pairs])
    assert_allclose(couple(pairwise, 4), p, atol=1e-10)


def test_coupling_minimises_the_second_methods_cost():
    r01, r02, r12 = pairwise = np.array([0.9, 0.2, 0.7])

    def cost(q):
        p = np.append(q, 1 - q.sum())
        pairs = ((0, 1, r01), (0, 2, r02), (1, 2, r12))
        return sum(((1 - r) * p[i] - r * p[j]) ** 2 for i, j, r in pairs)

    best = minimize(cost, [0.3, 0.3], method="Nelder-Mead", options={"xatol": 1e-12, "fatol": 1e-16}).x
    assert_allclose(couple(pairwise[None], 3)[0, :2], best, atol=1e-7)


def test_coupling_of_certain_pairs_stays_a_distribution():
    pairwise = np.array([[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    p = couple(pairwise, 3)
    assert_allclose(p.sum(axis=1), 1.0)
    assert (p >= 0).all()
    assert_allclose(p[:2], [[1, 0, 0], [0, 0, 1]], atol=1e-6)
    assert_allclose(p[2], 1 / 3)


def test_two_classes_follow_the_definition(blobs):
    """One sigmoid on the decision values of five machines that did not see the sample."""
    X, y = blobs
    model = SVC(gamma=0.3, probability=True, random_state=5, tol=1e-8).fit(X, y)
    index = np.unique(y, return_inverse=True)[1]
    folds = folds_for_sigmoids(X, index, np.ones(len(y)), 5)
    assert_array_equal(folds.rows, np.arange(len(y)))
    sizes = [np.bincount(index[test], minlength=2) for _, test in folds.folds]
    assert len(sizes) == 5
    assert np.ptp(sizes, axis=0).max() <= 1  # stratified
    settings = {"cv": folds.folds, "method": "decision_function"}
    held_out = cross_val_predict(SVC(gamma=0.3, tol=1e-8), X, y, **settings)
    expected = platt_probability(model.machine_values(X).ravel(), *fit_platt(held_out, y))
    assert_allclose(model.predict_proba(X)[:, 1], expected, rtol=1e-5)
    assert_allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_probabilities_of_digits_agree_with_predict(digits, multiclass):
    X, X_new, y, y_new = digits
    model = SVC(probability=True, random_state=0, multiclass=multiclass).fit(X, y)
    p = model.predict_proba(X_new)
    assert_allclose(p.sum(axis=1), 1.0)
    assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X_new))
    by_votes = model.set_params(predict_by="decision").predict(X_new)
    assert np.mean(model.classes_[p.argmax(axis=1)] == by_votes) > 0.98
    assert log_loss(y_new, p) < 0.15


def test_weight_zero_is_absence():
    X, y = load_iris(return_X_y=True)
    weight = np.where(np.arange(150) % 3 == 0, 0.0, 1.0)
    settings = {"gamma": 0.3, "tol": 1e-8, "probability": True, "random_state": 0}
    weighted = SVC(**settings).fit(X, y, weight)
    absent = SVC(**settings).fit(X[weight > 0], y[weight > 0])
    assert_allclose(weighted.predict_proba(X), absent.predict_proba(X), atol=1e-6)


def test_seed_decides_the_folds():
    X, y = load_iris(return_X_y=True)
    first, again, other = (
        SVC(probability=True, random_state=seed).fit(X, y).predict_proba(X) for seed in (0, 0, 1)
    )
    assert_array_equal(first, again)
    assert not np.allclose(first, other)


def test_small_classes_make_for_fewer_folds(blobs):
    X, y = blobs
    rows = np.r_[0:2, 25:60]
    p = SVC(probability=True, random_state=0).fit(X[rows], y[rows]).predict_proba(X)
    assert_allclose(p.sum(axis=1), 1.0)


@pytest.mark.parametrize("memory_limit", [4096, 1e-3], ids=["Gram matrix", "rows"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_a_weight_is_a_number_of_rows_in_any_order(class_weight, memory_limit):
    X, y = load_iris(return_X_y=True)
    random = np.random.default_rng(0)
    times = random.integers(0, 4, 150)
    rows = random.permutation(np.repeat(np.arange(150), times))
    settings = {"tol": 1e-10, "probability": True, "random_state": 0, "class_weight": class_weight}
    weighted, repeated = (SVC(memory_limit=memory_limit, **settings) for _ in range(2))
    expected = repeated.fit(X[rows], y[rows]).predict_proba(X)
    assert_allclose(weighted.fit(X, y, times).predict_proba(X), expected, atol=1e-7)


def test_probabilities_only_on_request(blobs):
    X, y = blobs
    model = SVC().fit(X, y)
    assert not hasattr(model, "predict_proba")
    assert not hasattr(model, "predict_log_proba")
    with pytest.raises(NotFittedError, match="not available when fitted with probability=False"):
        model.set_params(probability=True).predict_proba(X)
