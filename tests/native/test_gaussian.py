"""Values of a Gaussian kernel in single precision against powers of two of exponents that are exact."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import _native

#: Below 2⁻¹⁰⁰ a value counts as zero wherever it is used.
LEAST = 2.0**-100


def exponents(n_rows, n_panels, size, lowest, seed=0):
    """Rows and panels whose products are exact in single precision, from ``lowest`` to above zero."""
    rng = np.random.default_rng(seed)
    left = rng.integers(-16, 17, (n_rows, size)).astype(np.float32) / 4.0
    panels = rng.integers(0, 17, (n_panels, size, _native.WIDTH)).astype(np.float32) / 8.0
    left[:, 0] = rng.integers(int(8 * lowest), 1, n_rows) / 8.0
    left[-1, 0], panels[:, 0] = lowest, 1.0
    wanted = np.einsum("ik,ckt->ict", left.astype(float), panels.astype(float)).reshape(n_rows, -1)
    return left, panels, wanted


def values(wanted):
    return np.exp2(np.clip(wanted, -100.0, 0.0))


@pytest.mark.parametrize("lowest", [-3, -90, -1000])
@pytest.mark.parametrize(
    ("n_rows", "n_out", "n_panels", "size"), [(4, 4, 1, 1), (9, 6, 2, 3), (70, 70, 3, 8)]
)
def test_kernel_values_are_written(n_rows, n_out, n_panels, size, lowest):
    left, panels, wanted = exponents(n_rows, n_panels, size, lowest)
    assert wanted.min() < 0.8 * lowest
    out = np.full((n_out, n_panels * _native.WIDTH + 5), -7.0, np.float32)
    _native.gaussian_fill(left, panels, out)
    np.testing.assert_allclose(out[:, :-5], values(wanted[:n_out]), rtol=3e-7)
    assert (out[:, -5:] == -7.0).all()
    assert out[:, :-5].min() >= LEAST


@pytest.mark.parametrize("lowest", [-3, -1000])
@pytest.mark.parametrize(("n_rows", "n_panels", "size"), [(4, 1, 1), (64, 2, 3), (68, 1, 5), (300, 3, 2)])
def test_weighted_kernel_values_are_added(n_rows, n_panels, size, lowest):
    left, panels, wanted = exponents(n_rows, n_panels, size, lowest)
    rng = np.random.default_rng(1)
    change, total = rng.normal(size=n_rows).astype(np.float32), rng.normal(size=n_panels * _native.WIDTH)
    expected = total + change.astype(float) @ values(wanted)
    _native.gaussian_add(left, change, panels, total)
    # At most 64 terms are added in single precision, before they are added in double precision.
    scale = np.abs(change).astype(float) @ values(wanted)
    assert (np.abs(total - expected) <= 64 * 2.0**-24 * scale + 1e-12).all()


def test_exponents_out_of_range_are_those_of_its_ends():
    left = np.array([[-1e30], [-1000.0], [1e-7], [1e30]], np.float32)
    out = np.empty((4, _native.WIDTH), np.float32)
    _native.gaussian_fill(left, np.ones((1, 1, _native.WIDTH), np.float32), out)
    np.testing.assert_array_equal(out, np.array([[LEAST], [LEAST], [1.0], [1.0]], np.float32) + 0 * out)


def test_nothing_is_added_by_no_rows_or_to_no_columns():
    left, panels = np.ones((0, 2), np.float32), np.ones((1, 2, _native.WIDTH), np.float32)
    total = np.ones(_native.WIDTH)
    _native.gaussian_add(left, np.empty(0, np.float32), panels, total)
    assert (total == 1.0).all()
    _native.gaussian_add(np.ones((4, 2), np.float32), np.ones(4, np.float32), panels[:0], np.empty(0))
