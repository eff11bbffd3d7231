"""Newton steps on the free variables: against the linear system, with bounds in their way, and as a cure."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise.kernels import RBF
from kernelwise.solvers import solve_svm_dual, svm_path
from kernelwise.solvers.box_qp import BoxQP
from kernelwise.solvers.newton import newton_step

from .conftest import assert_bounds_stop_at_a_minimum, bordered, newton_problem, overlapping


@pytest.mark.parametrize("gamma", [0.5, 1e-3])
def test_the_step_solves_the_system_of_the_face(gamma):
    K, beta, y = newton_problem(gamma)
    K = K + 1e-6 * np.eye(16)
    lo, hi = np.full(16, -1e9), np.full(16, 1e9)
    lo[:4] = hi[:4] = beta[:4]
    f = y - K @ beta
    change = newton_step(K, beta, f, lo, hi, 100)
    expected = bordered(K[4:, 4:], f[4:], 0.0)[0]
    assert_array_equal(change[:4], 0.0)
    assert_allclose(change[4:], expected, atol=1e-5 * np.abs(expected).max())


def test_a_step_that_bounds_stop_ends_at_the_minimum_of_a_smaller_face():
    assert_bounds_stop_at_a_minimum(lambda *problem: newton_step(*problem, 100))


def test_a_step_with_many_bounds_in_its_way_keeps_them_and_the_sum_and_descends():
    random, n = np.random.default_rng(1), 200
    K = RBF(0.5)(random.normal(size=(n, 4)))
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    lo, hi = np.minimum(y, 0.0), np.maximum(y, 0.0)
    beta = 0.5 * y
    change = newton_step(K, beta, y - K @ beta, lo, hi, n)
    after = beta + change
    assert change.sum() == pytest.approx(0.0, abs=1e-9)
    assert ((lo <= after) & (after <= hi)).all()
    assert ((after == lo) | (after == hi)).sum() > 1
    assert 0.5 * change @ K @ change < (y - K @ beta) @ change


@pytest.mark.parametrize("max_free", [11, 100])
def test_no_step_with_too_many_or_too_few_variables(max_free):
    K, beta, y = newton_problem()
    lo, hi = np.full(16, -1e9), np.full(16, 1e9)
    fixed = slice(0, 4) if max_free == 11 else slice(0, 15)
    lo[fixed] = hi[fixed] = beta[fixed]
    assert newton_step(K, beta, y - K @ beta, lo, hi, max_free) is None


def test_what_a_step_gains_is_what_the_objective_falls_by():
    K, beta, y = newton_problem()
    qp = BoxQP(K, beta.copy(), y - K @ beta, np.minimum(y, 0.0), np.maximum(y, 0.0))
    gained = qp.newton()
    before, after = (0.5 * b @ K @ b - y @ b for b in (beta, qp.beta))
    assert gained == pytest.approx(before - after, rel=1e-9)
    assert gained > 0.1


@pytest.mark.parametrize("seed", range(12))
def test_a_polynomial_of_degree_five_takes_thousands_of_pair_steps_not_millions(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.5 * rng.normal(size=300) > 0.0
    fold = np.arange(300) % 3
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    path = svm_path((X @ X.T / 2.0 + 1.0) ** 5, y, [1.0, 10.0, 100.0, 700.0], folds)
    assert path.converged.all()
    assert path.n_iter.sum() < 500_000  # with less exact steps 2.5 to 8.5 millions


@pytest.mark.parametrize("degree", [3, 5, 7])
@pytest.mark.parametrize("order", ["mixed", "by class"])
def test_a_large_C_is_reached_from_nothing_on_a_polynomial(degree, order):
    """Where Newton steps are judged by the violation, which jumps, 5 millions of pair steps are too few."""
    X, y = overlapping(150, seed=degree, n_features=2)
    if order == "by class":
        X, y = X[np.argsort(y)], np.sort(y)
    solution = solve_svm_dual((X @ X.T / 2.0 + 1.0) ** degree, y, 1e6)
    assert solution.converged
    assert solution.n_iter < 200_000


def test_a_large_C_is_reached_from_nothing_where_more_variables_are_free_than_the_kernel_has_dimensions():
    X, y = overlapping(1000, n_features=7)
    solution = solve_svm_dual(X @ X.T, y, 1e5)
    assert solution.converged
    assert solution.n_iter < 200_000  # with variables fixed before they meet a bound 5 millions are too few
