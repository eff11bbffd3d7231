"""Features in blocks of rows: whatever needs them is a sum over the blocks, or one value for each row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from kernelwise._core.threads import free_threads, in_order

#: Rows of a block: its product with itself is large enough for BLAS, and its copy small.
ROWS = 2048


class Blocks(ABC):
    """Features (Φ, 1) of n_rows samples, the last of which is that of the offset; ``shape`` is without it.

    Solvers use `apply`, `dot` and `square` only, each a sum over rows or one value for each row, so that rows
    on other machines need no more than another way to add up.
    """

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape

    @abstractmethod
    def apply(self, coefficients: np.ndarray) -> np.ndarray:
        """(Φ, 1)·coefficients, of shape (n_rows,)."""

    @abstractmethod
    def dot(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1), of shape (n_features + 1,); rows of weight zero are left alone."""

    @abstractmethod
    def square(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1)(φ, 1)ᵀ, of shape (n_features + 1, n_features + 1); weights may be negative."""


class RowBlocks(Blocks):
    """Features had some rows at a time; a subclass says how."""

    @abstractmethod
    def rows(self, which: slice | np.ndarray) -> np.ndarray:
        """Φ[which]"""

    def apply(self, coefficients: np.ndarray) -> np.ndarray:
        """(Φ, 1)·coefficients"""
        values = np.empty(self.shape[0])

        def fill(first: int) -> None:
            block = slice(first, min(first + ROWS, self.shape[0]))
            values[block] = self.rows(block) @ coefficients[:-1] + coefficients[-1]

        in_order(fill, range(0, self.shape[0], ROWS))
        return values

    def dot(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1)"""
        total = np.zeros(self.shape[1] + 1)
        for block in _in_blocks(np.flatnonzero(weight)):
            total[:-1] += weight[block] @ self.rows(block)
        total[-1] = weight.sum()
        return total

    def square(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1)(φ, 1)ᵀ"""
        m = self.shape[1]
        total = np.zeros((m + 1, m + 1))

        def product(block: np.ndarray) -> np.ndarray:
            # A product of a matrix with itself takes BLAS half the time of one with another.
            scaled = np.empty((block.size, m + 1))
            scaled[:, :m], scaled[:, m] = self.rows(block), 1.0
            scaled *= np.sqrt(np.abs(weight[block]))[:, None]
            return np.asarray(scaled.T @ scaled)

        n_at_once = free_threads()  # as many products are in memory
        for sign, add in ((1.0, np.add), (-1.0, np.subtract)):
            blocks = list(_in_blocks(np.flatnonzero(sign * weight > 0.0)))
            for first in range(0, len(blocks), n_at_once):
                for part in in_order(product, blocks[first : first + n_at_once]):
                    add(total, part, out=total)
        return total


def _in_blocks(rows: np.ndarray) -> Iterator[np.ndarray]:
    for first in range(0, rows.size, ROWS):
        yield rows[first : first + ROWS]


class DenseBlocks(RowBlocks):
    """Features that are in memory, in single or double precision."""

    def __init__(self, Phi: np.ndarray) -> None:
        super().__init__(Phi.shape)
        self.Phi = Phi

    def rows(self, which: slice | np.ndarray) -> np.ndarray:
        """Φ[which]"""
        return self.Phi[which]


class MappedBlocks(RowBlocks):
    """Features ``transform(X[rows])`` computed again in every pass, where they are too large to keep."""

    def __init__(self, transform: Callable[[Any], np.ndarray], X: Any, n_features: int) -> None:
        super().__init__((X.shape[0], n_features))
        self.transform, self.X = transform, X

    def rows(self, which: slice | np.ndarray) -> np.ndarray:
        """Φ[which]"""
        return self.transform(self.X[which])
