"""The restriction to metrics of constant trace, as Glasmachers and Igel (2005) have it."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import DiagonalGaussian, Gaussian, Kernel, LowRankGaussian


class ConstantTrace:
    """Rescales θ so that tr Q is that of a given kernel, and pulls gradients back through the rescaling.

    A cost of the rescaled point does not change with the scale of the point, so its gradient is the
    projection of the cost's own: no direction along Q is left in it.

    Parameters
    ----------
    kernel : Gaussian, DiagonalGaussian or LowRankGaussian
        θ is Q, the logarithms of its diagonal, or A with Q = AᵀA.
    """

    def __init__(self, kernel: Kernel) -> None:
        if not isinstance(kernel, Gaussian | DiagonalGaussian | LowRankGaussian):
            raise IncompatibleError(
                f"constant_trace needs a kernel with a metric, but {type(kernel).__name__} has none. "
                "Use DiagonalGaussian, Gaussian or LowRankGaussian, or constant_trace=False."
            )
        self.kernel = kernel
        self.log_trace = self._log_trace(kernel.theta)

    def _log_trace(self, theta: np.ndarray) -> float:
        if isinstance(self.kernel, Gaussian):
            return float(np.log(np.trace(theta)))
        if isinstance(self.kernel, DiagonalGaussian):
            return float(logsumexp(theta))
        return float(np.log(np.vdot(theta, theta)))

    def rescale(self, theta: np.ndarray) -> np.ndarray:
        """θ of the same shape with the kernel's trace."""
        shift = self.log_trace - self._log_trace(theta)
        if isinstance(self.kernel, DiagonalGaussian):
            return theta + shift
        return theta * np.exp(shift if isinstance(self.kernel, Gaussian) else shift / 2.0)

    def pull_back(self, theta: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """Gradient at θ from the gradient at ``rescale(theta)``."""
        shift = self.log_trace - self._log_trace(theta)
        if isinstance(self.kernel, DiagonalGaussian):
            return gradient - gradient.sum() * np.exp(theta - logsumexp(theta))
        if isinstance(self.kernel, Gaussian):
            along = np.vdot(gradient, theta) / np.trace(theta)
            return np.exp(shift) * (gradient - along * np.eye(len(theta)))
        along = np.vdot(gradient, theta) / np.vdot(theta, theta)
        return np.exp(shift / 2.0) * (gradient - along * theta)
