"""Radius and margin against a general solver and closed forms; gradients; what paper 002 proves."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import LinearConstraint, minimize

from kernelwise.criteria import KernelTargetAlignment, Polarization, RadiusMargin
from kernelwise.criteria.base import SearchState
from kernelwise.diagnostics import closest_pair, distinct_points
from kernelwise.kernels import RBF, Gaussian, Linear
from kernelwise.problem import TuningProblem
from kernelwise.space import SearchSpace
from kernelwise.testing import assert_gradient, central_difference, check_criterion, check_gradient

TIGHT = 1e-12


def general_solver(value, gradient, hessian, start, equality, high):
    """Maximum of a concave quadratic with one equality and bounds, by an interior-point method."""
    result = minimize(
        lambda v: -value(v),
        start,
        jac=lambda v: -gradient(v),
        hess=lambda v: -hessian,
        bounds=[(0.0, h) for h in high],
        constraints=LinearConstraint(equality, equality @ start, equality @ start),
        method="trust-constr",
        options={"gtol": 1e-12, "xtol": 1e-14, "barrier_tol": 1e-12, "maxiter": 3000},
    )
    return -result.fun


def reference_parts(K, y, C, norm):
    """R² and the second factor from scipy."""
    n = len(y)
    K_ball = K + np.eye(n) / C if norm == 2 else K
    diag = K_ball.diagonal()
    radius2 = general_solver(
        lambda b: b @ diag - b @ K_ball @ b,
        lambda b: diag - 2 * K_ball @ b,
        -2 * K_ball,
        np.full(n, 1 / n),
        np.ones(n),
        np.ones(n),
    )
    Q = (K_ball if norm == 2 else K) * np.outer(y, y)
    high = np.full(n, np.inf if norm == 2 else C)
    start = np.where(y > 0, 1 / (y > 0).sum(), 1 / (y < 0).sum()) * min(C, 1.0) / 2
    machine = general_solver(
        lambda a: 2 * a.sum() - a @ Q @ a, lambda a: 2 - 2 * Q @ a, -2 * Q, start, y.astype(float), high
    )
    return radius2, machine


@pytest.mark.parametrize("C", [0.3, 10.0])
@pytest.mark.parametrize("norm", [2, 1])
def test_radius_and_margin_match_a_general_solver(blobs, norm, C):
    X, y = blobs[0][::2], blobs[1][::2]
    K = RBF(0.3)(X)
    radius2, machine = reference_parts(K, y, C, norm)
    memory = SearchState()
    value = RadiusMargin(C, norm=norm, tol=1e-10).evaluate(K, y, memory=memory).value
    assert memory.report["radius2"] == pytest.approx(radius2, rel=1e-6)
    if norm == 2:
        assert memory.report["margin"] ** -2 == pytest.approx(machine, rel=1e-6)
        assert value == pytest.approx(radius2 * machine, rel=1e-6)
    else:
        assert value == pytest.approx((radius2 + 1 / C) * machine, rel=1e-6)


def test_four_collinear_points_are_closed_form():
    """−2, −1 | 1, 2 with a linear kernel and almost hard margins: R = 2, γ = 1, support vectors ±1."""
    K = Linear()(np.array([[-2.0], [-1.0], [1.0], [2.0]]))
    memory = SearchState()
    value = RadiusMargin(1e9, tol=1e-10).evaluate(K, [0, 0, 1, 1], memory=memory).value
    assert value == pytest.approx(4.0, rel=1e-8)
    assert memory.report["margin"] == pytest.approx(1.0, rel=1e-8)
    assert memory.report["radius2"] == pytest.approx(4.0, rel=1e-8)
    assert memory.report["n_support"] == 2
    assert RadiusMargin(1e9, norm=1, tol=1e-10).value(K, [0, 0, 1, 1]) == pytest.approx(4.0, rel=1e-8)


# -- gradients --------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("norm", "C", "is_weighted"), [(2, 0.5, False), (2, 10.0, True), (1, 0.5, True), (1, 10.0, False)]
)
@pytest.mark.parametrize(
    "kernel", ["kmod", "rbf", "diagonal", "poly", "gaussian", "exponential", "mahalanobis", "low-rank"]
)
def test_gradient_by_every_parameter_and_C(blobs, kernel, norm, C, is_weighted):
    X, y = blobs
    weights = np.random.default_rng(0).integers(0, 3, len(y)) if is_weighted else None
    criterion = RadiusMargin(C, norm=norm, tol=TIGHT)
    problem = TuningProblem(kernel, criterion, X, y, sample_weight=weights)
    assert problem.theta_names[-1] == "C"
    check_gradient(problem, step=1e-5, rtol=1e-6)
    by_C = problem.value_and_gradient(problem.theta)[1][-1]
    shifted = [RadiusMargin(C * np.exp(h), norm=norm, tol=TIGHT) for h in (-1e-4, 1e-4)]
    low, high = (s.value(problem.kernel(X), y, weights) for s in shifted)
    assert by_C == pytest.approx((high - low) / 2e-4, rel=1e-5)


@pytest.mark.parametrize("norm", [2, 1])
def test_gradient_along_the_tangent_of_a_general_gaussian(blobs, norm):
    """By the entries of log Q, at a Q that is no multiple of the identity."""
    X, y = blobs
    kernel = Gaussian(np.diag([0.5, 0.2, 0.3, 0.4]) + 0.1)
    space = SearchSpace(TuningProblem(kernel, RadiusMargin(2.0, norm=norm, tol=TIGHT), X, y))
    value, gradient = space.value_and_gradient(space.start)
    assert len(gradient) == 11
    assert_gradient(gradient, central_difference(space.value, space.start, 1e-5), value, 1e-5, 1e-6)


@pytest.mark.parametrize("norm", [2, 1])
def test_gradient_of_a_feature_without_influence_is_zero(blobs, norm):
    X, y = blobs
    X = np.column_stack([X, np.full(len(X), 3.0)])
    problem = TuningProblem("diagonal", RadiusMargin(norm=norm, tol=TIGHT), X, y)
    gradient = problem.value_and_gradient(problem.theta)[1]
    assert abs(gradient[4]) <= 1e-12 * np.abs(gradient).max()
    check_gradient(problem, step=1e-5, rtol=1e-6)


@pytest.mark.parametrize("norm", [2, 1])
@pytest.mark.parametrize(("n_classes", "strategy"), [(2, "ovo"), (3, "ovo"), (3, "ovr")])
def test_contract_with_weights_and_classes(norm, n_classes, strategy):
    check_criterion(RadiusMargin(3.0, norm=norm, strategy=strategy, tol=TIGHT), n_classes=n_classes)


@pytest.mark.parametrize("norm", [2, 1])
def test_rows_of_weight_zero_are_as_if_they_were_not_there(blobs, norm):
    X, y = blobs
    K, w = RBF(0.3)(X), (np.arange(len(y)) % 4 > 0).astype(float)
    kept = np.flatnonzero(w)
    criterion = RadiusMargin(2.0, norm=norm, tol=TIGHT)
    assert criterion.value(K, y, w) == pytest.approx(
        criterion.value(K[np.ix_(kept, kept)], y[kept]), rel=1e-10
    )
    W = criterion.adjoint(K, y, w)
    assert not W[w == 0].any()


# -- C ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("norm", [2, 1])
def test_cost_does_not_vanish_with_C(blobs, norm):
    """Both factors balance: 4 n₊n₋/n (1 − 1/n) for norm 2, 4 min(n₊, n₋) for norm 1."""
    X, y = blobs
    plus, minus = (y > 0).sum(), (y < 0).sum()
    n = plus + minus
    limit = 4 * plus * minus / n * (1 - 1 / n) if norm == 2 else 4 * min(plus, minus)
    value = RadiusMargin(1e-7, norm=norm, tol=1e-10).value(RBF(0.3)(X), y)
    assert value == pytest.approx(limit, rel=1e-4)


def test_C_is_searched_unless_told_otherwise(blobs):
    X, y = blobs
    assert TuningProblem("rbf", RadiusMargin(), X, y).theta_names == ("gamma", "C")
    assert TuningProblem("rbf", RadiusMargin(search_C=False), X, y).theta_names == ("gamma",)


def test_history_has_support_vectors_margin_radius_and_test_error(blobs):
    X, y = blobs
    for norm in (1, 2):
        problem = TuningProblem("rbf", RadiusMargin(norm=norm), X[::2], y[::2], test=(X[1::2], y[1::2]))
        problem.value(problem.theta)
        row = problem.history[-1]
        assert 0 < row["n_support"] <= 30
        assert row["margin"] > 0
        assert 0 < row["radius2"] < 2
        assert 0 <= row["test_error"] < 0.4


def test_warm_starts_change_no_value(blobs):
    X, y = blobs
    criterion = RadiusMargin(5.0, tol=1e-10)
    problem = TuningProblem("rbf", criterion, X, y)
    for log_gamma in (-3.0, -1.0, 1.0, -2.0):
        theta = np.array([log_gamma, np.log(5.0)])
        cold = criterion.value(RBF(np.exp(log_gamma))(X), y)
        assert problem.value(theta) == pytest.approx(cold, rel=1e-9)
    assert set(problem.memory.warm[0]) == {"machine", "ball"}


@pytest.mark.parametrize("norm", [0, 3, "2"])
def test_unknown_norm_is_refused(norm):
    with pytest.raises(ValueError, match="'norm' of RadiusMargin must be 1 or 2, got"):
        RadiusMargin(norm=norm)


# -- paper 002 --------------------------------------------------------------------------------------------
def with_closest_pair(are_different):
    """30 points, all at least 0.9 apart but the first two, with 11 labels of one kind."""
    random = np.random.default_rng(3)
    grid = np.array([[1.5 * a, 1.5 * b] for a in range(6) for b in range(5)])
    X = grid + random.uniform(-0.3, 0.3, grid.shape)
    X[1] = X[0] + 0.2
    y = np.where(np.arange(30) % 3 == 2, 1, -1)
    y[0], y[1] = (1, -1) if are_different else (1, 1)
    return X, y


@pytest.mark.parametrize("are_different", [True, False])
@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
def test_limits_for_narrow_kernels(C, are_different):
    X, y = with_closest_pair(are_different)
    n, plus = len(y), int((y > 0).sum())
    minus = n - plus
    K = RBF(0.5 / 0.02**2)(X)  # σ a tenth of the smallest distance's 0.28
    memory = SearchState()
    value = RadiusMargin(C, tol=TIGHT).evaluate(K, y, memory=memory).value
    radius2, inverse_margin2 = (1 + 1 / C) * (1 - 1 / n), 4 / (1 + 1 / C) * plus * minus / n
    assert memory.report["radius2"] == pytest.approx(radius2, rel=1e-9)
    assert memory.report["margin"] ** -2 == pytest.approx(inverse_margin2, rel=1e-9)
    assert value == pytest.approx(radius2 * inverse_margin2, rel=1e-9)
    alpha = memory.machines[0].beta * y
    np.testing.assert_allclose(alpha[y > 0], 2 * C / (1 + C) * minus / n, rtol=1e-9)
    np.testing.assert_allclose(alpha[y < 0], 2 * C / (1 + C) * plus / n, rtol=1e-9)


CRITERIA_AT_THE_BOUNDARY = {
    "radius-margin": RadiusMargin(5.0, search_C=False, tol=TIGHT),
    "polarization": Polarization(),
    "alignment": KernelTargetAlignment(),
    "centred alignment": KernelTargetAlignment(centered=True),
}


@pytest.mark.parametrize("name", CRITERIA_AT_THE_BOUNDARY)
@pytest.mark.parametrize("are_different", [True, False])
@pytest.mark.parametrize("pair_value", [1e-2, 1e-4, 1e-6])
def test_theorems_two_and_three(name, are_different, pair_value):
    """As σ → 0 the cost falls towards the boundary exactly if the closest pair has different labels."""
    X, y = with_closest_pair(are_different)
    pair = closest_pair(distinct_points(X, (y > 0).astype(int), 2))
    assert pair.samples == (0, 1)
    kernel = RBF(-np.log(pair_value) / pair.distance**2)
    problem = TuningProblem(kernel, CRITERIA_AT_THE_BOUNDARY[name], X, y)
    by_log_gamma = problem.value_and_gradient(problem.theta)[1][0]
    assert np.sign(by_log_gamma) == (-1 if are_different else 1)


@pytest.mark.parametrize("labels", [(1, 1), (1, -1), (-1, -1)])
@pytest.mark.parametrize("n_minus", [1, 2, 15])
def test_theorem_two_holds_for_unbalanced_classes(n_minus, labels):
    X, _ = with_closest_pair(True)
    y = np.ones(len(X))
    y[len(X) - n_minus :] = -1
    y[:2] = labels
    y[2:4] = 1, -1  # at least two of each
    problem = TuningProblem(RBF(-np.log(1e-5) / 0.08), CRITERIA_AT_THE_BOUNDARY["radius-margin"], X, y)
    by_log_gamma = problem.value_and_gradient(problem.theta)[1][0]
    assert np.sign(by_log_gamma) == labels[0] * labels[1]
