"""Features, targets and weights of dask collections in the same chunks."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


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


def aligned(X: Any, y: Any, sample_weight: Any) -> list[Chunk]:
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


def _in_chunks_of(X: Any, column: Any, n_chunks: int, name: str) -> list[Any]:
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


def _delayed(collection: Any) -> list[Any]:
    return list(np.ravel(np.asarray(collection.to_delayed(), dtype=object)))
