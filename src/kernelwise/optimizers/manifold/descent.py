"""Descent on the manifold of metrics (paper 003, Laanaya and others 2011), by means of pymanopt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pymanopt
from pymanopt.manifolds import Product
from pymanopt.optimizers import ConjugateGradient, SteepestDescent, TrustRegions
from sklearn.utils import check_random_state

from kernelwise._core.validation import check_choice, check_number, check_positive
from kernelwise.optimizers.base import Optimizer, Run
from kernelwise.optimizers.manifold.constant_trace import ConstantNorm, ConstantTrace
from kernelwise.optimizers.manifold.manifolds import BoundedSPD, Box, PapersBox, PapersSPD
from kernelwise.optimizers.manifold.ray_search import RaySearch
from kernelwise.problem import TuningProblem
from kernelwise.space import SearchSpace

METHODS = ("conjugate-gradient", "riemannian", "paper", "trust-region")
INNER = 50  # most conjugate-gradient steps inside one trust region
PROBE = 1e-5  # length of the step that a difference of gradients takes
Point = Sequence[np.ndarray]


class ManifoldDescent(Optimizer):
    """Moves Q on the manifold of symmetric positive-definite matrices, and C or log-widths beside it.

    Works with every kernel and every differentiable criterion; the parameters of kernels other than
    :class:`~kernelwise.kernels.Gaussian` are vectors, for which the manifold is flat.

    Parameters
    ----------
    method : {"conjugate-gradient", "riemannian", "paper", "trust-region"}, default="conjugate-gradient"
        "riemannian" is steepest descent along Q·sym(∂Q)·Q, the gradient of the affine-invariant metric;
        "paper" puts ∂Q itself into the exponential map (eq. 22). Both have a line search that lowers the cost
        itself: eq. 23 as printed has its sign reversed. "conjugate-gradient" (Polak and Ribière) and
        "trust-region" are pymanopt's; the latter takes second derivatives from differences of gradients.
    constant_trace : bool, default=False
        Keep tr Q, the size of the kernel, as it is at the start.
    scales_norm : float, default=None
        Keep the p-norm of the scales √q_k of a diagonal Q, with this p, as it is at the start; 2 is the trace
        of Q, and a smaller p favours few features of large weight. None keeps no norm.
    floor : float, default=1e-6
        No eigenvalue of Q, or weight of a diagonal Q, is smaller than this share of the largest.
    tol : float, default=1e-5
        Stops when the gradient's norm, in the manifold's metric, is below ``tol`` times ``max(1, |cost|)``.
    max_iter : int, default=300
    n_restarts, random_state
        See :class:`Optimizer`.

    Notes
    -----
    Every iterate is symmetric and positive definite, and no iteration raises the cost.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.optimizers import ManifoldDescent
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = load_iris(return_X_y=True)
    >>> result = ManifoldDescent().minimize(TuningProblem("gaussian", "centered-kta", X, y))
    >>> round(result.score, 3), result.stop_reason
    (0.908, 'converged')
    """

    def __init__(
        self,
        method: str = "conjugate-gradient",
        constant_trace: bool = False,
        floor: float = 1e-6,
        tol: float = 1e-5,
        max_iter: int = 300,
        n_restarts: int = 0,
        random_state: Any = 0,
        scales_norm: float | None = None,
    ) -> None:
        check_choice(method, "method", "ManifoldDescent", METHODS)
        if scales_norm is not None:
            check_positive(scales_norm, "scales_norm", "ManifoldDescent")
            if constant_trace:
                raise ValueError("ManifoldDescent keeps the trace or a norm of the scales, not both.")
        check_number(floor, "floor", "ManifoldDescent")
        if not 0.0 < floor < 1.0:
            raise ValueError(f"'floor' of ManifoldDescent must be between 0 and 1, got {floor!r}.")
        self.method = method
        self.constant_trace = constant_trace
        self.floor = floor
        self.tol = tol
        self.max_iter = max_iter
        self.n_restarts = n_restarts
        self.random_state = random_state
        self.scales_norm = scales_norm

    def check(self, problem: TuningProblem) -> None:
        super().check(problem)
        self.size_of(problem)

    def size_of(self, problem: TuningProblem) -> ConstantTrace | ConstantNorm | None:
        """What keeps the size of the kernel as it is at the start, if anything does."""
        if self.scales_norm is not None:
            return ConstantNorm(problem.kernel, self.scales_norm)
        return ConstantTrace(problem.kernel) if self.constant_trace else None

    def _starts(self, space: SearchSpace) -> list[np.ndarray]:
        if not space.is_matrix:
            return super()._starts(space)
        # Noise of this size moves the eigenvalues of log Q by about 1, however many features there are.
        random = check_random_state(self.random_state)
        size = 1.0 / np.sqrt(len(space.problem.kernel.theta))
        noise = (random.normal(scale=size, size=space.start.shape) for _ in range(self.n_restarts))
        return [space.start, *(space.clip(space.start + step) for step in noise)]

    def _run(self, space: SearchSpace, start: np.ndarray) -> Run:
        search = _Search(space.problem, self)
        known = len(space.problem.history)
        n_iterations, reason = search.run(search.to_point(space.to_theta(start)))
        best = min(space.problem.history[known:], key=lambda row: row["value"])
        return Run(space.to_vector(best["theta"]), best["value"], n_iterations, reason)


class _Search:
    """One run: the problem on its manifold, in the form that pymanopt takes.

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
