"""scikit-learn's checks with arrays of other libraries: they need a setting that SciPy reads on import."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SCRIPT = """
import warnings
from sklearn.utils.estimator_checks import estimator_checks_generator
from kernelwise import (
    SVC, SVR, NystroemSVC, NystroemSVR, OneClassSVM, NystroemOneClassSVM,
    TunedSVC, TunedSVR, GridSearchSVC, MetricTransformer,
)
short = {"kernel": "rbf", "Cs": [1.0], "cv": 2}
models = [SVC(), SVR(), NystroemSVC(C=1.0), NystroemSVR(C=1.0), OneClassSVM(), NystroemOneClassSVM()]
models += [TunedSVC(**short), TunedSVR(**short), GridSearchSVC({"C": [1.0]}, cv=2), MetricTransformer()]
warnings.simplefilter("ignore")
for model in models:
    checks = [check for _, check in estimator_checks_generator(model) if "array_api" in check.func.__name__]
    for check in checks:
        check(model)
    print(type(model).__name__, len(checks))
"""


@pytest.mark.slow
def test_checks_with_arrays_of_other_libraries():
    """Elsewhere these checks are skipped, because the setting would change SciPy for all tests."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 10
    assert all(line.endswith(" 1") for line in done.stdout.splitlines())
