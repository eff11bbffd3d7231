"""Widths named by the distance sketch."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import RBF
from kernelwise.metrics import inter_class_distance
from kernelwise.search.choose import choose
from kernelwise.search.engine.context import Deadline
from kernelwise.search.propose.candidates import (
    CLASS_RULES,
    CURVE,
    USUAL,
    WIDE,
    Width,
    Widths,
    at_median,
    named_widths,
    peak_of,
    width_data_of_classes,
)


@pytest.fixture
def named(make_validator):
    """The widths that rules name, and the curves that they have looked at."""

    def name(Z, index, rules=CLASS_RULES):
        data = width_data_of_classes(make_validator(Z, index, cv=2), RBF(1.0))
        return named_widths(rules, data), data.curves

    return name


def test_the_peak_of_a_criterion_is_named(rings, named):
    Z, index = rings
    widths, curves = named(Z, index)
    gammas = curves["gamma"]
    brute = np.array([inter_class_distance(RBF(gamma)(Z), index) for gamma in gammas])
    assert_allclose(curves["dbtc"], brute, rtol=1e-5)
    [k] = [k for k, reason in enumerate(widths.reasons) if "peak of dbtc" in reason]
    assert_allclose(widths.gammas[k], gammas[brute.argmax()])


def test_a_plateau_names_no_width_but_the_wide_one(named):
    """Two far blobs: ESDR rises towards wide kernels without end."""
    random = np.random.default_rng(0)
    Z = random.normal(size=(100, 2))
    Z[50:, 0] += 4.0
    rules = [peak_of("esdr"), at_median(USUAL, "usual"), at_median(WIDE, "wide")]
    widths, curves = named(Z, np.repeat([0, 1], 50), rules)
    assert widths.reasons == ["usual", "wide"]
    median = CURVE[0] / curves["gamma"][0]
    assert_allclose(np.array(widths.gammas) * median, [USUAL, WIDE])
    assert (np.diff(curves["esdr"]) <= 1e-12).all()


def test_units_do_not_change_what_is_named(rings, named):
    """A power of two, so that distances stay in their bins."""
    Z, index = rings
    one, _ = named(Z, index)
    other, _ = named(Z * 128.0, index)
    assert one.reasons == other.reasons
    assert_allclose(np.array(one.gammas), np.array(other.gammas) * 128.0**2)


def test_widths_alike_are_one():
    widths = Widths()
    for gamma, reason in [(1.0, "a"), (1.9, "b"), (2.1, "c"), (0.4, "d")]:
        widths.propose(gamma, reason)
    assert widths.gammas == [1.0, 2.1, 0.4]
    assert widths.reasons == ["a, b", "c", "d"]


def test_samples_that_coincide_are_refused(named):
    with pytest.raises(DegenerateGramError, match="All samples coincide"):
        named(np.ones((6, 2)), np.arange(6) % 2)


def test_more_than_half_of_the_distances_zero(named):
    """The median distance is zero although there are two points."""
    Z, index = np.zeros((20, 1)), np.arange(20) % 2
    Z[:2] = 1.0
    widths, _ = named(Z, index)
    assert np.isfinite(widths.gammas).all()


def test_a_new_rule_is_one_function_and_one_entry(rings, make_validator, monkeypatch):
    """The rule is asked, its width is scored, and its words are in the reasons."""

    def narrow(data):
        """γ at which the median distance is eight widths away."""
        yield Width(64.0 / data.median, "eight widths")

    monkeypatch.setattr(
        "kernelwise.search.families.classification.Classification.width_rules", [*CLASS_RULES, narrow]
    )
    validator = make_validator(*rings, cv=2)
    choice = choose(validator, "rbf")
    assert "eight widths" in [scored.reason for scored in validator.scored]
    assert "(eight widths)" in choice.how[0]


def test_without_time_for_criteria_the_usual_and_the_wide_width_are_left(rings, make_validator):
    Z, index = rings
    deadline = Deadline(1e-9)
    data = width_data_of_classes(make_validator(Z, index, cv=2, deadline=deadline), RBF(1.0))
    widths = named_widths(CLASS_RULES, data)
    assert widths.reasons == ["usual", "wide"]
    median = np.median(RBF(1.0).distances(Z)[np.triu_indices(len(Z), 1)])
    assert_allclose(np.array(widths.gammas) * median, [USUAL, WIDE])
    assert list(data.curves) == ["gamma"]
    assert "widths by criteria of class separability" in deadline.skipped
