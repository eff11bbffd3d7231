"""Rows of dask collections: checked chunk by chunk, sorted by class, and found by their index.

Features, targets and weights are brought into the same chunks. Dask's current scheduler runs the tasks, and
adds up their results.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from dask import compute, config, delayed, persist
from numpy.typing import ArrayLike

from kernelwise._core.reading import as_numbers
from kernelwise._core.threads import one_blas_thread
from kernelwise._core.typing import DaskCollection, Samples, is_sparse
from kernelwise._core.validation import check_labels, check_samples, check_targets, check_weights
from kernelwise.sketch.pass_over_pairs import USUAL, SortedSamples

#: Results that one task adds up.
FAN_IN = 8


def computed(tasks: object) -> Any:
    """Run delayed tasks, and return what they return."""
    with _settings():
        return compute(tasks)[0]


def persisted(value: object) -> Any:
    """Delay a value that is no dask collection; a cluster's workers get it once, not with every task."""
    with _settings():
        return persist(delayed(value, traverse=False))[0]


def tree_sum(tasks: list[Any], add: Callable[[list[Any]], Any]) -> Any:
    """Return the delayed sum of what delayed tasks return, some at a time."""
    while len(tasks) > 1:
        tasks = [delayed(add)(tasks[first : first + FAN_IN]) for first in range(0, len(tasks), FAN_IN)]
    return tasks[0]


@contextmanager
def _settings() -> Iterator[None]:
    """Set what suits schedulers of all kinds.

    BLAS is limited for schedulers in this process; workers of a cluster have one thread by their settings.
    Indices of rows, and a number for each row, go to the workers with the tasks: no reason for a warning.
    """
    # A setting from before distributed is imported would take all its defaults away with it in the end.
    is_loaded = "distributed" in sys.modules
    quietly = {"distributed.admin.large-graph-warning-threshold": "10 GiB"} if is_loaded else {}
    with one_blas_thread(), config.set(quietly):
        yield


class Chunk(NamedTuple):
    """Some rows with their targets and weights: arrays, or delayed ones.

    Attributes
    ----------
    X : array of shape (n_rows, n_features)
    y, weight : array of shape (n_rows,)
    """

    X: Any
    y: Any
    weight: Any


def aligned(X: DaskCollection, y: ArrayLike, sample_weight: ArrayLike | None) -> list[Chunk]:
    """Return the delayed chunks of X with their targets and weights."""
    if hasattr(X, "rechunk"):
        if X.ndim != 2:
            raise ValueError(f"X must have rows and columns, got a dask array of {X.ndim} dimensions.")
        X = X.rechunk({1: -1})
    _check_no_words(X)
    if np.ndim(y) == 0:
        raise ValueError(f"y must be one target per row of X, got {y!r}.")
    rows = _delayed(X)
    columns = [
        _in_chunks_of(X, one, len(rows), name) for one, name in ((y, "y"), (sample_weight, "sample_weight"))
    ]
    return [Chunk(*chunk) for chunk in zip(rows, *columns, strict=True)]


def _check_no_words(X: Any) -> None:
    """Raise if a column of a dask dataframe holds words, before any chunk is read."""
    for name, dtype in zip(X.columns, X.dtypes, strict=True) if hasattr(X, "dtypes") else ():
        if str(dtype).startswith(("string", "category")):
            raise ValueError(
                f"Column {name!r} of X holds words, but a dask dataframe is read in chunks of numbers. Code "
                "the column first, for example with dask.dataframe.get_dummies, or pass X.compute() if the "
                "rows fit in memory."
            )


def _in_chunks_of(X: DaskCollection, column: Any, n_chunks: int, name: str) -> list[Any]:
    """Return one delayed array for each chunk of X; Nones for None."""
    if column is None or (not hasattr(column, "dask") and np.ndim(column) == 0):  # one weight for all
        return [column] * n_chunks
    if hasattr(column, "rechunk"):  # its columns, if there are several, are refused chunk by chunk
        column = column.rechunk(dict.fromkeys(range(1, column.ndim), -1))
    lengths = X.chunks[0] if hasattr(X, "chunks") else (np.nan,)
    if not np.isnan(lengths).any():
        if not hasattr(column, "dask"):
            import dask.array

            column = dask.array.from_array(np.asarray(column), chunks=-1)
        if hasattr(column, "rechunk") and not np.isnan(column.shape[0]):
            if column.shape[0] != X.shape[0]:
                raise ValueError(
                    f"X has {X.shape[0]} rows, and {name} has {column.shape[0]}. Pass equally many."
                )
            column = column.rechunk({0: lengths})
    if not hasattr(column, "dask"):
        raise ValueError(
            f"The lengths of the chunks of X are unknown, so {name} in memory cannot be split among them. "
            f"Pass {name} as a dask array or series with the chunks of X."
        )
    chunks = _delayed(column)
    if len(chunks) != n_chunks:
        raise ValueError(
            f"X has {n_chunks} chunks and {name} has {len(chunks)}, of unknown lengths. Give both the same "
            "chunks, for example columns of one dataframe."
        )
    return chunks


