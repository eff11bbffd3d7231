"""One descent on the manifold of metrics, in the form that pymanopt takes.

Here are the run itself, its line search, and pymanopt's manifolds, kept inside bounds. The search is that of
paper 003 (Laanaya and others 2011).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pymanopt
from pymanopt.manifolds import Euclidean, Product, SymmetricPositiveDefinite
from pymanopt.optimizers import ConjugateGradient, SteepestDescent, TrustRegions

from kernelwise.problem import TuningProblem

if TYPE_CHECKING:
    from kernelwise.optimizers.manifold_descent import ManifoldDescent

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

    def hessian(self, point: Point, vector: np.ndarray) -> Any:
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


SUFFICIENT = 1e-4  # share of the decrease that the slope promises (Armijo)
CLOSE = 0.6  # ratio of two steps that need not be told apart
SHORTEST = 1e-12  # of a step, in the manifold's norm


class RaySearch:
    """A step that lowers the cost itself, at or near the lowest point of the ray that parabolas find.

    ``count`` is called at the start of each search; the first step tried has ``length`` in the manifold's
    norm, and later searches begin with the last one's.
    """

    def __init__(self, count: Callable[[], None], length: float) -> None:
        self.count = count
        self.length = length

    def search(
        self,
        objective: Callable[[Any], float],
        manifold: Any,
        x: np.ndarray,
        d: np.ndarray,
        f0: float,
        df0: float,
    ) -> tuple[float, Any]:
        """The new point and the length of the step to it; (0, x) if no step lowers the cost."""
        self.count()
        norm = float(manifold.norm(x, d))
        if norm == 0.0:
            return 0.0, x

        def at(t: float) -> tuple[float, float, Any]:
            point = manifold.retraction(x, d * t)
            return float(objective(point)), t, point

        value, t, point = at(self.length / norm)
        while value > f0 + SUFFICIENT * t * df0:
            if t * norm < SHORTEST:
                return 0.0, x
            value, t, point = at(_parabola_minimum(f0, df0, t, value, 0.1, 0.5))
        while True:
            target = _parabola_minimum(f0, df0, t, value, 0.3, 3.0)
            # So close to the minimum, another evaluation would gain next to nothing.
            if CLOSE < target / t < 1.0 / CLOSE:
                break
            trial = at(target)
            if trial[0] >= value:
                break
            value, t, point = trial
        self.length = t * norm
        return self.length, point


def _parabola_minimum(f0: float, df0: float, t: float, f: float, least: float, most: float) -> float:
    """Where the parabola through f(0), f′(0) and f(t) is lowest, between two multiples of t."""
    curvature = f - f0 - df0 * t
    lowest = -df0 * t / (2.0 * curvature) if curvature > 0 else most
    return t * min(max(lowest, least), most)


# No step changes an eigenvalue or a width by more than this factor, e¹⁰: the exponential map cannot overflow.
LONGEST = 10.0
# What counts as on the edge: rounding in the eigenvalues of a matrix that was put there.
NEAR = 1e-8


class BoundedSPD(SymmetricPositiveDefinite):
    """Symmetric positive-definite matrices, affine-invariant metric, eigenvalues between bounds.

    No eigenvalue is smaller than the share ``floor`` of the largest.
    """

    def __init__(self, size: int, low: float, high: float, floor: float) -> None:
        super().__init__(size)
        self.low, self.high, self.floor = low, high, floor

    def exp(self, point: np.ndarray, tangent_vector: np.ndarray) -> np.ndarray:
        """Q^½ exp(Q^-½ T Q^-½) Q^½ (paper 003, after eq. 4), eigenvalues then put inside the bounds."""
        # L = Q^½·(a rotation), which the symmetric form does not see.
        L = np.linalg.cholesky(point)
        half = np.linalg.solve(L, tangent_vector)
        M = np.linalg.solve(L, half.T)
        values, V = np.linalg.eigh((M + M.T) / 2.0)
        Z = (L @ V) * np.exp(np.clip(values, -LONGEST, LONGEST) / 2.0)
        return self.into_bounds(Z @ Z.T)

    # The line search evaluates the point it would go to, bounds included: no cost can rise unseen.
    retraction = exp

    def into_bounds(self, Q: np.ndarray) -> np.ndarray:
        """Q with its eigenvalues inside the bounds; Q itself if they are."""
        values, U = np.linalg.eigh((Q + Q.T) / 2.0)
        inside = np.clip(values, None, self.high)
        inside = np.maximum(inside, self._lowest(inside[-1]))
        if np.array_equal(inside, values):
            return (Q + Q.T) / 2.0
        return (U * inside) @ U.T

    def _lowest(self, largest: float) -> float:
        return max(self.low, self.floor * largest)

    def euclidean_to_riemannian_gradient(
        self, point: np.ndarray, euclidean_gradient: np.ndarray
    ) -> np.ndarray:
        """Q·sym(∂Q)·Q, without what would only push eigenvalues out of their bounds."""
        return super().euclidean_to_riemannian_gradient(point, self._inward(point, euclidean_gradient))

    def _inward(self, point: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        values, U = np.linalg.eigh(point)
        lowest = self._lowest(values[-1])
        at_low = values <= lowest * (1.0 + NEAR)
        at_high = values >= self.high * (1.0 - NEAR)
        # Where all eigenvalues are equal, none is at a floor that the others set.
        if at_low.all() or not (at_low.any() or at_high.any()):
            return gradient
        G = U.T @ ((gradient + gradient.T) / 2.0) @ U
        pushed = _remove_positive(G, at_low, 1.0)
        _remove_positive(G, at_high, -1.0)
        if lowest > self.low:
            # The floor rises with the largest eigenvalue, and lifts those that lie on it.
            G[-1, -1] += self.floor * pushed
        return U @ G @ U.T

    def transport(self, point_a: np.ndarray, point_b: np.ndarray, tangent_vector_a: np.ndarray) -> np.ndarray:
        """Parallel transport E T Eᵀ with E = (B A⁻¹)^½, an isometry; pymanopt takes E = I."""
        L = np.linalg.cholesky(point_a)
        inverse = np.linalg.inv(L)
        values, V = np.linalg.eigh(inverse @ point_b @ inverse.T)
        E = L @ (V * np.sqrt(values)) @ V.T @ inverse
        return E @ tangent_vector_a @ E.T


def _remove_positive(G: np.ndarray, edge: np.ndarray, sign: float) -> float:
    """Take the positive part of sign·G in the block ``edge`` out of G; returns its trace."""
    block = np.ix_(edge, edge)
    values, V = np.linalg.eigh(sign * G[block])
    outward = np.maximum(values, 0.0)
    G[block] -= sign * (V * outward) @ V.T
    return float(outward.sum())


class PapersSPD(BoundedSPD):
    """The same exponential map under the Frobenius metric: paper 003's step, which has ∂Q itself in it."""

    def inner_product(
        self, point: np.ndarray, tangent_vector_a: np.ndarray, tangent_vector_b: np.ndarray
    ) -> float:
        return float(np.vdot(tangent_vector_a, tangent_vector_b))

    def euclidean_to_riemannian_gradient(
        self, point: np.ndarray, euclidean_gradient: np.ndarray
    ) -> np.ndarray:
        return self.projection(point, self._inward(point, euclidean_gradient))


