"""Parquet files, with pyarrow if it is installed."""

from __future__ import annotations

import io
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise.tables.column import read_kind
from kernelwise.tables.table import Table, TableError, unique_names

MARK = b"PAR1"


def read_parquet(raw: bytes, path: Path) -> Table:
    """Make a table of a Parquet file; columns are numbers, true/false or text, or cannot be used."""
    if find_spec("pyarrow") is None:
        raise TableError(
            f"{path} is a Parquet file, which needs the package pyarrow. Install it with pip install "
            "'kernelwise[files]'."
        )
    import pyarrow
    from pyarrow import parquet

    try:
        frame = parquet.ParquetFile(io.BytesIO(raw)).read()
    except (OSError, pyarrow.ArrowException) as error:
        raise TableError(
            f"{path} is not a complete Parquet file ({str(error).splitlines()[0]}). Get a new copy of it."
        ) from error
    if frame.num_rows == 0 or frame.num_columns == 0:
        raise TableError(f"{path} is empty. Give a file that has rows.")
    notes: list[str] = []
    names = unique_names([str(name) for name in frame.column_names], notes)
    columns = [_values(frame.column(k)) for k in range(len(names))]
    unusable = {
        k: f"values of the type {frame.column(k).type}" for k, values in enumerate(columns) if values is None
    }
    nothing = np.full(frame.num_rows, None, dtype=object)
    return Table(
        tuple(names),
        tuple(nothing if values is None else values for values in columns),
        source=str(path),
        lines=np.arange(1, frame.num_rows + 1),
        row_word="row",
        unusable=unusable,
        notes=tuple(notes),
    )


def _values(column: Any) -> np.ndarray | None:
    """Numbers with NaN, text with None, or another kind of column; None for values that are none of them."""
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return np.array([np.nan if v is None else float(v) for v in column.to_pylist()], dtype=float)
    if types.is_boolean(kind) or types.is_string(kind) or types.is_large_string(kind):
        texts = np.empty(len(column), dtype=object)
        texts[:] = [None if v is None else str(v) for v in column.to_pylist()]
        values = read_kind(texts.tolist())
        return texts if values is None else values
    return read_kind(column.to_pylist())
