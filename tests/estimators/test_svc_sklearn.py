"""SVC under scikit-learn's contract: its own checks, and its tools around the estimator."""

from __future__ import annotations

from collections import Counter

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator, parametrize_with_checks

from kernelwise import SVC
from kernelwise.kernels import RBF

CONFIGURATIONS = {
    "rbf": SVC(),
    "linear": SVC(kernel="linear", tol=1e-10),
    "kernel object": SVC(kernel=RBF(0.5), tol=1e-10),
    "one-vs-rest": SVC(multiclass="ovr"),
    "probability": SVC(probability=True),
    "precomputed": SVC(kernel="precomputed"),
}


@parametrize_with_checks(list(CONFIGURATIONS.values()))
def test_scikit_learn_check(estimator, check):
    check(estimator)
