"""Rows of dask collections: checked chunk by chunk, sorted by class, and found again by their place."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from dask import compute, config, delayed, persist
from scipy import sparse

from kernelwise._core.threads import one_blas_thread
from kernelwise._core.validation import check_labels, check_samples, check_weights
from kernelwise.sketch.pass_over_pairs import SortedSamples

#: Results that one task adds up.
FAN_IN = 8


class Chunk(NamedTuple):
    """What a task turns one chunk into: arrays, or delayed ones before that."""

    X: Any
    y: Any
    weight: Any


class Summary(NamedTuple):
    """What the client needs to know of a chunk.

    Attributes
    ----------
    classes, counts : ndarray of shape (n_classes_here,)
    n, own : ndarray of shape (n_classes_here,)
        Σ w and Σ w² of each class.
    total : ndarray of shape (n_features,)
        Sum of the rows.
    is_weighted : bool
    """

    classes: np.ndarray
    counts: np.ndarray
    n: np.ndarray
    own: np.ndarray
    total: np.ndarray
    is_weighted: bool


@dataclass(frozen=True)
class ChunkedRows:
    """Labelled rows in chunks that are somewhere else, and what one pass over them has told.

    A row has a place: its number once all rows are sorted by class, and within a class as they came.

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
    """

    chunks: list[Chunk]
    classes: np.ndarray
    counts: np.ndarray
    n: np.ndarray
    own: np.ndarray
    mean: np.ndarray
    is_weighted: bool

    @classmethod
    def from_data(cls, X: Any, y: Any, sample_weight: Any = None) -> ChunkedRows:
        """Check all chunks and count their classes.

        Parameters
        ----------
        X : dask array or dask dataframe of shape (n_samples, n_features)
        y : dask array, dask series, or array of shape (n_samples,)
            In the chunks of X, or in others if X knows how long its own are.
        sample_weight : like y, default=None
        """
        chunks = aligned(X, y, sample_weight)
        found = computed([delayed(partial(_summary, k))(*chunk) for k, chunk in enumerate(chunks)])
        filled = [k for k, summary in enumerate(found) if summary is not None]
        if not filled:
            raise ValueError("X has no rows. Pass a collection with at least one row of two classes.")
        told = [found[k] for k in filled]
        labels = np.concatenate([summary.classes for summary in told])
        classes = check_labels(labels, len(labels))[0]
        tables = np.zeros((3, len(told), len(classes)))
        for k, summary in enumerate(told):
            here = np.searchsorted(classes, summary.classes)
            tables[:, k, here] = summary.counts, summary.n, summary.own
        counts = tables[0].astype(np.int64)
        return cls(
            [chunks[k] for k in filled],
            classes,
            counts,
            tables[1].sum(axis=0),
            tables[2].sum(axis=0),
            sum(summary.total for summary in told) / counts.sum(),
            any(summary.is_weighted for summary in told),
        )

    @property
    def starts(self) -> np.ndarray:
        """Place of the first row of each class, and the number of rows: shape (n_classes + 1,)."""
        return np.concatenate([[0], np.cumsum(self.counts.sum(axis=0))])

    def samples(self, transform: Callable[[Any], Any], centre: Any) -> list[Any]:
        """Every chunk as delayed `SortedSamples` of its own, after a map of its rows, less ``centre``."""
        sort = delayed(partial(_sorted_chunk, transform, centre, self.classes, self.is_weighted))
        return [sort(*chunk) for chunk in self.chunks]

    def gather(self, samples: list[Any], places: np.ndarray) -> Any:
        """The rows at some places, in their order, as delayed `SortedSamples` in one piece.

        Parameters
        ----------
        samples : list of delayed SortedSamples
            From `samples`.
        places : ndarray of shape (n_rows,)
            The classes of the result have starts if they increase.
        """
        k, local = self._located(places)
        picked = [delayed(partial(_taken, local[k == chunk]))(samples[chunk]) for chunk in np.unique(k)]
        counts = np.diff(np.searchsorted(places, self.starts))
        order = np.argsort(np.argsort(k, kind="stable"), kind="stable").astype(np.int32)
        return delayed(partial(_joined, order, counts))(picked)

    def as_they_came(self) -> Chunk:
        """All rows, labels and weights as arrays, in their own order."""
        parts = computed([delayed(_arrays)(*chunk) for chunk in self.chunks])
        return Chunk(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def in_places(self, values: list[np.ndarray]) -> np.ndarray:
        """One number of each row, from those of the chunks as `samples` sorts them, by place."""
        k, local = self._located(np.arange(self.starts[-1]))
        first = np.cumsum(self.counts.sum(axis=1)) - self.counts.sum(axis=1)
        return np.concatenate(values)[first[k] + local]

    def _located(self, places: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The chunk of every place, and the place within the chunk."""
        starts = self.starts
        before = np.concatenate([np.zeros((1, len(self.classes)), np.int64), np.cumsum(self.counts, axis=0)])
        local_starts = np.cumsum(self.counts, axis=1) - self.counts
        k, local = np.empty(len(places), np.int32), np.empty(len(places), np.int32)
        class_of = np.searchsorted(starts, places, side="right") - 1
        for a in range(len(self.classes)):
            own = class_of == a
            rank = places[own] - starts[a]
            k[own] = np.searchsorted(before[:, a], rank, side="right") - 1
            local[own] = local_starts[k[own], a] + rank - before[k[own], a]
        return k, local


def computed(tasks: Any) -> Any:
    """What delayed tasks return."""
    with _settings():
        return compute(tasks)[0]


