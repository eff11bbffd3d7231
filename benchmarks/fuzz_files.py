"""``python -m benchmarks.fuzz_files``: broken files through four commands, in this process.

A failure is an exit code other than 0 and 2, a traceback, a file that is left half-written, more than 20
seconds of the processor, or an escape sequence among the messages.
"""

from __future__ import annotations

import argparse
import io
import multiprocessing
import os
import random
import resource
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from benchmarks.mutated import mutated, whole_files
from kernelwise.cli.app import main as kernelwise

SECONDS = 20.0
#: Files that one process reads; a crash of a library ends it, and is a failure.
BATCH = 50
COMMANDS = ("tune", "predict", "diagnose", "compare")
SHORT = ("--log2c", "0,2,2", "--cv", "2")
TARGETS = {"numbers.tsv": ("--target", "y", "--task", "regression")}


class Run(NamedTuple):
    """What a command did with a file."""

    command: str
    kind: str
    code: int
    seconds: float
    failure: str  # empty if there is none
    arguments: tuple[str, ...]


def command(draw: random.Random, kind: str, name: str, only: str | None = None) -> tuple[str, ...]:
    """A command for a broken file, with some of its options."""
    target = TARGETS.get(kind, ())
    flags: tuple[tuple[str, ...], ...] = (
        ("--lump",),
        ("--missing", "-,<5"),
        ("--ignore", "1"),
        ("--no-header",),
        ("--scale", "none"),
        ("--words", "2"),
    )
    more = tuple(part for flag in flags if draw.random() < 0.1 for part in flag)
    more += ("--impute",) if draw.random() < 0.5 else ()
    chosen = only or draw.choice(["tune", "tune", "tune", "predict", "predict", "diagnose", "compare"])
    if chosen == "predict":
        more = (("--unknown", "ignore") if draw.random() < 0.5 else ()) + ("--out", "written")
        return ("predict", f"{kind}.kw", name, *more)
    if chosen != "tune":
        more = tuple(part for part in more if part not in ("--scale", "none"))
    if chosen == "tune":
        test = (kind,) if draw.random() < 0.1 else ()
        short = SHORT if draw.random() < 0.5 else ()
        return ("tune", name, *test, *target, *short, *more, "--model", "written")
    if chosen == "diagnose":
        return ("diagnose", name, *target[:2], *more)
    return ("compare", name, *target[:2], "--methods", "kernelwise,SVC defaults", "--folds", "2", *more)


def run(arguments: tuple[str, ...], kind: str = "") -> Run:
    """Run a command in the current folder, and say what failed."""
    written = Path("written")
    written.unlink(missing_ok=True)
    files = set(os.listdir())
    out, err = io.StringIO(), io.StringIO()
    started = time.process_time()
    with redirect_stdout(out), redirect_stderr(err):
        code = kernelwise(arguments)
    seconds = time.process_time() - started
    messages = err.getvalue() + ("" if arguments[0] == "predict" else out.getvalue())
    left = set(os.listdir()) - files - ({"written"} if code == 0 else set())
    failures = {
        f"exit code {code}: {messages[-300:]!r}": code not in (0, 2),
        "a traceback": "Traceback" in messages,
        f"{left} left behind": bool(left),
        f"{seconds:.0f} s": seconds > SECONDS,
        "an escape sequence": "\x1b" in messages,
        "no message": code == 2 and "kernelwise: " not in messages,
    }
    failure = "; ".join(what for what, is_so in failures.items() if is_so)
    return Run(arguments[0], kind, code, seconds, failure, arguments)


def broken(seed: str, files: dict[str, bytes]) -> tuple[str, str, bytes, tuple[str, ...]]:
    """Format, name and contents of a broken file, and a command for it; a seed may begin with a command."""
    draw = random.Random(seed)
    kind = draw.choice(sorted(files))
    name, contents = mutated(draw, kind, files[kind])
    only = seed.split("-")[0] if seed.startswith(COMMANDS) else None
    return kind, f"broken_{name}", contents, command(draw, kind, f"broken_{name}", only)


def run_batch(seeds: list[str], files: dict[str, bytes], pipe: Any) -> None:
    """Run the files of some seeds, in a process of their own, and send what happened."""
    # A process that was forked waits for ever for threads that its parent had: OpenMP is to start none.
    threadpool_limits(1, user_api="openmp")
    for seed in seeds:
        kind, name, contents, arguments = broken(seed, files)
        Path(name).write_bytes(contents)
        pipe.send(seed)
        pipe.send(run(arguments, kind))
        Path(name).unlink()
    pipe.close()


def run_all(seeds: list[str], files: dict[str, bytes], jobs: Any) -> list[tuple[str, Run]]:
    """Every seed with its run; a process that died is a failure of the seed it was at."""
    runs: list[tuple[str, Run]] = []
    left = list(seeds)
    while left:
        batch, left = left[:BATCH], left[BATCH:]
        receiver, sender = jobs.Pipe(duplex=False)
        process = jobs.Process(target=run_batch, args=(batch, files, sender))
        process.start()
        sender.close()
        seed = batch[0]
        try:
            while True:
                seed = receiver.recv()
                runs.append((seed, receiver.recv()))
        except EOFError:
            process.join()
        if process.exitcode:
            died = f"the process ended with {process.exitcode}"
            runs.append((seed, Run(*broken(seed, files)[3][:1], "", process.exitcode, 0.0, died, ())))
            left = [*batch[batch.index(seed) + 1 :], *left]
        for seed, done in runs[-len(batch) :]:
            if done.failure:
                print(f"seed {seed}: {' '.join(done.arguments)}: {done.failure}", flush=True)
    return runs


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fuzz_files", description=__doc__)
    parser.add_argument("--files", type=int, default=500, metavar="N", help="default: %(default)s")
    parser.add_argument("--seed", default="0", help="default: %(default)s; tune-0 runs tune only")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where to put files that failed")
    options = parser.parse_args(arguments)
    files, started = whole_files(), time.monotonic()
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name, contents in files.items():
                Path(name).write_bytes(contents)
                trained = ("tune", name, *TARGETS.get(name, ()), *SHORT, "--model", f"{name}.kw")
                assert run(trained).code == 0, f"{name} is no whole file"
            seeds = [f"{options.seed}-{k}" for k in range(options.files)]
            runs = run_all(seeds, files, multiprocessing.get_context("fork"))
        finally:
            os.chdir(home)
    failed = [(seed, done) for seed, done in runs if done.failure]
    if options.keep:
        options.keep.mkdir(exist_ok=True)
        for seed, _ in failed:
            _, name, contents, _ = broken(seed, files)
            (options.keep / f"{seed}_{name}").write_bytes(contents)
    counts = Counter((done.command, done.code) for _, done in runs)
    for (chosen, code), n in sorted(counts.items()):
        print(f"{chosen:10} exit code {code}: {n}")
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
    longest = max(done.seconds for _, done in runs)
    print(
        f"{len(runs)} files, {len(failed)} failures; longest {longest:.1f} s, {memory:.1f} GiB, "
        f"{time.monotonic() - started:.0f} s in all"
    )
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
