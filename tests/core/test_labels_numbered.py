"""Labels as class indices, by counting where they are indices already, and rows repeated by weights."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kernelwise._core.labels import MANY, repeated
from kernelwise._core.validation import check_labels


@pytest.mark.parametrize(
    "y",
    [
        [0, 1, 2, 1],
        [2, 0, 2, 5],
        [-1, 1, -1, 1],
        [3, 4, 3, 4],
        [0, 900, 0, 900],
        np.array([0, 1, 1], np.int8),
        np.array([0, 1, 1], np.uint64),
        [False, True],
        ["b", "a", "b"],
    ],
)
def test_classes_and_indices_are_those_of_unique(y):
    classes, index = check_labels(y, len(y))
    expected, inverse = np.unique(y, return_inverse=True)
    assert classes.dtype == expected.dtype
    assert_array_equal(classes, expected)
    assert_array_equal(index, inverse)
    assert index is not y


def test_rows_repeated_as_their_weights_say():
    assert_array_equal(repeated(np.array([2.0, 1.0, 3.0])), [0, 0, 1, 2, 2, 2])
    # No counts: in proportion, and no fewer rows than there are.
    assert_array_equal(repeated(np.array([0.1, 0.1, 0.2])), [0, 2, 2])
    share = np.bincount(repeated(np.array([1e9, 3e9]))) / MANY
    np.testing.assert_allclose(share, [0.25, 0.75])
