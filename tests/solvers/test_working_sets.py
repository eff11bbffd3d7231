"""Machines trained by working sets, without a Gram matrix."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from kernelwise.kernels import (
    KMOD,
    RBF,
    DiagonalGaussian,
    DiagonalLaplacian,
    ExponentialRBF,
    Gaussian,
    KernelSum,
    Laplacian,
    Polynomial,
)
from kernelwise.solvers import solve_svm_dual
from kernelwise.solvers import working_sets as decomposition
from kernelwise.solvers.kernel_rows import SQUARES, KernelRows, NativeRows, can_be_native
from kernelwise.solvers.working_sets import solve_svm_by_rows


@pytest.fixture(scope="module")
def overlapping():
    random = np.random.default_rng(5)
    X = random.normal(size=(900, 6))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.7 * random.normal(size=900) > 0.3, 1, -1)
    return X, y


@pytest.mark.parametrize("C", [0.1, 1.0, 100.0])
@pytest.mark.parametrize(
    "kernel", [RBF(0.2), Gaussian(np.diag([1.0, 2.0, 0.1, 0.1, 0.1, 0.1])), ExponentialRBF(0.5)], ids=repr
)
def test_it_finds_the_solution_of_the_whole_gram_matrix(kernel, C, overlapping):
    X, y = overlapping
    ours = solve_svm_by_rows(kernel, X, y, C, tol=1e-6)
    whole = solve_svm_dual(kernel(X), y, C, tol=1e-6)
    assert ours.converged
    assert ours.objective == pytest.approx(whole.objective, rel=1e-8)
    decision, expected = (kernel(X) @ s.beta + s.intercept for s in (ours, whole))
    np.testing.assert_allclose(decision, expected, atol=2e-5)
    assert abs(ours.beta.sum()) <= 1e-9 * np.abs(ours.beta).sum()
    np.testing.assert_allclose(ours.gradient, y - kernel(X) @ ours.beta, atol=1e-9)
    assert 0 <= ours.duality_gap <= 1e-3 * abs(ours.objective)


def test_single_precision_rows_stop_within_the_tolerance(overlapping):
    X, y = overlapping
    kernel = RBF(0.2)
    ours = solve_svm_by_rows(kernel, X, y, 1.0, tol=1e-3)
    f = y - kernel(X) @ ours.beta
    rises, falls = ours.beta < np.where(y > 0, 1.0, 0.0), ours.beta > np.where(y > 0, 0.0, -1.0)
    assert f[rises].max() - f[falls].min() < 1.2e-3


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_many_working_sets_in_single_precision_find_the_same_machine(C, loss, overlapping, monkeypatch):
    X, y = overlapping
    kernel = RBF(0.2)
    monkeypatch.setattr(decomposition, "WHOLE", 0)
    monkeypatch.setattr(decomposition, "FIRST", 50)
    monkeypatch.setattr(decomposition, "EARLY", (100, 0.05))
    ours = solve_svm_by_rows(kernel, X, y, C, loss=loss)
    whole = solve_svm_dual(kernel(X), y, C, loss=loss)
    assert ours.converged
    assert ours.objective == pytest.approx(whole.objective, rel=1e-4)
    decision, expected = (kernel(X) @ s.beta + s.intercept for s in (ours, whole))
    np.testing.assert_allclose(decision, expected, atol=5e-3)


def test_the_square_of_a_working_set_is_computed_once(overlapping, monkeypatch):
    X, y = overlapping
    sizes = []
    fill = NativeRows.fill

    def recorded(self, indices, out):
        sizes.append(indices.size)
        fill(self, indices, out)

    monkeypatch.setattr(NativeRows, "fill", recorded)
    solve_svm_by_rows(RBF(0.2), X, y, 1.0)
    assert sizes == [len(X)]  # at most 1500 samples are one working set


def test_f_is_computed_anew_where_the_errors_of_single_precision_add_up(overlapping, monkeypatch):
    X, y = overlapping
    apart = X + np.where(np.arange(len(X)) % 2, 10.0, -10.0)[:, None]
    kernel = RBF(0.2)
    everywhere = []
    subtract = KernelRows.subtract

    def recorded(self, indices, change, f, columns=slice(None)):
        everywhere.append(isinstance(columns, slice))
        subtract(self, indices, change, f, columns)

    monkeypatch.setattr(KernelRows, "subtract", recorded)
    monkeypatch.delattr(decomposition.RowProblem, "_in_double")  # never needed here
    ours = solve_svm_by_rows(kernel, apart, y, 100.0)
    assert True in everywhere  # the rows that only check some outputs compute some columns
    assert ours.converged
    np.testing.assert_allclose(ours.gradient, y - kernel(apart) @ ours.beta, atol=2e-4)


def test_single_precision_that_is_not_enough_is_followed_by_double(overlapping):
    # Two clusters so far apart that single precision cannot tell the samples of a cluster apart.
    X, y = overlapping
    far = X + np.where(np.arange(len(X)) % 2, 1e5, -1e5)[:, None]
    kernel = RBF(0.2)
    single = np.empty((20, 20), np.float32)
    NativeRows(kernel, far).fill(np.arange(20), single)
    assert np.abs(single - kernel(far[:20])).max() > 1e-3
    ours = solve_svm_by_rows(kernel, far, y, 1.0)
    exact = np.exp(-0.2 * ((far[:, None] - far) ** 2).sum(axis=2))
    np.testing.assert_allclose(ours.gradient, y - exact @ ours.beta, atol=1e-8)
    assert ours.converged


def test_outliers_do_not_cost_precision(overlapping):
    X, y = overlapping
    X = X.copy()
    X[[3, 500, 777]] *= 1e3
    kernel = RBF(0.5)
    assert NativeRows(kernel, X).terms[0].tolist() == [[SQUARES, 6, 1]]
    ours = solve_svm_by_rows(kernel, X, y, 1.0)
    f = y - kernel(X) @ ours.beta
    rises = np.where(y > 0, ours.beta < 1.0, ours.beta < 0.0)
    falls = np.where(y > 0, ours.beta > 0.0, ours.beta > -1.0)
    assert f[rises].max() - f[falls].min() < 1.3e-3


def test_samples_are_set_aside_in_turns_and_all_are_right_in_the_end(overlapping, monkeypatch):
    X, y = overlapping
    kernel = RBF(0.2)
    depths = []
    wake = decomposition.WorkingSets._wake

    def recorded(self):
        depths.append(len(self.aside))
        wake(self)

    monkeypatch.setattr(decomposition.WorkingSets, "_wake", recorded)
    ours = solve_svm_by_rows(kernel, X, y, 1.0, tol=1e-6)
    assert max(depths) >= 2
    assert ours.converged
    np.testing.assert_allclose(ours.gradient, y - kernel(X) @ ours.beta, atol=1e-9)


def test_little_memory_gives_the_same_machine(overlapping):
    X, y = overlapping
    ample = solve_svm_by_rows(RBF(0.2), X, y, 1.0, tol=1e-5)
    tight = solve_svm_by_rows(RBF(0.2), X, y, 1.0, tol=1e-5, memory_limit=2 * 100 * 900)
    assert tight.converged
    assert tight.objective == pytest.approx(ample.objective, rel=1e-8)


@pytest.mark.parametrize("C", [0.01, 0.3, 1.0, 1.5])
@pytest.mark.parametrize("gamma", [1.0, 20.0])
def test_more_support_vectors_than_a_working_set_holds(gamma, C, overlapping):
    # A narrow kernel and classes of different size: the worst samples of one side could fill the set.
    X, _ = overlapping
    y = np.where(X[:, 0] + 0.5 * X[:, 1] > 0.8, 1, -1)
    kernel = RBF(gamma)
    ours = solve_svm_by_rows(kernel, X, y, C, memory_limit=2 * 16 * 100**2)
    assert (ours.beta != 0).sum() > 300
    assert ours.converged
    whole = solve_svm_dual(kernel(X), y, C)
    assert ours.objective == pytest.approx(whole.objective, rel=1e-4)


def test_weights_are_bounds_and_zero_leaves_a_sample_out(overlapping):
    X, y = overlapping
    w = np.tile([0.0, 1.0, 3.0], 300)
    kernel = RBF(0.2)
    ours = solve_svm_by_rows(kernel, X, y, 0.5, sample_weight=w, tol=1e-6)
    whole = solve_svm_dual(kernel(X), y, 0.5, sample_weight=w, tol=1e-6)
    assert ours.objective == pytest.approx(whole.objective, rel=1e-8)
    assert (ours.beta[w == 0] == 0).all()
    assert (np.abs(ours.beta) <= 0.5 * w).all()


def test_a_warm_start_from_the_solution_needs_no_step(overlapping):
    X, y = overlapping
    first = solve_svm_by_rows(RBF(0.2), X, y, tol=1e-6)  # C = 1
    again = solve_svm_by_rows(RBF(0.2), X, y, 1.0, tol=1e-5, warm_start=first.beta)
    assert again.n_iter == 0
    np.testing.assert_allclose(again.beta, first.beta, atol=1e-12)


def test_sparse_samples_and_plain_callables(overlapping):
    X, y = overlapping
    expected = solve_svm_by_rows(RBF(0.2), X, y, 1.0, tol=1e-6).objective
    assert solve_svm_by_rows(RBF(0.2), sparse.csr_array(X), y, 1.0, tol=1e-6).objective == pytest.approx(
        expected, rel=1e-8
    )
    plain = solve_svm_by_rows(lambda A, B=None: Polynomial(2, 0.3)(A, B), X, y, 1.0, tol=1e-4)
    assert plain.converged


def test_an_early_stop_is_said(overlapping):
    X, y = overlapping
    with pytest.warns(ConvergenceWarning, match="stopped after"):
        solution = solve_svm_by_rows(RBF(0.2), X, y, 1.0, max_iter=20)
    assert not solution.converged


@pytest.mark.parametrize("n_rounds", [5, 7])
def test_after_too_many_rounds_all_outputs_are_right_and_it_is_said(n_rounds, overlapping, monkeypatch):
    X, y = overlapping
    kernel = RBF(0.2)
    monkeypatch.setattr(decomposition, "MAX_ROUNDS", n_rounds)
    with pytest.warns(ConvergenceWarning, match="stopped after"):
        ours = solve_svm_by_rows(kernel, X, y, 1.0, tol=1e-9)
    assert not ours.converged
    np.testing.assert_allclose(ours.gradient, y - kernel(X) @ ours.beta, atol=1e-9)


def subtracts_right(rows, kernel, X, atol):
    random = np.random.default_rng(0)
    f = np.zeros(len(X))
    expected = np.zeros(len(X))
    for _ in range(4):
        indices = random.choice(len(X), 60, replace=False)
        change = random.normal(size=60)
        rows.subtract(indices, change, f)
        expected -= change @ kernel(X)[indices]
    np.testing.assert_allclose(f, expected, atol=atol)


@pytest.mark.parametrize("kernel", [RBF(0.2), Polynomial(2, 0.1)], ids=repr)
@pytest.mark.parametrize("memory_limit", [0, 2**14, 2**24])
def test_rows_subtract_the_same_whatever_is_kept(memory_limit, kernel, overlapping):
    X, _ = overlapping
    rows = KernelRows(kernel, X, memory_limit)
    subtracts_right(rows, kernel, X, 1e-9)
    assert rows.n_kept * len(X) * rows.dtype.itemsize <= memory_limit
    # The native core makes rows as fast as they are read.
    assert (rows.n_kept > 0) == (memory_limit > 0 and isinstance(kernel, Polynomial))
    some = np.arange(3, 90, 7)
    np.testing.assert_allclose(rows.square(some), kernel(X[some]), rtol=1e-12)


WEIGHTS = [1.0, 2.0, 0.1, 0.1, 0.1, 0.1]


@pytest.mark.parametrize(
    ("kernel", "n_terms"),
    [
        (Gaussian(np.diag(WEIGHTS)), 1),
        (Laplacian(0.3), 1),
        (DiagonalLaplacian(q=WEIGHTS), 1),
        (KernelSum([RBF(0.2), Laplacian(0.3), DiagonalGaussian(q=WEIGHTS)], weights=[0.5, 2.0, 1.0]), 3),
        # Of several widths of one distance, with weights of features and without, each distance is one term.
        (KernelSum([RBF(0.2), DiagonalLaplacian(q=WEIGHTS), RBF(0.02), RBF(0.6)]), 2),
        (KernelSum([DiagonalLaplacian(q=WEIGHTS), DiagonalLaplacian(q=0.25 * np.array(WEIGHTS))]), 1),
        (KernelSum([KernelSum([RBF(0.2)], weights=[3.0]), RBF(0.1)]), 1),
    ],
)
def test_rows_of_the_native_core_are_right_to_single_precision(kernel, n_terms, overlapping):
    X, _ = overlapping
    assert can_be_native(kernel, X)
    rows = NativeRows(kernel, X)
    assert len(rows.terms[0]) == n_terms
    subtracts_right(rows, kernel, X, 1e-4)
    some = np.arange(3, 900, 7)
    square = np.full((some.size, some.size + 5), np.nan, np.float32)
    rows.fill(some, square)
    np.testing.assert_allclose(square[:, : some.size], kernel(X[some]), atol=1e-5)
    assert np.isfinite(square).all()
    columns = NativeRows(kernel, X[:70])  # values of samples that it has not seen
    np.testing.assert_allclose(columns.of_others(X[70:]), kernel(X[70:], X[:70]), atol=1e-5)
    np.testing.assert_allclose(columns.of_others(1e3 * X[70:72]), kernel(1e3 * X[70:72], X[:70]), atol=1e-5)
    assert columns.of_others(X[:0]).shape == (0, 70)


def test_other_kernels_and_samples_have_no_rows_of_the_native_core(overlapping):
    X, _ = overlapping
    others = [KMOD(), Polynomial(), KernelSum([RBF(), Polynomial()]), lambda A, B: A @ B.T]
    assert not any(can_be_native(kernel, X) for kernel in others)
    assert not can_be_native(RBF(), sparse.csr_array(X))


@pytest.mark.parametrize("kernel", [Laplacian(0.2), KernelSum([RBF(0.2), Laplacian(0.1), RBF(0.02)])])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_sums_and_laplacian_kernels_are_solved_like_their_gram_matrices(kernel, loss, overlapping):
    X, y = overlapping
    ours = solve_svm_by_rows(kernel, X, y, 3.0, loss=loss)
    whole = solve_svm_dual(kernel(X), y, 3.0, loss=loss)
    assert ours.converged
    assert ours.objective == pytest.approx(whole.objective, rel=1e-5)
    decision, expected = (kernel(X) @ s.beta + s.intercept for s in (ours, whole))
    np.testing.assert_allclose(decision, expected, atol=5e-3)


@pytest.mark.parametrize("n_rows", [1, 3, 4, 5, 63, 64, 65, 130])
@pytest.mark.parametrize("n_columns", [0, 1, 64, 65])
def test_blocks_that_are_not_full_give_the_same_values(n_rows, n_columns, overlapping):
    X, _ = overlapping
    kernel = RBF(0.2)
    rows = NativeRows(kernel, X)
    some, columns = np.arange(5, 5 + 3 * n_rows, 3), np.arange(7, 7 + 2 * n_columns, 2)
    change = np.linspace(-1.0, 2.0, n_rows)
    f = np.ones(len(X))
    rows.subtract(some, change, f, columns)
    expected = np.ones(len(X))
    expected[columns] -= change @ kernel(X[some], X)[:, columns]
    np.testing.assert_allclose(f, expected, atol=2e-5)
    for width in (n_rows, n_rows + 3, 64 * (n_rows // 64 + 1) + 48):
        square = np.full((n_rows, width), np.nan, np.float32)
        rows.fill(some, square)
        np.testing.assert_allclose(square[:, :n_rows], kernel(X[some]), atol=1e-5)
        assert np.isfinite(square).all()


@pytest.mark.parametrize(("seed", "C", "size"), [(8, 3000.0, 300), (10, 300.0, 200)])
def test_a_working_set_with_samples_that_were_set_aside_is_not_used_again(seed, C, size):
    # They would see its changes twice: f was off by 0.1 and more in a solution that was said to converge.
    random = np.random.default_rng(seed)
    X = random.normal(size=(460, 4))
    y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.1 * random.normal(size=460) > 0.3, 1, -1)
    kernel = RBF(0.01)
    ours = solve_svm_by_rows(kernel, X, y, C, tol=1e-6, memory_limit=2 * 16 * size**2)
    assert ours.converged
    np.testing.assert_allclose(ours.gradient, y - kernel(X) @ ours.beta, atol=1e-9)
