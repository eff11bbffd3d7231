"""Steps along conjugate directions where pairs alone crawl."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise.kernels import RBF
from kernelwise.solvers.box_qp import POOLS, SINGLE, BoxQP, width_of_square
from kernelwise.solvers.working_sets import aligned
from tests.native.conftest import plain_smo

TOL = 1e-3


def _problem(n: int, gamma: float, C: float) -> tuple[np.ndarray, ...]:
    """K, labels and bounds of two classes that overlap."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(n, 4))
    y = np.where(X[:, 0] + rng.normal(size=n) > 0, 1.0, -1.0)
    return RBF(gamma)(X), y, np.minimum(C * y, 0.0), np.maximum(C * y, 0.0)


@pytest.mark.parametrize("gamma", [0.02, 0.2])
def test_conjugate_steps_find_the_solution_in_fewer_steps(gamma: float) -> None:
    K, y, lo, hi = _problem(150, gamma, 300.0)
    expected, n_plain = plain_smo(K, y, lo, hi, np.zeros(len(y)), TOL)
    qp = BoxQP(K, np.zeros(len(y)), y.copy(), lo, hi)
    n_iter, _, gap, *_ = qp._smo(TOL, 10**7, np.dtype(np.float32)).tolist()
    assert gap < TOL
    assert n_iter < 0.7 * n_plain
    # Both are within the tolerance of one optimum: a violation of TOL costs at most TOL · Σ|change|.
    objectives = [0.5 * b @ K @ b - y @ b for b in (qp.beta, expected)]
    assert abs(objectives[0] - objectives[1]) < TOL * np.abs(qp.beta - expected).sum()


def test_conjugate_steps_keep_the_sum_the_bounds_and_f() -> None:
    K, y, lo, hi = _problem(150, 0.02, 300.0)
    qp = BoxQP(K, np.zeros(len(y)), y.copy(), lo, hi)
    qp._smo(TOL, 10**7, np.dtype(np.float32))
    assert abs(qp.beta.sum()) < 1e-9 * np.abs(qp.beta).sum()
    assert np.all((lo <= qp.beta) & (qp.beta <= hi))
    np.testing.assert_allclose(qp.f, y - K @ qp.beta, atol=1e-9)


@pytest.mark.parametrize("n", [5, 64, 301])
def test_rows_of_a_square_start_with_a_line_of_the_cache(n):
    width = width_of_square(n)
    room = aligned(n * width)
    assert room.shape == (n * width,)
    assert room.dtype == np.float32
    assert room.flags.c_contiguous
    assert room.ctypes.data % 64 == 0 == room.reshape(n, width).strides[0] % 64
    assert width % 1024 != 0
    assert POOLS[SINGLE](n, room.reshape(n, width)).members == list(range(n))


def test_a_hair_that_leaves_nobody_who_may_rise_leads_to_no_row_beyond_the_pool():
    # The only variable that may rise meets its bound, and its partner does not move for a hair.
    K, n = np.eye(3) + 0.5, 3
    beta = np.array([1.0, 1.0 - 1e-14, 1.0])
    f = np.array([0.0, 1.0, 0.0])
    memory = np.full((80, width_of_square(n)), np.nan, np.float32)
    memory[:n], memory[:n, :n] = 0.0, K
    qp = BoxQP(K, beta, f, np.zeros(n), np.ones(n), {SINGLE: POOLS[SINGLE](n, memory[:n])})
    assert qp.minimise(1e-3, 1000).n_iter == 1
    assert beta.tolist() == [1.0, 1.0, 1.0]
    assert np.isfinite(f).all()
