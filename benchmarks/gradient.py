"""``python -m benchmarks.gradient``: what a gradient costs, in evaluations of its kernel (CPU time).

The kernels' own, with a given weight matrix, and then of paper 003's criterion on the manifold of metrics:
its adjoint, pulled back to Q with the Gram matrix at hand, and turned into the Riemannian gradient.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.timing import best
from kernelwise.criteria import RegularizedMargin
from kernelwise.kernels import as_kernel
from kernelwise.optimizers import ManifoldDescent
from kernelwise.optimizers.manifold_search import Search
from kernelwise.problem import TuningProblem

SIZES = ((2000, 50), (1000, 50))
KERNELS = ("diagonal", "gaussian", "low-rank", "rbf")


def manifold_gradient(n: int, d: int, repeat: int = 7) -> float:
    """Gradient of w by a full Q at a point whose machine is trained, in evaluations of the Gram matrix.

    Without training the machine, which is no part of the gradient: the value needs it, too.
    """
    random = np.random.default_rng(0)
    X, y = random.normal(size=(n, d)), np.arange(n) % 2
    problem = TuningProblem("gaussian", RegularizedMargin(), X, y)
    search = Search(problem, ManifoldDescent())
    point = search.to_point(problem.theta)
    search.cost(point)
    criterion, kernel, K = problem.criterion, problem.kernel, problem.kernel(X)
    value = best(lambda: criterion.evaluate(K, y, None, problem.memory, needs_gradient=False), repeat)

    def gradient() -> None:
        W = criterion.evaluate(K, y, None, problem.memory, needs_gradient=True).W
        by_Q = kernel.gradient_dot(X, W, K=K)
        search.manifold.euclidean_to_riemannian_gradient(point, [by_Q])

    return (best(gradient, repeat) - value) / best(lambda: kernel(X), repeat)


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
            print(f"w, full Q n = {n}, d = {d}: gradient {manifold_gradient(n, d):.2f} evaluations")


if __name__ == "__main__":
    main()
