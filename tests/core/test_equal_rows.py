"""Equal rows have one number, in the order of their first copies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from kernelwise._core.equal_points import number_equal_rows, row_hashes


def by_dictionary(X):
    """The same, row by row."""
    seen = {}
    return [seen.setdefault(tuple(row), len(seen)) for row in np.asarray(X, dtype=float).tolist()]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csr_array])
def test_as_by_a_dictionary_of_rows(seed, form):
    random = np.random.default_rng(seed)
    X = random.integers(-1, 2, size=(200, 4)) * 0.1
    assert number_equal_rows(form(X)).tolist() == by_dictionary(X)
    assert number_equal_rows(form(X[:0])).size == 0


def test_minus_zero_and_stored_zeros_are_zero():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [1.0, 0.0], [1.0, -0.0]])
    assert number_equal_rows(X).tolist() == [0, 0, 1, 1]
    stored = sparse.csr_array(([0.0, 1.0, 1.0, 0.5, 0.5], [0, 1, 1, 1, 1], [0, 2, 3, 5]), shape=(3, 2))
    assert number_equal_rows(stored).tolist() == [0, 0, 0]


def test_neighbouring_numbers_differ():
    X = np.full((2, 3), 1e8)
    X[1, 2] = np.nextafter(1e8, 2e8)
    assert number_equal_rows(X).tolist() == [0, 1]
    assert (row_hashes(X)[:, 0] != row_hashes(X)[:, 1]).all()
