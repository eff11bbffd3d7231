"""w of paper 003 against its definition, solved another way, and its gradient with K′ ≠ K."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from kernelwise.criteria import RegularizedMargin, as_criterion
from kernelwise.criteria.base import SearchState
from kernelwise.kernels import RBF, Gaussian
from kernelwise.problem import TuningProblem
from kernelwise.testing import assert_gradient, check_criterion, check_gradient


def definition(K, y, C, rho, K_reference):
    """Eq. 12 with the maximum found by a general-purpose solver."""
    Q = np.outer(y, y) * K
    found = minimize(
        lambda a: a @ Q @ a - 2 * a.sum(),
        np.zeros(len(y)),
        jac=lambda a: 2 * Q @ a - 2,
        bounds=[(0, C)] * len(y),
        constraints={"type": "eq", "fun": lambda a: a @ y, "jac": lambda a: y.astype(float)},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    return -found.fun + rho * np.sum((K - K_reference) ** 2)


@pytest.mark.parametrize("C", [0.3, 5.0])
def test_value_is_the_papers_equation(C, blobs):
    X, y = blobs
    X, y = X[10:40], y[10:40]
    K, K_reference = RBF(0.3)(X), RBF(0.7)(X)
    criterion = RegularizedMargin(C, rho=0.2, K_reference=K_reference)
    assert criterion.value(K, y) == pytest.approx(definition(K, y, C, 0.2, K_reference), rel=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
def test_contract(strategy, n_classes):
    check_criterion(RegularizedMargin(strategy=strategy, tol=1e-12), n_classes=n_classes)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
def test_adjoint_away_from_the_reference(strategy, n_classes):
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 3))
    y = np.arange(30) % n_classes
    weights = random.uniform(0.5, 2.0, 30)
    K = RBF(0.4)(X)
    criterion = RegularizedMargin(2.0, 0.3, RBF(1.5)(X), strategy, tol=1e-12)
    value, W = criterion.value_and_adjoint(K, y, weights)
    np.testing.assert_allclose(W, W.T, rtol=1e-13)
    directions = [D + D.T for D in random.normal(size=(5, 30, 30))]
    numeric = [
        (criterion.value(K + 1e-6 * D, y, weights) - criterion.value(K - 1e-6 * D, y, weights)) / 2e-6
        for D in directions
    ]
    assert_gradient(np.array([np.vdot(W, D) for D in directions]), np.array(numeric), value)


def test_the_first_gram_matrix_of_a_search_is_the_reference(blobs):
    X, y = blobs
    problem = TuningProblem(RBF(0.3), RegularizedMargin(rho=0.5), X, y)
    start, other = np.log([0.3]), np.log([0.8])
    problem.value(start)
    explicit = RegularizedMargin(rho=0.5, K_reference=RBF(0.3)(X))
    assert problem.value(other) == pytest.approx(explicit.value(RBF(0.8)(X), y), rel=1e-9)
    assert problem.history[0]["distance"] == 0.0
    check_gradient(problem, other)
    problem.reset()
    assert problem.value(other) == pytest.approx(RegularizedMargin(rho=0.0).value(RBF(0.8)(X), y), rel=1e-9)


def test_gradient_by_Q_is_equation_21(blobs):
    X, y = blobs
    Q = np.diag([0.5, 0.2, 0.4, 0.3]) + 0.05
    problem = TuningProblem(Gaussian(Q), RegularizedMargin(3.0, 0.2, RBF(0.1)(X)), X, y)
    gradient = problem.value_and_gradient(Q)[1]
    beta = problem.memory.warm[0]["beta"]
    K, D = Gaussian(Q)(X), X[:, None, :] - X[None, :, :]
    weights = K * (0.5 * np.outer(beta, beta) - 0.2 * (K - RBF(0.1)(X)))
    np.testing.assert_allclose(gradient, np.einsum("ij,ijk,ijl->kl", weights, D, D), rtol=1e-8)


def test_a_warm_start_ends_at_the_same_value(blobs):
    X, y = blobs
    criterion, memory = RegularizedMargin(10.0, K_reference=RBF(0.3)(X)), SearchState()
    criterion.evaluate(RBF(0.3)(X), y, memory=memory)
    warm = criterion.evaluate(RBF(0.35)(X), y, memory=memory).value
    assert warm == pytest.approx(criterion.value(RBF(0.35)(X), y), rel=1e-10)
    assert memory.report["n_support"] == len(memory.machines[-1].rows)


def test_bad_parameters_are_refused(blobs):
    X, y = blobs
    with pytest.raises(ValueError, match="'rho' of RegularizedMargin must not be negative, got -1"):
        RegularizedMargin(rho=-1.0)
    with pytest.raises(ValueError, match="has 10 rows, too few for the samples"):
        RegularizedMargin(K_reference=np.eye(10)).value(RBF(1.0)(X), y)
    assert as_criterion("regularized-margin") == RegularizedMargin()
    assert not as_criterion("regularized-margin").theta.size


def test_alpha_is_held_fixed_in_a_search_without_retraining(blobs):
    """The inner loop of algorithm 1: a lower bound of w that touches it, with its gradient, at the start."""
    X, y = blobs[0][:, :2], blobs[1]
    frozen = TuningProblem(Gaussian(0.3 * np.eye(2)), RegularizedMargin(3.0, 0.2, retrain=False), X, y)
    w = TuningProblem(Gaussian(0.3 * np.eye(2)), RegularizedMargin(3.0, 0.2), X, y)
    start = frozen.theta
    for one, other in zip(frozen.value_and_gradient(start), w.value_and_gradient(start), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)
    beta = frozen.memory.warm[0]["beta"]
    elsewhere = np.array([[0.9, 0.2], [0.2, 0.4]])
    K, first = Gaussian(elsewhere)(X), Gaussian(0.3 * np.eye(2))(X)
    signs = np.where(y == y.max(), 1.0, -1.0)
    expected = 2.0 * signs @ beta - beta @ K @ beta + 0.2 * ((K - first) ** 2).sum()
    assert frozen.value(elsewhere) == pytest.approx(expected, rel=1e-9)
    assert frozen.value(elsewhere) <= w.value(elsewhere) + 1e-6
    assert frozen.memory.warm[0]["beta"] is beta
