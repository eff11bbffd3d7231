"""The dual of one machine for one C after the other, against an interior-point method and plain SMO."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.interior_point import solve_exactly

from kernelwise import _native

from .conftest import POOLS, Path, clouds, gram, objective, plain_smo, violation

CS = np.array([0.01, 0.3, 5.0, 200.0])
KINDS = [(K, pool) for K in (np.float64, np.float32) for pool in (np.float32, np.float64)]


def labelled(n, gamma, seed=0):
    X, index = clouds(n, seed)
    return gram(X, gamma), 2.0 * index - 1.0


def check_row(path, C, row, beta, tol):
    """What a table says of one C is what its coefficients say."""
    n_pairs, lowest, gap, offset, n_free, is_stalled, n_support, value = row
    K, lo, hi = path.K.astype(float), C * path.lo, C * path.hi
    f = path.p - K @ beta
    is_free = (beta > lo) & (beta < hi)
    assert ((lo <= beta) & (beta <= hi)).all()
    assert gap == pytest.approx(violation(f, beta, lo, hi), abs=1e-9 * (1.0 + np.abs(f).max()))
    assert gap < tol
    assert n_pairs >= 0
    assert is_stalled in (0.0, 1.0)
    assert lowest > -1e-6
    assert n_free == is_free.sum()
    assert n_support == np.count_nonzero(beta)
    assert value == pytest.approx(objective(K, path.p, beta), rel=1e-9, abs=1e-12)
    middle = 0.5 * (f[beta < hi].max() + f[beta > lo].min())
    assert offset == pytest.approx(f[is_free].mean() if n_free else middle, abs=1e-8)


@pytest.mark.parametrize(("kind", "pool"), KINDS)
@pytest.mark.parametrize("gamma", [0.02, 0.5, 20.0, 0.0])
@pytest.mark.parametrize("n", [2, 5, 64, 100])
def test_every_C_is_the_exact_machine(n, gamma, kind, pool):
    K, y = labelled(n, gamma)
    weight = np.random.default_rng(n).uniform(0.3, 3.0, n)
    path = Path(K.astype(kind), y, weight=weight, pool=pool, shift=float(K[0].mean()))
    n_done, is_solved, table, kept = path.solve(CS, tol=1e-4)
    assert is_solved
    exact_K = path.K.astype(float)
    for C, row, beta in zip(CS[:n_done], table, kept, strict=False):
        check_row(path, C, row, beta, 1e-4)
        assert abs(beta.sum()) < 1e-9 * np.abs(beta).sum()
        # A violation of tol costs at most tol · Σ C w.
        if n > 2:
            exact = solve_exactly(exact_K + 1e-10 * np.eye(n) * (gamma == 0.0), y, C * weight).beta
        else:
            exact, _ = plain_smo(exact_K, y, C * path.lo, C * path.hi, np.zeros(n), 1e-9)
        excess = row[7] - objective(exact_K, y, exact)
        assert abs(excess) < 1e-4 * C * weight.sum() + 1e-8 * abs(row[7])
    np.testing.assert_array_equal(kept[n_done - 1], path.beta)
    np.testing.assert_allclose(
        path.f, y - exact_K @ path.beta, atol=1e-10 * (1.0 + np.abs(exact_K).max() * CS[-1])
    )
    assert np.isnan(kept[n_done:]).all()
    assert np.isnan(table[n_done:]).all()


@pytest.mark.parametrize(("kind", "pool"), KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_any_linear_term_and_sum_gives_what_plain_smo_finds(seed, kind, pool):
    """As in regression and in detectors: p is not the labels, and Σβ not zero."""
    rng = np.random.default_rng(seed)
    K = gram(rng.normal(size=(60, 2)), 0.5)
    lo, hi = -rng.uniform(size=60) * (np.arange(60) % 3 > 0), rng.uniform(size=60) * (np.arange(60) % 5 > 0)
    beta = rng.uniform(lo, hi)
    path = Path(K.astype(kind), np.ones(60), p=rng.normal(size=60), beta=beta, pool=pool)
    path.lo, path.hi = lo, hi
    _, is_solved, table, kept = path.solve([1.0], tol=1e-5)
    assert is_solved
    check_row(path, 1.0, table[0], kept[0], 1e-5)
    expected, _ = plain_smo(path.K.astype(float), path.p, lo, hi, beta, 1e-5)
    assert path.beta.sum() == pytest.approx(beta.sum(), abs=1e-12)
    assert table[0, 7] == pytest.approx(objective(K, path.p, expected), abs=1e-5)
    np.testing.assert_allclose(path.f, path.p - K @ expected, atol=1e-3)


def test_more_violators_than_join_at_once_and_a_pool_that_thins_out():
    X, index = clouds(1500)
    K, y = gram(X + 2.0 * index[:, None], 0.05), 2.0 * index - 1.0
    path = Path(K, y)
    Cs = np.array([1e-3, 0.1, 1.0])
    n_done, is_solved, table, kept = path.solve(Cs)
    assert (n_done, is_solved) == (3, True)
    for C, row, beta in zip(Cs, table, kept, strict=True):
        check_row(path, C, row, beta, 1e-3)
    assert path.pool.size == len(path.pool.members) < 1500
    assert set(np.flatnonzero((path.beta != path.lo) & (path.beta != path.hi))) <= set(path.pool.members)


def test_conjugate_steps_where_pairs_crawl():
    K, y = labelled(150, 0.02, seed=5)
    path = Path(K, y)
    _, is_solved, table, kept = path.solve([3e3])
    assert is_solved
    assert table[0, 0] > 192  # the first turned step comes after as many as the pool is wide
    check_row(path, 3e3, table[0], kept[0], 1e-3)


@pytest.mark.parametrize("limit", [0, 1, 7])
def test_pair_steps_are_limited(limit):
    K, y = labelled(80, 0.5)
    path = Path(K, y)
    n_done, is_solved, table, kept = path.solve(CS, limit=limit)
    assert (n_done, is_solved) == (1, False)
    assert table[0, 0] == limit
    assert table[0, 2] == pytest.approx(violation(path.f, path.beta, CS[0] * path.lo, CS[0] * path.hi))
    np.testing.assert_allclose(path.f, y - K @ path.beta, atol=1e-12)
    np.testing.assert_array_equal(kept[0], path.beta)
    assert np.isnan(table[1:]).all()
    # Where it stopped, it goes on.
    assert path.solve(CS[:1])[1]


def test_a_path_ends_behind_the_first_C_without_bounded_support_vectors():
    X, index = clouds(60)
    X[index == 1] += 9.0
    K, y, Cs = gram(X, 0.1), 2.0 * index - 1.0, 2.0 ** np.arange(-6.0, 12.0)
    path = Path(K, y)
    n_done, is_solved, table, kept = path.solve(Cs, tol=1e-6)
    assert is_solved
    assert 2 < n_done < len(Cs)
    n_free, n_support = table[:n_done, 4], table[:n_done, 6]
    assert n_free[-1] == n_support[-1]
    assert (n_free[:-1] < n_support[:-1]).all()
    assert np.isnan(kept[n_done:]).all()
    exact = solve_exactly(K, y, np.full(60, Cs[-1])).beta
    assert table[n_done - 1, 7] == pytest.approx(objective(K, y, exact), rel=1e-5)


@pytest.mark.parametrize("start", [1, 2, 3])
def test_a_path_goes_on_where_it_was(start):
    K, y = labelled(100, 0.02)
    whole, parts = Path(K, y), Path(K, y)
    expected = whole.solve(CS)
    first = parts.solve(CS[:start])
    table, kept = np.full((4, 8), -7.0), np.full((4, 100), -7.0)
    done = parts.solve(CS, start=start, table=table, kept=kept)
    assert first[:2] == (start, True)
    assert done[:2] == expected[:2] == (4, True)
    assert (table[:start] == -7.0).all()
    assert (kept[:start] == -7.0).all()
    np.testing.assert_array_equal(table[start:], expected[2][start:])
    np.testing.assert_array_equal(kept[start:], expected[3][start:])
    np.testing.assert_array_equal(parts.f, whole.f)
    assert parts.solve(CS, start=4, table=table)[:2] == (4, True)


def test_coefficients_are_kept_only_if_there_is_room():
    K, y = labelled(40, 0.3)
    one, other = Path(K, y), Path(K, y)
    expected, found = one.solve(CS), other.solve(CS, kept=np.empty((0, 40)))
    np.testing.assert_array_equal(found[2], expected[2])
    np.testing.assert_array_equal(other.beta, one.beta)


@pytest.mark.parametrize("shift", [0.0, 10.0, 10.5])
def test_a_constant_in_the_kernel_changes_nothing(shift):
    """Single precision has few digits left beside it, unless it is subtracted."""
    K, y = labelled(100, 0.3)
    plain, shifted = Path(K, y), Path(K + 10.0, y, shift=shift)
    expected, found = plain.solve(CS, tol=1e-6), shifted.solve(CS, tol=1e-6)
    assert found[1]
    np.testing.assert_allclose(found[2][:, 7], expected[2][:, 7], rtol=1e-6)


@pytest.mark.parametrize("dtype", list(POOLS))
def test_a_gram_matrix_can_be_the_pool_itself(dtype):
    K, y = labelled(70, 0.3)
    width = 64 * 2 + 48
    wide = np.zeros((70, width), dtype)
    wide[:, :70] = K
    before, pool = wide.copy(), POOLS[dtype](70, wide)
    assert pool.members == list(range(70))
    path = Path(wide[:, :70].astype(float), y, pool=pool)
    path.K = wide
    n_done, is_solved, table, kept = path.solve(CS)
    assert is_solved
    path.K = wide[:, :70]
    for C, row, beta in zip(CS[:n_done], table, kept, strict=False):
        check_row(path, C, row, beta, 1e-3)
    np.testing.assert_array_equal(wide, before)
    assert pool.size == 70


@pytest.mark.parametrize("pool", [_native.SinglePool, _native.DoublePool])
def test_a_pool_is_empty_until_it_is_used_and_then_has_who_may_move(pool):
    K, y = labelled(50, 0.3)
    one = pool(50)
    assert (one.size, one.members) == (0, [])
    path = Path(K, y, pool=one)
    path.solve([1.0])
    assert 0 < one.size == len(one.members) == len(set(one.members)) <= 50
    assert set(np.flatnonzero((path.beta > path.lo) & (path.beta < path.hi))) <= set(one.members)


def test_a_kernel_that_is_not_convex_is_noticed():
    K, y = labelled(40, 0.3)
    K -= 1.5 * np.eye(40)
    _, _, table, _ = Path(K, y).solve([1.0], limit=1000)
    assert table[0, 1] < -1e-6


def test_double_precision_goes_on_where_single_precision_stalls():
    rng = np.random.default_rng(0)
    X, index = clouds(80)
    K, y = gram(X, 0.0) * 10.0 ** rng.uniform(-4, 4), 2.0 * index - 1.0
    path = Path(K, y, pool=np.float64)
    n_done, is_solved, table, _ = path.solve([1.0], tol=1e-9)
    assert (n_done, is_solved) == (1, True)
    assert table[0, 2] < 1e-9


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
@pytest.mark.parametrize(("kind", "pool"), KINDS)
def test_values_that_are_not_finite_give_a_gap_that_is_no_number(kind, pool, value):
    """The kernel is so narrow that all samples are support vectors, and all values are used."""
    K, y = labelled(40, 20.0)
    for where in ((0, 1), (5, 5), (39, slice(None))):
        wrong = K.astype(kind)
        wrong[where] = wrong.T[where] = value
        n_done, is_solved, table, _ = Path(wrong, y, pool=pool).solve([1.0, 10.0], limit=10**6)
        assert not is_solved
        assert np.isnan(table[n_done - 1, 2])
