"""Values of C that follow the kernel."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise.kernels import RBF, Linear
from kernelwise.search.engine.runner import feature_space_variance
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.propose.c_range import LIMITS, N_VALUES, STEP, c_range, two_more


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(80, 5))


def test_the_variance_is_the_mean_squared_distance_to_the_mean_in_feature_space(X):
    weight = np.random.default_rng(1).uniform(0.5, 3.0, 80)
    share = weight / weight.sum()
    assert_allclose(feature_space_variance(Linear()(X), weight), share @ ((X - share @ X) ** 2).sum(axis=1))


def test_a_weight_of_two_varies_like_a_repeated_row(X):
    weight = np.arange(80) % 3 + 1
    repeated = np.repeat(X, weight, axis=0)
    assert_allclose(
        feature_space_variance(RBF(0.1)(X), weight.astype(float)),
        feature_space_variance(RBF(0.1)(repeated), np.ones(weight.sum())),
    )


def test_c_grows_like_the_squared_width_where_the_kernel_is_wide(X):
    sigmas = 2.0 ** np.arange(4, 12, 2)
    first = [c_range(feature_space_variance(RBF(0.5 / sigma**2)(X), np.ones(80)))[0] for sigma in sigmas]
    assert_allclose(np.diff(np.log2(first)), 4.0)  # σ times 4 is C times 16


def test_c_goes_like_one_over_the_units_of_a_linear_kernel(X):
    small, large = (c_range(feature_space_variance(Linear()(X * unit), np.ones(80))) for unit in (1.0, 8.0))
    assert_allclose(small, large * 64.0)


@pytest.mark.parametrize("variance", [1e-6, 0.3, 1.0, 5e7])
def test_the_range_is_in_units_of_one_over_the_variance(variance):
    Cs = c_range(variance)
    assert Cs.size == N_VALUES
    assert_allclose(Cs[1:] / Cs[:-1], STEP)
    assert 1.0 / STEP / 2.0 <= Cs[0] * variance <= 1.0 / STEP * 2.0


def scored(variance, steps, best):
    """A kernel whose C·variance are those powers of 4, with the highest scores around the one at ``best``."""
    Cs = STEP ** np.array(steps, dtype=float) / variance
    scores = -np.abs(np.arange(len(Cs)) - best - 0.2 * (best > 0))[:, None]
    return ScoredKernel("k", "", Cs, scores, None, np.ones(len(Cs)), False, variance, 0.0, 0)


@pytest.mark.parametrize(
    ("steps", "best", "expected"),
    [
        (range(-1, 4), 0, range(-1, 4)),  # a small C of the usual ones is no reason for other values
        (range(-3, 4), 2, range(-3, 2)),
        (range(-3, 4), 3, range(-2, 3)),
        (range(-3, 6), 5, range(-1, 4)),  # never above the usual ones
        (range(-6, 4), 1, range(-6, -1)),  # never below the limit, which is 4⁻⁶
        (range(-3, 4), 0, range(-1, 4)),  # the smallest of all may answer one class only
    ],
)
def test_values_are_around_the_best_so_far_if_that_asked_for_smaller_ones(steps, best, expected):
    before = scored(4.0**3, steps, best)
    assert before.best == best
    assert_allclose(c_range(4.0, before) * 4.0, STEP ** np.array(expected, dtype=float))


def test_values_around_the_best_so_far_stay_within_the_limits():
    before = scored(1.0, range(-6, 4), 1)
    for variance in np.geomspace(0.1, 10.0, 23):
        assert c_range(variance, before)[0] * variance >= LIMITS[0] * (1.0 - 1e-12)


@pytest.mark.parametrize("variance", [0.0, -1e-17])
def test_no_variance_gives_a_finite_range(variance):
    assert np.isfinite(c_range(variance)).all()


@pytest.mark.parametrize("upwards", [True, False])
def test_two_more_values_until_the_limit(upwards):
    Cs, variance, added = c_range(0.7), 0.7, []
    while (more := two_more(Cs, variance, upwards=upwards)).size:
        assert more.size <= 2
        added.append(more)
        Cs = np.concatenate([Cs, more] if upwards else [more, Cs])
    assert_allclose(Cs[1:] / Cs[:-1], STEP)
    low, high = Cs[0] * variance, Cs[-1] * variance
    assert LIMITS[0] <= low
    assert high <= LIMITS[1]
    assert high * STEP > LIMITS[1] if upwards else low / STEP < LIMITS[0]
    assert added
