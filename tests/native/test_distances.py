"""Distances and sums of their parts against NumPy with an axis for rows, columns and features."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import _native

#: Rows, columns and features: less than a vector, blocks of 256 columns and of four features, and rests.
SHAPES = [
    (1, 1, 1),
    (3, 5, 2),
    (7, 255, 4),
    (2, 256, 5),
    (5, 257, 7),
    (4, 600, 11),
    (0, 3, 2),
    (3, 0, 2),
    (3, 4, 0),
]


def drawn(shape, seed=0):
    """Rows (n, d), others (m, d) and weights (n, m), some features of which are equal."""
    n, m, d = shape
    rng = np.random.default_rng(seed)
    X, Y, V = rng.normal(size=(n, d)), rng.normal(size=(m, d)), rng.normal(size=(n, m))
    if min(shape):
        Y[0] = X[-1]
        Y[-1, 0] = X[0, 0]
    return X, Y, V


@pytest.mark.parametrize("rounding", [0.0, 1e-12, 0.3])
@pytest.mark.parametrize("shape", SHAPES)
def test_squared_distances_from_inner_products(shape, rounding):
    X, Y, _ = drawn(shape)
    norms_x, norms_y, G = (X**2).sum(axis=1), (Y**2).sum(axis=1), X @ Y.T
    both = norms_x[:, None] + norms_y
    distance = both - 2.0 * G
    expected = np.where(distance > rounding * both, distance, 0.0)
    _native.from_products(G, norms_x, norms_y, rounding)
    np.testing.assert_array_equal(G, expected)
    assert (G >= 0.0).all()
    if rounding == 1e-12:
        np.testing.assert_allclose(G, ((X[:, None] - Y) ** 2).sum(axis=2), atol=1e-11)


@pytest.mark.parametrize("first", [0, 1, 3, 255, 256, 1000])
@pytest.mark.parametrize("shape", SHAPES)
def test_city_block_distances_from_a_first_column_on(shape, first):
    X, Y, _ = drawn(shape)
    D = np.full(shape[:2], -7.0)
    _native.city_block(X, Y.T.copy(), D, first)
    assert (D[:, :first] == -7.0).all()
    expected = np.abs(X[:, None] - Y).sum(axis=2)
    np.testing.assert_allclose(D[:, first:], expected[:, first:], rtol=1e-14)


@pytest.mark.parametrize(
    ("n", "first", "last"), [(1, 0, 1), (5, 0, 5), (70, 0, 70), (100, 31, 66), (40, 7, 7)]
)
def test_what_is_above_the_diagonal_is_copied_below_it(n, first, last):
    D = np.random.default_rng(n).normal(size=(n, n))
    expected = np.triu(D) + np.triu(D, 1).T
    expected = np.where(np.isin(np.arange(n), np.arange(first, last))[:, None], expected, D)
    _native.mirror(D, first, last)
    np.testing.assert_array_equal(D, expected)


@pytest.mark.parametrize(
    ("shape", "first", "last"), [((3, 4), 0, 3), ((4, 4), 0, 5), ((4, 4), -1, 2), ((4, 4), 3, 2)]
)
def test_only_rows_of_a_square_matrix_are_mirrored(shape, first, last):
    with pytest.raises(ValueError, match="square"):
        _native.mirror(np.zeros(shape), first, last)


def test_city_block_distances_are_exact_where_sums_are():
    rng = np.random.default_rng(0)
    X, Y = rng.integers(-50, 50, (9, 13)) / 8.0, rng.integers(-50, 50, (300, 13)) / 8.0
    D = np.empty((9, 300))
    _native.city_block(X, Y.T.copy(), D, 0)
    np.testing.assert_array_equal(D, np.abs(X[:, None] - Y).sum(axis=2))


@pytest.mark.parametrize("shape", SHAPES)
def test_weighted_differences_and_signs_are_added(shape):
    X, Y, V = drawn(shape)
    rng = np.random.default_rng(1)
    differences, signs = rng.normal(size=Y.T.shape), rng.normal(size=X.shape)
    by_column = differences + np.einsum("ij,ijk->kj", V, np.abs(X[:, None] - Y))
    by_row = signs + np.einsum("ij,ijk->ik", V, np.sign(X[:, None] - Y))
    _native.add_differences(X, Y.T.copy(), V, differences)
    _native.add_signs(X, Y, V, signs)
    np.testing.assert_allclose(differences, by_column, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(signs, by_row, rtol=1e-12, atol=1e-11)
