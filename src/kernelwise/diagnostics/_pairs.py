"""Points of the samples, and the closest pair of different ones.

The pair is exact, found in blocks, with all pairs that tie with it. Samples that are equal are one point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from kernelwise._core.equal_points import number_equal_rows
from kernelwise._core.typing import Samples
from kernelwise.kernels.distances import squared_distances, squared_norms


@dataclass(frozen=True)
class Points:
    """The different points of a data set.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_points, n_features)
    first : ndarray of shape (n_points,)
        The first sample at each point.
    counts : ndarray of shape (n_points, n_classes)
        Samples of each class there.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.diagnostics import distinct_points
    >>> X = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0]])
    >>> points = distinct_points(X, index=np.array([0, 1, 1]), n_classes=2)

    Samples 0 and 2 are one point, with one sample of each class:

    >>> points.first.tolist(), points.counts.tolist()
    ([0, 1], [[1, 1], [0, 1]])
    """

    X: Any
    first: np.ndarray
    counts: np.ndarray

    def mapped(self, X: Samples) -> Points:
        """The points with the coordinates that their first samples have in ``X``; some may fall together.

        Equal samples stay equal, although a matrix product may round them differently.
        """
        return _gathered(X[self.first], self.first, self.counts)


def distinct_points(X: Samples, index: np.ndarray, n_classes: int) -> Points:
    """Gather samples whose features are all equal, in the order of their first samples.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features), finite
    index : ndarray of shape (n_samples,)
        Class index of each sample.
    n_classes : int

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.diagnostics import distinct_points
    >>> X = np.array([[1.0], [1.0], [2.0]])
    >>> distinct_points(X, index=np.array([0, 0, 1]), n_classes=2).X
    array([[1.],
           [2.]])
    """
    return _gathered(X, np.arange(X.shape[0]), (index[:, None] == np.arange(n_classes)).astype(int))


def _gathered(X: Samples, first: np.ndarray, counts: np.ndarray) -> Points:
    """Merge equal rows of ``X``."""
    numbers = number_equal_rows(X)
    chosen = np.unique(numbers, return_index=True)[1]
    merged = np.zeros((chosen.size, counts.shape[1]), dtype=int)
    np.add.at(merged, numbers, counts)
    return Points(X[chosen], first[chosen], merged)


BLOCK = 1024
TIE = 1e-6  # relative difference of squared distances that count as equal: decimals are rounded
N_EXACT = 2**14  # pairs whose coordinate differences are held at once


@dataclass(frozen=True)
class ClosestPair:
    """The smallest distance between different points.

    Attributes
    ----------
    samples : (int, int)
        Two samples that far apart.
    distance : float
    n_ties : int
        Pairs of points at that distance.
    labels : ndarray of shape (n_classes, n_classes)
        Pairs of samples at that distance, by their classes; symmetric.

    Examples
    --------
    >>> from kernelwise.diagnostics import boundary_verdict
    >>> pair = boundary_verdict([[0.0], [1.0], [2.0], [5.0]], ["a", "a", "b", "b"]).pair

    Two pairs of points tie; the samples of one have equal labels, those of the other have not.

    >>> pair.samples, pair.distance, pair.n_ties, pair.n_equal, pair.n_different
    ((0, 1), 1.0, 2, 1, 1)
    """

    samples: tuple[int, int]
    distance: float
    n_ties: int
    labels: np.ndarray

    @property
    def n_equal(self) -> int:
        """Pairs of samples with equal labels."""
        return int(np.trace(self.labels))

    @property
    def n_different(self) -> int:
        """Pairs of samples with different labels."""
        return int(np.triu(self.labels, 1).sum())


class Block(NamedTuple):
    """Rows and columns of the distance matrix, and how far rounding can move its entries."""

    rows: slice
    columns: slice
    rounding: float


def closest_pair(points: Points) -> ClosestPair | None:
    """Find the closest pair of different points; None if all their squared distances round to zero.

    Squared distances come from matrix products, block by block; where rounding could matter they are computed
    again from coordinate differences. O(n²) time, memory for a few blocks.

    Parameters
    ----------
    points : Points
        As from `distinct_points`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.diagnostics import closest_pair, distinct_points
    >>> X = np.array([[0.0], [4.0], [4.0], [1.0]])

    Copies of a point are no pair:

    >>> pair = closest_pair(distinct_points(X, index=np.array([0, 0, 1, 1]), n_classes=2))
    >>> pair.samples, pair.distance
    ((0, 3), 1.0)
    """
    X = points.X.astype(np.float64)
    blocks = list(_blocks(X))
    lows = [_distances(X, block).min() for block in blocks]
    upper = min(low + block.rounding for low, block in zip(lows, blocks, strict=True))
    n_classes = points.counts.shape[1]
    best, samples, n_ties, labels = np.inf, None, 0, np.zeros((n_classes, n_classes), dtype=int)
    for block, low in zip(blocks, lows, strict=True):
        if low - block.rounding > upper * (1 + TIE):
            continue
        i, j, D = _candidates(X, block, upper)
        if D.size and D.min() * (1 + TIE) < best:
            k = int(D.argmin())
            best, n_ties, labels = float(D[k]), 0, np.zeros_like(labels)
            samples = (int(points.first[i[k]]), int(points.first[j[k]]))
        ties = best * (1 + TIE) >= D
        between = points.counts[i[ties]].T @ points.counts[j[ties]]
        n_ties += int(ties.sum())
        labels += between + between.T - np.diag(between.diagonal())
    return None if samples is None else ClosestPair(samples, float(np.sqrt(best)), n_ties, labels)


def _blocks(X: Samples) -> Iterator[Block]:
    """The upper triangle."""
    # Blocks are centred by means of their own, so that norms double; the rest is a generous factor.
    norms = squared_norms(X if sparse.issparse(X) else X - X.mean(axis=0))
    parts = [slice(start, start + BLOCK) for start in range(0, X.shape[0], BLOCK)]
    largest = {part.start: float(norms[part].max()) for part in parts}
    unit = 64 * np.finfo(float).eps * np.sqrt(X.shape[1])
    for rows, columns in combinations_with_replacement(parts, 2):
        yield Block(rows, columns, unit * (largest[rows.start] + largest[columns.start]))


def _distances(X: Samples, block: Block) -> np.ndarray:
    """Squared distances of a block; infinite below and on the diagonal."""
    rows, columns, _ = block
    if rows != columns:
        return squared_distances(X[rows], X[columns])
    D = squared_distances(X[rows])
    D[np.tril_indices_from(D)] = np.inf
    return D


def _candidates(X: Samples, block: Block, upper: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pairs of points that may be closest, and their squared distances to a relative error below `TIE`."""
    distances = _distances(X, block)
    i, j = np.nonzero(distances <= upper * (1 + TIE) + block.rounding)
    D = distances[i, j]
    i, j = i + block.rows.start, j + block.columns.start
    if block.rounding > 0.1 * TIE * upper:
        chunks = (slice(start, start + N_EXACT) for start in range(0, i.size, N_EXACT))
        D = np.concatenate([squared_norms(X[i[part]] - X[j[part]]) for part in chunks] or [D])
    positive = D > 0
    return i[positive], j[positive], D[positive]
