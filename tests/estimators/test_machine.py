"""What all kernel machines share: decision values, and what other parts of the package read of them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from kernelwise import SVC, SVR, NystroemSVC, NystroemSVR, OneClassSVM
from kernelwise.estimators import _machine
from kernelwise.kernels import (
    RBF,
    DiagonalGaussian,
    DiagonalLaplacian,
    KernelSum,
    Laplacian,
    Linear,
    Polynomial,
)

X, Y = load_iris(return_X_y=True)
TARGET = X @ np.array([1.0, -2.0, 0.5, 0.0]) + np.sin(X[:, 0])
CLASSIFIERS = [SVC(), SVC(multiclass="ovr"), NystroemSVC(n_components=20), SVC(multiclass="ovo-reject")]
MACHINES = [(model, Y) for model in CLASSIFIERS]
MACHINES += [(model, TARGET) for model in (SVR(), NystroemSVR(n_components=20))]


@pytest.mark.parametrize(("machine", "y"), MACHINES, ids=repr)
def test_values_are_sums_over_the_support_vectors(machine, y):
    machine.fit(X, y)
    values = machine.kernel_(X, machine.support_vectors_) @ machine.beta_.T + machine.intercept_
    assert_allclose(machine.machine_values(X), values, atol=1e-9)
    assert machine.beta_.shape == (machine.n_machines_, len(machine.support_))
    assert machine.n_trained_ in (len(X), len(np.unique(X, axis=0)))
    for name, shape in machine.fitted_shapes().items():
        assert np.shape(getattr(machine, name)) == shape


@pytest.mark.parametrize("machine", CLASSIFIERS, ids=repr)
def test_a_classifier_keeps_the_strategy_of_its_last_fit(machine):
    strategy = machine.multiclass
    machine.fit(X, Y).set_params(multiclass="ovr")
    assert machine.multiclass_ == strategy
    assert machine.machines_ == strategy[:3]
    assert machine.n_machines_ == 3
    machine.set_params(multiclass=strategy)


@pytest.mark.parametrize(("machine", "y"), MACHINES, ids=repr)
def test_a_linear_machine_has_weights_of_the_features(machine, y):
    linear = type(machine)(kernel=Linear()).fit(X, y)
    assert_allclose(X @ linear.coef_.T + linear.intercept_, linear.machine_values(X))


def test_a_single_precision_gram_matrix_gives_the_machine_of_its_double():
    K = (X @ X.T).astype(np.float32)
    single, double = (SVR("precomputed").fit(form, TARGET) for form in (K, K.astype(float)))
    assert_array_equal(single.dual_coef_, double.dual_coef_)
    assert_allclose(single.predict(K), double.predict(K.astype(float)), rtol=1e-10)


KERNELS = [
    RBF(0.7),
    Laplacian(0.4),
    DiagonalGaussian([0.7, 0.1, 2.0, 0.3]),
    KernelSum([RBF(0.7), RBF(0.05), DiagonalLaplacian([0.3, 0.1, 0.2, 1.0])], [0.2, 1.5, 3.0]),
    Polynomial(3),
]


def brute_force(kernel, rows, support, beta):
    """Sums over the kernel from differences of samples, which lose nothing far from the origin."""

    def value(x, z):
        total = 0.0
        for weight, part in kernel.parts():
            difference = part.transform((x - z)[None])[0]
            squares = part.distance == "sqeuclidean"
            D = (difference**2).sum() if squares else np.abs(difference).sum()
            total += weight * np.exp(-part.scale * D)
        return total

    return np.array([[value(x, z) for z in support] for x in rows]) @ beta.T


@pytest.mark.parametrize("kernel", KERNELS[:-1], ids=repr)
@pytest.mark.parametrize("where", [0.0, 1e4], ids=["origin", "far"])
@pytest.mark.parametrize("spread", [1.0, 1e3, 1e200], ids=["near", "outliers", "overflow"])
def test_decision_values_are_those_of_differences(kernel, where, spread):
    rng = np.random.default_rng(5)
    support = where + np.round(rng.normal(size=(70, 4)), 3)
    rows = where + np.round(rng.normal(size=(80, 4)), 3)
    rows[::7] = spread * rng.normal(size=rows[::7].shape)
    if spread == 1e3:
        support[::9] = where + np.round(spread * rng.normal(size=support[::9].shape), 3)
        rows[3:70:9] = support[:67:9] + 0.01  # near outliers among the support vectors
    beta, intercept = 4.0 * rng.normal(size=(3, 70)), np.array([1.0, -2.0, 0.5])
    with np.errstate(over="ignore"):
        found = _machine.decision_values([(kernel, beta)], rows, support, intercept)
        expected = intercept + brute_force(kernel, rows, support, beta)
    assert_allclose(found, expected, rtol=0.0, atol=1e-9 if where else 2e-12 * np.abs(beta).sum())


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_decision_values_do_not_depend_on_the_number_of_threads(kernel):
    rng = np.random.default_rng(0)
    support, rows = rng.normal(size=(150, 4)), rng.normal(size=(1200, 4))
    beta, intercept = rng.normal(size=(2, 150)), np.zeros(2)
    one, two, many = (
        _machine.decision_values([(kernel, beta)], rows, support, intercept, n_jobs) for n_jobs in (1, 2, 5)
    )
    assert_array_equal(one, two)
    assert_array_equal(one, many)


@pytest.mark.parametrize("size", [2**8, 2**10, 2**19])
def test_decision_values_are_the_same_from_parts_of_the_support_vectors(monkeypatch, size):
    rng = np.random.default_rng(1)
    support, rows = rng.normal(size=(700, 4)), rng.normal(size=(90, 4))
    beta = rng.normal(size=(3, 700))
    monkeypatch.setattr(_machine, "BLOCK", size)
    found = _machine.decision_values([(KERNELS[3], beta)], rows, support, np.zeros(3))
    assert_allclose(found, KERNELS[3](rows, support) @ beta.T, rtol=0.0, atol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_prediction_holds_blocks_of_kernel_values_only(kernel):
    rng = np.random.default_rng(2)
    support, rows, beta = rng.normal(size=(4000, 4)), rng.normal(size=(6000, 4)), rng.normal(size=(1, 4000))
    tracemalloc.start()
    _machine.decision_values([(kernel, beta)], rows, support, np.zeros(1), n_jobs=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 4 * 8 * _machine.BLOCK < 8 * 4000 * 6000 / 10


@pytest.mark.parametrize("model", [SVC(C=10.0), SVC(multiclass="ovr"), SVR(), OneClassSVM(nu=0.2)], ids=repr)
def test_few_rows_have_the_values_of_many(model):
    model.fit(X, Y)
    assert len(X) >= _machine.MANY_ROWS > 5
    assert_allclose(model.machine_values(X)[:5], model.machine_values(X[:5]), rtol=0.0, atol=1e-12)
