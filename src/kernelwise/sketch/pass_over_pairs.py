"""One blocked pass over all pairs of samples: squared distances into a histogram per pair of classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from joblib import delayed
from scipy import sparse

from kernelwise._core.threads import one_blas_thread, threads
from kernelwise._core.weights import with_copies
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import as_kernel
from kernelwise.kernels.distances import centre_of, rounding_share, squared_norms
from kernelwise.kernels.radial import GaussianFamily
from kernelwise.sketch.bins import FINE_PER_BIN, MAX_PACKED, N_MOMENTS, N_SUMS, Bins, compiled
from kernelwise.sketch.pair_blocks import BLOCK, Block, class_pairs


class Part(NamedTuple):
    """What a task found for a cell: moments, or sums of counted pairs, of the bins from ``first`` on."""

    cell: tuple[int, int]
    first: int
    moments: np.ndarray

    def plus(self, other: Part) -> Part:
        """The sum over the bins of both."""
        first = min(self.first, other.first)
        n_bins = max(part.first + len(part.moments) for part in (self, other)) - first
        moments = np.zeros((n_bins, self.moments.shape[1]))
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
    def from_data(
        cls,
        X: Any,
        index: np.ndarray,
        weights: np.ndarray,
        n_classes: int,
        centre: Any = None,
        is_weighted: bool | None = None,
    ) -> SortedSamples:
        """Sort by class; ``centre`` and ``is_weighted`` if these samples are a part of others."""
        order = np.argsort(index, kind="stable")
        Z = X.astype(np.float64)[order]
        if not sparse.issparse(Z):
            Z -= centre_of(Z) if centre is None else centre
        norms = squared_norms(Z)
        starts = np.concatenate([[0], np.cumsum(np.bincount(index, minlength=n_classes))])
        if is_weighted is None:
            is_weighted = not (weights == 1.0).all()
        return cls(Z, norms, weights[order], starts, is_weighted)

    def products(self, rows: Any, columns: Any, memory: np.ndarray) -> np.ndarray:
        """Inner products of shape (n_rows, n_columns)."""
        A, B = self.Z[rows], self.Z[columns]
        if sparse.issparse(A):
            return np.ascontiguousarray((A @ B.T).toarray())
        out = memory[: A.shape[0] * B.shape[0]].reshape(A.shape[0], B.shape[0])
        return np.matmul(A, B.T, out=out)

    def bins(self) -> Bins:
        """Bins for these samples; what distance is typical is read off a thousand random pairs."""
        i, j = random_pairs(len(self.norms))
        return bins_for(float(self.norms.max()), self.Z[i] - self.Z[j])


def random_pairs(n: int) -> np.ndarray:
    """A thousand pairs of rows, always the same, shape (2, 1000)."""
    return np.random.default_rng(0).integers(n, size=(2, 1000))


def bins_for(largest_norm: float, differences: Any) -> Bins:
    """Bins for samples of such squared norms, and with such differences between random pairs."""
    largest = 4.0 * largest_norm
    if not np.isfinite(largest):
        raise ValueError("Squared distances overflow: X has values too large. Scale the features first.")
    D = squared_norms(differences)
    return Bins.covering(float(np.median(D[D > 0])) if (D > 0).any() else largest, largest)


def mapped(X: Any, y: Any, kernel: Any, weight: np.ndarray) -> Any:
    """The samples after the linear map of the kernel, which may come from them, repeated by their weights."""
    if kernel is None:
        return X
    kernel = as_gaussian(kernel).initialize(*with_copies(X, np.asarray(y), weight), heuristic="keep")
    kernel._check_features(X.shape[1])
    return kernel.transform(X)


def as_gaussian(kernel: Any) -> GaussianFamily:
    """Return the kernel exp(−s·D) with that name, or the kernel itself; refuse all others."""
    kernel = as_kernel(kernel)
    if not kernel.is_gaussian:
        raise IncompatibleError(
            f"A distance sketch is for kernels exp(−s·D): RBF, Mahalanobis and the Gaussians, not {kernel!r}."
        )
    return cast(GaussianFamily, kernel)


def distance_histograms(
    samples: SortedSamples, bins: Bins, tasks: Iterable[list[Block]], n_jobs: int | None
) -> Iterator[Part]:
    """Run the tasks in threads and yield what they find, always in the same order."""
    compiled()  # once, not in every thread
    with one_blas_thread():
        run = threads(n_jobs, return_as="generator")
        for parts in run(delayed(histograms_of)(samples, bins, task) for task in tasks):
            yield from parts


def added(found: Iterable[Part]) -> list[Part]:
    """One part for each cell."""
    cells: dict[tuple[int, int], Part] = {}
    for part in found:
        cells[part.cell] = cells[part.cell].plus(part) if part.cell in cells else part
    return list(cells.values())


def collect(found: Iterable[Part], n_draws: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Put together what the tasks found, as the numbers of the bins in use and the moments.

    The numbers are of shape (n_used,), with that of D = 0 always, and the moments of shape
    (n_draws, n_class_pairs, n_used, 4 or 6).
    """
    cells = added(found)
    in_use = [part.first + _used(part.moments) for part in cells]
    used = np.unique(np.concatenate([np.zeros(1, int), *in_use]))
    width = cells[0].moments.shape[1] if cells else N_MOMENTS
    moments = np.zeros((n_draws, len(class_pairs(n_classes)), len(used), width))
    for part in cells:
        inside = slice(*np.searchsorted(used, [part.first, part.first + len(part.moments)]))
        moments[part.cell][inside] = part.moments[used[inside] - part.first]
    return used, moments


def histograms_of(samples: SortedSamples, bins: Bins, task: list[Block]) -> list[Part]:
    """Histograms of one task, cell by cell."""
    count, unpack, weigh = compiled()
    memory = np.empty((BLOCK + 1) ** 2)
    moments = np.zeros((bins.n_bins, N_MOMENTS if samples.is_weighted else N_SUMS))
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
            if not samples.is_weighted:
                unpack(words, moments)
            pending = 0
            found += _taken(block.cell, moments)
    return found


def _taken(cell: tuple[int, int], moments: np.ndarray) -> list[Part]:
    """The part of ``moments`` that is in use, copied and then cleared."""
    used = _used(moments)
    if not len(used):
        return []
    range_ = slice(used[0], used[-1] + 1)
    part = Part(cell, int(used[0]), moments[range_].copy())
    moments[range_] = 0.0
    return [part]


def _used(moments: np.ndarray) -> np.ndarray:
    """Bins with pairs; both halves of a bin have a count."""
    return np.flatnonzero((moments[:, 0] != 0) | (moments[:, 3] != 0))
