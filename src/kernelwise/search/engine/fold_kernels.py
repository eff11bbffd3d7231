"""A kernel learned from labels, and the same learned without each fold: what keeps its scores honest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.kernels import Kernel

#: Parameters (most of them logarithms) that come from the data are multiples of this.
THETA_STEP = 2.0**-20


@dataclass(frozen=True)
class FoldKernels:
    """The kernel to be used in the end, and one for each fold that has not seen the fold's test part."""

    final: Kernel
    by_fold: Sequence[Kernel]

    @property
    def input_powers(self) -> dict[str, float]:
        """``input_powers`` of the final kernel."""
        return self.final.input_powers

    def rescaled(self, factor: float) -> FoldKernels:
        """Every kernel on inputs times √factor."""
        return self.mapped(lambda kernel: kernel.rescaled(factor))

    def mapped(self, change: Callable[[Kernel], Kernel]) -> FoldKernels:
        """Every kernel changed in the same way."""
        return FoldKernels(change(self.final), [change(kernel) for kernel in self.by_fold])


def without_rounding(kernel: Any) -> Any:
    """A kernel with its parameters on a grid: what sums and searches leave in the last digits is rounding.

    A full metric stays as it is: on a grid it may not be positive definite.
    """
    if kernel.learns_metric and kernel.feature_weights is None:
        return kernel
    return kernel.with_theta(np.rint(kernel.theta / THETA_STEP) * THETA_STEP)


def final_kernel(kernel: Any) -> Any:
    """The kernel to be used in the end."""
    return kernel.final if isinstance(kernel, FoldKernels) else kernel
