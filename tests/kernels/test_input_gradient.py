"""Gradients of sums of kernel values by the samples, against central differences."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from tests.conftest import SMOOTH_KERNELS

from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import (
    RBF,
    Laplacian,
    Linear,
)
from kernelwise.testing import central_difference


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    return random.normal(size=(6, 3)), random.normal(size=(6, 9)), random.normal(size=(9, 3))


@pytest.mark.parametrize("kernel", SMOOTH_KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_it_is_the_central_difference(kernel, data):
    X, A, Y = data
    found = kernel.input_gradient(X, A, Y)
    expected = [
        central_difference(lambda x, a=a: float(a @ kernel(x[None], Y)[0]), x)
        for x, a in zip(X, A, strict=True)
    ]
    assert found.shape == X.shape
    assert_allclose(found, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kernel", SMOOTH_KERNELS, ids=lambda kernel: type(kernel).__name__)
def test_a_sample_has_no_part_in_its_own_gradient(kernel, data):
    """Of smooth kernels the value is largest there, and of those with a kink that side counts as zero."""
    X, A, _ = data
    A = A[:, : len(X)]
    alone = A - np.diag(np.diag(A))
    assert_allclose(kernel.input_gradient(X, A), kernel.input_gradient(X, alone, X), rtol=1e-12, atol=1e-12)


def test_a_feature_in_which_samples_agree_is_a_kink_of_the_city_block():
    found = Laplacian(0.5).input_gradient([[1.0, 2.0]], [[1.0]], [[1.0, 0.0]])
    assert_array_equal(found[0, 0], 0.0)
    assert_allclose(found[0, 1], -0.5 * np.exp(-1.0))


def test_what_has_no_gradient_says_so(data):
    X, A, Y = data
    with pytest.raises(IncompatibleError, match="Linear does not say how it changes with the samples"):
        Linear().input_gradient(X, A, Y)
    with pytest.raises(IncompatibleError, match=r"need dense samples. Pass X.toarray\(\)"):
        RBF(0.3).input_gradient(sparse.csr_array(X), A, sparse.csr_array(Y))
    with pytest.raises(ValueError, match=r"A has shape \(6, 8\), expected \(6, 9\)"):
        RBF(0.3).input_gradient(X, A[:, :-1], Y)
