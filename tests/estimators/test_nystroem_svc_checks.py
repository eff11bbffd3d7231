"""scikit-learn's own checks of an estimator, on NystroemSVC."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from kernelwise import NystroemSVC


class LabelsOnly(NystroemSVC):
    """Without probabilities: `check_classifiers_train` can then check everything else."""

    @property
    def predict_proba(self):
        raise AttributeError("LabelsOnly has no probabilities.")

    @property
    def predict_log_proba(self):
        raise AttributeError("LabelsOnly has no probabilities.")


MACHINES = [
    NystroemSVC(),
    NystroemSVC("linear", C=1.0),
    NystroemSVC(n_components=20, multiclass="ovr", memory_limit=1e-3),
    LabelsOnly(),
]
PROBABILITIES = (
    "As in scikit-learn's SVC, Platt's sigmoids need not agree with the labels where a probability is near "
    "one half; LabelsOnly passes."
)


def expected_failures(machine):
    return {} if isinstance(machine, LabelsOnly) else {"check_classifiers_train": PROBABILITIES}


# Data of a few noisy rows: the warning is deserved.
@pytest.mark.filterwarnings("ignore:Platt's sigmoid was not found")
@parametrize_with_checks(MACHINES, expected_failed_checks=expected_failures)
def test_sklearn_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("k", range(len(MACHINES)))
def test_number_of_checks(k):
    """A tag that leaves checks out would go unnoticed otherwise."""
    assert sum(1 for _ in estimator_checks_generator(MACHINES[k])) == 64
