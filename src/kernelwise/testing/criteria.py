"""The contract of a criterion."""

from __future__ import annotations

import numpy as np

from kernelwise.criteria import Criterion, MachineCriterion
from kernelwise.testing.assertions import assert_close
from kernelwise.testing.gradients import assert_gradient, central_difference, extrapolated_difference


def check_criterion(criterion: Criterion, *, n_classes: int = 2, random_state: int = 0) -> None:
    """Raise AssertionError unless a criterion keeps the contract of :class:`~kernelwise.criteria.Criterion`.

    Parameters
    ----------
    criterion : Criterion
        Derivatives are looked at if it says ``is_differentiable``. If it trains machines, to a tolerance of
        1e-12: the steps of the differences must be large beside it, and so small that the same support
        vectors stay free.
    n_classes : int, default=2
    random_state : int, default=0

    Examples
    --------
    >>> from kernelwise.criteria import ESDR, Margin
    >>> from kernelwise.testing import check_criterion
    >>> check_criterion(ESDR(), n_classes=3)
    >>> check_criterion(Margin(tol=1e-12))
    """
    random = np.random.default_rng(random_state)
    n = 8 * n_classes
    extra = criterion.extra_points(3)
    n_rows = n + (0 if extra is None else extra.shape[0])
    A = random.normal(size=(n_rows, n_rows + 2))
    # Far from singular, so that it stays positive definite when the differences move it.
    K = A @ A.T / n_rows + is_trained(criterion) * np.eye(n_rows)
    y = np.array([f"class {k % n_classes}" for k in range(n)])
    weights = random.uniform(0.5, 2.0, size=n)
    for w in (None, weights):
        _check_sign(criterion, K, y, w)
        if criterion.is_differentiable:
            _check_adjoint(criterion, K, y, w, random)
            _check_own_parameters(criterion, K, y, w)
    _check_names_and_weights(criterion, K, y)
    if not criterion.is_held_out:
        _check_order_and_repeats(criterion, K, y, random)


def is_trained(criterion: Criterion) -> bool:
    """Whether values are right to a solver's tolerance only."""
    return isinstance(criterion, MachineCriterion)


def _precision(criterion: Criterion) -> tuple[float, float]:
    """Step of differences and their allowed relative error."""
    return (1e-5, 1e-5) if is_trained(criterion) else (1e-6, 1e-6)


def _check_sign(criterion: Criterion, K: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
    expected = criterion.sign * criterion.score(K, y, w)
    assert_close(criterion.value(K, y, w), expected, "value is not sign · score")


def _check_adjoint(
    criterion: Criterion, K: np.ndarray, y: np.ndarray, w: np.ndarray | None, random: np.random.Generator
) -> None:
    assert type(criterion).value_and_adjoint is not Criterion.value_and_adjoint, (
        f"{type(criterion).__name__} has is_differentiable = True but no value_and_adjoint. Write it, or set "
        "is_differentiable = False."
    )
    value, W = criterion.value_and_adjoint(K, y, w)
    assert_close(value, criterion.value(K, y, w), "value and value_and_adjoint differ in the cost", rtol=0.0)
    assert_close(criterion.adjoint(K, y, w), W, "adjoint and value_and_adjoint differ in W", rtol=0.0)
    assert np.shape(W) == K.shape, f"W has shape {np.shape(W)}, and K has {K.shape}."
    assert_close(W, W.T, "W = ∂cost/∂K is not symmetric", rtol=1e-12, atol=1e-15)
    step, rtol = _precision(criterion)
    directions = [D + D.T for D in random.normal(size=(6, *K.shape))]
    slopes = np.array([np.vdot(W, D) for D in directions])
    difference = extrapolated_difference if is_trained(criterion) else central_difference

    def moved(lengths: np.ndarray) -> float:
        return criterion.value(K + np.tensordot(lengths, directions, 1), y, w)

    assert_gradient(slopes, difference(moved, np.zeros(6), step), value, step, rtol)


def _check_own_parameters(criterion: Criterion, K: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> None:
    """The derivative by the criterion's own parameters, such as log C."""
    gradient = criterion.evaluate(K, y, w).theta_gradient
    assert gradient.shape == criterion.theta.shape, (
        f"theta_gradient of evaluate has shape {gradient.shape}, and theta has {criterion.theta.shape}."
    )
    step, rtol = _precision(criterion)
    numeric = extrapolated_difference(
        lambda theta: criterion.with_theta(theta).value(K, y, w), criterion.theta, step
    )
    assert_gradient(gradient, numeric, criterion.value(K, y, w), step, rtol)


def _check_names_and_weights(criterion: Criterion, K: np.ndarray, y: np.ndarray) -> None:
    value, rtol = criterion.value(K, y), 1e-4 * _precision(criterion)[1]
    renamed = np.array([{"class 0": 7}.get(label, -int(label[-1])) for label in y])
    assert_close(criterion.value(K, renamed), value, "the names of the classes matter", rtol, 1e-8)
    ones = criterion.value(K, y, np.ones(len(y)))
    assert_close(ones, value, "weights of 1 are not the same as no weights", 1e-12, 1e-8)


def _check_order_and_repeats(
    criterion: Criterion, K: np.ndarray, y: np.ndarray, random: np.random.Generator
) -> None:
    value, rtol = criterion.value(K, y), 1e-4 * _precision(criterion)[1]
    extra = np.arange(len(y), len(K))
    order = random.permutation(len(y))
    rows = np.concatenate([order, extra])
    shuffled = criterion.value(K[np.ix_(rows, rows)], y[order])
    assert_close(shuffled, value, "the order of the samples matters", rtol, 1e-8)
    repeats = random.integers(1, 4, size=len(y))
    members = np.repeat(np.arange(len(y)), repeats)
    rows = np.concatenate([members, extra])
    repeated = criterion.value(K[np.ix_(rows, rows)], y[members])
    weighted = criterion.value(K, y, repeats)
    assert_close(weighted, repeated, "a weight of 2 is not a repeated row", rtol, 1e-8)
