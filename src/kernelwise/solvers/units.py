"""Units of kernel values, so that features of any size can be trained on.

The solver works in single precision where it can, and its floor of the curvature is an absolute number: both
want kernel values near one. K/u with the bound C·u has the solution β·u, with the same decision values and
violations, and a power of two as u changes no digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kernelwise._core.typing import Samples

#: Largest kernel values between these are left as they are.
SMALL, LARGE = 2.0**-6, 2.0**40
#: Samples whose kernel values stand for those of a function.
SOME = 64


def unit_of(diagonal: np.ndarray) -> float:
    """A power of two near the largest of the values k(x, x); 1 if they are ordinary."""
    largest = float(np.abs(diagonal).max(initial=0.0))
    if largest == 0.0 or SMALL <= largest <= LARGE or not math.isfinite(largest):
        return 1.0
    # The inverse of the smallest powers is no number.
    return math.ldexp(1.0, max(math.frexp(largest)[1] - 1, -1020))


def in_units(C: float, unit: float) -> float:
    """C for kernel values divided by the unit."""
    scaled = float(C) * unit
    # The coefficients are as large as the bounds, and their squares are summed up.
    if not 1e-150 < scaled < 1e150:
        raise ValueError(
            f"C = {C:g} times kernel values of the size {unit:.1e} is out of the range of numbers. "
            "Scale the features, or use another C."
        )
    return scaled


class InUnits:
    """A kernel function whose values are divided by a unit."""

    def __init__(self, kernel: Callable[..., np.ndarray], unit: float) -> None:
        self.kernel, self.unit = kernel, unit

    def __call__(self, *samples: Samples) -> np.ndarray:
        """Kernel values of one or two sets of samples, dense."""
        return np.asarray(self.kernel(*samples), dtype=float) / self.unit


def unit_of_kernel(kernel: Callable[..., np.ndarray], X: Samples) -> float:
    """`unit_of` of a kernel on samples; a plain function is asked about some of them."""
    if hasattr(kernel, "diagonal"):
        return unit_of(kernel.diagonal(X))
    some = X[:: max(1, X.shape[0] // SOME)]
    return unit_of(np.diagonal(np.asarray(kernel(some, some), dtype=float)))
