"""Progress on the standard error stream: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from kernelwise.search.scored_kernel import ScoredKernel


def say(sentence: str) -> None:
    """A line for the user; the standard output is for results."""
    print(sentence, file=sys.stderr, flush=True)


class Progress:
    """What is being done, how many machines were trained, the best score, and the time that is left.

    Parameters
    ----------
    budget : float or None
        Seconds.
    """

    def __init__(self, budget: float | None = None) -> None:
        self.budget = budget
        self.n_machines = 0
        self.best: float | None = None
        self.stage = "starting"
        self.live: Any = None
        self.spinner: Any = None

    def __enter__(self) -> Self:
        self.started = time.monotonic()
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live
            from rich.spinner import Spinner

            console = Console(stderr=True)
            self.spinner, self.live_width = Spinner("dots"), max(console.width - 4, 10)
            self.live = Live(console=console, get_renderable=self._line, transient=True, refresh_per_second=8)
            self.live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.live is not None:
            self.live.stop()

    def scored(self, path: ScoredKernel) -> None:
        """A kernel was scored along its values of C."""
        self.n_machines += path.n_machines
        self.best = path.best_score if self.best is None else max(self.best, path.best_score)
        self.show(f"{path.kernel} ({path.reason}): {path.best_score:.4f} at C = {path.Cs[path.best]:.4g}")

    def show(self, stage: str) -> None:
        """Name what was just done."""
        self.stage = stage
        if self.live is None:
            say(f"  {self._counts()}; {stage}")

    def _counts(self) -> str:
        elapsed = time.monotonic() - self.started
        parts = [f"{elapsed:.1f} s"]
        if self.n_machines:
            parts.append(f"{self.n_machines} machines")
        if self.best is not None:
            parts.append(f"best {self.best:.4f}")
        if self.budget is not None:
            parts.append(f"{max(self.budget - elapsed, 0.0):.1f} s left")
        return ", ".join(parts)

    def _line(self) -> Any:
        from rich.text import Text

        text = Text(f"{self._counts()}; {self.stage}")
        text.truncate(self.live_width, overflow="ellipsis")  # beside the spinner it must not wrap
        self.spinner.update(text=text)
        return self.spinner
