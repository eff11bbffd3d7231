"""Gram matrices of many kernels on the same samples."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.memory import check_gram_memory
from kernelwise._core.threads import by_rows, threads
from kernelwise._core.typing import Samples
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.distances import base_array
from kernelwise.kernels.radial import decayed

#: Kernel values that stay in the cache, and those that a thread makes at a time.
IN_CACHE, SHARE = 2**16, 2**19
#: What a Gram matrix comes from: a kernel, a function of two sets of samples, or "precomputed".
GramSource = Kernel | Callable[..., ArrayLike] | str


class Grams:
    """Gram matrices on one set of samples, from distances and inner products computed once.

    ``X`` is the Gram matrix itself for "precomputed"; ``bases`` are the arrays that the kernels to come need
    (see `base_of`), and ``n_buffers`` Gram matrices may be in use at one moment, each of them made by
    ``n_jobs`` threads.
    """

    def __init__(self, X: Samples, bases: Iterable[str], n_buffers: int = 1, n_jobs: int | None = 1) -> None:
        self.X, self.n_jobs = X, n_jobs
        bases = set(bases)
        if bases:
            check_gram_memory(len(bases) + n_buffers, X.shape[0])
        self._bases = {base: base_array(base, X) for base in sorted(bases)}
        # A fresh n × n array costs as much in page faults as in arithmetic: the same few are used again.
        self._buffers: SimpleQueue[np.ndarray | None] = SimpleQueue()
        for _ in range(n_buffers):
            self._buffers.put(None)

    @contextmanager
    def gram(self, kernel: GramSource) -> Iterator[np.ndarray]:
        """Gram matrix of shape (n_samples, n_samples), valid inside the ``with`` block."""
        base = base_of(kernel)
        if base is None or not isinstance(kernel, Kernel):
            yield gram_of(kernel, self.X)
            return
        K = self._buffers.get()
        if K is None:
            K = np.empty((self.X.shape[0],) * 2)
        try:
            self._fill(K, kernel, self._bases[base])
            yield K
        finally:
            self._buffers.put(K)

    def _fill(self, K: np.ndarray, kernel: Kernel, base: np.ndarray) -> None:
        """Kernel values, some rows at a time: they stay in the cache."""
        height, share = max(1, IN_CACHE // len(K)), max(1, SHARE // len(K))

        def fill(first: int) -> None:
            for start in range(first, min(first + share, len(K)), height):
                rows = slice(start, min(start + height, first + share))
                kernel.profile_into(base[rows], K[rows])

        threads(self.n_jobs)((fill, (first,), {}) for first in range(0, len(K), share))


class Shapes:
    """Gram matrices of kernels with weights: distances of one shape serve all of its widths.

    The distances last asked for are kept, as many as ``most_bytes`` allow; a Gram matrix is valid until the
    next one is asked for, which takes its memory.
    """

    def __init__(self, X: Samples, most_bytes: float) -> None:
        self.X = X
        self.n_kept = int(most_bytes // (8 * X.shape[0] ** 2))
        self._kept: OrderedDict[bytes, np.ndarray] = OrderedDict()
        self._buffer: np.ndarray | None = None

    @property
    def n_matrices(self) -> int:
        """Matrices that are kept."""
        return len(self._kept) + (self._buffer is not None)

    def clear(self) -> None:
        """Forget them."""
        self._kept.clear()
        self._buffer = None

    def gram(self, kernel: Kernel) -> np.ndarray | None:
        """The Gram matrix, of shape (n_samples, n_samples); None for a kernel without a shape."""
        unit = kernel.of_unit_width()
        if unit is None or not self.n_kept:
            return None
        shape, times = unit
        key = type(kernel).__name__.encode() + shape.theta.tobytes()
        if key not in self._kept:
            while len(self._kept) >= self.n_kept:
                self._kept.popitem(last=False)
            self._kept[key] = shape.distances(self.X)
        self._kept.move_to_end(key)
        if self._buffer is None:
            self._buffer = np.empty((self.X.shape[0],) * 2)
        return decayed(self._kept[key], kernel.scale * times, self._buffer)


def gram_of(kernel: GramSource, X: Samples) -> np.ndarray:
    """Gram matrix of one kernel, or the samples themselves if they are a Gram matrix already.

    To the bit that of `Grams` and `Shapes`, wherever it is computed.
    """
    if isinstance(kernel, str):  # "precomputed"
        return np.asarray(X)
    if not isinstance(kernel, Kernel):
        return np.asarray(kernel(X, X), dtype=float)
    parts = kernel.parts()
    if len(parts) > 1:
        total = np.empty((X.shape[0],) * 2)
        for m, (weight, part) in enumerate(parts):
            add_part(total, gram_of(part, X), weight, is_first=m == 0)
        return total
    unit = kernel.of_unit_width()
    if unit is None:
        return kernel(X)
    shape, times = unit
    return decayed(shape.distances(X), kernel.scale * times)


def add_part(total: np.ndarray, K: np.ndarray, weight: float, *, is_first: bool) -> None:
    """Add a Gram matrix times its weight to the sum of those before it; K is used up."""

    def add(rows: slice) -> None:
        np.multiply(K[rows], weight, out=total[rows] if is_first else K[rows])
        if not is_first:
            total[rows] += K[rows]

    by_rows(add, K.shape)


def base_of(kernel: GramSource) -> str | None:
    """The array that a kernel's Gram matrix is an entrywise function of, if other kernels can share it."""
    return kernel.gram_base if isinstance(kernel, Kernel) else None
