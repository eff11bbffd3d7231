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


@pytest.mark.parametrize("gamma", [0.01, 0.5])
def test_matches_a_general_solver(gamma):
    X = np.random.default_rng(0).standard_normal((20, 4))
    K = rbf_kernel(X, gamma=gamma)
    diag = np.diagonal(K)
    reference = minimize(
        lambda b: b @ K @ b - b @ diag,
        np.full(20, 1 / 20),
        jac=lambda b: 2 * K @ b - diag,
        bounds=[(0, 1)] * 20,
        constraints={"type": "eq", "fun": lambda b: b.sum() - 1, "jac": np.ones_like},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    ball = minimum_enclosing_ball(K)
    assert ball.radius2 == pytest.approx(-reference.fun, rel=1e-6)
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
