"""The 2-norm machine: its dual, its path over C, and how it moves with the kernel and C."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import SVC as SklearnSVC

from kernelwise.kernels import RBF, Polynomial
from kernelwise.solvers import solve_svm_dual, svm_path
from kernelwise.solvers.path_problem import Places
from kernelwise.solvers.sensitivity import dual_sensitivity
from kernelwise.solvers.working_sets import solve_svm_by_rows

from .conftest import class_paths

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(60, 3))
y = np.where(X[:, 0] + 0.7 * RANDOM.normal(size=60) > 0, 1, -1)
WEIGHT = RANDOM.uniform(0.2, 3.0, 60)
K = RBF(0.4)(X)


def hard_margin(ridged, labels):
    """LIBSVM's support vectors; its kernel values are in single precision, so the rest is solved again."""
    theirs = SklearnSVC(C=1e8, kernel="precomputed", tol=1e-9).fit(ridged, labels)
    S, m = theirs.support_, theirs.support_.size
    system = np.ones((m + 1, m + 1))
    system[:m, :m], system[m, m] = ridged[np.ix_(S, S)], 0.0
    *coefficients, b = np.linalg.solve(system, np.append(labels[S], 0.0))
    beta = np.zeros(len(labels))
    beta[S] = coefficients
    assert (beta[S] * labels[S] > 0).all()
    assert (labels * (ridged @ beta + b) > 1 - 1e-9).all()
    return beta, b


def test_the_path_is_scikit_learns_hard_margin_on_a_ridge():
    """For every C and fold: LIBSVM on K + diag(1/(C w)) with next to no bound."""
    folds = list(StratifiedKFold(4).split(X, y))
    Cs = [10.0, 0.1, 1.0]
    path = svm_path(K, y, Cs, folds, sample_weight=WEIGHT, tol=1e-9, loss="squared_hinge")
    for c, C in enumerate(Cs):
        for f, (train, test) in enumerate(folds):
            ridged = K[np.ix_(train, train)] + np.diag(1.0 / (C * WEIGHT[train]))
            beta, b = hard_margin(ridged, y[train])
            expected = K[np.ix_(test, train)] @ beta + b
            np.testing.assert_allclose(path.decision[c, test], expected, atol=1e-6)
            assert path.n_support[c, f, 0] == np.count_nonzero(beta)
    assert (path.n_bounded == 0).all()
    assert path.converged.all()


def test_the_dual_solves_the_primal():
    """A general optimizer on ½uᵀu + ½C Σ w max(0, 1 − y f)² with f = Bu + b and BBᵀ = K."""
    C = 2.0
    values, vectors = np.linalg.eigh(K)
    B = vectors * np.sqrt(np.maximum(values, 0.0))

    def cost(v):
        slack = np.maximum(0.0, 1.0 - y * (B @ v[:-1] + v[-1]))
        gradient = -C * WEIGHT * slack * y
        value = 0.5 * v[:-1] @ v[:-1] + 0.5 * C * WEIGHT @ slack**2
        return value, np.append(v[:-1] + B.T @ gradient, gradient.sum())

    options = {"maxiter": 2000, "ftol": 1e-15, "gtol": 1e-9}
    found = minimize(cost, np.zeros(61), jac=True, method="L-BFGS-B", options=options)
    ours = solve_svm_dual(K, y, C, sample_weight=WEIGHT, loss="squared_hinge", tol=1e-10)
    assert -ours.objective == pytest.approx(found.fun, rel=1e-6)
    decision = K @ ours.beta + ours.intercept
    np.testing.assert_allclose(decision, B @ found.x[:-1] + found.x[-1], atol=1e-5)
    assert abs(ours.duality_gap) < 1e-7


@pytest.mark.parametrize("kernel", [RBF(0.4), Polynomial(gamma=0.3, degree=2, coef0=1.0)])
def test_rows_of_the_kernel_are_enough(kernel):
    whole = solve_svm_dual(kernel(X), y, 3.0, sample_weight=WEIGHT, loss="squared_hinge", tol=1e-8)
    for tol, near in ((1e-8, 1e-6), (1e-3, 5e-3)):  # the second in single precision, for the Gaussian
        rows = solve_svm_by_rows(kernel, X, y, 3.0, sample_weight=WEIGHT, loss="squared_hinge", tol=tol)
        np.testing.assert_allclose(rows.beta, whole.beta, atol=near)
        assert rows.objective == pytest.approx(whole.objective, rel=1e-5)
        assert abs(rows.duality_gap) < 0.1


