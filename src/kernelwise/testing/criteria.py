"""The contract of a criterion."""

from __future__ import annotations

import numpy as np

from kernelwise.criteria import Criterion
from kernelwise.testing.gradients import assert_gradient


def check_criterion(criterion: Criterion, *, n_classes: int = 2, random_state: int = 0) -> None:
    """Raise AssertionError unless a criterion keeps the contract of :class:`~kernelwise.criteria.Criterion`.

    Parameters
    ----------
    criterion : Criterion
    n_classes : int, default=2
    random_state : int, default=0
    """
    random = np.random.default_rng(random_state)
    n = 8 * n_classes
    A = random.normal(size=(n, n + 2))
    K = A @ A.T / n
    y = np.array([f"class {k % n_classes}" for k in range(n)])
    weights = random.uniform(0.5, 2.0, size=n)
    for w in (None, weights):
        _check_adjoint(criterion, K, y, w, random)
    _check_invariances(criterion, K, y, random)


def _check_adjoint(
    criterion: Criterion, K: np.ndarray, y: np.ndarray, w: np.ndarray | None, random: np.random.Generator
) -> None:
    value, W = criterion.value_and_adjoint(K, y, w)
    assert value == criterion.value(K, y, w), "value and value_and_adjoint differ"
    assert np.isclose(value, criterion.sign * criterion.score(K, y, w), rtol=1e-12)
    np.testing.assert_array_equal(W, criterion.adjoint(K, y, w))
    np.testing.assert_allclose(W, W.T, rtol=1e-12, atol=1e-15)
    if not criterion.is_differentiable:
        return
    step = 1e-6
    directions = [D + D.T for D in random.normal(size=(6, *K.shape))]
    slopes = np.array([np.vdot(W, D) for D in directions])
    numeric = np.array(
        [
            (criterion.value(K + step * D, y, w) - criterion.value(K - step * D, y, w)) / (2 * step)
            for D in directions
        ]
    )
    assert_gradient(slopes, numeric, value, step)


def _check_invariances(
    criterion: Criterion, K: np.ndarray, y: np.ndarray, random: np.random.Generator
) -> None:
    value = criterion.value(K, y)
    order = random.permutation(len(y))
    shuffled = criterion.value(K[np.ix_(order, order)], y[order])
    assert np.isclose(shuffled, value, rtol=1e-10), "the order of the samples matters"
    renamed = np.array([{"class 0": 7}.get(label, -int(label[-1])) for label in y])
    assert np.isclose(criterion.value(K, renamed), value, rtol=1e-10), "the names of the classes matter"
    assert np.isclose(criterion.value(K, y, np.ones(len(y))), value, rtol=1e-12)
    repeats = random.integers(1, 4, size=len(y))
    rows = np.repeat(np.arange(len(y)), repeats)
    repeated = criterion.value(K[np.ix_(rows, rows)], y[rows])
    weighted = criterion.value(K, y, repeats)
    assert np.isclose(weighted, repeated, rtol=1e-10), "a weight of 2 is not a repeated row"
