"""The enclosing ball against closed forms and a general solver."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from kernelwise.solvers import minimum_enclosing_ball


def test_two_points_make_a_diameter():
    X = np.array([[0.0, 0.0], [3.0, 4.0]])
    ball = minimum_enclosing_ball(linear_kernel(X))
    assert ball.radius2 == pytest.approx(25.0 / 4.0)
    np.testing.assert_allclose(ball.beta, [0.5, 0.5])


@pytest.mark.parametrize("n", [2, 3, 10, 300])
def test_simplex_is_closed_form(n):
    ball = minimum_enclosing_ball(np.eye(n), tol=1e-9)
    assert ball.converged
    assert ball.radius2 == pytest.approx(1.0 - 1.0 / n, rel=1e-8)
    np.testing.assert_allclose(ball.beta, 1.0 / n, rtol=1e-3)


def test_points_on_a_circle_and_inside_it():
    angle = np.linspace(0, 2 * np.pi, 7)[:-1]
    X = np.vstack([2.0 * np.c_[np.cos(angle), np.sin(angle)], 0.3 * np.ones((4, 2))]) + 100.0
    ball = minimum_enclosing_ball(linear_kernel(X), tol=1e-9)
    assert ball.radius2 == pytest.approx(4.0, rel=1e-7)
    np.testing.assert_allclose(ball.beta @ X, [100.0, 100.0], atol=1e-4)


def general_solver(K, linear):
    """max linearᵀβ − βᵀKβ over the simplex."""
    n = len(K)
    return -minimize(
        lambda b: b @ K @ b - b @ linear,
        np.full(n, 1 / n),
        jac=lambda b: 2 * K @ b - linear,
        bounds=[(0, 1)] * n,
        constraints={"type": "eq", "fun": lambda b: b.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    ).fun


@pytest.mark.parametrize("gamma", [0.01, 0.5])
def test_matches_a_general_solver(gamma):
    X = np.random.default_rng(0).standard_normal((20, 4))
    K = rbf_kernel(X, gamma=gamma)
    diag = np.diagonal(K)
    ball = minimum_enclosing_ball(K)
    assert ball.radius2 == pytest.approx(general_solver(K, diag), rel=1e-6)
    distance2 = diag - 2 * K @ ball.beta + ball.beta @ K @ ball.beta
    assert distance2.max() <= ball.radius2 * (1 + 1e-6)
    assert ball.beta.sum() == pytest.approx(1.0, abs=1e-12)
    assert (ball.beta >= 0).all()


@pytest.mark.parametrize("K", [np.array([[3.0]]), np.ones((5, 5)), np.zeros((4, 4))])
def test_copies_of_one_point_have_no_radius(K):
    ball = minimum_enclosing_ball(K)
    assert ball.radius2 == 0.0
    assert ball.converged
    assert ball.beta.sum() == 1.0


def test_iteration_cap_warns_and_flags():
    K = rbf_kernel(np.random.default_rng(0).standard_normal((30, 5)))
    with pytest.warns(ConvergenceWarning, match="stopped after 2 iterations"):
        ball = minimum_enclosing_ball(K, max_iter=2)
    assert not ball.converged


@pytest.mark.parametrize("gamma", [0.01, 0.5, 20.0])
def test_ridge_is_an_addition_to_the_diagonal(gamma):
    K = rbf_kernel(np.random.default_rng(0).standard_normal((20, 4)), gamma=gamma)
    ball = minimum_enclosing_ball(K, ridge=0.3, tol=1e-9)
    plain = minimum_enclosing_ball(K + 0.3 * np.eye(20), tol=1e-9)
    assert ball.radius2 == pytest.approx(plain.radius2, rel=1e-9)
    assert ball.radius2 == pytest.approx(general_solver(K + 0.3 * np.eye(20), np.full(20, 1.3)), rel=1e-6)


@pytest.mark.parametrize("ridge", [0.0, 0.2, 5.0])
def test_a_weight_is_a_number_of_copies_and_zero_leaves_out(ridge):
    random = np.random.default_rng(1)
    K = rbf_kernel(random.standard_normal((25, 3)), gamma=0.4)
    counts = random.integers(0, 4, 25)
    rows = np.repeat(np.arange(25), counts)
    ball = minimum_enclosing_ball(K, ridge=ridge, sample_weight=counts, tol=1e-10)
    copies = minimum_enclosing_ball(K[np.ix_(rows, rows)], ridge=ridge, tol=1e-10)
    assert ball.radius2 == pytest.approx(copies.radius2, rel=1e-9)
    assert (ball.beta[counts == 0] == 0).all()
    assert ball.beta.sum() == pytest.approx(1.0, abs=1e-12)


def test_small_weights_have_a_start_inside_the_ball():
    """Two distant points would have a negative objective here."""
    K, w = np.eye(40), np.full(40, 0.1)
    ball = minimum_enclosing_ball(K, ridge=10.0, sample_weight=w, tol=1e-9)
    assert ball.radius2 == pytest.approx(1.0 - 1.0 / 40 + 10.0 * (1.0 - 1.0 / 4.0), rel=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
def test_warm_start_saves_steps_and_changes_nothing(weighted):
    X = np.random.default_rng(2).standard_normal((200, 3))
    w = np.arange(200) % 3 if weighted else None
    before, K = rbf_kernel(X, gamma=0.50), rbf_kernel(X, gamma=0.501)
    start = minimum_enclosing_ball(before, sample_weight=w, tol=1e-8).beta
    cold = minimum_enclosing_ball(K, sample_weight=w, tol=1e-8)
    warm = minimum_enclosing_ball(K, sample_weight=w, tol=1e-8, warm_start=start)
    assert warm.radius2 == pytest.approx(cold.radius2, rel=1e-7)
    assert warm.n_iter < 0.7 * cold.n_iter


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"ridge": -1.0}, "'ridge' of minimum_enclosing_ball must not be negative, got -1.0"),
        ({"ridge": 1.0, "sample_weight": np.full(4, 0.1)}, "its sum is 0.4, less than one sample"),
        ({"warm_start": np.ones(3)}, r"warm_start must be 4 finite weights, got an array of shape \(3,\)"),
        ({"warm_start": [1.0, np.nan, 0.0, 0.0]}, "warm_start must be 4 finite weights"),
    ],
)
def test_bad_arguments_get_one_sentence(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        minimum_enclosing_ball(np.eye(4), **arguments)