def persisted(value: Any) -> Any:
    """A value that is no dask collection, delayed; it goes to the workers of a cluster once, not by task."""
    with _settings():
        return persist(delayed(value, traverse=False))[0]


@contextmanager
def _settings() -> Iterator[None]:
    """For schedulers of all kinds.

    BLAS is limited for schedulers in this process; workers of a cluster have one thread by their settings.
    Places of rows, and a number for each row, go to the workers with the tasks: no reason for a warning.
    """
    # A setting from before distributed is imported would take all its defaults away with it in the end.
    is_loaded = "distributed" in sys.modules
    quietly = {"distributed.admin.large-graph-warning-threshold": "10 GiB"} if is_loaded else {}
    with one_blas_thread(), config.set(quietly):
        yield


def tree_sum(tasks: list[Any], add: Callable[[list[Any]], Any]) -> Any:
    """The delayed sum of what delayed tasks return, some at a time."""
    while len(tasks) > 1:
        tasks = [delayed(add)(tasks[first : first + FAN_IN]) for first in range(0, len(tasks), FAN_IN)]
    return tasks[0]


def as_given(X: Any) -> Any:
    """No map at all."""
    return X


def aligned(X: Any, y: Any, sample_weight: Any) -> list[Chunk]:
    """Delayed chunks of rows with their labels and weights."""
    if hasattr(X, "rechunk"):
        if X.ndim != 2:
            raise ValueError(f"X must have rows and columns, got a dask array of {X.ndim} dimensions.")
        X = X.rechunk({1: -1})
    rows = _delayed(X)
    columns = [
        _in_chunks_of(X, one, len(rows), name) for one, name in ((y, "y"), (sample_weight, "sample_weight"))
    ]
    return [Chunk(*chunk) for chunk in zip(rows, *columns, strict=True)]


def _in_chunks_of(X: Any, column: Any, n_chunks: int, name: str) -> list[Any]:
    """One delayed array for each chunk of X; Nones for None."""
    if column is None or (not hasattr(column, "dask") and np.ndim(column) == 0):  # one weight for all
        return [column] * n_chunks
    lengths = X.chunks[0] if hasattr(X, "chunks") else (np.nan,)
    if not np.isnan(lengths).any():
        if not hasattr(column, "dask"):
            import dask.array

            column = dask.array.from_array(np.asarray(column), chunks=-1)
        if hasattr(column, "rechunk") and not np.isnan(column.shape[0]):
            if column.shape[0] != X.shape[0]:
                raise ValueError(f"X has {X.shape[0]} rows, and {name} has {column.shape[0]}. Pass as many.")
            column = column.rechunk({0: lengths})
    if not hasattr(column, "dask"):
        raise ValueError(
            f"The lengths of the chunks of X are not known, so that {name} in memory cannot be shared out. "
            f"Pass {name} as a dask array or series with the chunks of X."
        )
    pieces = _delayed(column)
    if len(pieces) != n_chunks:
        raise ValueError(
            f"X has {n_chunks} chunks and {name} has {len(pieces)}, of unknown lengths. Give both the same "
            "chunks, for example by taking them from one dataframe."
        )
    return pieces


def _delayed(collection: Any) -> list[Any]:
    return list(np.ravel(np.asarray(collection.to_delayed(), dtype=object)))


def _arrays(X: Any, y: Any, weight: Any) -> Chunk:
    """A chunk as checked arrays."""
    X = check_samples(X)
    if sparse.issparse(X):
        raise ValueError("Sparse chunks cannot be centred. Pass dense ones.")
    check_labels(y, X.shape[0], min_classes=1)
    # A chunk may have weights of zero only; whether a class has is seen in the end.
    is_zero = weight is not None and np.shape(weight) == (X.shape[0],) and not np.any(weight)
    return Chunk(
        X, np.asarray(y).ravel(), np.zeros(X.shape[0]) if is_zero else check_weights(weight, X.shape[0])
    )


def _summary(k: int, X: Any, y: Any, weight: Any) -> Summary | None:
    """Check the k-th chunk and count it; None if it is empty."""
    if X.shape[0] == 0 and len(y) == 0:
        return None
    try:
        X, y, weight = _arrays(X, y, weight)
    except ValueError as error:
        raise ValueError(f"Chunk {k} of the rows: {error}") from error
    classes, index, counts = np.unique(y, return_inverse=True, return_counts=True)
    return Summary(
        classes,
        counts,
        np.bincount(index, weights=weight),
        np.bincount(index, weights=weight**2),
        X.sum(axis=0, dtype=np.float64),
        not (weight == 1.0).all(),
    )


def _sorted_chunk(
    transform: Callable[[Any], Any],
    centre: Any,
    classes: np.ndarray,
    is_weighted: bool,
    X: Any,
    y: Any,
    weight: Any,
) -> SortedSamples:
    X, y, weight = _arrays(X, y, weight)
    index = np.searchsorted(classes, y)
    return SortedSamples.from_data(transform(X), index, weight, len(classes), centre, is_weighted)


def _taken(rows: np.ndarray, samples: SortedSamples) -> SortedSamples:
    return SortedSamples(
        samples.Z[rows], samples.norms[rows], samples.weights[rows], samples.starts, samples.is_weighted
    )


def _joined(order: np.ndarray, counts: np.ndarray, picked: list[SortedSamples]) -> SortedSamples:
    """Rows of several chunks in one piece, put in order."""
    Z, norms, weights = (
        np.concatenate([getattr(one, name) for one in picked])[order] for name in ("Z", "norms", "weights")
    )
    return SortedSamples(Z, norms, weights, np.concatenate([[0], np.cumsum(counts)]), picked[0].is_weighted)
