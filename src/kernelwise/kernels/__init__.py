"""Kernels k_θ(x, y): value, gradient contracted with a weight matrix, parameters as a vector.

::

    Kernel ─┬─ DotProductKernel ── Linear, Polynomial, Sigmoid
            └─ RadialKernel ─┬─ ExponentialRBF, KMOD
                             └─ GaussianFamily ─┬─ ScaledGaussian ── RBF, Mahalanobis
                                                └─ MetricKernel ── DiagonalGaussian, Gaussian, LowRankGaussian

The Gaussian family is one implementation: squared distances after a linear map, then exp(−s·D). No other room
asks for these classes: a kernel answers for itself (`is_gaussian`, `linear_map`, `metric` and so on).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kernelwise._core.parameters import Hyperparameter
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.diagonal import DiagonalGaussian
from kernelwise.kernels.dot_product import Linear, Polynomial, Sigmoid
from kernelwise.kernels.gaussian import Gaussian
from kernelwise.kernels.isotropic import KMOD, RBF, ExponentialRBF
from kernelwise.kernels.low_rank import LowRankGaussian
from kernelwise.kernels.mahalanobis import Mahalanobis
from kernelwise.kernels.radial import RadialKernel

KERNELS: dict[str, Callable[[], Kernel]] = {
    "linear": Linear,
    "poly": Polynomial,
    "sigmoid": Sigmoid,
    "rbf": RBF,
    "exponential": ExponentialRBF,
    "kmod": KMOD,
    "mahalanobis": Mahalanobis,
    "mahalanobis-full": lambda: Mahalanobis(covariance="full"),
    "diagonal": DiagonalGaussian,
    "gaussian": Gaussian,
    "low-rank": LowRankGaussian,
}


def as_kernel(kernel: Any) -> Kernel:
    """Return the kernel with that name, or the kernel itself.

    Parameters
    ----------
    kernel : str or Kernel
        A name of :data:`KERNELS`, or an object.

    Examples
    --------
    >>> from kernelwise.kernels import RBF, as_kernel
    >>> as_kernel("kmod"), as_kernel(RBF(gamma=2.0))
    (KMOD(gamma=1, sigma=1), RBF(gamma=2))
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and kernel in KERNELS:
        return KERNELS[kernel]()
    raise ValueError(f"kernel must be a Kernel or one of {', '.join(map(repr, KERNELS))}, got {kernel!r}.")


__all__ = [
    "KERNELS",
    "KMOD",
    "RBF",
    "DiagonalGaussian",
    "ExponentialRBF",
    "Gaussian",
    "Hyperparameter",
    "Kernel",
    "Linear",
    "LowRankGaussian",
    "Mahalanobis",
    "Polynomial",
    "RadialKernel",
    "Sigmoid",
    "as_kernel",
]
