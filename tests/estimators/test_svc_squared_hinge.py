"""SVC with the squared hinge: the 2-norm machine, whose C is that of the radius-margin quotient."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_moons
from tests.solvers.test_squared_hinge import hard_margin

from kernelwise import SVC, load
from kernelwise.estimators.grid_search import GridSearchSVC
from kernelwise.kernels import RBF
from kernelwise.selection import glasmachers_select

X, y = make_moons(90, noise=0.35, random_state=0)
WEIGHT = np.random.default_rng(0).uniform(0.3, 2.0, 90)
EXACT = {"loss": "squared_hinge", "tol": 1e-9}


def by_hand(K, labels, cost):
    """Decision values of the samples by LIBSVM on K + diag(1/(C w)) and a linear system."""
    beta, b = hard_margin(K + np.diag(1.0 / cost), np.where(labels == labels.max(), 1, -1))
    return K @ beta + b


@pytest.mark.parametrize("memory_limit", [4096, 1e-3])
def test_decision_values_are_those_of_an_independent_solver(memory_limit):
    kernel = RBF(0.8)
    model = SVC(C=2.0, kernel=kernel, memory_limit=memory_limit, class_weight={0: 1.0, 1: 3.0}, **EXACT)
    model.fit(X, y, WEIGHT)
    cost = 2.0 * WEIGHT * np.where(y == 1, 3.0, 1.0)
    np.testing.assert_allclose(model.decision_function(X), by_hand(kernel(X), y, cost), atol=1e-6)
    assert np.abs(model.dual_coef_).max() > 0
    assert model.dual_coef_.sum() == pytest.approx(0.0, abs=1e-9)


def test_precomputed_and_sparse_samples_give_the_same():
    model = SVC(C=3.0, kernel=RBF(0.8), **EXACT).fit(X, y)
    K = RBF(0.8)(X)
    given = SVC(C=3.0, kernel="precomputed", **EXACT).fit(K, y)
    np.testing.assert_allclose(given.decision_function(K), model.decision_function(X), atol=1e-7)
    thin = SVC(C=3.0, kernel=RBF(0.8), **EXACT).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.decision_function(X), model.decision_function(X), atol=1e-6)


def test_each_pair_of_classes_has_its_machine():
    iris, labels = load_iris(return_X_y=True)
    kernel = RBF(0.3)
    model = SVC(C=2.0, kernel=kernel, decision_function_shape="ovo", **EXACT).fit(iris, labels)
    for m, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)]):
        rows = np.flatnonzero((labels == a) | (labels == b))
        expected = by_hand(kernel(iris[rows]), labels[rows] == a, np.full(rows.size, 2.0))
        np.testing.assert_allclose(model.decision_function(iris)[rows, m], expected, atol=1e-6)


def test_files_pickles_and_exports_have_the_same_decision_values(tmp_path):
    model = SVC(C=1.5, kernel=RBF(0.8), probability=True, loss="squared_hinge").fit(X, y)
    model.save(tmp_path / "model.npz")
    for other in (load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(model))):
        assert other.loss == "squared_hinge"
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    np.testing.assert_allclose(model.to_sklearn().predict_proba(X), model.predict_proba(X), atol=1e-10)
    assert "double" in model.to_c()


def test_radius_margin_has_its_machine():
    """The C that radius-margin finds is that of the 2-norm machine: no cross-validation is needed for it."""
    result = glasmachers_select(X, y, loss="squared_hinge")
    assert result.C == pytest.approx(result.search.criterion.C)
    assert np.isnan(result.cv_accuracy)
    assert result.estimator.loss == "squared_hinge"
    assert result.estimator.score(X, y) > 0.8
    cross_validated = glasmachers_select(X, y, "kta", loss="squared_hinge", Cs=[0.1, 1.0, 10.0])
    assert cross_validated.C in (0.1, 1.0, 10.0)
    assert cross_validated.estimator.loss == "squared_hinge"


def test_an_unknown_loss_is_refused():
    with pytest.raises(ValueError, match="'loss' parameter of SVC must be"):
        SVC(loss="log").fit(X, y)
    with pytest.raises(ValueError, match="'loss' parameter of GridSearchSVC must be"):
        GridSearchSVC(loss="log").fit(X, y)
    with pytest.raises(ValueError, match="'loss' of glasmachers_select must be"):
        glasmachers_select(X, y, loss="log")
