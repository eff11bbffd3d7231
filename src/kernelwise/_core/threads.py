"""Threads of our own with one BLAS thread each, and nothing that a forked process would wait for.

They do not compete for cores, and sums depend neither on n_jobs nor on the number of BLAS threads. A process
may fork while any of them is at work: the child has no other threads, and no lock that one of them held.
"""

from __future__ import annotations

import functools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import chain, islice
from threading import Lock, RLock, get_ident
from typing import TYPE_CHECKING, Any, TypeVar

from joblib import cpu_count, effective_n_jobs
from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")
#: What `joblib.delayed` makes of a call: a function, its arguments and its named arguments.
Task = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]

#: Values of a matrix that a thread takes at a time: less is done before a thread has begun.
SHARE = 1 << 19

_lock = Lock()


if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property(functools.cached_property):
        """As of Python 3.12 in every version: before, it has a lock, which a forked child may find locked."""

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
            if instance is None:
                return self
            value = vars(instance)[self.attrname] = self.func(instance)
            return value


@dataclass(eq=False)
class _Context:
    """One context of `one_blas_thread`: what puts the number of threads back, what it was, and its thread."""

    limiter: Any
    n_before: int
    leaves_cores: bool
    thread: int


_open: list[_Context] = []
#: What contexts of threads limited that a forked child does not have.
_left_limited: list[Any] = []


def _after_fork() -> None:
    """Forget what other threads of the parent were doing."""
    global _lock
    _lock = Lock()
    own = [context for context in _open if context.thread == get_ident()]
    if _open and not own:
        _left_limited.append(_open[0].limiter)
    _open[:] = own


#: Held while a package is imported during a fit. A fork waits for its end: a child would find the lock of the
#: half-imported package locked for ever.
importing = RLock()


if hasattr(os, "register_at_fork"):  # Windows has no forks
    os.register_at_fork(after_in_child=_after_fork)
    os.register_at_fork(
        before=importing.acquire, after_in_parent=importing.release, after_in_child=importing.release
    )


def threads(n_jobs: int | None, return_as: str = "list") -> Callable[[Iterable[Task]], Any]:
    """Threads that share out tasks, as many as joblib says: our tasks share matrices that must not be copied.

    The result takes tasks as of `joblib.delayed`, and returns a list or a generator of what they return.
    Joblib's own threads take some milliseconds to begin with, as long as a whole path of a small table.
    """
    n = number_of_threads(n_jobs)
    in_turn = results_in_turn if n == 1 else partial(_results_of_threads, n)
    return in_turn if return_as == "generator" else lambda tasks: list(in_turn(tasks))


def _results_of_threads(n: int, tasks: Iterable[Task]) -> Iterator[Any]:
    """What tasks return, in their order, from n threads that are never more than 2 n tasks ahead."""
    tasks = iter(tasks)
    first = list(islice(tasks, 2))
    if len(first) < 2:  # starting threads takes longer than many a task
        yield from results_in_turn(first)
        return
    begun: deque[Future[Any]] = deque()
    with ThreadPoolExecutor(n) as pool:
        try:
            for function, arguments, options in chain(first, tasks):
                begun.append(pool.submit(function, *arguments, **options))
                if len(begun) == 2 * n:
                    yield begun.popleft().result()
            while begun:
                yield begun.popleft().result()
        finally:  # after an error, or if nobody wants the rest
            for task in begun:
                task.cancel()


def results_in_turn(tasks: Iterable[Task]) -> Iterator[Any]:
    """What tasks return, each done when its result is asked for."""
    return (function(*arguments, **options) for function, arguments, options in tasks)


def number_of_threads(n_jobs: int | None) -> int:
    """As many as are asked for; where a backend decides, no more than this machine has cores.

    A cluster's backend counts the cores of the cluster, and our threads are all here.
    """
    if n_jobs == 1:
        return 1
    n = effective_n_jobs(n_jobs)
    is_asked_for = n == 1 or (n_jobs is not None and n_jobs > 0)
    return n if is_asked_for else min(n, cpu_count())  # counting cores reads files


@contextmanager
def one_blas_thread(*, leaves_cores: bool = False) -> Iterator[None]:
    """A context in which BLAS uses one thread, so that its sums do not depend on how many it might use.

    The number is one of the whole process: of contexts in several threads, the first to begin sets it and
    the last to end puts it back. ``leaves_cores`` says that no threads of ours are at work inside, so that
    `in_order` may start some.
    """
    with _lock:
        if _open:
            limiter, n_before = _open[0].limiter, _open[0].n_before
        else:
            while _left_limited:
                _left_limited.pop().restore_original_limits()
            n_before = _blas_threads()
            limiter = _controller().limit(limits=1, user_api="blas")
        own = _Context(limiter, n_before, leaves_cores, get_ident())
        _open.append(own)
    try:
        yield
    finally:
        with _lock:
            _open.remove(own)
            if not _open:
                limiter.restore_original_limits()


def in_order(
    function: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None = None
) -> list[Result]:
    """``function`` of every item, in as many threads as BLAS would have used, each with one BLAS thread.

    So large products keep their speed, and the parts that they are made of do not depend on the number.
    ``n_jobs`` asks for another number of threads.
    """
    n = min(free_threads(n_jobs), len(items))
    with one_blas_thread(leaves_cores=n < 2):
        if n < 2:
            return [function(item) for item in items]
        return list(_results_of_threads(n, ((function, (item,), {}) for item in items)))


def by_rows(function: Callable[[slice], None], shape: tuple[int, ...]) -> None:
    """``function`` of all rows of a matrix: of a large one some at a time, in threads as by `in_order`."""
    n, height = shape[0], max(1, SHARE // max(1, shape[1]))
    if n <= height:
        function(slice(0, n))
    else:
        in_order(lambda first: function(slice(first, first + height)), range(0, n, height))


def free_threads(n_jobs: int | None = None) -> int:
    """Threads that nobody uses: those of BLAS, or ``n_jobs``, unless threads of ours are at work."""
    with _lock:
        if not all(context.leaves_cores for context in _open):
            return 1
        if n_jobs is not None:
            return number_of_threads(n_jobs)
        return _open[0].n_before if _open else _blas_threads()


def _blas_threads() -> int:
    return max((lib.num_threads for lib in _controller().select(user_api="blas").lib_controllers), default=1)


@lru_cache
def _controller() -> ThreadpoolController:
    # Looking through the loaded libraries takes longer than a small path or sketch.
    return ThreadpoolController()
