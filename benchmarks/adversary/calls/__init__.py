"""Random calls of the public Python interface: each works, or is refused in one sentence about its argument.

See `verdict` for what counts as a failure.
"""

from __future__ import annotations

from benchmarks.adversary.batches import Attempt
from benchmarks.adversary.calls.run import Failure, run_calls

__all__ = ["Failure", "prepare", "run_calls"]


def prepare() -> Attempt:
    """Nothing is needed: a seed is a seed and the number of a call."""

    def attempt(seed: str) -> str:
        first, number = map(int, seed.split("-"))
        return "; ".join(
            f"{one.label[:200]}: {one.fault[:300]}" for one in run_calls(first, [number]).failures
        )

    return attempt
