"""``python -m benchmarks.cost``: how processor time and memory grow, and what that means for 10⁸ rows.

Processor seconds of one thread, on Gaussian clouds; each part prints its lines as soon as they are there. It
takes five minutes. ``--only`` runs some parts, ``--quick`` all of them on small samples.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks.timing import best
from kernelwise import SVC, DistanceSketch, NystroemSVC
from kernelwise.kernels import RBF
from kernelwise.solvers import svm_path

N_BLOCKS = 300
FULL: dict[str, Any] = {
    "n": (5000, 10_000, 20_000, 40_000),
    "d": (2, 20, 100, 500),
    "classes": (2, 5, 10, 26),
    "sampled": (10_000, 100_000, 1_000_000),
    "paths": (500, 1000, 2000),
    "train": (10_000, 20_000, 50_000),
    "features": (100_000, 200_000),
    "cluster": (50_000, 100_000),
    "middle": 20_000,
}
QUICK: dict[str, Any] = {
    "n": (1000, 2000),
    "d": (2, 20),
    "classes": (2, 5),
    "sampled": (2000, 4000),
    "paths": (200, 400),
    "train": (1000, 2000),
    "features": (4000,),
    "cluster": (2000,),
    "middle": 1500,
}
MACHINES, CORES = 100, 16


def samples(n: int, d: int = 20, n_classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian clouds around random centres."""
    rng = np.random.default_rng(0)
    y = rng.integers(n_classes, size=n)
    return rng.standard_normal((n, d)) + rng.standard_normal((n_classes, d))[y] / np.sqrt(d), y


def seconds(run: Callable[[], Any], repeat: int = 2) -> float:
    """The least processor time of some runs."""
    return best(run, repeat)


def growth(sizes: Any, times: list[float]) -> str:
    """The exponent of the growth between the last two sizes."""
    if len(sizes) < 2:
        return ""
    return f"; grows like the power {np.log(times[-1] / times[-2]) / np.log(sizes[-1] / sizes[-2]):.2f}"


def line(what: str, sizes: Any, times: list[float], note: str = "") -> None:
    shown = ", ".join(f"{size:g}: {t:.3g} s" for size, t in zip(sizes, times, strict=True))
    print(f"{what:44s}{shown}{growth(sizes, times)}{note}", flush=True)


def exact_sketch(sizes: dict[str, Any]) -> float:
    """Processor seconds for each pair at d = 20, from the largest n."""
    by_n = [seconds(lambda n=n: DistanceSketch.from_data(*samples(n))) for n in sizes["n"]]
    line("exact sketch, d = 20, by n", sizes["n"], by_n)
    n = sizes["middle"]
    for name, data in (
        ("d", [samples(n, d) for d in sizes["d"]]),
        ("classes", [samples(n, 20, k) for k in sizes["classes"]]),
    ):
        times = [seconds(lambda Xy=Xy: DistanceSketch.from_data(*Xy)) for Xy in data]
        line(f"exact sketch, n = {n}, by {name}", sizes[name], times)
    for k in sizes["classes"]:
        sketch = DistanceSketch.from_data(*samples(n, 20, k))
        curve = seconds(lambda sketch=sketch: sketch.curve("dbtc", np.geomspace(1e-4, 1e2, 200), "ovr"))
        print(
            f"  {k:2d} classes: {len(sketch.used)} of {sketch.bins.n_bins} bins used, "
            f"{sketch.moments.nbytes / 2**20:.2f} MiB; 200 widths of all one-vs-rest problems: {curve:.3g} s",
            flush=True,
        )
    return by_n[-1] / (sizes["n"][-1] ** 2 / 2)


