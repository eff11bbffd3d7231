"""Parquet files, with pyarrow if it is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise.tables.table import Table, TableError

MARK = b"PAR1"


def read_parquet(path: Path) -> Table:
    """Make a table of a Parquet file; columns are numbers, true/false or text."""
    if find_spec("pyarrow") is None:
        raise TableError(
            f"{path} is a Parquet file, for which pyarrow is missing: pip install 'kernelwise[files]'."
        )
    import pyarrow
    from pyarrow import parquet

    try:
        # One file: ParquetFile does not take folder names for columns.
        frame = parquet.ParquetFile(path).read()
    except (OSError, pyarrow.ArrowException) as error:
        raise TableError(
            f"{path} is not a complete Parquet file ({str(error).splitlines()[0]}). Get a new copy of it."
        ) from error
    if frame.num_rows == 0 or frame.num_columns == 0:
        raise TableError(f"{path} is empty. Give a file with one row for each sample.")
    names = [str(name) for name in frame.column_names]
    columns = [_values(frame.column(k), path, name) for k, name in enumerate(names)]
    return Table(str(path), names, columns, np.arange(1, frame.num_rows + 1), row_word="row")


def _values(column: Any, path: Path, name: str) -> np.ndarray:
    from pyarrow import types

    kind = column.type
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind) or types.is_null(kind):
        return np.array([np.nan if v is None else float(v) for v in column.to_pylist()], dtype=float)
    if types.is_boolean(kind) or types.is_string(kind) or types.is_large_string(kind):
        texts = np.empty(len(column), dtype=object)
        texts[:] = [None if v is None else str(v) for v in column.to_pylist()]
        return texts
    raise TableError(f"{path}, column {name!r}: values of the type {kind} cannot be used. Leave it out.")
