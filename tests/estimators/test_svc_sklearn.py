"""SVC with scikit-learn's tools around it."""

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

from kernelwise import SVC
from kernelwise.kernels import RBF, Mahalanobis


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
