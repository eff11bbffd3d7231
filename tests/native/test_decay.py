"""Kernel values exp(−s·D) against NumPy's exponentials."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import _native


@pytest.mark.parametrize("shape", [(1, 1), (3, 5), (17, 31), (0, 4)])
@pytest.mark.parametrize("scale", [0.0, 1e-9, 0.3, 40.0, 1e300])
def test_values_are_those_of_numpy(scale, shape):
    D = np.random.default_rng(0).uniform(0.0, 20.0, shape)
    D.ravel()[::3] = 0.0
    out, before = np.full(shape, -7.0), D.copy()
    with np.errstate(under="ignore", over="ignore"):
        expected = np.exp(-scale * D)
    _native.decay(D, scale, out)
    np.testing.assert_allclose(out, np.where(expected < 1e-307, 0.0, expected), rtol=1e-15, atol=0.0)
    np.testing.assert_array_equal(D, before)
    _native.decay(D, scale, D)  # in place
    np.testing.assert_array_equal(D, out)


def test_values_are_right_to_two_units_of_rounding_and_none_is_denormal():
    x = np.concatenate([np.linspace(0.0, 708.0, 200_001), np.geomspace(1e-300, 1.0, 50_001), [0.0]])[None]
    out = np.empty_like(x)
    _native.decay(x, 1.0, out)
    expected = np.exp(-x)
    is_there = x < 708.0
    np.testing.assert_allclose(out[is_there], expected[is_there], rtol=4.5e-16)
    assert out[0, -1] == 1.0
    beyond = np.array([[708.0, 708.3, 709.0, 745.0, 1e6, 1e308, np.inf]])
    out = np.empty_like(beyond)
    _native.decay(beyond, 1.0, out)
    assert not out.any()
