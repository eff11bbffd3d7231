"""What all kernel machines share: decision values, and what other parts of the package read of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris

from kernelwise import SVC, SVR, NystroemSVC, NystroemSVR
from kernelwise.kernels import Linear

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
