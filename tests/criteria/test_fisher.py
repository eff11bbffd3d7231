"""The regularised kernel Fisher criterion against explicit features."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from kernelwise import TunedSVC
from kernelwise.criteria import KernelFisher
from kernelwise.kernels import KERNELS, RBF
from kernelwise.metrics import kernel_fisher
from kernelwise.problem import TuningProblem
from kernelwise.testing import check_criterion, check_gradient

RANDOM = np.random.default_rng(3)
Y = np.arange(40) % 3 % 2
X = RANDOM.normal(size=(40, 5)) + 0.8 * Y[:, None]
K = X @ X.T


def explicit(X, y, regularization, w=None):
    """n² tr((S_w + λI)⁻¹ S_b)/Σ n_a n_b from the features, by loops."""
    w = np.ones(len(y)) if w is None else w
    n, d = w.sum(), X.shape[1]
    mean = w @ X / n
    within, between, sizes = np.zeros((d, d)), np.zeros((d, d)), []
    for label in np.unique(y):
        rows = y == label
        sizes.append(w[rows].sum())
        centre = w[rows] @ X[rows] / sizes[-1]
        between += sizes[-1] / n * np.outer(centre - mean, centre - mean)
        for x, weight in zip(X[rows], w[rows], strict=True):
            within += weight / n * np.outer(x - centre, x - centre)
    ridge = regularization * w @ (X * X).sum(axis=1) / n
    pairs = (n**2 - np.square(sizes).sum()) / 2
    return n**2 / pairs * np.trace(np.linalg.solve(within + ridge * np.eye(d), between))


@pytest.mark.parametrize("regularization", [1e-4, 0.01, 1.0])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_a_linear_kernel_has_the_value_of_its_features(regularization, is_weighted):
    w = RANDOM.uniform(0.5, 2.0, 40) if is_weighted else None
    for y in (Y, np.arange(40) % 3):
        found = KernelFisher(regularization).score(K, y, w)
        assert found == pytest.approx(explicit(X, y, regularization, w), rel=1e-9)


def test_two_classes_have_the_written_formula():
    a, b = X[Y == 0], X[Y == 1]
    m = a.mean(axis=0) - b.mean(axis=0)
    S = (np.cov(a.T, bias=True) * len(a) + np.cov(b.T, bias=True) * len(b)) / 40
    penalty = 0.05 * np.trace(K) / 40
    expected = m @ np.linalg.solve(S + penalty * np.eye(5), m)
    assert kernel_fisher(K, Y, regularization=0.05) == pytest.approx(expected, rel=1e-10)


def test_without_regularization_it_is_the_distance_of_linear_discriminant_analysis():
    lda = LinearDiscriminantAnalysis(solver="lsqr", store_covariance=True).fit(X, Y)
    m = lda.means_[0] - lda.means_[1]
    expected = m @ np.linalg.solve(lda.covariance_, m)
    assert kernel_fisher(K, Y, regularization=1e-9) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("strategy", ["ovr", "ovo"])
def test_strategies_are_averages_of_two_class_problems(strategy):
    y = np.arange(40) % 3
    if strategy == "ovr":
        parts = [KernelFisher().score(K, y == k) for k in range(3)]
    else:
        members = [np.flatnonzero(y != k) for k in range(3)]
        parts = [KernelFisher().score(K[np.ix_(rows, rows)], y[rows]) for rows in members]
    assert KernelFisher(strategy=strategy).score(K, y) == pytest.approx(np.mean(parts), rel=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("strategy", ["pooled", "ovr", "ovo"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_it_keeps_the_contract(class_weight, strategy, n_classes):
    check_criterion(KernelFisher(0.1, strategy, class_weight), n_classes=n_classes)


@pytest.mark.filterwarnings("ignore:The Gram matrix K is far from positive semi-definite")
@pytest.mark.parametrize("kernel", KERNELS)
def test_gradient_of_every_kernel_matches_central_differences(kernel):
    check_gradient(TuningProblem(kernel, KernelFisher(0.1), X, Y))


def test_the_unit_of_the_kernel_does_not_matter():
    assert KernelFisher().score(1e6 * K, Y) == pytest.approx(KernelFisher().score(K, Y), rel=1e-10)


def test_it_sees_a_direction_that_traces_do_not():
    """Two long parallel clouds: J4 has a small ratio of traces, Fisher a large one across them."""
    X = np.column_stack([10.0 * RANDOM.normal(size=60), 0.1 * RANDOM.normal(size=60)])
    y = np.arange(60) % 2
    X[:, 1] += y
    assert kernel_fisher(X @ X.T, y, regularization=1e-6) > 50.0
    assert TunedSVC("rbf", criterion="fisher").fit(X, y).best_score_ > 0.95


def test_a_narrow_and_a_wide_kernel_have_less_than_one_between():
    narrow, between, wide = (KernelFisher().score(RBF(gamma)(X), Y) for gamma in (1e3, 0.05, 1e-6))
    assert between > narrow
    assert between > wide


def test_wrong_parameters_are_named():
    with pytest.raises(ValueError, match="'regularization' of KernelFisher must be a positive float, got 0"):
        KernelFisher(0.0)
    with pytest.raises(ValueError, match="'strategy' of KernelFisher must be one of"):
        KernelFisher(strategy="all")
