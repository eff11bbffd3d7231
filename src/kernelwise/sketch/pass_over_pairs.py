"""One blocked pass over all pairs of samples: distances into a histogram per pair of classes.

`RowGroups` are groups of rows that a sketch can do without: the jackknife over rows, for standard errors of
criteria.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import delayed
from numpy.typing import ArrayLike

from kernelwise import _native
from kernelwise._core.labels import with_copies
from kernelwise._core.memory import check_memory
from kernelwise._core.threads import one_blas_thread, threads
from kernelwise._core.typing import RandomState, Samples, is_sparse
from kernelwise._core.validation import check_choice, check_integer
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels import Kernel, KernelLike, as_kernel
from kernelwise.kernels.distances import DISTANCES_OF, centre_of, rounding_share, squared_norms
from kernelwise.sketch.histograms import (
    FINE_PER_BIN,
    MAX_PACKED,
    N_MOMENTS,
    N_SUMS,
    Bins,
    unpack,
)
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


#: Times that the histograms of a sketch are in memory while curves are made of them.
COPIES = 4.0
#: The distance that a sketch takes unless it is told another, and that of a matrix of distances.
USUAL, PRECOMPUTED = "sqeuclidean", "precomputed"


@dataclass(frozen=True)
class SortedSamples:
    """Samples sorted by class, with squared norms; centred unless sparse.

    Where ``distance`` is not the squared Euclidean one, the norms are of no use to it and are zero; Z is the
    sorted matrix of distances if they are precomputed.
    """

    Z: Any
    norms: np.ndarray
    weights: np.ndarray
    starts: np.ndarray
    is_weighted: bool
    distance: str = USUAL

    @classmethod
    def from_data(
        cls,
        X: Samples,
        index: np.ndarray,
        weights: np.ndarray,
        n_classes: int,
        centre: float | np.ndarray | None = None,
        is_weighted: bool | None = None,
        distance: str = USUAL,
    ) -> SortedSamples:
        """Sort by class; ``centre`` and ``is_weighted`` if these samples are a part of others."""
        order = np.argsort(index, kind="stable")
        Z = X.astype(np.float64)[order]
        if distance == PRECOMPUTED:
            Z = Z[:, order]
        elif not is_sparse(Z):
            Z -= centre_of(Z) if centre is None else centre
        norms = squared_norms(Z) if distance == USUAL else np.zeros(Z.shape[0])
        starts = np.concatenate([[0], np.cumsum(np.bincount(index, minlength=n_classes))])
        if is_weighted is None:
            is_weighted = not (weights == 1.0).all()
        return cls(Z, norms, weights[order], starts, is_weighted, distance)

    @property
    def n_numbers(self) -> int:
        """Numbers in a bin: moments, or sums of counted pairs."""
        return N_MOMENTS if self.is_weighted else N_SUMS

    def products(
        self, rows: slice | np.ndarray, columns: slice | np.ndarray, memory: np.ndarray
    ) -> np.ndarray:
        """The array G of shape (n_rows, n_columns) with D = ‖x‖² + ‖y‖² − 2G.

        Inner products; −D/2 where the norms are zero, because D is another distance.
        """
        if self.distance == PRECOMPUTED:
            return np.ascontiguousarray(self.Z[rows][:, columns]) * -0.5
        A, B = self.Z[rows], self.Z[columns]
        if is_sparse(A):
            G = np.ascontiguousarray((A @ B.T).toarray())
            return G if self.distance == USUAL else _halved(DISTANCES_OF[self.distance](A, B))
        out = memory[: A.shape[0] * B.shape[0]].reshape(A.shape[0], B.shape[0])
        if self.distance == USUAL:
            return np.matmul(A, B.T, out=out)
        if self.distance == "cityblock":
            _native.city_block(np.ascontiguousarray(A), np.ascontiguousarray(B.T), out, 0)
            return _halved(out)
        return _halved(DISTANCES_OF[self.distance](A, B))

    def largest(self) -> float:
        """A bound of the distances between these samples and others like them."""
        if self.distance == PRECOMPUTED:
            return float(self.Z.max())
        if self.distance == "cityblock":
            return 2.0 * float(np.abs(self.Z).sum(axis=1).max())
        return float(_from_squares(4.0 * squared_norms(self.Z).max(), self.distance))

    def bins(self) -> Bins:
        """Bins for these samples; what distance is typical is read off a thousand random pairs."""
        i, j = random_pairs(len(self.norms))
        if self.distance == PRECOMPUTED:
            return bins_for(self.largest(), self.Z[i, j])
        return bins_for(self.largest(), lengths(self.Z[i] - self.Z[j], self.distance))


def _halved(D: np.ndarray) -> np.ndarray:
    D *= -0.5
    return D


def _from_squares(squares: float | np.ndarray, distance: str) -> Any:
    """The distance whose square is given: itself, or its root."""
    return squares if distance == USUAL else np.sqrt(squares)


def lengths(differences: Samples, distance: str) -> np.ndarray:
    """Distances of pairs from their differences, (n_pairs, n_features)."""
    if distance == "cityblock":
        return np.abs(np.asarray(differences)).sum(axis=1)
    return np.asarray(_from_squares(squared_norms(differences), distance))


def random_pairs(n: int) -> np.ndarray:
    """A thousand pairs of rows, always the same, shape (2, 1000)."""
    return np.random.default_rng(0).integers(n, size=(2, 1000))


def bins_for(largest: float, some: np.ndarray) -> Bins:
    """Bins for distances up to the largest one, of which some, of random pairs, are given."""
    if not np.isfinite(largest):
        raise ValueError(
            "The squared distances overflow, because X has very large values. Scale the features first."
        )
    return Bins.covering(float(np.median(some[some > 0])) if (some > 0).any() else largest, largest)


def mapped(X: Samples, y: ArrayLike, kernel: KernelLike | None, weight: np.ndarray) -> Any:
    """The samples after the linear map of the kernel, which may come from them, repeated by their weights."""
    if kernel is None:
        return X
    kernel = as_decaying(kernel).initialize(*with_copies(X, np.asarray(y), weight), heuristic="keep")
    kernel.check_takes(X)
    kernel._check_features(X.shape[1])
    return kernel.transform(X)


def as_decaying(kernel: KernelLike) -> Kernel:
    """Return the kernel exp(−s·D) with that name, or the kernel itself; refuse all others."""
    kernel = as_kernel(kernel)
    if kernel.distance is None:
        raise IncompatibleError(
            "A distance sketch needs a kernel exp(−s·D) of a distance D, such as RBF, Laplacian, "
            f"Mahalanobis and the Gaussians, not {kernel!r}."
        )
    return kernel


def distance_of(kernel: KernelLike | None, distance: str | None) -> str:
    """The distance of a sketch: that of the kernel, or the one that is named; refuse what contradicts."""
    own = USUAL if kernel is None else as_decaying(kernel).distance
    assert own is not None
    if distance is None:
        return own
    check_choice(distance, "distance", "DistanceSketch", (*DISTANCES_OF, PRECOMPUTED))
    if kernel is not None and distance != own:
        raise ValueError(
            f"distance={distance!r} is not the distance of the kernel {kernel!r}, which is {own!r}. Give one "
            "of them."
        )
    return distance


def check_dense(X: Samples, distance: str) -> None:
    """Raise if samples are sparse and the distance has no sparse form."""
    if is_sparse(X) and distance == "cityblock":
        raise ValueError("City-block distances need dense samples. Pass X.toarray().")


def distance_histograms(
    samples: SortedSamples, bins: Bins, tasks: Iterable[list[Block]], n_jobs: int | None
) -> Iterator[Part]:
    """Run the tasks in threads and yield what they find, always in the same order."""
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


def collect(
    found: Iterable[Part], n_draws: int, n_classes: int, n_numbers: int = N_MOMENTS
) -> tuple[np.ndarray, np.ndarray]:
    """Put together what the tasks found, as the numbers of the bins in use and the moments.

    The numbers are of shape (n_used,), with that of D = 0 always, and the moments of shape
    (n_draws, n_class_pairs, n_used, 4 or 6), ``n_numbers`` being the last where nothing was found: few rows
    leave most shares of the work without a task.
    """
    cells = added(found)
    in_use = [part.first + _used(part.moments) for part in cells]
    used = np.unique(np.concatenate([np.zeros(1, int), *in_use]))
    width = cells[0].moments.shape[1] if cells else n_numbers
    shape = n_draws, len(class_pairs(n_classes)), len(used), width
    check_memory(
        COPIES * 8.0 * np.prod(shape),
        f"A distance sketch of {n_classes} classes",
        "Use fewer classes: a sketch has a histogram for every pair of them.",
    )
    moments = np.zeros(shape)
    for part in cells:
        inside = slice(*np.searchsorted(used, [part.first, part.first + len(part.moments)]))
        moments[part.cell][inside] = part.moments[used[inside] - part.first]
    return used, moments


def histograms_of(samples: SortedSamples, bins: Bins, task: list[Block]) -> list[Part]:
    """Histograms of one task, cell by cell."""
    memory = np.empty((BLOCK + 1) ** 2)
    moments = np.zeros((bins.n_bins, samples.n_numbers))
    words = np.zeros((1 + FINE_PER_BIN * (bins.n_bins - 1), 2), np.uint64)
    rounding = rounding_share(samples.Z.shape[1])
    found: list[Part] = []
    pending = 0
    for k, block in enumerate(task):
        G = samples.products(block.rows, block.columns, memory)
        shared = (G, samples.norms[block.rows], samples.norms[block.columns], rounding, 1.0 / bins.bottom)
        if samples.is_weighted:
            weights = samples.weights[block.rows], samples.weights[block.columns]
            _native.weigh_pairs(*shared, block.is_diagonal, *weights, moments)
        else:
            if pending + block.n_pairs > MAX_PACKED:
                unpack(words, moments)
                pending = 0
            # Integers because two additions then serve three moments: a pass over all pairs spends its time
            # on them.
            _native.count_pairs(*shared, block.is_diagonal, words)
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


class RowGroups(NamedTuple):
    """What the rows of each group add to a sketch.

    Each row is in one group, each class in all of them. ``n`` and ``own``, of shape (n_groups, n_classes),
    are those of :class:`~kernelwise.DistanceSketch`, and so are ``moments``, of the pairs with a row or two
    in the group, of shape (n_groups, n_class_pairs, n_used, 4 or 6).
    """

    n: np.ndarray
    own: np.ndarray
    moments: np.ndarray


def assign_groups(
    index: np.ndarray, classes: np.ndarray, n_groups: int, random_state: RandomState
) -> np.ndarray:
    """A group for each row: the rows of a class, in random order, go round."""
    check_integer(n_groups, "n_groups", "DistanceSketch.from_data", least=2)
    counts = np.bincount(index)
    if counts.min() < n_groups:
        rare = int(counts.argmin())
        raise ValueError(
            f"n_groups={n_groups} needs at least as many rows of each class, but class "
            f"{classes.tolist()[rare]!r} has {counts[rare]}. Use fewer groups, or more rows."
        )
    rng = np.random.default_rng(random_state)
    groups = np.empty(len(index), dtype=int)
    for c in range(len(counts)):
        rows = rng.permutation(np.flatnonzero(index == c))
        groups[rows] = np.arange(len(rows)) % n_groups
    return groups


def in_draws(found: Iterable[Part], n_classes: int, n_groups: int) -> Iterator[Part]:
    """Histograms of all pairs as draw 0, and of those with a row in group g as draw 1 + g.

    ``found`` is of finer classes, group g of class c having the number c · n_groups + g.
    """
    fine = class_pairs(n_classes * n_groups)
    number = {pair: p for p, pair in enumerate(class_pairs(n_classes))}
    for part in found:
        (a, g), (b, h) = (divmod(u, n_groups) for u in fine[part.cell[1]])
        for draw in sorted({0, 1 + g, 1 + h}):
            yield Part((draw, number[a, b]), part.first, part.moments)


def summed(index: np.ndarray, groups: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Σ weights by group and class, shape (n_groups, n_classes)."""
    totals = np.zeros((groups.max() + 1, index.max() + 1))
    np.add.at(totals, (groups, index), weights)
    return totals


def n_groups_of(groups: RowGroups | None) -> int:
    """How many there are; zero without any."""
    return 0 if groups is None else len(groups.n)


def merged(
    groups: Sequence[RowGroups | None], used: Sequence[np.ndarray], all_used: np.ndarray
) -> RowGroups | None:
    """Those of shares of the work, with the bins in use of each, put together."""
    first = groups[0]
    if first is None:
        return None
    moments = np.zeros((*first.moments.shape[:2], len(all_used), first.moments.shape[3]))
    for part, bins in zip(groups, used, strict=True):
        assert part is not None
        moments[:, :, np.searchsorted(all_used, bins)] += part.moments
    return RowGroups(first.n, first.own, moments)
