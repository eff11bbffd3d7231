"""Bins of distances against a loop over pairs that takes them apart with `math.frexp`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kernelwise import _native

ROUNDING = 1e-14


def bin_and_place(distance, per_bottom, per_octave, n_bins):
    """The bin of a distance, and its place in the bin, from 0 to 1."""
    if distance == 0.0:
        return 0, 0.0
    mantissa, exponent = math.frexp(1.0 + distance * per_bottom)  # mantissa from ½ to 1
    place = (2.0 * mantissa - 1.0) * per_octave
    number = 1 + (exponent - 1) * per_octave + math.floor(place)
    return min(number, n_bins - 1), place - math.floor(place)


def pairs(G, norms_x, norms_y, upper):
    """Indices and distance of every pair that counts."""
    for i, j in np.ndindex(*G.shape):
        if upper and j <= i:
            continue
        both = norms_x[i] + norms_y[j]
        distance = both - 2.0 * G[i, j]
        yield i, j, distance if distance > ROUNDING * both else 0.0


def products(kind):
    """Inner products, squared norms, and one over the bottom of the bins."""
    rng = np.random.default_rng(0)
    if (
        kind == "edges"
    ):  # x and y are orthogonal or 0: distances are the norms, at the edges of bins or next to them
        edges = np.arange(1, 20, 3) / 256 / 8  # of the first octave above ⅛
        norms = np.concatenate([edges, np.nextafter(edges, 0.0), np.nextafter(edges, 9.0), [0.0, 1e-300]])
        return np.zeros((norms.size, 3)), norms, np.array([0.0, 1.0, 0.125]), 8.0
    n, m = {"few": (3, 4), "many": (20, 700)}[kind]
    X, Y = rng.normal(size=(n, 3)), rng.normal(size=(m, 3))
    Y[:2] = X[:2]
    return X @ Y.T, (X**2).sum(axis=1), (Y**2).sum(axis=1), 2.0**6


CASES = [(kind, upper) for kind in ("few", "many", "edges") for upper in (False, True)]


@pytest.mark.parametrize("n_bins", [1, 40, 6000])
@pytest.mark.parametrize(("kind", "upper"), CASES)
def test_counted_pairs(kind, upper, n_bins):
    """With few bins, the last one has all that is beyond."""
    G, norms_x, norms_y, per_bottom = products(kind)
    expected = np.zeros((n_bins, 2), np.uint64)
    for *_, distance in pairs(G, norms_x, norms_y, upper):
        number, place = bin_and_place(distance, per_bottom, 512, n_bins)
        whole = math.floor(place * 2**24)
        expected[number] += np.array([2**44 + whole, (whole >> 4) ** 2], np.uint64)
    words = np.zeros((n_bins, 2), np.uint64)
    _native.count_pairs(G, norms_x, norms_y, ROUNDING, per_bottom, upper, words)
    np.testing.assert_array_equal(words, expected)
    assert expected[0, 0] > 0 or upper
    _native.count_pairs(G, norms_x, norms_y, ROUNDING, per_bottom, upper, words)
    np.testing.assert_array_equal(words, 2 * expected)


@pytest.mark.parametrize("n_bins", [1, 40, 3000])
@pytest.mark.parametrize(("kind", "upper"), CASES)
def test_weighed_pairs(kind, upper, n_bins):
    G, norms_x, norms_y, per_bottom = products(kind)
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.1, 2.0, G.shape[0]), rng.uniform(0.1, 2.0, G.shape[1])
    moments = rng.normal(size=(n_bins, 4))
    expected = moments.copy()
    for i, j, distance in pairs(G, norms_x, norms_y, upper):
        number, place = bin_and_place(distance, per_bottom, 256, n_bins)
        expected[number] += weights[0][i] * weights[1][j] * (2.0 * place - 1.0) ** np.arange(4)
    _native.weigh_pairs(G, norms_x, norms_y, ROUNDING, per_bottom, upper, *weights, moments)
    np.testing.assert_allclose(moments, expected, rtol=1e-11, atol=1e-10)
