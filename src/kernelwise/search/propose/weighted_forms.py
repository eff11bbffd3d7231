"""Kernels with weights of features from a machine's gradients, learned anew without each fold, and sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelwise._core.rounding import significant
from kernelwise.kernels import DiagonalGaussian, DiagonalLaplacian, Gaussian, Kernel, KernelSum
from kernelwise.search.engine.fold_kernels import FoldKernels, final_kernel, without_rounding
from kernelwise.search.propose.candidates import median_distance
from kernelwise.search.propose.gradient_metric import metric_at


def weighted(
    kernel: Any, products: Sequence[np.ndarray], t: float = 1.0, columns: np.ndarray | None = None
) -> FoldKernels:
    """An RBF or a Laplacian kernel with a metric from gradients, without each fold and in the end.

    ``products`` are those of `kernelwise.search.propose.gradient_metric.outer_products`, which are
    diagonals or, for RBF kernels, full; ``t`` is how far the metric goes from the plain one. The mean of
    the weights is that of the kernel, which a climb over widths starts from. ``columns`` is the column of
    each feature, where that is not one feature each: diagonals have a weight for every column.
    """
    # Weights of differences are the roots of those of squared differences.
    power = 0.5 * t if kernel.distance == "cityblock" else t
    metrics = [metric_at(one, power) for one in products]
    if columns is not None:
        metrics = [metric[columns] if metric.ndim == 1 else metric for metric in metrics]
    *by_fold, final = (without_rounding(_weighted(kernel, metric)) for metric in metrics)
    return FoldKernels(final, by_fold)


def _weighted(kernel: Any, weights: np.ndarray) -> Kernel:
    if kernel.distance == "cityblock":
        return DiagonalLaplacian(kernel.scale * weights)
    return (DiagonalGaussian if weights.ndim == 1 else Gaussian)(2.0 * kernel.scale * weights)


def at_widths(
    kernels: Kernel | FoldKernels, Z: np.ndarray, widths: Sequence[float]
) -> list[Kernel | FoldKernels]:
    """A kernel exp(−s·D) at every width s·(median D of the rows Z) that is named, whatever its own one is."""
    kernel: Any = final_kernel(kernels)
    (power,) = kernel.input_powers.values()
    own = float(significant(kernel.scale * median_distance(kernel.distances(Z))))
    return [kernels.rescaled((width / own) ** (1.0 / power)) for width in widths]


def summed(kernels: Sequence[Kernel | FoldKernels], n_folds: int) -> FoldKernels:
    """The sum of kernels, each as it is without a fold."""
    finals = [kernel.final if isinstance(kernel, FoldKernels) else kernel for kernel in kernels]
    by_fold = [
        KernelSum([kernel.by_fold[k] if isinstance(kernel, FoldKernels) else kernel for kernel in kernels])
        for k in range(n_folds)
    ]
    return FoldKernels(KernelSum(finals), by_fold)
