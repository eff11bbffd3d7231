"""Nyström features of rows in dask chunks: every sum over rows is one over chunks, taken where they are."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from dask import delayed

from kernelwise.distributed.scheduler import computed, tree_sum
from kernelwise.large.feature_blocks import Blocks, MappedBlocks
from kernelwise.large.nystroem import NystroemMap
from kernelwise.sketch.pass_over_pairs import SortedSamples


class ChunkedSamples(NamedTuple):
    """Rows in chunks.

    Attributes
    ----------
    samples : list of delayed SortedSamples
    lengths : ndarray of shape (n_chunks,)
    """

    samples: list[Any]
    lengths: np.ndarray


class ChunkBlocks(Blocks):
    """Features that are computed again in every pass; a task holds the rows of a chunk and some features.

    Parameters
    ----------
    map_ : NystroemMap
    chunks : ChunkedSamples
    """

    def __init__(self, map_: NystroemMap, chunks: ChunkedSamples) -> None:
        super().__init__((int(chunks.lengths.sum()), map_.rank))
        self.chunks = chunks
        self._map = delayed(map_, traverse=False)  # sent once, not with every task
        self._ends = np.cumsum(chunks.lengths)[:-1]

    def apply(self, coefficients: np.ndarray) -> np.ndarray:
        """(Φ, 1)·coefficients, of shape (n_rows,)."""
        task = delayed(partial(_apply, coefficients))
        return np.concatenate(computed([task(self._map, one) for one in self.chunks.samples]))

    def dot(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1), of shape (n_features + 1,)."""
        return self._sum(_dot, weight, (self.shape[1] + 1,))

    def square(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1)(φ, 1)ᵀ, of shape (n_features + 1, n_features + 1); weights may be negative."""
        return self._sum(_square, weight, (self.shape[1] + 1,) * 2)

    def _sum(self, of_chunk: Any, weight: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        pieces = zip(self.chunks.samples, np.split(weight, self._ends), strict=True)
        tasks = [delayed(partial(of_chunk, own))(self._map, one) for one, own in pieces if own.any()]
        if not tasks:
            return np.zeros(shape)
        return computed(tree_sum(tasks, sum))


def _mapped(map_: NystroemMap, samples: SortedSamples) -> MappedBlocks:
    return MappedBlocks(map_.transform, samples.Z, map_.rank)


def _apply(coefficients: np.ndarray, map_: NystroemMap, samples: SortedSamples) -> np.ndarray:
    return _mapped(map_, samples).apply(coefficients)


def _dot(weight: np.ndarray, map_: NystroemMap, samples: SortedSamples) -> np.ndarray:
    return _mapped(map_, samples).dot(weight)


def _square(weight: np.ndarray, map_: NystroemMap, samples: SortedSamples) -> np.ndarray:
    return _mapped(map_, samples).square(weight)
