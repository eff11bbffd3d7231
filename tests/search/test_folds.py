"""Folds of weighted rows."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise.search.data.canonical import shuffled_classes
from kernelwise.search.data.folds import FoldRows, folds_of_rows, stratified_folds


def one_by_one(index, weight, n_folds, random_state):
    """Copies of the rows of each class go to the folds one after the other."""
    shares = np.zeros((len(index), n_folds))
    for members in shuffled_classes(index, random_state):
        copies = [(row, weight[row] / max(1, int(weight[row]))) for row in members]
        hand = [copy for copy in copies for _ in range(max(1, int(weight[copy[0]])))]
        for index_, (row, share) in enumerate(hand):
            shares[row, index_ % n_folds] += share
    return shares


def test_folds_of_many_small_classes_have_as_many_rows():
    strata = np.repeat(np.arange(41), [60, *[3] * 40])
    found = stratified_folds(strata, np.ones(len(strata)), 5)
    assert_array_equal(np.bincount(found.fold), [36] * 5)
    renamed = np.random.default_rng(0).permutation(41)[strata]
    assert_array_equal(stratified_folds(renamed, np.ones(len(strata)), 5).fold, found.fold)


@pytest.mark.parametrize("n_folds", [2, 3, 5])
@pytest.mark.parametrize("weights", ["ones", "whole", "fractions", "small"])
def test_copies_go_to_the_folds_one_by_one(n_folds, weights):
    random = np.random.default_rng(0)
    index = random.integers(0, 3, size=40)
    weight = {
        "ones": np.ones(40),
        "whole": random.integers(1, 9, size=40).astype(float),
        "fractions": random.uniform(0.1, 6.0, size=40),
        "small": np.full(40, 0.01),
    }[weights]
    found = stratified_folds(index, weight, n_folds, random_state=1)
    shares = np.zeros((40, n_folds))
    shares[found.rows, found.fold] = found.weight
    expected = one_by_one(index, weight, n_folds, 1)
    if weights in ("ones", "small"):
        assert_allclose(shares, expected)
    assert_allclose(shares.sum(axis=1), weight)
    copies = shares * (np.maximum(1.0, np.floor(weight)) / weight)[:, None]
    for k in range(3):  # as many of each class
        by_hand = (expected * (np.maximum(1.0, np.floor(weight)) / weight)[:, None])[index == k].sum(axis=0)
        assert_allclose(copies[index == k].sum(axis=0), by_hand)
    assert (np.diff(found.rows) >= 0).all()


@pytest.mark.parametrize(("n_rows", "is_drawn"), [(2, False), (3, True)])
def test_copies_are_drawn_where_there_are_as_many_points_as_folds(n_rows, is_drawn):
    found = stratified_folds(np.zeros(n_rows, dtype=int), np.full(n_rows, 60.0), 3)
    assert_array_equal(np.bincount(found.fold, found.weight), [20.0 * n_rows] * 3)
    assert (found.weight != 20.0).any() == is_drawn


def test_copies_are_drawn_into_folds():
    """Folds with equal shares of each point would be trained on what they hold out."""
    found = stratified_folds(np.zeros(50, int), np.full(50, 10.0), 5, random_state=0)
    shares = np.zeros((50, 5))
    shares[found.rows, found.fold] = found.weight
    assert_allclose(shares.sum(axis=0), 100.0)
    assert_allclose(shares.var(), 10 * 0.2 * 0.8, rtol=0.3)


def test_folds_are_stratified_and_hold_out_each_row_once():
    index = np.repeat([0, 1], [60, 21])
    found = stratified_folds(index, np.ones(81), 3)
    held_out = np.concatenate([test for _, test in found.folds])
    assert_array_equal(np.sort(held_out), np.arange(81))
    for train, test in found.folds:
        assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(81))
        assert_array_equal(np.bincount(index[found.rows[test]]), [20, 7])


def test_a_class_of_two_is_held_out_by_two_of_five_folds():
    index = np.array([0] * 10 + [1, 1])
    found = stratified_folds(index, np.ones(12), 5)
    assert sorted(np.bincount(found.fold[index[found.rows] == 1], minlength=5)) == [0, 0, 0, 1, 1]


def test_folds_do_not_depend_on_names():
    random = np.random.default_rng(3)
    index, weight = random.integers(0, 2, size=30), random.integers(1, 4, size=30).astype(float)
    one, other = stratified_folds(index, weight, 4), stratified_folds(1 - index, weight, 4)
    for field in fields(FoldRows):
        assert_array_equal(getattr(one, field.name), getattr(other, field.name))


def test_a_huge_weight_is_assigned_without_a_huge_array():
    found = stratified_folds(np.array([0, 0, 1, 1]), np.array([1e12, 1.0, 1.0, 1.0]), 2)
    assert_allclose(found.weight[found.rows == 0], 5e11)


def test_folds_of_some_rows_only():
    every = stratified_folds(np.repeat([0, 1], 10), np.full(20, 2.0), 2)
    found, is_in = every.within(np.array([3, 7, 15])), np.isin(every.rows, [3, 7, 15])
    assert_array_equal(found.rows, every.rows[is_in])
    assert_array_equal(found.fold, every.fold[is_in])
    assert_array_equal(found.weight, every.weight[is_in])
    assert_allclose(np.bincount(found.rows, weights=found.weight)[[3, 7, 15]], 2.0)


def test_the_only_row_of_a_class_is_in_every_training_part_and_in_no_test_part():
    index = np.array([0] * 6 + [1] + [2] * 4 + [3])
    weight = np.ones(12)
    weight[11] = 2.0  # two rows, of which one can be held out
    found = folds_of_rows(index, weight, 3, None, 0)
    lone = np.flatnonzero(found.rows == 6)
    assert found.n_folds == 3
    for train, test in found.folds:
        assert np.isin(lone, train).all()
        assert not np.isin(lone, test).any()
    held_out = np.concatenate([test for _, test in found.folds])
    assert_array_equal(np.unique(found.rows[held_out]), np.delete(np.arange(12), 6))


def test_given_folds_do_not_hold_out_the_only_row_of_a_class():
    """A fold that held out nothing else is dropped, and the others are numbered without a gap."""
    folds = FoldRows(np.arange(5), np.array([2, 0, 1, 0, 2]), np.ones(5), 3).training_on(np.array([2]))
    assert_array_equal(folds.fold, [1, 0, -1, 0, 1])
    assert folds.n_folds == 2
    within = folds.within(np.array([0, 2, 4]))
    assert_array_equal(within.fold, [0, -1, 0])
    assert within.n_folds == 1


def test_rows_that_all_folds_are_asked_about_are_trained_on_by_none():
    plain = stratified_folds(np.zeros(6, int), np.array([1.0, 1.0, 2.0, 1.0, 1.0, 1.0]), 3, is_split=False)
    rows = np.array([1, 2, 4, 5, 7, 8])
    both = plain.renamed(rows).asked_by_all(np.array([0, 6]), np.array([3.0, 5.0]))
    assert both.rows.tolist() == [0, 1, 2, 4, 5, 6, 7, 8]
    assert both.weight.tolist() == [3.0, 1.0, 1.0, 2.0, 1.0, 5.0, 1.0, 1.0]
    for (train, test), (old_train, old_test) in zip(both.folds, plain.folds, strict=True):
        assert_array_equal(both.rows[train], rows[old_train])
        assert set(both.rows[test]) == {0, 6, *rows[old_test]}
    assert both.times.tolist() == [3 if row in (0, 6) else 1 for row in both.rows[both.asked]]
    assert plain.asked_by_all(np.empty(0, int), np.empty(0)) is plain
