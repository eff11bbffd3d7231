"""Widths named by the distance sketch."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import RBF
from kernelwise.metrics import inter_class_distance
from kernelwise.search.candidates import CURVE, USUAL, WIDE, Widths, named_widths
from kernelwise.sketch.sketch import DistanceSketch


def test_the_peak_of_a_criterion_is_named(rings):
    Z, index = rings
    sketch = DistanceSketch.from_data(Z, index)
    widths = named_widths(sketch)
    gammas = widths.curves["gamma"]
    brute = np.array([inter_class_distance(RBF(gamma)(Z), index) for gamma in gammas])
    assert_allclose(widths.curves["dbtc"], brute, rtol=1e-5)
    [named] = [k for k, reason in enumerate(widths.reasons) if "peak of dbtc" in reason]
    assert_allclose(widths.gammas[named], gammas[brute.argmax()])


def test_a_plateau_names_no_width_but_the_wide_one():
    """Two far blobs: ESDR rises towards wide kernels without end."""
    random = np.random.default_rng(0)
    Z = random.normal(size=(100, 2))
    Z[50:, 0] += 4.0
    widths = named_widths(DistanceSketch.from_data(Z, np.repeat([0, 1], 50)), ["esdr"])
    assert widths.reasons == ["usual", "wide"]
    median = CURVE[0] / widths.curves["gamma"][0]
    assert_allclose(np.array(widths.gammas) * median, [USUAL, WIDE])
    assert (np.diff(widths.curves["esdr"]) <= 1e-12).all()


def test_units_do_not_change_what_is_named(rings):
    """A power of two, so that distances stay in their bins."""
    Z, index = rings
    one = named_widths(DistanceSketch.from_data(Z, index))
    other = named_widths(DistanceSketch.from_data(Z * 128.0, index))
    assert one.reasons == other.reasons
    assert_allclose(np.array(one.gammas), np.array(other.gammas) * 128.0**2)


def test_widths_alike_are_one():
    widths = Widths()
    for gamma, reason in [(1.0, "a"), (1.9, "b"), (2.1, "c"), (0.4, "d")]:
        widths.propose(gamma, reason)
    assert widths.gammas == [1.0, 2.1, 0.4]
    assert widths.reasons == ["a, b", "c", "d"]


def test_samples_that_coincide_are_refused():
    sketch = DistanceSketch.from_data(np.ones((6, 2)), np.arange(6) % 2)
    with pytest.raises(DegenerateGramError, match="All samples coincide"):
        named_widths(sketch)


def test_more_than_half_of_the_distances_zero():
    """The median distance is zero although there are two points."""
    Z, index = np.zeros((20, 1)), np.arange(20) % 2
    Z[:2] = 1.0
    widths = named_widths(DistanceSketch.from_data(Z, index))
    assert np.isfinite(widths.gammas).all()
