"""Columns aligned with the target one at a time: definition, chance in closed form, invariances, limits."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from kernelwise.criteria.columns import align_columns, screened_weights, some_rows, target_gram
from kernelwise.datasets import make_weston
from kernelwise.metrics import column_alignment, kernel_target_alignment


def table(n=60, d=4, seed=0):
    """Columns of many units, classes that the first one tells, and numbers that the second one does."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * 10.0 ** np.arange(d) + 3.0
    Z = (X - 3.0) / 10.0 ** np.arange(d)
    classes = np.digitize(Z[:, 0] + 0.3 * random.normal(size=n), [-0.5, 0.5])
    return X, classes, np.sin(2.0 * Z[:, 1]) + 0.1 * random.normal(size=n)


def gram(x, gamma=1.0):
    """The kernel of one column, or of a target, by scikit-learn."""
    return rbf_kernel(((x - x.mean()) / x.std())[:, None], gamma=gamma)


def aligned(X, y, are_classes, weight=None):
    weight = np.ones(len(y)) if weight is None else weight
    return align_columns(X, target_gram(y, weight, are_classes=are_classes), weight)


def test_of_classes_it_is_the_centred_alignment_of_the_columns_kernel():
    X, y, _ = table()
    expected = [kernel_target_alignment(gram(x), y, centered=True) for x in X.T]
    assert_allclose(aligned(X, y, True).found, expected, rtol=1e-10)


def test_of_numbers_it_is_the_cosine_of_two_centred_kernels():
    X, _, y = table()
    H = np.eye(60) - 1.0 / 60
    T = H @ gram(y, 0.5) @ H
    for x, found in zip(X.T, aligned(X, y, False).found, strict=True):
        K = H @ gram(x) @ H
        assert found == pytest.approx(np.vdot(K, T) / np.linalg.norm(K) / np.linalg.norm(T), rel=1e-10)


def test_a_column_that_is_the_class_has_the_alignment_one():
    y = np.repeat([0, 1], [7, 13])
    assert_allclose(aligned(5.0 * y[:, None] + 2.0, y, True).found, 1.0, rtol=1e-12)


@pytest.mark.parametrize("are_classes", [True, False])
def test_chance_is_the_mean_and_deviation_over_all_orders(are_classes):
    X, _, numbers = table(6, 3, seed=1)
    y = np.array([0, 0, 1, 1, 2, 2]) if are_classes else numbers
    found = aligned(X, y, are_classes)
    all_orders = np.array([aligned(X, y[list(order)], are_classes).found for order in permutations(range(6))])
    assert_allclose(found.mean, all_orders.mean(axis=0), rtol=1e-10)
    assert_allclose(found.deviation, all_orders.std(axis=0), rtol=1e-10)


@pytest.mark.parametrize("are_classes", [True, False])
def test_a_weight_of_two_is_a_repeated_row(are_classes):
    X, classes, numbers = table(20)
    y, weight = classes if are_classes else numbers, 1.0 + np.arange(20) % 3
    rows = np.repeat(np.arange(20), weight.astype(int))
    found, repeated = aligned(X, y, are_classes, weight), aligned(X[rows], y[rows], are_classes)
    for one, other in zip(found, repeated, strict=True):
        assert_allclose(one, other, rtol=1e-9)


def test_weights_may_sum_to_one():
    X, y, _ = table()
    assert_allclose(column_alignment(X, y, sample_weight=np.full(60, 1 / 60)), column_alignment(X, y))


def test_features_of_one_column_add_their_distances():
    X, y, _ = table()
    columns = np.array([0, 1, 1, 2])
    Z = X / X.std(axis=0)
    weight = np.ones(60)
    found = align_columns(Z, target_gram(y, weight, are_classes=True), weight, columns)
    K = rbf_kernel(Z[:, 1:3], gamma=0.5)  # of two features of variance one
    assert len(found.found) == 3
    assert found.found[1] == pytest.approx(kernel_target_alignment(K, y, centered=True), rel=1e-10)
    assert_allclose(found.found[[0, 2]], aligned(X, y, True).found[[0, 3]], rtol=1e-10)


