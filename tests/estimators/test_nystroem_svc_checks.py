"""scikit-learn's own checks of an estimator, on NystroemSVC."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from tests.sklearn_checks import checks_are_counted

from kernelwise import NystroemSVC

MACHINES = [
    NystroemSVC(),
    NystroemSVC("linear", C=1.0, class_weight="balanced", multiclass="ovr"),
    NystroemSVC("diagonal", n_components=20, memory_limit=1e-3),
]


# Data of a few noisy rows: the warning is deserved.
@pytest.mark.filterwarnings("ignore:Platt's sigmoid did not converge")
@parametrize_with_checks(MACHINES)
def test_sklearn_checks(estimator, check):
    check(estimator)


@checks_are_counted
@pytest.mark.parametrize("k", range(len(MACHINES)))
def test_number_of_checks(k):
    """A tag that leaves checks out would go unnoticed otherwise."""
    assert sum(1 for _ in estimator_checks_generator(MACHINES[k])) == 64