def sampled_sketch(sizes: dict[str, Any]) -> None:
    times = []
    for n in sizes["sampled"]:
        X, y = samples(n)
        times.append(seconds(lambda X=X, y=y: DistanceSketch.from_data(X, y, n_blocks=N_BLOCKS), repeat=1))
        best = DistanceSketch.from_data(X, y, n_blocks=N_BLOCKS).maximize("dbtc", "pooled")
        error = best.gammas_std[0] / best.gamma
        print(f"  n = {n}: γ {best.gamma:.4g}, standard error {100 * error:.2f} %", flush=True)
    line(f"sampled sketch, {N_BLOCKS} blocks a class pair", sizes["sampled"], times)


def paths(sizes: dict[str, Any]) -> None:
    """Kernels × C × folds: each kernel is one path."""
    Cs, few = np.geomspace(0.1, 1000.0, 16), np.geomspace(0.1, 1000.0, 8)
    times: dict[str, list[float]] = {name: [] for name in ("16 C, 2 folds", "8 C, 2 folds", "16 C, 4 folds")}
    for n in sizes["paths"]:
        X, y = make_classification(n, n_features=20, n_informative=10, flip_y=0.05, random_state=0)
        K = rbf_kernel(X)
        two, four = (list(StratifiedKFold(k).split(X, y)) for k in (2, 4))
        for name, grid, folds in zip(times, (Cs, few, Cs), (two, two, four), strict=True):
            times[name].append(seconds(lambda K=K, y=y, grid=grid, folds=folds: svm_path(K, y, grid, folds)))
    for name, taken in times.items():
        line(f"path of one kernel, {name}, by n", sizes["paths"], taken)


def training(sizes: dict[str, Any]) -> None:
    """Exact machines, and machines of Nyström features, which more rows have."""
    exact, nystroem = [], []
    for n in (*sizes["train"], *sizes["features"]):
        X, y = make_classification(n, n_features=20, n_informative=10, flip_y=0.02, random_state=0)
        X /= X.std(axis=0)
        if n <= sizes["train"][-1]:
            exact.append(seconds(lambda X=X, y=y: SVC(kernel=RBF(0.02), C=10.0).fit(X, y), repeat=1))
        machine = NystroemSVC(RBF(0.02), C=10.0, n_components=500)
        nystroem.append(seconds(lambda X=X, y=y, machine=machine: machine.fit(X, y), repeat=1))
    line("exact machine, C = 10, by n", sizes["train"], exact)
    line("Nyström machine, 500 landmarks, by n", (*sizes["train"], *sizes["features"]), nystroem)


