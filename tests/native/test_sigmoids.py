"""Platt's sigmoids: where the gradient of the likelihood vanishes, and nowhere else."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from kernelwise import _native


def problems(n_problems, n, seed=0):
    """Decision values of order one, targets that they tell in part, and weights of which some are zero."""
    rng = np.random.default_rng(seed)
    f = rng.normal(size=(n_problems, n))
    target = np.where(f + 0.7 * rng.normal(size=f.shape) > 0.0, 0.97, 0.03)
    return f, target, rng.uniform(0.2, 2.0, f.shape) * (np.arange(n) % 7 > 0)


def cost(f, target, w, A, B):
    z = A * f + B
    return (w * (target * z + np.logaddexp(0.0, -z))).sum()


@pytest.mark.parametrize(("n_problems", "n"), [(1, 8), (4, 30), (7, 201)])
@pytest.mark.parametrize("start", [(0.0, 0.0), (-3.0, 1.0), (5.0, -4.0)])
def test_each_row_is_its_own_problem(n_problems, n, start):
    f, target, w = problems(n_problems, n)
    points = np.tile(start, (n_problems, 1))
    assert _native.fit_sigmoids(f, target, w, points) == 0
    for own, wanted, weight, (A, B) in zip(f, target, w, points, strict=True):
        pull = weight * (wanted - expit(-(A * own + B)))
        assert abs(pull.sum()) <= 1e-9 * weight.sum()
        assert abs((pull * own).sum()) <= 1e-9 * weight.sum()
        # The cost is convex: there is no other minimum. It is no lower next to this one.
        least = cost(own, wanted, weight, A, B)
        for step in np.random.default_rng(1).normal(size=(20, 2)):
            assert cost(own, wanted, weight, A + step[0], B + step[1]) > least


def test_equal_decision_values_give_the_share_of_the_targets():
    f, target = np.full((1, 10), 0.4), np.array([[0.9] * 7 + [0.1] * 3])
    points = np.zeros((1, 2))
    assert _native.fit_sigmoids(f, target, np.ones((1, 10)), points) == 0
    assert expit(-(0.4 * points[0, 0] + points[0, 1])) == pytest.approx(target.mean(), abs=1e-9)


def test_those_that_do_not_converge_are_counted():
    f, target, w = problems(3, 40)
    points = np.zeros((3, 2))
    points[1] = np.nan
    assert _native.fit_sigmoids(f, target, w, points) == 1
    assert np.isfinite(points[[0, 2]]).all()


def test_decision_values_of_any_size_do_not_overflow():
    f, target, w = problems(1, 40)
    points = np.zeros((1, 2))
    _native.fit_sigmoids(1e150 * f, target, w, points)
    assert not np.isinf(points).any()
