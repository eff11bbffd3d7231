"""One weight for every column, though words and gaps are several features."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise.kernels import RBF, DiagonalGaussian, DiagonalLaplacian, Laplacian
from kernelwise.search.data.samples import Samples
from kernelwise.search.propose.gradient_metric import (
    Spread,
    columns_that_vary,
    deviations,
    gradient_outer_product,
    tied,
    weighted,
)


def table(n=60, seed=0):
    """A number, a column of three words, and a number with gaps: seven features of three columns."""
    random = np.random.default_rng(seed)
    word = np.eye(3)[random.choice(3, n, p=[0.5, 0.3, 0.2])] / 0.7
    gap = (random.random(n) < 0.3).astype(float)
    number = np.where(gap == 1.0, 0.0, random.normal(size=n))
    Z = np.column_stack([random.normal(size=n), word, number, gap])
    return Z, np.array([0, 1, 1, 1, 2, 2]), 1.0 + np.arange(n) % 3


def samples(Z, columns, weight):
    return Samples(Z, np.zeros(len(Z), int), np.zeros(len(Z), int), weight, weight, columns=columns)


def test_slopes_are_means_over_pairs_of_rows():
    """gᵀCg / tr C by brute force: the mean over pairs of (g·(z − z'))² over that of ‖z − z'‖²."""
    Z, columns, weight = table()
    random = np.random.default_rng(1)
    G, share = random.normal(size=(7, 6)), np.full(7, 1 / 7)
    found = Spread(Z, weight, columns).squared_slopes(G, share)
    pairs = np.outer(weight, weight)
    for column in range(3):
        B = columns == column
        D = Z[:, None, B] - Z[None][:, :, B]
        size = (pairs * (D**2).sum(axis=2)).sum()
        expected = np.mean([(pairs * (D @ g[B]) ** 2).sum() / size for g in G])
        assert_allclose(found[column], expected, rtol=1e-10)


def test_a_slope_from_every_word_to_none_counts_for_nothing():
    Z, columns, weight = table()
    G = np.zeros((5, 6))
    G[:, 1:4] = 3.0  # the same for all words of the column
    assert_allclose(Spread(Z, weight, columns).squared_slopes(G, np.full(5, 0.2)), 0.0, atol=1e-12)


def test_columns_of_one_feature_have_the_plain_diagonal():
    Z, _, weight = table()
    beta = np.random.default_rng(2).normal(size=len(Z))
    rows, machines = np.arange(len(Z)), [(np.arange(len(Z)), beta)]
    plain = gradient_outer_product(RBF(0.3), Z, rows, machines, weight, full=False)
    spread = Spread(Z, weight, np.arange(Z.shape[1]))
    by_column = gradient_outer_product(RBF(0.3), Z, rows, machines, weight, full=False, spread=spread)
    assert_allclose(by_column, plain, rtol=1e-12)


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.3)])
def test_weights_are_the_same_in_all_features_of_a_column(kernel):
    columns = table()[1]
    found = weighted(kernel, [np.array([0.2, 0.7, 0.1])] * 3, columns=columns)
    for one in (found.final, *found.by_fold):
        q = one.feature_weights
        assert len(set(q[1:4])) == 1
        assert len(set(q[4:])) == 1
        assert q[1] > q[0] > q[4]
    # Their mean over the columns, not over the features, is that of the kernel.
    factor = 2.0 if kernel.distance == "sqeuclidean" else 1.0
    q = found.final.feature_weights[[0, 1, 4]]
    assert_allclose(q.mean(), factor * 0.3, rtol=1e-5)


def test_learned_weights_are_tied_at_the_same_mean_distance():
    Z, columns, weight = table()
    part = samples(Z, columns, weight)
    kernel = DiagonalGaussian([1.0, 0.5, 2.0, 4.0, 1.0, 3.0])
    q = tied(kernel, part).feature_weights
    assert len(set(q[1:4])) == 1
    variance = np.average((Z - np.average(Z, axis=0, weights=weight)) ** 2, axis=0, weights=weight)
    for column in range(3):
        B = columns == column
        assert_allclose((q * variance)[B].sum(), (kernel.feature_weights * variance)[B].sum(), rtol=1e-12)
    plain = samples(Z, None, weight)
    assert tied(kernel, plain) is kernel
    assert isinstance(tied(DiagonalLaplacian([1.0, 0.5, 2.0, 4.0, 1.0, 3.0]), part), DiagonalLaplacian)


def test_deviations_of_words_are_mean_differences():
    Z, columns, weight = table(4000)
    weight = np.ones(len(Z))
    found = deviations(samples(Z, columns, weight), Z.var(axis=0))
    normal = 2.0 / np.sqrt(np.pi)  # mean difference of two standard normal numbers
    for k in (0, 1, 2, 3, 5):
        difference = np.abs(Z[:, k][:, None] - Z[None, :, k]).mean() / normal
        assert_allclose(found[k], difference, rtol=0.03 if k == 0 else 1e-10)


def test_columns_that_vary():
    Z, columns, weight = table()
    Z[:, 0] = 1.0
    Z[:, 1:3] = 0.0
    assert columns_that_vary(samples(Z, columns, weight)).tolist() == [0.0, 1.0, 1.0]
    assert columns_that_vary(samples(Z, None, weight)).tolist() == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
