"""``python -m benchmarks.first_call``: seconds until a first path is solved, and in a later process.

With ``--parts`` the CPU seconds of compiling each part of the compiled code, and of loading it later.
"""

from __future__ import annotations

import argparse
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

PARTS = """
import time
from kernelwise.cli.warmup import parts
found, began = list(parts()), time.process_time()
print()
for name, compile_part in found:
    cpu = time.process_time()
    compile_part()
    print(f"{time.process_time() - cpu:6.2f}  {name}")
print(f"{time.process_time() - began:6.2f}  all")
"""


def main() -> None:
    """Run the same script twice on one compile cache that is empty at first; imports are not counted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--parts", action="store_true", help="each part of the compiled code")
    script = PARTS if parser.parse_args().parts else SCRIPT
    with tempfile.TemporaryDirectory() as cache:
        for words in ("empty compile cache", "later process"):
            environment = os.environ | {"KERNELWISE_CACHE_DIR": cache}
            command = [sys.executable, "-c", script]
            done = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
            )
            print(f"{words}: {done.stdout.rstrip()}")


if __name__ == "__main__":
    main()
