"""Rows of a Gram matrix that is never computed in full: made when needed, kept while there is room.

Those of Gaussian and Laplacian kernels, and of sums of them, also come from the native core, so fast that
none is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from kernelwise import _native
from kernelwise._core.threads import cached_property, threads
from kernelwise._core.typing import Samples
from kernelwise.kernels import Kernel
from kernelwise.solvers.box_qp import check_finite

BLOCK = 2**23  # bytes of kernel values computed at once
ALL = slice(None)
CROWDED = 0.4  # share of the kept rows from which one product over all of them beats picking rows


class KernelRows:
    """Rows of the Gram matrix ``kernel(X, X)``; the first ones computed are kept within a limit in bytes.

    None is kept that the native core makes: it takes no longer to make it again than to read it.
    """

    dtype: np.dtype = np.dtype(np.float64)

    def __init__(self, kernel: Callable[..., np.ndarray], X: Samples, memory_limit: int) -> None:
        self.kernel: Any = kernel
        self.X: Any = X
        self.n, self.is_native = X.shape[0], can_be_native(kernel, X)
        most = 0 if self.is_native else memory_limit // (self.dtype.itemsize * self.n)
        self.capacity = min(self.n, most)
        self.kept = np.empty((self.capacity, self.n), self.dtype)  # pages are taken when first written
        self.n_kept = 0
        self.kept_at = np.full(self.n, -1)  # index in `kept` of every row, −1 for none

    def rest_of(self, memory_limit: int) -> int:
        """Bytes of a limit that are left beside those for rows: half of it, or more if none is kept."""
        return memory_limit * 3 // 4 if self.is_native else memory_limit // 2

    def compute(self, indices: np.ndarray, columns: np.ndarray | slice = ALL) -> np.ndarray:
        """K[indices][:, columns]"""
        return _finite(np.asarray(self.kernel(self.X[indices], self.X[columns]), dtype=self.dtype))

    def square(self, indices: np.ndarray) -> np.ndarray:
        """K[indices][:, indices] in double precision."""
        if self.is_native:
            return NativeTiles([self.kernel], self.X[indices]).values(self.X[indices])
        return _finite(np.ascontiguousarray(self.kernel(self.X[indices]), dtype=np.float64))

    def product(self, p: np.ndarray) -> np.ndarray:
        """K p, of shape (n,)."""
        found = np.zeros(p.size)
        self.subtract(np.arange(p.size), -p, found)
        return found

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k K[indices_k], of f[columns] only if they are given."""
        if self.is_native and indices.size:
            sums = np.zeros((f[columns].size, 1))
            NativeTiles([self.kernel], self.X[indices]).add(self.X[columns], change[None, :, None], sums)
            f[columns] -= sums[:, 0]
            return
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
#: Rows and columns of a tile of kernel values in double precision: at least a block, and whole panels.
TILE = 64, 1024
#: Rows by whose values columns are sorted.
SORTED_BY = 64
#: Rounding of a product up to which it is as good as the differences, which take longer, by precision.
MAX_ROUNDING = {np.dtype(np.float32): 1e-5, np.dtype(np.float64): 1e-13}


def can_be_native(kernel: Callable[..., np.ndarray], X: Samples) -> bool:
    """Whether `NativeRows` has a kernel: a sum of Gaussian and Laplacian ones on dense samples."""
    if not isinstance(kernel, Kernel) or not isinstance(X, np.ndarray):
        return False
    return all(part.distance in NATIVE for _, part in kernel.parts())


