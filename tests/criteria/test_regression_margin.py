"""w of paper 003 for ε-insensitive regression."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.svm import SVR

from kernelwise.criteria import RegressionMargin
from kernelwise.kernels import RBF, DiagonalGaussian, Gaussian
from kernelwise.optimizers import ManifoldDescent
from kernelwise.problem import TuningProblem
from kernelwise.testing import check_gradient

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(30, 3))
y = np.sin(2.0 * X[:, 0]) + 0.1 * RANDOM.normal(size=30)
WEIGHT = RANDOM.uniform(0.3, 2.0, 30)
K = RBF(0.5)(X)


@pytest.mark.parametrize("C", [0.3, 5.0])
def test_value_is_twice_the_primal_of_scikit_learns_machine(C):
    theirs = SVR(kernel="precomputed", C=C, epsilon=0.1, tol=1e-8).fit(K, y, WEIGHT)
    beta = np.zeros(30)
    beta[theirs.support_] = theirs.dual_coef_[0]
    loss = np.maximum(0.0, np.abs(y - K @ beta - theirs.intercept_) - 0.1)
    primal = 0.5 * beta @ K @ beta + C * WEIGHT @ loss
    assert RegressionMargin(C).value(K, y, WEIGHT) == pytest.approx(2.0 * primal, rel=1e-5)


def test_value_is_the_maximum_of_the_dual():
    """A general optimizer on the formula of the docstring, β as the difference of two positive parts."""
    C, epsilon, rho, away = 1.0, 0.2, 0.3, K - RBF(2.0)(X)

    def cost(v):
        up, down = np.split(v, 2)
        beta = up - down
        return -(2.0 * y @ beta - 2.0 * epsilon * v.sum() - beta @ K @ beta)

    def slope(v):
        up, down = np.split(v, 2)
        by_beta = -2.0 * y + 2.0 * K @ (up - down)
        return np.concatenate([by_beta, -by_beta]) + 2.0 * epsilon

    balance = {"type": "eq", "fun": lambda v: v[:30].sum() - v[30:].sum()}
    options = {"maxiter": 2000, "ftol": 1e-13}
    found = minimize(
        cost,
        np.zeros(60),
        jac=slope,
        bounds=[(0, C)] * 60,
        constraints=balance,
        options=options,
        method="SLSQP",
    )
    expected = -found.fun + rho * (away**2).sum()
    assert RegressionMargin(C, epsilon, rho, RBF(2.0)(X)).score(K, y) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("C", [0.3, 5.0])
def test_the_adjoint_is_a_central_difference(C):
    criterion = RegressionMargin(C, 0.1, 0.2, RBF(2.0)(X), tol=1e-12)
    direction = RANDOM.normal(size=(30, 30))
    direction = 1e-6 * (direction + direction.T)
    value, W = criterion.value_and_adjoint(K, y, WEIGHT)
    up, down = (criterion.value(K + sign * direction, y, WEIGHT) for sign in (1, -1))
    np.testing.assert_array_equal(W, W.T)
    assert value == pytest.approx(criterion.score(K, y, WEIGHT))
    assert 2.0 * np.sum(W * direction) == pytest.approx(up - down, rel=1e-5)


def test_a_weight_of_two_is_a_repeated_row():
    order = np.r_[np.arange(30), np.arange(4)]
    weight = np.where(np.arange(30) < 4, 2.0, 1.0)
    repeated = RegressionMargin(2.0, K_reference=RBF(2.0)(X[order])).value(K[np.ix_(order, order)], y[order])
    assert RegressionMargin(2.0, K_reference=RBF(2.0)(X)).value(K, y, weight) == pytest.approx(
        repeated, rel=1e-6
    )


@pytest.mark.parametrize("kernel", [RBF(0.5), DiagonalGaussian([0.5, 1.0, 2.0]), Gaussian(np.eye(3))])
def test_gradients_are_central_differences(kernel):
    criterion = RegressionMargin(2.0, 0.15, 0.2, RBF(2.0)(X), tol=1e-12)
    check_gradient(TuningProblem(kernel, criterion, X, y, sample_weight=WEIGHT), step=1e-5, rtol=1e-6)


def test_the_reference_is_the_first_gram_matrix_of_a_search():
    problem = TuningProblem(RBF(0.5), RegressionMargin(rho=0.5), X, y)
    problem.value(problem.theta)
    explicit = RegressionMargin(rho=0.5, K_reference=K)
    other = RBF(1.5)
    assert problem.value(other.theta) == pytest.approx(explicit.value(other(X), y), rel=1e-9)
    assert problem.history[-1]["distance"] > 0


def test_a_search_finds_the_feature_that_matters():
    problem = TuningProblem(DiagonalGaussian(np.full(3, 0.5)), RegressionMargin(10.0, rho=0.01), X, y)
    result = ManifoldDescent(tol=1e-3, max_iter=40).minimize(problem)
    q = np.asarray(result.kernel.q)
    assert q.argmax() == 0
    assert q[0] > 5 * q[1:].max()


def test_bad_parameters_are_named():
    with pytest.raises(ValueError, match="'epsilon' of RegressionMargin"):
        RegressionMargin(epsilon=-1.0)
    with pytest.raises(ValueError, match="has 10 rows for 30 samples"):
        RegressionMargin(K_reference=np.eye(10)).value(K, y)
