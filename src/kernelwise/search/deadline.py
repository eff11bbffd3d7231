"""A time budget, and what had to be left out to keep it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Deadline:
    """When to stop, and what was skipped because of it.

    Parameters
    ----------
    seconds : float or None
        From now on; None is no limit.
    reserve : float
        The share of the seconds that `allows` keeps for what comes last.
    clock : callable
        Returns seconds.
    """

    seconds: float | None = None
    reserve: float = 0.0
    clock: Callable[[], float] = time.perf_counter
    skipped: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.started = self.clock()

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self.clock() - self.started

    @property
    def left(self) -> float:
        """Seconds that are left; infinite without a limit."""
        return np.inf if self.seconds is None else self.seconds - self.elapsed

    def allows(self, what: str, cost: float = 0.0) -> bool:
        """Whether there is time for something of that cost; if not, it is noted as skipped."""
        if self.seconds is None or cost < self.left - self.reserve * self.seconds:
            return True
        self.skipped.append(what)
        return False
