"""Rows of the Gram matrix of a Gaussian kernel, made by tiles that fit a cache, in either precision."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kernelwise.kernels.radial import GaussianFamily
from kernelwise.solvers.compiled.exp2 import exp2_in_place
from kernelwise.solvers.kernel_rows import ALL

# Bytes and columns of a tile. Rows 4096 bytes apart would share cache sets.
TILE, WIDTH = 2**20, 1000


class GaussianRows:
    """Rows of exp(−s‖z − z'‖²): the exponent comes out of one matrix product.

    The product is [2sz, −s‖z‖², 1]·[z', 1, −s‖z'‖²], in units of ln 2 in single precision. Its rounding is
    that of the norms, so it grows with the extent of the centred data over the width of the kernel; the
    caller measures whether it matters. No row is kept.
    """

    def __init__(self, kernel: GaussianFamily, X: np.ndarray, dtype: np.dtype) -> None:
        self.dtype = dtype
        Z = np.asarray(kernel.transform(np.asarray(X, dtype=np.float64)))
        Z = Z - Z.mean(axis=0)
        scale = kernel.scale
        self._exp: Callable[[np.ndarray], object] = _exp
        if dtype == np.float32:
            self._exp, scale = exp2_in_place, scale / np.log(2.0)
        norms = scale * np.einsum("ij,ij->i", Z, Z)
        n, d = Z.shape
        #: Of the largest exponents that the product adds up.
        self.rounding = 4.0 * float(norms.max()) * float(np.finfo(dtype).eps)
        self.left = np.empty((n, d + 2), dtype)
        np.multiply(Z, 2.0 * scale, out=self.left[:, :d], casting="same_kind")
        self.left[:, d], self.left[:, d + 1] = -norms, 1.0
        self.right = np.empty((d + 2, n), dtype)
        self.right[:d], self.right[d], self.right[d + 1] = Z.T, 1.0, -norms
        self._tile = np.empty(TILE // dtype.itemsize, dtype)  # fresh pages are dear

    def fill(self, indices: np.ndarray, out: np.ndarray) -> None:
        """Write K[indices][:, indices] to the first columns of ``out``; the others get finite values, too."""
        left, right = self.left[indices], self.right[:, np.resize(indices, out.shape[1])]
        height = max(1, TILE // out[0].nbytes)
        for k in range(0, indices.size, height):
            np.matmul(left[k : k + height], right, out=out[k : k + height])
            self._exp(out[k : k + height].reshape(-1))

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k K[indices_k], of f[columns] only if they are given."""
        left, right, change = self.left[indices], self.right[:, columns], change.astype(self.dtype)
        total = np.zeros(right.shape[1])
        height = self._tile.size // WIDTH
        for start in range(0, total.size, WIDTH):
            part = slice(start, start + WIDTH)
            for k in range(0, indices.size, height):
                total[part] += change[k : k + height] @ self._values(left[k : k + height], right[:, part])
        f[columns] -= total

    def _values(self, left: np.ndarray, right: np.ndarray) -> np.ndarray:
        shape = (left.shape[0], right.shape[1])
        values = self._tile[: shape[0] * shape[1]]
        np.matmul(left, right, out=values.reshape(shape))
        self._exp(values)
        return values.reshape(shape)


def _exp(values: np.ndarray) -> None:
    np.exp(values, out=values)
