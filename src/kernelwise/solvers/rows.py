"""Rows of a Gram matrix that is never whole: computed where they are needed, and kept while there is room."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise.kernels.radial import GaussianFamily

BLOCK = 2**22  # bytes of kernel values computed at once: they stay in the processor's cache
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

    dtype = np.dtype(np.float64)

    def __init__(self, kernel: Any, X: Any, memory_limit: int) -> None:
        self.kernel, self.X = kernel, X
        self.n = X.shape[0]
        self.capacity = min(self.n, memory_limit // (self.dtype.itemsize * self.n))
        self.kept = np.empty((self.capacity, self.n), self.dtype)  # pages are taken when first written
        self.n_kept = 0
        self.place = np.full(self.n, -1)

    def compute(self, indices: np.ndarray) -> np.ndarray:
        """K[indices], shape (n_indices, n_samples)."""
        return np.asarray(self.kernel(self.X[indices], self.X), dtype=self.dtype)

    def square(self, indices: np.ndarray) -> np.ndarray:
        """K[indices][:, indices] in double precision."""
        return np.ascontiguousarray(self.kernel(self.X[indices]), dtype=np.float64)

    def subtract(self, indices: np.ndarray, change: np.ndarray, f: np.ndarray) -> None:
        """f −= Σ change_k K[indices_k]"""
        is_kept = self.place[indices] >= 0
        self._subtract_kept(indices[is_kept], change[is_kept].astype(self.dtype), f)
        new, change_of_new = indices[~is_kept], change[~is_kept].astype(self.dtype)
        step = max(8, BLOCK // (self.dtype.itemsize * self.n))
        for start in range(0, new.size, step):
            part = new[start : start + step]
            rows = self.compute(part)
            f -= change_of_new[start : start + step] @ rows
            self._keep(part, rows)

    def _subtract_kept(self, indices: np.ndarray, change: np.ndarray, f: np.ndarray) -> None:
        if indices.size > CROWDED * self.n_kept:
            everywhere = np.zeros(self.n_kept, self.dtype)
            everywhere[self.place[indices]] = change
            f -= everywhere @ self.kept[: self.n_kept]
        elif indices.size:
            f -= change @ self.kept[self.place[indices]]

    def _keep(self, indices: np.ndarray, rows: np.ndarray) -> None:
        n_new = min(indices.size, self.capacity - self.n_kept)
        places = slice(self.n_kept, self.n_kept + n_new)
        self.kept[places] = rows[:n_new]
        self.place[indices[:n_new]] = np.arange(self.n_kept, self.n_kept + n_new)
        self.n_kept += n_new


class GaussianRows(KernelRows):
    """The same for exp(−s‖z − z'‖²) in single precision: −s‖z − z'‖² comes out of one matrix product.

    The product is [2sz, −s‖z‖², 1]·[z', 1, −s‖z'‖²]. Its rounding is that of the norms, so it grows with the
    extent of the centred data over the width of the kernel; the caller measures whether it matters.
    """

    dtype = np.dtype(np.float32)

    def __init__(self, kernel: GaussianFamily, X: np.ndarray, memory_limit: int) -> None:
        super().__init__(kernel, X, memory_limit)
        Z = np.asarray(kernel.transform(np.asarray(X, dtype=np.float64)))
        Z = Z - Z.mean(axis=0)
        norms = kernel.scale * np.einsum("ij,ij->i", Z, Z)
        ones = np.ones(self.n)
        self.left = np.column_stack([2.0 * kernel.scale * Z, -norms, ones]).astype(self.dtype)
        self.right = np.column_stack([Z, ones, -norms]).astype(self.dtype)

    def compute(self, indices: np.ndarray) -> np.ndarray:
        rows = self.left[indices] @ self.right.T
        return np.exp(rows, out=rows)

    def square(self, indices: np.ndarray) -> np.ndarray:
        exponent = self.left[indices] @ self.right[indices].T
        K = np.exp(exponent, out=exponent).astype(np.float64)
        return (K + K.T) / 2.0
