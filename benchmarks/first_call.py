"""``python -m benchmarks.first_call [--repeat 5]``: the first call of a new process beside its second.

CPU seconds of a path of C and of `TunedSVC("rbf")` on breast_cancer, each in processes of its own; of several
processes the medians. What a call imports counts, what is imported before it does not.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from statistics import median

from benchmarks.harness import ROOT

SCRIPT = """
import time
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold
from kernelwise import TunedSVC
from kernelwise.kernels import RBF
from kernelwise.solvers import svm_path
X, y = load_breast_cancer(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
K, folds = RBF(1 / 30)(X), list(StratifiedKFold(10).split(X, y))
for _ in range(2):
    began = time.process_time()
    CALL
    print(time.process_time() - began)
"""
CALLS = {
    "path": "svm_path(K, y, [1.0, 10.0], folds, n_jobs=1)",
    "TunedSVC": "TunedSVC('rbf', n_jobs=1).fit(X, y)",
}


def main() -> None:
    """Print the seconds of both calls and their difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="number of processes")
    repeat = parser.parse_args().repeat
    for name, call in CALLS.items():
        found = []
        for _ in range(repeat):
            command = [sys.executable, "-c", SCRIPT.replace("CALL", call)]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
            found.append([float(line) for line in done.stdout.split()])
        first, second = (median(seconds) for seconds in zip(*found, strict=True))
        print(f"{name}: first {first:.3f} s, second {second:.3f} s, difference {first - second:.3f} s of CPU")


if __name__ == "__main__":
    main()
