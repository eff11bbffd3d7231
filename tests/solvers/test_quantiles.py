"""Quantile machines against an interior-point method, linear programs and what quantiles are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import QuantileRegressor
from sklearn.model_selection import KFold

from kernelwise.kernels import RBF, Laplacian, Linear
from kernelwise.solvers.regression import RegressionPaths, regression_terms, solve_svr


def noisy(n, seed=0):
    """Targets whose noise grows with the first column."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (n, 2))
    return X, np.sin(2.0 * X[:, 0]) + (0.2 + 0.3 * (X[:, 0] + 2.0)) * rng.normal(size=n)


def pinball(residual, quantile):
    return np.maximum(quantile * residual, (quantile - 1.0) * residual)


def primal(K, y, C, weight, quantile, beta, intercept):
    return 0.5 * beta @ K @ beta + C * weight @ pinball(y - K @ beta - intercept, quantile)


def solve_exactly(K, y, C, weight, quantile):
    """β by a primal-dual interior-point method, whose steps are linear systems of NumPy."""
    n, ones = len(y), np.ones(len(y))
    lo, hi = -C * weight * (1.0 - quantile), C * weight * quantile
    beta, offset, low, high = np.zeros(n), 0.0, np.ones(n), np.ones(n)
    for _ in range(100):
        above, below = beta - lo, hi - beta
        target = 0.1 * (low @ above + high @ below) / (2 * n)
        curved = K + np.diag(low / above + high / below)
        slope = y - K @ beta - offset + target / above - target / below
        system = np.block([[curved, ones[:, None]], [ones, 0.0]])
        *step, by_offset = np.linalg.solve(system, np.append(slope, -beta.sum()))
        step = np.array(step)
        by_low, by_high = (
            target / above - low - low / above * step,
            target / below - high + high / below * step,
        )
        pairs = ((above, step), (below, -step), (low, by_low), (high, by_high))
        length = min(1.0, 0.99 * min((-v / d)[d < 0.0].min(initial=np.inf) for v, d in pairs))
        beta, offset = beta + length * step, offset + length * by_offset
        low, high = low + length * by_low, high + length * by_high
        if target < 1e-14:
            break
    return beta


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("C", [0.3, 10.0])
def test_machines_are_those_of_an_interior_point_method(quantile, C):
    X, y = noisy(60)
    weight = np.random.default_rng(1).uniform(0.2, 3.0, 60)
    K = RBF(0.5)(X)
    ours = solve_svr(RBF(0.5), X, y, C, quantile=quantile, sample_weight=weight, tol=1e-9)
    theirs = solve_exactly(K, y, C, weight, quantile)
    np.testing.assert_allclose(K @ ours.beta, K @ theirs, atol=1e-6)
    assert ours.objective == pytest.approx(0.5 * theirs @ K @ theirs - y @ theirs, rel=1e-6)
    value = primal(K, y, C, weight, quantile, ours.beta, ours.intercept)
    assert ours.duality_gap == pytest.approx(value + ours.objective, abs=1e-9)
    assert value + ours.objective == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("quantile", [0.2, 0.5, 0.8])
def test_a_large_C_is_linear_quantile_regression(quantile):
    """Without a penalty, the linear kernel has the loss of scikit-learn's linear program."""
    X, y = noisy(80)
    ours = solve_svr(Linear(), X, y, 1e4, quantile=quantile, tol=1e-9)
    theirs = QuantileRegressor(quantile=quantile, alpha=0.0).fit(X, y)
    mine = Linear()(X) @ ours.beta + ours.intercept
    found, least = (pinball(y - one, quantile).sum() for one in (mine, theirs.predict(X)))
    assert found == pytest.approx(least, rel=1e-6)
    np.testing.assert_allclose(mine, theirs.predict(X), atol=1e-4)


@pytest.mark.parametrize("quantile", [0.05, 0.3, 0.75, 0.95])
def test_so_many_rows_lie_below(quantile):
    """At most a share q of the weight lies below the prediction, and at most 1 − q above it."""
    X, y = noisy(400)
    weight = np.random.default_rng(2).integers(1, 4, 400).astype(float)
    found = solve_svr(RBF(0.5), X, y, 1.0, quantile=quantile, sample_weight=weight, tol=1e-6)
    residual = y - RBF(0.5)(X) @ found.beta - found.intercept
    below, above = (weight[side].sum() / weight.sum() for side in (residual < -1e-5, residual > 1e-5))
    assert below <= quantile
    assert above <= 1.0 - quantile
    assert below == pytest.approx(quantile, abs=0.05)


def test_a_mirrored_target_has_the_mirrored_quantile():
    X, y = noisy(100)
    found = solve_svr(RBF(0.5), X, y, 2.0, quantile=0.8)
    mirrored = solve_svr(RBF(0.5), X, -y, 2.0, quantile=1.0 - 0.8)
    np.testing.assert_allclose(found.beta, -mirrored.beta, atol=1e-12)
    assert found.intercept == pytest.approx(-mirrored.intercept, abs=1e-12)


