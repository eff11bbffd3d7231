"""Rows of a Gram matrix that is never computed in full: made when needed, kept while there is room.

Those of Gaussian kernels come in either precision, and none is kept.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelwise import _native
from kernelwise._core.typing import Samples
from kernelwise.kernels.radial import GaussianFamily

BLOCK = 2**23  # bytes of kernel values computed at once
ALL = slice(None)
CROWDED = 0.4  # share of the kept rows from which one product over all of them beats picking rows


class KernelRows:
    """Rows of the Gram matrix ``kernel(X, X)``; the first ones computed are kept within a limit in bytes."""

    dtype: np.dtype = np.dtype(np.float64)

    def __init__(self, kernel: Callable[..., np.ndarray], X: Samples, memory_limit: int) -> None:
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


# Bytes and columns of a tile in double precision. Rows 4096 bytes apart would share cache sets.
TILE, WIDTH = 2**20, 1000


class GaussianRows:
    """Rows of exp(−s‖z − z'‖²): the exponent comes out of one matrix product.

    The product is [2sz, −s‖z‖², 1]·[z', 1, −s‖z'‖²], in units of ln 2 in single precision. Its rounding is
    that of the norms, so it grows with the extent of the centred data over the width of the kernel; the
    caller measures whether it matters. Single precision is made by the native core, double precision by tiles
    that fit a cache.
    """

    def __init__(self, kernel: GaussianFamily, X: np.ndarray, dtype: np.dtype) -> None:
        self.dtype = dtype
        Z = np.asarray(kernel.transform(np.asarray(X, dtype=np.float64)))
        Z = Z - Z.mean(axis=0)
        scale = kernel.scale
        self._is_native = dtype == np.float32
        if self._is_native:
            scale = scale / np.log(2.0)
        norms = scale * np.einsum("ij,ij->i", Z, Z)
        n, d = Z.shape
        #: Of the largest exponents that the product adds up.
        self.rounding = 4.0 * float(norms.max()) * float(np.finfo(dtype).eps)
        self.left = np.empty((n, d + 2), dtype)
        np.multiply(Z, 2.0 * scale, out=self.left[:, :d], casting="same_kind")
        self.left[:, d], self.left[:, d + 1] = -norms, 1.0
        self.right = np.empty((d + 2, n), dtype)
        self.right[:d], self.right[d], self.right[d + 1] = Z.T, 1.0, -norms

    def fill(self, indices: np.ndarray, out: np.ndarray) -> None:
        """Write K[indices][:, indices] to the first columns of ``out``; the others get finite values, too."""
        if not self._is_native:
            out[:] = np.exp(self.left[indices] @ self.right[:, np.resize(indices, out.shape[1])])
            return
        panels = self._panels(indices)
        width = panels.shape[0] * panels.shape[2]
        if width <= out.shape[1] and indices.size >= _native.ROWS and out.flags.c_contiguous:
            _native.gaussian_fill(self.left[indices], panels, out)
            out[:, width:] = 0.0
        else:  # blocks of rows and columns do not fit
            rows = np.resize(indices, max(indices.size, _native.ROWS))
            values = np.empty((rows.size, width), np.float32)
            _native.gaussian_fill(self.left[rows], panels, values)
            out[:, :width] = values[: indices.size, : out.shape[1]]
            out[:, width:] = 0.0

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k K[indices_k], of f[columns] only if they are given."""
        if not self._is_native:
            f[columns] -= self._sum_by_tiles(self.left[indices], change, self.right[:, columns])
            return
        where = np.arange(f.size)[columns]
        if indices.size == 0 or where.size == 0:
            return
        panels = self._panels(where)
        left = self.left[np.resize(indices, -(-indices.size // _native.ROWS) * _native.ROWS)]
        factors = np.zeros(left.shape[0], np.float32)
        factors[: indices.size] = change
        total = np.zeros(panels.shape[0] * panels.shape[2])
        _native.gaussian_add(left, factors, panels, total)
        f[where] -= total[: where.size]

    def _panels(self, columns: np.ndarray) -> np.ndarray:
        """These columns of ``right`` as panels of the native core's width, the last one filled up."""
        width = _native.WIDTH
        n_panels = -(-columns.size // width)
        right = self.right.take(np.resize(columns, n_panels * width), axis=1)
        return np.ascontiguousarray(right.reshape(len(right), n_panels, width).swapaxes(0, 1))

    def _sum_by_tiles(self, left: np.ndarray, change: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Σ change_k exp(left_k · right), of the shape of a row."""
        total = np.zeros(right.shape[1])
        tile = np.empty(TILE // self.dtype.itemsize)  # fresh pages are dear
        height = tile.size // WIDTH
        for start in range(0, total.size, WIDTH):
            part = slice(start, start + WIDTH)
            for k in range(0, left.shape[0], height):
                some, columns = left[k : k + height], right[:, part]
                values = tile[: some.shape[0] * columns.shape[1]].reshape(some.shape[0], -1)
                np.matmul(some, columns, out=values)
                total[part] += change[k : k + height] @ np.exp(values, out=values)
        return total
