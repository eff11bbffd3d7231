"""Newton steps on few free variables: against the linear system, with bounds in their way, and as a cure."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise.kernels import RBF
from kernelwise.solvers import svm_path
from kernelwise.solvers.newton_few import newton_on_few


def problem(gamma=0.5):
    """A Gram matrix, coefficients of which four are bounded, and y."""
    K = RBF(gamma)(np.random.default_rng(0).normal(size=(16, 3)))
    y = np.where(np.arange(16) % 2, 1.0, -1.0)
    beta = 0.5 * y
    beta[:2], beta[2:4] = -1.0 * (y[:2] < 0), 1.0 * (y[2:4] > 0)
    return K, beta, y


@pytest.mark.parametrize("gamma", [0.5, 1e-3])
def test_the_step_solves_the_system_of_the_face(gamma):
    K, beta, y = problem(gamma)
    K = K + 1e-6 * np.eye(16)
    lo, hi = np.full(16, -1e9), np.full(16, 1e9)
    lo[:4] = hi[:4] = beta[:4]
    f, ones = y - K @ beta, np.ones((12, 1))
    change = newton_on_few(K, beta, f, lo, hi)
    bordered = np.block([[K[4:, 4:], ones], [ones.T, np.zeros((1, 1))]])
    expected = np.linalg.solve(bordered, [*f[4:], 0.0])[:-1]
    assert_array_equal(change[:4], 0.0)
    assert_allclose(change[4:], expected, atol=1e-5 * np.abs(expected).max())


def test_a_step_that_bounds_stop_ends_at_the_minimum_of_a_smaller_face():
    K, beta, y = problem()
    lo, hi = np.where(beta < 0, -0.8, 0.0), np.where(beta > 0, 0.8, 0.0)
    beta = np.clip(beta, lo, hi)
    f = y - K @ beta
    change = newton_on_few(K, beta, f, lo, hi)
    after = beta + change
    assert change.sum() == pytest.approx(0.0, abs=1e-12)
    assert ((lo <= after) & (after <= hi)).all()
    was_free, inside = (beta > lo) & (beta < hi), (after > lo) & (after < hi)
    assert 2 <= inside.sum() < was_free.sum()  # some ran into a bound
    residual = (f - K @ change)[inside]
    assert_allclose(residual, residual.mean(), atol=1e-8)
    assert 0.5 * change @ K @ change < f @ change  # the cost fell


def test_no_step_with_fewer_than_two_free_variables():
    K, beta, y = problem()
    lo, hi = np.full(16, -1e9), np.full(16, 1e9)
    lo[:15] = hi[:15] = beta[:15]
    assert newton_on_few(K, beta, y - K @ beta, lo, hi) is None


@pytest.mark.parametrize("seed", [4, 6, 10])
def test_a_polynomial_of_degree_five_takes_thousands_of_pair_steps_not_millions(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 2))
    y = np.sin(2.0 * X[:, 0]) + 0.5 * rng.normal(size=300) > 0.0
    fold = np.arange(300) % 3
    folds = [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(3)]
    path = svm_path((X @ X.T / 2.0 + 1.0) ** 5, y, [1.0, 10.0, 100.0, 700.0], folds)
    assert path.converged.all()
    assert path.n_iter.sum() < 500_000  # with less exact steps 2.5 to 8.5 millions
