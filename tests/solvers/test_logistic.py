"""Kernel logistic regression: its solution, its path over C, and what it says of itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF, Laplacian, Polynomial
from kernelwise.solvers import solve_svm_dual, svm_path
from kernelwise.solvers.logistic import LogisticMachine, best_offset, log_odds
from kernelwise.solvers.working_sets import solve_svm_by_rows

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(90, 3))
y = np.where(X[:, 0] + 0.7 * RANDOM.normal(size=90) > 0.4, 1, -1)
WEIGHT = RANDOM.uniform(0.2, 3.0, 90)
K = RBF(0.4)(X)
FOLDS = list(StratifiedKFold(4).split(X, y))


def factor_of(K):
    """B with BBᵀ = K: features of a linear model with the same kernel."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def by_lbfgs(K, labels, cost):
    """Decision values and objective of a general optimizer, in the feature space of K."""
    B = factor_of(K)

    def primal(v):
        odds = B @ v[:-1] + v[-1]
        slope = -cost * labels * expit(-labels * odds)
        value = 0.5 * v[:-1] @ v[:-1] + cost @ np.logaddexp(0.0, -labels * odds)
        return value, np.append(v[:-1] + B.T @ slope, slope.sum())

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 0.0, "gtol": 1e-9, "maxcor": 40}
    found = minimize(primal, np.zeros(len(K) + 1), jac=True, method="L-BFGS-B", options=options)
    return B @ found.x[:-1] + found.x[-1], found.fun


@pytest.mark.parametrize("kernel", [RBF(0.4), RBF(0.01), Laplacian(2.0), Polynomial(degree=3, coef0=1.0)])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_the_solution_is_that_of_a_general_optimizer(kernel, C):
    gram = kernel(X)
    ours = solve_svm_dual(gram, y, C, sample_weight=WEIGHT, loss="logistic", tol=1e-8)
    values, objective = by_lbfgs(gram, y, C * WEIGHT)
    assert ours.converged
    np.testing.assert_allclose(
        gram @ ours.beta + ours.intercept, values, atol=1e-6 * max(1.0, np.abs(values).max())
    )
    assert -ours.objective == pytest.approx(objective, rel=1e-9)
    assert abs(ours.duality_gap) < 1e-9 * objective


def test_the_solution_is_scikit_learns():
    """Whose C is the same; its offset is not regularised either."""
    theirs = LogisticRegression(C=2.0, tol=1e-10, max_iter=10_000).fit(factor_of(K), y, WEIGHT)
    ours = solve_svm_dual(K, y, 2.0, sample_weight=WEIGHT, loss="logistic", tol=1e-9)
    np.testing.assert_allclose(
        K @ ours.beta + ours.intercept, theirs.decision_function(factor_of(K)), atol=1e-6
    )


def test_the_conditions_of_the_optimum_hold():
    cost = 3.0 * WEIGHT
    found = solve_svm_dual(K, y, 3.0, sample_weight=WEIGHT, loss="logistic", tol=1e-9)
    odds = K @ found.beta + found.intercept
    np.testing.assert_allclose(found.beta, cost * y * expit(-y * odds), atol=1e-9)
    assert abs(found.beta.sum()) < 1e-9
    alpha = y * found.beta
    assert ((alpha > 0.0) & (alpha < cost)).all()
    gradient = -K @ found.beta - y * np.log(alpha / (cost - alpha))
    np.testing.assert_allclose(found.gradient, gradient, atol=1e-8)
    assert found.gap == pytest.approx(np.ptp(found.gradient), abs=1e-12)
    np.testing.assert_allclose(found.gradient, found.intercept, atol=1e-9)


@pytest.mark.parametrize("tol", [1e-1, 1e-3, 1e-5])
def test_the_violation_is_below_the_tolerance(tol):
    """The offset apart, no decision value is further from the solution than the violation."""
    exact = solve_svm_dual(K, y, 30.0, loss="logistic", tol=1e-10)
    found = solve_svm_dual(K, y, 30.0, loss="logistic", tol=tol)
    assert found.gap < tol
    assert np.abs(K @ (found.beta - exact.beta)).max() < tol


def test_a_path_is_what_single_fits_are():
    Cs = [10.0, 0.01, 1.0, 1000.0]
    path = svm_path(K, y, Cs, FOLDS, sample_weight=WEIGHT, tol=1e-8, loss="logistic")
    for c, C in enumerate(Cs):
        for f, (train, test) in enumerate(FOLDS):
            own = {"sample_weight": WEIGHT[train], "loss": "logistic", "tol": 1e-8}
            cold = solve_svm_dual(K[np.ix_(train, train)], y[train], C, **own)
            values = K[np.ix_(test, train)] @ cold.beta + cold.intercept
            np.testing.assert_allclose(path.decision[c, test], values, atol=1e-6)
            assert path.objective[c, f, 0] == pytest.approx(cold.objective, rel=1e-9)
            assert path.n_support[c, f, 0] == train.size
    assert path.converged.all()
    assert (path.n_bounded == 0).all()


def test_a_value_of_C_may_come_twice():
    path = svm_path(K, y, [0.1, 1.0, 1.0, 10.0, 0.1], FOLDS, tol=1e-8, loss="logistic")
    once = svm_path(K, y, [0.1, 1.0, 10.0], FOLDS, tol=1e-8, loss="logistic")
    np.testing.assert_allclose(path.decision, once.decision[[0, 1, 1, 2, 0]], atol=1e-7)


def test_a_path_goes_on_where_another_ended():
    settings = {"tol": 1e-8, "loss": "logistic"}
    whole = svm_path(K, y, [0.1, 1.0, 10.0], FOLDS, **settings)
    first = svm_path(K, y, [0.1, 1.0], FOLDS, **settings)
    rest = svm_path(K, y, [10.0], FOLDS, after=first, **settings)
    np.testing.assert_allclose(rest.decision[0], whole.decision[2], atol=1e-7)


