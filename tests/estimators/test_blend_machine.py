"""Machines of several kernels against sums of their members, by hand, and what can be done with them."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_wine
from sklearn.preprocessing import StandardScaler

import kernelwise
from kernelwise import SVC, SVR
from kernelwise.estimators.blend_machine import BlendSVC, BlendSVR
from kernelwise.exceptions import IncompatibleError
from kernelwise.export import plain_model
from kernelwise.kernels import RBF, DiagonalGaussian, KernelSum, Laplacian, Linear, PrecomputedDistance

SUM = KernelSum([RBF(0.1), Laplacian(0.05)], [0.3, 0.7])
KERNELS = [RBF(0.1), Laplacian(0.2), RBF(0.1), SUM, DiagonalGaussian(np.linspace(0.02, 0.2, 13))]
CS = [1.0, 4.0, 16.0, 0.5, 2.0]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return StandardScaler().fit_transform(X), y


def maps(n_machines, n_members=5, seed=0):
    """Slopes and shifts of every member and two-class model."""
    return np.random.default_rng(seed).normal(size=(n_members, n_machines, 2))


def by_hand(machines, of_member, X):
    """Sums of the values of trained machines."""
    return sum(a * machine.machine_values(X) + b for machine, (a, b) in zip(machines, of_member, strict=True))


@pytest.mark.parametrize(("n_classes", "multiclass"), [(2, "ovo"), (3, "ovo"), (3, "ovr")])
@pytest.mark.parametrize("n_asked", [5, 200])  # a few rows, and as many as go to the native core
def test_a_blend_of_classifiers_is_the_sum_of_its_members(wine, n_classes, multiclass, n_asked):
    X, y = wine
    X, y = X[y < n_classes], y[y < n_classes]
    members = [SVC(kernel=k, C=C, multiclass=multiclass) for k, C in zip(KERNELS, CS, strict=True)]
    given = maps(3 if n_classes == 3 else 1)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(y))
    blend = BlendSVC(members, given, multiclass=multiclass).fit(X, y, weight)
    asked = np.random.default_rng(2).normal(size=(n_asked, 13))
    trained = [clone(one).fit(X, y, weight) for one in members]
    expected = by_hand(trained, given.transpose(0, 2, 1), asked)
    found = blend.machine_values(asked)
    assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
    assert len(blend.kernels_) == 4  # two members have one kernel
    assert blend.dual_coef_.shape == (4, found.shape[1], len(blend.support_))
    if n_classes == 2:
        p = 1.0 / (1.0 + np.exp(-expected[:, 0]))
        assert_allclose(blend.predict_proba(asked)[:, 1], p, atol=1e-12)
        assert_allclose(blend.decision_function(asked), expected[:, 0], rtol=1e-12, atol=1e-11)


def test_a_blend_of_regressions_is_the_mean_of_predictions():
    X, y = load_diabetes(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[:150], (y - y.mean())[:150] / y.std()
    weight = np.array([0.4, 0.3, 0.2, 0.1])
    given = np.stack([weight, np.zeros(4)], axis=1)[:, None]
    # Members of one kernel are trained on its Gram matrix, alone on samples: the solver ends elsewhere.
    for last, tol, off in ((RBF(0.1), 1e-3, 1e-12), (RBF(0.02), 1e-10, 1e-7)):
        kernels = [RBF(0.02), Linear(), Laplacian(0.05), last]
        how = zip(kernels, CS, (0.1, 0.2, 0.05, 0.1), strict=False)
        members = [SVR(k, C=C, epsilon=e, tol=tol) for k, C, e in how]
        blend = BlendSVR(members, given).fit(X, y)
        expected = sum(w * clone(one).fit(X, y).predict(X) for w, one in zip(weight, members, strict=True))
        assert_allclose(blend.predict(X), expected, atol=off)
        assert blend.score(X, y) > 0.4


@pytest.mark.parametrize("kernel", ["precomputed", "distances"])
def test_matrices_are_blended(wine, kernel):
    X, y = wine
    if kernel == "precomputed":
        K, kernels = RBF(0.1)(X), ["precomputed"] * 2
    else:
        K = np.abs(X[:, None] - X[None]).sum(axis=2)
        kernels = [PrecomputedDistance(0.1), PrecomputedDistance(0.3)]
    members = [SVC(kernel=k, C=C) for k, C in zip(kernels, (1.0, 8.0), strict=True)]
    given = maps(3, 2)
    blend = BlendSVC(members, given).fit(K, y)
    expected = by_hand([clone(one).fit(K, y) for one in members], given.transpose(0, 2, 1), K)
    assert_allclose(blend.machine_values(K), expected, rtol=1e-12, atol=1e-11)
    assert blend.support_vectors_.shape == (0, 0)


def test_linear_members_alone_are_a_linear_machine(wine):
    X, y = wine
    X, y = X[y < 2], y[y < 2]
    members = [SVC(kernel=Linear(), C=C) for C in (0.1, 1.0)]
    blend = BlendSVC(members, maps(1, 2)).fit(X, y)
    assert_allclose(X @ blend.coef_.T + blend.intercept_, blend.machine_values(X), atol=1e-11)
    with pytest.raises(AttributeError, match="only available when using a linear kernel"):
        BlendSVC([*members, SVC(kernel=RBF(0.1))], maps(1, 3)).fit(X, y).coef_  # noqa: B018


def test_a_blend_is_kept_and_written(wine, tmp_path):
    X, y = wine
    members = [SVC(kernel=k, C=C) for k, C in zip(KERNELS, CS, strict=True)]
    blend = BlendSVC(members, maps(3)).fit(X, y)
    blend.save(tmp_path / "blend.npz")
    for other in (kernelwise.load(tmp_path / "blend.npz"), pickle.loads(pickle.dumps(blend))):
        assert np.array_equal(other.predict_proba(X), blend.predict_proba(X))
        assert np.array_equal(other.fit(X, y).predict_proba(X), blend.predict_proba(X))
    plain = plain_model(blend, blend)
    assert len(plain.terms) == 5  # those of the sum have the same coefficients
    assert len(plain.sums) == 4
    assert_allclose(plain.machine_values(X), blend.machine_values(X), rtol=1e-11, atol=1e-10)


def test_a_damaged_blend_is_refused(wine, tmp_path):
    X, y = wine
    blend = BlendSVC([SVC(kernel=RBF(0.1)), SVC(kernel=RBF(0.2))], maps(3, 2)).fit(X, y)
    blend.dual_coef_ = blend.dual_coef_[:1]
    blend.save(tmp_path / "blend.npz")
    with pytest.raises(ValueError, match="'dual_coef_' of BlendSVC has shape"):
        kernelwise.load(tmp_path / "blend.npz")


def test_scikit_learn_has_no_such_machine(wine):
    model = kernelwise.TunedSVC(["rbf", "laplacian"], blend=True, cv=3).fit(*wine)
    with pytest.raises(
        IncompatibleError, match=r"to_sklearn cannot hold a BlendSVC\. Train with blend=False"
    ):
        model.to_sklearn()
