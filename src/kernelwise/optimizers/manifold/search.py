"""One descent on the manifold of metrics, in the form that pymanopt takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pymanopt
from pymanopt.manifolds import Product
from pymanopt.optimizers import ConjugateGradient, SteepestDescent, TrustRegions

from kernelwise.optimizers.manifold.manifolds import BoundedSPD, Box, PapersBox, PapersSPD
from kernelwise.optimizers.manifold.ray_search import RaySearch
from kernelwise.problem import TuningProblem

if TYPE_CHECKING:
    from kernelwise.optimizers.manifold.descent import ManifoldDescent

INNER = 50  # most conjugate-gradient steps inside one trust region
PROBE = 1e-5  # length of the step that a difference of gradients takes
Point = Sequence[np.ndarray]


class Search:
    """One run: the problem on its manifold.

    A point is a list: θ of the kernel and, if the criterion has parameters of its own, their logarithms.
    """

    def __init__(self, problem: TuningProblem, settings: ManifoldDescent) -> None:
        self.problem, self.settings = problem, settings
        self.shape = problem.kernel.theta.shape
        self.n_own = len(problem.criterion.theta)
        self.size = settings.size_of(problem)
        self.manifold = Product(self._parts())
        self.iteration = 0
        self.scale = 1.0

    def _parts(self) -> list[Any]:
        kernel, bounds = self.problem.kernel, self.problem.bounds
        of_kernel, of_own = np.split(bounds, [len(bounds) - self.n_own])
        is_papers = self.settings.method == "paper"
        first: Any
        if kernel.geometry == "spd":
            low, high = np.exp(of_kernel[0])
            family = PapersSPD if is_papers else BoundedSPD
            first = family(len(kernel.theta), low, high, self.settings.floor)
        else:
            floor = 0.0 if kernel.feature_weights is None else self.settings.floor
            has_logs = any(h.is_log for h in kernel.hyperparameters)
            first = (PapersBox if is_papers and has_logs else Box)(of_kernel, floor)
        return [first, Box(of_own)] if self.n_own else [first]

    def to_point(self, theta: np.ndarray) -> Point:
        kernel_part, own = np.split(theta.ravel(), [theta.size - self.n_own])
        parts = [kernel_part.reshape(self.shape), own][: len(self.manifold.manifolds)]
        if self.size is not None:
            parts[0] = self.size.rescale(parts[0])
        return [m.into_bounds(part) for m, part in zip(self.manifold.manifolds, parts, strict=True)]

    def to_theta(self, point: Point) -> np.ndarray:
        first = point[0] if self.size is None else self.size.rescale(point[0])
        return np.concatenate([first.ravel(), *point[1:]]) if self.n_own else first

    def cost(self, point: Point) -> float:
        return self.problem.value(self.to_theta(point)) / self.scale

    def gradient(self, point: Point) -> list[np.ndarray]:
        gradient = self.problem.value_and_gradient(self.to_theta(point))[1].ravel() / self.scale
        first, own = np.split(gradient, [gradient.size - self.n_own])
        first = first.reshape(self.shape)
        if self.size is not None:
            first = self.size.pull_back(point[0], first)
        return [first, own][: len(point)]

    def riemannian_gradient(self, point: Point) -> Any:
        return self.manifold.euclidean_to_riemannian_gradient(point, self.gradient(point))

    def hessian(self, point: Point, vector: Any) -> Any:
        """The covariant derivative of the gradient along a tangent vector, by a difference of gradients."""
        length = self.manifold.norm(point, vector)
        if length == 0.0:
            return vector
        step = PROBE / length
        near = self.manifold.retraction(point, step * vector)
        there = self.manifold.transport(near, point, self.riemannian_gradient(near))
        return (there - self.riemannian_gradient(point)) / step

    def run(self, point: Point) -> tuple[int, str]:
        """The number of iterations and why the search stopped; the problem's history has the points."""
        # Costs come in all sizes: tol and the first step are meant for one of size 1.
        self.scale = max(1.0, abs(self.cost(point)))
        while True:
            if self.manifold.norm(point, self.riemannian_gradient(point)) < self.settings.tol:
                return self.iteration, "converged"
            if self.iteration >= self.settings.max_iter:
                return self.iteration, "max_iter"
            before = self.cost(point)
            # 0/0 where a gradient is exactly zero: pymanopt stops there and does not use the ratio.
            with np.errstate(divide="ignore", invalid="ignore"):
                point = self._optimize(point)
            # A conjugate direction may have gone bad: once more along the gradient, unless that was it.
            if not self.cost(point) < before:
                return self.iteration, "no progress"

    def _optimize(self, point: Point) -> Point:
        """Where pymanopt's optimizer stops that starts at the point."""
        left = self.settings.max_iter - self.iteration
        method = self.settings.method
        common = {
            "min_gradient_norm": self.settings.tol,
            # Where conjugate gradients count iterations before the step, the others do after it.
            "max_iterations": left + (method == "conjugate-gradient"),
            "max_time": np.inf,
            "max_cost_evaluations": np.inf,
            "verbosity": 0,
        }
        if method == "trust-region":
            self.iteration -= 1  # the cost at the start is asked for once more
            problem, inner = self._problem(self._counted_cost), {"mininner": 0, "maxinner": INNER}
            return TrustRegions(**common).run(problem, initial_point=point, **inner).point
        if method == "conjugate-gradient":
            optimizer = ConjugateGradient(beta_rule="PolakRibiere", **common)
        else:
            optimizer = SteepestDescent(**common)
        optimizer.line_searcher = RaySearch(self._count, self._first_length(point))
        return optimizer.run(self._problem(self.cost), initial_point=point, reuse_line_searcher=True).point

    def _first_length(self, point: Point) -> float:
        """A step that changes no eigenvalue of Q by more than a factor e."""
        first = self.manifold.manifolds[0]
        if isinstance(first, PapersSPD):
            return float(np.linalg.eigvalsh(point[0])[0])
        return float(np.exp(point[0].min())) if isinstance(first, PapersBox) else 1.0

    def _problem(self, cost: Callable[[Point], float]) -> pymanopt.Problem:
        plain = pymanopt.function.numpy(self.manifold)
        problem = _Problem(
            self.manifold,
            plain(lambda *point: cost(point)),
            euclidean_gradient=plain(lambda *point: self.gradient(point)),
        )
        problem.riemannian_hessian = self.hessian
        return problem

    def _count(self) -> None:
        self.iteration += 1
        self.problem.note(iteration=self.iteration)

    def _counted_cost(self, point: Point) -> float:
        self._count()
        return self.cost(point)


class _Problem(pymanopt.Problem):
    """Takes the Hessian as it is: pymanopt would return its parts as a plain list, without arithmetic."""

    riemannian_hessian: Any = None
