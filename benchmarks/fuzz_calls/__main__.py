"""The command; see the package."""

from __future__ import annotations

import argparse
from collections import defaultdict

from benchmarks.fuzz_calls.run import Failure, run_calls


def main() -> int:
    """Run the calls, print failures by their origin, and return how many there are."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz_calls", description=__doc__)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of calls to make again")
    parser.add_argument("--shown", type=int, default=3, help="calls that are shown of each origin")
    options = parser.parse_args()
    numbers = range(options.calls) if options.only is None else options.only
    outcome = run_calls(options.seed, numbers)
    groups: dict[str, list[Failure]] = defaultdict(list)
    for failure in outcome.failures:
        groups[failure.origin].append(failure)
    for origin, failures in sorted(groups.items(), key=lambda item: -len(item[1])):
        print(f"{len(failures):4d}  {origin}")
        for failure in failures[: options.shown]:
            print(f"        #{failure.number}: {failure.fault[:300]!r}\n            {failure.label[:300]}")
    seconds, slowest = outcome.slowest
    print(
        f"{len(numbers)} calls: {outcome.n_worked} worked, {outcome.n_refused} were refused in a sentence, "
        f"{len(outcome.failures)} failed; the slowest, #{slowest}, took {seconds:.1f} s."
    )
    return min(len(outcome.failures), 1)


if __name__ == "__main__":
    raise SystemExit(main())
