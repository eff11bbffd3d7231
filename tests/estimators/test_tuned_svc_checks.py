"""scikit-learn's own checks of an estimator, on TunedSVC."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from tests.sklearn_checks import checks_are_counted

from kernelwise import TunedSVC

#: The searches are short but for the first: what the options mean is tested elsewhere, here that scikit-learn
#: can use each.
CS = [1.0, 10.0]
MACHINES = [
    TunedSVC(),
    TunedSVC("linear", scale=None, multiclass="ovr", Cs=CS),
    TunedSVC("poly", criterion="kta", class_weight="balanced", refit="one-standard-error", Cs=CS, cv=2),
    TunedSVC("precomputed", Cs=CS),
    TunedSVC("exponential", criterion="dbtc", scale="minmax", Cs=CS, n_jobs=2),
    TunedSVC("rbf", multiclass="ovr-fuzzy", class_weight="balanced", solver="nystroem", Cs=CS, cv=2),
    TunedSVC("diagonal", criterion="centered-kta", Cs=CS, cv=2),
]
#: One less than without gaps: the check that NaN is refused is not for machines that take it.
NUMBERS_OF_CHECKS = [63, 63, 63, 61, 63, 63, 63]
#: A pairwise estimator is given samples there, so that none of them can pass: scikit-learn's own
#: SVC(kernel="precomputed", probability=True) fails this check, too (without probability it is left out).
NO_GRAM = {"check_decision_proba_consistency": "The check passes samples, not a Gram matrix."}


def expected_failures(machine):
    return NO_GRAM if machine.kernel == "precomputed" else {}


# Data of a few noisy rows, or with class weights of 1000 against 0.0001: the warnings are deserved.
@pytest.mark.filterwarnings("ignore:Platt's sigmoid did not converge")
@pytest.mark.filterwarnings("ignore:.*models stopped before they converged")
@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.BoundaryWarning")
@parametrize_with_checks(MACHINES, expected_failed_checks=expected_failures)
def test_sklearn_checks(estimator, check):
    check(estimator)


@checks_are_counted
@pytest.mark.parametrize("k", range(len(MACHINES)))
def test_number_of_checks(k):
    """A tag that leaves checks out would go unnoticed otherwise."""
    assert sum(1 for _ in estimator_checks_generator(MACHINES[k])) == NUMBERS_OF_CHECKS[k]
