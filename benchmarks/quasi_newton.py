"""``python -m benchmarks.quasi_newton``: what a quasi-Newton step of the validation error costs (CPU time).

A step needs the value and the gradient at the next point: the Gram matrix there, one training, started from
the last machine, one solve with the free support vectors, and the contraction with the kernel's derivative.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.timing import best
from kernelwise.criteria import ValidationError
from kernelwise.kernels import KMOD, RBF, Kernel
from kernelwise.problem import TuningProblem
from kernelwise.solvers import solve_svm_dual
from kernelwise.solvers.sensitivity import dual_sensitivity

# Where the search of paper 001 starts and near where it ends, and a step between two of its later iterations.
STARTS: tuple[tuple[Kernel, float], ...] = (
    (KMOD(1 / 2.72, 1 / 2.72), 1000.0),
    (KMOD(5.0, 3.0), 10.0),
    (RBF(0.5), 10.0),
)
STEP = 0.1  # in the logarithm of every parameter
TOLS = (1e-3, 1e-6, 1e-10)


def overlapping_gaussians(n: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Two spherical Gaussians in the plane with Bayes error 0.017 (paper 001, section 3.3)."""
    y = np.arange(n) % 2
    X = random.normal(size=(n, 2))
    X[:, 0] += 2 * 2.12 * y
    return X, y


def measure(kernel: Kernel, C: float, tol: float, n_train: int, n_validation: int) -> dict[str, float]:
    """CPU seconds of the parts of a step."""
    X, y = overlapping_gaussians(n_train + n_validation, np.random.default_rng(0))
    signs, weight = 2.0 * y - 1.0, np.where(np.arange(len(y)) < n_train, 1.0, 0.0)
    problem = TuningProblem(kernel, ValidationError(C, weight == 0, tol=tol), X, y)
    next_theta = problem.theta + STEP
    next_kernel, next_C = problem.kernel_at(next_theta), float(np.exp(next_theta[-1]))
    K, next_K = kernel(X), next_kernel(X)

    def train(start: Any = None) -> Any:
        return solve_svm_dual(next_K, y, next_C, sample_weight=weight, tol=tol, warm_start=start, check=False)

    old = solve_svm_dual(K, y, C, sample_weight=weight, tol=tol, check=False).beta
    machine = train(old)
    by_c = next_K @ np.random.default_rng(1).normal(size=len(y))
    evaluation = problem.criterion_at(next_theta).evaluate(next_K, y)

    problem.value_and_gradient(next_theta)  # keeps the Gram matrix that the contraction takes

    def step() -> None:
        problem.reset()
        problem.memory.warm[0] = {"0": old}
        problem.value_and_gradient(next_theta)

    return {
        "support": np.count_nonzero(machine.beta),
        "free": np.count_nonzero((machine.beta != 0) & (np.abs(machine.beta) < next_C)),
        "gram": best(lambda: next_kernel(X)),
        "cold": best(train),
        "warm": best(lambda: train(old)),
        "solve": best(lambda: dual_sensitivity(next_K, signs, weight, next_C, machine, by_c, 0.0)),
        "contraction": best(lambda: problem._contract(next_theta, evaluation.W)),
        "step": best(step),
    }


def main(arguments: list[str] | None = None) -> None:
    """Print a line for each start and tolerance."""
    parser = argparse.ArgumentParser(description="CPU time of one quasi-Newton step, in milliseconds")
    parser.add_argument("--quick", action="store_true", help="a tenth of the samples")
    n_train, n_validation = (100, 50) if parser.parse_args(arguments).quick else (1000, 500)
    with threadpool_limits(1):
        for kernel, C in STARTS:
            print(f"{kernel!r}, C = {C:g}, {n_train} training and {n_validation} validation samples")
            for tol in TOLS:
                parts = measure(kernel, C, tol, n_train, n_validation)
                counts = f"{parts.pop('support'):4.0f} SV, {parts.pop('free'):4.0f} free"
                times = ", ".join(f"{name} {1e3 * seconds:.1f}" for name, seconds in parts.items())
                print(f"  tol {tol:.0e}: {counts}; ms: {times}")


if __name__ == "__main__":
    main()
