"""``python -m benchmarks.threads``: how many times as fast two threads are, and how fast they can be at most.

Four jobs: `TunedSVC("rbf")` on the ten classes of digits and on two small sets, and `svm_path` (10 folds, 35
values of C) on 2000 rows. The bound follows from CPU times of one thread, and so can be measured on a busy
computer: what is in no task that threads share out takes as long with two of them, and what holds Python's
lock in a task, too, takes turns. The ratio of wall times is the answer itself, but only on a computer that
has two cores for it; the load is printed beside it.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

import kernelwise._core.threads as own_threads
from benchmarks.data import Data, load
from kernelwise import TunedSVC
from kernelwise.kernels import RBF
from kernelwise.solvers import box_qp, many_paths, svm_path

N_CS = 35


def jobs() -> dict[str, Callable[[int], np.ndarray]]:
    """What is run with a number of threads, by name; its answers are compared."""
    synthetic = load("synthetic_2000")
    K, Cs = RBF(synthetic.gamma)(synthetic.X), 2.0 ** np.linspace(-5.0, 12.0, N_CS)

    def tuned(data: Data, n_jobs: int) -> np.ndarray:
        model = TunedSVC("rbf", scale=None, n_jobs=n_jobs).fit(data.X, data.y)
        return model.predict_proba(data.X[:100])

    def path(n_jobs: int) -> np.ndarray:
        return svm_path(K, synthetic.y, Cs, synthetic.folds, n_jobs=n_jobs).decision

    names = ("digits", "breast_cancer", "heart_statlog")
    searches = {f"TunedSVC, {name}": partial(tuned, load(name)) for name in names}
    return {**searches, "svm_path, synthetic_2000": path}


class Shares:
    """CPU seconds of one run with one thread: all, those in tasks that threads share out, and compiled."""

    def __init__(self, run: Callable[[int], Any]) -> None:
        self.in_tasks = self.compiled = 0.0
        in_turn, compiled_smo = own_threads.results_in_turn, box_qp.compiled_smo
        compiled_many_paths = many_paths.compiled_many_paths

        def timed_in_turn(tasks: Iterable[own_threads.Task]) -> Iterator[Any]:
            for function, arguments, options in tasks:
                started, before = time.process_time(), self.in_tasks
                result = function(*arguments, **options)
                self.in_tasks = before + time.process_time() - started  # tasks inside it are part of it
                yield result

        def timed_code(entry: Any, *dtypes: Any) -> Any:
            compiled, others = entry(*dtypes)

            def timed(*arguments: Any) -> Any:
                started = time.process_time()
                result = compiled(*arguments)
                self.compiled += time.process_time() - started
                return result

            return timed, others

        own_threads.results_in_turn = timed_in_turn
        box_qp.compiled_smo = partial(timed_code, compiled_smo)
        many_paths.compiled_many_paths = partial(timed_code, compiled_many_paths)
        started = time.process_time()
        try:
            run(1)
        finally:
            own_threads.results_in_turn, box_qp.compiled_smo = in_turn, compiled_smo
            many_paths.compiled_many_paths = compiled_many_paths
        self.total = time.process_time() - started

    @property
    def bound(self) -> float:
        """How many times as fast two threads can be if tasks never wait for Python's lock."""
        return self.total / (self.total - 0.5 * self.in_tasks)


def main() -> None:
    """Print a line for each job."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3, help="runs of each number of threads, in turn")
    repeat = parser.parse_args().repeat
    warnings.simplefilter("ignore")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for name, run in jobs().items():
        answers = [run(1), run(2)]
        shares = min((Shares(run) for _ in range(repeat)), key=lambda own: own.total)
        walls: tuple[list[float], list[float]] = ([], [])
        for _ in range(repeat):
            for times, n_jobs in zip(walls, (1, 2), strict=True):
                started = time.perf_counter()
                run(n_jobs)
                times.append(time.perf_counter() - started)
        one, two = map(min, walls)
        print(
            f"{name}: {shares.total:.3f} s of CPU, {shares.in_tasks / shares.total:.0%} in tasks "
            f"({shares.compiled / shares.total:.0%} in the compiled solver), bound {shares.bound:.2f}; "
            f"wall {one:.3f} s and {two:.3f} s, ratio {one / two:.2f}; "
            f"{'equal' if np.array_equal(*answers) else 'DIFFERENT'} answers"
        )


if __name__ == "__main__":
    main()
