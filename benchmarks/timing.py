"""The least time of several runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def best(run: Callable[[], Any], repeat: int = 7, clock: Callable[[], float] = time.process_time) -> float:
    """The least time of several runs: processor seconds, unless another clock is given."""
    times = []
    for _ in range(repeat):
        start = clock()
        run()
        times.append(clock() - start)
    return min(times)
