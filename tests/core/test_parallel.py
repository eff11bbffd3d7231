"""Threads and other backends of joblib: the same results, and one BLAS thread for each of ours."""

from __future__ import annotations

import faulthandler
import importlib
import os
import sys
import threading
import time
import warnings
from contextlib import contextmanager, nullcontext

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_info, threadpool_limits

from kernelwise import DistanceSketch, GridSearchSVC, TunedSVC
from kernelwise._core import threads as _threads
from kernelwise.solvers import svm_path

RNG = np.random.default_rng(3)
Y = np.arange(180) % 3
X = RNG.normal(size=(180, 4)) + 1.5 * RNG.normal(size=(3, 4))[Y]
K = rbf_kernel(X)
FOLDS = list(StratifiedKFold(3).split(X, Y))
CS = [0.1, 1.0, 10.0]


def blas_threads():
    return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}


def everything(n_jobs):
    """What is computed in threads, as arrays."""
    grid = GridSearchSVC({"gamma": [0.01, 0.1], "C": CS}, cv=3, n_jobs=n_jobs).fit(X, Y)
    tuned = TunedSVC(n_jobs=n_jobs).fit(X, Y)
    return {
        "path": svm_path(K, Y, CS, FOLDS, n_jobs=n_jobs).decision,
        "sketch": DistanceSketch.from_data(X, Y, n_jobs=n_jobs).moments,
        "grid": grid.cv_results_["mean_test_score"],
        "grid machine": grid.decision_function(X),
        "tuned": tuned.cv_results_["mean_test_score"],
        "tuned machine": tuned.decision_function(X),
    }


@pytest.fixture(scope="module")
def expected():
    return everything(n_jobs=1)


@contextmanager
def dask_client():
    distributed = pytest.importorskip("distributed", reason="distributed (extra 'dask') is not installed")
    with distributed.Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=":0"):
        yield


@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_backends_give_the_same_to_the_bit(expected, backend):
    with dask_client() if backend == "dask" else nullcontext(), parallel_config(backend=backend, n_jobs=2):
        found = everything(n_jobs=None)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)


@pytest.mark.parametrize(("n_jobs", "expected"), [(3, 3), (1, 1), (None, 2), (-1, 2)])
def test_a_cluster_with_many_cores_does_not_start_as_many_threads_here(monkeypatch, n_jobs, expected):
    monkeypatch.setattr(_threads, "effective_n_jobs", lambda n: 1600 if n in (None, -1) else n)
    monkeypatch.setattr(_threads, "cpu_count", lambda: 2)
    assert _threads.number_of_threads(n_jobs) == expected


def test_the_last_of_several_contexts_puts_the_threads_of_blas_back():
    with threadpool_limits(2, user_api="blas"):
        first, second = _threads.one_blas_thread(), _threads.one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert blas_threads() == {1}  # the second is still in it
        second.__exit__(None, None, None)
        assert blas_threads() == {2}


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
@pytest.mark.parametrize("return_as", ["list", "generator"])
def test_results_come_in_the_order_of_the_tasks(n_jobs, return_as):
    def slow_first(k):
        time.sleep(0.02 if k == 0 else 0.0)
        return k

    found = _threads.threads(n_jobs, return_as)((slow_first, (k,), {}) for k in range(30))
    assert list(found) == list(range(30))


def test_threads_are_at_most_twice_their_number_of_tasks_ahead():
    begun = []
    found = _threads.threads(2, "generator")((begun.append, (k,), {}) for k in range(30))
    next(found)
    assert len(begun) <= 4
    assert len(list(found)) == 29
    assert sorted(begun) == list(range(30))


def test_an_error_ends_the_tasks_that_have_not_begun():
    begun = []

    def task(k):
        begun.append(k)
        if k == 3:
            raise ValueError("the fourth task")
        return k

    with pytest.raises(ValueError, match="the fourth task"):
        _threads.threads(2)((task, (k,), {}) for k in range(1000))
    assert len(begun) < 20


def test_nobody_waits_for_tasks_that_are_not_wanted_any_more():
    begun = []
    found = _threads.threads(2, "generator")((begun.append, (k,), {}) for k in range(1000))
    assert next(found) is None
    found.close()
    assert len(begun) < 20


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no forks")
def test_a_forked_child_waits_for_no_thread_of_its_parent():
    """The other thread holds the lock, a context and a property that is being computed."""
    at_work, done = threading.Event(), threading.Event()

    class Slow:
        @_threads.cached_property
        def value(self):
            if threading.current_thread() is not threading.main_thread():
                at_work.set()
                done.wait()
            return 3

    def work():
        with _threads.one_blas_thread(), _threads._lock:
            Slow().value  # noqa: B018

    other = threading.Thread(target=work)
    n_before = _threads.free_threads()
    other.start()
    at_work.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of forks with threads
        pid = os.fork()
    if not pid:
        try:
            faulthandler.dump_traceback_later(60, exit=True)
            with _threads.one_blas_thread():
                is_right = Slow().value == 3 and [one.n_before for one in _threads._open] == [n_before]
            os._exit(0 if is_right and _threads.free_threads() == n_before else 1)
        finally:
            os._exit(2)
    done.set()
    other.join()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no forks")
def test_a_fork_waits_for_an_import(tmp_path, monkeypatch):
    """A child that forks in the middle of it would find the lock of the module locked for ever."""
    (tmp_path / "slowly_imported.py").write_text("import time\ntime.sleep(0.5)\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.invalidate_caches()
    begun = threading.Event()

    def work():
        with _threads.importing:
            begun.set()
            importlib.import_module("slowly_imported")

    other = threading.Thread(target=work)
    other.start()
    begun.wait()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if not pid:
        try:
            faulthandler.dump_traceback_later(30, exit=True)
            with _threads.importing:
                importlib.import_module("slowly_imported")
            os._exit(0)
        finally:
            os._exit(2)
    other.join()
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
