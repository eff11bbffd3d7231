"""Many attempts in processes of their own: one that crashes, hangs or grows is a failure, not the end."""

from __future__ import annotations

import multiprocessing
import resource
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from threadpoolctl import threadpool_limits

#: Says what is wrong with the attempt of a seed; nothing if it is as it should be.
Attempt = Callable[[str], str]
#: Attempts of one process, seconds of the processor for one of them, seconds until it is given up, and how
#: many MiB a process may have more in the end than it began with.
BATCH, SECONDS, PATIENCE, MEMORY = 50, 20.0, 300.0, 1000


@dataclass
class Outcome:
    """What came of all attempts: failures by seed, seconds of the longest, MiB of the largest process."""

    n: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    longest: float = 0.0
    memory: int = 0


def attempt_all(attempt: Attempt, seeds: Sequence[str]) -> Outcome:
    """Try every seed, and print failures as they come."""
    outcome, left, jobs = Outcome(), list(seeds), multiprocessing.get_context("fork")
    while left:
        batch, left = left[:BATCH], left[BATCH:]
        receiver, sender = jobs.Pipe(duplex=False)
        process = jobs.Process(target=_run_batch, args=(attempt, batch, sender))
        process.start()
        sender.close()
        n_done, fault = 0, ""
        try:
            while n_done < len(batch):
                if not receiver.poll(PATIENCE):
                    fault = f"no answer within {PATIENCE:.0f} s"
                    process.kill()
                    break
                failure, seconds, memory = receiver.recv()
                _note(outcome, batch[n_done], failure, seconds, memory)
                n_done += 1
        except EOFError:
            process.join()
            fault = f"the process ended with {process.exitcode}"
        process.join()
        if fault:
            _note(outcome, batch[n_done], fault, 0.0, 0)
            left = [*batch[n_done + 1 :], *left]
    return outcome


def _note(outcome: Outcome, seed: str, failure: str, seconds: float, memory: int) -> None:
    outcome.n += 1
    outcome.longest, outcome.memory = max(outcome.longest, seconds), max(outcome.memory, memory)
    if failure:
        outcome.failures[seed] = failure
        print(f"  seed {seed}: {failure}", flush=True)


def _run_batch(attempt: Attempt, seeds: Sequence[str], pipe: Any) -> None:
    # A process that was forked waits for ever for threads that its parent had: OpenMP is to start none.
    threadpool_limits(1, user_api="openmp")
    before = _memory()
    for seed in seeds:
        started = time.process_time()
        try:
            failure = attempt(seed)
        except Exception:
            failure = f"the attempt itself failed: {traceback.format_exc()[-500:]!r}"
        seconds, memory = time.process_time() - started, _memory()
        failure = failure or (f"{seconds:.0f} s of the processor" if seconds > SECONDS else "")
        if memory > before + MEMORY:
            failure, before = failure or f"{memory - before} MiB", memory
        pipe.send((failure, seconds, memory))
    pipe.close()


def _memory() -> int:
    """MiB that this process, or one that it started, had at most."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(kind).ru_maxrss for kind in kinds) // 1024
