"""Kernel values in single precision against powers of two of exponents that are exact."""

from __future__ import annotations

import numpy as np
import pytest

from kernelwise import _native

#: Below 2⁻¹⁰⁰ a value counts as zero wherever it is used.
LEAST = 2.0**-100


def one_gaussian(size):
    """A single Gaussian kernel as a sum of one term with one power."""
    return np.array([[0, size, 1]]), np.ones((1, 2), np.float32)


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
    _native.fill_kernel(*one_gaussian(size), left, panels, out)
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
    _native.add_kernel(*one_gaussian(size), left, change, panels, total)
    # At most 64 terms are added in single precision, before they are added in double precision.
    scale = np.abs(change).astype(float) @ values(wanted)
    assert (np.abs(total - expected) <= 64 * 2.0**-24 * scale + 1e-12).all()


def test_powers_of_two_are_right_to_single_precision():
    x = np.concatenate([-np.geomspace(1e-9, 100, 100_001), np.arange(-100, 1)]).astype(np.float32)
    out = np.empty((x.size, _native.WIDTH), np.float32)
    _native.fill_kernel(*one_gaussian(1), x[:, None], np.ones((1, 1, _native.WIDTH), np.float32), out)
    assert (out == out[:, :1]).all()
    np.testing.assert_allclose(out[:, 0], np.exp2(x.astype(float)), rtol=3e-7)
    assert out[-1, 0] == 1.0


def test_exponents_out_of_range_are_those_of_its_ends():
    left = np.array([[-1e30], [-1000.0], [1e-7], [1e30]], np.float32)
    out = np.empty((4, _native.WIDTH), np.float32)
    _native.fill_kernel(*one_gaussian(1), left, np.ones((1, 1, _native.WIDTH), np.float32), out)
    np.testing.assert_array_equal(out, np.array([[LEAST], [LEAST], [1.0], [1.0]], np.float32) + 0 * out)


def test_nothing_is_added_by_no_rows_or_to_no_columns():
    left, panels = np.ones((0, 2), np.float32), np.ones((1, 2, _native.WIDTH), np.float32)
    total = np.ones(_native.WIDTH)
    _native.add_kernel(*one_gaussian(2), left, np.empty(0, np.float32), panels, total)
    assert (total == 1.0).all()
    left, change = np.ones((4, 2), np.float32), np.ones(4, np.float32)
    _native.add_kernel(*one_gaussian(2), left, change, panels[:0], np.empty(0))


#: A product of 3 columns with two widths, squares of 2 columns with one, a city block of 4 with three.
SHAPES = np.array([[0, 3, 2], [1, 2, 1], [2, 4, 3]])
POWERS = np.array([[1, 0.5], [0.25, 2], [1, 1], [1, 0.125], [0.5, 3], [2, 0.25]], np.float32)


def of_a_sum(n_rows, n_panels):
    """Rows and panels of small fractions, whose exponents are exact, and the values of the sum."""
    rng = np.random.default_rng(3)
    left = rng.integers(-16, 17, (n_rows, 9)).astype(np.float32) / 8.0
    panels = rng.integers(-16, 17, (n_panels, 9, _native.WIDTH)).astype(np.float32) / 8.0
    left[:, :3], panels[:, :3] = -np.abs(left[:, :3]), np.abs(panels[:, :3])
    columns = panels.swapaxes(0, 1).reshape(9, -1).astype(float)
    product = left[:, :3].astype(float) @ columns[:3]
    differences = np.abs(left[:, :, None] - columns[None])
    first, second = -(differences[:, 3:5] ** 2).sum(axis=1), -differences[:, 5:].sum(axis=1)
    exponents = (product, product, first, second, second, second)
    powers = zip(exponents, POWERS.astype(float), strict=True)
    return left, panels, sum(weight * np.exp2(scale * e) for e, (scale, weight) in powers)


def test_values_of_a_sum_of_gaussian_and_laplacian_kernels_are_written():
    left, panels, wanted = of_a_sum(10, 2)
    out = np.empty((10, 2 * _native.WIDTH), np.float32)
    _native.fill_kernel(SHAPES, POWERS, left, panels, out)
    np.testing.assert_allclose(out, wanted, rtol=1e-6)


