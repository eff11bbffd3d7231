"""Newton steps on few free variables: against the linear system, with bounds in their way, and as a cure."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise.solvers import svm_path
from kernelwise.solvers.newton import newton_on_few

from .conftest import assert_bounds_stop_at_a_minimum, bordered, newton_problem


@pytest.mark.parametrize("gamma", [0.5, 1e-3])
def test_the_step_solves_the_system_of_the_face(gamma):
    K, beta, y = newton_problem(gamma)
    K = K + 1e-6 * np.eye(16)
    lo, hi = np.full(16, -1e9), np.full(16, 1e9)
    lo[:4] = hi[:4] = beta[:4]
    f = y - K @ beta
    change = newton_on_few(K, beta, f, lo, hi)
    expected = bordered(K[4:, 4:], f[4:], 0.0)[0]
    assert_array_equal(change[:4], 0.0)
    assert_allclose(change[4:], expected, atol=1e-5 * np.abs(expected).max())


def test_a_step_that_bounds_stop_ends_at_the_minimum_of_a_smaller_face():
    assert_bounds_stop_at_a_minimum(newton_on_few)


def test_no_step_with_fewer_than_two_free_variables():
    K, beta, y = newton_problem()
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
