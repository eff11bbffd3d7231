"""``python -m benchmarks.sketch``: the distance sketch against one ``rbf_kernel`` call of scikit-learn.

Prints, for n samples with 20 features: peak memory; CPU seconds of ``rbf_kernel(X)``, its first call in a
process and the best of several, and of the whole sketch (the pass, a curve of 200 widths, the maximum of
every one-vs-rest problem); the gain of a second thread; errors against exact sums; the widths of paper 000;
the 26 problems of letter. One thread, except where said.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

from benchmarks.timing import best
from kernelwise.datasets import load
from kernelwise.kernels import RBF, Mahalanobis
from kernelwise.optimizers import SecondOrder
from kernelwise.problem import TuningProblem
from kernelwise.sketch.sketch import DistanceSketch

N_FEATURES = 20


def samples(n: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian clouds around random centres."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    return rng.standard_normal((n, N_FEATURES)) + rng.standard_normal((n_classes, N_FEATURES))[y], y


def scaled(X: np.ndarray) -> np.ndarray:
    """Features in [0, 1], as in paper 000."""
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - low) / np.where(high > low, high - low, 1.0)


def whole(X: np.ndarray, y: np.ndarray, n_jobs: int = 1) -> list[float]:
    """CPU seconds of the pass, of a curve of 200 widths, and of all one-vs-rest maxima."""
    clock = [time.process_time()]
    sketch = DistanceSketch.from_data(X, y, n_jobs=n_jobs)
    clock.append(time.process_time())
    sketch.curve("dbtc", np.geomspace(1e-4, 1e2, 200), strategy="ovr")
    clock.append(time.process_time())
    sketch.maximize("dbtc", strategy="ovr")
    clock.append(time.process_time())
    return list(np.diff(clock))


def times(sizes: Iterable[int], repeat: int) -> None:
    for n in sizes:
        X = samples(n, 2)[0]
        first = best(lambda X=X: rbf_kernel(X), 1)
        again = best(lambda X=X: rbf_kernel(X), repeat)
        for n_classes in (2, 10):
            X, y = samples(n, n_classes)
            steps = min((whole(X, y) for _ in range(repeat)), key=sum)
            print(
                f"time    n = {n}, {n_classes} classes: rbf_kernel {first:.3f} s (again {again:.3f} s), "
                f"sketch {sum(steps):.3f} s (pass {steps[0]:.3f}, curve {steps[1]:.3f}, maxima "
                f"{steps[2]:.3f}), "
                f"ratio {sum(steps) / first:.3f} ({sum(steps) / again:.3f})",
                flush=True,
            )


def _peak(n: int, queue: Any) -> None:
    whole(*samples(n, 2))
    queue.put(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def memory(n: int) -> None:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_peak, args=(n, queue))
    process.start()
    print(f"memory  n = {n}: peak {queue.get():.0f} MiB, imports included", flush=True)
    process.join()


def threads(n: int, repeat: int) -> None:
    X, y = samples(n, 2)
    one, two = (
        best(lambda k=k: DistanceSketch.from_data(X, y, n_jobs=k), repeat, time.perf_counter) for k in (1, 2)
    )
    equal = np.array_equal(*(DistanceSketch.from_data(X, y, n_jobs=k).moments for k in (1, 2)))
    load_average = os.getloadavg()[0]
    print(
        f"threads n = {n}: 1 thread {one:.2f} s, 2 threads {two:.2f} s (wall, load {load_average:.1f}), "
        f"{one / two:.2f} times faster, equal to the bit: {equal}",
        flush=True,
    )


def errors() -> None:
    """Largest relative errors of S_ab and three derivatives, where the mean of the kernel exceeds 1e-8."""
    X, y = samples(1500, 3)
    X[:20] = X[700:720]
    sketch = DistanceSketch.from_data(X, y)
    D = RBF().squared_distances(X)
    onehot = (y[:, None] == np.arange(3)).astype(float)
    worst = np.zeros(4)
    for gamma in 2.0 ** np.arange(-20, 17) / np.median(D[np.triu_indices(len(D), 1)]):
        V = np.exp(-gamma * D)
        for k, found in enumerate(sketch.derivatives(gamma)):
            exact = onehot.T @ V @ onehot
            if k == 0:
                counts = exact > 1e-8 * np.outer(sketch.n, sketch.n)
            with np.errstate(invalid="ignore"):
                error = np.where(found == exact, 0.0, np.abs(found / exact - 1.0))
            worst[k] = max(worst[k], error[counts].max(initial=0.0))
            V *= -D
    print("errors  S_ab and derivatives 1-3:", ", ".join(f"{e:.1e}" for e in worst), flush=True)
    X, y = samples(1500, 2)
    exact_gamma = SecondOrder(tol=1e-12).minimize(TuningProblem(RBF(0.1), "dbtc", X, y)).kernel.gamma
    found_gamma = DistanceSketch.from_data(X, y).maximize("dbtc").gamma
    print(f"errors  gamma at the maximum: {abs(found_gamma / exact_gamma - 1):.1e}", flush=True)


def papers() -> None:
    for name, part in (("iris", None), ("thyroid", "train")):
        X, y = load(name, part=part)
        X = scaled(X)
        gamma = DistanceSketch.from_data(X, y).maximize("dbtc")
        kernel = Mahalanobis().initialize(X, heuristic="keep")
        delta = DistanceSketch.from_data(X, y, kernel=kernel).maximize("dbtc")
        m = X.shape[1]
        print(
            f"papers  {name}: gamma {gamma.gamma * m:.3f} {gamma.gammas * m}, delta {delta.gamma:.3f}",
            flush=True,
        )


def letter() -> None:
    X, y = load("letter", part="train")
    steps = whole(scaled(X), y)
    best_widths = DistanceSketch.from_data(scaled(X), y).maximize("dbtc")
    print(
        f"letter  {X.shape}, {len(best_widths.gammas)} problems: {sum(steps):.2f} s CPU "
        f"(pass {steps[0]:.2f}, curve {steps[1]:.2f}, maxima {steps[2]:.2f}), {best_widths.stop_reason}, "
        f"gamma {best_widths.gammas.min():.3g} … {best_widths.gammas.max():.3g}",
        flush=True,
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sketch", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small samples: does everything run?")
    parser.add_argument("--repeat", type=int, default=3, help="runs, best taken (default: %(default)s)")
    options = parser.parse_args(arguments)
    whole(*samples(100, 2))  # imports and compilation
    with threadpool_limits(1):
        run(options)


def run(options: argparse.Namespace) -> None:
    memory(2000 if options.quick else 50_000)  # before this process grows: a child inherits its parent's peak
    times((1000,) if options.quick else (5000, 20_000), options.repeat)
    threads(2000 if options.quick else 50_000, options.repeat)
    errors()
    if not options.quick:
        papers()
        letter()


if __name__ == "__main__":
    main()
