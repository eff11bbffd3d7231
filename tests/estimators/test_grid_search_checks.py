"""scikit-learn's own checks of an estimator, on GridSearchSVC."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from tests.sklearn_checks import checks_are_counted

from kernelwise.estimators.grid_search import GridSearchSVC
from kernelwise.kernels import RBF

# The checks of weights compare decision values to 1e-7: two solvers' paths must end closer than that.
CS, TOL = [1.0, 10.0], 1e-10
SEARCHES = [
    GridSearchSVC({"gamma": [0.1, "auto"], "C": CS}, cv=2, n_jobs=2, return_train_score=True, tol=TOL),
    GridSearchSVC({"C": CS}, cv=2, kernel="diagonal", scaler="minmax", scaling="shared", tol=TOL),
    GridSearchSVC(kernels=[RBF(0.1)], Cs=CS, cv=2, multiclass="ovr", class_weight="balanced", tol=TOL),
    GridSearchSVC({"C": CS}, cv=2, kernel="precomputed", scoring="accuracy"),
]
NUMBERS_OF_CHECKS = [64, 63, 64, 61]


@pytest.mark.filterwarnings("ignore:The least populated class in y:UserWarning")
@parametrize_with_checks(SEARCHES)
def test_sklearn_checks(estimator, check):
    check(estimator)


@checks_are_counted
@pytest.mark.parametrize("k", range(len(SEARCHES)))
def test_number_of_checks(k):
    """A tag that leaves checks out would go unnoticed otherwise."""
    assert sum(1 for _ in estimator_checks_generator(SEARCHES[k])) == NUMBERS_OF_CHECKS[k]