def test_weighted_values_of_a_sum_are_added():
    left, panels, wanted = of_a_sum(12, 2)
    change, total = np.linspace(-1.0, 2.0, 12).astype(np.float32), np.ones(2 * _native.WIDTH)
    _native.add_kernel(SHAPES, POWERS, left, change, panels, total)
    np.testing.assert_allclose(total, 1.0 + change.astype(float) @ wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("shapes", "what"),
    [
        ([[3, 9, 6]], "a product, 0, squares, 1, or a city block, 2"),
        ([[-1, 9, 6]], "a product, 0, squares, 1, or a city block, 2"),
        ([[0, 10, 6]], "more columns or powers than there are"),
        ([[0, 9, 7]], "more columns or powers than there are"),
        ([[0, -1, 6]], "more columns or powers than there are"),
        ([[0, 5, 6]], "must have all columns and powers"),
        ([[0, 9, 5]], "must have all columns and powers"),
        ([[0, 2**62, 6], [0, 2**62, 6], [0, 2**62, 6]], "more columns or powers than there are"),
    ],
)
def test_terms_that_do_not_fit_the_rows_are_refused(shapes, what):
    left, panels, _ = of_a_sum(4, 1)
    with pytest.raises(ValueError, match=what):
        _native.fill_kernel(np.array(shapes), POWERS, left, panels, np.empty((4, _native.WIDTH), np.float32))


@pytest.mark.parametrize("lowest", [-3, -90, -1000])
@pytest.mark.parametrize(
    ("n_rows", "n_out", "n_panels", "size"), [(4, 4, 1, 1), (9, 6, 2, 3), (70, 70, 3, 8)]
)
def test_kernel_values_are_written_in_double_precision(n_rows, n_out, n_panels, size, lowest):
    left, panels, wanted = exponents(n_rows, n_panels, size, lowest)
    shapes, powers = one_gaussian(size)
    out = np.full((n_out, n_panels * _native.WIDTH + 5), -7.0)
    _native.fill_kernel(shapes, powers.astype(float), left.astype(float), panels.astype(float), out)
    wanted = wanted[:n_out]
    expected = np.where(wanted > -1022.0, np.exp2(np.minimum(wanted, 0.0)), 0.0)
    np.testing.assert_allclose(out[:, :-5], expected, rtol=4e-16)
    assert (out[:, -5:] == -7.0).all()


def test_powers_of_two_are_right_to_double_precision():
    x = np.concatenate([-np.geomspace(1e-18, 1021.9, 100_001), np.arange(-1021, 1), [-1022, -1e300, -np.inf]])
    out = np.empty((x.size, _native.WIDTH))
    ones = np.ones((1, 1, _native.WIDTH))
    _native.fill_kernel(np.array([[0, 1, 1]]), np.ones((1, 2)), x[:, None], ones, out)
    assert (out == out[:, :1]).all()
    np.testing.assert_allclose(out[:-3, 0], np.exp2(x[:-3]), rtol=4e-16)
    np.testing.assert_array_equal(out[-4:, 0], [1.0, 0.0, 0.0, 0.0])


def test_values_of_a_sum_are_written_in_double_precision():
    left, panels, wanted = of_a_sum(10, 2)
    out = np.empty((10, 2 * _native.WIDTH))
    _native.fill_kernel(SHAPES, POWERS.astype(float), left.astype(float), panels.astype(float), out)
    np.testing.assert_allclose(out, wanted, rtol=1e-14)


def test_one_kernel_has_one_precision():
    left, panels, _ = of_a_sum(4, 1)
    with pytest.raises(TypeError):
        _native.fill_kernel(SHAPES, POWERS, left.astype(float), panels, np.empty((4, _native.WIDTH)))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_several_kernels_share_exponents(dtype):
    """The values of each, beside each other, are those that it has alone."""
    left, panels, _ = exponents(9, 2, 8, -3)
    left, panels = left.astype(dtype), panels.astype(dtype)
    weights = np.array([[1.0, 0.0, 0.25], [0.5, 2.0, 0.0], [0.0, 0.0, 1.5]])
    shapes, scales, width = np.array([[0, 3, 1], [2, 5, 2]]), np.array([1.0, 0.25, 2.0]), 2 * _native.WIDTH
    out = np.full((7, 3 * width + 5), -7.0, dtype)
    _native.fill_kernel(shapes, np.column_stack([scales, weights]).astype(dtype), left, panels, out)
    assert (out[:, 3 * width :] == -7.0).all()
    for m in range(3):
        alone = np.empty((7, width), dtype)
        powers = np.column_stack([scales, weights[:, m]]).astype(dtype)
        _native.fill_kernel(shapes, powers, left, panels, alone)
        np.testing.assert_allclose(out[:, m * width : (m + 1) * width], alone, rtol=4 * np.finfo(dtype).eps)


def test_sums_are_of_one_kernel():
    left, panels, _ = exponents(4, 1, 1, -3)
    with pytest.raises(ValueError, match="Sums are those of one kernel"):
        _native.add_kernel(
            np.array([[0, 1, 1]]),
            np.ones((1, 3), np.float32),
            left,
            left[:, 0].copy(),
            panels,
            np.zeros(_native.WIDTH),
        )
    with pytest.raises(ValueError, match="A power has a scale and a weight for each kernel"):
        _native.fill_kernel(
            np.array([[0, 1, 1]]), np.ones((1, 1), np.float32), left, panels, np.ones((4, 64), np.float32)
        )
