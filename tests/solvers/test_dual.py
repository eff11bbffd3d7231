"""The dual of the support vector machine against scikit-learn, its optimality conditions, and itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC

from kernelwise.exceptions import KernelwiseWarning
from kernelwise.solvers import solve_svm_dual
from kernelwise.solvers.box_qp import BoxQP, GramFacts
from kernelwise.solvers.dual import LOSSES, POLISHES, into_bounds, minimise_and_verify

from .conftest import overlapping


def objective(K, y, beta):
    return 0.5 * beta @ K @ beta - y @ beta


def sklearn_beta(K, y, C, sample_weight=None, tol=1e-9):
    model = SVC(C=C, kernel="precomputed", tol=tol).fit(K, y, sample_weight)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    return beta, model.intercept_[0]


def assert_optimal(K, y, beta, bound, tol):
    """KKT conditions from scratch: feasible, and no pair that violates by more than ``tol``."""
    alpha = y * beta
    assert (alpha >= 0).all()
    assert (alpha <= bound).all()
    assert abs(beta.sum()) <= 1e-12 * np.abs(beta).sum()
    f = y - K @ beta
    rises = np.where(y > 0, alpha < bound, alpha > 0)
    falls = np.where(y > 0, alpha > 0, alpha < bound)
    assert f[rises].max() - f[falls].min() <= tol


@pytest.mark.parametrize("C", [1e-3, 0.5, 10.0, 1e4])
def test_objective_and_intercept_match_scikit_learn(gram_and_labels, C):
    K, y = gram_and_labels
    solution = solve_svm_dual(K, y, C, tol=1e-8)
    beta, intercept = sklearn_beta(K, y, C)
    expected = objective(K, y, beta)
    assert solution.objective == pytest.approx(expected, rel=1e-6)
    assert solution.objective == pytest.approx(objective(K, y, solution.beta), rel=1e-9)
    assert solution.converged
    if C <= 10.0:  # beyond, a violation of 1e-8 leaves decision values free by more than the tolerance below
        np.testing.assert_allclose(
            K @ solution.beta + solution.intercept, K @ beta + intercept, rtol=0, atol=2e-5
        )


@pytest.mark.parametrize("C", [1e-3, 1.0, 100.0])
def test_optimality_conditions_hold_at_tight_tolerance(gram_and_labels, C):
    K, y = gram_and_labels
    solution = solve_svm_dual(K, y, C, tol=1e-10)
    assert solution.converged
    assert solution.gap < 1e-10
    assert_optimal(K, y, solution.beta, C, 2e-10)
    np.testing.assert_allclose(solution.gradient, y - K @ solution.beta, rtol=0, atol=1e-10)
    assert 0 <= solution.duality_gap + 1e-9 <= 1e-6 * max(1.0, abs(solution.objective))


def test_default_tolerance_is_libsvms(gram_and_labels):
    K, y = gram_and_labels
    solution = solve_svm_dual(K, y, 10.0)
    assert solution.gap < 1e-3
    assert_optimal(K, y, solution.beta, 10.0, 1e-3)


def test_two_points_are_closed_form():
    # K_11 + K_22 − 2K_12 = 2 and unbounded: α = 2/2 = 1 for both, f(x1) = 1, f(x2) = −1.
    solution = solve_svm_dual(np.eye(2), [1, -1], C=5.0, tol=1e-12)
    np.testing.assert_allclose(solution.beta, [1.0, -1.0], atol=1e-12)
    assert solution.intercept == pytest.approx(0.0, abs=1e-12)
    assert solution.objective == pytest.approx(-1.0)
    bounded = solve_svm_dual(np.eye(2), [1, -1], C=0.25, tol=1e-12)
    np.testing.assert_array_equal(bounded.beta, [0.25, -0.25])


def test_larger_label_is_the_positive_class():
    X, y = overlapping(30)
    K = rbf_kernel(X)
    words = np.where(y > 0, "yes", "no")
    np.testing.assert_array_equal(solve_svm_dual(K, words).beta, solve_svm_dual(K, y).beta)


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_equal_repeated_rows(loss):
    X, y = overlapping(40)
    weight = np.arange(40) % 3
    rows = np.repeat(np.arange(40), weight)
    weighted = solve_svm_dual(rbf_kernel(X), y, 2.0, sample_weight=weight, loss=loss, tol=1e-10)
    repeated = solve_svm_dual(rbf_kernel(X[rows]), y[rows], 2.0, loss=loss, tol=1e-10)
    assert weighted.objective == pytest.approx(repeated.objective, rel=1e-9)
    assert weighted.intercept == pytest.approx(repeated.intercept, abs=1e-9)
    assert (weighted.beta[weight == 0] == 0).all()
    np.testing.assert_allclose(np.bincount(rows, repeated.beta, 40), weighted.beta, atol=1e-9)
    if loss != "hinge":  # whose copies may share a coefficient in any way
        np.testing.assert_allclose(repeated.beta, (weighted.beta / np.maximum(weight, 1))[rows], atol=1e-9)


def test_weighted_objective_matches_scikit_learn(gram_and_labels):
    K, y = gram_and_labels
    weight = np.random.default_rng(1).uniform(0.1, 5.0, y.size)
    solution = solve_svm_dual(K, y, 3.0, sample_weight=weight, tol=1e-9)
    expected = objective(K, y, sklearn_beta(K, y, 3.0, weight)[0])
    assert solution.objective == pytest.approx(expected, rel=1e-7)
    assert_optimal(K, y, solution.beta, 3.0 * weight, 2e-9)


def test_warm_start_reaches_the_cold_solution(gram_and_labels):
    K, y = gram_and_labels
    cold = solve_svm_dual(K, y, 20.0, tol=1e-9)
    for start in (cold.beta, 3.0 * cold.beta, np.random.default_rng(0).standard_normal(y.size)):
        warm = solve_svm_dual(K, y, 20.0, tol=1e-9, warm_start=start)
        assert warm.objective == pytest.approx(cold.objective, rel=1e-10)
        assert_optimal(K, y, warm.beta, 20.0, 2e-9)
    assert solve_svm_dual(K, y, 20.0, tol=1e-9, warm_start=cold.beta).n_iter <= cold.n_iter // 10


@pytest.mark.parametrize("weighted", [False, True])
def test_squared_hinge_matches_its_primal(weighted):
    X, y = overlapping(25)
    K, C = rbf_kernel(X, gamma=0.7), 3.0
    weight = np.random.default_rng(2).uniform(0.2, 2.0, y.size) if weighted else np.ones(y.size)
    solution = solve_svm_dual(K, y, C, sample_weight=weight, loss="squared_hinge", tol=1e-10)

    # Primal over w = Σ a_i φ(x_i) in the coordinates of a square root of K, and the offset b.
    L = np.linalg.cholesky(K + 1e-12 * np.eye(y.size))

    def primal(v):
        slack = np.maximum(0.0, 1.0 - y * (L @ v[:-1] + v[-1]))
        value = 0.5 * v[:-1] @ v[:-1] + 0.5 * C * weight @ slack**2
        pull = -C * weight * slack * y
        return value, np.r_[v[:-1] + L.T @ pull, pull.sum()]

    best = minimize(primal, np.zeros(y.size + 1), jac=True, method="BFGS", options={"gtol": 1e-9})
    assert -solution.objective == pytest.approx(best.fun, rel=1e-6)
    assert abs(solution.duality_gap) <= 1e-8 * best.fun
    np.testing.assert_allclose(
        K @ solution.beta + solution.intercept, L @ best.x[:-1] + best.x[-1], rtol=0, atol=1e-5
    )


def test_float32_gram_is_close_to_float64():
    X, y = overlapping(80)
    K = rbf_kernel(X, gamma=0.5)
    double, single = (
        solve_svm_dual(K.astype(dtype), y, 10.0, tol=1e-6) for dtype in (np.float64, np.float32)
    )
    assert single.objective == pytest.approx(double.objective, rel=1e-5)


def test_newton_finish_solves_what_pair_steps_crawl_on():
    X, y = overlapping(200)
    K = rbf_kernel(X, gamma=1e-3)
    solution = solve_svm_dual(K, y, 1e6, tol=1e-5)
    assert solution.converged
    assert_optimal(K, y, solution.beta, 1e6, 2e-5)


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.KernelwiseWarning")
@pytest.mark.parametrize("C", [1e-8, 1.0, 1e8])
@pytest.mark.parametrize(
    "K",
    [
        np.ones((6, 6)),
        np.zeros((6, 6)),
        np.kron(np.eye(3), np.ones((2, 2))),
        np.diag([1.0, 1e8, 1e-8, 1.0, 1.0, 1.0]),
        -np.eye(6),
        np.kron(np.eye(3), [[0.0, 1.0], [1.0, 0.0]]),
    ],
    ids=["constant", "zero", "duplicates of opposite label", "badly scaled", "negative", "indefinite"],
)
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_degenerate_grams_end_and_stay_within_bounds(K, C, loss):
    y = np.array([1.0, -1.0, 1.0, -1.0, 1.0, -1.0])
    solution = solve_svm_dual(K, y, C, loss=loss)
    assert solution.converged
    assert np.isfinite(solution.beta).all()
    assert np.isfinite(solution.intercept)
    assert (y * solution.beta >= 0).all()
    if loss == "hinge":
        assert (y * solution.beta <= C).all()


def test_one_sample_of_a_class():
    X, _ = overlapping(20)
    y = np.r_[1.0, -np.ones(19)]
    K = rbf_kernel(X)
    solution = solve_svm_dual(K, y, 1.0, tol=1e-10)
    assert_optimal(K, y, solution.beta, 1.0, 2e-10)


def test_indefinite_gram_gives_a_warning():
    K = np.kron(np.eye(3), [[0.0, 1.0], [1.0, 0.0]])
    with pytest.warns(KernelwiseWarning, match="far from positive semi-definite"):
        solve_svm_dual(K, [1, -1, 1, -1, 1, -1], 1.0)


def test_iteration_cap_warns_and_flags(gram_and_labels):
    K, y = gram_and_labels
    with pytest.warns(ConvergenceWarning, match="stopped after 3 iterations"):
        solution = solve_svm_dual(K, y, 10.0, max_iter=3)
    assert not solution.converged
    assert solution.n_iter == 3
    assert solution.gap > 1e-3


def test_unreachable_tolerance_ends_with_a_warning():
    X, y = overlapping(60)
    with pytest.warns(ConvergenceWarning, match="violation"):
        solution = solve_svm_dual(rbf_kernel(X, gamma=0.5), y, 1e3, tol=1e-17)
    assert solution.gap < 1e-10


def test_input_is_left_alone_and_may_be_read_only(gram_and_labels):
    K, y = gram_and_labels
    before = K.copy()
    K.setflags(write=False)
    solve_svm_dual(K, y, 1.0)
    solve_svm_dual(K, y, 1.0, loss="squared_hinge")
    np.testing.assert_array_equal(K, before)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": [0, 1, 2, 0]}, "needs two classes, got 3"),
        ({"K": np.triu(np.ones((4, 4)))}, "not symmetric"),
        ({"K": np.full((4, 4), np.nan)}, "contains NaN in row 0, column 0"),
        ({"C": 0.0}, "'C' of solve_svm_dual must be a positive float"),
        ({"loss": "log"}, "'loss' of solve_svm_dual must be one of"),
        ({"sample_weight": [1, 0, 1, 0]}, "has no sample with a positive weight"),
        ({"warm_start": np.zeros(3)}, "warm_start must be 4 finite coefficients"),
        ({"max_iter": 0}, "'max_iter' must be -1 or a positive integer"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"K": np.eye(4), "y": [0, 1, 0, 1]} | change
    with pytest.raises(ValueError, match=message):
        solve_svm_dual(**arguments)


def test_a_violation_that_rounding_hides_to_the_last_is_told():
    """Each time the program takes steps, and keeps an f that hides them."""
    K, p = rbf_kernel(np.arange(6.0)[:, None]), np.array([1.0, -1.0] * 3)

    class Forgetful(BoxQP):
        def minimise(self, tol, max_iter, *, newton_first=False):
            if max_iter == 0:
                return super().minimise(tol, 0)
            outcome = super().minimise(1e3, max_iter)
            return outcome._replace(n_iter=1, gap=0.0, converged=True)

    qp = Forgetful(K, np.zeros(6), p.copy(), np.minimum(p, 0.0), np.maximum(p, 0.0))
    outcome = minimise_and_verify(qp, p, 1e-3, 1000)
    assert outcome.n_iter == 1 + POLISHES
    assert outcome.gap == pytest.approx(2.0)
    assert not outcome.converged


@pytest.mark.parametrize(
    ("K", "wide", "error"),
    [
        (np.eye(6)[:, ::-1], None, TypeError),
        (np.asfortranarray(np.arange(36.0).reshape(6, 6)), None, TypeError),
        (np.eye(6, dtype=int), None, TypeError),
        (np.ones((6, 5)), None, ValueError),
        (np.eye(6), np.zeros((6, 64)), ValueError),
    ],
)
def test_no_gram_matrix_is_read_by_its_address_that_is_not_as_it_must_be(K, wide, error):
    with pytest.raises(error, match="K must be"):
        GramFacts(K, wide)
    if wide is None and K.shape == (6, 6):
        with pytest.raises(error, match="K must be"):
            BoxQP(K, np.zeros(6), np.ones(6), -np.ones(6), np.ones(6)).minimise(1e-3, 10)


def test_a_gram_matrix_of_fewer_variables_is_not_read():
    with pytest.raises(ValueError, match=r"shape \(5, 5\), and there are 6 variables"):
        BoxQP(np.eye(5), np.zeros(6), np.ones(6), -np.ones(6), np.ones(6)).minimise(1e-3, 10)


@pytest.mark.filterwarnings("error")
def test_huge_values_of_a_polynomial_kernel_are_no_reason_to_stop_early():
    """Turned pair steps alone take more than ten million here: the diagonal varies too much for them."""
    rng = np.random.RandomState(0)
    X = rng.uniform(size=(40, 3))
    X[X < 0.6] = 0.0
    y = rng.randint(0, 3, size=40)
    weight = (40.0 / (3.0 * np.bincount(y)))[y]
    X, y, weight = X[y > 0] / X.std(axis=0), y[y > 0], weight[y > 0]
    K = (26.4928 * X @ X.T + 0.0124911) ** 3
    assert K.max() > 1e7
    solution = solve_svm_dual(K, y, C=1.0, sample_weight=weight)
    assert solution.converged
    assert abs(solution.duality_gap) < 1e-2


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ([2.0, 0.5, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]),  # nothing below zero to balance it
        ([2.0, 0.5, -0.5, 0.0], [1 / 3, 1 / 6, -0.5, 0.0]),
        ([0.5, 0.0, -1.0, -3.0], [0.5, 0.0, -0.25, -0.25]),
        ([0.5, 0.5, -1.0, 0.0], [0.5, 0.5, -1.0, 0.0]),
    ],
)
def test_a_start_is_moved_into_the_bounds_and_to_a_sum_of_zero(start, expected):
    lo, hi = np.array([0.0, 0.0, -1.0, -1.0]), np.array([1.0, 1.0, 0.0, 0.0])
    np.testing.assert_allclose(into_bounds(start, lo, hi), expected, atol=1e-15)
