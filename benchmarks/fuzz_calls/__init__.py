"""Random calls of the public Python interface: each works, or is refused in one sentence about its argument.

``python -m benchmarks.fuzz_calls --calls 2000 --seed 0``; see `verdict` for what counts as a failure.
"""

from benchmarks.fuzz_calls.run import Failure, run_calls

__all__ = ["Failure", "run_calls"]
