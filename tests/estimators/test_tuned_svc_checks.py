"""scikit-learn's own checks of an estimator, on TunedSVC."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from kernelwise import TunedSVC


class LabelsOnly(TunedSVC):
    """Without probabilities: `check_classifiers_train` can then check everything else."""

    @property
    def predict_proba(self):
        raise AttributeError("LabelsOnly has no probabilities.")

    @property
    def predict_log_proba(self):
        raise AttributeError("LabelsOnly has no probabilities.")


MACHINES = [
    TunedSVC(),
    TunedSVC("linear"),
    TunedSVC("poly", criterion="kta"),
    TunedSVC("precomputed"),
    TunedSVC(scale=None, multiclass="ovr"),
    TunedSVC(class_weight="balanced", refit="one-standard-error", cv=2),
    TunedSVC("exponential", criterion="dbtc", scale="minmax", Cs=[1.0, 10.0], n_jobs=2),
    LabelsOnly(),
    LabelsOnly("precomputed"),
]
NUMBERS_OF_CHECKS = [64, 64, 64, 61, 64, 64, 64, 64, 61]
PROBABILITIES = (
    "As in scikit-learn's SVC, Platt's sigmoids need not agree with the labels where a probability is near "
    "one half; LabelsOnly passes."
)
ONE_SAMPLE = "The check's small Gram matrix leaves a class with one sample, which cross-validation refuses."
WITH_SMALL_CLASSES = [
    "check_dont_overwrite_parameters",
    "check_f_contiguous_array_estimator",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit2d_1feature",
    "check_dict_unchanged",
    "check_fit2d_predict1d",
]


def expected_failures(machine):
    failures = {}
    if not isinstance(machine, LabelsOnly):
        failures["check_classifiers_train"] = PROBABILITIES
    if machine.kernel == "precomputed":
        failures |= dict.fromkeys(WITH_SMALL_CLASSES, ONE_SAMPLE)
        if not isinstance(machine, LabelsOnly):
            failures["check_decision_proba_consistency"] = "The check passes samples, not a Gram matrix."
    return failures


# Data of a few noisy rows, or with class weights of 1000 against 0.0001: the warnings are deserved.
@pytest.mark.filterwarnings("ignore:Platt's sigmoid was not found")
@pytest.mark.filterwarnings("ignore:.*models of the cross-validation stopped")
@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.BoundaryWarning")
@parametrize_with_checks(MACHINES, expected_failed_checks=expected_failures)
def test_sklearn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("k", range(len(MACHINES)))
def test_number_of_checks(k):
    """A tag that leaves checks out would go unnoticed otherwise."""
    assert sum(1 for _ in estimator_checks_generator(MACHINES[k])) == NUMBERS_OF_CHECKS[k]
