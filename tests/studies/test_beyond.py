"""The outer splits of the comparison over all methods."""

from __future__ import annotations

import numpy as np

from kernelwise.studies.beyond import Data, outer_splits


def test_few_rows_are_all_tested_once():
    y = np.repeat([0, 1, 2], 20)
    splits = outer_splits(y, n_train=45, n_splits=4)
    assert sorted(np.concatenate([test for _, test in splits])) == list(range(60))


def test_of_many_rows_so_many_are_learned_from_and_all_others_tested():
    y = np.repeat([0, 1], [300, 100])
    splits = outer_splits(y, n_train=40, n_splits=3)
    for train, test in splits:
        assert len(train) == 40
        assert y[train].sum() == 10
        assert sorted(np.concatenate([train, test])) == list(range(400))
    assert not np.array_equal(np.sort(splits[0][0]), np.sort(splits[1][0]))


def test_kinds_of_data():
    y = np.repeat([0, 1], 300)
    data = Data(np.zeros((600, 16)), y, outer_splits(y, 400, 4))
    kinds = {"all", "two classes", "more than 15 features", "more than 300 rows to learn from"}
    assert set(data.groups()) == kinds
