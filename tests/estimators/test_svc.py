"""What SVC has beyond scikit-learn's, and what it says about bad input."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from kernelwise import SVC
from kernelwise.estimators import _machine
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import KERNELS, RBF, Gaussian, Linear, Mahalanobis


@pytest.fixture
def iris():
    return load_iris(return_X_y=True)


@pytest.mark.parametrize("name", sorted(KERNELS.keys() - {"sigmoid"}))
def test_every_kernel_name_trains(name, iris01):
    model = SVC(kernel=name).fit(*iris01)
    assert type(model.kernel_) is type(KERNELS[name]())
    assert model.score(*iris01) > 0.8


def test_kernel_far_from_positive_semidefinite_warns(iris01):
    with pytest.warns(KernelwiseWarning, match="far from positive semi-definite"):
        SVC(kernel="sigmoid").fit(*iris01)


def test_kernel_object_equals_its_gram_matrix(blobs):
    X, y = blobs
    kernel = RBF(0.3)
    by_kernel = SVC(kernel=kernel).fit(X[:40], y[:40])
    by_gram = SVC(kernel="precomputed").fit(kernel(X[:40]), y[:40])
    assert_allclose(by_kernel.decision_function(X), by_gram.decision_function(kernel(X, X[:40])), atol=1e-12)


def test_kernel_that_needs_data_gets_the_training_data(blobs):
    X, y = blobs
    kernel = Mahalanobis(delta=0.4)
    model = SVC(kernel=kernel).fit(X, y)
    assert_allclose(model.kernel_.covariance, X.var(axis=0))
    assert model.kernel_.delta == 0.4
    assert kernel.covariance == "diagonal"
    assert SVC(kernel=Gaussian()).fit(X, y).kernel_.Q.shape == (4, 4)


def test_linear_kernel_object_has_coef(blobs):
    X, y = blobs
    model = SVC(kernel=Linear()).fit(X, y)
    assert_allclose(X @ model.coef_[0] + model.intercept_, model.decision_function(X))
    with pytest.raises(AttributeError, match="only available when using a linear kernel"):
        _ = SVC().fit(X, y).coef_


def shared_letters(words, others):
    return np.array([[float(len(set(a) & set(b))) for b in others] for a in words])


def test_kernel_function_of_words():
    words = ["apple", "grape", "pear", "peach", "dog", "fox", "wolf", "frog"]
    model = SVC(kernel=shared_letters).fit(words, ["fruit"] * 4 + ["animal"] * 4)
    assert_array_equal(model.predict(["pea", "goof"]), ["fruit", "animal"])
    assert set(model.support_vectors_) <= set(words)


@pytest.mark.parametrize("least_rows", [3, 7, 40])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"kernel": "linear"}, {"multiclass": "ovr"}, {"kernel": np.inner}],
    ids=["rbf", "linear", "ovr", "function"],
)
def test_blocks_of_rows_and_support_vectors_do_not_change_the_values(
    iris, parameters, least_rows, monkeypatch
):
    X, y = iris
    model = SVC(**parameters).fit(X, y)
    expected = model.decision_function(X)
    monkeypatch.setattr(_machine, "BLOCK", 7 * len(model.support_) + 1)
    monkeypatch.setattr(_machine, "LEAST_ROWS", least_rows)
    assert_allclose(model.decision_function(X), expected, rtol=1e-10)


def test_no_support_vector_leaves_the_offset(blobs):
    X, y = blobs
    model = SVC(tol=10.0).fit(X, y)
    assert model.support_.size == 0
    assert_array_equal(model.decision_function(X), np.full(len(y), model.intercept_[0]))


@pytest.mark.parametrize("multiclass", ["ovo", "ovr"])
def test_warm_start_takes_fewer_steps_to_the_same_machine(iris, multiclass):
    X, y = iris
    cold = SVC(C=12.0, tol=1e-8, multiclass=multiclass).fit(X, y)
    warm = SVC(C=10.0, tol=1e-8, multiclass=multiclass, warm_start=True).fit(X, y)
    warm.set_params(C=12.0).fit(X, y)
    assert warm.n_iter_.sum() < cold.n_iter_.sum()
    assert_allclose(warm.machine_values(X), cold.machine_values(X), atol=1e-6)


def test_warm_start_on_other_data_starts_anew(iris):
    X, y = iris
    model = SVC(warm_start=True).fit(X, y)
    for rows in (y < 2, np.arange(150) % 2 == 0):
        fresh = SVC().fit(X[rows], y[rows])
        assert_array_equal(model.fit(X[rows], y[rows]).dual_coef_, fresh.dual_coef_)
    model.set_params(multiclass="ovr").fit(X[rows], y[rows])
    assert_array_equal(model.dual_coef_, SVC(multiclass="ovr").fit(X[rows], y[rows]).dual_coef_)


def test_unit_place_order_and_names_do_not_matter(iris):
    """What must not matter: the unit and origin of the features, the order of rows, the names of classes."""
    X, y = iris
    model = SVC(tol=1e-10).fit(X, y)
    expected = model.decision_function(X)
    order = np.random.default_rng(0).permutation(150)
    names = np.array(["a", "b", "c"])
    same = {
        "unit": SVC(tol=1e-10).fit(1e3 * X, y).decision_function(1e3 * X),
        "origin": SVC(tol=1e-10).fit(X + 5.0, y).decision_function(X + 5.0),
        "order": SVC(tol=1e-10).fit(X[order], y[order]).decision_function(X),
        "names": SVC(tol=1e-10).fit(X, names[y]).decision_function(X),
    }
    for values in same.values():
        assert_allclose(values, expected, atol=1e-7)
    assert_array_equal(SVC().fit(X, names[y]).predict(X), names[SVC().fit(X, y).predict(X)])


def test_threads_do_not_change_the_result(iris):
    X, y = iris
    one, two = (SVC(probability=True, random_state=0, n_jobs=n).fit(X, y) for n in (1, 2))
    assert_array_equal(one.dual_coef_, two.dual_coef_)
    assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_fit_leaves_constructor_arguments_untouched(blobs):
    X, y = blobs
    kernel = Mahalanobis()
    model = SVC(kernel=kernel, class_weight={-1: 2.0}, probability=True)
    before = dict(vars(model))
    model.fit(X, y)
    assert {name: vars(model)[name] for name in before} == before
    assert kernel == Mahalanobis()


def test_early_stop_warns_once_and_is_flagged(iris):
    X, y = iris
    with pytest.warns(ConvergenceWarning, match="3 of 3 models stopped early, after up to 2 iter") as caught:
        model = SVC(C=1e3, kernel="linear", max_iter=2).fit(X, y)
    assert len(caught) == 1
    assert model.fit_status_ == 1


def test_verbose_prints_one_line(blobs, capsys):
    model = SVC(verbose=True).fit(*blobs)
    line = f"[SVC] 1 model, {model.n_iter_[0]} steps, {len(model.support_)} support vectors\n"
    assert capsys.readouterr().out == line


BAD_PARAMETERS = {
    "'C' parameter of SVC must be a positive number. Got 0": {"C": 0},
    "'tol' parameter of SVC must be a positive number": {"tol": -1.0},
    "'memory_limit' parameter of SVC must be a positive number": {"memory_limit": None},
    "'multiclass' parameter of SVC must be one of 'ovo', 'ovr', 'ovr-fuzzy', 'ovo-reject'": {
        "multiclass": "all"
    },
    "'gamma' parameter of SVC must be one of 'scale', 'auto' or .* Got 'wide'": {"gamma": "wide"},
    "'gamma' of RBF must be a positive float, got 0.0": {"gamma": 0},
    "kernel must be a Kernel or one of 'linear', .* got 'cubic'": {"kernel": "cubic"},
    "class_weight must be positive and finite for every class": {"class_weight": {-1: -2.0}},
    "has no pairwise values": {"multiclass": "ovr", "decision_function_shape": "ovo"},
    r"returned an array of shape \(60,\) for 60 column samples": {"kernel": lambda X, Y: X[:, 0]},
    "The Gram matrix K is not symmetric": {"kernel": lambda X, Y: X @ np.roll(Y, 1, axis=1).T},
}


@pytest.mark.parametrize("message", BAD_PARAMETERS)
def test_bad_parameter_is_named(blobs, message):
    with pytest.raises(ValueError, match=message):
        SVC(**BAD_PARAMETERS[message]).fit(*blobs)


def test_overflowing_kernel_is_refused(blobs):
    X, y = blobs
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="are out of the range of numbers"):
        SVC(kernel="poly", gamma=1e200).fit(X, y)


def test_bad_labels_and_weights(iris):
    X, y = iris
    with pytest.raises(ValueError, match="The number of classes has to be greater than one; got 1 class"):
        SVC().fit(X, np.zeros(150))
    for weight in (np.zeros(150), -np.ones(150)):
        with pytest.raises(ValueError, match="all samples have zero or negative weights"):
            SVC().fit(X, y, weight)
    with pytest.raises(ValueError, match="all samples with positive weights belong to the same class"):
        SVC().fit(X, y, y == 2)
    with pytest.raises(ValueError, match="Class 2 has no sample of positive weight"):
        SVC().fit(X, y, y - 2.0 * (y == 2) + 1.0 * (y == 0))
    with pytest.raises(ValueError, match=r"sample_weight has shape \(3,\), expected \(150,\)"):
        SVC().fit(X, y, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="must be finite and not negative, got nan in row 0"):
        SVC().fit(X, y, np.where(np.arange(150) == 0, np.nan, 1.0))


def test_bad_prediction(iris):
    X, y = iris
    with pytest.raises(NotFittedError):
        SVC().predict(X)
    with pytest.raises(ValueError, match="break_ties must be False when decision_function_shape is 'ovo'"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(X, y).predict(X)
    with pytest.raises(ValueError, match="X has 3 features, but SVC is expecting 4"):
        SVC().fit(X, y).predict(X[:, :3])
