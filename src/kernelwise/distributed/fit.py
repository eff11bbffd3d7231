"""A tuned machine on dask collections: a sample is fetched, the rest stays where it is.

Every sum over rows that Nyström features need is one over chunks, taken where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from dask import delayed
from numpy.typing import ArrayLike
from sklearn.base import is_regressor

from kernelwise._core.labels import check_every_class
from kernelwise._core.memory import check_memory
from kernelwise._core.typing import DaskCollection, Samples, Transformer
from kernelwise._core.validation import seed_of
from kernelwise.distributed.chunks import Chunk, ChunkedRows, as_given, computed, tree_sum
from kernelwise.distributed.dask_sketch import sketch_of_rows
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels.base import Kernel
from kernelwise.large import Blocks, NystroemMap, tol_of
from kernelwise.search.data.scaling import apply_scaler
from kernelwise.search.families.family import Family
from kernelwise.search.propose.landmarks import MANY, Rows
from kernelwise.sketch.pass_over_pairs import SortedSamples, distance_of
from kernelwise.sketch.sketch import DistanceSketch


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
        self.dtype = map_.precision(self.shape[0])
        self.tol = tol_of(self.dtype)

    def apply(self, coefficients: np.ndarray) -> np.ndarray:
        """(Φ, 1)·coefficients, of shape (n_rows,)."""
        task = delayed(partial(_apply, self.dtype, coefficients))
        return np.concatenate(computed([task(self._map, one) for one in self.chunks.samples]))

    def dot(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1), of shape (n_features + 1,)."""
        return self._sum(_dot, weight, (self.shape[1] + 1,))

    def square(self, weight: np.ndarray) -> np.ndarray:
        """Σ weight·(φ, 1)(φ, 1)ᵀ, of shape (n_features + 1, n_features + 1); weights may be negative."""
        return self._sum(_square, weight, (self.shape[1] + 1,) * 2)

    def _sum(
        self, of_chunk: Callable[..., np.ndarray], weight: np.ndarray, shape: tuple[int, ...]
    ) -> np.ndarray:
        pieces = zip(self.chunks.samples, np.split(weight, self._ends), strict=True)
        tasks = [
            delayed(partial(of_chunk, self.dtype, own))(self._map, one) for one, own in pieces if own.any()
        ]
        if not tasks:
            return np.zeros(shape)
        return computed(tree_sum(tasks, sum))


def _apply(dtype: np.dtype, v: np.ndarray, map_: NystroemMap, samples: SortedSamples) -> np.ndarray:
    return map_.mapped(samples.Z, dtype).apply(v)


def _dot(dtype: np.dtype, weight: np.ndarray, map_: NystroemMap, samples: SortedSamples) -> np.ndarray:
    return map_.mapped(samples.Z, dtype).dot(weight)


def _square(dtype: np.dtype, weight: np.ndarray, map_: NystroemMap, samples: SortedSamples) -> np.ndarray:
    return map_.mapped(samples.Z, dtype).square(weight)


#: Blocks of pairs that the sketch sees, all class pairs together, and at least so many of each.
N_BLOCKS, FEWEST_BLOCKS = 3000, 20
#: What is kept here of every row while a machine is trained: targets, weights, bounds, steps.
BYTES_A_ROW = 130


def fit_on_chunks(
    model: Any, X: DaskCollection, y: ArrayLike, sample_weight: ArrayLike | None, routed: Any = None
) -> Any:
    """Fit a tuned machine to dask collections.

    Up to as many rows as are trained exactly, all are fetched, and the model is that of arrays in memory. Of
    more, a sample is fetched for the cross-validation; the sketch that names the widths (of classes) and the
    sums of the final machine are taken over all chunks, where they are.

    Parameters
    ----------
    model : TunedSVC or TunedSVR
    X : dask array or dask dataframe of shape (n_samples, n_features)
    y : dask array, dask series, or array of shape (n_samples,)
    sample_weight : like y, or None
    routed : Routed or None
        Groups and other metadata, in memory.
    """
    if model._is_gram():
        raise ValueError("A precomputed matrix must be in memory. Pass a numpy array.")
    context = model._context()  # its time begins before the first pass over the chunks
    if sample_weight is not None:
        sample_weight = np.maximum(sample_weight, 0.0)  # negative ones are left out, as in memory
    rows = ChunkedRows.from_data(X, y, sample_weight, is_regression=is_regressor(model))
    n_rows, n_features = int(rows.starts[-1]), len(rows.mean)
    n_here = min(n_rows, MANY)
    check_memory(
        8.0 * n_here * n_features,
        f"A sample of {n_here} rows with {n_features} features",
        "Use fewer features, or a computer with more memory.",
    )
    if n_rows <= MANY:
        here = rows.as_they_came()
    else:
        _check_many(rows, model)
        if routed is not None and routed.split:
            raise ValueError(
                f"groups of {type(model).__name__} need rows in memory, but {n_rows} rows of dask "
                f"collections are more than {MANY}. Pass arrays, or fewer rows."
            )
        here = sampled(rows, MANY, seed_of(model.random_state))
        context.full_data = FullRows(rows, model.solver)
    return model._fit(_named(here.X, X), here.y, here.weight if rows.is_weighted else None, context, routed)


