"""SVC under scikit-learn's contract: its own checks, and its tools around the estimator."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC as SklearnSVC
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from tests.sklearn_checks import checks_are_counted

from kernelwise import SVC
from kernelwise.kernels import RBF, Mahalanobis

# The checks of weights compare decision values to 1e-7: two solvers' paths must end closer than that.
TOL = 1e-10
CONFIGURATIONS = {
    "rbf": SVC(tol=TOL),
    "linear, fuzzy": SVC(kernel="linear", tol=TOL, class_weight="balanced", multiclass="ovr-fuzzy"),
    "kernel object, one-vs-rest": SVC(kernel=RBF(0.5), tol=TOL, n_jobs=2, multiclass="ovr"),
    "diagonal, by rows": SVC(kernel="diagonal", tol=TOL, memory_limit=1e-3),
    "probability, by decision": SVC(probability=True, tol=TOL, predict_by="decision"),
    "probability, one-vs-rest": SVC(probability=True, tol=TOL, multiclass="ovr", class_weight="balanced"),
    "squared hinge": SVC(loss="squared_hinge", tol=1e-8, probability=True),  # one check allows 1000 steps
    "precomputed": SVC(kernel="precomputed"),
}
# In scikit-learn 1.9; those on sparse input fall away for a Gram matrix.
N_CHECKS = dict.fromkeys(CONFIGURATIONS, 64) | {"precomputed": 61}


@parametrize_with_checks(list(CONFIGURATIONS.values()))
def test_scikit_learn_check(estimator, check):
    check(estimator)


@checks_are_counted
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_number_of_scikit_learn_checks(name):
    """A tag set by mistake skips checks without a word: their number would change."""
    assert len(list(estimator_checks_generator(CONFIGURATIONS[name]))) == N_CHECKS[name]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("kernel", ["rbf", RBF(0.5), Mahalanobis(0.3)], ids=str)
def test_pickle_and_clone(iris, kernel):
    X, y = iris
    model = SVC(kernel=kernel, probability=True, random_state=0).fit(X, y)
    loaded = pickle.loads(pickle.dumps(model))
    assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    copy = clone(model)
    assert not hasattr(copy, "classes_")
    assert_array_equal(copy.fit(X, y).predict_proba(X), model.predict_proba(X))


def test_grid_search_over_a_pipeline_is_that_of_scikit_learn(iris):
    X, y = iris
    grid = {"svc__C": [0.1, 1.0, 10.0], "svc__gamma": ["scale", 0.1]}
    ours, theirs = (
        GridSearchCV(make_pipeline(StandardScaler(), svc), grid).fit(X, y) for svc in (SVC(), SklearnSVC())
    )
    assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"])
    assert ours.best_params_ == theirs.best_params_


def test_grid_search_over_the_parameters_of_a_kernel(iris):
    X, y = iris
    by_kernel = GridSearchCV(SVC(kernel=RBF()), {"kernel__gamma": [0.01, 0.1, 1.0]}).fit(X, y)
    by_name = GridSearchCV(SVC(), {"gamma": [0.01, 0.1, 1.0]}).fit(X, y)
    assert_array_equal(by_kernel.cv_results_["mean_test_score"], by_name.cv_results_["mean_test_score"])


def test_cross_validation_slices_a_gram_matrix_on_both_sides(iris):
    X, y = iris
    kernel = RBF(0.2)
    by_gram = cross_val_score(SVC(kernel="precomputed", C=10.0), kernel(X), y)
    assert_array_equal(by_gram, cross_val_score(SVC(kernel=kernel, C=10.0), X, y))
    search = GridSearchCV(SVC(kernel="precomputed"), {"C": [1.0, 10.0]})
    assert cross_val_score(search, kernel(X), y).mean() > 0.9


@pytest.mark.parametrize("ensemble", [False, True])
def test_calibrated_classifier(iris, ensemble):
    X, y = iris
    model = CalibratedClassifierCV(SVC(), ensemble=ensemble).fit(X, y)
    assert np.mean(model.predict(X) == y) > 0.9