@pytest.mark.parametrize("max_rows", [500, 50])
@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_orders_units_and_names_do_not_matter(kind, max_rows):
    X, classes, numbers = table(150)
    y = classes if kind == "classes" else numbers
    found = column_alignment(X, y, max_rows=max_rows)
    order = np.random.default_rng(0).permutation(150)
    assert_allclose(column_alignment(X[order], y[order], max_rows=max_rows), found, rtol=1e-7, atol=1e-12)
    assert_allclose(column_alignment(X[:, ::-1], y, max_rows=max_rows)[::-1], found, rtol=1e-7, atol=1e-12)
    assert_allclose(column_alignment(2.54 * X - 7.0, y, max_rows=max_rows), found, rtol=1e-7, atol=1e-12)
    other = np.array(["z", "b", "a"])[y] if kind == "classes" else -40.0 * y + 3.0
    assert_allclose(column_alignment(X, other, max_rows=max_rows), found, rtol=1e-7, atol=1e-12)
    doubled = column_alignment(np.vstack([X, X[:9]]), np.append(y, y[:9]), max_rows=max_rows)
    weighted = column_alignment(X, y, sample_weight=1.0 + (np.arange(150) < 9), max_rows=max_rows)
    assert_allclose(doubled, weighted, rtol=1e-7, atol=1e-12)
    assert not np.allclose(weighted, found, rtol=1e-3)


def test_some_rows_keep_the_shares_of_classes_and_all_copies_of_a_row():
    X = np.random.default_rng(0).normal(size=(300, 2))
    X[200:] = X[100:200]
    index = np.repeat([0, 1, 1], 100)
    rows = some_rows(X, index, 50)
    counts = np.bincount(index[rows])
    assert_array_equal(counts, [25, 50])  # 200 different rows, of which 100 are in each class
    assert {tuple(row) for row in X[rows[rows >= 200]]} == {
        tuple(row) for row in X[rows[(rows >= 100) & (rows < 200)]]
    }


def test_a_margin_of_three_leaves_nearly_all_noise_below_zero():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(120, 400)), np.arange(120) % 2
    plain, beyond = column_alignment(X, y), column_alignment(X, y, margin=3.0)
    assert abs(plain.mean()) < 2.0 * plain.std() / np.sqrt(400)
    assert (beyond > 0.0).mean() < 0.04
    assert (column_alignment(X, random.normal(size=120), margin=3.0) > 0.0).mean() < 0.04


def test_the_second_round_finds_a_column_that_matters_with_another():
    """Weston's second column has the same values in both classes: only with the first one does it tell."""
    X, y = make_weston(300, n_noise=50, random_state=0)
    index, weight = (y > 0).astype(int), np.ones(300)
    once, twice = (screened_weights(X, index, weight, are_classes=True, rounds=k) for k in (1, 2))
    assert once[0] > 0.0 == once[1]
    assert set(np.argsort(-twice)[:2]) == {0, 1}
    assert twice[2:].max() < 0.1 * twice[:2].min()


def test_parity_is_not_seen_by_any_single_column():
    """The limit that the pages tell of."""
    X = np.random.default_rng(0).normal(size=(300, 5))
    found = column_alignment(X, (X[:, 0] * X[:, 1] > 0).astype(int))
    assert np.abs(found).max() < 0.02


def test_what_changes_only_the_scatter_of_numbers_is_seen():
    random = np.random.default_rng(0)
    X = random.uniform(-1.0, 1.0, size=(300, 4))
    found = column_alignment(X, X[:, 0] * random.choice([-1.0, 1.0], size=300), margin=3.0)
    assert found[0] > 0.02 > found[1:].max()


def test_constant_columns_and_targets_without_rows_to_tell_apart():
    X, y, _ = table()
    X[:, 2] = 7.0
    found = column_alignment(X, y)
    assert found[2] == 0.0 < found[0]
    weight = np.ones(60)
    for target in (np.zeros(60, int), np.zeros(60)):
        assert not screened_weights(X, target, weight, are_classes=False).any()
    assert not screened_weights(X[:3], y[:3], weight[:3], are_classes=True).any()


@pytest.mark.parametrize(
    ("X", "y", "settings", "sentence"),
    [
        (np.ones((5, 2)), np.zeros(5), {"task": "regression"}, "y is constant: no column is aligned with it"),
        (np.eye(3), [0, 1, 1], {}, "column_alignment needs at least 4 samples, got 3"),
        (np.eye(5), [0, 1, 0, 1, 0], {"task": "ranking"}, "'task' of column_alignment must be"),
        (np.eye(5), [0, 1, 0, 1, 0], {"margin": -1.0}, "'margin' of column_alignment must"),
        (np.eye(5), [0, 1, 0, 1, 0], {"max_rows": 2}, "'max_rows' of column_alignment must"),
        (np.eye(5), [0, 1, 0, 1], {}, "y has 4 labels for 5 samples"),
        (np.full((5, 1), np.nan), [0, 1, 0, 1, 0], {}, "X contains NaN"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(X, y, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        column_alignment(X, y, **settings)


def test_sparse_samples_are_refused():
    with pytest.raises(ValueError, match=r"Pass X.toarray\(\)"):
        column_alignment(sparse.csr_array(np.eye(6)), [0, 1] * 3)
