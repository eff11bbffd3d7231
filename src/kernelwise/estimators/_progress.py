"""The progress of a fit: one task for every kernel scored, and a journal of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

from kernelwise.search.scored_kernel import KernelPath


@contextmanager
def watched(model: Any, watch: Callable[[KernelPath], None]) -> Iterator[None]:
    """Call ``watch`` with every kernel that a tuned machine scores while it is fitted."""
    model._say = watch
    try:
        yield
    finally:
        del model._say  # it is no part of the model: `save` must not meet it


@contextmanager
def remembered(model: Any, journal: MutableMapping[str, Any] | None) -> Iterator[None]:
    """Keep the kernels that a tuned machine scores in a journal while it is fitted, and take them from it."""
    model._journal = journal
    try:
        yield
    finally:
        del model._journal


class Progress:
    """Tells an estimator's callbacks what is being done; without callbacks in scikit-learn, nobody.

    Parameters
    ----------
    estimator : estimator
    X, y : array
        What ``fit`` was given.
    """

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self.told: dict[str, Any] = {"estimator": estimator, "X": X, "y": y}
        self.root: Any = None
        if hasattr(estimator, "_init_callback_context"):
            # How many kernels will be tried is not known before.
            self.root = estimator._init_callback_context(max_subtasks=None)
            self.root.call_on_fit_task_begin(**self.told)

    @contextmanager
    def task(self, name: str) -> Iterator[None]:
        """What is done inside is one task."""
        if self.root is None:
            yield
            return
        context = self.root.subcontext(task_name=name)
        context.call_on_fit_task_begin(**self.told)
        yield
        context.call_on_fit_task_end(**self.told)

    def end(self) -> None:
        """All is done."""
        if self.root is not None:
            self.root.call_on_fit_task_end(**self.told)
