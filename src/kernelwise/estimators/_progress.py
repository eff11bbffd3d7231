"""The progress of a fit: one task for every kernel scored."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class Progress:
    """Tells an estimator's callbacks what is being done; without callbacks in scikit-learn, nobody."""

    def __init__(self, estimator: Any, X: Any, y: Any) -> None:
        self.arguments: dict[str, Any] = {"estimator": estimator, "X": X, "y": y}
        self.root: Any = None
        if hasattr(estimator, "_init_callback_context"):
            # How many kernels will be tried is not known before.
            self.root = estimator._init_callback_context(max_subtasks=None)
            self.root.call_on_fit_task_begin(**self.arguments)

    @contextmanager
    def task(self, name: str) -> Iterator[None]:
        """What is done inside is one task."""
        if self.root is None:
            yield
            return
        context = self.root.subcontext(task_name=name)
        context.call_on_fit_task_begin(**self.arguments)
        yield
        context.call_on_fit_task_end(**self.arguments)

    def end(self) -> None:
        """All is done."""
        if self.root is not None:
            self.root.call_on_fit_task_end(**self.arguments)
