"""The linear machine against scikit-learn's, a general minimiser and itself in other block sizes."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVC, LinearSVR

from kernelwise import large as blocks_module
from kernelwise.kernels import KMOD, RBF, KernelSum, Laplacian
from kernelwise.large import (
    DenseBlocks,
    LinearMachine,
    MappedBlocks,
    NystroemMap,
    linear_path,
    squared_epsilon_insensitive,
)


@pytest.fixture
def problem():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((300, 8)) * np.geomspace(0.1, 3.0, 8)
    y = np.where(X @ rng.standard_normal(8) + rng.standard_normal(300) > 0.7, 1.0, -1.0)
    return X, y, rng.uniform(0.2, 3.0, 300)


def cost(v, X, y, weight, C):
    slack = np.maximum(1.0 - y * (X @ v[:-1] + v[-1]), 0.0)
    pull = -2.0 * C * weight * y * slack
    return v[:-1] @ v[:-1] / 2.0 + C * weight @ slack**2, np.append(v[:-1] + X.T @ pull, pull.sum())


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_solution_is_that_of_a_general_minimiser(problem, C):
    X, y, weight = problem
    found = LinearMachine(DenseBlocks(X), y, weight).solve(C)
    value, gradient = cost(found.coefficients, X, y, weight, C)
    assert found.converged
    assert_allclose(found.objective, value, rtol=1e-12)
    assert np.abs(gradient).max() < 1e-8 * np.abs(cost(np.zeros(9), X, y, weight, C)[1]).max()
    options = {"gtol": 1e-13, "ftol": 1e-15, "maxiter": 10000, "maxfun": 10000, "maxcor": 30}
    other = minimize(cost, np.zeros(9), (X, y, weight, C), "L-BFGS-B", jac=True, options=options)
    assert found.objective <= other.fun * (1.0 + 1e-12)
    assert_allclose(found.coefficients, other.x, rtol=1e-5, atol=1e-6)
    assert_allclose(found.values, X @ found.coefficients[:-1] + found.coefficients[-1], atol=1e-9)


def test_solution_is_that_of_scikit_learn(problem):
    X, y, weight = problem
    found = LinearMachine(DenseBlocks(X), y, weight).solve(0.5)
    # Its offset is regularised, by less the larger the scaling.
    peer = LinearSVC(C=0.5, dual=False, intercept_scaling=1e4, tol=1e-12, max_iter=10000)
    peer.fit(X, y, sample_weight=weight)
    assert_allclose(found.coefficients, np.append(peer.coef_, peer.intercept_), rtol=1e-6, atol=1e-6)


def test_path_has_the_solutions_from_cold_starts(problem):
    X, y, weight = problem
    Cs = 4.0 ** np.arange(-4, 5)
    path = linear_path(DenseBlocks(X), y, Cs, weight)
    cold = [LinearMachine(DenseBlocks(X), y, weight).solve(C) for C in Cs]
    for warm, other in zip(path, cold, strict=True):
        assert_allclose(warm.coefficients, other.coefficients, rtol=1e-7, atol=1e-8)
    assert sum(one.n_iter for one in path) < sum(one.n_iter for one in cold)


def test_rows_of_weight_zero_are_held_out_and_can_come_in_later(problem):
    X, y, weight = problem
    held_out = np.arange(300) % 5 == 0
    machine = LinearMachine(DenseBlocks(X), y, np.where(held_out, 0.0, weight))
    part = machine.solve(1.0)
    alone = LinearMachine(DenseBlocks(X[~held_out]), y[~held_out], weight[~held_out]).solve(1.0)
    assert_allclose(part.coefficients, alone.coefficients, rtol=1e-9)
    assert_allclose(part.values[held_out], X[held_out] @ alone.coefficients[:-1] + alone.coefficients[-1])
    machine.weight = weight
    whole = LinearMachine(DenseBlocks(X), y, weight, start=part.coefficients).solve(1.0)
    assert_allclose(machine.solve(1.0).coefficients, whole.coefficients, rtol=1e-9)
    assert not np.allclose(whole.coefficients, part.coefficients)


def test_an_integer_weight_is_a_repeated_row(problem):
    X, y, _ = problem
    copies = np.arange(300) % 3
    weighted = LinearMachine(DenseBlocks(X), y, copies).solve(2.0)
    repeated = LinearMachine(DenseBlocks(np.repeat(X, copies, axis=0)), np.repeat(y, copies)).solve(2.0)
    assert_allclose(weighted.coefficients, repeated.coefficients, rtol=1e-9)


def test_blocks_do_not_change_the_solution(problem, monkeypatch):
    X, y, weight = problem
    whole = LinearMachine(DenseBlocks(X), y, weight).solve(1.0)
    monkeypatch.setattr(blocks_module, "ROWS", 7)
    assert_allclose(LinearMachine(DenseBlocks(X), y, weight).solve(1.0).coefficients, whole.coefficients)
    mapped = MappedBlocks(lambda Z: Z, X[:, ::-1], np.eye(8)[::-1])
    assert_allclose(LinearMachine(mapped, y, weight).solve(1.0).coefficients, whole.coefficients)


def test_sums_over_blocks_are_matrix_products(problem, monkeypatch):
    X, y, weight = problem
    monkeypatch.setattr(blocks_module, "ROWS", 7)
    Phi, signed = np.column_stack([X, np.ones(300)]), np.where(weight > 1.0, y * weight, 0.0)
    for blocks in (DenseBlocks(X), MappedBlocks(lambda Z: Z, X[:, ::-1], np.eye(8)[::-1])):
        assert_allclose(blocks.apply(np.arange(9.0)), Phi @ np.arange(9.0))
        assert_allclose(blocks.dot(signed), Phi.T @ signed, atol=1e-10)
        assert_allclose(blocks.square(signed), (Phi.T * signed) @ Phi, atol=1e-10)


def test_single_precision_features_are_summed_in_double(problem):
    X, y, weight = problem
    rounded = X.astype(np.float32)
    single = LinearMachine(DenseBlocks(rounded), y, weight).solve(10.0)
    double = LinearMachine(DenseBlocks(rounded.astype(float)), y, weight).solve(10.0)
    assert single.converged
    assert_allclose(single.coefficients, double.coefficients, rtol=1e-5)


def test_one_class_has_a_constant_machine():
    X = np.random.default_rng(0).standard_normal((20, 3))
    found = LinearMachine(DenseBlocks(X), np.ones(20)).solve(1.0)
    assert_allclose(found.coefficients[:-1], 0.0, atol=1e-9)
    assert found.objective < 1e-12


def test_an_early_stop_warns(problem):
    X, y, weight = problem
    with pytest.warns(ConvergenceWarning, match="stopped after 1 Newton steps at C = 100"):
        found = LinearMachine(DenseBlocks(X), y, weight).solve(100.0, max_iter=1)
    assert not found.converged
    assert found.n_iter == 1


def test_a_C_beyond_double_precision_is_refused(problem):
    X, y, _ = problem
    with pytest.raises(ValueError, match=r"C = 1e\+30 .* Lower C, or scale the features"):
        LinearMachine(DenseBlocks(np.column_stack([X, X])), y).solve(1e30)


# -- the squared ε-insensitive loss ---------------------------------------------------------------------
@pytest.fixture
def regression():
    rng = np.random.default_rng(5)
    X = rng.standard_normal((300, 8)) * np.geomspace(0.1, 3.0, 8)
    y = X @ rng.standard_normal(8) + rng.standard_normal(300) + 7.0
    return X, y, rng.uniform(0.2, 3.0, 300)


def tube_cost(v, X, y, weight, C, epsilon):
    residual = y - X @ v[:-1] - v[-1]
    excess = np.maximum(np.abs(residual) - epsilon, 0.0)
    pull = -2.0 * C * weight * np.sign(residual) * excess
    return v[:-1] @ v[:-1] / 2.0 + C * weight @ excess**2, np.append(v[:-1] + X.T @ pull, pull.sum())


def trained(X, y, weight, C, epsilon):
    loss = partial(squared_epsilon_insensitive, epsilon=epsilon)
    return LinearMachine(DenseBlocks(X), y, weight, loss=loss).solve(C)


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_regression_is_that_of_a_general_minimiser(regression, C, epsilon):
    X, y, weight = regression
    found = trained(X, y, weight, C, epsilon)
    value, gradient = tube_cost(found.coefficients, X, y, weight, C, epsilon)
    assert found.converged
    assert_allclose(found.objective, value, rtol=1e-12)
    assert np.abs(gradient).max() < 1e-8 * np.abs(tube_cost(np.zeros(9), X, y, weight, C, epsilon)[1]).max()
    options = {"gtol": 1e-13, "ftol": 1e-15, "maxiter": 10000, "maxfun": 10000, "maxcor": 30}
    arguments = (X, y, weight, C, epsilon)
    other = minimize(tube_cost, np.zeros(9), arguments, "L-BFGS-B", jac=True, options=options)
    assert found.objective <= other.fun * (1.0 + 1e-12)
    assert_allclose(found.coefficients, other.x, rtol=1e-4, atol=1e-5)
    assert_allclose(found.values, X @ found.coefficients[:-1] + found.coefficients[-1], atol=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_gradient_of_the_regression_is_that_of_central_differences(regression, epsilon):
    X, y, weight = regression
    loss = partial(squared_epsilon_insensitive, epsilon=epsilon)
    blocks = DenseBlocks(X)

    def objective_and_gradient(v):
        machine = LinearMachine(blocks, y, weight, v, loss)
        inside, excess = loss(y - machine.values, y)
        gradient = machine._gradient_and_matrix(weight * inside, excess, 0.7)
        return machine._objective(excess, 0.7), gradient

    v = np.random.default_rng(1).standard_normal(9)
    gradient = objective_and_gradient(v)[1]
    step = 1e-5
    for k, unit in enumerate(np.eye(9)):
        up, down = (objective_and_gradient(v + sign * step * unit)[0] for sign in (1.0, -1.0))
        assert_allclose(gradient[k], (up - down) / (2.0 * step), rtol=1e-6, atol=1e-5)


def test_regression_is_no_worse_than_scikit_learn(regression):
    X, y, weight = regression
    found = trained(X, y, weight, 0.5, 0.3)
    # Its offset is regularised, by less the larger the scaling.
    peer = LinearSVR(C=0.5, epsilon=0.3, loss="squared_epsilon_insensitive", dual=False, tol=1e-12)
    peer.set_params(intercept_scaling=1e4, max_iter=10000).fit(X, y, sample_weight=weight)
    theirs = tube_cost(np.append(peer.coef_, peer.intercept_), X, y, weight, 0.5, 0.3)[0]
    assert found.objective <= theirs <= found.objective * (1.0 + 1e-9)


def test_without_a_tube_it_is_ridge_regression(regression):
    X, y, weight = regression
    found = trained(X, y, weight, 0.5, 0.0)
    peer = Ridge(alpha=1.0 / (2.0 * 0.5)).fit(X, y, sample_weight=weight)
    assert_allclose(found.coefficients, np.append(peer.coef_, peer.intercept_), rtol=1e-9)
    assert found.n_iter == 1  # the objective is quadratic


def test_path_of_the_regression_has_the_solutions_from_cold_starts(regression):
    X, y, weight = regression
    Cs = 4.0 ** np.arange(-4, 5)
    loss = partial(squared_epsilon_insensitive, epsilon=0.5)
    path = linear_path(DenseBlocks(X), y, Cs, weight, loss)
    for warm in path:
        assert_allclose(
            warm.coefficients, trained(X, y, weight, warm.C, 0.5).coefficients, rtol=1e-7, atol=1e-8
        )


@pytest.mark.parametrize("y", [0.0, 1.0, 1e6, -1e-3])
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_constant_targets_have_a_constant_machine(y, epsilon):
    X = np.random.default_rng(0).standard_normal((20, 3))
    found = trained(X, np.full(20, y), None, 1.0, epsilon)
    assert found.converged
    assert np.abs(found.values - y).max() <= epsilon + 1e-9 * abs(y)


def test_targets_within_the_tube_need_no_weights():
    X = np.random.default_rng(0).standard_normal((20, 3))
    found = trained(X, np.linspace(4.9, 5.1, 20), None, 1.0, 0.5)
    assert_allclose(found.coefficients[:-1], 0.0, atol=1e-9)
    assert found.objective < 1e-15


def test_features_are_computed_again_where_memory_is_short(monkeypatch):
    X = np.random.default_rng(0).normal(size=(3500, 2))
    map_ = NystroemMap.from_landmarks(RBF(), X[:50])
    assert isinstance(map_.blocks(X, 4096), DenseBlocks)
    monkeypatch.setattr("kernelwise._core.memory.available_memory", lambda: 0.5 * 2**20)
    assert isinstance(map_.blocks(X, 4096), MappedBlocks)


@pytest.mark.parametrize("kernel", [RBF(0.3), Laplacian(0.2), KernelSum([RBF(0.1), Laplacian(0.3)]), KMOD()])
def test_features_in_single_precision_are_those_of_brute_force(kernel, monkeypatch):
    """Streamed or kept, in blocks that do not fit, of rows that are few and far out, too."""
    X = np.random.default_rng(0).normal(size=(301, 3))
    X[-1] *= 1e4
    map_ = NystroemMap.from_landmarks(kernel, X[:20])
    exact = kernel(X, X[:20]) @ map_.normalization
    monkeypatch.setattr(blocks_module, "DOUBLE", 0)
    monkeypatch.setattr(blocks_module, "ROWS", 50)
    kept = map_.blocks(X, 4096)
    monkeypatch.setattr(blocks_module, "KEPT", 0)
    streamed = map_.blocks(X, 4096)
    assert (type(kept), type(streamed)) == (DenseBlocks, MappedBlocks)
    weight, v = np.linspace(-1.0, 2.0, 301), np.linspace(-1.0, 1.0, map_.rank + 1)
    Phi = np.column_stack([exact, np.ones(301)])
    largest = np.abs(map_.normalization).sum(axis=0).max()  # what rounding of kernel values becomes
    for blocks in (kept, streamed):
        assert blocks.rows(slice(0, 301)).dtype == np.float32
        assert_allclose(blocks.rows(slice(298, 301)), exact[298:], atol=1e-6 * largest)
        assert_allclose(blocks.apply(v), Phi @ v, atol=1e-5 * largest)
        assert_allclose(blocks.dot(weight), Phi.T @ weight, atol=1e-4 * largest)
        assert_allclose(blocks.square(weight), (Phi.T * weight) @ Phi, atol=1e-4 * largest)


def test_clusters_too_far_apart_for_single_precision_have_values_in_double():
    X = np.random.default_rng(0).normal(size=(200, 3)) + np.where(np.arange(200) % 2, 1e5, -1e5)[:, None]
    map_ = NystroemMap.from_landmarks(RBF(0.3), X[:30])
    assert_allclose(map_.values(X, np.dtype(np.float32)), RBF(0.3)(X, X[:30]), atol=1e-6)


def test_a_machine_on_streamed_features_is_the_best_one_of_their_kernel_values(monkeypatch):
    """Single precision changes kernel values, and how fast Newton's method is, but not where it ends."""
    monkeypatch.setattr(blocks_module, "DOUBLE", 0)
    monkeypatch.setattr(blocks_module, "KEPT", 0)
    monkeypatch.setattr(blocks_module, "ROWS", 64)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(700, 3))
    y = np.where(np.sin(2.0 * X[:, 0]) + X[:, 1] + 0.5 * rng.normal(size=700) > 0.0, 1.0, -1.0)
    map_, weight, C = NystroemMap.from_landmarks(RBF(0.3), X[:30]), rng.uniform(0.5, 2.0, 700), 3.0
    heights, values = [], map_.values

    def counted(Z, dtype):
        heights.append(len(Z))
        return values(Z, dtype)

    monkeypatch.setattr(NystroemMap, "values", lambda _, Z, dtype=float: counted(Z, dtype))
    machine = LinearMachine(map_.blocks(X, 4096), y, weight)
    found = machine.solve(C, tol=1e-13)
    assert max(heights) <= 64  # more rows take more blocks, and no more memory
    Phi = values(X, np.dtype(np.float32)).astype(float) @ map_.normalization
    options = {"gtol": 1e-13, "ftol": 1e-15, "maxiter": 10000, "maxfun": 10000, "maxcor": 30}
    start = np.zeros(map_.rank + 1)
    other = minimize(cost, start, (Phi, y, weight, C), "L-BFGS-B", jac=True, options=options)
    assert found.converged
    assert_allclose(found.objective, other.fun, rtol=1e-10)
    assert_allclose(found.values, Phi @ other.x[:-1] + other.x[-1], atol=1e-5)
    gradients = [np.abs(cost(v, Phi, y, weight, C)[1]).max() for v in (found.coefficients, start)]
    assert gradients[0] < 1e-6 * gradients[1]
    few = LinearMachine(map_.blocks(X, 4096), y, weight).solve(C)
    assert_allclose(few.values, found.values, atol=1e-4)
    assert few.n_iter <= found.n_iter