def _delayed(collection: DaskCollection) -> list[Any]:
    return list(np.ravel(np.asarray(collection.to_delayed(), dtype=object)))


class Summary(NamedTuple):
    """What `ChunkedRows` has to know of one chunk, and ``total``, the sum of its rows."""

    classes: np.ndarray
    counts: np.ndarray
    n: np.ndarray
    own: np.ndarray
    total: np.ndarray
    is_weighted: bool
    targets: np.ndarray | None


@dataclass(frozen=True)
class ChunkedRows:
    """Rows in chunks that are somewhere else, and what one pass over them has found.

    The index of a row is its number once all rows are sorted by class, and within a class as they came. The
    rows of a regression are of one class, and keep their order.

    Attributes
    ----------
    chunks : list of Chunk
        Delayed; without empty ones.
    classes : ndarray of shape (n_classes,)
    counts : ndarray of shape (n_chunks, n_classes)
    n, own : ndarray of shape (n_classes,)
        Σ w and Σ w² of each class.
    mean : ndarray of shape (n_features,)
    is_weighted : bool
    targets : ndarray of shape (n_rows,), or None
        Of a regression; None for classes.
    """

    chunks: list[Chunk]
    classes: np.ndarray
    counts: np.ndarray
    n: np.ndarray
    own: np.ndarray
    mean: np.ndarray
    is_weighted: bool
    targets: np.ndarray | None

    @classmethod
    def from_data(
        cls,
        X: DaskCollection,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        is_regression: bool = False,
    ) -> ChunkedRows:
        """Check all chunks, and count their classes or fetch their targets.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
        y : dask array, dask series, or array of shape (n_samples,)
            In the chunks of X, or in others if X knows how long its own are.
        sample_weight : like y, default=None
        is_regression : bool, default=False
            Whether the targets are numbers, not classes.
        """
        chunks = aligned(X, y, sample_weight)
        found = computed(
            [delayed(partial(_summary, is_regression, k))(*chunk) for k, chunk in enumerate(chunks)]
        )
        filled = [k for k, summary in enumerate(found) if summary is not None]
        if not filled:
            least = "two rows" if is_regression else "one row of two classes"
            raise ValueError(f"X has no rows. Pass a collection with at least {least}.")
        summaries = [found[k] for k in filled]
        labels = np.concatenate([summary.classes for summary in summaries])
        classes = check_labels(labels, len(labels), min_classes=1 if is_regression else 2)[0]
        tables = np.zeros((3, len(summaries), len(classes)))
        for k, summary in enumerate(summaries):
            here = np.searchsorted(classes, summary.classes)
            tables[:, k, here] = summary.counts, summary.n, summary.own
        counts = tables[0].astype(np.int64)
        return cls(
            [chunks[k] for k in filled],
            classes,
            counts,
            tables[1].sum(axis=0),
            tables[2].sum(axis=0),
            sum(summary.total for summary in summaries) / counts.sum(),
            any(summary.is_weighted for summary in summaries),
            np.concatenate([summary.targets for summary in summaries]) if is_regression else None,
        )

    @property
    def is_regression(self) -> bool:
        """Whether the targets are numbers, not classes."""
        return self.targets is not None

    @property
    def starts(self) -> np.ndarray:
        """Index of the first row of each class, and the number of rows: shape (n_classes + 1,)."""
        return np.concatenate([[0], np.cumsum(self.counts.sum(axis=0))])

    def samples(
        self, transform: Callable[[Any], Any], centre: float | np.ndarray, distance: str = USUAL
    ) -> list[Any]:
        """Return the `SortedSamples` of every chunk, delayed, after a map of its rows, less ``centre``."""
        settings = transform, centre, distance, self.classes, self.is_weighted, self.is_regression
        sort = delayed(partial(_sorted_chunk, *settings))
        return [sort(*chunk) for chunk in self.chunks]

    def gather(self, samples: list[Any], rows: np.ndarray) -> Any:
        """Return the rows of some indices, in their order, as one delayed `SortedSamples`.

        Parameters
        ----------
        samples : list of delayed SortedSamples
            From `samples`.
        rows : ndarray of shape (n_rows,)
            Indices; if they increase, the classes of the result have starts.
        """
        k, local = self._located(rows)
        picked = [delayed(partial(_taken, local[k == chunk]))(samples[chunk]) for chunk in np.unique(k)]
        counts = np.diff(np.searchsorted(rows, self.starts))
        order = np.argsort(np.argsort(k, kind="stable"), kind="stable").astype(np.int32)
        return delayed(partial(_joined, order, counts))(picked)

    def as_they_came(self) -> Chunk:
        """Return all rows, targets and weights as arrays, in their own order."""
        parts = computed([delayed(partial(_arrays, self.is_regression))(*chunk) for chunk in self.chunks])
        return Chunk(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def weights(self) -> np.ndarray:
        """Return the weights of all rows, chunk by chunk as `samples` sorts them, shape (n_rows,)."""
        if not self.is_weighted:
            return np.ones(self.starts[-1])
        weights = [delayed(_sorted_weights)(one) for one in self.samples(as_given, 0.0)]
        return np.concatenate(computed(weights))

    def by_index(self, values: np.ndarray) -> np.ndarray:
        """Sort one number of each row, chunk by chunk as `samples` sorts them, by the index of the row."""
        k, local = self._located(np.arange(self.starts[-1]))
        first = np.cumsum(self.counts.sum(axis=1)) - self.counts.sum(axis=1)
        return values[first[k] + local]

    def _located(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the chunk of every row, and its number within the chunk."""
        starts = self.starts
        before = np.concatenate([np.zeros((1, len(self.classes)), np.int64), np.cumsum(self.counts, axis=0)])
        local_starts = np.cumsum(self.counts, axis=1) - self.counts
        k, local = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
        class_of = np.searchsorted(starts, rows, side="right") - 1
        for a in range(len(self.classes)):
            own = class_of == a
            rank = rows[own] - starts[a]
            k[own] = np.searchsorted(before[:, a], rank, side="right") - 1
            local[own] = local_starts[k[own], a] + rank - before[k[own], a]
        return k, local


def as_given(X: Any) -> Any:
    """Return the rows as they are."""
    return X


def _arrays(is_regression: bool, X: Samples, y: ArrayLike, weight: ArrayLike | None) -> Chunk:
    """Return a chunk as checked arrays."""
    X = check_samples(X)
    n = X.shape[0]
    if is_sparse(X):
        raise ValueError("Sparse chunks cannot be centred. Pass dense ones.")
    if is_regression:
        y = check_targets(as_numbers(y), n)
    else:
        check_labels(y, n, min_classes=1)
        y = np.asarray(y).ravel()
    # A chunk may have weights of zero only; whether a class has is seen in the end.
    is_zero = weight is not None and np.shape(weight) == (n,) and not np.any(weight)
    return Chunk(X, y, np.zeros(n) if is_zero else check_weights(weight, n))


def _strata(is_regression: bool, y: np.ndarray) -> np.ndarray:
    """Return what rows are sorted by: their class, or zero for all rows of a regression."""
    return np.zeros(len(y), int) if is_regression else y


def _summary(
    is_regression: bool, k: int, X: Samples, y: np.ndarray, weight: ArrayLike | None
) -> Summary | None:
    """Check the k-th chunk and count it; None if it is empty."""
    if X.shape[0] == 0 and len(y) == 0:
        return None
    try:
        chunk = _arrays(is_regression, X, y, weight)
    except ValueError as error:
        raise ValueError(f"Chunk {k} of the rows: {error}") from error
    strata = _strata(is_regression, chunk.y)
    classes, index, counts = np.unique(strata, return_inverse=True, return_counts=True)
    return Summary(
        classes,
        counts,
        np.bincount(index, weights=chunk.weight),
        np.bincount(index, weights=chunk.weight**2),
        chunk.X.sum(axis=0, dtype=np.float64),
        not (chunk.weight == 1.0).all(),
        chunk.y if is_regression else None,
    )


def _sorted_chunk(
    transform: Callable[[Any], Any],
    centre: float | np.ndarray,
    distance: str,
    classes: np.ndarray,
    is_weighted: bool,
    is_regression: bool,
    X: Samples,
    y: ArrayLike,
    weight: ArrayLike | None,
) -> SortedSamples:
    chunk = _arrays(is_regression, X, y, weight)
    index = np.searchsorted(classes, _strata(is_regression, chunk.y))
    return SortedSamples.from_data(
        transform(chunk.X), index, chunk.weight, len(classes), centre, is_weighted, distance
    )


def _sorted_weights(samples: SortedSamples) -> np.ndarray:
    return samples.weights


def _taken(rows: np.ndarray, samples: SortedSamples) -> SortedSamples:
    Z, norms, weights = samples.Z[rows], samples.norms[rows], samples.weights[rows]
    return replace(samples, Z=Z, norms=norms, weights=weights)


def _joined(order: np.ndarray, counts: np.ndarray, picked: list[SortedSamples]) -> SortedSamples:
    """Join the rows of several chunks, and put them in order."""
    Z, norms, weights = (
        np.concatenate([getattr(one, name) for one in picked])[order] for name in ("Z", "norms", "weights")
    )
    starts = np.concatenate([[0], np.cumsum(counts)])
    return replace(picked[0], Z=Z, norms=norms, weights=weights, starts=starts)
