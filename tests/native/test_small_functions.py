"""Votes of pairs of classes, copies in a Gram matrix, and how long pair steps are worth it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from kernelwise import _native
from kernelwise.multiclass import decide_index

from .conftest import gram


def voted(decision, n_classes):
    found = np.full(decision.shape[1], -5, np.int32)
    _native.vote(np.ascontiguousarray(decision), n_classes, found)
    return found


def votes_and_sums(decision, n_classes):
    votes, sums = np.zeros((2, n_classes, decision.shape[1]))
    for (a, b), values in zip(combinations(range(n_classes), 2), decision, strict=True):
        votes[a] += values >= 0.0
        votes[b] += values < 0.0
        sums[a] += values
        sums[b] -= values
    return votes + sums / (3.0 * (np.abs(sums) + 1.0))


@pytest.mark.parametrize("n", [0, 1, 63, 64, 65, 300])
@pytest.mark.parametrize("n_classes", [3, 4, 10])
@pytest.mark.parametrize("kind", ["numbers", "signs", "few", "huge"])
def test_most_votes_win_and_sums_of_values_decide_between_equal_ones(kind, n_classes, n):
    rng = np.random.default_rng(n)
    decision = rng.normal(size=(n_classes * (n_classes - 1) // 2, n))
    if kind == "signs":  # sums are equal where votes are: the first class wins
        decision = np.sign(decision)
    elif kind == "few":  # with zeros, which are for the first class of a pair
        decision = np.rint(decision)
    elif kind == "huge":
        decision *= 1e300
    found = voted(decision, n_classes)
    np.testing.assert_array_equal(found, votes_and_sums(decision, n_classes).argmax(axis=0))
    np.testing.assert_array_equal(found, decide_index(decision.T, n_classes, "ovo"))


def test_values_of_zero_are_votes_for_the_first_class():
    assert voted(np.zeros((3, 2)), 3).tolist() == [0, 0]
    assert voted(np.array([[1.0], [-1.0], [1.0]]), 3).tolist() == [0]  # a circle: all sums are zero
    assert voted(np.array([[1.0], [-1.0], [3.0]]), 3).tolist() == [1]


def copies(K):
    """Whether three columns, rounded to 1e-9, have fewer distinct triples than 0.3 of the samples."""
    n = len(K)
    rows = np.minimum([0, max(n // 3, 1), 2 * max(n // 3, 1)], n - 1)
    return len(np.unique(np.rint(K[rows, :n].T.astype(float) * 1e9), axis=0)) < 0.3 * n


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_points", [1, 5, 29, 30, 31, 100])
def test_most_samples_are_copies_where_columns_are_equal(n_points, dtype):
    rng = np.random.default_rng(n_points)
    rows = np.append(np.arange(n_points), rng.integers(n_points, size=100 - n_points))
    K = gram(rng.normal(size=(n_points, 2))[rng.permutation(rows)], 0.5).astype(dtype)
    assert _native.has_copies(K) == (n_points < 30) == copies(K)
    wide = np.ascontiguousarray(np.hstack([K, rng.normal(size=(100, 7)).astype(dtype)]))
    assert _native.has_copies(wide) == (n_points < 30)


def test_samples_that_share_distances_to_a_few_are_no_copies():
    X = np.stack(np.meshgrid(*[np.arange(10.0)] * 2), axis=-1).reshape(-1, 2)
    K = gram(np.random.default_rng(0).permutation(X), 0.1)
    assert len(np.unique(K[0].round(9))) < 60
    assert not _native.has_copies(K)
    assert not copies(K)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_few_samples_can_be_copies_too(n):
    for K in (np.ones((n, n)), np.eye(n)):
        assert _native.has_copies(K) == copies(K)


@pytest.mark.parametrize("n_free", [0, 1, 100, 400, 5000])
@pytest.mark.parametrize("n", [10, 1000, 20_000])
def test_patience_is_what_linear_systems_cost(n, n_free):
    newton = 500 + n_free * (0.5 + 0.015 * n_free + n_free**2 / 3e4 + 0.0012 * n)
    assert _native.patience(n, n_free, False) == int(newton / (0.13 + 8e-4 * n_free))
    system = 80 + n_free**2 * (1.1e-3 + 3e-6 * n_free) + n * min(4e-4 * n_free, 1.2e-4 * n)
    # A product that is fused with a sum may round to the whole number next to it.
    assert abs(_native.patience(n, n_free, True) - int(8 * system / (0.13 + 4.5e-4 * n_free))) <= 1
