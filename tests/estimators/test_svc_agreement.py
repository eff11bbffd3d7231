"""SVC gives scikit-learn's answers: decision values, labels and fitted attributes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_iris, make_classification
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.multiclass import OneVsRestClassifier
from sklearn.preprocessing import StandardScaler

from kernelwise import SVC

TOL = 1e-8


@pytest.fixture(params=["two classes", "three classes"])
def samples(request, blobs):
    """Training samples; iris without its repeated row, as coefficients of equal samples are not unique."""
    if request.param == "two classes":
        return blobs
    X, y = load_iris(return_X_y=True)
    rows = np.sort(np.unique(X, axis=0, return_index=True)[1])
    return StandardScaler().fit_transform(X[rows]), y[rows]


def fit_both(X, y, sample_weight=None, **parameters):
    ours = SVC(tol=TOL, **parameters).fit(X, y, sample_weight)
    theirs = sklearn.svm.SVC(tol=TOL, **parameters).fit(X, y, sample_weight)
    return ours, theirs


def assert_same_values(ours, theirs, X, Z=None):
    """Equal labels, and decision values to the precision of LIBSVM, which stores float32 kernel values."""
    expected = theirs.decision_function(X)
    assert_allclose(ours.decision_function(X if Z is None else Z), expected, rtol=1e-5, atol=1e-6)
    assert_array_equal(ours.predict(X if Z is None else Z), theirs.predict(X))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"C": 100.0, "gamma": 0.7},
        {"gamma": "auto"},
        {"kernel": "linear"},
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
        {"kernel": "sigmoid", "gamma": 0.02, "coef0": -0.1},
        {"kernel": laplacian_kernel},
        {"class_weight": "balanced"},
        {"decision_function_shape": "ovo"},
        {"break_ties": True},
    ],
    ids=lambda parameters: ",".join(f"{k}={getattr(v, '__name__', v)}" for k, v in parameters.items()),
)
def test_decision_values_and_labels_are_scikit_learns(samples, parameters):
    X, y = samples
    assert_same_values(*fit_both(X, y, **parameters), X)


def test_sample_and_class_weights(samples):
    X, y = samples
    weight = np.random.default_rng(0).choice([-1.0, 0.0, 0.3, 1.0, 2.5], size=len(y))
    class_weight = {label: 1.0 + k for k, label in enumerate(np.unique(y))}
    gamma = 1.0 / (X.shape[1] * X.var())  # scikit-learn's "scale", which knows no weights
    ours, theirs = fit_both(X, y, weight, class_weight=class_weight, gamma=gamma)
    assert_same_values(ours, theirs, X)
    assert_array_equal(ours.class_weight_, theirs.class_weight_)


def test_weights_are_numbers_of_rows(samples):
    """What is taken from the data is what scikit-learn takes from repeated rows; zero is no row."""
    X, y = samples
    times = np.random.default_rng(0).integers(0, 4, len(y))
    settings = {"class_weight": "balanced", "tol": TOL}
    theirs = sklearn.svm.SVC(**settings).fit(X.repeat(times, axis=0), y.repeat(times))
    ours = SVC(**settings).fit(X, y, times)
    assert ours.kernel_.gamma == pytest.approx(theirs._gamma, rel=1e-12)
    assert_allclose(ours.class_weight_, theirs.class_weight_, rtol=1e-15)
    assert_same_values(ours, theirs, X)
    assert SVC().fit(X, y, np.ones(len(y))).kernel_ == SVC().fit(X, y).kernel_


def test_string_labels(samples):
    X, y = samples
    assert_same_values(*fit_both(X, np.array(["one", "three", "two"])[y]), X)


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array, sparse.coo_array])
@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly"])
def test_sparse_input(samples, container, kernel):
    X, y = samples
    X = np.where(np.abs(X) < 0.5, 0.0, X)
    S = container(X)
    ours, theirs = fit_both(S, y, kernel=kernel)
    assert sparse.issparse(ours.support_vectors_)
    assert_same_values(ours, theirs, S)
    assert_same_values(ours, theirs, S, Z=X)
    # A machine from dense samples takes sparse ones, too.
    assert_allclose(
        SVC(tol=TOL, kernel=kernel).fit(X, y).decision_function(S), ours.decision_function(S), atol=1e-6
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_precomputed(samples, dtype):
    X, y = samples
    K = rbf_kernel(X, gamma=0.3).astype(dtype)
    K = (K + K.T) / 2
    ours, theirs = fit_both(K, y, kernel="precomputed")
    assert_same_values(ours, theirs, K)
    assert ours.support_vectors_.size == 0
    assert ours.kernel_ is None


def test_frames_and_single_precision(samples):
    X, y = samples
    names = [f"feature {k}" for k in range(X.shape[1])]
    plain = SVC(tol=TOL).fit(X, y)
    for frame in (pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        ours, theirs = fit_both(frame, y)
        assert_same_values(ours, theirs, frame)
        assert list(ours.feature_names_in_) == names
        # Another memory layout rounds the Gram matrix differently, and tol is all that fixes a machine.
        assert_allclose(ours.decision_function(frame), plain.decision_function(X), atol=10 * TOL)
    single = X.astype(np.float32)
    assert_same_values(*fit_both(single, y), single)


@pytest.mark.parametrize("kernel", ["rbf", "linear"])
def test_fitted_attributes_are_scikit_learns(samples, kernel):
    X, y = samples
    ours, theirs = fit_both(X, y, kernel=kernel)
    for name in ("classes_", "class_weight_", "fit_status_", "shape_fit_", "n_features_in_"):
        assert_array_equal(getattr(ours, name), getattr(theirs, name))
    for name in ("support_", "n_support_", "n_iter_"):
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype
    assert_array_equal(ours.support_vectors_, X[ours.support_])
    assert_array_equal(ours.n_support_, np.bincount(np.unique(y, return_inverse=True)[1][ours.support_]))
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-5, atol=1e-6)
    assert ours.dual_coef_.shape[0] == theirs.dual_coef_.shape[0]
    # A coefficient of 1e-9 is a support vector or not by chance, so compare over all samples.
    assert_allclose(spread(ours, len(y)), spread(theirs, len(y)), atol=1e-5)
    if kernel == "linear":
        assert_allclose(ours.coef_, theirs.coef_, rtol=1e-5, atol=1e-6)


def spread(machine, n_samples):
    dual_coef = np.zeros((machine.dual_coef_.shape[0], n_samples))
    dual_coef[:, machine.support_] = machine.dual_coef_
    return dual_coef


def test_coef_of_sparse_linear_machine_is_dense_and_correct(samples):
    X, y = samples
    dense = SVC(kernel="linear", tol=TOL).fit(X, y)
    thin = SVC(kernel="linear", tol=TOL).fit(sparse.csr_array(X), y)
    assert isinstance(thin.coef_, np.ndarray)
    assert_allclose(thin.coef_, dense.coef_, rtol=1e-6, atol=1e-7)


def test_one_vs_rest_machines_are_those_of_one_vs_rest_classifier():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = SVC(multiclass="ovr", tol=TOL).fit(X, y)
    theirs = OneVsRestClassifier(sklearn.svm.SVC(tol=TOL)).fit(X, y)
    assert_same_values(ours, theirs, X)
    assert ours.dual_coef_.shape == (3, len(ours.support_))
    assert len(ours.intercept_) == len(ours.n_iter_) == 3


def test_ties_between_votes_go_as_in_scikit_learn():
    """With labels by chance the three pairs often elect three classes."""
    random = np.random.default_rng(0)
    X, y = random.uniform(-1, 1, (60, 2)), random.integers(0, 3, 60)
    Z = random.uniform(-1, 1, (500, 2))
    by_order, theirs = fit_both(X, y, gamma=3.0)
    assert_array_equal(by_order.predict(Z), theirs.predict(Z))
    by_value, theirs = fit_both(X, y, gamma=3.0, break_ties=True)
    assert_array_equal(by_value.predict(Z), theirs.predict(Z))
    assert (by_order.predict(Z) != by_value.predict(Z)).any()


@pytest.mark.parametrize("probability", [False, True])
def test_a_memory_limit_changes_how_not_what(probability):
    X, y = load_iris(return_X_y=True)
    y = np.array(["a", "b", "c"])[y]
    ample = SVC(tol=1e-8, probability=probability, random_state=0).fit(X, y)
    tight = SVC(tol=1e-8, probability=probability, random_state=0, memory_limit=0.01).fit(X, y)
    assert_allclose(tight.decision_function(X), ample.decision_function(X), atol=1e-6)
    if probability:
        assert_allclose(tight.predict_proba(X), ample.predict_proba(X), atol=1e-5)


def test_many_samples_are_trained_without_a_gram_matrix_to_the_same_machine():
    X, y = make_classification(1700, 8, n_informative=6, random_state=1)
    ours = SVC(tol=1e-6).fit(X, y)
    theirs = sklearn.svm.SVC(tol=1e-6).fit(X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-4)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("C", [1.0, 10.0])
def test_nu_is_read_off_a_machine(C, blobs):
    X, y = blobs
    model = SVC(C=C, gamma=1.0, tol=TOL).fit(X, y)
    nu = np.abs(model.dual_coef_).sum() / (C * len(y))
    theirs = sklearn.svm.NuSVC(nu=nu, gamma=1.0, tol=TOL).fit(X, y)
    assert_allclose(model.decision_function(X), theirs.decision_function(X), atol=1e-5)
    values = np.where(y == model.classes_[1], 1.0, -1.0) * model.decision_function(X)
    assert np.mean(values < 1.0 - 1e-6) <= nu <= len(model.support_) / len(y)