class NativeKernel:
    """Sums of Gaussian and Laplacian kernels as the native core takes them, in the precision of ``dtype``.

    The exponent −s‖z − z'‖² of a Gaussian kernel is the product [2sz, −s‖z‖², 1]·[z', 1, −s‖z'‖²], in units
    of ln 2, or where the norms of ``X`` are so large that their rounding would matter, the sum of squared
    differences. A sample of a much larger norm than all of X is so far from them that its kernel values are
    zero, whatever the rounding. Differences take a little longer, but make K symmetric to the last bit, if it
    must be ``symmetric``. Kernels of the same distance are powers of the same exponent, also those of several
    sums. Columns are summed up in an order of their own, so that the user's does not show in the last digits.
    """

    def __init__(
        self, kernels: Sequence[Kernel], X: np.ndarray, dtype: Any, *, symmetric: bool = False
    ) -> None:
        self.dtype = np.dtype(dtype)
        self._parts: list[tuple[Kernel, np.ndarray, np.ndarray, int, float]] = []
        shapes, powers = [], []
        for shape, widths in _by_shape(kernels, X.shape[1]):
            Z = np.asarray(shape.transform(X))
            order = np.lexsort(Z[:SORTED_BY])
            Z = Z.take(order, axis=1)
            centre = Z.mean(axis=0)
            largest, total = max(widths), float(np.sum(list(widths.values()), axis=0).max())
            unit, kind = largest / np.log(2.0), CITY_BLOCK
            if shape.distance != "cityblock":
                norm = float(np.einsum("ij,ij->i", Z - centre, Z - centre).max(initial=0.0))
                rounding = 4.0 * total * unit * norm * float(np.finfo(self.dtype).eps)
                kind = SQUARES if symmetric or rounding > MAX_ROUNDING[self.dtype] else PRODUCT
            self._parts.append((shape, order, centre, kind, unit))
            shapes.append((kind, len(centre) + 2 * (kind == PRODUCT), len(widths)))
            powers += [(scale / largest, *weights) for scale, weights in widths.items()]
        self.terms = np.array(shapes, np.int64), np.array(powers, self.dtype)

    def rows(self, X: np.ndarray) -> np.ndarray:
        """What exponents are made of for samples as rows, of shape (n_samples, n_numbers)."""
        return self._numbers(X, lambda unit, Z, norms, ones: [2.0 * unit * Z, -norms, ones])

    def columns(self, X: np.ndarray) -> np.ndarray:
        """The same for samples as columns."""
        return self._numbers(X, lambda unit, Z, norms, ones: [Z, ones, -norms])

    def _numbers(self, X: np.ndarray, product: Callable[..., list[np.ndarray]]) -> np.ndarray:
        found: list[np.ndarray] = []
        for shape, order, centre, kind, unit in self._parts:
            Z = np.asarray(shape.transform(X)).take(order, axis=1) - centre
            if kind == PRODUCT:
                with np.errstate(over="ignore"):  # a sample that is far from all others: its exponents are −∞
                    norms = unit * np.einsum("ij,ij->i", Z, Z)[:, None]
                found += product(unit, Z, norms, np.ones_like(norms))
            else:
                found.append((unit if kind == CITY_BLOCK else np.sqrt(unit)) * Z)
        return np.concatenate(found, axis=1, dtype=self.dtype, casting="same_kind")


