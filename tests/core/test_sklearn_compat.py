"""Warnings name the line of the user."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from kernelwise import TunedSVC, TunedSVR


@pytest.mark.parametrize("estimator", [TunedSVC, TunedSVR])
def test_a_short_budget_is_said_where_fit_was_called(estimator):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator(time_budget=1e-9).fit(X, y)
    [found] = [one for one in caught if "time_budget" in str(one.message)]
    assert found.filename == __file__


def test_code_without_a_module_is_the_users():
    """Such as that of `exec` with globals of its own, or of a notebook's cell."""
    program = "from kernelwise import TunedSVC\nTunedSVC(time_budget=1e-9).fit(X, y)"
    X = np.random.default_rng(0).normal(size=(40, 2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(program, {"X": X, "y": (X[:, 0] > 0).astype(int)})
    [found] = [one for one in caught if "time_budget" in str(one.message)]
    assert (found.filename, found.lineno) == ("<string>", 2)
