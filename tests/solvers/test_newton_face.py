"""The linear systems of one free face after the other, and the Cholesky factor they are solved by."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise.kernels import RBF
from kernelwise.solvers.newton import FreeFace, cholesky

from .conftest import bordered


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
