"""Folds of the user as folds of distinct rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, TimeSeriesSplit

from kernelwise.search.data.given_folds import given_folds


def test_given_folds_gather_the_copies_of_a_row():
    index, weight = np.array([0, 1, 0, -1, 1, 1]), np.array([1.0, 2.0, 1.0, 0.0, 1.0, 4.0])
    splits = list(KFold(2).split(index))  # 0, 1, 2 | 3, 4, 5
    found = given_folds(splits, index, weight)
    assert_array_equal(found.rows, [0, 1, 1])
    assert_array_equal(found.fold, [0, 0, 1])
    assert_allclose(found.weight, [2.0, 2.0, 5.0])


def test_masks_are_folds_too():
    index, weight = np.arange(4), np.ones(4)
    test = np.array([True, False, True, False])
    found = given_folds([(~test, test), (test, ~test)], index, weight)
    assert_array_equal(found.fold, [0, 1, 0, 1])


def test_folds_that_none_of_the_rows_are_in_are_none():
    every = given_folds([(np.delete(np.arange(6), k), [k]) for k in range(6)], np.arange(6), np.ones(6))
    some = every.within(np.array([1, 3, 4]))
    assert some.n_folds == 3
    assert all(len(test) == 1 and len(train) == 2 for train, test in some.folds)


def bootstrap(n, n_folds, seed):
    """Training parts drawn with replacement, test parts with repetitions among what is left."""
    random = np.random.default_rng(seed)
    for _ in range(n_folds):
        train = random.integers(0, n, size=n)
        rest = np.setdiff1d(np.arange(n), train)
        yield train, random.choice(rest, size=6)


@pytest.mark.parametrize(
    "splits",
    [
        list(TimeSeriesSplit(4).split(np.zeros(40))),
        list(ShuffleSplit(3, test_size=0.3, train_size=0.4, random_state=0).split(np.zeros(40))),
        list(RepeatedKFold(n_splits=4, n_repeats=3, random_state=0).split(np.zeros(40))),
        [(np.arange(30), np.arange(30, 40))],
        list(bootstrap(40, 4, 0)),
    ],
    ids=["time", "shuffle", "repeated", "one", "bootstrap"],
)
def test_every_fold_has_the_weight_of_every_row_that_it_had_among_the_samples(splits):
    random = np.random.default_rng(1)
    index, weight = random.integers(-1, 12, size=40), random.uniform(0.5, 3.0, size=40)
    weight[index < 0] = 0.0
    found = given_folds(splits, index, weight)
    assert found.n_folds == len(splits)
    assert not found.is_partition
    for (train, test), (own_train, own_test) in zip(splits, found.folds, strict=True):
        assert not np.intersect1d(own_train, own_test).size
        for part, own in ((train, own_train), (test, own_test)):
            used = part[index[part] >= 0]
            expected = np.bincount(index[used], weights=weight[used], minlength=12)
            assert_allclose(np.bincount(found.rows[own], weights=found.weight[own], minlength=12), expected)
    assert_array_equal(np.sort(np.concatenate(found.places)), np.arange(len(found.fold)))
    assert (np.diff(found.rows) >= 0).all()


def test_equal_samples_are_one_row_only_where_all_folds_use_them_alike():
    index = np.array([0, 0, 1, 1, 1])
    found = given_folds([([0, 2, 3], [4]), ([0, 2, 3], [4, 1])], index, np.ones(5))
    # Sample 0 is trained on twice, 1 held out once; 2 and 3 are alike, 4 is held out twice.
    assert_array_equal(found.rows, [0, 0, 1, 1])
    assert sorted(found.weight[found.rows == 1].tolist()) == [1.0, 2.0]
    assert_array_equal(np.sort(found.times), [1, 2, 2])


def test_a_partition_spelled_out_has_the_same_parts():
    splits = list(KFold(3).split(np.zeros(9)))
    found = given_folds(splits, np.arange(9), np.ones(9))
    spelled = found.spelled_out()
    for one, other in zip(found.folds, spelled.folds, strict=True):
        assert_array_equal(one[0], other[0])
        assert_array_equal(one[1], other[1])


def test_free_folds_of_some_rows_only():
    splits = list(TimeSeriesSplit(3).split(np.zeros(8)))  # tests 2-3, 4-5, 6-7
    found = given_folds(splits, np.arange(8), np.ones(8)).within(np.array([1, 3, 6]))
    assert found.n_folds == 2
    (train, test), (later, last) = found.folds
    assert (found.rows[train].tolist(), found.rows[test].tolist()) == ([1], [3])
    assert (found.rows[later].tolist(), found.rows[last].tolist()) == ([1, 3], [6])


def test_a_sample_that_is_trained_on_and_held_out_is_refused():
    with pytest.raises(ValueError, match="Fold 1 of 'cv' trains on sample 2 and holds it out"):
        given_folds([([0, 1], [2]), ([1, 2], [2, 3])], np.arange(4), np.ones(4))


def test_a_fold_that_names_a_row_which_is_not_there_is_refused():
    with pytest.raises(ValueError, match="Fold 1 of 'cv' names samples beyond the 4 that there are"):
        given_folds([([0, 1], [2, 3]), ([2, 3], [0, 4])], np.arange(4), np.ones(4))
