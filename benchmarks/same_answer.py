"""One answer: kernel, C and decision values for one and for two BLAS threads, compared to the bit.

    python -m benchmarks.same_answer [--sets 20]

Every set is fitted with five kernels in processes of their own, which OPENBLAS_NUM_THREADS and its like tell
how many threads BLAS may use.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import warnings

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_iris,
    load_wine,
    make_classification,
    make_moons,
)

from kernelwise import TunedSVC

KERNELS = ("rbf", "poly", "laplacian", "diagonal", "auto")
MAX_ROWS = 400
VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")


def sets(n: int) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Sets of at most 400 rows by name: four that are known, and made ones of many shapes."""
    found = {
        "breast cancer": load_breast_cancer(return_X_y=True),
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "digits": load_digits(return_X_y=True),
        "moons": make_moons(MAX_ROWS, noise=0.3, random_state=0),
    }
    shapes = [(d, k) for d in (4, 10, 20, 40) for k in (2, 3, 4, 2)]
    for seed, (d, k) in enumerate(shapes):
        found[f"{d} features, {k} classes, seed {seed}"] = make_classification(
            300,
            d,
            n_informative=max(3, d // 2),
            n_redundant=0,
            n_classes=k,
            flip_y=0.1,
            class_sep=0.7,
            random_state=seed,
        )
    return {name: (X[:MAX_ROWS], y[:MAX_ROWS]) for name, (X, y) in list(found.items())[:n]}


def answers(X: np.ndarray, y: np.ndarray) -> list[str]:
    """One line for each kernel: what was chosen, and a hash of the decision values."""
    lines = []
    for kernel in KERNELS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = TunedSVC(kernel).fit(X, y)
        values = np.ascontiguousarray(model.decision_function(X)).tobytes()
        theta = model.kernel_.theta.tobytes().hex()
        lines.append(f"{kernel} {theta} {model.C_!r} {hashlib.sha256(values).hexdigest()}")
    return lines


def with_threads(name: str, n_threads: int, n_sets: int) -> list[str]:
    """The answers of a fresh process."""
    environment = {**os.environ, **dict.fromkeys(VARIABLES, str(n_threads))}
    command = [sys.executable, "-m", "benchmarks.same_answer", "--one", name, "--sets", str(n_sets)]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout.splitlines()


def main() -> None:
    """Print one line for each set, and the count."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=20)
    parser.add_argument("--one", help="print the answers of this process for one set")
    options = parser.parse_args()
    known = sets(options.sets)
    if options.one:
        print("\n".join(answers(*known[options.one])))
        return
    n_equal = 0
    for name in known:
        pairs = zip(with_threads(name, 1, options.sets), with_threads(name, 2, options.sets), strict=True)
        equal = {one.split()[0]: one == two for one, two in pairs}
        n_equal += sum(equal.values())
        different = [kernel for kernel, is_equal in equal.items() if not is_equal]
        print(f"{name}: {'differs: ' + ', '.join(different) if different else 'equal'}", flush=True)
    print(f"{n_equal} of {len(known) * len(KERNELS)} fits have the same kernel, C and decision values")


if __name__ == "__main__":
    main()
