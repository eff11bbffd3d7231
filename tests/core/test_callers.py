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
