"""A kernel learned from labels, and the same learned without each fold: what keeps its scores honest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kernelwise.kernels import Kernel


@dataclass(frozen=True)
class FoldKernels:
    """The kernel to be used in the end, and one for each fold that has not seen the fold's test part.

    Attributes
    ----------
    final : Kernel
    by_fold : sequence of Kernel
    """

    final: Kernel
    by_fold: Sequence[Kernel]

    @property
    def input_powers(self) -> dict[str, float]:
        """As of the kernels."""
        return self.final.input_powers

    def rescaled(self, factor: float) -> FoldKernels:
        """All of them on inputs times √factor."""
        return FoldKernels(self.final.rescaled(factor), [kernel.rescaled(factor) for kernel in self.by_fold])


def final_kernel(kernel: Any) -> Any:
    """The kernel to be used in the end."""
    return kernel.final if isinstance(kernel, FoldKernels) else kernel
