"""Metrics of constant size: of constant trace, as Glasmachers and Igel (2005) have it, or of constant p-norm.

Grandvalet and Canu (2002) keep a norm of the scales √q_k of a diagonal Q. Their Euclidean norm is the trace;
a smaller p favours few features of large weight.
"""

from __future__ import annotations

from typing import cast

import numpy as np
from scipy.special import logsumexp, softmax

from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import Kernel
from kernelwise.kernels.metric import MetricKernel


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