def test_samples_that_are_set_aside_come_back():
    """Many samples far from the margin, so that working sets leave some out for a time."""
    random = np.random.default_rng(1)
    many = random.normal(size=(1500, 2))
    labels = np.where(many[:, 0] > 0, 1, -1)
    labels[:40] *= -1
    whole = solve_svm_dual(RBF(0.5)(many), labels, 1.0, loss="squared_hinge", tol=1e-6)
    rows = solve_svm_by_rows(RBF(0.5), many, labels, 1.0, loss="squared_hinge", tol=1e-6)
    np.testing.assert_allclose(rows.beta, whole.beta, atol=1e-4)
    assert rows.intercept == pytest.approx(whole.intercept, abs=1e-4)


def test_a_path_goes_on():
    folds = list(StratifiedKFold(3).split(X, y))
    settings = {"tol": 1e-8, "loss": "squared_hinge"}
    first = svm_path(K, y, [0.5], folds, **settings)
    further = svm_path(K, y, [5.0], folds, after=first, **settings)
    whole = svm_path(K, y, [0.5, 5.0], folds, **settings)
    np.testing.assert_allclose(further.decision[0], whole.decision[1], atol=1e-6)


def test_units_of_the_kernel_do_not_matter():
    folds = list(StratifiedKFold(3).split(X, y))
    plain = svm_path(K, y, [2.0], folds, loss="squared_hinge", tol=1e-9)
    scaled = svm_path(1e6 * K, y, [2e-6], folds, loss="squared_hinge", tol=1e-9)
    np.testing.assert_allclose(scaled.decision, plain.decision, atol=1e-6)


def test_sensitivity_is_that_of_differences():
    """∂/∂C and ∂/∂γ of any value of coefficients and offset."""
    by_beta, by_offset = RANDOM.normal(size=60), 0.7

    def machine(gamma, C):
        return solve_svm_dual(RBF(gamma)(X), y, C, sample_weight=WEIGHT, loss="squared_hinge", tol=1e-12)

    def value(gamma, C):
        solution = machine(gamma, C)
        return by_beta @ solution.beta + by_offset * solution.intercept

    gamma, C, step = 0.4, 2.0, 1e-5
    solution = machine(gamma, C)
    found = dual_sensitivity(
        K, y.astype(float), WEIGHT, C, solution, by_beta, by_offset, loss="squared_hinge"
    )
    expected = (value(gamma, C + step) - value(gamma, C - step)) / (2 * step)
    assert found.by_C == pytest.approx(expected, rel=1e-6)
    change = -found.multipliers @ ((RBF(gamma + step)(X) - RBF(gamma - step)(X)) / (2 * step)) @ solution.beta
    expected = (value(gamma + step, C) - value(gamma - step, C)) / (2 * step)
    assert change == pytest.approx(expected, rel=1e-6)


def test_an_unknown_loss_is_named():
    with pytest.raises(ValueError, match="'loss' of svm_path must be"):
        svm_path(K, y, [1.0], [(np.arange(30), np.arange(30, 60))], loss="huber")


def test_a_pair_without_one_of_its_classes_answers_the_other():
    rng = np.random.default_rng(0)
    y = np.arange(40) % 4
    K = rbf_kernel(rng.normal(size=(40, 3)) + 0.3 * y[:, None])
    test = np.arange(0, 40, 3)
    train = np.setdiff1d(np.flatnonzero(y > 1), test)
    places = Places([np.arange(test.size)], test.size)
    squared, plain = (
        class_paths(y, [(train, test)], places=places, loss=loss).solve(K, np.array([0.1, 5.0]), tol=1e-4)[0]
        for loss in ("squared_hinge", "hinge")
    )
    # Of the pairs (0, 1), (0, 2), (0, 3), (1, 2), (1, 3) no one has both classes.
    np.testing.assert_array_equal(squared.decision[..., :5], plain.decision[..., :5])
    assert np.unique(squared.decision[..., :5]).tolist() == [-1.0, 0.0]
    assert np.isfinite(squared.decision).all()
    assert squared.n_support[:, :, :5].max() == 0
