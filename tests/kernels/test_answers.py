"""What kernels say of themselves, so that nobody has to ask for their class."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.svm import SVC

from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import (
    KERNELS,
    RBF,
    DiagonalGaussian,
    DiagonalLaplacian,
    ExponentialRBF,
    Kernel,
    KernelSum,
    Laplacian,
    LowRankGaussian,
    Mahalanobis,
    as_kernel,
    kernel_as_dict,
)
from kernelwise.kernels.gram import Grams, base_of
from kernelwise.testing import central_difference, check_kernel

GAUSSIAN = {"rbf", "mahalanobis", "mahalanobis-full", "diagonal", "gaussian", "low-rank"}
CITY_BLOCK = {"laplacian", "diagonal-laplacian"}
METRICS = ("diagonal", "gaussian", "low-rank")


@pytest.fixture
def X(blobs):
    return blobs[0]


def named(question):
    """Names of the kernels that say yes."""
    return {name for name in KERNELS if getattr(as_kernel(name), question)}


def test_families():
    assert named("is_linear") == {"linear"}
    assert named("is_radial") == {*GAUSSIAN, *CITY_BLOCK, "exponential", "kmod"}
    assert named("is_gaussian") == GAUSSIAN
    assert named("has_one_width") == {"rbf", "mahalanobis", "mahalanobis-full", "exponential", "laplacian"}
    assert named("distance") == {*GAUSSIAN, *CITY_BLOCK, "exponential"}
    assert set(KERNELS) - named("takes_sparse") == CITY_BLOCK
    assert named("learns_metric") == set(METRICS)
    assert named("scales_features") == {"mahalanobis", "mahalanobis-full"}
    assert named("needs_data") == GAUSSIAN - {"rbf"} | {"diagonal-laplacian"}


@pytest.mark.parametrize("name", KERNELS)
def test_data_settle_what_was_missing(name, blobs):
    assert not as_kernel(name).initialize(*blobs).needs_data


def test_bases_are_shared_by_kernels_without_a_map(X):
    assert {name: base_of(as_kernel(name)) for name in KERNELS} == {
        **dict.fromkeys(KERNELS),
        **dict.fromkeys(("linear", "poly", "sigmoid"), "inner products"),
        **dict.fromkeys(("rbf", "exponential", "kmod"), "squared distances"),
        "laplacian": "city-block distances",
    }
    assert base_of("precomputed") is None
    assert base_of(lambda X, Y: X @ Y.T) is None
    with Grams(X, ["squared distances"]).gram(RBF(0.3)) as K:
        np.testing.assert_array_equal(K, RBF(0.3)(X))
    with Grams(X, ["city-block distances"]).gram(Laplacian(0.3)) as K:
        np.testing.assert_array_equal(K, Laplacian(0.3)(X))


def test_a_kernel_with_neither_base_has_no_profile(X):
    class Minimum(Kernel):
        def __init__(self):
            pass

        def _gram(self, X, Y):
            return np.minimum(X[:, None], Y).sum(axis=2)

        def _diagonal(self, X):
            return X.sum(axis=1)

        def _gradient_dot(self, X, Y, W, K):
            return np.empty(0)

    kernel = Minimum()
    assert kernel.gram_base is None
    assert kernel.title == "Minimum"
    assert kernel.linear_map(3) is None
    assert kernel.sklearn_params() is None
    assert kernel.transform(X) is X
    with pytest.raises(IncompatibleError, match="Minimum is not a function of distances"):
        kernel.profile(np.ones(3))


def test_only_gaussian_kernels_have_a_metric():
    np.testing.assert_array_equal(RBF(0.5).metric(3), np.eye(3))
    np.testing.assert_array_equal(DiagonalGaussian([1.0, 4.0]).metric(2), np.diag([1.0, 4.0]))
    np.testing.assert_allclose(Mahalanobis(1.0, [1.0, 4.0]).metric(2), np.diag([1.0, 0.25]))
    with pytest.raises(IncompatibleError, match="KMOD has no metric"):
        as_kernel("kmod").metric(3)


def test_feature_weights_are_those_of_a_diagonal_metric():
    kernel = DiagonalGaussian([1.0, 4.0])
    kernel.feature_weights[0] = 9.0  # a copy
    assert kernel.with_feature_weights([2.0, 3.0]) == DiagonalGaussian([2.0, 3.0])
    np.testing.assert_array_equal(kernel.feature_weights, [1.0, 4.0])
    assert all(as_kernel(name).feature_weights is None for name in KERNELS)
    with pytest.raises(IncompatibleError, match="RBF has no weights of features"):
        RBF().with_feature_weights([1.0])

    other = DiagonalLaplacian([1.0, 4.0])
    np.testing.assert_array_equal(other.feature_weights, [1.0, 4.0])
    assert other.with_feature_weights([2.0, 3.0]) == DiagonalLaplacian([2.0, 3.0])


@pytest.mark.parametrize(
    "kernel", [RBF(0.3), Mahalanobis(0.3, [1.0] * 4), ExponentialRBF(0.3), Laplacian(0.3)]
)
def test_the_factor_for_a_scale(kernel):
    assert kernel.rescaled(kernel.factor_for(1.7)).scale == pytest.approx(1.7, rel=1e-14)


def test_only_kernels_of_a_distance_have_one():
    with pytest.raises(IncompatibleError, match="KMOD has no distances"):
        as_kernel("kmod").distances(np.eye(2))
    with pytest.raises(IncompatibleError, match="KMOD has no scale"):
        _ = as_kernel("kmod").scale


@pytest.mark.parametrize("name", METRICS)
def test_a_trace_can_be_held(name, blobs):
    kernel = as_kernel(name).initialize(*blobs)
    theta = kernel.theta
    assert kernel.log_trace(theta) == pytest.approx(np.log(np.trace(kernel.metric(theta.shape[-1]))))
    assert kernel.log_trace(kernel.with_log_trace(theta, 0.3)) == pytest.approx(0.3)
    target = np.random.default_rng(0).normal(size=theta.shape)
    numeric = central_difference(lambda at: float(np.vdot(target, kernel.with_log_trace(at, 0.3))), theta)
    np.testing.assert_allclose(kernel.pull_back(theta, target, 0.3), numeric, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", sorted(set(KERNELS) - CITY_BLOCK - {"exponential", "kmod"}))
def test_scikit_learn_computes_the_same_kernel(name, blobs):
    X, y = blobs
    kernel = as_kernel(name).initialize(X, y)
    Z = kernel.transform(X)
    ours = SVC(kernel="precomputed", C=1.0, tol=1e-8).fit(kernel(X), y)
    theirs = SVC(**kernel.sklearn_params(), C=1.0, tol=1e-8).fit(Z, y)
    expected = ours.decision_function(kernel(X))
    np.testing.assert_allclose(theirs.decision_function(Z), expected, rtol=1e-5, atol=1e-6)


def test_other_kernels_are_not_scikit_learns():
    class Cubic(KERNELS["poly"]):
        def _profile(self, Z):
            return Z**3

    assert [as_kernel(name).sklearn_params() for name in ("exponential", "kmod", "laplacian")] == [None] * 3
    assert Cubic().sklearn_params() is None


def test_titles_are_those_of_people_and_of_subclasses():
    class Mine(LowRankGaussian):
        pass

    assert [as_kernel(name).title for name in ("linear", "kmod", "exponential", "gaussian", "low-rank")] == [
        "Linear kernel",
        "KMOD",
        "Exponential RBF",
        "Gaussian with a full metric",
        "Low-rank Gaussian",
    ]
    assert Mine().title == "Mine"


def test_a_wrong_answer_is_found_out():
    class Stretched(RBF):
        def linear_map(self, n_features):
            return np.full(n_features, 2.0)

    class Doubled(RBF):
        def metric(self, n_features):
            return 2.0 * super().metric(n_features)

    with pytest.raises(AssertionError, match="linear_map is not the map of transform"):
        check_kernel(Stretched())
    with pytest.raises(AssertionError, match=r"metric is not that of kernel\(X\)"):
        check_kernel(Doubled())


@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_the_same_after_a_way_through_json(name, X):
    kernel = as_kernel(name).initialize(X)
    both = KernelSum([RBF(0.3), kernel], [0.25, 1.0])
    for one in (kernel, both):
        assert as_kernel(json.loads(json.dumps(kernel_as_dict(one)))) == one


class OwnRBF(RBF):
    """A kernel of the user."""


def test_dicts_that_are_no_kernels():
    with pytest.raises(ValueError, match="OwnRBF is no kernel of this package"):
        kernel_as_dict(OwnRBF(1.0))
    with pytest.raises(ValueError, match=r"must be one of 'Linear', .* got {'name': 'OwnRBF'}"):
        as_kernel({"name": "OwnRBF"})
    with pytest.raises(ValueError, match=r"wrong parameters: {'name': 'RBF', 'sigma': 1.0}"):
        as_kernel({"name": "RBF", "sigma": 1.0})
