"""Alignment with a real-valued target: definition, adjoint, invariances."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.criteria import KernelTargetAlignment, TargetAlignment
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import KERNELS, Linear
from kernelwise.optimizers import QuasiNewton
from kernelwise.problem import TuningProblem
from kernelwise.testing import assert_gradient, central_difference, check_gradient

CRITERIA = [TargetAlignment(), TargetAlignment(centered=True)]


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 4))
    return X, np.sin(X[:, 0]) + 0.1 * random.normal(size=40), random.uniform(0.5, 2.0, size=40)


def gram(n=20, seed=0):
    A = np.random.default_rng(seed).normal(size=(n, n + 2))
    return A @ A.T / n


def test_is_the_cosine_of_centred_matrices(data):
    _, y, _ = data
    K, H = gram(40), np.eye(40) - 1.0 / 40
    T = H @ np.outer(y, y) @ H
    assert TargetAlignment().score(K, y) == pytest.approx(
        np.vdot(K, T) / np.linalg.norm(K) / np.linalg.norm(T)
    )
    Kc = H @ K @ H
    expected = np.vdot(Kc, T) / np.linalg.norm(Kc) / np.linalg.norm(T)
    assert TargetAlignment(centered=True).score(K, y) == pytest.approx(expected)


def test_of_the_target_itself_is_one(data):
    _, y, _ = data
    t = y - y.mean()
    for criterion in CRITERIA:
        assert criterion.score(np.outer(t, t), y) == pytest.approx(1.0, abs=1e-12)


def test_of_two_classes_is_the_centred_alignment_of_labels(data):
    labels = np.where(data[1] > 0.3, 1.0, -1.0)
    K = gram(40)
    for w in (None, data[2]):
        expected = KernelTargetAlignment(centered=True).score(K, labels, w)
        assert TargetAlignment(centered=True).score(K, labels, w) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
def test_adjoint_matches_central_difference(criterion, is_weighted, data):
    _, y, w = data
    K, w = gram(40), w if is_weighted else None
    random = np.random.default_rng(1)
    value, W = criterion.value_and_adjoint(K, y, w)
    assert value == criterion.value(K, y, w) == -criterion.score(K, y, w)
    np.testing.assert_allclose(W, W.T, rtol=1e-12, atol=1e-15)
    directions = [D + D.T for D in random.normal(size=(6, *K.shape))]
    slopes = np.array([np.vdot(W, D) for D in directions])
    numeric = central_difference(
        lambda lengths: criterion.value(K + np.tensordot(lengths, directions, 1), y, w), np.zeros(6), 1e-6
    )
    assert_gradient(slopes, numeric, value, 1e-6, 1e-6)


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
@pytest.mark.parametrize("kernel", KERNELS)
def test_gradient_with_every_kernel_matches_central_difference(kernel, criterion, data):
    X, y, w = data
    is_weighted = (list(KERNELS).index(kernel) + CRITERIA.index(criterion)) % 2 == 1
    check_gradient(TuningProblem(kernel, criterion, X, y, sample_weight=w if is_weighted else None))


@pytest.mark.parametrize("criterion", CRITERIA, ids=repr)
def test_units_order_and_repeated_rows(criterion, data):
    y, K = data[1], gram(40)
    value = criterion.value(K, y)
    assert criterion.value(7.0 * K, 3.0 - 20.0 * y) == pytest.approx(value, rel=1e-10)
    order = np.random.default_rng(0).permutation(40)
    assert criterion.value(K[np.ix_(order, order)], y[order]) == pytest.approx(value, rel=1e-12)
    copies = np.arange(40) % 3
    rows = np.repeat(np.arange(40), copies)
    repeated = criterion.value(K[np.ix_(rows, rows)], y[rows])
    assert criterion.value(K, y, copies) == pytest.approx(repeated, rel=1e-10)


def test_centred_alignment_does_not_see_a_constant_added_to_the_kernel(data):
    y, K = data[1], gram(40)
    criterion = TargetAlignment(centered=True)
    assert criterion.score(K + 5.0, y) == pytest.approx(criterion.score(K, y), rel=1e-10)


def test_a_search_finds_the_one_relevant_feature(data):
    X, y, _ = data
    result = QuasiNewton().minimize(TuningProblem("diagonal", TargetAlignment(centered=True), X, y))
    assert np.argmax(result.kernel.q) == 0
    assert result.kernel.q[0] > 5 * result.kernel.q[1:].max()


def test_what_is_undefined_is_said(data):
    y = data[1]
    with pytest.raises(ValueError, match="y is constant"):
        TargetAlignment().score(gram(40), np.full(40, 0.1))
    with pytest.raises(DegenerateGramError, match="centred Gram matrix is zero"):
        TargetAlignment(centered=True).score(np.ones((40, 40)), y)
    with pytest.raises(ValueError, match="y must be one number per sample"):
        TuningProblem(Linear(), TargetAlignment(), data[0], ["a"] * 40)
