"""``python -m benchmarks.gradient``: what a gradient costs, in evaluations of its kernel (CPU time)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from kernelwise.kernels import as_kernel

SIZES = ((2000, 50), (1000, 50))
KERNELS = ("diagonal", "gaussian", "low-rank", "rbf")


def best(run: Callable[[], Any], repeat: int = 7) -> float:
    """The least CPU time of several runs."""
    times = []
    for _ in range(repeat):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return min(times)


def main() -> None:
    """Print a line for each kernel and size."""
    random = np.random.default_rng(0)
    with threadpool_limits(1, "blas"):
        for n, d in SIZES:
            X, W = random.normal(size=(n, d)), random.normal(size=(n, n))
            for name in KERNELS:
                kernel = as_kernel(name).initialize(X, np.arange(n) % 2, "scale")
                evaluation = best(lambda kernel=kernel, X=X: kernel(X))
                gradient = best(lambda kernel=kernel, X=X, W=W: kernel.gradient_dot(X, W))
                print(f"{name:<9} n = {n}, d = {d}: gradient {gradient / evaluation:.2f} evaluations")


if __name__ == "__main__":
    main()
