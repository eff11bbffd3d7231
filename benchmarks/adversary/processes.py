"""Processes that are killed or forked while they work.

A child that is forked while another thread fits must be able to fit, and gives the same answer. A command
that is killed and run again prints what an undisturbed one does.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.adversary.batches import Attempt

#: Fits in a thread, forks after a while, and fits in the child, which says so by its exit code. Some fits
#: come before, so that all is imported, and threads were started already.
FORK = """
import faulthandler, os, sys, threading, time
import numpy as np
from sklearn.datasets import load_iris
from kernelwise import {estimator}
X, y = load_iris(return_X_y=True)
X, y = X[::2], y[::2]
def fit():
    return {estimator}({settings}).fit(X, {target}).{answer}(X)
for _ in range({n_before}):
    fit()
thread = threading.Thread(target=fit)
thread.start()
time.sleep({seconds})
pid = os.fork()
if not pid:
    faulthandler.dump_traceback_later({limit}, exit=True)
    np.save("child.npy", fit())
    os._exit(0)
thread.join()
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
if code:
    sys.exit(code)
if not np.array_equal(np.load("child.npy"), fit()):
    sys.exit("the child has another answer")
"""
LIMIT = 60
FITS = (
    ("SVC", "", "decision_function"),
    ("TunedSVC", "'rbf'", "decision_function"),
    ("TunedSVC", "n_jobs=2", "predict_proba"),
    ("TunedSVR", "'rbf', n_jobs=2", "predict"),
    ("GridSearchSVC", "{'C': [0.1, 1.0, 10.0]}, n_jobs=2", "predict"),
    ("TunedOneClassSVM", "", "score_samples"),
)


def prepare_forks() -> Attempt:
    """What to try: a fork at a random moment of a fit."""

    def attempt(seed: str) -> str:
        draw = random.Random(seed)
        estimator, settings, answer = draw.choice(FITS)
        program = FORK.format(
            estimator=estimator,
            settings=settings,
            answer=answer,
            target="None" if estimator == "TunedOneClassSVM" else "y",
            n_before=draw.choice([0, 0, 1]),
            seconds=draw.choice([0.0, 0.003, 0.01, 0.02, 0.05, 0.1, 0.3]) * draw.uniform(0.5, 1.5),
            limit=LIMIT,
        )
        # OpenBLAS itself hangs a parent that forks while several of its threads are at work.
        one_thread = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
        command = [sys.executable, "-W", "ignore", "-c", program]
        done = subprocess.run(command, capture_output=True, text=True, timeout=4 * LIMIT, env=one_thread)
        return f"{estimator}({settings}): {done.stderr[-600:]!r}" if done.returncode else ""

    return attempt


COMMANDS = {
    "tune": ("tune", "table.csv", "--json", "--kernel", "rbf"),
    "compare": ("compare", "table.csv", "--json", "--folds", "3", "--methods", "kernelwise,SVC defaults"),
    "detect": ("detect", "table.csv", "--json", "--ignore", "class"),
}


def prepare_kills() -> Attempt:
    """A table, and what to try: kills at random moments, until the command is through."""
    from benchmarks.adversary.tables import whole_files

    Path("table.csv").write_bytes(whole_files()["named.csv"])
    expected = {name: answer(_run(arguments)[1]) for name, arguments in COMMANDS.items()}

    def attempt(seed: str) -> str:
        draw = random.Random(seed)
        name = draw.choice(sorted(COMMANDS))
        journal, model = Path(f"{seed}.journal"), Path(f"{seed}.kw")
        written = ("--journal", str(journal), *(("--model", str(model)) if name != "compare" else ()))
        for _ in range(draw.choice([1, 2, 3])):
            _run((*COMMANDS[name], *written), seconds=draw.uniform(0.3, 3.0))
        code, out = _run((*COMMANDS[name], *written))
        left = [path.name for path in Path().glob(f"{seed}.kw?*")]
        for path in Path().glob(f"{seed}.*"):
            path.unlink()
        if code or left:
            return f"{name}: exit code {code}, {left} left behind: {out[-300:]!r}"
        return "" if answer(out) == expected[name] else f"{name} has another answer after a kill"

    return attempt


def _run(arguments: tuple[str, ...], seconds: float | None = None) -> tuple[int, str]:
    """Exit code and output of a command, which is killed after some seconds."""
    command = [sys.executable, "-m", "kernelwise", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        if seconds is not None:
            time.sleep(seconds)
            os.kill(process.pid, signal.SIGKILL)
        out, _ = process.communicate()
    return process.returncode, out


def answer(out: str) -> object:
    """What a command printed, without times and names of files."""

    def without(value: object) -> object:
        if isinstance(value, dict):
            return {key: without(item) for key, item in value.items() if not _is_of_the_run(key)}
        return [without(item) for item in value] if isinstance(value, list) else value

    return without(json.loads(out))


def _is_of_the_run(key: str) -> bool:
    return "second" in key or "time" in key or key in ("model", "journal", "report", "settings", "out")
