"""The losses of SVC, grids and searches: what smooth ones have in common, and what each has of its own."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from scipy.special import expit
from sklearn.base import clone
from sklearn.datasets import load_iris, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from tests.solvers.test_logistic import by_lbfgs
from tests.solvers.test_squared_hinge import hard_margin

from kernelwise import SVC, TunedSVC, load
from kernelwise.estimators.grid_search import GridSearchSVC
from kernelwise.kernels import RBF
from kernelwise.selection import glasmachers_select
from kernelwise.solvers.dual import LOSSES

X, y = make_moons(90, noise=0.35, random_state=0)
WEIGHT = np.random.default_rng(0).uniform(0.3, 2.0, 90)
IRIS, KINDS = load_iris(return_X_y=True)


def by_hard_margin(K, signs, cost):
    """β and decision values of the squared hinge by LIBSVM on K + diag(1/(C w)) and a linear system."""
    beta, b = hard_margin(K + np.diag(1.0 / cost), signs)
    return beta, K @ beta + b


def by_logistic(K, signs, cost):
    """β and decision values of the logistic loss by L-BFGS."""
    values, _ = by_lbfgs(K, signs, cost)
    return cost * signs * expit(-signs * values), values


#: Independent solvers of the smooth losses.
BY_HAND = {"squared_hinge": by_hard_margin, "logistic": by_logistic}
SMOOTH = tuple(BY_HAND)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("memory_limit", [4096, 1e-3])
def test_decision_values_are_those_of_an_independent_solver(memory_limit, loss):
    kernel = RBF(0.8)
    exact = {"loss": loss, "tol": 1e-9, "memory_limit": memory_limit}
    model = SVC(C=2.0, kernel=kernel, class_weight={0: 1.0, 1: 3.0}, **exact).fit(X, y, WEIGHT)
    cost = 2.0 * WEIGHT * np.where(y == 1, 3.0, 1.0)
    beta, values = BY_HAND[loss](kernel(X), 2 * y - 1, cost)
    np.testing.assert_allclose(model.decision_function(X), values, atol=1e-6)
    np.testing.assert_allclose(model.beta_[0], beta[model.support_], atol=1e-6)
    assert model.dual_coef_.sum() == pytest.approx(0.0, abs=1e-9)
    if loss == "logistic":
        assert model.n_support_.sum() == 90


@pytest.mark.parametrize("loss", SMOOTH)
def test_precomputed_and_sparse_samples_give_the_same(loss):
    exact = {"loss": loss, "tol": 1e-9}
    model = SVC(C=3.0, kernel=RBF(0.8), **exact).fit(X, y)
    K = RBF(0.8)(X)
    given = SVC(C=3.0, kernel="precomputed", **exact).fit(K, y)
    np.testing.assert_allclose(given.decision_function(K), model.decision_function(X), atol=1e-7)
    thin = SVC(C=3.0, kernel=RBF(0.8), **exact).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.decision_function(X), model.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_each_pair_or_class_has_its_machine(multiclass, loss):
    kernel, shape = RBF(0.3), {"multiclass": multiclass, "decision_function_shape": multiclass}
    model = SVC(C=2.0, kernel=kernel, **shape, loss=loss, tol=1e-9)
    values = model.fit(IRIS, KINDS).machine_values(IRIS)
    for m, (a, b) in enumerate([(0, 1), (0, 2), (1, 2)] if multiclass == "ovo" else [(0, None), (1, None)]):
        rows = np.flatnonzero((KINDS == a) | (KINDS == b)) if b is not None else np.arange(150)
        signs = np.where(KINDS[rows] == a, 1, -1)
        _, expected = BY_HAND[loss](kernel(IRIS[rows]), signs, np.full(rows.size, 2.0))
        np.testing.assert_allclose(values[rows, m], expected, atol=1e-6)


@pytest.mark.parametrize("loss", SMOOTH)
def test_probabilities_come_from_the_same_machine(loss):
    hinge, model = (
        SVC(C=1.0, kernel=RBF(0.8), probability=True, loss=one, tol=1e-6, random_state=0).fit(X, y)
        for one in ("hinge", loss)
    )
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    assert log_loss(y, P) < 0.4
    assert not np.allclose(P, hinge.predict_proba(X), atol=1e-3)
    by_rows = clone(model).set_params(memory_limit=1e-3)
    np.testing.assert_allclose(by_rows.fit(X, y).predict_proba(X), P, atol=1e-4)
    n_jobs = clone(model).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(n_jobs.predict_proba(X), P)


@pytest.mark.parametrize("loss", SMOOTH)
def test_warm_starts_end_at_the_same_machine(loss):
    exact = {"loss": loss, "tol": 1e-9}
    model = SVC(C=1.0, kernel=RBF(0.8), warm_start=True, **exact).fit(X, y)
    warm = model.set_params(C=1.2).fit(X, y).decision_function(X)
    cold = SVC(C=1.2, kernel=RBF(0.8), **exact).fit(X, y).decision_function(X)
    np.testing.assert_allclose(warm, cold, atol=1e-7)


def test_an_early_stop_is_told():
    with pytest.warns(ConvergenceWarning, match="1 of 1 models stopped early, after up to 1 iterations"):
        model = SVC(C=100.0, loss="logistic", max_iter=1).fit(X, y)
    assert model.fit_status_ == 1


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("is_search", [True, False])
def test_files_pickles_and_exports_answer_as_the_model_does(is_search, loss, tmp_path):
    if is_search:
        model = TunedSVC("rbf", Cs=[0.5, 8.0], cv=3, loss=loss).fit(X, y)
        assert model.best_estimator_.loss == loss
    else:
        model = SVC(C=1.5, kernel=RBF(0.8), probability=True, loss=loss).fit(X, y)
    model.save(tmp_path / "model.npz")
    for other in (load(tmp_path / "model.npz"), pickle.loads(pickle.dumps(model))):
        assert other.loss == loss
        np.testing.assert_array_equal(other.decision_function(X), model.decision_function(X))
        np.testing.assert_array_equal(other.predict_proba(X), model.predict_proba(X))
    np.testing.assert_allclose(model.to_sklearn().predict_proba(X), model.predict_proba(X), atol=1e-10)
    assert "double" in model.to_c()


@pytest.mark.parametrize("loss", SMOOTH)
def test_grid_search_is_a_search_by_hand(loss):
    folds = list(StratifiedKFold(3).split(X, y))
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.3, 3.0]}
    search = GridSearchSVC(grid, cv=folds, loss=loss, tol=1e-6).fit(X, y)
    for row, found in zip(search.cv_results_["params"], search.cv_results_["mean_test_score"], strict=True):
        scores = [
            SVC(loss=loss, tol=1e-6, **row).fit(X[train], y[train]).score(X[test], y[test])
            for train, test in folds
        ]
        assert found == pytest.approx(np.mean(scores))
    assert search.best_estimator_.loss == loss


@pytest.mark.parametrize("loss", LOSSES)
def test_a_search_scores_what_single_machines_do(loss):
    folds = list(StratifiedKFold(3).split(X, y))
    model = TunedSVC(RBF(0.8), Cs=[0.3, 3.0], cv=folds, loss=loss, scale=None, tol=1e-6).fit(X, y)
    kernel = model.kernel_
    rows = zip(model.cv_results_["params"], model.cv_results_["mean_test_score"], strict=True)
    for found in [score for row, score in rows if row["kernel"] == kernel and row["C"] == model.C_]:
        parts = [
            SVC(kernel=kernel, C=model.C_, loss=loss, tol=1e-6)
            .fit(X[train], y[train])
            .score(X[test], y[test])
            for train, test in folds
        ]
        assert found == pytest.approx(np.mean(parts))
    alone = SVC(kernel=kernel, C=model.C_, loss=loss, tol=1e-6).fit(X, y)
    values, expected = model.machine_values(X)[:, 0], alone.machine_values(X)[:, 0]
    np.testing.assert_allclose(values, expected, atol=1e-4)


@pytest.mark.parametrize("loss", SMOOTH)
def test_larger_values_of_C_are_tried_where_no_coefficient_has_a_bound(loss):
    """The hinge loss may stop there: no coefficient at its bound means the same model for all larger C."""
    many, labels = make_moons(200, noise=0.05, random_state=0)
    model = TunedSVC(RBF(0.02), scale=None, cv=3, loss=loss).fit(many, labels)
    assert len(set(model.cv_results_["param_C"])) > 5
    assert model.best_score_ > 0.95


@pytest.mark.parametrize("loss", SMOOTH)
def test_no_support_vector_is_said_to_be_at_a_bound(loss):
    model = TunedSVC("rbf", Cs=[1e-3], cv=3, loss=loss).fit(X, y)
    assert model.fit_record_.n_bounded == 0


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


@pytest.mark.parametrize("model", [SVC, GridSearchSVC, TunedSVC])
def test_an_unknown_loss_is_refused(model):
    with pytest.raises(ValueError, match=f"'loss' parameter of {model.__name__} must be"):
        model(loss="log").fit(X, y)


def test_an_unknown_loss_of_a_procedure_is_refused():
    with pytest.raises(ValueError, match="'loss' of glasmachers_select must be"):
        glasmachers_select(X, y, loss="log")
