"""scikit-learn's own checks of an estimator, on NystroemSVR."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from tests.sklearn_checks import checks_are_counted

from kernelwise import NystroemSVR

MACHINES = [
    NystroemSVR(),
    NystroemSVR("linear", C=1.0, epsilon=0.0),
    NystroemSVR("diagonal", n_components=20, memory_limit=1e-3),
]


@parametrize_with_checks(MACHINES)
def test_sklearn_checks(estimator, check):
    check(estimator)


@checks_are_counted
@pytest.mark.parametrize("k", range(len(MACHINES)))
def test_number_of_checks(k):
    """A tag that leaves checks out would go unnoticed otherwise."""
    assert sum(1 for _ in estimator_checks_generator(MACHINES[k])) == 60
