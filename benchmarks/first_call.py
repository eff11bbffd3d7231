"""``python -m benchmarks.first_call``: seconds until a first path is solved, and in a later process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.harness import ROOT

SCRIPT = """
import time
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from kernelwise.kernels import RBF
from kernelwise.solvers import svm_path
X, y = load_breast_cancer(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
started, cpu = time.perf_counter(), time.process_time()
svm_path(RBF(1 / 30)(X), y, [1.0, 10.0], list(StratifiedKFold(10).split(X, y)))
print(f"{time.perf_counter() - started:.2f} s, {time.process_time() - cpu:.2f} s of CPU")
"""


def main() -> None:
    """Run the same script twice on one compile cache that is empty at first; imports are not counted."""
    with tempfile.TemporaryDirectory() as cache:
        for words in ("empty compile cache", "later process"):
            environment = os.environ | {"KERNELWISE_CACHE_DIR": cache}
            command = [sys.executable, "-c", SCRIPT]
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
            )
            print(f"{words}: {done.stdout.strip()}")


if __name__ == "__main__":
    main()
