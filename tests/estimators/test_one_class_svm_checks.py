"""scikit-learn's own checks of an outlier detector, on OneClassSVM."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from tests.sklearn_checks import checks_are_counted

from kernelwise import OneClassSVM
from kernelwise.kernels import RBF

# The checks of weights compare decision values to 1e-7: two solvers' paths must end closer than that.
TOL = 1e-10
CONFIGURATIONS = {
    "rbf": OneClassSVM(tol=TOL),
    "linear": OneClassSVM(kernel="linear", tol=TOL),
    "kernel object": OneClassSVM(kernel=RBF(0.5), nu=0.1, tol=TOL),
    "by rows": OneClassSVM(tol=TOL, memory_limit=1e-3),
    "precomputed": OneClassSVM(kernel="precomputed"),
}
# In scikit-learn 1.9; those on sparse input fall away for a Gram matrix.
N_CHECKS = dict.fromkeys(CONFIGURATIONS, 54) | {"precomputed": 51}


def expected_to_fail(estimator):
    """These checks train on two features whatever a kernel takes."""
    checks = ("check_outliers_train", "check_outliers_fit_predict")
    return dict.fromkeys(checks, "no Gram matrix") if estimator.kernel == "precomputed" else {}


@parametrize_with_checks(list(CONFIGURATIONS.values()), expected_failed_checks=expected_to_fail)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@checks_are_counted
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_number_of_scikit_learn_checks(name):
    """A tag set by mistake skips checks without a word: their number would change."""
    assert len(list(estimator_checks_generator(CONFIGURATIONS[name]))) == N_CHECKS[name]
