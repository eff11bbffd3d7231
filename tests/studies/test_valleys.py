"""Local minima of sampled curves."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.studies.glasmachers.local_optima import Valleys


def test_minima_inside_and_at_both_ends():
    valleys = Valleys.of(np.array([1.0, 2.0, 0.5, 3.0, 3.5, 2.0]))
    assert valleys.indices.tolist() == [0, 2, 5]
    assert valleys.at_first.tolist() == [True, False, False]
    assert valleys.at_last.tolist() == [False, False, True]
    assert valleys.is_lowest.tolist() == [False, True, False]
    assert [valleys.reached_from(k) for k in range(6)] == [0, 0, 1, 1, 1, 2]
    assert valleys.n_inside == 1


def test_a_level_part_at_an_end_is_a_minimum_only_if_the_curve_rises_from_it():
    rising = Valleys.of(np.array([1.0, 1.0, 1.0, 2.0, 3.0]))
    assert (rising.at_first.tolist(), rising.n_inside) == ([True], 0)
    falling = Valleys.of(np.array([1.0, 1.0, 1.0, 0.5, 3.0]))
    assert falling.indices.tolist() == [3]
    assert not falling.at_first.any()


def test_rounding_makes_no_minimum():
    x = np.linspace(-1, 1, 41)
    noise = 1e-7 * np.random.default_rng(0).normal(size=41)
    assert Valleys.of(1 + x**2 + noise).n_inside == 1
    level = Valleys.of(1 + noise)
    assert level.at_first.tolist() == level.at_last.tolist() == [True]


@pytest.mark.parametrize("seed", range(20))
def test_descents_by_brute_force(seed):
    costs = np.random.default_rng(seed).normal(size=30)
    valleys = Valleys.of(costs)
    padded = np.concatenate([[np.inf], costs, [np.inf]])
    expected = [k for k in range(30) if padded[k + 1] < min(padded[k], padded[k + 2])]
    assert valleys.indices.tolist() == expected
    for start in range(30):
        k = start
        steps = [j for j in (k - 1, k + 1) if 0 <= j < 30 and costs[j] < costs[k]]
        if len(steps) == 2:
            continue  # a peak, from which both ways lead down
        while steps:
            k = min(steps, key=lambda j: costs[j])
            steps = [j for j in (k - 1, k + 1) if 0 <= j < 30 and costs[j] < costs[k]]
        assert valleys.indices[valleys.reached_from(start)] == k
