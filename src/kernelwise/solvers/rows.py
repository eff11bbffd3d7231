"""Rows of a Gram matrix that is never whole: computed where they are needed, and kept while there is room."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.kernels.radial import GaussianFamily, exp_without_denormals

BLOCK = 2**23  # bytes of kernel values computed at once
ALL = slice(None)
CROWDED = 0.4  # share of the kept rows from which one product over all of them beats picking rows


class KernelRows:
    """Rows of the Gram matrix of ``X``; the first ones computed are kept within a memory limit.

    Parameters
    ----------
    kernel : callable
        ``kernel(X, Y)`` returns a Gram matrix.
    X : array or CSR matrix of shape (n_samples, n_features)
    memory_limit : int
        Bytes for the rows that are kept.
    """

    dtype: np.dtype = np.dtype(np.float64)

    def __init__(self, kernel: Any, X: Any, memory_limit: int) -> None:
        self.kernel, self.X = kernel, X
        self.n = X.shape[0]
        self.capacity = min(self.n, memory_limit // (self.dtype.itemsize * self.n))
        self.kept = np.empty((self.capacity, self.n), self.dtype)  # pages are taken when first written
        self.n_kept = 0
        self.place = np.full(self.n, -1)

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
        is_kept = self.place[indices] >= 0
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
            everywhere[self.place[indices]] = change
            total = everywhere @ self.kept[: self.n_kept]
        else:
            total = change @ self.kept[self.place[indices]]
        return total[columns].astype(np.float64)

    def _keep(self, indices: np.ndarray, rows: np.ndarray) -> None:
        n_new = min(indices.size, self.capacity - self.n_kept)
        places = slice(self.n_kept, self.n_kept + n_new)
        self.kept[places] = rows[:n_new]
        self.place[indices[:n_new]] = np.arange(self.n_kept, self.n_kept + n_new)
        self.n_kept += n_new


class GaussianRows(KernelRows):
    """The same for exp(−s‖z − z'‖²) in single precision: −s‖z − z'‖² comes out of one matrix product.

    The product is [2sz, −s‖z‖², 1]·[z', 1, −s‖z'‖²]. Its rounding is that of the norms, so it grows with the
    extent of the centred data over the width of the kernel; the caller measures whether it matters. No row is
    kept: computing it again takes no longer than fetching it from memory.
    """

    dtype: np.dtype = np.dtype(np.float32)

    def __init__(self, kernel: GaussianFamily, X: np.ndarray, memory_limit: int) -> None:
        super().__init__(kernel, X, 0)
        Z = np.asarray(kernel.transform(np.asarray(X, dtype=np.float64)))
        Z = Z - Z.mean(axis=0)
        norms = kernel.scale * np.einsum("ij,ij->i", Z, Z)
        ones = np.ones(self.n)
        self.left = np.column_stack([2.0 * kernel.scale * Z, -norms, ones]).astype(self.dtype)
        self.right = np.column_stack([Z, ones, -norms]).astype(self.dtype)

    def compute(self, indices: np.ndarray, columns: np.ndarray | slice = ALL) -> np.ndarray:
        rows = self.left[indices] @ self.right[columns].T
        return exp_without_denormals(rows)

    def square(self, indices: np.ndarray) -> np.ndarray:
        return self.compute(indices, indices).astype(np.float64)
