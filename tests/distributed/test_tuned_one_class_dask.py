"""TunedOneClassSVM(backend="dask"), and dask collections: the model of paths that are run here."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from kernelwise import TunedOneClassSVM
from kernelwise.search.engine.runner import Here

dask = pytest.importorskip("dask", reason="dask (extra 'dask') is not installed")

X = np.random.default_rng(0).normal(size=(120, 3))
LABEL = np.where(np.abs(X).max(axis=1) > 2.3, -1, 0)


@pytest.mark.parametrize("scheduler", ["synchronous", "threads"])
@pytest.mark.parametrize("y", [None, LABEL])
def test_the_model_is_that_of_paths_run_here(scheduler, y):
    expected = TunedOneClassSVM().fit(X, y)
    with dask.config.set(scheduler=scheduler):
        found = TunedOneClassSVM(backend="dask").fit(X, y)
    assert found.kernel_ == expected.kernel_
    assert (found.nu_, found.n_svm_fits_) == (expected.nu_, expected.n_svm_fits_)
    for name in ("mean_test_score", "n_support"):
        assert_array_equal(found.cv_results_[name], expected.cv_results_[name])
    assert_array_equal(found.training_scores_, expected.training_scores_)
    assert_array_equal(found.score_samples(X), expected.score_samples(X))


def test_no_path_is_run_here(monkeypatch):
    def refuse(*args, **options):
        raise AssertionError("A path was run here.")

    monkeypatch.setattr(Here, "kernel", refuse)
    with dask.config.set(scheduler="synchronous"):
        TunedOneClassSVM(backend="dask").fit(X)
    with pytest.raises(AssertionError, match="A path was run here"):
        TunedOneClassSVM().fit(X)


def test_a_collection_is_fetched():
    from dask import array

    expected, found = TunedOneClassSVM().fit(X), TunedOneClassSVM().fit(array.from_array(X, chunks=(50, 3)))
    assert_array_equal(found.training_scores_, expected.training_scores_)