def _check_many(rows: ChunkedRows, model: Any) -> None:
    """Raise unless a sample of the rows can be cross-validated, and what is kept of all of them fits here."""
    n_rows = int(rows.starts[-1])
    if not rows.n.any():
        raise ValueError("sample_weight is zero everywhere; give at least two samples a positive weight.")
    if not rows.is_regression:
        check_every_class(rows.n, rows.classes)
    if not isinstance(model.cv, str | int | np.integer):
        raise ValueError(
            f"'cv' of {type(model).__name__} must be 'auto' or a number of folds for {n_rows} rows of dask "
            f"collections: the folds are those of a sample of {MANY}."
        )
    check_memory(
        BYTES_A_ROW * n_rows,
        f"What is kept of each of {n_rows} rows",
        "Train on fewer rows, or use a computer with more memory.",
    )


def _named(here: np.ndarray, X: DaskCollection) -> Any:
    """Rows with the names of the features, if they have any."""
    names = getattr(X, "columns", None)
    if names is None:
        return here
    import pandas as pd

    return pd.DataFrame(here, columns=names)


def sampled(rows: ChunkedRows, n_rows: int, seed: int) -> Chunk:
    """Fetch a stratified sample of about ``n_rows`` rows of positive weight, at least two of a class."""
    used, starts = np.arange(rows.starts[-1]), rows.starts
    if rows.is_weighted:
        used = used[rows.by_index(rows.weights()) > 0]
        starts = np.searchsorted(used, starts)
    share = n_rows / len(used)
    rng = np.random.default_rng(seed)
    by_class = [
        first + np.sort(rng.choice(n, min(n, max(2, round(share * n))), replace=False))
        for first, n in zip(starts[:-1], np.diff(starts), strict=True)
    ]
    chosen = used[np.concatenate(by_class)]
    found: SortedSamples = computed(rows.gather(rows.samples(as_given, 0.0), chosen))
    if rows.targets is not None:
        return Chunk(found.Z, rows.targets[chosen], found.weights)
    return Chunk(found.Z, np.repeat(rows.classes, np.diff(found.starts)), found.weights)


@dataclass
class FullRows:
    """All rows of a fit whose samples are a part of them; see `kernelwise.search.engine.context.FullData`.

    Parameters
    ----------
    rows : ChunkedRows
    solver : {"auto", "exact", "nystroem"}
        Of the final machine.
    scaler : transformer or None
        Fitted to the sample, by `scaled_by`.
    random_state : int
    """

    rows: ChunkedRows
    solver: str
    scaler: Any = None
    random_state: int = 0

    @property
    def n_rows(self) -> int:
        return int(self.rows.starts[-1])

    def scaled_by(self, scaler: Transformer | None, random_state: int) -> Finding:
        """Take a scaler that was fitted to the sample; the finding says what is done where.

        It is a warning if the final machine does not see all rows.
        """
        self.scaler, self.random_state = scaler, random_state
        if self.solver == "exact":
            classes, numbers = catalogue.CHUNKS_OF_CLASSES_EXACT, catalogue.CHUNKS_OF_NUMBERS_EXACT
        else:
            classes, numbers = catalogue.CHUNKS_OF_CLASSES, catalogue.CHUNKS_OF_NUMBERS
        entry = numbers if self.rows.is_regression else classes
        return entry(n_sampled=MANY, n_rows=self.n_rows)

    def sketch(self, kernel: Kernel) -> DistanceSketch:
        """The distance sketch of random blocks of all scaled rows."""
        n_classes = len(self.rows.classes)
        n_blocks = max(FEWEST_BLOCKS, N_BLOCKS // (n_classes * (n_classes + 1) // 2))
        transform, distance = partial(_scaled_and_mapped, self.scaler, kernel), distance_of(kernel, None)
        return DistanceSketch(**sketch_of_rows(self.rows, transform, n_blocks, self.random_state, distance))

    def training_rows(self, family: Family) -> ChunkedTrainingRows:
        """All rows, for a machine whose sums are taken chunk by chunk."""
        rows, weight = self.rows, self.rows.weights()
        y = rows.targets
        if y is None:
            y = np.concatenate([np.repeat(np.arange(len(rows.classes)), own) for own in rows.counts])
        y, _, bound = family.encode(y, weight)
        samples = rows.samples(partial(apply_scaler, self.scaler), 0.0)
        chunks = ChunkedSamples(samples, rows.counts.sum(axis=1))
        return ChunkedTrainingRows(chunks, y, weight, bound, None if rows.is_regression else rows.classes)


class ChunkedTrainingRows(Rows):
    """Rows whose ``Z`` are `ChunkedSamples`."""

    def blocks(self, map_: NystroemMap, memory_limit: float) -> Blocks:
        """Nyström features, computed again where the rows are in every pass over them."""
        return ChunkBlocks(map_, self.Z)


def _scaled_and_mapped(scaler: Transformer | None, kernel: Kernel, X: Samples) -> Any:
    return kernel.transform(apply_scaler(scaler, X))
