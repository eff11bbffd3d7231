"""Sums of kernels: values, parameters, gradients by weights, and what they refuse."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.svm import SVC as ReferenceSVC

from kernelwise import SVC
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import (
    RBF,
    DiagonalGaussian,
    DiagonalLaplacian,
    Gaussian,
    KernelSum,
    Laplacian,
    Linear,
)
from kernelwise.kernels.gram import Shapes
from kernelwise.kernels.metric import feature_relevance
from kernelwise.testing import check_kernel


@pytest.mark.parametrize(
    "kernel",
    [
        KernelSum([RBF(), Laplacian()]),
        KernelSum((RBF(), DiagonalLaplacian(), Linear()), weights=[0.5, 2.0, 3.0]),
        KernelSum([KernelSum([RBF(), Laplacian()], [2.0, 0.5]), Gaussian()]),
    ],
)
def test_contract(kernel):
    check_kernel(kernel)


def test_a_machine_with_a_sum_has_the_decision_values_of_the_summed_matrix(blobs):
    X, y = blobs
    kernel = KernelSum([RBF(0.3), Laplacian(0.2)])
    K = RBF(0.3)(X) + Laplacian(0.2)(X)
    ours = SVC(kernel=kernel, C=2.0, tol=1e-12).fit(X, y)
    ours_of_matrix = SVC(kernel="precomputed", C=2.0, tol=1e-12).fit(K, y)
    expected = ours_of_matrix.decision_function(K)
    np.testing.assert_allclose(ours.decision_function(X), expected, atol=1e-10)
    # LIBSVM keeps the matrix in single precision while it solves.
    theirs = ReferenceSVC(kernel="precomputed", C=2.0, tol=1e-12).fit(K, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(K), atol=1e-5)


def test_gradient_by_weights_is_the_contraction_with_each_kernel():
    rng = np.random.default_rng(0)
    X, W = rng.normal(size=(12, 3)), rng.normal(size=(12, 12))
    parts, weights = [RBF(0.3), Laplacian(0.2)], [0.5, 2.0]
    found = KernelSum(parts, weights).gradient_dot(X, W)
    expected = [w * np.vdot(W, kernel(X)) for w, kernel in zip(weights, parts, strict=True)]
    np.testing.assert_allclose(found[:2], expected, rtol=1e-12)
    by_gamma = [kernel.gradient_dot(X, w * W)[0] for w, kernel in zip(weights, parts, strict=True)]
    np.testing.assert_allclose(found[2:], by_gamma, rtol=1e-12)


def test_parameters_have_names_and_come_back():
    kernel = KernelSum([RBF(0.3), Gaussian(np.eye(2)), Laplacian(0.2)])
    names = ("weights[0]", "weights[1]", "weights[2]", "kernels[0].gamma", "kernels[2].gamma")
    assert kernel.theta_names == names
    moved = kernel.with_theta(np.log([1.0, 2.0, 3.0, 0.4, 0.5]))
    assert moved == KernelSum([RBF(0.4), Gaussian(np.eye(2)), Laplacian(0.5)], moved.weights)
    np.testing.assert_allclose(moved.weights, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"has shape \(5,\), got \(4,\)"):
        kernel.with_theta(np.zeros(4))
    assert clone(kernel) == kernel == pickle.loads(pickle.dumps(kernel))
    assert kernel != KernelSum([RBF(0.3), Gaussian(np.eye(2)), Laplacian(0.25)])


def test_parts_are_of_the_whole_sum():
    inner = KernelSum([RBF(0.3), Laplacian(0.2)], [2.0, 0.5])
    assert KernelSum([inner, Linear()], [3.0, 1.0]).parts() == [
        (6.0, RBF(0.3)),
        (1.5, Laplacian(0.2)),
        (1.0, Linear()),
    ]
    assert RBF(0.3).parts() == [(1.0, RBF(0.3))]


def test_a_sum_is_rescaled_kernel_by_kernel():
    X = np.random.default_rng(0).normal(size=(12, 3))
    kernel = KernelSum([RBF(0.3), Laplacian(0.2)], [0.5, 2.0])
    np.testing.assert_allclose(kernel.rescaled(4.0)(X), kernel(2.0 * X), rtol=1e-12)
    assert kernel.input_powers
    assert KernelSum([RBF(), Gaussian()]).input_powers == {"kernels": 1.0}
    assert KernelSum([RBF(), Linear()]).input_powers == {}


def test_sparse_samples_need_kernels_that_all_take_them():
    X = sparse.csr_array(np.eye(4))
    expected = RBF(0.3)(np.eye(4)) + np.eye(4)
    np.testing.assert_allclose(KernelSum([RBF(0.3), Linear()])(X), expected)
    with pytest.raises(IncompatibleError, match="KernelSum takes dense samples only"):
        KernelSum([RBF(0.3), Laplacian()])(X)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "must be a list of kernels"),
        ((RBF(),), "must be a list of kernels"),
        ((["rbf"],), "must be Kernel objects, got 'rbf'"),
        (([RBF()], [1.0, 2.0]), "expected one for each of 1 kernels"),
        (([RBF()], [0.0]), "must be positive numbers"),
        (([RBF()], [np.nan]), "must be positive numbers"),
    ],
)
def test_wrong_parameters_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        KernelSum(*arguments)


def test_relevance_is_the_mean_over_the_kernels_with_weights():
    variance = np.array([1.0, 4.0])
    gaussian, city = DiagonalGaussian([2.0, 1.0]), DiagonalLaplacian([3.0, 1.0])
    assert feature_relevance(RBF(0.3), variance) is None
    np.testing.assert_allclose(feature_relevance(gaussian, variance), [2 / 6, 4 / 6])
    np.testing.assert_allclose(feature_relevance(city, variance), [3 / 5, 2 / 5])
    together = KernelSum([RBF(0.3), gaussian, city], [1.0, 1.0, 3.0])
    expected = (np.array([2 / 6, 4 / 6]) + 3.0 * np.array([3 / 5, 2 / 5])) / 4.0
    np.testing.assert_allclose(feature_relevance(together, variance), expected)


@pytest.mark.parametrize("kernel", [DiagonalGaussian([0.5, 2.0, 0.1]), DiagonalLaplacian([0.5, 2.0, 0.1])])
def test_distances_of_one_shape_serve_all_widths(kernel):
    X = np.random.default_rng(0).normal(size=(20, 3))
    shapes = Shapes(X, most_bytes=2 * 8 * 20**2)
    for factor in (1.0, 4.0, 0.3):
        np.testing.assert_allclose(
            shapes.gram(kernel.rescaled(factor)), kernel.rescaled(factor)(X), rtol=1e-10
        )
    assert len(shapes._kept) == 1
    for q in ([1.0, 2.0, 3.0], [3.0, 2.0, 1.0]):
        shapes.gram(kernel.with_feature_weights(q))
    assert len(shapes._kept) == 2  # the oldest has gone
    assert shapes.gram(RBF()) is None
    assert Shapes(X, most_bytes=0).gram(kernel) is None
