"""Kernels of the inputs times a factor."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise.kernels import KERNELS, DiagonalGaussian, Kernel, Linear, Polynomial, Sigmoid, as_kernel

KERNELS_ON_DATA = sorted(KERNELS)


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(0).normal(size=(12, 3))


@pytest.mark.parametrize("factor", [0.01, 0.5, 1.0, 7.3])
@pytest.mark.parametrize("name", KERNELS_ON_DATA)
def test_it_is_the_kernel_of_scaled_inputs(name, factor, X):
    y = np.arange(12) % 2
    kernel = as_kernel(name).initialize(X, y, "scale")
    if not kernel.input_powers:
        with pytest.raises(ValueError, match="does not say how its parameters scale"):
            kernel.rescaled(factor)
        return
    assert_allclose(kernel.rescaled(factor)(X), kernel(np.sqrt(factor) * X), rtol=1e-9, atol=1e-12)


def test_most_kernels_say_how():
    """Linear has no parameter; a kernel that is added without `input_powers` would go unnoticed otherwise."""
    silent = {name for name in KERNELS if not as_kernel(name).input_powers}
    assert silent == {"linear"}


def test_the_kernel_itself_stays_as_it_was(X):
    kernel: Kernel = Polynomial(gamma=0.5)
    kernel.rescaled(4.0)
    assert kernel.gamma == 0.5
    assert kernel.rescaled(4.0).degree == kernel.degree


def test_an_offset_does_not_scale(X):
    assert Sigmoid(gamma=0.5, coef0=-1.0).rescaled(4.0).coef0 == -1.0


def test_linear_refuses(X):
    with pytest.raises(ValueError, match="Linear does not say"):
        Linear().rescaled(2.0)


def test_weights_may_be_a_list():
    assert_allclose(DiagonalGaussian([1.0, 2.0]).rescaled(4.0).q, [4.0, 8.0])
