"""The temperature against a grid of factors, and what it must not depend on."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise.multiclass import class_pairs
from kernelwise.solvers.probability import class_probabilities, couple, log_odds
from kernelwise.solvers.temperature import DOUBTED, EXACTLY, MOST, temperature, tempered


@pytest.fixture(params=[("ovo", 3), ("ovo", 5), ("ovr", 4)])
def problem(request):
    """Log odds of overlapping classes, with weights."""
    machines, n_classes = request.param
    random = np.random.default_rng(n_classes)
    y = random.permutation(np.arange(200) % n_classes)
    values = 3.0 * (np.arange(n_classes) == y[:, None]) + 2.0 * random.normal(size=(200, n_classes))
    if machines == "ovo":
        i, j = np.array(class_pairs(n_classes)).T
        values = values[:, i] - values[:, j]
    else:
        values = values - 2.0
    weight = random.integers(1, 4, 200).astype(float)
    return values, y, weight * np.linspace(0.5, 2.0, n_classes)[y], weight, n_classes, machines


def cost(factor, odds, y, bound, weight, n_classes, machines):
    """Log-loss of rows of which a part counts for the other classes, class by class."""
    p = class_probabilities(factor * odds, n_classes, machines)
    total = 0.0
    for row, label, share in zip(p, y, bound, strict=True):
        doubt = DOUBTED / (weight[y == label].sum() + 2.0 * DOUBTED)
        others = np.delete(row, label)
        total -= share * ((1.0 - doubt) * np.log(row[label]) + doubt * np.log(others).mean())
    return total


def test_no_other_factor_is_better(problem):
    found = temperature(*problem)
    factors = np.exp(np.arange(-MOST, MOST, EXACTLY))
    best = factors[np.argmin([cost(factor, *problem) for factor in factors])]
    assert_allclose(np.log(found), np.log(best), atol=2.0 * EXACTLY)


def test_larger_log_odds_have_a_smaller_factor(problem):
    odds, *others = problem
    assert_allclose(np.log(temperature(1.5 * odds, *others) / temperature(*problem)), -np.log(1.5), atol=0.05)


def test_copies_of_rows_are_weights(problem):
    odds, y, bound, weight, *how = problem
    times = weight.astype(int)
    ones = np.ones(times.sum())
    copied = temperature(
        odds.repeat(times, axis=0), y.repeat(times), (bound / weight).repeat(times), ones, *how
    )
    assert_allclose(copied, temperature(*problem), rtol=1e-6)


def test_rows_without_odds_do_not_count(problem):
    odds, y, bound, weight, *how = problem
    unknown = np.where(np.arange(200)[:, None] < 40, np.nan, odds)
    rest = temperature(odds[40:], y[40:], bound[40:], weight[40:], *how)
    assert temperature(unknown, y, bound, weight, *how) == rest


def test_a_model_without_mistakes_is_not_sure_of_everything():
    y = np.arange(60) % 3
    i, j = np.array(class_pairs(3)).T
    odds = 8.0 * ((y[:, None] == i) - 1.0 * (y[:, None] == j))
    ones = np.ones(60)
    p = couple(1.0 / (1.0 + np.exp(-temperature(odds, y, ones, ones, 3, "ovo") * odds)), 3)
    assert 0.98 < p.max() < 0.9999


def test_two_classes_keep_their_sigmoid():
    ones = np.ones(4)
    sigmoids = np.array([[-2.0, 0.5]])
    values = np.array([[1.0], [-1.0], [2.0], [0.5]])
    found = tempered(sigmoids, values, np.array([1, 0, 1, 0]), ones, ones, 2, "ovo")
    np.testing.assert_array_equal(found, sigmoids)


def test_scaled_sigmoids_have_scaled_log_odds(problem):
    odds, *others = problem
    sigmoids = np.column_stack([np.full(odds.shape[1], -2.0), np.full(odds.shape[1], 0.1)])
    values = (odds + 0.1) / 2.0
    scaled = tempered(sigmoids, values, *others)
    assert_allclose(log_odds(values, scaled), temperature(*problem) * odds, rtol=1e-9)


def test_of_many_pairs_some_rows_tell_what_all_do(monkeypatch):
    """The factor is found from a part of the rows, and doubt counts all rows of a class."""
    n_classes, n = 30, 900
    random = np.random.default_rng(0)
    y = np.arange(n) % n_classes  # in turn: a stride would miss classes
    values = 3.0 * (np.arange(n_classes) == y[:, None]) + random.normal(size=(n, n_classes))
    i, j = np.array(class_pairs(n_classes)).T
    given = values[:, i] - values[:, j], y, np.ones(n), np.ones(n), n_classes, "ovo"
    every = temperature(*given)
    monkeypatch.setattr("kernelwise.solvers.temperature.MOST_ODDS", 300 * len(i))
    assert_allclose(temperature(*given), every, rtol=0.1)