class NativeTiles:
    """Sums of kernel values of any samples with fixed ones ``Y``, in double precision, by small tiles."""

    def __init__(self, kernels: Sequence[Kernel], Y: np.ndarray) -> None:
        self.kernel, self.n, self.n_kernels = NativeKernel(kernels, Y, np.float64), len(Y), len(kernels)
        self.panels = in_panels(np.ascontiguousarray(self.kernel.columns(Y).T), np.arange(len(Y)))

    def values(self, X: np.ndarray) -> np.ndarray:
        """K(X, Y) of the first kernel, of shape (n_samples, n_fixed)."""
        K = np.empty((len(X), self.n))
        for rows, columns, tile in self._tiles(X):
            K[rows, columns] = tile[0]
        return K

    def add(self, X: np.ndarray, factors: np.ndarray, out: np.ndarray) -> None:
        """out += Σ_m K_m(X, Y) @ factors_m, of shapes (n_samples, n_factors) and (n_fixed, n_factors).

        The kernels share what they have in common: distances, and powers of equal width.
        """
        for rows, columns, tile in self._tiles(X):
            for K, of_kernel in zip(tile, factors, strict=True):
                out[rows] += K @ of_kernel[columns]

    def _tiles(self, X: np.ndarray) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """Rows, columns and values of each kernel, of tiles that are valid until the next one."""
        height, width = (
            TILE[0],
            max(_native.WIDTH, TILE[1] // self.n_kernels // _native.WIDTH * _native.WIDTH),
        )
        memory = np.empty(self.n_kernels * height * width)
        for first in range(0, len(X), height):
            left = self.kernel.rows(X[first : first + height])
            n = len(left)
            left = left[np.resize(np.arange(n), max(n, _native.ROWS))]
            for start in range(0, self.n, width):
                stop = min(start + width, self.n)
                panels = self.panels[start // _native.WIDTH : -(-stop // _native.WIDTH)]
                size = len(panels) * _native.WIDTH
                K = memory[: self.n_kernels * len(left) * size].reshape(len(left), self.n_kernels, size)
                _native.fill_kernel(*self.kernel.terms, left, panels, K.reshape(len(left), -1))
                yield slice(first, first + n), slice(start, stop), K[:n, :, : stop - start].swapaxes(0, 1)


class NativeRows:
    """Rows of a sum of Gaussian and Laplacian kernels in single precision, made by the native core."""

    dtype: np.dtype = np.dtype(np.float32)

    def __init__(self, kernel: Kernel, X: np.ndarray, *, symmetric: bool = False) -> None:
        X = np.asarray(X, dtype=np.float64)
        self.kernel = NativeKernel([kernel], X, self.dtype, symmetric=symmetric)
        self.n, self.terms = X.shape[0], self.kernel.terms
        self.left, self.right = self.kernel.rows(X), np.ascontiguousarray(self.kernel.columns(X).T)

    def of_others(self, X: np.ndarray) -> np.ndarray:
        """Kernel values of shape (n_others, n) of other samples with these."""
        return self._values(self.kernel.rows(np.asarray(X, dtype=np.float64)))

    def _values(self, left: np.ndarray) -> np.ndarray:
        """The same of samples as rows of ``left``, which the native core takes some of at least."""
        n, panels = len(left), self._all_panels
        if 0 < n < _native.ROWS:
            left = np.resize(left, (_native.ROWS, left.shape[1]))
        values = np.empty((len(left), panels.shape[0] * panels.shape[2]), self.dtype)
        if n:
            _native.fill_kernel(*self.terms, left, panels, values)
        return values[:n, : self.n]

    @cached_property
    def _all_panels(self) -> np.ndarray:
        return in_panels(self.right, np.arange(self.n))

    def fill(self, indices: np.ndarray, out: np.ndarray) -> None:
        """Write K[indices][:, indices] to the first columns of ``out``; the others get finite values, too."""
        panels = in_panels(self.right, indices)
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

    def gram(self, out: np.ndarray, n_jobs: int | None = 1) -> np.ndarray:
        """Write all of K to ``out``, of shape (n, n); return it. Threads make no difference to the values."""
        width = len(self._all_panels) * _native.WIDTH
        height = max(_native.ROWS, BLOCK // (8 * self.dtype.itemsize * width))  # it stays in the cache

        def make(first: int) -> None:
            out[first : first + height] = self._values(self.left[first : first + height])

        threads(n_jobs)((make, (first,), {}) for first in range(0, self.n, height))
        return out

    def subtract(
        self, indices: np.ndarray, change: np.ndarray, f: np.ndarray, columns: np.ndarray | slice = ALL
    ) -> None:
        """f −= Σ change_k K[indices_k], of f[columns] only if they are given."""
        where = np.arange(f.size)[columns]
        if indices.size == 0 or where.size == 0:
            return
        panels = in_panels(self.right, where)
        left = self.left[np.resize(indices, -(-indices.size // _native.ROWS) * _native.ROWS)]
        factors = np.zeros(left.shape[0], self.dtype)
        factors[: indices.size] = change
        total = np.zeros(panels.shape[0] * panels.shape[2])
        _native.add_kernel(*self.terms, left, factors, panels, total)
        f[where] -= total[: where.size]


def in_panels(right: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """These columns of ``right`` as panels of the native core's width, the last one filled up."""
    width = _native.WIDTH
    n_panels = -(-columns.size // width)
    right = right.take(np.resize(columns, n_panels * width), axis=1)
    return np.ascontiguousarray(right.reshape(len(right), n_panels, width).swapaxes(0, 1))


def _by_shape(kernels: Sequence[Kernel], n_features: int) -> list[tuple[Kernel, dict[float, np.ndarray]]]:
    """Kernels of different distances, each with the scales of all parts of its distance.

    A scale has the weights of that part in each of the kernels, of shape (n_kernels,).
    """
    found: dict[tuple[Any, bytes], tuple[Kernel, dict[float, np.ndarray]]] = {}
    for m, (weight, part) in ((m, one) for m, kernel in enumerate(kernels) for one in kernel.parts()):
        shape, factor = part.of_unit_width() or (part, 1.0)
        L = shape.linear_map(n_features)
        key = shape.distance, b"" if L is None else L.tobytes()
        widths = found.setdefault(key, (shape, {}))[1]
        widths.setdefault(factor * shape.scale, np.zeros(len(kernels)))[m] += weight
    return list(found.values())
