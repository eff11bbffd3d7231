"""Progress on the standard error stream: one live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from kernelwise.cli.output import say, session

if TYPE_CHECKING:
    from kernelwise.search.engine.scored_kernel import ScoredKernel

#: Kernels that a search scores, about; other names learn no metric. For the share that is done.
EXPECTED = {"linear": 1, "diagonal": 14, "gaussian": 8, "low-rank": 8, "auto": 28}
USUALLY = 7
#: The same of a search for unusual rows: without labels, and with them; a kernel without widths is one.
EXPECTED_OF_DETECTION = {"auto": (3, 12), "rbf": (4, 4), "laplacian": (4, 4)}
#: The last part of a search may take longer than the others: never more than this share before it is over.
NEARLY = 0.95
#: Shares of the work at which a log gets a line; one more says that the end has come.
STEPS = (0.0, 0.25, 0.5, 0.75)
#: Fewer than these are not counted: a search of a second may take three.
FEW_SECONDS = 5.0


def expected(kernel: object) -> int:
    """Kernels that a search for this name or kernel, or among these and their sum, scores, about."""
    if isinstance(kernel, list):
        return sum(EXPECTED.get(str(name), USUALLY) for name in kernel) + 1
    return EXPECTED.get(str(kernel), USUALLY)


def expected_of_detection(kernel: str, has_labels: bool) -> int:
    """Kernels that a search for unusual rows scores."""
    return EXPECTED_OF_DETECTION.get(kernel, (1, 1))[has_labels]


class Progress:
    """A line on the work: what is being done, the share done, the time left, the models trained.

    It has no scores: the one score of the model is that of the answer.

    Parameters
    ----------
    budget : float or None
        Seconds.
    expected : int or None
        Parts of the work, about.
    stage : str
        What is done at first.
    """

    def __init__(
        self, budget: float | None = None, expected: int | None = None, stage: str = "starting"
    ) -> None:
        self.budget, self.expected, self.stage = budget, expected, stage
        self.n_done = self.n_models = 0
        self.seconds_each: float | None = None
        self.seconds_left: float | None = None
        self.previous: float | None = None
        self.n_timed, self.seconds_timed = 0, 0.0
        self.live: Any = None
        self.spinner: Any = None
        self.steps = list(STEPS)
        self.handler = _Handler()

    def __enter__(self) -> Self:
        self.started = time.monotonic()
        logger = logging.getLogger("kernelwise")
        logger.addHandler(self.handler)
        self.propagated, logger.propagate = logger.propagate, False
        if sys.stderr.isatty() and not session.is_quiet:
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
        logger = logging.getLogger("kernelwise")
        logger.removeHandler(self.handler)
        logger.propagate = self.propagated
        if self.live is not None:
            self.live.stop()

    def scored(self, path: ScoredKernel) -> None:
        """A kernel was scored along its values of C."""
        from kernelwise.search.wording import kernel_text, number

        self.n_models += path.n_machines
        self.done()
        self.show(f"{kernel_text(path.kernel)}, {path.symbol} = {number(path.Cs[path.best])}")

    def done(self) -> None:
        """A part is done; it is timed, unless it is the first, in which code is loaded or compiled."""
        self.n_done += 1
        now = time.monotonic()
        if self.previous is not None:
            self.n_timed += 1
            self.seconds_timed += now - self.previous
            self.seconds_each = self.seconds_timed / self.n_timed
        self.previous = now

    def last(self, stage: str) -> None:
        """The search is over; what comes now is trained once."""
        self.n_done, self.seconds_each = self.expected or self.n_done, None
        self.steps.append(0.0)
        self.show(stage)

    def show(self, stage: str) -> None:
        """Name what is being done, or was just done: in a log, five times at most unless all is asked for."""
        self.stage = stage
        reached = [step for step in self.steps if step <= (self.share or 0.0)]
        self.steps = [step for step in self.steps if step not in reached]
        if self.live is None and (reached or session.is_verbose):
            say(f"  {self._counts()}; {stage}")

    @property
    def share(self) -> float | None:
        """The share of the work that is done, about; None before anything is."""
        if not self.expected or not self.n_done:
            return None
        return min(self.n_done / self.expected, NEARLY)

    def _counts(self) -> str:
        elapsed = time.monotonic() - self.started
        parts = [f"{elapsed:.1f} s"]
        if self.share is not None:
            left = self._left(elapsed)
            parts.append(f"about {100 * self.share:.0f} % done")
            if left is not None:
                parts.append("a few seconds left" if left < FEW_SECONDS else f"{left:.0f} s left")
        if self.n_models:
            parts.append(f"{self.n_models} models")
        return ", ".join(parts)

    def _left(self, elapsed: float) -> float | None:
        """Seconds, about; None if nobody knows."""
        left = self.seconds_left
        if self.seconds_each is not None and self.expected and self.share is not None:
            left = self.seconds_each * self.expected * (1.0 - self.share)
        if left is None or self.budget is None:
            return left
        return min(left, max(self.budget - elapsed, 0.0))

    def _line(self) -> Any:
        from rich.text import Text

        text = Text(f"{self._counts()}; {self.stage}")
        text.truncate(self.live_width, overflow="ellipsis")  # beside the spinner it must not wrap
        self.spinner.update(text=text)
        return self.spinner


class _Handler(logging.Handler):
    """Shows what the library has to say to somebody who waits."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)

    def emit(self, record: logging.LogRecord) -> None:
        say(record.getMessage())
