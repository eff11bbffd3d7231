"""Threads of our own with one BLAS thread each, and pauses of the garbage collection.

So nobody quarrels over cores, and sums do not depend on n_jobs.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

from joblib import Parallel, cpu_count, effective_n_jobs
from threadpoolctl import ThreadpoolController

_lock = Lock()
#: What puts the number of threads back, once for each context that is open.
_open: list[Any] = []


def threads(n_jobs: int | None, return_as: str = "list") -> Parallel:
    """Joblib's threads, whatever its backend: our tasks share matrices that must not be copied."""
    return Parallel(n_jobs=number_of_threads(n_jobs), require="sharedmem", return_as=return_as)


def number_of_threads(n_jobs: int | None) -> int:
    """As many as are asked for; where a backend decides, no more than this machine has cores.

    A cluster's backend counts the cores of the cluster, and our threads are all here.
    """
    n = effective_n_jobs(n_jobs)
    return n if n_jobs is not None and n_jobs > 0 else min(n, cpu_count())


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context in which BLAS uses one thread.

    The number is one of the whole process: of contexts in several threads, the first to begin sets it and
    the last to end puts it back.
    """
    with _lock:
        _open.append(_open[0] if _open else _controller().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limiter = _open.pop()
            if not _open:
                limiter.restore_original_limits()


@lru_cache
def _controller() -> ThreadpoolController:
    # Looking through the loaded libraries takes longer than a small path or sketch.
    return ThreadpoolController()


@contextmanager
def collection_paused() -> Iterator[None]:
    """A context, or decorator, without automatic garbage collection.

    Numba makes so many lasting objects when it is imported, set up and run that looking through all of them
    again and again took a third of the time of loading. Meanwhile some tens of megabytes pile up.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
