"""The command; see the package."""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.adversary import calls, claims, command_line, journals, models, processes, solver
from benchmarks.adversary.batches import Attempt, attempt_all


class Part(NamedTuple):
    """What is tried, how often in seconds and how often in the long run, and what prepares it."""

    what: str
    short: int
    long: int
    prepare: Callable[[], Attempt]


PARTS = {
    "models": Part("changed model files", 150, 2000, models.prepare),
    "journals": Part("damaged journals", 20, 300, journals.prepare),
    "commands": Part("commands with broken tables or odd options", 30, 600, command_line.prepare),
    "calls": Part("calls of Python", 60, 2000, calls.prepare),
    "forks": Part("forks during a fit", 2, 40, processes.prepare_forks),
    "kills": Part("commands that were killed", 2, 40, processes.prepare_kills),
    "claims": Part("dozens of models whose claims are compared with the truth", 3, 60, claims.prepare),
    "solver": Part("problems of the solver", 40, 1000, solver.prepare),
}


def run(name: str, seeds: list[str]) -> int:
    """Try a part, print its line, and return how many attempts failed."""
    part, started, home = PARTS[name], time.monotonic(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            found = attempt_all(part.prepare(), seeds)
        finally:
            os.chdir(home)
    print(
        f"{name:14}{found.n:6} {part.what}: {len(found.failures)} failed; longest {found.longest:.1f} s, "
        f"most memory {found.memory} MiB, {time.monotonic() - started:.0f} s in all",
        flush=True,
    )
    return len(found.failures)


def main(arguments: list[str] | None = None) -> int:
    """Try the parts that are asked for, and return whether something failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.adversary", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"default: all of {', '.join(PARTS)}")
    parser.add_argument("--long", action="store_true", help="6000 attempts, in half an hour")
    parser.add_argument("--seed", default="0", help="default: %(default)s")
    parser.add_argument("--count", type=int, help="attempts of each part")
    parser.add_argument("--only", nargs="*", help="numbers of attempts to make again")
    options = parser.parse_args(arguments)
    unknown = set(options.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {min(unknown)!r}; the parts are {', '.join(PARTS)}")
    n_failed = 0
    for name in options.parts or PARTS:
        part = PARTS[name]
        count = options.count or (part.long if options.long else part.short)
        numbers = options.only or range(count)
        n_failed += run(name, [f"{options.seed}-{number}" for number in numbers])
    return int(n_failed > 0)


if __name__ == "__main__":
    raise SystemExit(main())
