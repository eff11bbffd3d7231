"""Threads of a path: as many as it is worth, and one BLAS thread in each."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from kernelwise import DistanceSketch, GridSearchSVC, TunedSVC
from kernelwise.solvers import svm_path
from kernelwise.solvers.path import ClassPaths
from kernelwise.solvers.path_problem import PathProblem
from tests.core.test_parallel import CS, FOLDS, K, X, Y, blas_threads


def test_blas_has_one_thread_in_ours_and_gets_its_own_back(monkeypatch):
    seen = []
    monkeypatch.setattr(PathProblem, "patience", 0.0)  # all machines are solved by linear systems

    def scorer(estimator, X, y):
        seen.append(blas_threads())
        return 0.0

    with threadpool_limits(2, user_api="blas"):
        svm_path(K, Y, CS, FOLDS, n_jobs=2, callback=lambda done, total: seen.append(blas_threads()))
        assert blas_threads() == {2}
        GridSearchSVC({"gamma": [0.01, 0.1], "C": CS}, cv=3, n_jobs=2, scoring=scorer).fit(X, Y)
        assert blas_threads() == {2}
        TunedSVC(n_jobs=2, Cs=CS).fit(X, Y)
        DistanceSketch.from_data(X, Y, n_jobs=2)
        assert blas_threads() == {2}
    assert len(seen) > 9
    assert all(threads == {1} for threads in seen)


@pytest.mark.parametrize(("n_values", "n_threads"), [(3, 1), (40, 2)])
def test_a_small_path_is_not_shared_out(n_values, n_threads):
    """Each machine has 120 of the samples: threads take longer to begin."""
    problem = ClassPaths(np.arange(3), Y, FOLDS, np.ones((3, 180))).problem
    assert problem.begin(K, np.geomspace(0.1, 1.0, n_values), tol=1e-3, n_jobs=2).n_threads == n_threads
