"""TunedSVR(backend="dask"): paths that dask runs give the model of paths that are run here."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_friedman1
from threadpoolctl import threadpool_limits

from kernelwise import TunedSVR
from kernelwise.search.engine.runner import Here
from kernelwise.solvers.regression import RegressionPaths

dask = pytest.importorskip("dask", reason="dask (extra 'dask') is not installed")

N = 90
X, Y = make_friedman1(N, n_features=5, noise=0.5, random_state=0)
WEIGHT = np.random.default_rng(0).integers(1, 4, size=N) * 0.5


@pytest.fixture(autouse=True)
def one_thread():
    """BLAS threads that wait for a busy core take a hundred times as long as these small systems."""
    with threadpool_limits(1, user_api="blas"):
        yield


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize(
    "settings",
    [
        {"cv": 3},
        {"kernel": "diagonal", "criterion": "centered-kta", "cv": 2},
        {"kernel": "diagonal", "cv": 2, "Cs": [1.0, 4.0], "epsilons": [0.05, 0.2]},
    ],
)
def test_the_model_is_that_of_paths_run_here(scheduler, settings):
    expected = TunedSVR(**settings).fit(X, Y, WEIGHT)
    with dask.config.set(scheduler=scheduler):
        found = TunedSVR(**settings, backend="dask").fit(X, Y, WEIGHT)
    assert found.kernel_ == expected.kernel_
    assert (found.C_, found.epsilon_) == (expected.C_, expected.epsilon_)
    assert found.n_svm_fits_ == expected.n_svm_fits_
    assert found.cv_results_["params"] == expected.cv_results_["params"]
    np.testing.assert_array_equal(
        found.cv_results_["mean_test_score"], expected.cv_results_["mean_test_score"]
    )
    assert [str(finding) for finding in found.diagnostics_] == [
        str(finding) for finding in expected.diagnostics_
    ]
    np.testing.assert_allclose(found.predict(X), expected.predict(X), rtol=1e-10)


def test_no_path_is_run_here_and_none_twice(monkeypatch):
    n_tasks = []

    def refuse(*args, **options):
        raise AssertionError("A path was run here.")

    solve = RegressionPaths.solve

    def spy(*args, **options):
        n_tasks.append(options["only"])
        return solve(*args, **options)

    monkeypatch.setattr(Here, "kernel", refuse)
    monkeypatch.setattr(RegressionPaths, "solve", spy)
    with dask.config.set(scheduler="synchronous"):
        model = TunedSVR(
            ["rbf", "laplacian"], Cs=[1.0, 4.0], epsilons=[0.1, 0.2], cv=3, refit=False, backend="dask"
        ).fit(X, Y)
    assert None not in n_tasks
    assert len(n_tasks) == 2 * 3 * len({repr(params["kernel"]) for params in model.cv_results_["params"]})


def test_bad_backends_get_one_sentence():
    with pytest.raises(ValueError, match="'backend' parameter of TunedSVR must be None or 'dask'"):
        TunedSVR(backend="ray").fit(X, Y)
