"""Support vector regression against LIBSVM, its optimality conditions and closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold
from sklearn.preprocessing import scale
from sklearn.svm import SVR

from kernelwise import TunedSVR
from kernelwise.kernels import RBF, KernelSum, Laplacian, Linear
from kernelwise.solvers.kernel_rows import KernelRows
from kernelwise.solvers.path_problem import warn_of_worst
from kernelwise.solvers.regression import RegressionPaths, TwinRows, regression_terms, solve_svr
from tests.test_invariances import drawn, many, seeds


def svr_path(K, y, Cs, folds, *, epsilon=0.1, sample_weight=None, tol=1e-3, **how):
    weight = np.ones(len(y)) if sample_weight is None else sample_weight
    paths = RegressionPaths(np.asarray(y, float), list(folds), weight)
    path, tables = paths.solve(K, np.asarray(Cs), epsilon=epsilon, tol=tol, **how)
    warn_of_worst(tables, tol)
    return path


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return scale(X)[:200], scale(y)[:200]


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(0).uniform(0.2, 3.0, 200)


def libsvm_rounding(beta):
    """LIBSVM keeps kernel values in single precision: what that may do to a prediction."""
    return np.finfo(np.float32).eps * np.abs(beta).sum()


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize(("gamma", "C", "epsilon"), [(0.1, 1.0, 0.1), (0.01, 100.0, 0.5), (1.0, 10.0, 0.0)])
def test_predictions_equal_libsvm(diabetes, weights, gamma, C, epsilon, is_weighted):
    X, y = diabetes
    w = weights if is_weighted else None
    ours = solve_svr(RBF(gamma), X, y, C, epsilon, sample_weight=w, tol=1e-10)
    theirs = SVR(gamma=gamma, C=C, epsilon=epsilon, tol=1e-10).fit(X, y, sample_weight=w)
    predicted = RBF(gamma)(X) @ ours.beta + ours.intercept
    np.testing.assert_allclose(predicted, theirs.predict(X), atol=libsvm_rounding(ours.beta))


@pytest.mark.parametrize(("C", "epsilon"), [(1.0, 0.1), (30.0, 0.3)])
def test_solution_meets_the_optimality_conditions(diabetes, weights, C, epsilon):
    X, y = diabetes
    K = RBF(0.1)(X)
    found = solve_svr(RBF(0.1), X, y, C, epsilon, sample_weight=weights, tol=1e-9)
    residual, bound = y - K @ found.beta - found.intercept, C * weights
    assert abs(found.beta.sum()) < 1e-9
    assert (np.abs(found.beta) <= bound).all()
    inside, outside = np.abs(residual) < epsilon - 1e-8, np.abs(residual) > epsilon + 1e-8
    assert inside.any()
    assert outside.any()
    np.testing.assert_array_equal(found.beta[inside], 0.0)
    np.testing.assert_allclose(found.beta[outside], (bound * np.sign(residual))[outside], rtol=1e-12)
    objective = 0.5 * found.beta @ K @ found.beta - y @ found.beta + epsilon * np.abs(found.beta).sum()
    assert found.objective == pytest.approx(objective, rel=1e-9)
    primal = 0.5 * found.beta @ K @ found.beta + bound @ np.maximum(0.0, np.abs(residual) - epsilon)
    assert found.duality_gap == pytest.approx(primal + objective, abs=1e-7)
    assert 0.0 <= found.duality_gap + 1e-9 < 1e-5


def test_two_points_and_a_line_have_a_closed_form():
    """The flattest line within ε of (−1, −1) and (1, 1) has slope 1 − ε: coefficients of half that."""
    X = np.array([[-1.0], [1.0]])
    found = solve_svr(Linear(), X, [-1.0, 1.0], C=10.0, epsilon=0.2)
    np.testing.assert_allclose(found.beta, [-0.4, 0.4], atol=1e-12)
    assert found.intercept == pytest.approx(0.0, abs=1e-12)


def test_one_sample_is_predicted_as_it_is():
    found = solve_svr(Linear(), np.ones((1, 1)), [3.0])
    assert (found.beta[0], found.intercept) == (0.0, 3.0)


def test_a_weight_of_two_is_a_repeated_row(diabetes):
    X, y = diabetes
    copies = np.arange(len(y)) % 3
    twice = solve_svr(RBF(0.1), np.repeat(X, copies, axis=0), np.repeat(y, copies), 3.0, tol=1e-9)
    once = solve_svr(RBF(0.1), X, y, 3.0, sample_weight=copies, tol=1e-9)
    repeated = RBF(0.1)(X, np.repeat(X, copies, axis=0)) @ twice.beta + twice.intercept
    np.testing.assert_allclose(RBF(0.1)(X) @ once.beta + once.intercept, repeated, atol=1e-7)


def test_twin_rows_are_those_of_the_doubled_matrix(diabetes):
    X, _ = diabetes
    K = np.tile(RBF(0.1)(X), (2, 2))
    rows = TwinRows(KernelRows(RBF(0.1), X, 2**20))
    indices, change = np.array([3, 203, 7, 399]), np.array([1.0, -2.0, 0.5, 3.0])
    np.testing.assert_allclose(rows.square(indices), K[np.ix_(indices, indices)], rtol=1e-12)
    for columns in (slice(None), np.array([0, 5, 205, 390])):
        f = np.zeros(400)
        rows.subtract(indices, change, f, columns)
        expected = np.zeros(400)
        expected[columns] = -(change @ K[indices])[columns]
        np.testing.assert_allclose(f, expected, atol=1e-12)


@pytest.mark.parametrize("kernel", [RBF(0.1), KernelSum([RBF(0.1), Laplacian(0.05), RBF(0.01)])])
def test_single_precision_has_the_solution_of_double(kernel, diabetes):
    X, y = diabetes
    y = (y - y.mean()) / y.std()
    ours, exact = (solve_svr(kernel, X, y, 3.0, tol=tol) for tol in (1e-3, 1e-9))
    assert ours.converged
    assert ours.objective == pytest.approx(exact.objective, rel=1e-5)
    K = kernel(X)
    np.testing.assert_allclose(K @ ours.beta + ours.intercept, K @ exact.beta + exact.intercept, atol=3e-3)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("gamma", [0.001, 0.1])
def test_held_out_predictions_of_the_path_are_those_of_single_machines(diabetes, weights, gamma, n_jobs):
    X, y = diabetes
    kernel, Cs, epsilon = RBF(gamma), [100.0, 0.1, 3.0], 0.2
    folds = list(KFold(4).split(X))
    path = svr_path(kernel(X), y, Cs, folds, epsilon=epsilon, sample_weight=weights, tol=1e-9, n_jobs=n_jobs)
    assert path.converged.all()
    for k, C in enumerate(Cs):
        for s, (train, test) in enumerate(folds):
            ours = solve_svr(kernel, X[train], y[train], C, epsilon, sample_weight=weights[train], tol=1e-9)
            expected = kernel(X[test], X[train]) @ ours.beta + ours.intercept
            np.testing.assert_allclose(path.decision[k, test], expected, atol=1e-7)
            assert path.objective[k, s, 0] == pytest.approx(ours.objective, rel=1e-9)
            assert path.n_support[k, s, 0] == np.count_nonzero(ours.beta)
            libsvm = SVR(gamma=gamma, C=C, epsilon=epsilon, tol=1e-9)
            libsvm.fit(X[train], y[train], sample_weight=weights[train])
            np.testing.assert_allclose(
                path.decision[k, test], libsvm.predict(X[test]), atol=libsvm_rounding(ours.beta)
            )


def test_path_goes_on_where_no_coefficient_is_bounded(diabetes):
    """A narrow kernel interpolates: from some C on nothing changes, and the path says so."""
    X, y = diabetes
    K = RBF(5.0)(X)
    path = svr_path(K, y, [1.0, 50.0, 5000.0], list(KFold(3).split(X)), tol=1e-6)
    assert path.n_bounded[0].any()
    assert not path.n_bounded[1:].any()
    np.testing.assert_array_equal(path.decision[1], path.decision[2])


def test_twins():
    p, lo, hi, _ = regression_terms(np.array([1.0, 2.0]), 0.5)
    np.testing.assert_array_equal(p, [0.5, 1.5, 1.5, 2.5])
    np.testing.assert_array_equal([lo, hi], [[0.0, 0.0, -1.0, -1.0], [1.0, 1.0, 0.0, 0.0]])


def test_early_stop_is_said(diabetes):
    X, y = diabetes
    with pytest.warns(ConvergenceWarning, match="stopped after"):
        solve_svr(RBF(0.1), X, y, 100.0, tol=1e-6, max_iter=5)
    with pytest.warns(ConvergenceWarning, match="stopped after"):
        svr_path(RBF(0.1)(X), y, [100.0], [(np.arange(100), np.arange(100, 200))], tol=1e-6, max_iter=5)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"C": -1.0}, "'C' of solve_svr must be a positive float"),
        ({"epsilon": -0.1}, "'epsilon' of solve_svr must not be negative"),
        ({"y": ["a", "b"]}, "y must be one number per sample"),
        ({"y": [1.0, np.nan]}, "y contains nan in row 1"),
        ({"y": [1.0]}, "y has 1 number for 2 samples"),
        ({"tol": 0.0}, "'tol' of solve_svr must be a positive float"),
    ],
)
def test_bad_input_gets_one_sentence(change, message):
    arguments = {"kernel": Linear(), "X": np.eye(2), "y": [0.0, 1.0], **change}
    with pytest.raises(ValueError, match=message):
        solve_svr(**arguments)


def test_a_search_refuses_folds_that_train_on_what_they_hold_out(diabetes):
    with pytest.raises(ValueError, match="Fold 0 of 'cv' trains on sample 100 and holds it out, too"):
        TunedSVR("rbf", cv=[(np.arange(150), np.arange(100, 200))]).fit(*diabetes)


@many
@given(seeds, st.lists(st.floats(0.01, 1e3), min_size=1, max_size=4, unique=True), st.floats(0.0, 1.0))
def test_a_path_of_regression_is_its_single_machines(seed, Cs, epsilon):
    _, X, _, targets, weight = drawn(seed, n=24)
    kernel, test = RBF(0.3), np.arange(24) % 4 == 0
    train = np.flatnonzero(~test)
    folds, options = [(train, np.flatnonzero(test))], {"epsilon": epsilon, "tol": 1e-9}
    path, _ = RegressionPaths(targets, folds, weight).solve(kernel(X), np.array(Cs), **options)
    for k, C in enumerate(Cs):
        alone = solve_svr(kernel, X[train], targets[train], C, sample_weight=weight[train], **options)
        assert path.objective[k, 0, 0] == pytest.approx(alone.objective, rel=1e-6, abs=1e-9)
        # All machines with the least objective differ by a constant at most.
        found, expected = path.decision[k, test], kernel(X[test], X[train]) @ alone.beta
        np.testing.assert_allclose(found - found[0], expected - expected[0], atol=1e-5)
