"""scikit-learn's own checks of an estimator, on TunedSVR and SVR."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from tests.sklearn_checks import checks_are_counted

from kernelwise import TunedSVR
from kernelwise.estimators import SVR
from kernelwise.kernels import RBF

# The checks of weights compare predictions to 1e-7: two solvers' paths must end closer than that.
TOL = 1e-9
#: The searches are short: what the options mean is tested elsewhere, here that scikit-learn can use each.
CS = [1.0, 10.0]
MACHINES = [
    TunedSVR(Cs=CS, cv=2, tol=TOL),
    TunedSVR("linear", Cs=CS, epsilons=0.1, tol=TOL, n_jobs=2, scoring="d2_absolute_error_score"),
    TunedSVR("diagonal", Cs=CS, epsilons=0.1, cv=2, scale="minmax", refit="one-standard-error"),
    TunedSVR(RBF(0.1), criterion="cv-error", scale=None),
    TunedSVR("precomputed", epsilons=[0.05, 0.2]),
    TunedSVR("rbf", criterion="centered-kta", solver="nystroem", cv=2),
    SVR(tol=TOL),
    SVR("diagonal", tol=TOL, memory_limit=1e-3),
    SVR("precomputed"),
]
#: One less than without gaps for those that take NaN: the check that it is refused is not for them.
NUMBERS_OF_CHECKS = [59, 59, 59, 59, 57, 59, 60, 60, 57]


@pytest.mark.filterwarnings("ignore:.*models stopped before they converged")
@parametrize_with_checks(MACHINES)
def test_sklearn_checks(estimator, check):
    check(estimator)


@checks_are_counted
@pytest.mark.parametrize("k", range(len(MACHINES)))
def test_number_of_checks(k):
    """A tag that leaves checks out would go unnoticed otherwise."""
    assert sum(1 for _ in estimator_checks_generator(MACHINES[k])) == NUMBERS_OF_CHECKS[k]
