"""Features in blocks of rows: whatever needs them is a sum over the blocks, or one value for each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

#: Rows of a block: its products with itself are large enough for BLAS, and its copies small.
ROWS = 2048


class Blocks(ABC):
    """Features Φ of shape (n_rows, n_features), seen one block of rows at a time.

    A subclass says what the blocks are. Solvers use `total` and `apply` only, so that blocks on other
    machines need no more than another way to add up.

    Parameters
    ----------
    shape : (n_rows, n_features)
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape

    @abstractmethod
    def block(self, rows: slice) -> np.ndarray:
        """Φ[rows]"""

    def __iter__(self) -> Iterator[slice]:
        for first in range(0, self.shape[0], ROWS):
            yield slice(first, min(first + ROWS, self.shape[0]))

    def total(self, part: Callable[..., np.ndarray], *vectors: np.ndarray) -> np.ndarray:
        """Σ over the blocks of ``part(Φ_block, *vectors of its rows)``."""
        result: Any = 0.0
        for rows in self:
            result = result + part(self.block(rows), *(vector[rows] for vector in vectors))
        return result

    def apply(self, coefficients: np.ndarray) -> np.ndarray:
        """[Φ, 1]·coefficients, of shape (n_rows,) or (n_rows, n_columns); their last row is the offset."""
        values = np.empty((self.shape[0], *coefficients.shape[1:]))
        for rows in self:
            values[rows] = self.block(rows) @ coefficients[:-1] + coefficients[-1]
        return values


class DenseBlocks(Blocks):
    """Features that are in memory, in single or double precision."""

    def __init__(self, Phi: np.ndarray) -> None:
        super().__init__(Phi.shape)
        self.Phi = Phi

    def block(self, rows: slice) -> np.ndarray:
        """Φ[rows]"""
        return self.Phi[rows]


class MappedBlocks(Blocks):
    """Features computed again in every pass, where they are too large to keep.

    Parameters
    ----------
    transform : callable
        From samples to features.
    X : array or CSR matrix of shape (n_rows, n_inputs)
    n_features : int
    """

    def __init__(self, transform: Callable[[Any], np.ndarray], X: Any, n_features: int) -> None:
        super().__init__((X.shape[0], n_features))
        self.transform, self.X = transform, X

    def block(self, rows: slice) -> np.ndarray:
        """Φ[rows]"""
        return self.transform(self.X[rows])
