"""A classifier with a kernel for every pair of classes."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from kernelwise.optimizers import QuasiNewton
from kernelwise.selection import PairwiseSVC, ayat_select

SHORT = QuasiNewton("golden", max_iter=2, min_decrease=0.05)
QUICK = {"optimizer": SHORT, "scan": False, "C": 10.0}


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


@pytest.fixture(scope="module")
def model(iris):
    return PairwiseSVC(**QUICK).fit(*iris[:2])


def test_labels_are_votes_of_the_pairs(model, iris):
    result = ayat_select(*iris[:2], kernel="rbf", refit=True, **QUICK)
    values = result.decision_function(iris[2])
    for k, label in enumerate(model.predict(iris[2])):
        votes = Counter(
            pair.classes[0] if value > 0 else pair.classes[1]
            for pair, value in zip(result.pairs, values[k], strict=True)
        )
        assert votes[label] == max(votes.values())
    np.testing.assert_array_equal(model.decision_function(iris[2]).argmax(axis=1), model.predict(iris[2]))


def test_every_pair_has_a_kernel_of_its_own(model):
    assert len({pair.tuned.kernel.gamma for pair in model.result_.pairs}) == 3


def test_rejected_samples_have_their_label(iris):
    X, y, X_test, _ = iris
    names = np.array(["a", "b", "c"])
    model = PairwiseSVC("rbf", combine="reject", reject_label="none", **QUICK).fit(X, names[y])
    far = np.vstack([X_test, 50.0 + np.zeros((1, 4))])
    numbers = ayat_select(X, y, kernel="rbf", refit=True, **QUICK).predict(far)
    assert model.predict(far).tolist() == ["none" if k < 0 else names[k] for k in numbers]


def test_two_classes_have_one_value(iris):
    X, y, X_test, _ = iris
    keep = y < 2
    model = PairwiseSVC(**QUICK).fit(X[keep], y[keep])
    values = model.decision_function(X_test)
    assert values.shape == (len(X_test),)
    np.testing.assert_array_equal(model.predict(X_test), (values > 0).astype(int))


def test_sparse_clone_pickle_pipeline_and_threads(model, iris):
    X, y, X_test, _ = iris
    expected = model.decision_function(X_test)
    again = clone(model).set_params(n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(again.decision_function(X_test), expected)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X_test), expected)
    thin = PairwiseSVC(**QUICK).fit(sparse.csr_matrix(X), y)
    np.testing.assert_allclose(thin.decision_function(sparse.csr_matrix(X_test)), expected, atol=1e-5)
    scores = cross_val_score(make_pipeline(StandardScaler(), PairwiseSVC(**QUICK)), X, y, cv=3)
    assert scores.mean() > 0.85


def test_bad_use_is_refused(iris):
    with pytest.raises(ValueError, match="'combine' of PairwiseSVC must be one of 'reject', 'vote'"):
        PairwiseSVC(combine="mean").fit(*iris[:2])
    with pytest.raises(ValueError, match="Set 'reject_label' of PairwiseSVC"):
        PairwiseSVC(combine="reject").fit(iris[0], np.array(["a", "b", "c"])[iris[1]])
    with pytest.raises(NotFittedError):
        PairwiseSVC().predict(iris[0])
