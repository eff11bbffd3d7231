"""One-class machines on Nyström features: rows of a Gram matrix of low rank."""

from __future__ import annotations

import numpy as np

from kernelwise.large.feature_blocks import ROWS, RowBlocks
from kernelwise.solvers.kernel_rows import ALL


class FeatureRows:
    """Rows of ΦΦᵀ, whose sums take one pass over the features: what `WorkingSets` asks of its rows."""

    dtype: np.dtype = np.dtype(np.float64)

    def __init__(self, blocks: RowBlocks) -> None:
        self.blocks = blocks
        self.n = blocks.shape[0]

    def square(self, indices: np.ndarray) -> np.ndarray:
        """Φ[indices] Φ[indices]ᵀ in double precision."""
        Phi = np.asarray(self.blocks.rows(indices), dtype=np.float64)
        return Phi @ Phi.T

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k Φφ_k, of f[columns] only if they are given."""
        change_of_all = np.zeros(self.n)
        change_of_all[indices] = change
        direction = self.weights(change_of_all)
        if isinstance(columns, slice):
            f -= self.blocks.apply(np.append(direction, 0.0))
            return
        for first in range(0, columns.size, ROWS):
            part = columns[first : first + ROWS]
            f[part] -= self.blocks.rows(part) @ direction

    def weights(self, beta: np.ndarray) -> np.ndarray:
        """Φᵀβ, the weights of the features, of shape (n_features,)."""
        return self.blocks.dot(beta)[:-1]
