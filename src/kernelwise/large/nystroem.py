"""The Nyström map: features whose inner products are nearly the kernel's, from a few landmarks."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise._core.memory import MIB, usable_memory
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.large.feature_blocks import ROWS, DenseBlocks, MappedBlocks, RowBlocks

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
    def from_landmarks(cls, kernel: Any, landmarks: Any) -> NystroemMap:
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

    def transform(self, X: Any) -> np.ndarray:
        """Features of shape (n_samples, rank), in double precision."""
        return np.asarray(self.kernel(X, self.landmarks), dtype=np.float64) @ self.normalization

    def blocks(self, X: Any, memory_limit: float) -> RowBlocks:
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


def choose_landmarks(kernel: Any, X: Any, n_landmarks: int, random_state: int = 0) -> np.ndarray:
    """Rows to serve as landmarks, in an order of which every beginning is a good choice, too.

    The seeding of k-means++ in the kernel's own metric: rows far from all landmarks so far are likely to be
    the next. On clustered data it misses no cluster; elsewhere it is as good as a uniform draw.
    """
    from sklearn.cluster import kmeans_plusplus  # a tenth of a second, and most models need none

    return kmeans_plusplus(kernel.transform(X), n_landmarks, random_state=random_state, n_local_trials=1)[1]
