"""Descent on the manifold of metrics (paper 003, Laanaya and others 2011), by means of pymanopt.

Metrics may be kept at a constant size: of constant trace, as Glasmachers and Igel (2005) have it, or of
constant p-norm. Grandvalet and Canu (2002) keep a norm of the scales √q_k of a diagonal Q. Their Euclidean
norm is the trace; a smaller p favours few features of large weight.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy.special import logsumexp, softmax
from sklearn.utils import check_random_state

from kernelwise._core.typing import RandomState
from kernelwise._core.validation import check_choice, check_number, check_positive
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import Kernel
from kernelwise.kernels.metric import MetricKernel
from kernelwise.optimizers.base import Optimizer, Run
from kernelwise.problem import TuningProblem
from kernelwise.space import SearchSpace

METHODS = ("conjugate-gradient", "riemannian", "paper", "trust-region")


class ManifoldDescent(Optimizer):
    """Descent over positive-definite matrices Q, on their manifold, together with C or log-widths.

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
        random_state: RandomState = 0,
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

    def _check_own(self, problem: TuningProblem) -> None:
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
        # Pymanopt imports every automatic differentiation that is installed, which may take seconds.
        from kernelwise.optimizers.manifold_search import Search

        search = Search(space.problem, self)
        known = len(space.problem.history)
        n_iterations, reason = search.run(search.to_point(space.to_theta(start)))
        best = min(space.problem.history[known:], key=lambda row: row["value"])
        return Run(space.to_vector(best["theta"]), best["value"], n_iterations, reason)


class ConstantTrace:
    """Rescales θ so that tr Q is that of a given kernel, and pulls gradients back through the rescaling.

    A cost of the rescaled point does not change with the scale of the point, so its gradient is the
    projection of the cost's own: no direction along Q is left in it.
    """

    def __init__(self, kernel: Kernel) -> None:
        if not kernel.learns_metric:
            raise IncompatibleError(
                f"constant_trace needs a kernel with a metric, but {type(kernel).__name__} has none. "
                "Use DiagonalGaussian, Gaussian or LowRankGaussian, or constant_trace=False."
            )
        self.kernel = cast(MetricKernel, kernel)
        self.log_trace = self.kernel.log_trace(kernel.theta)

    def rescale(self, theta: np.ndarray) -> np.ndarray:
        """Return θ, of the same shape, with the kernel's trace."""
        return self.kernel.with_log_trace(theta, self.log_trace)

    def pull_back(self, theta: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Return the gradient at θ from the gradient at ``rescale(theta)``."""
        return self.kernel.pull_back(theta, gradient, self.log_trace)


class ConstantNorm:
    """Rescales θ = log q so that ‖√q‖_p is that of a given kernel; with p = 2 it is `ConstantTrace`."""

    def __init__(self, kernel: Kernel, p: float) -> None:
        if not kernel.learns_metric or kernel.feature_weights is None:
            raise IncompatibleError(
                f"scales_norm needs a kernel with a weight for each feature, but {type(kernel).__name__} has "
                "none. Use DiagonalGaussian, or scales_norm=None."
            )
        self.half = 0.5 * p
        self.log_norm = self._log_norm(kernel.theta)

    def _log_norm(self, theta: np.ndarray) -> float:
        """Twice the logarithm of the norm: θ moves by as much."""
        return float(logsumexp(self.half * theta)) / self.half

    def rescale(self, theta: np.ndarray) -> np.ndarray:
        """Return θ, of the same shape, with the kernel's norm."""
        return theta + (self.log_norm - self._log_norm(theta))

    def pull_back(self, theta: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Return the gradient at θ from the gradient at ``rescale(theta)``."""
        return gradient - gradient.sum() * softmax(self.half * theta)
