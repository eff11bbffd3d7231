"""What a search does with held-out predictions of quantiles, against loops."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.search.data.samples import Samples
from kernelwise.search.families.regression import Regression, quantile_of
from kernelwise.search.scoring.held_out_answers import pinball_losses

QUANTILES = (0.2, 0.9)


def held_out(n=40, seed=0):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, n).astype(float)
    y = rng.normal(size=n)
    return (
        Samples(None, y, np.zeros(n, int), weight, weight),
        rng.normal(size=(3, n, 2)),
        rng.integers(0, 4, n),
    )


@pytest.mark.parametrize("share", [0.1, 0.5, 0.73, 0.9])
def test_weighted_quantiles_are_those_of_copies(share):
    rng = np.random.default_rng(0)
    values, weight = rng.normal(size=(5, 20)), rng.integers(1, 4, 20)
    copies = np.repeat(values, weight, axis=1)
    expected = np.quantile(copies, share, axis=1, method="averaged_inverted_cdf")
    np.testing.assert_array_equal(quantile_of(values, weight.astype(float), share), expected)


def test_a_quantile_is_the_constant_of_least_loss():
    held, _, _ = held_out()
    for q in QUANTILES:
        losses = [held.weight @ pinball_losses(held.y - constant, q) for constant in held.y]
        found = held.weight @ pinball_losses(held.y - quantile_of(held.y, held.weight, q), q)
        assert found == pytest.approx(min(losses))


def test_values_are_moved_by_the_residuals_of_other_folds():
    held, decision, fold = held_out()
    asked = np.arange(40)
    asked[1] = 0  # a row that is held out twice
    found = Regression(quantiles=QUANTILES).scored_values(decision, held, fold, asked)
    for c in range(3):
        for m, q in enumerate(QUANTILES):
            for k in range(4):
                others = [i for i in range(40) if fold[i] != k and asked[i] not in asked[fold == k]]
                residual = (held.y - decision[c, :, m])[others]
                shift = quantile_of(residual, held.weight[others], q)
                np.testing.assert_allclose(found[c, fold == k, m], decision[c, fold == k, m] + shift)


def test_halves_of_a_single_fold_move_each_other():
    held, decision, _ = held_out()
    found = Regression(quantiles=(0.9,)).scored_values(decision[..., 0], held, np.zeros(40, int))
    residual = held.y - decision[0, :, 0]
    shift = quantile_of(residual[1::2], held.weight[1::2], 0.9)
    np.testing.assert_allclose(found[0, ::2], decision[0, ::2, 0] + shift)


def test_other_regressions_are_not_moved():
    held, decision, fold = held_out()
    assert Regression().scored_values(decision, held, fold) is decision