class Box(Euclidean):
    """Vectors between bounds: logarithms of positive parameters, entries of a low-rank map, log C.

    The affine-invariant metric of positive numbers is the plain one of their logarithms. No exponential is
    smaller than the share ``floor`` of the largest; 0 is for none.
    """

    def __init__(self, bounds: np.ndarray, floor: float = 0.0) -> None:
        super().__init__(len(bounds))
        self.bounds, self.floor = bounds, floor

    def exp(self, point: np.ndarray, tangent_vector: np.ndarray) -> np.ndarray:
        largest = float(np.abs(tangent_vector).max(initial=0.0))
        return self.into_bounds(point + tangent_vector * min(1.0, LONGEST / max(largest, LONGEST)))

    retraction = exp

    def into_bounds(self, vector: np.ndarray) -> np.ndarray:
        vector = np.minimum(vector, self.bounds[:, 1])
        return np.maximum(vector, self._lowest(vector))

    def _lowest(self, vector: np.ndarray) -> np.ndarray:
        if not self.floor:
            return self.bounds[:, 0]
        return np.maximum(self.bounds[:, 0], vector.max() + np.log(self.floor))

    def euclidean_to_riemannian_gradient(
        self, point: np.ndarray, euclidean_gradient: np.ndarray
    ) -> np.ndarray:
        out_low = (point <= self._lowest(point)) & (euclidean_gradient > 0)
        out_high = (point >= self.bounds[:, 1]) & (euclidean_gradient < 0)
        inward = np.where(out_low | out_high, 0.0, euclidean_gradient)
        if self.floor:
            # The floor rises with the largest entry, and lifts those that lie on it.
            lifted = out_low & (point > self.bounds[:, 0])
            inward[point.argmax()] += euclidean_gradient[lifted].sum()
        return inward


class PapersBox(Box):
    """Logarithms θ of weights q under the Frobenius metric of q: the paper's step with a diagonal Q."""

    def inner_product(
        self, point: np.ndarray, tangent_vector_a: np.ndarray, tangent_vector_b: np.ndarray
    ) -> float:
        return float(np.sum(np.exp(2.0 * point) * tangent_vector_a * tangent_vector_b))

    def norm(self, point: np.ndarray, tangent_vector: np.ndarray) -> float:
        return float(np.sqrt(self.inner_product(point, tangent_vector, tangent_vector)))

    def euclidean_to_riemannian_gradient(
        self, point: np.ndarray, euclidean_gradient: np.ndarray
    ) -> np.ndarray:
        # dq = q dθ, so that −∂w/∂q inside the exponential map is −(∂w/∂θ)/q² in θ.
        return super().euclidean_to_riemannian_gradient(point, euclidean_gradient) * np.exp(-2.0 * point)
