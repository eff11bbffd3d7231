"""Rows in canonical order: what they are decides, not where they stand or what they are called."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from kernelwise.search.data.canonical import canonical_order, distinct_points, distinct_rows, sample
from kernelwise.search.data.scaling import variances


@pytest.fixture
def rows():
    """Fifty samples on a coarse grid: many are equal, some of them in both classes."""
    random = np.random.default_rng(0)
    X = random.integers(0, 3, size=(50, 2)).astype(float)
    return X, random.integers(0, 2, size=50), random.integers(1, 4, size=50).astype(float)


def canonical(X, index, weight):
    distinct = distinct_rows(X, index, weight)
    return distinct.reordered(canonical_order(X[distinct.rows], index[distinct.rows], distinct.weight))


def as_table(X, index, weight):
    """What the canonical rows say, in their order."""
    distinct = canonical(X, index, weight)
    dense = X.toarray() if sparse.issparse(X) else X
    return np.column_stack([dense[distinct.rows], index[distinct.rows], distinct.weight])


def test_distinct_rows_are_those_of_a_dictionary(rows):
    X, index, weight = rows
    expected: dict[tuple, float] = {}
    for x, k, w in zip(X.tolist(), index.tolist(), weight, strict=True):
        expected[(*x, k)] = expected.get((*x, k), 0.0) + w
    table = as_table(*rows)
    assert {tuple(row[:-1]): row[-1] for row in table.tolist()} == expected
    assert len(table) == len(expected)


def test_place_says_which_row_a_sample_is(rows):
    X, index, weight = rows
    weight = np.where(np.arange(50) % 7 == 0, 0.0, weight)
    distinct = canonical(X, index, weight)
    assert_array_equal(distinct.row_of == -1, weight == 0)
    used = distinct.row_of >= 0
    assert_array_equal(X[distinct.rows][distinct.row_of[used]], X[used])
    assert_array_equal(index[distinct.rows][distinct.row_of[used]], index[used])


def test_the_order_of_the_samples_does_not_matter(rows):
    shuffled = np.random.default_rng(1).permutation(50)
    assert_array_equal(as_table(*(part[shuffled] for part in rows)), as_table(*rows))


def test_a_repeated_row_is_a_weight(rows):
    X, index, weight = rows
    copies = weight.astype(int)
    repeated = np.repeat(X, copies, axis=0), np.repeat(index, copies), np.ones(copies.sum())
    assert_array_equal(as_table(*repeated), as_table(*rows))


def test_names_of_classes_do_not_matter_even_for_points_in_both(rows):
    X, index, weight = rows
    table, renamed = as_table(X, index, weight), as_table(X, 1 - index, weight)
    assert_array_equal(renamed[:, [0, 1, 3]], table[:, [0, 1, 3]])
    assert_array_equal(renamed[:, 2], 1 - table[:, 2])


@pytest.mark.parametrize("container", [sparse.csr_matrix, sparse.csr_array])
def test_sparse_rows_merge_however_they_are_stored(container, rows):
    X, index, weight = rows
    stored = container(X)
    # The same first row once more, with its columns in reversed order.
    stored.data, stored.indices = stored.data.copy(), stored.indices.copy()
    first = slice(stored.indptr[1], stored.indptr[2])
    stored.data[first], stored.indices[first] = stored.data[first][::-1], stored.indices[first][::-1]
    stored.has_sorted_indices = False
    before = stored.data.copy()
    assert len(distinct_rows(stored, index, weight).rows) == len(distinct_rows(X, index, weight).rows)
    assert_array_equal(stored.data, before)


def test_empty_sparse_rows_are_zero():
    X = sparse.csr_array(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 0.0]]))
    distinct = distinct_rows(X, np.zeros(3, int), np.ones(3))
    assert sorted(distinct.weight) == [1.0, 2.0]


def test_units_do_not_matter_after_scaling():
    random = np.random.default_rng(2)
    X, index, weight = random.normal(size=(40, 3)), random.integers(0, 2, 40), np.ones(40)
    units = np.array([1e3, 1e-4, 7.0])
    scaled = (X * units - (X * units).mean(axis=0)) / (X * units).std(axis=0)
    assert_array_equal(
        canonical_order(scaled, index, weight),
        canonical_order((X - X.mean(axis=0)) / X.std(axis=0), index, weight),
    )


def test_points_stay_where_they_stand():
    distinct = distinct_points(np.arange(3), np.zeros(3, int), np.array([1.0, 0.0, 2.0]))
    assert_array_equal(distinct.rows, [0, 2])
    assert_array_equal(distinct.row_of, [0, -1, 1])
    assert_array_equal(distinct.weight, [1.0, 2.0])


def test_samples_of_one_class_that_are_one_point_are_one_row():
    points, index = np.array([4, 0, 4, 4, 0]), np.array([0, 1, 0, 1, 1])
    distinct = distinct_points(points, index, np.array([1.0, 1.0, 2.0, 1.0, 0.5]))
    assert_array_equal(distinct.rows, [0, 1, 3])
    assert_array_equal(distinct.row_of, [0, 1, 0, 2, 1])
    assert_array_equal(distinct.weight, [3.0, 1.5, 1.0])


def test_a_sample_has_all_classes_in_proportion():
    index = np.repeat([0, 1, 2], [300, 100, 3])
    rows = sample(index, 40, random_state=3)
    assert_allclose(np.bincount(index[rows]), [30, 10, 2])
    assert (np.diff(rows) > 0).all()
    assert_array_equal(rows, sample(index, 40, random_state=3))
    assert not np.array_equal(rows, sample(index, 40, random_state=4))


def test_a_sample_does_not_depend_on_names():
    index = np.random.default_rng(5).integers(0, 2, size=100)
    assert_array_equal(sample(index, 30), sample(1 - index, 30))


def test_a_large_value_does_not_hide_what_differs_beside_it():
    """Times in nanoseconds leave no digit of a sum for the rest of the row."""
    random = np.random.default_rng(0)
    times = 1.7e18 + 86400e9 * random.integers(0, 3, size=200)
    X = np.column_stack([times, random.integers(0, 4, size=(200, 3)), np.full(200, 1e300)])
    index, weight = np.zeros(200, int), np.ones(200)
    for samples in (X, sparse.csr_array(X)):
        distinct = distinct_rows(samples, index, weight)
        assert len(distinct.rows) == len(np.unique(X, axis=0))
        assert_array_equal(X[distinct.rows][distinct.row_of], X)


def test_minus_zero_is_zero():
    X = np.array([[0.0, 1.0], [-0.0, 1.0], [2.0, 1.0]])
    for samples in (X, X.astype(np.float32), sparse.csr_array(X)):
        assert len(distinct_rows(samples, np.zeros(3, int), np.ones(3)).rows) == 2


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
def test_variances_count_weights_as_copies(form):
    X = np.random.default_rng(0).normal(size=(7, 3))
    weight = np.array([1, 2, 3, 1, 1, 2, 1])
    assert_allclose(variances(form(X)), X.var(axis=0))
    assert_allclose(variances(form(X), weight), np.repeat(X, weight, axis=0).var(axis=0))