def test_the_median_is_a_machine_without_epsilon():
    X, y = noisy(100)
    half = solve_svr(RBF(0.5), X, y, 2.0, quantile=0.5, tol=1e-9)
    whole = solve_svr(RBF(0.5), X, y, 1.0, 0.0, tol=1e-9)
    np.testing.assert_allclose(half.beta, whole.beta, atol=1e-8)


def test_copies_are_weights():
    X, y = noisy(60)
    copies = np.random.default_rng(3).integers(1, 4, 60)
    kernel, how = RBF(0.5), {"C": 3.0, "quantile": 0.9, "tol": 1e-9}
    many = solve_svr(kernel, np.repeat(X, copies, axis=0), np.repeat(y, copies), **how)
    once = solve_svr(kernel, X, y, sample_weight=copies, **how)
    K = kernel(np.repeat(X, copies, axis=0), X)
    np.testing.assert_allclose(
        kernel(X, np.repeat(X, copies, axis=0)) @ many.beta + many.intercept,
        K[np.cumsum(copies) - 1] @ once.beta + once.intercept,
        atol=1e-6,
    )


def test_many_rows_are_solved_in_working_sets():
    """More rows than one working set holds, in single precision at first."""
    X, y = noisy(3000)
    found = solve_svr(RBF(0.5), X, y, 1.0, quantile=0.9, tol=1e-4)
    assert found.converged
    assert found.duality_gap < 1e-4 * abs(found.objective)


@pytest.mark.parametrize("kernel", [RBF(0.5), Laplacian(0.5), RBF(30.0)])
@pytest.mark.parametrize("epsilon", [0.0, 0.2])
def test_paths_are_single_machines(kernel, epsilon):
    """Machines of several quantiles, weights and folds along C, from warm starts; and one with a small ε."""
    X, y = noisy(90)
    weight = np.random.default_rng(4).uniform(0.5, 2.0, 90)
    folds, Cs = list(KFold(3, shuffle=True, random_state=0).split(X)), 4.0 ** np.arange(-3, 5)
    quantiles = (0.1, 0.5, 0.9) if epsilon == 0.0 else ()
    paths = RegressionPaths(y, folds, weight, quantiles=quantiles)
    path, tables = paths.solve(kernel(X), Cs, epsilon=epsilon, tol=1e-9)
    assert tables["converged"].all()
    decision = path.decision.reshape(len(Cs), len(y), -1)
    for m, quantile in enumerate(quantiles or (None,)):
        for k, (train, test) in enumerate(folds):
            for c, C in enumerate(Cs):
                how = {"quantile": quantile, "sample_weight": weight[train], "tol": 1e-9}
                one = solve_svr(kernel, X[train], y[train], C, epsilon, **how)
                assert path.objective[c, k, m] == pytest.approx(one.objective, rel=1e-7, abs=1e-9)
                expected = kernel(X[test], X[train]) @ one.beta
                n_free = path.n_support[c, k, m] - path.n_bounded[c, k, m]
                if n_free:  # else any offset between two targets is as good
                    np.testing.assert_allclose(decision[c, test, m], expected + one.intercept, atol=1e-5)


def test_a_path_ends_where_no_coefficient_is_bounded():
    """A narrow kernel interpolates, whatever the quantile."""
    X, y = noisy(60)
    folds = list(KFold(3).split(X))
    paths = RegressionPaths(y, folds, np.ones(60), quantiles=(0.3,))
    path, _ = paths.solve(RBF(50.0)(X), np.array([0.1, 100.0, 1e4]), epsilon=0.0, tol=1e-6)
    assert path.n_bounded[0].all()
    assert not path.n_bounded[1:].any()
    assert not path.n_iter[2].any()
    np.testing.assert_array_equal(path.decision[1], path.decision[2])


def test_a_constant_target_is_predicted():
    X, _ = noisy(20)
    found = solve_svr(RBF(0.5), X, np.full(20, 3.0), quantile=0.9)
    np.testing.assert_allclose(found.beta, 0.0)
    assert found.intercept == 3.0


def test_terms():
    y = np.array([1.0, 2.0])
    of_quantile = regression_terms(y, 0.5, 0.75)
    np.testing.assert_array_equal(of_quantile[:3], [y, [-0.25, -0.25], [0.75, 0.75]])
    mirrored = regression_terms(-y, 0.0, 0.75)
    np.testing.assert_array_equal(mirrored[:3], [y, [-0.75, -0.75], [0.25, 0.25]])
    assert mirrored.turn == -1.0


@pytest.mark.parametrize("quantile", [0.0, 1.0, -1.0, np.nan, "half", True])
def test_wrong_quantiles_are_refused(quantile):
    with pytest.raises(ValueError, match="'quantile' of solve_svr must be between 0 and 1"):
        solve_svr(RBF(0.1), np.ones((2, 1)), [1.0, 2.0], quantile=quantile)
