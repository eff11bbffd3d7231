"""NystroemOneClassSVM beside the exact machine."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from kernelwise import NystroemOneClassSVM, OneClassSVM, explain, load
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels import RBF
from kernelwise.large import FeatureRows, NystroemMap
from kernelwise.search.propose import landmarks
from kernelwise.solvers import solve_one_class
from kernelwise.solvers.one_class_rows import one_class_on_rows


@pytest.fixture(scope="module")
def X():
    random = np.random.default_rng(0)
    return random.normal(size=(300, 3)) * np.where(np.arange(300) < 20, 3.0, 1.0)[:, None]


@pytest.mark.parametrize("nu", [0.05, 0.5, 1.0])
def test_with_all_rows_as_landmarks_it_is_the_exact_machine(X, nu):
    exact = OneClassSVM(kernel=RBF(0.1), nu=nu, tol=1e-8).fit(X)
    machine = NystroemOneClassSVM(RBF(0.1), nu=nu, n_components=300, tol=1e-8).fit(X)
    assert machine.left_out_ == 0.0
    new = X[:50] + 0.5
    scale = 300 * nu
    assert_allclose(machine.score_samples(new), exact.score_samples(new), atol=1e-6 * scale)
    assert_allclose(machine.offset_, exact.offset_, atol=1e-6 * scale)


def test_the_machine_on_few_features_is_exact_on_them(X):
    features = NystroemMap.from_landmarks(RBF(0.3), X[:40])
    Phi, weight = features.transform(X), np.random.default_rng(1).uniform(0.0, 2.0, 300)
    exact = solve_one_class(Phi @ Phi.T, 0.1, sample_weight=weight, tol=1e-9)
    for memory_limit in (100.0, 1e-3):
        rows = FeatureRows(features.blocks(X, memory_limit))
        solution = one_class_on_rows(rows, weight, 0.1, 1e-9, -1, 2**16)
        assert_allclose(solution.scores, exact.scores, atol=1e-6)
        assert_allclose(solution.offset, exact.offset, atol=1e-6)
        assert_allclose(Phi @ rows.weights(solution.beta), exact.scores, atol=1e-6)
        assert abs(solution.duality_gap) < 1e-6


def test_rows_of_features(X):
    features = NystroemMap.from_landmarks(RBF(0.3), X[:40])
    rows, Phi = FeatureRows(features.blocks(X, 100.0)), features.transform(X)
    some, f = np.array([3, 100, 200]), np.zeros(300)
    assert_allclose(rows.square(some), Phi[some] @ Phi[some].T)
    rows.subtract(some, np.array([1.0, -2.0, 0.5]), f)
    assert_allclose(f, -Phi @ (Phi[3] - 2.0 * Phi[100] + 0.5 * Phi[200]))
    columns = np.array([5, 250])
    part = np.zeros(300)
    rows.subtract(some, np.array([1.0, -2.0, 0.5]), part, columns)
    assert_allclose(part[columns], f[columns])
    assert np.count_nonzero(part) == 2


def test_landmarks_are_doubled_until_they_hold_the_kernel(monkeypatch):
    random = np.random.default_rng(0)
    Z = random.normal(size=(1200, 2))
    wide, narrow = (NystroemOneClassSVM(RBF(gamma), nu=0.1).fit(Z) for gamma in (0.01, 10.0))
    assert len(wide.support_) == 250
    assert wide.left_out_ < 0.05
    assert len(narrow.support_) > 250
    assert narrow.left_out_ < 0.05
    assert (wide.predict(Z) == -1).mean() <= 0.1
    assert wide.duality_gap_ < 1e-3
    monkeypatch.setattr(landmarks, "SIZES", (5, 10))
    with pytest.warns(KernelwiseWarning, match=r"The features of 10 landmarks leave out .* too narrow"):
        few = NystroemOneClassSVM(RBF(10.0)).fit(Z)
    kept = (NystroemMap.from_landmarks(RBF(10.0), few.support_vectors_).transform(Z) ** 2).sum(axis=1)
    others = np.setdiff1d(np.arange(1200), few.support_)
    assert few.left_out_ == pytest.approx(1.0 - kept[others].mean(), abs=1e-12)


def test_order_of_rows_weights_and_sparse_samples_do_not_matter(X):
    how = {"kernel": RBF(0.2), "nu": 0.1, "n_components": 60, "tol": 1e-9}
    machine = NystroemOneClassSVM(**how).fit(X, sample_weight=np.repeat([1.0, 2.0], 150))
    rows = np.random.default_rng(0).permutation(np.append(np.arange(300), np.arange(150, 300)))
    again = NystroemOneClassSVM(**how).fit(sparse.csr_array(X[rows]))
    assert_allclose(again.decision_function(X), machine.decision_function(X), atol=1e-6)
    assert_array_equal(X[machine.support_], machine.support_vectors_)


def test_file_and_explanation(X, tmp_path):
    machine = NystroemOneClassSVM(RBF(0.2), nu=0.1, n_components=60).fit(X)
    machine.save(tmp_path / "machine.npz")
    assert_array_equal(load(tmp_path / "machine.npz").decision_function(X), machine.decision_function(X))
    found = explain(machine, X[:3])
    assert_allclose(found.values.sum(axis=1) + found.base_values, machine.decision_function(X[:3]))


def test_kernel_values_of_any_size_are_trained_on(X):
    one = NystroemOneClassSVM("linear", nu=0.1, tol=1e-8).fit(X + 3.0)
    other = NystroemOneClassSVM("linear", nu=0.1, tol=1e-8).fit(1e8 * (X + 3.0))
    assert_allclose(other.score_samples(1e8 * X) / 1e16, one.score_samples(X), rtol=1e-5)


def test_bad_input(X):
    for name, value in (("nu", 0.0), ("n_components", 0), ("tol", -1.0), ("memory_limit", 0.0)):
        with pytest.raises(ValueError, match=f"The '{name}' parameter of NystroemOneClassSVM must be"):
            NystroemOneClassSVM(**{name: value}).fit(X)
    with pytest.raises(ValueError, match="1 sample"):
        NystroemOneClassSVM().fit(X[:1])
    with pytest.raises(ValueError, match="all samples have zero or negative weights"):
        NystroemOneClassSVM().fit(X, sample_weight=np.zeros(300))
