"""Ctrl-C ends the work of the native core soon, whatever the number of threads."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

#: A process that was started in the background may ignore Ctrl-C, and pass that on to this one.
SCRIPT = """
import signal
import sys
import numpy as np
from tests.native.conftest import Folds, Path, clouds, gram, kfold

X, index = clouds(2000, n_features=2)
K, signs = gram(X, 0.2), 2.0 * index - 1.0
how = {"tol": 1e-9, "max_iter": 10**15, "patience": 1e12, "n_threads": int(sys.argv[2] or 1)}
folds = Folds([(np.arange(2000), signs)], kfold(2000, 4), 2000)
signal.signal(signal.SIGINT, signal.default_int_handler)
print("begins", flush=True)
try:
    if sys.argv[1] == "solve_path":
        Path(K, signs).solve([1e7], tol=1e-9, limit=10**15)
    else:
        folds.solve(K, [1e7], has_seed=sys.argv[1] == "seed", **how)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize(("what", "n_threads"), [("solve_path", 1), ("folds", 1), ("folds", 2), ("seed", 2)])
def test_an_interrupt_ends_long_work(what, n_threads):
    command = [sys.executable, "-c", SCRIPT, what, str(n_threads)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "begins\n"
            time.sleep(0.7)
            assert process.poll() is None
            began = time.perf_counter()
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "interrupted\n"
            assert time.perf_counter() - began < 3.0
        finally:
            process.kill()
