"""scikit-learn's own checks of an estimator: every class once for each kind of input that it takes.

What the options mean is tested elsewhere, here that scikit-learn can use the class. Searches are short but
for that of `TunedSVC`.
"""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import pytest
import sklearn
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from kernelwise import (
    SVC,
    SVR,
    GridSearchSVC,
    MetricTransformer,
    NystroemOneClassSVM,
    NystroemSVC,
    NystroemSVR,
    OneClassSVM,
    TunedOneClassSVM,
    TunedSVC,
    TunedSVR,
)
from kernelwise.exceptions import BoundaryWarning, KernelwiseWarning
from kernelwise.optimizers import ManifoldDescent, QuasiNewton
from kernelwise.selection import PairwiseSVC

# The checks of weights compare decision values to 1e-7: two solvers' paths must end closer than that.
TOL = 1e-10
CS = [1.0, 10.0]


class DistanceSVC(TunedSVC):
    """The checks pass distances to an estimator with this attribute, else a Gram matrix."""

    metric = "precomputed"


class DistanceSVR(TunedSVR):
    """The same for numbers."""

    metric = "precomputed"


class Unlabelled(TunedOneClassSVM):
    """The checks pass class numbers as y, which TunedOneClassSVM refuses because they are no labels of it."""

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, None, sample_weight)


#: Deserved warnings: data of a few noisy rows, random labels, or class weights of 1000 against 0.0001.
SIGMOID = {"message": "Platt's sigmoid did not converge"}
STOPPED = {"message": ".*models stopped before they converged"}
FEW = {"message": "The least populated class in y", "category": UserWarning}
BOUNDARY, OURS = {"category": BoundaryWarning}, {"category": KernelwiseWarning}

# These checks pass samples or a Gram matrix whatever a kernel takes. scikit-learn's own
# SVC(kernel="precomputed", probability=True) fails that of probabilities, too (without, it is left out).
NO_GRAM = dict.fromkeys(("check_outliers_train", "check_outliers_fit_predict"), "no Gram matrix")
NO_GRAM_PROBA = {"check_decision_proba_consistency": "The check passes samples, not a Gram matrix."}
NO_DISTANCES = {
    "check_class_weight_classifiers": "The check passes a Gram matrix.",
    "check_decision_proba_consistency": "The check passes samples, not a matrix of distances.",
}
# A row is judged by machines that have not seen it, as by LocalOutlierFactor, whose fit_predict and predict
# differ for the same reason: the share of training rows that the final machine, which knows them, rejects is
# smaller than the contamination.
HELD_OUT = dict.fromkeys(
    ("check_outliers_train", "check_outliers_fit_predict"), "the contamination is a share of held-out scores"
)


class Checked(NamedTuple):
    """An estimator, the number of its checks in scikit-learn 1.9, and which of them are no matter."""

    estimator: Any
    n_checks: int
    ignored: tuple[dict[str, Any], ...] = ()
    expected_failures: dict[str, str] | None = None


#: Checks on sparse input fall away for a Gram matrix, and the one that NaN is refused for what takes gaps.
CHECKED = [
    Checked(SVC(probability=True, tol=TOL, predict_by="decision"), 64),
    Checked(SVC(kernel="diagonal", tol=TOL, memory_limit=1e-3), 64),  # by rows
    Checked(SVC(kernel="precomputed"), 61),
    Checked(SVR(tol=1e-9), 60, (STOPPED,)),
    Checked(SVR("precomputed"), 57, (STOPPED,)),
    Checked(SVR(tol=1e-9, loss="pinball"), 60, (STOPPED,)),
    Checked(OneClassSVM(tol=TOL), 54),
    Checked(OneClassSVM(kernel="precomputed"), 51, (), NO_GRAM),
    Checked(TunedSVC(), 63, (SIGMOID, STOPPED, BOUNDARY)),
    Checked(TunedSVC("precomputed", Cs=CS), 61, (SIGMOID, STOPPED, BOUNDARY), NO_GRAM_PROBA),
    Checked(DistanceSVC("precomputed-distance"), 62, (SIGMOID,), NO_DISTANCES),
    Checked(TunedSVR(Cs=CS, cv=2, tol=1e-9), 59, (STOPPED,)),
    Checked(TunedSVR("precomputed", epsilons=[0.05, 0.2]), 57, (STOPPED,)),
    Checked(TunedSVR(Cs=CS, cv=2, tol=1e-9, quantile=0.5), 59, (STOPPED,)),
    Checked(DistanceSVR("precomputed-distance"), 58, (SIGMOID,)),
    Checked(TunedSVC(blend=False, tol=TOL), 63, (SIGMOID, STOPPED, BOUNDARY)),
    Checked(TunedSVC("precomputed", blend=True, Cs=CS), 61, (SIGMOID, STOPPED, BOUNDARY), NO_GRAM_PROBA),
    Checked(TunedSVR(["rbf", "linear"], blend=True, Cs=CS, cv=2, tol=1e-9), 59, (STOPPED,)),
    Checked(Unlabelled(tol=TOL), 54, (), HELD_OUT),
    Checked(
        GridSearchSVC({"gamma": [0.1, "auto"], "C": CS}, cv=2, n_jobs=2, return_train_score=True, tol=TOL),
        64,
        (FEW,),
    ),
    Checked(GridSearchSVC({"C": CS}, cv=2, kernel="precomputed", scoring="accuracy"), 61, (FEW,)),
    Checked(NystroemSVC(), 64, (SIGMOID,)),
    Checked(NystroemSVR(), 60),
    Checked(NystroemOneClassSVM(tol=TOL), 54),
    Checked(MetricTransformer(starts=(2.0,), optimizer=ManifoldDescent(tol=1e-3, max_iter=5)), 48),
    Checked(MetricTransformer(method="alignment"), 48),
    Checked(
        PairwiseSVC(optimizer=QuasiNewton("golden", max_iter=2, min_decrease=0.05), scan=False, C=10.0),
        55,
        (SIGMOID, OURS),
    ),
]
BY_ESTIMATOR = {repr(one.estimator): one for one in CHECKED}


def expected_failures(estimator):
    return BY_ESTIMATOR[repr(estimator)].expected_failures or {}


@parametrize_with_checks([one.estimator for one in CHECKED], expected_failed_checks=expected_failures)
def test_sklearn_check(estimator, check):
    with warnings.catch_warnings():
        for ignored in BY_ESTIMATOR[repr(estimator)].ignored:
            warnings.filterwarnings("ignore", **ignored)
        check(estimator)


@pytest.mark.skipif(
    not sklearn.__version__.startswith("1.9."), reason="other versions of scikit-learn have other checks"
)
@pytest.mark.parametrize("one", CHECKED, ids=lambda one: type(one.estimator).__name__)
def test_number_of_checks(one):
    """A tag that leaves checks out would go unnoticed otherwise."""
    assert sum(1 for _ in estimator_checks_generator(one.estimator)) == one.n_checks
