"""Learned metrics inside TunedSVC: honest scores, the simplest variant, the simplest kernel."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris

from kernelwise import TunedSVC
from kernelwise.datasets import make_weston
from kernelwise.kernels import RBF, DiagonalGaussian
from kernelwise.search.climb import Climb
from kernelwise.search.fold_kernels import FoldKernels, final_kernel
from kernelwise.search.learned_metrics import _complexity, _kept, _variants, most_regularised
from kernelwise.search.scored_kernel import ScoredKernel
from kernelwise.solvers import svm_path


@pytest.fixture(scope="module")
def weston():
    X, y = make_weston(300, n_noise=8, random_state=3)
    return X[:100], y[:100], X[100:], y[100:]


@pytest.fixture(scope="module")
def diagonal(weston):
    X, y, _, _ = weston
    return TunedSVC("diagonal").fit(X, y)


def test_a_diagonal_metric_finds_the_two_features(diagonal, weston):
    _, _, X_test, y_test = weston
    assert set(np.argsort(diagonal.relevance_)[-2:]) == {0, 1}
    assert diagonal.relevance_[:2].sum() > 0.9
    assert diagonal.relevance_.sum() == pytest.approx(1.0)
    assert diagonal.score(X_test, y_test) > 0.9
    assert "metrics learned without each fold" in diagonal.result_.how[0]


def test_the_metric_is_in_the_units_of_x(diagonal, weston):
    X = weston[0]
    difference = X[0] - X[1]
    Z = diagonal.scaler_.transform(X[:2])
    expected = diagonal.kernel_(Z)[0, 1]
    assert np.exp(-0.5 * difference @ diagonal.metric_ @ difference) == pytest.approx(expected)


def test_each_fold_is_scored_with_its_own_kernel(make_judge):
    X, y = load_iris(return_X_y=True)
    judge = make_judge(X[50:], (y[50:] == 2).astype(int), cv=2)
    kernels = FoldKernels(RBF(1.0), [RBF(0.1), RBF(3.0)])
    path = judge.score(kernels, "test")
    assert path.kernel == RBF(1.0)
    for fold, own in zip(judge.folds, kernels.by_fold, strict=True):
        alone = svm_path(own(judge.held_out.Z), judge.held_out.y, path.Cs, [fold])
        assert_allclose(path.decision[:, fold[1], 0], alone.decision[:, fold[1]], rtol=1e-5, atol=1e-6)
    assert kernels.rescaled(4.0).by_fold[1] == RBF(12.0)
    assert final_kernel(kernels) == RBF(1.0)
    assert final_kernel("precomputed") == "precomputed"


def test_variants_of_a_diagonal_metric():
    kernel = DiagonalGaussian([1.0, 0.5, 0.01, 0.04])
    variants = _variants(FoldKernels(kernel, [kernel]))
    assert [_complexity(variant.final) for _, variant in variants] == [1, 2, 4]
    assert_allclose(_kept(kernel).q, [1.0, 0.5, 1e-9, 1e-9])
    assert_allclose(_kept(kernel, equal=True).q, [0.75, 0.75, 1e-9, 1e-9])


def test_of_equals_the_stronger_regularisation_is_taken(make_judge):
    """The third C is the best, the second within half a standard error of it, the first not."""
    judge = make_judge(np.zeros((50, 1)), np.arange(50) % 2, cv=2)
    judge.scorer.is_share = False

    def path(variance, rows):
        scores = np.add.outer(rows, [-0.02, 0.02, -0.02, 0.02])
        empty = np.zeros((len(rows), 1, 1))
        Cs = np.arange(1.0, len(rows) + 1)
        return ScoredKernel("k", "", Cs, scores, empty, np.zeros(len(rows)), True, variance, 0.0, 1)

    # Averages over three neighbours: 0.9, 0.93, 0.935, ...; half a standard error is 0.00577.
    best = path(1.0, [0.9, 0.9, 0.99, 0.915, 0.9])
    assert best.best == 2
    wider, worse = path(0.1, [0.9, 0.9, 0.99, 0.915, 0.9]), path(0.1, [0.5] * 5)
    for others, expected in (([], best), ([wider], wider), ([worse], best)):
        climb = Climb(RBF(1.0), judge, tried=dict(enumerate([best, *others], start=1)))
        found, index, why = most_regularised(judge, climb)
        assert found is expected
        assert index == 1
        assert "half a standard error" in why[0]
