"""Newton steps on the free face against the linear system they solve, and with bounds in their way."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise.kernels import RBF
from kernelwise.solvers.newton import FreeFace, cholesky, newton_on_face

from .conftest import assert_bounds_stop_at_a_minimum, bordered, newton_problem


@pytest.fixture
def face():
    """A Gram matrix, coefficients of which four are bounded, and the residual f = y − Kβ."""
    K, beta, y = newton_problem()
    return K, beta, y - K @ beta


def test_the_step_solves_the_system_of_the_face(face):
    K, beta, f = face
    lo, hi = np.full(16, -1e9), np.full(16, 1e9)
    lo[:4] = hi[:4] = beta[:4]
    change = newton_on_face(FreeFace(K), beta, f, lo, hi, 100)
    assert_array_equal(change[:4], 0.0)
    assert_allclose(change[4:], bordered(K[4:, 4:], f[4:], 0.0)[0], rtol=1e-7)


def test_a_step_that_bounds_stop_ends_at_the_minimum_of_a_smaller_face(monkeypatch):
    monkeypatch.setattr("kernelwise.solvers.newton.SOON", 0.0)  # only what meets a bound is fixed
    assert_bounds_stop_at_a_minimum(lambda K, *problem: newton_on_face(FreeFace(K), *problem, 100))


def test_a_step_with_many_bounds_in_its_way_keeps_them_and_the_sum_and_descends():
    random, n = np.random.default_rng(1), 200
    K = RBF(0.5)(random.normal(size=(n, 4)))
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    lo, hi = np.minimum(y, 0.0), np.maximum(y, 0.0)
    beta = 0.5 * y
    change = newton_on_face(FreeFace(K), beta, y - K @ beta, lo, hi, n)
    after = beta + change
    assert change.sum() == pytest.approx(0.0, abs=1e-9)
    assert ((lo <= after) & (after <= hi)).all()
    assert ((after == lo) | (after == hi)).sum() > 1
    assert 0.5 * change @ K @ change < (y - K @ beta) @ change


@pytest.mark.parametrize("gamma", [0.5, 1e-5])
@pytest.mark.parametrize("total", [0.0, 0.7])
def test_systems_on_one_face_after_the_other_are_solved_as_alone(gamma, total):
    # The factor is kept: variables join and leave, and come back. A wide kernel has values near one.
    random = np.random.default_rng(2)
    K, f = RBF(gamma)(random.normal(size=(40, 6))) + 1e-4 * np.eye(40), random.normal(size=40)
    face, is_free = FreeFace(K), random.random(40) < 0.8
    for _ in range(6):
        x, b = face.solve(is_free, f, total)
        expected, offset = bordered(K[np.ix_(is_free, is_free)], f[is_free], total)
        assert_allclose(x[is_free], expected, atol=1e-7 * np.abs(expected).max())
        assert b == pytest.approx(offset, abs=1e-7 * max(1.0, abs(offset)))
        assert not x[~is_free].any()
        is_free = is_free.copy()
        is_free[random.choice(40, 3, replace=False)] ^= True


def test_the_factor_is_of_the_matrix_and_of_the_ridge_that_is_said():
    points = np.random.default_rng(0).normal(size=(6, 2))
    for A in (2.0 * RBF(0.5)(points), 100.0 * points @ points.T - 1e-5 * np.eye(6)):  # the second needs more
        factor, ridge = cholesky(np.asfortranarray(A))
        L = np.tril(factor)
        assert_allclose(L @ L.T, A + ridge * np.eye(6), rtol=0, atol=1e-14 * A.max())
        assert ridge > 0
    assert ridge > 1e-5
    assert cholesky(np.asfortranarray(-np.eye(3))) == (None, 0.0)


@pytest.mark.parametrize("tiny", [1e-200, -1e-200])
def test_values_whose_products_vanish_are_zero_in_the_factor(tiny):
    A = np.array([[1.0, tiny, 0.5], [tiny, 1.0, 0.5], [0.5, 0.5, 1.0]])
    factor, _ = cholesky(np.asfortranarray(A))
    assert factor[1, 0] == 0.0
    assert_allclose(np.tril(factor) @ np.tril(factor).T, A, rtol=0, atol=1e-11)


@pytest.mark.parametrize("max_free", [11, 100])
def test_no_step_with_too_many_or_too_few_variables(face, max_free):
    K, beta, f = face
    lo, hi = np.full(16, -1e9), np.full(16, 1e9)
    fixed = slice(0, 4) if max_free == 11 else slice(0, 15)
    lo[fixed] = hi[fixed] = beta[fixed]
    assert newton_on_face(FreeFace(K), beta, f, lo, hi, max_free) is None
