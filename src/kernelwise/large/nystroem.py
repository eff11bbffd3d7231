"""The Nyström map: features whose inner products are nearly the kernel's, from a few landmarks.

Features come in blocks of rows: whatever needs them is a sum over the blocks, or one value for each row.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._core.memory import MIB, usable_memory
from kernelwise._core.threads import free_threads, in_order
from kernelwise._core.typing import MatrixLike, Samples
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels.base import Kernel

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

    def __init__(self, transform: Callable[[Any], np.ndarray], X: Samples, n_features: int) -> None:
        super().__init__((X.shape[0], n_features))
        self.transform, self.X = transform, X

    def rows(self, which: slice | np.ndarray) -> np.ndarray:
        """Φ[which]"""
        return self.transform(self.X[which])


#: Directions of less than this share of the largest eigenvalue are rounding, and left out.
SMALLEST = 1e-10
#: A negative eigenvalue beyond this share of the largest is no rounding.
INDEFINITE = 1e-6
#: MiB of features that are kept in double precision; more are kept in single precision.
DOUBLE = 256


@dataclass(frozen=True)
class NystroemMap:
    """φ(x) = Nᵀ k(L, x) with k(L, L)⁻¹ = N Nᵀ, so that φ(x)·φ(y) = k(x, L) k(L, L)⁻¹ k(L, y).

    Exact for x among the landmarks L, of shape (n_landmarks, n_features) (Williams & Seeger, NIPS 13, 2001).
    The normalization N is of shape (n_landmarks, rank).
    """

    kernel: Any
    landmarks: Any
    normalization: np.ndarray

    @classmethod
    def from_landmarks(cls, kernel: Callable[..., np.ndarray], landmarks: Samples) -> NystroemMap:
        """The map of a kernel, in the directions of feature space that the landmarks span."""
        eigenvalues, vectors = np.linalg.eigh(np.asarray(kernel(landmarks), dtype=np.float64))
        largest = eigenvalues[-1]
        if -eigenvalues[0] > INDEFINITE * largest:
            warnings.warn(
                "The kernel matrix of the landmarks is indefinite: its eigenvalues range from "
                f"{eigenvalues[0]:.3g} to {largest:.3g}. Directions with negative eigenvalues are left out. "
                "Use another kernel.",
                KernelwiseWarning,
                stacklevel=3,
            )
        is_kept = eigenvalues > SMALLEST * largest
        if not is_kept.any():
            raise ValueError(f"{kernel} is not positive between any of the landmarks. Use another kernel.")
        return cls(kernel, landmarks, vectors[:, is_kept] / np.sqrt(eigenvalues[is_kept]))

    @property
    def rank(self) -> int:
        """Number of features."""
        return self.normalization.shape[1]

    def transform(self, X: MatrixLike) -> np.ndarray:
        """Features of shape (n_samples, rank), in double precision."""
        return np.asarray(self.kernel(X, self.landmarks), dtype=np.float64) @ self.normalization

    def blocks(self, X: Samples, memory_limit: float) -> RowBlocks:
        """Features of many samples: kept if they take no more than that many MiB, else recomputed."""
        n = X.shape[0]
        size = n * self.rank * 8 / MIB
        memory_limit = min(memory_limit, usable_memory() / MIB)
        if size / 2 > memory_limit:
            return MappedBlocks(self.transform, X, self.rank)
        Phi = np.empty((n, self.rank), np.float64 if size <= min(DOUBLE, memory_limit) else np.float32)
        for first in range(0, n, ROWS):
            Phi[first : first + ROWS] = self.transform(X[first : first + ROWS])
        return DenseBlocks(Phi)


def choose_landmarks(kernel: Kernel, X: Samples, n_landmarks: int, random_state: int = 0) -> np.ndarray:
    """Rows to serve as landmarks, in an order of which every beginning is a good choice, too.

    The seeding of k-means++ in the kernel's own metric: rows far from all landmarks so far are likely to be
    the next. On clustered data it misses no cluster; elsewhere it is as good as a uniform draw.
    """
    from sklearn.cluster import kmeans_plusplus  # a tenth of a second, and most models need none

    return kmeans_plusplus(kernel.transform(X), n_landmarks, random_state=random_state, n_local_trials=1)[1]
