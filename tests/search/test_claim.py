"""Error and luck of a share of right answers, from outcomes of held-out rows."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise import TunedSVC, TunedSVR
from kernelwise.search.engine.scored_kernel import smooth
from kernelwise.search.verdict.claim import N_DRAWS, luck_of_best, share_error


def outcomes(seed=0, n=30, sizes=(4, 6)):
    rng = np.random.default_rng(seed)
    tried = [rng.random((size, n)) < 0.6 for size in sizes]
    return tried, rng.integers(1, 4, n).astype(float), rng.integers(0, 12, n)


def test_luck_is_a_plain_loop_over_draws():
    tried, weight, cluster = outcomes()
    cluster = np.unique(cluster, return_inverse=True)[1]
    varies = np.linspace(0.3, 1.0, len(weight))
    half = np.random.default_rng(0).choice([-1.0, 1.0], size=(cluster.max() + 1, N_DRAWS // 2))
    gains, scores = [], []
    for signs in np.hstack([half, -half]).T:
        moved = weight * varies * signs[cluster]
        settings = []
        for own in tried:
            plain = [np.average(one, weights=weight) for one in own]
            extra = [sum(moved * (one - p)) / weight.sum() for one, p in zip(own, plain, strict=True)]
            settings += list(zip(smooth(np.add(plain, extra)), extra, plain, strict=True))
        _, gain, score = max(settings, key=lambda one: one[0])
        gains.append(gain)
        scores.append(score)
    found = luck_of_best(tried, weight, cluster, varies)
    assert_allclose(found, [np.mean(gains), np.var(scores)], atol=1e-12)
    assert found.mean > 0.0


def test_one_setting_and_equal_ones_owe_nothing():
    tried, weight, _ = outcomes()
    alike = np.repeat(tried[0][:1], 5, axis=0)
    for settings in ([tried[0][:1]], [alike], [alike, alike]):
        assert_allclose(luck_of_best(settings, weight, np.arange(len(weight))), 0.0, atol=1e-12)


def test_more_settings_and_fewer_rows_owe_more():
    many, few = outcomes(1, sizes=(40,)), outcomes(1, sizes=(4,))
    rows = np.arange(30)
    assert luck_of_best(many[0], np.ones(30), rows).mean > luck_of_best(few[0], np.ones(30), rows).mean
    # Each row three times is three rows, or one.
    three = [np.repeat(one, 3, axis=1) for one in many[0]]
    as_rows = luck_of_best(three, np.ones(90), np.arange(90)).mean
    as_groups = luck_of_best(three, np.ones(90), np.repeat(rows, 3)).mean
    assert_allclose(as_groups, luck_of_best(many[0], np.ones(30), rows).mean)
    assert as_rows < 0.8 * as_groups


def test_independent_copies_vary_like_a_row_each():
    """n copies that stand for n rows have 1/√n of the variation of one row of that weight."""
    is_right = np.arange(60) < 45
    many = share_error(np.repeat(is_right, 4), np.ones(240), np.arange(240))
    assert_allclose(share_error(is_right, np.full(60, 4.0), np.arange(60), np.full(60, 0.5)), many)


@pytest.mark.parametrize("n_right", [0, 7, 19, 20])
def test_the_error_of_rows_is_that_of_agresti_and_coull(n_right):
    share = (n_right + 2) / 24
    found = share_error(np.arange(20) < n_right, np.ones(20), np.arange(20))
    assert_allclose(found, np.sqrt(share * (1 - share) / 24))


def test_groups_count_once_whatever_their_unit():
    is_right, rows = np.arange(20) < 13, np.arange(20)
    once = share_error(is_right, np.ones(20), rows)
    assert_allclose(share_error(np.repeat(is_right, 5), np.ones(100), np.repeat(rows, 5)), once)
    assert_allclose(share_error(is_right, np.full(20, 0.001), rows), once)


def test_the_error_of_groups_is_their_spread():
    """Shares of random groups, which are right by 20 to 90 in a hundred, spread as their error says."""
    rng, shares, errors = np.random.default_rng(0), [], []
    cluster = np.repeat(np.arange(40), 5)
    for _ in range(300):
        is_right = rng.random(200) < rng.choice([0.2, 0.9], 40)[cluster]
        shares.append(is_right.mean())
        errors.append(share_error(is_right, np.ones(200), cluster))
    assert_allclose(np.mean(errors), np.std(shares), rtol=0.1)


def data(n=90):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] + rng.normal(size=n)


@pytest.mark.parametrize("make", [TunedSVC, TunedSVR])
def test_rows_of_a_group_make_the_error_larger(make):
    X, y = data()
    y = (y > 0).astype(int) if make is TunedSVC else y
    group = np.arange(90) // 2
    X, y = np.repeat(X, 3, axis=0), np.repeat(y, 3)
    X += 0.2 * np.random.default_rng(1).normal(size=X.shape)
    alone = make("rbf").fit(X, y, groups=np.arange(270)).result_
    grouped = make("rbf").fit(X, y, groups=np.repeat(group, 3)).result_
    assert grouped.standard_error > 1.4 * alone.standard_error


def test_the_error_of_r2_is_that_of_the_jackknife():
    X, y = data()
    model = TunedSVR("rbf", cv=5).fit(X, y)
    predicted, truth = model.fit_record_.predicted, model.fit_record_.truth

    def r2(rows):
        return 1.0 - ((predicted - truth)[rows] ** 2).mean() / truth[rows].var()

    without = np.array([r2(np.arange(90) != k) for k in range(90)])
    jackknife = np.sqrt(89 / 90 * ((without - without.mean()) ** 2).sum())
    # The scores of five folds have a correlation of one fifth.
    assert_allclose(model.result_.standard_error, np.sqrt(1.0 + 4 * 0.2) * jackknife, rtol=0.05)
