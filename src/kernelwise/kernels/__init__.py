"""Kernels k_θ(x, y): value, gradient contracted with a weight matrix, parameters as a vector.

::

    Kernel ─┬─ DotProductKernel ── Linear, Polynomial, Sigmoid
            ├─ RadialKernel ─┬─ ExponentialRBF, KMOD
            │                └─ GaussianFamily ─┬─ ScaledGaussian ── RBF, Mahalanobis
            │                                   └─ MetricKernel ── DiagonalGaussian, Gaussian, LowRankGaussian
            ├─ CityBlockKernel ── Laplacian, DiagonalLaplacian
            ├─ PrecomputedDistance
            └─ KernelSum

Most are exp(−s·D) for a distance D after a linear map, which `distance` names; RBF, Mahalanobis, Exponential
and Laplacian have s as their only free parameter (`has_one_width`). Those with a weight for every feature,
DiagonalGaussian and DiagonalLaplacian, have the base `FeatureWeights` as well. No other room asks for these
classes: a kernel answers for itself (`distance`, `linear_map`, `metric` and so on).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.text import meant
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.dot_product import Linear, Polynomial, Sigmoid
from kernelwise.kernels.kernel_sum import KernelSum
from kernelwise.kernels.laplacian import DiagonalLaplacian, Laplacian
from kernelwise.kernels.metric_gaussians import DiagonalGaussian, Gaussian, LowRankGaussian, Mahalanobis
from kernelwise.kernels.precomputed import PrecomputedDistance
from kernelwise.kernels.radial import KMOD, RBF, ExponentialRBF, RadialKernel

KERNELS: dict[str, Callable[[], Kernel]] = {
    "linear": Linear,
    "poly": Polynomial,
    "sigmoid": Sigmoid,
    "rbf": RBF,
    "laplacian": Laplacian,
    "exponential": ExponentialRBF,
    "kmod": KMOD,
    "mahalanobis": Mahalanobis,
    "mahalanobis-full": lambda: Mahalanobis(covariance="full"),
    "diagonal": DiagonalGaussian,
    "diagonal-laplacian": DiagonalLaplacian,
    "gaussian": Gaussian,
    "low-rank": LowRankGaussian,
}

#: A kernel, or the name of one.
KernelLike = Kernel | str


def as_kernel(kernel: KernelLike, others: Sequence[str] = ()) -> Kernel:
    """Return the kernel with that name, or the kernel itself.

    Parameters
    ----------
    kernel : str or Kernel
        A name of :data:`KERNELS`, or an object.
    others : sequence of str, default=()
        Names that the caller accepts besides these; an error lists them, too.

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
    names = [*KERNELS, *others]
    known = ", ".join(map(repr, names))
    hint = meant(kernel, names)
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        hint = f" Pass an object instead of the class: {kernel.__name__}()."
    elif callable(kernel):
        hint = (
            " A function has no parameters to choose: pass it to SVC(kernel=...), pass its Gram matrix with "
            "kernel='precomputed', or write a subclass of Kernel."
        )
    raise ValueError(f"kernel must be a Kernel or one of {known}, got {kernel!r}.{hint}")


__all__ = [
    "KERNELS",
    "KMOD",
    "RBF",
    "DiagonalGaussian",
    "DiagonalLaplacian",
    "ExponentialRBF",
    "Gaussian",
    "Hyperparameter",
    "Kernel",
    "KernelSum",
    "Laplacian",
    "Linear",
    "LowRankGaussian",
    "Mahalanobis",
    "Polynomial",
    "PrecomputedDistance",
    "RadialKernel",
    "Sigmoid",
    "as_kernel",
]
