"""One-class machines beside an interior-point method, a hard ball, and each other."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.interior_point import one_class_exactly
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from kernelwise.kernels import RBF, Linear, Polynomial
from kernelwise.solvers import minimum_enclosing_ball, one_class_path, solve_one_class, solve_soft_ball
from kernelwise.solvers.one_class import ROUNDING, limit_of
from kernelwise.solvers.one_class_rows import solve_one_class_by_rows

TOL = 1e-10
#: A narrow, a usual and a wide Gaussian kernel, and two whose k(x, x) differ.
KERNELS = [RBF(20.0), RBF(0.5), RBF(0.01), Polynomial(2, 0.5, 1.0), Linear()]


@pytest.fixture
def samples():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3)) + 1.0
    X[50:] = X[:10]  # repeated
    return X, random.uniform(0.0, 2.0, 60) * (random.random(60) < 0.8)


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
@pytest.mark.parametrize("nu", [0.02, 0.3, 0.9])
def test_the_solution_is_the_exact_one(samples, kernel, nu):
    X, weight = samples
    K = kernel(X)
    for w in (np.ones(60), weight):
        exact = one_class_exactly(K, nu, w)
        solution = solve_one_class(K, nu, sample_weight=w, tol=TOL)
        scale = np.diagonal(K).mean() * w.sum()
        assert exact.is_exact
        assert_allclose(solution.scores, K @ exact.beta, atol=1e-8 * scale)
        assert exact.low - 1e-8 * scale <= solution.offset <= exact.high + 1e-8 * scale
        assert_allclose(solution.beta.sum(), nu * w.sum())
        assert_array_equal(solution.beta[w == 0], 0.0)
        assert abs(solution.duality_gap) < 1e-7 * scale
        assert solution.offset - 1e-8 * scale <= solution.inner_offset <= solution.offset
        outside = w @ (solution.scores < solution.inner_offset)
        assert outside <= nu * w.sum() + 1e-9 <= w @ (solution.beta > 0) + 2e-9


@pytest.mark.parametrize("kernel", KERNELS, ids=str)
def test_the_ball_is_the_exact_one(samples, kernel):
    X, weight = samples
    K = kernel(X)
    total, diagonal = 0.3 * weight.sum(), np.diagonal(K)
    exact = one_class_exactly(K, 0.3, weight, 0.5 * total * diagonal)
    ball = solve_soft_ball(K, 0.3, sample_weight=weight, tol=TOL)
    assert exact.is_exact
    assert_allclose(K @ ball.beta, K @ exact.beta / total, atol=1e-8 * diagonal.mean())
    # At a free support vector the distance to the centre is the radius.
    free = (ball.beta > 1e-9) & (ball.beta < (weight / total) * (1 - 1e-9))
    distances = diagonal - 2.0 * K @ ball.beta + ball.norm2
    assert free.any()
    assert_allclose(distances[free], ball.radius2, rtol=1e-7)


def test_plane_and_ball_are_one_machine_if_the_diagonal_is_constant(samples):
    X, weight = samples
    K = 3.0 * RBF(0.5)(X)
    plane = solve_one_class(K, 0.3, sample_weight=weight, tol=TOL)
    ball = solve_soft_ball(K, 0.3, sample_weight=weight, tol=TOL)
    by_ball = ball.radius2 - (3.0 - 2.0 * K @ ball.beta + ball.norm2)
    by_plane = 2.0 / (0.3 * weight.sum()) * (plane.scores - plane.offset)
    assert_allclose(by_ball, by_plane, atol=1e-9)
    # And not if it is not.
    K = X @ X.T
    by_plane, by_ball = solve_one_class(K, 0.3), solve_soft_ball(K, 0.3)
    assert np.abs(K @ (by_plane.beta / 18.0 - by_ball.beta)).max() > 0.1


def test_a_ball_that_leaves_none_out_is_the_enclosing_one(samples):
    K = samples[0] @ samples[0].T
    ball, hard = solve_soft_ball(K, 1e-3, tol=1e-9), minimum_enclosing_ball(K, tol=1e-9)
    assert_allclose(ball.radius2, hard.radius2, rtol=1e-6)


def test_offsets_without_a_free_support_vector():
    """The two points nearest to the origin are at their bounds: w = 1 + 2, and scores are 3x."""
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    solution = solve_one_class(X @ X.T, 0.5, tol=TOL)
    assert_array_equal(solution.beta, [1.0, 1.0, 0.0, 0.0])
    assert (solution.low, solution.offset, solution.high) == pytest.approx((6.0, 7.5, 9.0))
    everyone = solve_one_class(X @ X.T, 1.0)
    assert (everyone.low, everyone.offset, everyone.high) == pytest.approx((40.0, 40.0, np.inf))


def test_a_share_that_rounding_makes_more_than_whole_samples_frees_none():
    X = np.arange(1.0, 101.0)[:, None]
    assert 0.07 * 100 > 7.0
    solution = solve_one_class(X @ X.T, 0.07)
    assert_array_equal(np.flatnonzero(solution.beta), np.arange(7))
    assert solution.offset == pytest.approx(28.0 * 7.5)


@pytest.mark.parametrize("factor", [1e-30, 1e-3, 1e6, 1e60])
def test_a_multiple_of_the_kernel_has_the_same_machine(samples, factor):
    K = RBF(0.5)(samples[0])
    one, other = solve_one_class(K, 0.2, tol=1e-8), solve_one_class(factor * K, 0.2, tol=1e-8)
    assert_allclose(other.scores / factor, one.scores, atol=1e-6)
    assert_allclose(other.offset / factor, one.offset, atol=1e-6)


def test_no_tolerance_is_below_the_rounding_of_scores():
    """Scores are sums of Σβ kernel values."""
    assert limit_of(1e-3, 3.0, 10.0, 0.5) == 1e-3 * 2.0
    assert limit_of(1e-3, 0.1, 10.0) == pytest.approx(1e-3 * 0.1)
    assert limit_of(1e-30, 3.0, 1e6) == pytest.approx(ROUNDING * 1e6 * 3.0)


@pytest.mark.parametrize("nu", [0.1, 0.6, 1.0])
@pytest.mark.parametrize("kernel", [RBF(20.0), RBF(0.1), Linear()], ids=str)
def test_without_a_gram_matrix_everything_about_the_solution_is_the_same(samples, kernel, nu):
    X, weight = samples
    by_rows = solve_one_class_by_rows(kernel, X, nu, sample_weight=weight, tol=TOL)
    exact = solve_one_class(kernel(X), nu, sample_weight=weight, tol=TOL)
    for name in ("scores", "offset", "low", "high", "objective"):
        assert_allclose(getattr(by_rows, name), getattr(exact, name), rtol=1e-6, atol=1e-7, err_msg=name)
    assert by_rows.converged
    assert abs(by_rows.duality_gap) < 1e-6


def test_bad_input_without_a_gram_matrix(samples):
    X = samples[0]
    with pytest.raises(ValueError, match="'nu' of solve_one_class_by_rows must be above 0"):
        solve_one_class_by_rows(RBF(1.0), X, 0.0)
    with pytest.raises(ValueError, match="'tol' of solve_one_class_by_rows"):
        solve_one_class_by_rows(RBF(1.0), X, tol=0.0)


def test_a_weight_of_two_is_a_repeated_row(samples):
    X = samples[0]
    K, w = RBF(0.5)(X), np.repeat([1.0, 2.0], 30)
    rows = np.repeat(np.arange(60), w.astype(int))
    weighted = solve_one_class(K, 0.2, sample_weight=w, tol=TOL)
    repeated = solve_one_class(K[np.ix_(rows, rows)], 0.2, tol=TOL)
    assert_allclose(weighted.scores[rows], repeated.scores, atol=1e-7)
    assert_allclose(weighted.offset, repeated.offset, atol=1e-7)


def test_a_warm_start_saves_steps(samples):
    K = RBF(0.5)(samples[0])
    solution = solve_one_class(K, 0.3, tol=1e-6)
    again = solve_one_class(K, 0.3, tol=1e-6, warm_start=solution.beta)
    assert again.n_iter < solution.n_iter
    assert_allclose(again.scores, solution.scores, atol=1e-5)
    ball = solve_soft_ball(K, 0.3, tol=1e-6)
    assert solve_soft_ball(K, 0.3, tol=1e-6, warm_start=ball.beta).n_iter < ball.n_iter
    with pytest.raises(ValueError, match="warm_start must be 60 finite"):
        solve_one_class(K, 0.3, warm_start=np.zeros(3))


def test_a_path_is_machine_after_machine(samples):
    X, weight = samples
    K, nus = RBF(0.3)(X), [0.5, 0.05, 1.0, 0.2]
    folds = list(KFold(3).split(X))[:2]
    path = one_class_path(K, nus, folds, sample_weight=weight, tol=1e-9, n_jobs=2)
    for k, nu in enumerate(nus):
        alone = solve_one_class(K, nu, sample_weight=weight, tol=1e-9)
        assert_allclose(path.scores[k], alone.scores, atol=1e-7)
        assert_allclose(path.offset[k], alone.offset, atol=1e-7)
        assert_allclose(path.beta[k] @ K, path.scores[k], atol=1e-9)
        for m, (train, test) in enumerate(folds):
            alone = solve_one_class(K[np.ix_(train, train)], nu, sample_weight=weight[train], tol=1e-9)
            assert_allclose(path.held_out_offset[k, m], alone.offset, atol=1e-7)
            held_out = K[np.ix_(test, train)] @ alone.beta - alone.offset
            assert_allclose(path.held_out[k, test], held_out, atol=1e-7)
    assert np.isnan(path.held_out[:, 40:]).all()
    assert_array_equal(path.n_support, (path.beta > 0).sum(axis=1))
    assert_array_equal(path.n_bounded, ((path.beta == weight) & (weight > 0)).sum(axis=1))
    assert path.converged.all()


def test_the_path_reaches_machines_of_each_kind_from_the_one_before(samples):
    """From a narrow kernel, where all coefficients are ν, to a wide one, where nearly all are at a bound."""
    nus = np.linspace(0.02, 0.98, 20)
    for gamma in (1e-3, 0.3, 3.0, 100.0):
        K = RBF(gamma)(samples[0])
        path = one_class_path(K, nus, tol=1e-8)
        for k in (7, 19):
            assert_allclose(path.scores[k], K @ one_class_exactly(K, nus[k], np.ones(60)).beta, atol=1e-6)


@pytest.mark.parametrize("nu", [0.0, 1.5, -0.1, np.nan, "a", True])
def test_nu_is_a_share(nu):
    for solve in (solve_one_class, solve_soft_ball):
        with pytest.raises(ValueError, match=f"'nu' of {solve.__name__} must be"):
            solve(np.eye(3), nu)


def test_bad_input_of_a_path():
    with pytest.raises(ValueError, match="'nu' of one_class_path must be above 0 and at most 1, got 2"):
        one_class_path(np.eye(3), [0.5, 2.0])
    with pytest.raises(ValueError, match="'nus' of one_class_path must be a list of numbers"):
        one_class_path(np.eye(3), [])
    with pytest.raises(ValueError, match="The training part of fold 0 has no sample"):
        one_class_path(np.eye(3), [0.5], [([0], [1, 2])], sample_weight=[0.0, 1.0, 1.0])


def test_an_early_stop_is_no_secret():
    K = RBF(0.5)(np.random.default_rng(0).normal(size=(100, 2)))
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations"):
        assert not solve_one_class(K, 0.1, tol=1e-8, max_iter=1).converged
    with pytest.warns(ConvergenceWarning, match="stopped after 1 iterations"):
        assert not one_class_path(K, [0.1, 0.2], tol=1e-8, max_iter=1).converged.any()


def test_one_sample_and_samples_that_are_alike():
    one = solve_one_class(np.array([[2.0]]), 0.5)
    assert (one.beta[0], one.offset) == (0.5, 1.0)
    alike = solve_one_class(np.ones((4, 4)), 0.5)
    assert_allclose(alike.scores, alike.offset)
