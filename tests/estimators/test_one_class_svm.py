"""OneClassSVM beside scikit-learn's, its ways to train, its files, and what it refuses."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sklearn.svm
from benchmarks.one_class import compare, random_problem
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.metrics.pairwise import laplacian_kernel

from kernelwise import OneClassSVM, explain, load
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF, Laplacian
from kernelwise.solvers import solve_one_class
from kernelwise.solvers.one_class_rows import solve_one_class_by_rows


@pytest.fixture(scope="module")
def X():
    random = np.random.default_rng(0)
    return random.normal(size=(150, 3)) * np.where(np.arange(150) < 10, 3.0, 1.0)[:, None]


def test_random_problems_agree_with_scikit_learn_or_are_closer_to_the_exact_solution():
    random = np.random.default_rng(1)
    for _ in range(12):
        found = compare(random_problem(random))
        assert found.is_exact
        assert found.apart < 1e-6 or found.ours <= found.theirs
        assert found.ours < 1e-6
        assert found.keeps_nu


def test_attributes_are_those_of_scikit_learn(X):
    ours, theirs = (kind(nu=0.1, tol=1e-8).fit(X) for kind in (OneClassSVM, sklearn.svm.OneClassSVM))
    assert_array_equal(ours.support_, theirs.support_)
    assert_array_equal(ours.n_support_, theirs.n_support_)
    assert_array_equal(ours.support_vectors_, theirs.support_vectors_)
    assert_allclose(ours.dual_coef_, theirs.dual_coef_, atol=1e-6)
    assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    assert_allclose(ours.offset_, theirs.offset_, atol=1e-6)
    assert ours.offset_.shape == theirs.offset_.shape
    assert_allclose(ours.score_samples(X), theirs.score_samples(X), atol=1e-6)
    assert (ours.fit_status_, ours.shape_fit_, ours.n_features_in_) == (0, (150, 3), 3)
    by_name = {"kernel": "linear", "nu": 0.3, "tol": 1e-8}
    ours, theirs = (kind(**by_name).fit(X + 5.0) for kind in (OneClassSVM, sklearn.svm.OneClassSVM))
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-6)
    assert set(sklearn.svm.OneClassSVM().get_params()) <= set(OneClassSVM().get_params())


def test_all_kinds_of_kernels_give_one_machine(X):
    kernel = Laplacian(0.5)
    expected = OneClassSVM(kernel=kernel, nu=0.2, tol=1e-8).fit(X).decision_function(X)
    by_function = OneClassSVM(kernel=lambda A, B: laplacian_kernel(A, B, gamma=0.5), nu=0.2, tol=1e-8)
    assert_allclose(by_function.fit(X).decision_function(X), expected, atol=1e-6)
    K = kernel(X)
    assert_allclose(
        OneClassSVM(kernel="precomputed", nu=0.2, tol=1e-8).fit(K).decision_function(K), expected, atol=1e-6
    )
    S = sparse.csr_array(X)
    by_sparse, dense = (OneClassSVM(nu=0.2, tol=1e-8).fit(samples) for samples in (S, X))
    assert sparse.issparse(by_sparse.support_vectors_)
    assert_allclose(by_sparse.decision_function(S), dense.decision_function(X), atol=1e-6)


@pytest.mark.parametrize("gamma", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("nu", [0.05, 0.6, 1.0])
def test_without_a_gram_matrix_the_machine_is_the_same(X, gamma, nu):
    weight = np.where(np.arange(150) % 7, 1.0, 0.0)
    kernel = RBF(gamma)
    by_gram = solve_one_class(kernel(X), nu, sample_weight=weight, tol=1e-9)
    by_rows = solve_one_class_by_rows(kernel, X, nu, sample_weight=weight, tol=1e-9, memory_limit=2**14)
    for name in ("offset", "low", "high", "inner_offset", "scores", "objective"):
        assert_allclose(getattr(by_rows, name), getattr(by_gram, name), atol=1e-6, err_msg=name)
    assert by_rows.converged
    assert abs(by_rows.duality_gap) < 1e-6
    assert_allclose(by_rows.beta.sum(), nu * weight.sum())


def test_the_share_outside_is_at_most_nu_even_at_a_coarse_tolerance(X):
    for nu in (0.02, 0.1, 0.5):
        machine = OneClassSVM(nu=nu, tol=0.1).fit(X)
        assert (machine.fit_predict(X) == -1).mean() <= nu <= machine.support_.size / 150


def test_file_and_pickle(X, tmp_path):
    machine = OneClassSVM(nu=0.1).fit(X)
    machine.save(tmp_path / "machine.npz")
    for loaded in (load(tmp_path / "machine.npz"), pickle.loads(pickle.dumps(machine))):
        assert_array_equal(loaded.decision_function(X), machine.decision_function(X))
        assert_array_equal(loaded.offset_, machine.offset_)
        assert loaded.get_params() == machine.get_params()


def test_explanations_add_up_to_decision_values(X):
    machine = OneClassSVM(nu=0.1).fit(X)
    found = explain(machine, X[:5])
    assert (found.output, found.is_exact) == ("decision", True)
    assert_allclose(found.values.sum(axis=1) + found.base_values, machine.decision_function(X[:5]))
    with pytest.raises(ValueError, match="'output' of explain must be one of 'decision', got 'prediction'"):
        explain(machine, X[:5], output="prediction")


def test_onnx_graph_has_labels_and_decision_values(X):
    runtime = pytest.importorskip("onnx.reference")
    machine = OneClassSVM(nu=0.1).fit(X)
    label, values = runtime.ReferenceEvaluator(machine.to_onnx()).run(
        ["label", "decision_values"], {"X": X[:20]}
    )
    assert_array_equal(label, machine.predict(X[:20]))
    assert_allclose(values[:, 0], machine.decision_function(X[:20]), atol=1e-9)
    assert '"-1", "1"' in machine.to_c()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"nu": 0.0},
            "The 'nu' parameter of OneClassSVM must be a number above 0 and at most 1. Got 0.0 instead.",
        ),
        (
            {"nu": 1.1},
            "The 'nu' parameter of OneClassSVM must be a number above 0 and at most 1. Got 1.1 instead.",
        ),
        (
            {"nu": "auto"},
            "The 'nu' parameter of OneClassSVM must be a number above 0 and at most 1. Got 'auto' instead.",
        ),
        ({"tol": 0.0}, "The 'tol' parameter of OneClassSVM must be a positive number"),
        ({"max_iter": 0}, "The 'max_iter' parameter of OneClassSVM must be -1 or a positive integer"),
        ({"kernel": "none"}, "none"),
    ],
)
def test_parameters_that_cannot_be(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        OneClassSVM(**parameters).fit(X)


def test_samples_that_cannot_be(X):
    with pytest.raises(ValueError, match=r"1 sample.* a minimum of 2 is required by OneClassSVM"):
        OneClassSVM().fit(X[:1])
    with pytest.raises(ValueError, match="contains NaN"):
        OneClassSVM().fit(np.where(X > 2.0, np.nan, X))
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        OneClassSVM().fit(X, sample_weight=np.zeros(150))
    with pytest.raises(ValueError, match="sample_weight has shape"):
        OneClassSVM().fit(X, sample_weight=np.ones(3))
    with pytest.warns(KernelwiseWarning, match="cannot distinguish samples"):
        machine = OneClassSVM().fit(np.ones((10, 2)))
    assert_array_equal(machine.predict(np.ones((3, 2))), 1)


def test_verbose_prints_one_line(X, capsys):
    OneClassSVM(verbose=True).fit(X)
    assert capsys.readouterr().out.startswith("[OneClassSVM] ")
