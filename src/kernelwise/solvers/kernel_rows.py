"""Rows of a Gram matrix that is never computed in full: made when needed, kept while there is room."""

from __future__ import annotations

from typing import Any

import numpy as np

BLOCK = 2**23  # bytes of kernel values computed at once
ALL = slice(None)
CROWDED = 0.4  # share of the kept rows from which one product over all of them beats picking rows


class KernelRows:
    """Rows of the Gram matrix ``kernel(X, X)``; the first ones computed are kept within a limit in bytes."""

    dtype: np.dtype = np.dtype(np.float64)

    def __init__(self, kernel: Any, X: Any, memory_limit: int) -> None:
        self.kernel, self.X = kernel, X
        self.n = X.shape[0]
        self.capacity = min(self.n, memory_limit // (self.dtype.itemsize * self.n))
        self.kept = np.empty((self.capacity, self.n), self.dtype)  # pages are taken when first written
        self.n_kept = 0
        self.kept_at = np.full(self.n, -1)  # index in `kept` of every row, −1 for none

    def compute(self, indices: np.ndarray, columns: np.ndarray | slice = ALL) -> np.ndarray:
        """K[indices][:, columns]"""
        return np.asarray(self.kernel(self.X[indices], self.X[columns]), dtype=self.dtype)

    def square(self, indices: np.ndarray) -> np.ndarray:
        """K[indices][:, indices] in double precision."""
        return np.ascontiguousarray(self.kernel(self.X[indices]), dtype=np.float64)

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k K[indices_k], of f[columns] only if they are given."""
        is_kept = self.kept_at[indices] >= 0
        total = self._sum_of_kept(indices[is_kept], change[is_kept].astype(self.dtype), columns)
        new, change_of_new = indices[~is_kept], change[~is_kept].astype(self.dtype)
        step = max(8, BLOCK // (self.dtype.itemsize * max(total.size, 1)))
        for start in range(0, new.size, step):
            part = new[start : start + step]
            rows = self.compute(part, columns)
            total += change_of_new[start : start + step] @ rows
            if columns is ALL:
                self._keep(part, rows)
        f[columns] -= total

    def _sum_of_kept(
        self, indices: np.ndarray, change: np.ndarray, columns: np.ndarray | slice
    ) -> np.ndarray:
        if indices.size > CROWDED * self.n_kept:
            everywhere = np.zeros(self.n_kept, self.dtype)
            everywhere[self.kept_at[indices]] = change
            total = everywhere @ self.kept[: self.n_kept]
        else:
            total = change @ self.kept[self.kept_at[indices]]
        return total[columns].astype(np.float64)

    def _keep(self, indices: np.ndarray, rows: np.ndarray) -> None:
        n_new = min(indices.size, self.capacity - self.n_kept)
        free = slice(self.n_kept, self.n_kept + n_new)
        self.kept[free] = rows[:n_new]
        self.kept_at[indices[:n_new]] = np.arange(self.n_kept, self.n_kept + n_new)
        self.n_kept += n_new
