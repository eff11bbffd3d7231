"""Files that another package reads: Parquet (pyarrow), and workbooks (python-calamine)."""

from __future__ import annotations

import csv
import io
from datetime import date, datetime, time, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise._core.text import meant
from kernelwise.tables.cells import enumerated
from kernelwise.tables.column import read_kind
from kernelwise.tables.table import Table, TableError, unique_names

PARQUET = b"PAR1"


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


def sheet_as_text(raw: bytes, path: Path, sheet: str | None = None) -> tuple[str, str]:
    """A sheet of a workbook as CSV text, and a sentence that names it: the first that has a table, or the
    one with a name or number."""
    if find_spec("python_calamine") is None:
        raise TableError(
            f"{path} is a workbook, which needs the package python-calamine. Install it with pip install "
            "'kernelwise[sheets]', or save the sheet as CSV and run the command on that file."
        )
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(raw))
        rows = {
            name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names
        }
    except (CalamineError, OSError, ValueError) as error:
        raise TableError(f"{path} cannot be read as a workbook ({error}). Save the sheet as CSV.") from error
    filled = {name: cells for name, cells in rows.items() if _n_filled(cells) > 1}
    if not filled:
        raise TableError(f"{path} has no sheet with rows. Give a file that has rows.")
    name = next(iter(filled)) if sheet is None else _named(sheet, list(rows), path)
    if name not in filled:
        raise TableError(f"{path}: the sheet {name!r} has no rows. Choose another one with --sheet.")
    others = [repr(other) for other in rows if other != name]
    more = f" --sheet reads another one: {enumerated(others)}." if others else ""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_text(cell) for cell in row] for row in filled[name])
    return text.getvalue(), f"{path}: the sheet {name!r} was read.{more}"


def _named(sheet: str, names: list[str], path: Path) -> str:
    if sheet in names:
        return sheet
    if sheet.isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    raise TableError(
        f"{path} has no sheet {sheet!r} (--sheet).{meant(sheet, names)} It has "
        f"{enumerated(map(repr, names))}. You can also give a number: 1 is the first sheet."
    )


def _n_filled(cells: list[list[Any]]) -> int:
    return sum(any(cell not in ("", None) for cell in row) for row in cells)


def _text(cell: Any) -> str:
    """A cell as a CSV file would have it: whole numbers without a point, dates as in ISO 8601."""
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, datetime | date | time):
        return cell.isoformat(" ") if isinstance(cell, datetime) else cell.isoformat()
    if isinstance(cell, timedelta):
        return repr(cell.total_seconds() / 86_400.0)
    return "" if cell is None else str(cell)