def chunks(sizes: dict[str, Any]) -> tuple[float, float]:
    """What tasks on chunks cost beside arrays; seconds of a task, and of a row of a sampled sketch."""
    import dask
    import dask.array as da

    def in_chunks(X: np.ndarray, y: np.ndarray, length: int, n_blocks: int | None = None) -> float:
        rows, labels = da.from_array(X, chunks=(length, -1)), da.from_array(y, chunks=length)
        with dask.config.set(scheduler="synchronous"):
            return seconds(lambda: DistanceSketch.from_data(rows, labels, n_blocks=n_blocks))

    n = sizes["middle"]
    X, y = samples(n)
    alone = seconds(lambda: DistanceSketch.from_data(X, y))
    for n_chunks in (2, 8, 32):
        taken = in_chunks(X, y, n // n_chunks)
        share = taken / alone
        print(f"  dask, n = {n}, {n_chunks} chunks: {share:.2f} times the time of arrays", flush=True)
    per_task = (taken - alone) / (n_chunks * (n_chunks + 1) / 2)
    n = sizes["sampled"][-1]
    taken = in_chunks(*samples(n), n // 20, n_blocks=10)
    print(f"  dask, n = {n} in 20 chunks, 10 blocks only: {taken:.3g} s", flush=True)
    return per_task, taken / n


def hundred_thousand(n: int) -> None:
    """The exact sketch of many rows in a process of its own, and ten sampled ones beside it."""
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_exact, args=(n, queue))
    process.start()
    gamma, cpu, wall, peak = queue.get()
    process.join()
    print(f"exact sketch, n = {n}, 2 threads: {cpu:.1f} s CPU, {wall:.1f} s, peak {peak:.0f} MiB", flush=True)
    X, y = samples(n)
    draws = [DistanceSketch.from_data(X, y, n_blocks=N_BLOCKS, random_state=k) for k in range(10)]
    found = [draw.maximize("dbtc", "pooled").gamma for draw in draws]
    worst = max(abs(one / gamma - 1.0) for one in found)
    print(
        f"  γ {gamma:.5g}; ten draws of {N_BLOCKS} blocks differ by at most {100 * worst:.2f} %", flush=True
    )


def _exact(n: int, queue: Any) -> None:
    X, y = samples(n)
    cpu, wall = time.process_time(), time.perf_counter()
    gamma = DistanceSketch.from_data(X, y, n_jobs=2).maximize("dbtc", "pooled").gamma
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    queue.put((gamma, cpu, wall, _peak()))


def cluster(sizes: Any) -> None:
    """Exact sketches by two processes of dask, whose rows are made where they are used."""
    import dask.array as da
    from distributed import Client, LocalCluster

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0", "memory_limit": "1GiB"}
    with LocalCluster(**options) as local, Client(local) as client:
        for n in sizes:
            rng = da.random.default_rng(0)
            X = rng.normal(size=(n, 20), chunks=(min(n // 4, 25_000), 20))
            y = (X[:, 0] + rng.normal(size=n, chunks=X.chunks[0]) > 0).astype(int)
            before, wall = client.run(time.process_time), time.perf_counter()
            gamma = DistanceSketch.from_data(X, y).maximize("dbtc", "pooled").gamma
            wall = time.perf_counter() - wall
            cpu = sum(after - before[worker] for worker, after in client.run(time.process_time).items())
            peak = max(client.run(_peak).values())
            print(
                f"exact sketch, n = {n}, 2 processes: {cpu:.1f} s CPU, {wall:.1f} s, {peak:.0f} MiB each, "
                f"γ {gamma:.4g}",
                flush=True,
            )


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def far_away(per_pair: float, per_task: float, per_row: float) -> None:
    """What 10⁸ rows on a hundred machines would take, from the constants above."""
    n, n_chunks, cores = 1e8, 2000, MACHINES * CORES
    exact = per_pair * n * n / 2 / cores
    # The scheduler is one process: its tasks are pairs of chunks, or chunks for each of ten draws.
    pairs, picks = n_chunks * (n_chunks + 1) / 2, 13 * n_chunks
    print(
        f"10⁸ rows, d = 20, {MACHINES} machines of {CORES} cores, {n_chunks} chunks: {1e9 * per_pair:.2f} ns "
        f"a pair, {1e9 * per_row:.0f} ns a row and {1e3 * per_task:.2f} ms a task make {exact / 3600:.1f} h "
        f"for the exact sketch (tasks {per_task * pairs / 3600:.1f} h beside it), and {per_task * picks:.0f} "
        f"s for tasks and {per_row * n / cores:.2f} s for rows of a sampled one; 16 GB are read three times",
        flush=True,
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cost", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parts = ("large", "cluster", "sketch", "paths", "train")
    parser.add_argument("--quick", action="store_true", help="small samples: does everything run?")
    parser.add_argument("--only", nargs="+", choices=parts, default=list(parts), metavar="PART")
    options = parser.parse_args(arguments)
    sizes = QUICK if options.quick else FULL
    DistanceSketch.from_data(*samples(100))  # imports and compilation
    with threadpool_limits(1):
        if "large" in options.only:
            hundred_thousand(3000 if options.quick else 100_000)  # first: a child inherits its parent's peak
        if "cluster" in options.only:
            cluster(sizes["cluster"])
        if "sketch" in options.only:
            per_pair = exact_sketch(sizes)
            sampled_sketch(sizes)
            far_away(per_pair, *chunks(sizes))
        if "paths" in options.only:
            paths(sizes)
        if "train" in options.only:
            training(sizes)


if __name__ == "__main__":
    main()
