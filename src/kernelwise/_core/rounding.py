"""Rounding on purpose: so that the rounding of sums, which depends on their order, decides nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.typing import Samples, is_sparse

#: Significant binary digits of numbers that are compared, or that a search goes on from: 12 decimal ones.
DIGITS = 40
#: Bits of a double that sums of products may use, less two for ‖x‖² + ‖y‖² − 2x·y, and one to spare.
SUM_BITS = 50
#: Standardised targets are multiples of this.
TARGET_STEP = 2.0**-26


def significant(values: ArrayLike, digits: int = DIGITS) -> Any:
    """Numbers, of any shape, rounded to so many significant binary digits.

    What differs by less than that is equal, and the first of equals counts.
    """
    mantissa, exponent = np.frexp(values)
    return np.ldexp(np.rint(mantissa * 2.0**digits), exponent - digits)


def on_exact_grid(Z: Samples) -> Any:
    """Scaled samples (array or CSR matrix) rounded to multiples of a power of two, in their own memory.

    The power is the smallest for which no sum of products of two rows needs more digits than a double has.
    Inner products and squared distances are then exact: they do not depend on the order of the features, on
    the units in which these were measured, or on how BLAS shares out the work. What is lost is below the root
    of a double's precision, at which squared distances lose it anyway.
    """
    values = Z.data if is_sparse(Z) else Z
    squares = Z.multiply(Z).sum(axis=1) if is_sparse(Z) else np.einsum("ij,ij->i", Z, Z)
    largest = float(np.max(np.asarray(squares), initial=0.0))
    if not 0.0 < largest < np.inf:
        return Z
    step = 2.0 ** -((SUM_BITS - np.frexp(largest)[1]) // 2)
    values /= step
    np.rint(values, out=values)
    values *= step
    return Z
