"""The distance sketch of dask collections: pairs of chunks are tasks, and their histograms are added up.

Chunks are read three times: to count classes, for the bins, and for the pairs. No task holds more than the
rows of two chunks, and what it returns is as large as a sketch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, combinations_with_replacement, product
from typing import Any

import numpy as np
from dask import delayed
from numpy.typing import ArrayLike

from kernelwise._core.typing import DaskCollection, RandomState
from kernelwise.distributed.chunks import ChunkedRows, as_given, computed, tree_sum
from kernelwise.kernels import KernelLike
from kernelwise.sketch.histograms import Bins
from kernelwise.sketch.pair_blocks import (
    Block,
    all_blocks,
    blocks_between,
    in_tasks,
    number_of_draws,
    sampled_blocks,
)
from kernelwise.sketch.pass_over_pairs import (
    PRECOMPUTED,
    USUAL,
    Part,
    SortedSamples,
    added,
    as_decaying,
    bins_for,
    collect,
    distance_of,
    histograms_of,
    lengths,
    random_pairs,
)

#: Chunks on either side of the pairs that are handed to the scheduler at once: it may hold all of them …
BAND = 32
#: … unless they have more bytes than this on a side.
BAND_BYTES = 1 << 30


def sketch_of_chunks(
    X: DaskCollection,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    kernel: KernelLike | None,
    n_blocks: int | None,
    random_state: RandomState,
    distance: str | None = None,
) -> dict[str, Any]:
    """The fields of a `DistanceSketch`, equal to those of the same rows in memory.

    Parameters
    ----------
    X : dask array or dask dataframe of shape (n_samples, n_features)
    y, sample_weight, kernel, n_blocks, random_state, distance
        As in `DistanceSketch.from_data`.
    """
    distance = distance_of(kernel, distance)
    if distance == PRECOMPUTED:
        raise ValueError("A matrix of distances must be an array in memory, not a dask collection.")
    rows = ChunkedRows.from_data(X, y, sample_weight)
    if not rows.n.all():
        empty = rows.classes.tolist()[int(rows.n.argmin())]
        raise ValueError(f"All samples of class {empty!r} have weight zero. Remove the class.")
    return sketch_of_rows(rows, _linear_map(kernel, len(rows.mean)), n_blocks, random_state, distance)


def sketch_of_rows(
    rows: ChunkedRows,
    transform: Callable[[Any], Any],
    n_blocks: int | None,
    random_state: RandomState,
    distance: str = USUAL,
) -> dict[str, Any]:
    """The same, of rows that are counted already, after some map of them."""
    samples = rows.samples(transform, transform(rows.mean[None])[0], distance)
    bins = _bins(rows, samples)
    if n_blocks is None:
        found = _all_pairs(rows, samples, bins)
    else:
        found = _sampled(rows, samples, bins, n_blocks, random_state)
    used, moments = collect(found, number_of_draws(n_blocks), len(rows.classes))
    return {
        "classes": rows.classes,
        "n": rows.n,
        "own": rows.own,
        "bins": bins,
        "used": used,
        "moments": moments,
        "is_sampled": n_blocks is not None,
    }


def _linear_map(kernel: KernelLike | None, n_features: int) -> Callable[[Any], Any]:
    """The map of a kernel that needs nothing from the data."""
    if kernel is None:
        return as_given
    kernel = as_decaying(kernel)
    if kernel.needs_data:
        raise ValueError(
            f"A {type(kernel).__name__} kernel without a covariance or a metric cannot be used on chunks. "
            "Set it first, for example by kernel.initialize(sample_of_X)."
        )
    kernel._check_features(n_features)
    return kernel.transform


def _bins(rows: ChunkedRows, samples: list[Any]) -> Bins:
    """The bins that `SortedSamples.bins` has for all rows."""
    positions, of_pair = np.unique(random_pairs(int(rows.starts[-1])), return_inverse=True)
    tasks = [delayed(_largest)(one) for one in samples]
    largest, some = computed((tasks, rows.gather(samples, positions)))
    i, j = of_pair.reshape(2, -1)
    return bins_for(max(largest), lengths(some.Z[i] - some.Z[j], some.distance))


def _largest(samples: SortedSamples) -> float:
    return samples.largest()


def _all_pairs(rows: ChunkedRows, samples: list[Any], bins: Bins) -> Iterator[Part]:
    """Histograms of all pairs, one band of chunks against another at a time.

    Without bands a scheduler would hold every chunk until the last of its pairs is done.
    """
    largest = 8 * len(rows.mean) * int(rows.counts.sum(axis=1).max())
    width = int(np.clip(BAND_BYTES // largest, 1, BAND))
    numbers = range(len(samples))
    bands = [numbers[first : first + width] for first in numbers[::width]]
    for left, right in combinations_with_replacement(bands, 2):
        pairs = combinations_with_replacement(left, 2) if left is right else product(left, right)
        tasks = [
            delayed(partial(_within, bins))(samples[i])
            if i == j
            else delayed(partial(_between, bins))(samples[i], samples[j])
            for i, j in pairs
        ]
        yield from computed(tree_sum(tasks, _sum))


def _sampled(
    rows: ChunkedRows, samples: list[Any], bins: Bins, n_blocks: int, random_state: RandomState
) -> Iterator[Part]:
    """Histograms of the blocks that would be drawn in memory; the rows of one draw are gathered first."""
    draws: dict[int, list[Block]] = {}
    for block in sampled_blocks(rows.starts, n_blocks, random_state):
        draws.setdefault(block.cell[0], []).append(block)
    tasks = []
    for blocks in draws.values():
        positions, here = _in_a_row(blocks)
        gathered = rows.gather(samples, positions)
        tasks += [delayed(partial(_blocks, bins, task))(gathered) for task in in_tasks(here)]
    yield from computed(tree_sum(tasks, _sum))


def _in_a_row(blocks: list[Block]) -> tuple[np.ndarray, list[Block]]:
    """The row numbers of all blocks, one after another, and each block as slices of them."""
    pieces = {id(side): side for block in blocks for side in (block.rows, block.columns)}
    ends = np.cumsum([len(piece) for piece in pieces.values()]).tolist()
    slices = dict(zip(pieces, map(slice, [0, *ends], ends), strict=True))
    here = [
        block._replace(rows=slices[id(block.rows)], columns=slices[id(block.columns)]) for block in blocks
    ]
    return np.concatenate(list(pieces.values())), here


def _sum(found: list[list[Part]]) -> list[Part]:
    return added(chain.from_iterable(found))


def _within(bins: Bins, samples: SortedSamples) -> list[Part]:
    return _blocks(bins, list(all_blocks(samples.starts)), samples)


def _between(bins: Bins, one: SortedSamples, other: SortedSamples) -> list[Part]:
    Z, norms, weights = (
        np.concatenate([getattr(samples, name) for samples in (one, other)])
        for name in ("Z", "norms", "weights")
    )
    both = replace(one, Z=Z, norms=norms, weights=weights)
    return _blocks(bins, list(blocks_between(one.starts, other.starts)), both)


def _blocks(bins: Bins, blocks: list[Block], samples: SortedSamples) -> list[Part]:
    return histograms_of(samples, bins, blocks)
