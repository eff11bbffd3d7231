"""scikit-learn's own checks of an outlier detector, on TunedOneClassSVM."""

from __future__ import annotations

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks
from tests.sklearn_checks import checks_are_counted

from kernelwise import TunedOneClassSVM

# In scikit-learn 1.9.
N_CHECKS = 54


class Unlabelled(TunedOneClassSVM):
    """The checks pass class numbers as y, which TunedOneClassSVM refuses because they are no labels of it."""

    def fit(self, X, y=None, sample_weight=None):
        return super().fit(X, None, sample_weight)


# A row is judged by machines that have not seen it, as by LocalOutlierFactor, whose fit_predict and predict
# differ for the same reason: the share of training rows that the final machine, which knows them, rejects is
# smaller than the contamination.
HELD_OUT = "the contamination is a share of held-out scores"
EXPECTED = dict.fromkeys(("check_outliers_train", "check_outliers_fit_predict"), HELD_OUT)


@pytest.mark.filterwarnings("ignore::kernelwise.exceptions.TrustWarning")
@parametrize_with_checks([Unlabelled(tol=1e-10)], expected_failed_checks=lambda estimator: EXPECTED)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@checks_are_counted
def test_number_of_scikit_learn_checks():
    """A tag set by mistake skips checks without a word: their number would change."""
    assert len(list(estimator_checks_generator(Unlabelled()))) == N_CHECKS
