"""The derivative of a cost by the Gram matrix, as a matrix or as the few vectors that make it up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernelwise.solvers.sensitivity import symmetric_product


class FactoredAdjoint(NamedTuple):
    """The adjoint L Rᵀ, whose symmetric form is (L Rᵀ + R Lᵀ)/2, with both factors of shape (n, r).

    That of a machine is one column: most rows of R are zero, those of L too, so that the contraction with the
    kernel's derivative needs a small rectangular block of it.
    """

    left: np.ndarray
    right: np.ndarray

    def dense(self) -> np.ndarray:
        """The symmetric matrix, shape (n, n)."""
        return symmetric_product(self.left, self.right)

    def block(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows and columns of L Rᵀ that are not zero, and its block there."""
        rows, columns = (np.flatnonzero(factor.any(axis=1)) for factor in self)
        return rows, columns, self.left[rows] @ self.right[columns].T


Adjoint = np.ndarray | FactoredAdjoint


def mean_adjoint(parts: Sequence[tuple[np.ndarray, Adjoint]], n_rows: int) -> Adjoint:
    """The mean of adjoints of parts of a matrix, each given with its rows; factored if all of them are."""
    factored = [(rows, part) for rows, part in parts if isinstance(part, FactoredAdjoint)]
    if len(parts) == 1 and not factored and np.array_equal(parts[0][0], np.arange(n_rows)):
        return parts[0][1]  # as it is: each pass over the matrix costs as much as the kernel's own
    if len(factored) < len(parts):
        W = np.zeros((n_rows, n_rows))
        for rows, part in parts:
            dense = part.dense() if isinstance(part, FactoredAdjoint) else part
            W[np.ix_(rows, rows)] += dense / len(parts)
        return W
    n_columns = sum(part.left.shape[1] for _, part in factored)
    left, right = np.zeros((n_rows, n_columns)), np.zeros((n_rows, n_columns))
    start = 0
    for rows, part in factored:
        columns = slice(start, start + part.left.shape[1])
        left[rows, columns], right[rows, columns] = part.left / len(parts), part.right
        start = columns.stop
    return FactoredAdjoint(left, right)
