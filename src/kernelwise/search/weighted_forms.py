"""Kernels whose features have weights from the gradients of a machine, learned anew without each fold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kernelwise.kernels import DiagonalGaussian, DiagonalLaplacian, Kernel, KernelSum
from kernelwise.search.fold_kernels import FoldKernels, without_rounding
from kernelwise.search.gradient_metric import feature_weights


def weighted(kernel: Any, products: Sequence[np.ndarray]) -> FoldKernels:
    """An RBF or a Laplacian kernel with a width for each feature, without each fold and in the end.

    ``products`` are diagonals of `kernelwise.search.gradient_metric.outer_products`, (n_features,) each. The
    mean of the weights is that of the kernel, which a climb over widths starts from.
    """
    *by_fold, final = (without_rounding(_weighted(kernel, one)) for one in products)
    return FoldKernels(final, by_fold)


def _weighted(kernel: Any, product: np.ndarray) -> Kernel:
    """Squared differences have the weights w_k², differences w_k."""
    if kernel.distance == "cityblock":
        return DiagonalLaplacian(kernel.scale * feature_weights(product, 0.5))
    return DiagonalGaussian(2.0 * kernel.scale * feature_weights(product, 1.0))


def summed(kernels: Sequence[Kernel | FoldKernels], n_folds: int) -> FoldKernels:
    """The sum of kernels, each as it is without a fold."""
    finals = [kernel.final if isinstance(kernel, FoldKernels) else kernel for kernel in kernels]
    by_fold = [
        KernelSum([kernel.by_fold[k] if isinstance(kernel, FoldKernels) else kernel for kernel in kernels])
        for k in range(n_folds)
    ]
    return FoldKernels(KernelSum(finals), by_fold)
