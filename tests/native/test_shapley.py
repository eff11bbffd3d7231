"""Shapley values and interactions against their definition by coalitions of columns."""

from __future__ import annotations

from itertools import combinations
from math import factorial

import numpy as np
import pytest

from kernelwise import _native

#: Rows, support vectors, columns, absent factors and machines.
SHAPES = [
    (1, 1, 1, 1, 1),
    (2, 3, 2, 2, 1),
    (2, 4, 3, 1, 3),
    (3, 5, 4, 3, 2),
    (1, 3, 5, 2, 2),
    (2, 2, 6, 3, 1),
]


def nodes_for(degree):
    """Gauss and Legendre's nodes in (0, 1) and their weights, exact for polynomials of this degree."""
    x, w = np.polynomial.legendre.leggauss(degree // 2 + 1)
    return (x + 1.0) / 2.0, w / 2.0


def drawn(shape):
    n_rows, n_support, d, n_absent, n_machines = shape
    rng = np.random.default_rng(d)
    U, V = rng.uniform(size=(n_rows, n_support, d)), rng.uniform(size=(n_absent, n_support, d))
    V[0, 0, 0] = U[0, 0, 0]
    return U, V, rng.normal(size=(n_machines, n_support))


def value(U, V, beta, coalition):
    """Decision values of each row and machine with these columns, the others absent."""
    is_there = np.isin(np.arange(U.shape[2]), coalition)
    factors = np.where(is_there, U[:, None], V)  # rows, absent, support vectors, columns
    return factors.prod(axis=3).mean(axis=1) @ beta.T


def without(d, *columns):
    """Coalitions of the other columns."""
    others = [j for j in range(d) if j not in columns]
    return [list(some) for size in range(len(others) + 1) for some in combinations(others, size)]


@pytest.mark.parametrize("shape", SHAPES)
def test_values_are_those_of_coalitions(shape):
    U, V, beta = drawn(shape)
    d = shape[2]
    out = np.ones((shape[0], d, shape[4]))
    expected = out.copy()
    for j in range(d):
        for some in without(d, j):
            share = factorial(len(some)) * factorial(d - 1 - len(some)) / factorial(d)
            expected[:, j] += share * (value(U, V, beta, [*some, j]) - value(U, V, beta, some))
    _native.shapley_values(U, V, beta, *nodes_for(d - 1), out)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("shape", SHAPES)
def test_interactions_are_those_of_coalitions(shape):
    U, V, beta = drawn(shape)
    d = shape[2]
    out = np.ones((shape[0], d, d, shape[4]))
    expected = out.copy()
    for j, k in combinations(range(d), 2):
        for some in without(d, j, k):
            share = factorial(len(some)) * factorial(d - 2 - len(some)) / factorial(d - 1)
            with_both, with_none = value(U, V, beta, [*some, j, k]), value(U, V, beta, some)
            with_one = value(U, V, beta, [*some, j]) + value(U, V, beta, [*some, k])
            expected[:, j, k] += share * (with_both - with_one + with_none)
    _native.shapley_interactions(U, V, beta, *nodes_for(max(d - 2, 0)), out)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("n_nodes", [1, 3, 8, 17, 33])
def test_rules_of_any_number_of_nodes_are_summed(n_nodes):
    """More nodes than a polynomial needs, in vectors and what is left of them, give the same integral."""
    U, V, beta = drawn((2, 3, 2, 2, 2))
    x, w = np.polynomial.legendre.leggauss(n_nodes)
    out, exact = np.zeros((2, 2, 2, 2))
    _native.shapley_values(U, V, beta, (x + 1.0) / 2.0, w / 2.0, out)
    _native.shapley_values(U, V, beta, *nodes_for(1), exact)
    np.testing.assert_allclose(out, exact, rtol=1e-12)
