"""Rows of a Gram matrix that is never computed in full: made when needed, kept while there is room.

Those of Gaussian and Laplacian kernels, and of sums of them, also come in single precision from the native
core, so fast that none is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from kernelwise import _native
from kernelwise._core.typing import Samples
from kernelwise.kernels import Kernel
from kernelwise.solvers.box_qp import check_finite

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
        return _finite(np.asarray(self.kernel(self.X[indices], self.X[columns]), dtype=self.dtype))

    def square(self, indices: np.ndarray) -> np.ndarray:
        """K[indices][:, indices] in double precision."""
        return _finite(np.ascontiguousarray(self.kernel(self.X[indices]), dtype=np.float64))

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


def _finite(values: np.ndarray) -> np.ndarray:
    """Kernel values; those of a function of the user may be infinite although the first ones were not."""
    if not np.isfinite(values.sum()):  # which may also be out of range itself
        check_finite(np.where(np.isfinite(values), 0.0, np.nan))
    return values


#: How the native core makes the exponent of a kernel: by a product, or by differences squared or as they are.
PRODUCT, SQUARES, CITY_BLOCK = 0, 1, 2
#: Distances whose kernels it has.
NATIVE = ("sqeuclidean", "cityblock")
#: Rounding of a product up to which it is as good as the differences, which take longer.
MAX_ROUNDING = 1e-5


def can_be_native(kernel: Callable[..., np.ndarray], X: Samples) -> bool:
    """Whether `NativeRows` has a kernel: a sum of Gaussian and Laplacian ones on dense samples."""
    if not isinstance(kernel, Kernel) or not isinstance(X, np.ndarray):
        return False
    return all(part.distance in NATIVE for _, part in kernel.parts())


class NativeRows:
    """Rows of a sum of Gaussian and Laplacian kernels in single precision, made by the native core.

    The exponent −s‖z − z'‖² of a Gaussian kernel is the product [2sz, −s‖z‖², 1]·[z', 1, −s‖z'‖²], in units
    of ln 2, or where the norms are so large that their rounding would matter, the sum of squared differences.
    Kernels of the same distance are powers of the same exponent.
    """

    dtype: np.dtype = np.dtype(np.float32)

    def __init__(self, kernel: Kernel, X: np.ndarray) -> None:
        X = np.asarray(X, dtype=np.float64)
        self.n = X.shape[0]
        shapes, powers = [], []
        left: list[np.ndarray] = []
        right: list[np.ndarray] = []
        for shape, widths in _by_shape(kernel, X.shape[1]):
            Z = np.asarray(shape.transform(X))
            Z = Z - Z.mean(axis=0)
            largest = max(scale for scale, _ in widths)
            total = sum(weight for _, weight in widths)
            kind, rows, columns = _exponents(shape, Z, largest / np.log(2.0), total)
            left.append(rows)
            right.append(columns)
            shapes.append((kind, rows.shape[1], len(widths)))
            powers += [(scale / largest, weight) for scale, weight in widths]
        self.terms = np.array(shapes, np.int64), np.array(powers, self.dtype)
        self.left = np.concatenate(left, axis=1, dtype=self.dtype, casting="same_kind")
        self.right = np.concatenate([block.T for block in right], dtype=self.dtype, casting="same_kind")

    def fill(self, indices: np.ndarray, out: np.ndarray) -> None:
        """Write K[indices][:, indices] to the first columns of ``out``; the others get finite values, too."""
        panels = self._panels(indices)
        width = panels.shape[0] * panels.shape[2]
        if width <= out.shape[1] and indices.size >= _native.ROWS and out.flags.c_contiguous:
            _native.fill_kernel(*self.terms, self.left[indices], panels, out)
            out[:, width:] = 0.0
        else:  # blocks of rows and columns do not fit
            rows = np.resize(indices, max(indices.size, _native.ROWS))
            values = np.empty((rows.size, width), self.dtype)
            _native.fill_kernel(*self.terms, self.left[rows], panels, values)
            out[:, :width] = values[: indices.size, : out.shape[1]]
            out[:, width:] = 0.0

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k K[indices_k], of f[columns] only if they are given."""
        where = np.arange(f.size)[columns]
        if indices.size == 0 or where.size == 0:
            return
        panels = self._panels(where)
        left = self.left[np.resize(indices, -(-indices.size // _native.ROWS) * _native.ROWS)]
        factors = np.zeros(left.shape[0], self.dtype)
        factors[: indices.size] = change
        total = np.zeros(panels.shape[0] * panels.shape[2])
        _native.add_kernel(*self.terms, left, factors, panels, total)
        f[where] -= total[: where.size]

    def _panels(self, columns: np.ndarray) -> np.ndarray:
        """These columns of ``right`` as panels of the native core's width, the last one filled up."""
        width = _native.WIDTH
        n_panels = -(-columns.size // width)
        right = self.right.take(np.resize(columns, n_panels * width), axis=1)
        return np.ascontiguousarray(right.reshape(len(right), n_panels, width).swapaxes(0, 1))


def _by_shape(kernel: Kernel, n_features: int) -> list[tuple[Kernel, list[tuple[float, float]]]]:
    """Kernels of different distances, each with the scales and weights of all parts of its distance."""
    found: dict[tuple[Any, bytes], tuple[Kernel, list[tuple[float, float]]]] = {}
    for weight, part in kernel.parts():
        shape, factor = part.of_unit_width() or (part, 1.0)
        L = shape.linear_map(n_features)
        key = shape.distance, b"" if L is None else L.tobytes()
        found.setdefault(key, (shape, []))[1].append((factor * shape.scale, weight))
    return list(found.values())


def _exponents(
    shape: Kernel, Z: np.ndarray, unit: float, weight: float
) -> tuple[int, np.ndarray, np.ndarray]:
    """The kind of a term, and what its exponents −unit·D are made of for rows and for columns.

    ``Z`` are the samples after the map of the kernel, centred, and ``weight`` is what the powers add up to.
    """
    if shape.distance == "cityblock":
        return CITY_BLOCK, unit * Z, unit * Z
    norms = unit * np.einsum("ij,ij->i", Z, Z)[:, None]
    if 4.0 * weight * float(norms.max(initial=0.0)) * np.finfo(np.float32).eps > MAX_ROUNDING:
        Z = np.sqrt(unit) * Z
        return SQUARES, Z, Z
    ones = np.ones_like(norms)
    return PRODUCT, np.hstack([2.0 * unit * Z, -norms, ones]), np.hstack([Z, ones, -norms])