@pytest.mark.parametrize("strategy", ["ovo", "ovr"])
def test_pairs_and_rests_of_three_classes(strategy):
    labels = np.digitize(X[:, 0], [-0.5, 0.5])
    folds = list(StratifiedKFold(3).split(X, labels))
    path = svm_path(K, labels, [2.0], folds, strategy=strategy, tol=1e-8, loss="logistic")
    train, test = folds[1]
    mine = train[labels[train] < 2] if strategy == "ovo" else train
    signs = np.where(labels[mine] == 0, 1, -1)
    alone = solve_svm_dual(K[np.ix_(mine, mine)], signs, 2.0, tol=1e-8, loss="logistic")
    values = K[np.ix_(test, mine)] @ alone.beta + alone.intercept
    np.testing.assert_allclose(path.decision[0, test, 0], values, atol=1e-6)


@pytest.mark.parametrize("kernel", [RBF(0.4), Polynomial(gamma=0.3, degree=2, coef0=1.0)])
def test_rows_of_the_kernel_are_enough(kernel):
    weight = np.where(np.arange(90) % 7 == 0, 0.0, WEIGHT)
    how = {"sample_weight": weight, "loss": "logistic", "tol": 1e-8}
    whole = solve_svm_dual(kernel(X), y, 3.0, **how)
    rows = solve_svm_by_rows(kernel, X, y, 3.0, memory_limit=2**14, **how)
    np.testing.assert_allclose(rows.beta, whole.beta, atol=1e-7)
    assert rows.intercept == pytest.approx(whole.intercept, abs=1e-7)
    assert (rows.beta[weight == 0.0] == 0.0).all()


def test_samples_of_no_weight_do_not_count():
    weight = np.where(np.arange(90) % 3 == 0, 0.0, WEIGHT)
    used = np.flatnonzero(weight)
    whole = solve_svm_dual(K, y, 2.0, sample_weight=weight, loss="logistic", tol=1e-9)
    how = {"sample_weight": weight[used], "loss": "logistic", "tol": 1e-9}
    part = solve_svm_dual(K[np.ix_(used, used)], y[used], 2.0, **how)
    np.testing.assert_array_equal(whole.beta[used], part.beta)
    assert not whole.beta[weight == 0.0].any()


def test_the_unit_of_the_kernel_does_not_matter():
    plain = svm_path(K, y, [2.0], FOLDS, loss="logistic", tol=1e-9)
    scaled = svm_path(1e9 * K, y, [2e-9], FOLDS, loss="logistic", tol=1e-9)
    np.testing.assert_allclose(scaled.decision, plain.decision, atol=1e-7)


def test_a_warm_start_takes_fewer_steps():
    first = solve_svm_dual(K, y, 1.0, loss="logistic", tol=1e-6)
    cold = solve_svm_dual(K, y, 1.1, loss="logistic", tol=1e-6)
    warm = solve_svm_dual(K, y, 1.1, loss="logistic", tol=1e-6, warm_start=first.beta)
    assert warm.n_iter < cold.n_iter
    np.testing.assert_allclose(K @ warm.beta, K @ cold.beta, atol=2e-6)
    again = solve_svm_dual(K, y, 1.0, loss="logistic", tol=1e-6, warm_start=first.beta)
    assert again.n_iter == 0


@pytest.mark.parametrize("most", [0.0, np.inf])
def test_factors_and_products_find_the_same_steps(most):
    """For a small C and a large one, whichever of them is not tried."""
    machine = LogisticMachine(K, y.astype(float), np.zeros(90))
    for C in (0.05, 500.0):
        machine.most = most
        outcome = machine.solve(C * WEIGHT, 1e-8)
        assert outcome.converged
        expected = solve_svm_dual(K, y, C, sample_weight=WEIGHT, loss="logistic", tol=1e-10)
        np.testing.assert_allclose(
            machine.values + outcome.offset, K @ expected.beta + expected.intercept, atol=1e-6
        )


def test_the_offset_is_the_best_one():
    """From far away, too: a step of Newton's method without a limit would never come back."""
    values = RANDOM.normal(size=90) * 5.0
    (near, share), (far, _) = (
        best_offset(values, y, WEIGHT, start, log_odds(y, WEIGHT)) for start in (0.0, 1e4)
    )
    assert near == pytest.approx(far, abs=1e-9)
    np.testing.assert_allclose(share, expit(-y * (values + near)), atol=1e-12)
    lower, best, upper = (WEIGHT @ np.logaddexp(0.0, -y * (values + near + h)) for h in (-1e-4, 0.0, 1e-4))
    assert best < min(lower, upper)
    assert abs(upper - lower) / 2e-4 < 1e-6


def test_an_early_stop_is_told():
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations"):
        found = solve_svm_dual(K, y, 100.0, loss="logistic", max_iter=1)
    assert not found.converged
    assert found.n_iter == 1


def test_a_matrix_that_is_no_kernel_is_told():
    distances = np.abs(X[:, :1] - X[:, 0])
    with (
        pytest.warns(ConvergenceWarning),
        pytest.warns(KernelwiseWarning, match="far from positive semi-definite"),
    ):
        found = solve_svm_dual(distances, y, 10.0, loss="logistic")
    assert not found.converged
    assert np.isfinite(found.beta).all()


def test_labels_that_a_kernel_separates_have_a_solution_for_any_C():
    found = solve_svm_dual(RBF(50.0)(X), y, 1e8, loss="logistic", tol=1e-6)
    assert found.converged
    assert (y * (RBF(50.0)(X) @ found.beta + found.intercept) > 10.0).all()
