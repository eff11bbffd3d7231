"""Which features stand out, in words."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.kernels.metric import most_relevant, weigh_the_same

NAMES = ["ri", "na", "mg", "al"]


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ([0.25, 0.25, 0.25, 0.25], "all features weigh the same"),
        ([0.26, 0.24, 0.25, 0.25], "all features weigh the same"),  # but for a tenth
        ([0.05, 0.1, 0.7, 0.15], "mg 0.70"),
        ([0.45, 0.0, 0.55, 0.0], "mg 0.55, ri 0.45"),
        ([0.3, 0.1, 0.3, 0.3], "no feature stands out"),
    ],
)
def test_only_features_above_the_others_are_named(shares, words):
    assert most_relevant(NAMES, np.array(shares), 5) == words


def test_the_largest_of_many_are_named():
    shares = np.array([0.1, 0.02, 0.2, 0.3, *np.full(38, 0.01)])
    assert most_relevant([f"f{k}" for k in range(42)], shares, 2) == "f3 0.30, f2 0.20"


def test_all_weigh_the_same_is_told_of_those_that_are_shown():
    assert weigh_the_same(np.full(30, 0.02), 50)  # the report shows thirty
