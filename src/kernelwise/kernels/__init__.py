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
from typing import Any

import numpy as np

from kernelwise._core.parameters import Hyperparameter, constructor_params
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


def as_kernel(kernel: KernelLike | dict[str, Any], others: Sequence[str] = ()) -> Kernel:
    """Return the kernel with that name, or the kernel itself.

    Parameters
    ----------
    kernel : str, Kernel or dict
        A name of :data:`KERNELS`, an object, or what :func:`kernel_as_dict` makes of an object.
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
    if isinstance(kernel, dict):
        return _from_dict(kernel)
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


def kernel_as_dict(kernel: Kernel) -> dict[str, Any]:
    """Return a kernel of this package as JSON can hold it: the name of its class, and its parameters.

    `as_kernel`, and ``kernel`` of every estimator, take the result for the kernel.

    Parameters
    ----------
    kernel : Kernel

    Raises
    ------
    ValueError
        If the class is not one of this package: nobody could find it by its name.

    Examples
    --------
    >>> from kernelwise.kernels import RBF, KernelSum, as_kernel, kernel_as_dict
    >>> kernel_as_dict(RBF(0.5))
    {'name': 'RBF', 'gamma': 0.5}
    >>> both = KernelSum([RBF(0.5), RBF(2.0)])
    >>> as_kernel(kernel_as_dict(both)) == both
    True
    """
    if _CLASSES.get(type(kernel).__name__) is not type(kernel):
        raise ValueError(f"{type(kernel).__name__} is no kernel of this package, and has no form as a dict.")
    return {"name": type(kernel).__name__, **{k: _plain(v) for k, v in constructor_params(kernel).items()}}


def _plain(value: Any) -> Any:
    """A parameter of a kernel as JSON can hold it."""
    if isinstance(value, Kernel):
        return kernel_as_dict(value)
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value


def _from_dict(node: dict[str, Any]) -> Kernel:
    """The kernel that `kernel_as_dict` has described."""
    params = {key: value for key, value in node.items() if key != "name"}
    kind = _CLASSES.get(str(node.get("name")))
    if kind is None:
        known = ", ".join(map(repr, _CLASSES))
        raise ValueError(f"The name of a kernel that is a dict must be one of {known}, got {node!r}.")
    if "kernels" in params:
        params["kernels"] = [as_kernel(one) for one in params["kernels"]]
    try:
        return kind(**params)
    except TypeError as error:
        raise ValueError(f"A kernel that is a dict has wrong parameters: {node!r} ({error}).") from error


_CLASSES: dict[str, Callable[..., Kernel]] = {
    kind.__name__: kind
    for kind in (
        *(Linear, Polynomial, Sigmoid, RBF, KMOD, ExponentialRBF, Laplacian, DiagonalLaplacian),
        *(Mahalanobis, DiagonalGaussian, Gaussian, LowRankGaussian, KernelSum, PrecomputedDistance),
    )
}

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
    "kernel_as_dict",
]
