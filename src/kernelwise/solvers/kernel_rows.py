"""Rows of a Gram matrix that is never computed in full: made when needed, kept while there is room."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.compile import check_compiler
from kernelwise._core.threads import collection_paused
from kernelwise.kernels.radial import GaussianFamily

BLOCK = 2**23  # bytes of kernel values computed at once
# Rows and columns of a tile of single precision values, 1 MB. Rows 4096 bytes apart would share cache sets.
HEIGHT, WIDTH = 256, 1000
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


class GaussianRows(KernelRows):
    """The same for exp(−s‖z − z'‖²) in single precision: −s‖z − z'‖² comes out of one matrix product.

    The product is [2sz, −s‖z‖², 1]·[z', 1, −s‖z'‖²], in units of ln 2. Its rounding is that of the norms, so
    it grows with the extent of the centred data over the width of the kernel; the caller measures whether it
    matters. No row is kept: computing it again takes hardly longer than fetching it from memory.
    """

    dtype: np.dtype = np.dtype(np.float32)

    def __init__(self, kernel: GaussianFamily, X: np.ndarray, memory_limit: int) -> None:
        # Numba takes a quarter of a second to import: not before a machine is trained.
        with collection_paused():
            check_compiler()
            from kernelwise.solvers.compiled.exp2 import exp2_in_place

        super().__init__(kernel, X, 0)
        self._exp2 = exp2_in_place
        Z = np.asarray(kernel.transform(np.asarray(X, dtype=np.float64)))
        Z = Z - Z.mean(axis=0)
        scale = kernel.scale / np.log(2.0)
        norms = scale * np.einsum("ij,ij->i", Z, Z)
        d = Z.shape[1]
        self.left = np.empty((self.n, d + 2), self.dtype)
        np.multiply(Z, 2.0 * scale, out=self.left[:, :d], casting="same_kind")
        self.left[:, d], self.left[:, d + 1] = -norms, 1.0
        self.right = np.empty((d + 2, self.n), self.dtype)
        self.right[:d], self.right[d], self.right[d + 1] = Z.T, 1.0, -norms
        self._memory = np.empty(0, self.dtype)

    def compute(self, indices: np.ndarray, columns: np.ndarray | slice = ALL) -> np.ndarray:
        """K[indices][:, columns], in memory that the next call uses again: fresh pages are dear."""
        return self._values(self.left[indices], self.right[:, columns])

    def square(self, indices: np.ndarray) -> np.ndarray:
        """K[indices][:, indices] in single precision, in the same memory."""
        return self.compute(indices, indices)

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k K[indices_k], of f[columns] only if they are given; by tiles that fit a cache."""
        left, right, change = self.left[indices], self.right[:, columns], change.astype(self.dtype)
        total = np.zeros(right.shape[1])
        for start in range(0, total.size, WIDTH):
            part = slice(start, start + WIDTH)
            for k in range(0, indices.size, HEIGHT):
                total[part] += change[k : k + HEIGHT] @ self._values(left[k : k + HEIGHT], right[:, part])
        f[columns] -= total

    def _values(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        shape = (left.shape[0], right.shape[1])
        size = shape[0] * shape[1]
        if self._memory.size < size:
            self._memory = np.empty(size, self.dtype)
        values = self._memory[:size]
        np.matmul(left, right, out=values.reshape(shape))
        self._exp2(values)
        return values.reshape(shape)
