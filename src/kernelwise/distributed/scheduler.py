"""Dask's current scheduler: what runs the tasks, and how their results are added up."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from dask import compute, config, delayed, persist

from kernelwise._core.threads import one_blas_thread

#: Results that one task adds up.
FAN_IN = 8


def computed(tasks: Any) -> Any:
    """Run delayed tasks, and return what they return."""
    with _settings():
        return compute(tasks)[0]


def persisted(value: Any) -> Any:
    """Delay a value that is no dask collection; a cluster's workers get it once, not with every task."""
    with _settings():
        return persist(delayed(value, traverse=False))[0]


def tree_sum(tasks: list[Any], add: Callable[[list[Any]], Any]) -> Any:
    """Return the delayed sum of what delayed tasks return, some at a time."""
    while len(tasks) > 1:
        tasks = [delayed(add)(tasks[first : first + FAN_IN]) for first in range(0, len(tasks), FAN_IN)]
    return tasks[0]


@contextmanager
def _settings() -> Iterator[None]:
    """Set what suits schedulers of all kinds.

    BLAS is limited for schedulers in this process; workers of a cluster have one thread by their settings.
    Indices of rows, and a number for each row, go to the workers with the tasks: no reason for a warning.
    """
    # A setting from before distributed is imported would take all its defaults away with it in the end.
    is_loaded = "distributed" in sys.modules
    quietly = {"distributed.admin.large-graph-warning-threshold": "10 GiB"} if is_loaded else {}
    with one_blas_thread(), config.set(quietly):
        yield
