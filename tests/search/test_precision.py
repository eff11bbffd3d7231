"""Gram matrices of many rows are in single precision, as long as that does not show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from kernelwise.kernels import RBF, DiagonalGaussian, DiagonalLaplacian, KernelSum, Laplacian
from kernelwise.kernels.gram import gram_of
from kernelwise.search.engine import runner
from kernelwise.search.engine.scored_kernel import FoldKernels
from kernelwise.solvers import svm_path
from kernelwise.solvers.kernel_rows import NativeRows

N_ROWS = 210
KERNELS = [
    RBF(0.3),
    Laplacian(0.4),
    KernelSum([RBF(0.3), Laplacian(0.2), DiagonalGaussian([1.0, 0.1]), DiagonalLaplacian([0.1, 2.0])]),
]


@pytest.fixture
def many_rows(monkeypatch):
    """Tables of this test have many rows."""
    monkeypatch.setattr(runner, "MANY_ROWS", 100)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(N_ROWS, 2))
    return Z, (Z[:, 0] * Z[:, 1] + 0.5 * rng.normal(size=N_ROWS) > 0).astype(int)


@pytest.fixture
def make_scores(make_validator, in_turn, table):
    """A validator on three folds, scored by accuracy."""
    Z, index = table

    def make(**more):
        score = lambda d, rows: ((d > 0) == index[rows]).mean(axis=1)  # noqa: E731
        return make_validator(Z, index, score=score, cv=in_turn(len(Z)), **more)

    return make


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
@pytest.mark.parametrize("n_rows", [1, 3, 64, 65, N_ROWS])
def test_the_native_gram_matrix_is_that_of_the_kernel(kernel, n_rows, table):
    Z = table[0][:n_rows]
    out = np.empty((n_rows, n_rows), np.float32)
    assert_allclose(NativeRows(kernel, Z).gram(out), gram_of(kernel, Z), atol=2e-6)
    found = NativeRows(kernel, Z, symmetric=True).gram(out)
    assert_allclose(found, gram_of(kernel, Z), atol=1e-6)
    assert_array_equal(found, found.T)


def test_the_order_of_columns_does_not_change_a_bit(table):
    kernel, order = KERNELS[2], [1, 0]
    turned = KernelSum(
        [RBF(0.3), Laplacian(0.2), DiagonalGaussian([0.1, 1.0]), DiagonalLaplacian([2.0, 0.1])]
    )
    out = np.empty((2, N_ROWS, N_ROWS), np.float32)
    found = NativeRows(kernel, table[0]).gram(out[0])
    assert_array_equal(NativeRows(turned, table[0][:, order]).gram(out[1]), found)


def test_threads_do_not_change_a_bit(table, monkeypatch):
    monkeypatch.setattr("kernelwise.solvers.kernel_rows.BLOCK", 2**12)  # several blocks of rows
    rows, out = NativeRows(KERNELS[2], table[0]), np.empty((2, N_ROWS, N_ROWS), np.float32)
    assert_array_equal(rows.gram(out[0], n_jobs=1), rows.gram(out[1], n_jobs=2))


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_scores_are_those_of_double_precision(kernel, many_rows, make_scores, table):
    Cs = np.array([0.1, 1.0, 10.0])
    paths = make_scores(Cs=Cs)
    assert paths._runner.problem.is_single(kernel)
    expected = svm_path(gram_of(kernel, table[0]), table[1], Cs, paths.folds)
    found = paths.score(kernel, "test").stored[:, :, 0]
    assert np.abs(found - expected.decision).max() < runner.MOST_OFF
    assert np.abs(found - expected.decision).max() > 0.0  # it is in single precision


def test_each_fold_has_its_own_kernel_in_single_precision(many_rows, make_scores, table):
    Cs = np.array([1.0, 4.0])
    paths = make_scores(Cs=Cs)
    own = [RBF(0.2), RBF(0.3), RBF(0.5)]
    found = paths.score(FoldKernels(RBF(0.3), own), "test").stored[:, :, 0]
    for kernel, (train, test) in zip(own, paths.folds, strict=True):
        expected = svm_path(kernel(table[0]), table[1], Cs, [(train, test)]).decision[:, test]
        assert_allclose(found[:, test], expected, atol=runner.MOST_OFF)


def test_where_rounding_would_show_double_precision_is_used(many_rows, make_scores, table):
    kernel, Cs = RBF(1e-4), np.array([2.0**18, 2.0**22])
    paths = make_scores(Cs=Cs)
    with paths._runner.kernel(kernel) as run:
        (solved,) = run.solve(Cs, None, None)
        single = paths._runner.problem.single_gram(kernel)
        assert paths._runner.problem.rounding(kernel, single, solved.path) > runner.MOST_OFF
    expected = svm_path(kernel(table[0]), table[1], Cs, paths.folds)
    assert_array_equal(solved.path.decision, expected.decision)


@pytest.mark.parametrize("was_single", [True, False])
def test_larger_C_go_on_in_double_precision(was_single, many_rows, make_scores, table, monkeypatch):
    """From a path in single precision, whose residuals are brought up to date, and from one in double."""
    kernel, first, more = RBF(0.01), np.array([2.0**12]), np.array([2.0**16])
    paths = make_scores(Cs=first)
    here = paths._runner
    with here.kernel(kernel) as run:
        monkeypatch.setattr(runner, "MOST_OFF", np.inf if was_single else 0.0)
        begun = run.solve(first, None, None)
        rounding = here.problem.rounding(kernel, here.problem.single_gram(kernel), begun[0].path)
        assert rounding > 1e-4
        assert begun[0].path.is_single == was_single
        # The first value of C may be in single precision, and the second may not.
        monkeypatch.setattr(runner, "MOST_OFF", 1.01 * rounding if was_single else 0.0)
        (found,) = run.solve(more, None, [part.path for part in begun])
    assert not found.path.is_single
    expected = svm_path(kernel(table[0]), table[1], more, paths.folds)
    # Two ways to a flat optimum: the objectives are equal, and labels.
    assert_allclose(found.path.objective, expected.objective, rtol=1e-4)
    assert ((found.path.decision > 0) == (expected.decision > 0)).mean() > 0.98
    # f = p − Kβ holds with the exact kernel values, where p are labels of size one.
    K = kernel(table[0])
    for fold in found.path.last:
        p = fold[0].f + K @ fold[0].beta
        assert_allclose(np.abs(p), 1.0, atol=1e-5)


def test_the_rounding_of_a_machine_without_support_vectors_is_nothing(many_rows, make_scores):
    paths = make_scores(Cs=np.array([1.0]))
    kernel = RBF(0.3)
    with paths._runner.kernel(kernel) as run:
        (solved,) = run.solve(np.array([1.0]), None, None)
    none = [[one._replace(beta=np.zeros_like(one.beta)) for one in fold] for fold in solved.path.last]
    path = replace(solved.path, last=none)
    assert paths._runner.problem.rounding(kernel, np.eye(N_ROWS, dtype=np.float32), path) == 0.0


def test_small_tables_and_other_losses_are_in_double_precision(make_scores):
    problem = make_scores(Cs=np.array([1.0]))._runner.problem
    assert not problem.is_single(RBF(0.3))  # few rows
    assert not replace(problem.family, loss="squared_hinge").takes_single
