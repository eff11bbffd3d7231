"""One blocked pass over all pairs of samples: squared distances into a histogram per pair of classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse

from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import as_kernel
from kernelwise.kernels._distances import rounding_share, squared_norms
from kernelwise.kernels.radial import GaussianFamily

from ._bins import FINE_PER_BIN, MAX_PACKED, N_MOMENTS, Bins, compiled
from ._blocks import BLOCK, Block, class_pairs
from ._threads import one_blas_thread


class Part(NamedTuple):
    """What a task found for a cell: the moments of the bins from ``first`` on."""

    cell: tuple[int, int]
    first: int
    moments: np.ndarray

    def plus(self, other: Part) -> Part:
        """The sum over the bins of both."""
        first = min(self.first, other.first)
        n_bins = max(part.first + len(part.moments) for part in (self, other)) - first
        moments = np.zeros((n_bins, N_MOMENTS))
        for part in (self, other):
            moments[part.first - first :][: len(part.moments)] += part.moments
        return Part(self.cell, first, moments)


@dataclass(frozen=True)
class SortedSamples:
    """Samples sorted by class, with squared norms; centred unless sparse."""

    Z: Any
    norms: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    is_weighted: bool

    @classmethod
    def from_data(cls, X: Any, index: np.ndarray, weights: np.ndarray) -> SortedSamples:
        order = np.argsort(index, kind="stable")
        Z = X.astype(np.float64)[order]
        if not sparse.issparse(Z):
            Z -= Z.mean(axis=0)
        norms = squared_norms(Z)
        starts = np.concatenate([[0], np.cumsum(np.bincount(index))])
        return cls(Z, norms, weights[order], starts, not (weights == 1.0).all())

    def products(self, rows: Any, columns: Any, memory: np.ndarray) -> np.ndarray:
        """Inner products of shape (n_rows, n_columns)."""
        A, B = self.Z[rows], self.Z[columns]
        if sparse.issparse(A):
            return np.ascontiguousarray((A @ B.T).toarray())
        out = memory[: A.shape[0] * B.shape[0]].reshape(A.shape[0], B.shape[0])
        return np.matmul(A, B.T, out=out)

    def bins(self) -> Bins:
        """Bins for these samples; what distance is typical is read off a thousand random pairs."""
        largest = 4.0 * float(self.norms.max())
        if not np.isfinite(largest):
            raise ValueError("Squared distances overflow: X has values too large. Scale the features first.")
        i, j = np.random.default_rng(0).integers(len(self.norms), size=(2, 1000))
        difference = self.Z[i] - self.Z[j]
        squares = difference.multiply(difference) if sparse.issparse(difference) else difference**2
        D = np.asarray(squares.sum(axis=1))
        return Bins.covering(float(np.median(D[D > 0])) if (D > 0).any() else largest, largest)


def mapped(X: Any, y: Any, kernel: Any) -> Any:
    """The samples after the linear map of the kernel."""
    if kernel is None:
        return X
    kernel = as_kernel(kernel)
    if not isinstance(kernel, GaussianFamily):
        raise IncompatibleError(
            f"A distance sketch is for kernels exp(−s·D): RBF, Mahalanobis and the Gaussians, not {kernel!r}."
        )
    kernel = kernel.initialize(X, y, heuristic="keep")
    kernel._check_features(X.shape[1])
    return kernel.transform(X)


def distance_histograms(
    samples: SortedSamples, bins: Bins, tasks: Iterable[list[Block]], n_jobs: int | None
) -> Iterator[Part]:
    """Run the tasks in threads and yield what they find, always in the same order."""
    compiled()  # once, not in every thread
    with one_blas_thread():
        if n_jobs is None or n_jobs == 1:
            for task in tasks:
                yield from _run(samples, bins, task)
            return
        run = Parallel(n_jobs=n_jobs, backend="threading", return_as="generator")
        for parts in run(delayed(_run)(samples, bins, task) for task in tasks):
            yield from parts


def collect(found: Iterable[Part], n_draws: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Put together what the tasks found.

    Returns
    -------
    used : ndarray of shape (n_used,)
        Numbers of the bins in use; that of D = 0 always.
    moments : ndarray of shape (n_draws, n_class_pairs, n_used, 4)
    """
    cells: dict[tuple[int, int], Part] = {}
    for part in found:
        cells[part.cell] = cells[part.cell].plus(part) if part.cell in cells else part
    in_use = [part.first + np.flatnonzero(part.moments[:, 0]) for part in cells.values()]
    used = np.unique(np.concatenate([np.zeros(1, int), *in_use]))
    moments = np.zeros((n_draws, len(class_pairs(n_classes)), len(used), N_MOMENTS))
    for part in cells.values():
        inside = slice(*np.searchsorted(used, [part.first, part.first + len(part.moments)]))
        moments[part.cell][inside] = part.moments[used[inside] - part.first]
    return used, moments


def _run(samples: SortedSamples, bins: Bins, task: list[Block]) -> list[Part]:
    """Histograms of one task, cell by cell."""
    count, unpack, weigh = compiled()
    memory = np.empty((BLOCK + 1) ** 2)
    moments = np.zeros((bins.n_bins, N_MOMENTS))
    words = np.zeros((1 + FINE_PER_BIN * (bins.n_bins - 1), 2), np.uint64)
    rounding = rounding_share(samples.Z.shape[1])
    found: list[Part] = []
    pending = 0
    for k, block in enumerate(task):
        G = samples.products(block.rows, block.columns, memory)
        shared = (G, samples.norms[block.rows], samples.norms[block.columns], rounding, 1.0 / bins.bottom)
        if samples.is_weighted:
            weights = samples.weights[block.rows], samples.weights[block.columns]
            weigh(*shared, *weights, moments, block.is_diagonal)
        else:
            if pending + block.n_pairs > MAX_PACKED:
                unpack(words, moments)
                pending = 0
            count(*shared, words, block.is_diagonal)
            pending += block.n_pairs
        if k + 1 == len(task) or task[k + 1].cell != block.cell:
            unpack(words, moments)
            pending = 0
            found += _taken(block.cell, moments)
    return found


def _taken(cell: tuple[int, int], moments: np.ndarray) -> list[Part]:
    """The part of ``moments`` that is in use, copied and then cleared."""
    used = np.flatnonzero(moments[:, 0])
    if not len(used):
        return []
    range_ = slice(used[0], used[-1] + 1)
    part = Part(cell, int(used[0]), moments[range_].copy())
    moments[range_] = 0.0
    return [part]
