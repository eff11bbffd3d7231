"""``python -m benchmarks.threads``: how many times as fast two threads are as one.

Jobs: `TunedSVC()` and `TunedSVC("rbf")` on the ten classes of digits, `TunedSVC("rbf")` on two small sets,
and `svm_path` (10 folds, 35 values of C) on 2000 rows. The ratio of wall times needs a computer that has two
cores for it; the load is printed beside it. The answers of both must be equal to the last bit.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.data import Data, load
from kernelwise import TunedSVC
from kernelwise.kernels import RBF
from kernelwise.solvers import svm_path

N_CS = 35


def jobs() -> dict[str, Callable[[int], np.ndarray]]:
    """What is run with a number of threads, by name; its answers are compared."""
    synthetic = load("synthetic_2000")
    K, Cs = RBF(synthetic.gamma)(synthetic.X), 2.0 ** np.linspace(-5.0, 12.0, N_CS)

    def tuned(data: Data, kernel: str, n_jobs: int) -> np.ndarray:
        model = TunedSVC(kernel, scale=None, n_jobs=n_jobs).fit(data.X, data.y)
        return model.predict_proba(data.X[:100])

    def path(n_jobs: int) -> np.ndarray:
        return svm_path(K, synthetic.y, Cs, synthetic.folds, n_jobs=n_jobs).decision

    found: dict[str, Callable[[int], np.ndarray]] = {"svm_path, synthetic_2000": path}
    for name, kernel in (
        ("digits", "auto"),
        ("digits", "rbf"),
        ("breast_cancer", "rbf"),
        ("heart_statlog", "rbf"),
    ):
        found[f"TunedSVC({kernel!r}), {name}"] = partial(tuned, load(name), kernel)
    return found


def main() -> None:
    """Print a line for each job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each number of threads, in turn")
    repeat = parser.parse_args().repeat
    warnings.simplefilter("ignore")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for name, run in jobs().items():
        answers = [run(1), run(2)]
        walls: tuple[list[float], list[float]] = ([], [])
        for _ in range(repeat):
            for times, n_jobs in zip(walls, (1, 2), strict=True):
                started = time.perf_counter()
                run(n_jobs)
                times.append(time.perf_counter() - started)
        one, two = map(min, walls)
        are_equal = "equal" if np.array_equal(*answers) else "DIFFERENT"
        print(f"{name}: {one:.3f} s and {two:.3f} s, ratio {one / two:.2f}; {are_equal} answers")


if __name__ == "__main__":
    main()
