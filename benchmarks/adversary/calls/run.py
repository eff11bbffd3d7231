"""Makes the calls one after the other, and keeps those that fail."""

from __future__ import annotations

import contextlib
import io
import signal
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.adversary.calls.calls import Call, draw_call
from benchmarks.adversary.calls.verdict import fault_of_error, fault_of_value, fault_of_warning, origin_of

#: Seconds of the processor that a call on sixty rows may take; a call that only waits ends later.
LIMIT = 20
WAITS = 600


class Failure(NamedTuple):
    """A call that neither worked nor was refused in a sentence."""

    number: int
    label: str
    fault: str
    origin: str


class Outcome(NamedTuple):
    """How many calls worked, how many were refused, and those that did neither."""

    n_worked: int
    n_refused: int
    failures: list[Failure]
    slowest: tuple[float, int]


class TooLong(BaseException):
    """Nothing that a call may catch."""


def _stop(*_: Any) -> None:
    raise TooLong(f"more than {LIMIT} s of the processor, or {WAITS} s in all")


def run_calls(seed: int, numbers: Iterable[int]) -> Outcome:
    """Make the calls with these numbers; a number stands for the same call whatever came before it."""
    worked, refused, failures, slowest = 0, 0, [], (0.0, -1)
    for number in numbers:
        call = draw_call(np.random.default_rng([seed, number]))
        started = time.process_time()
        fault, origin, was_refused = _fault(call)
        slowest = max(slowest, (time.process_time() - started, number))
        if fault is not None:
            failures.append(Failure(number, call.label, fault, origin))
        elif was_refused:
            refused += 1
        else:
            worked += 1
    return Outcome(worked, refused, failures, slowest)


def _fault(call: Call) -> tuple[str | None, str, bool]:
    """What is wrong with a call, where, and whether it was refused."""
    error: BaseException | None = None
    fault, origin = None, ""
    before = {number: signal.signal(number, _stop) for number in (signal.SIGALRM, signal.SIGPROF)}
    signal.alarm(WAITS)
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("always")
        try:
            for name, value in call.make():
                fault = fault or fault_of_value(name, value)
        except (Exception, TooLong) as raised:
            error = raised
        finally:
            signal.alarm(0)
            signal.setitimer(signal.ITIMER_PROF, 0.0)
            for number, handler in before.items():
                signal.signal(number, handler)
    if error is not None:
        fault, origin = fault_of_error(error, call.names) or fault, origin_of(error)
    # What is refused is refused, whatever scikit-learn's own checks met on the way.
    for warning in caught if error is None and fault is None else ():
        if fault_of_warning(warning):
            fault, origin = fault_of_warning(warning), _place(warning)
    return fault, origin or "answer", error is not None


def _place(warning: Any) -> str:
    return f"{'/'.join(Path(warning.filename).parts[-2:])}:{warning.lineno}"
