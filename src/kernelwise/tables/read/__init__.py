"""Readers: a file of any known kind as a `Table`.

Parquet and workbooks are read by other packages, pyarrow and
python-calamine; `csv` reads text, `libsvm` sparse rows, and `frames` data frames and arrays.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable
from csv import writer
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise._core.text import meant
from kernelwise.tables.cells import enumerated, typed_text
from kernelwise.tables.column import read_kind
from kernelwise.tables.read.csv import parse
from kernelwise.tables.read.libsvm import looks_like_libsvm, parse_libsvm
from kernelwise.tables.read.text import STANDARD_INPUT, decode, is_workbook, read_bytes, refuse_other_kinds
from kernelwise.tables.table import Table, TableError, unique_names
from kernelwise.tables.target import spelling

PARQUET = b"PAR1"
LIBSVM_ENDINGS = (".svm", ".libsvm", ".svmlight")


def read_table(
    path: Any,
    has_header: bool | None = None,
    min_columns: int = 2,
    keep: int = 0,
    skip: int | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
    usual: tuple[str, str] | None = None,
    wanted: Iterable[str] = (),
) -> Table:
    """Read CSV, TSV, Parquet or LIBSVM data, gzipped or not, or a workbook; name and contents tell the kind.

    The path - is standard input. ``has_header`` says whether the first line of a CSV file holds names; None
    finds out. Fewer than ``min_columns`` in it are taken for a separator that was not found; columns without
    a name and values at its end are left out, but none of the first ``keep``. ``skip`` is the number of lines
    above a CSV table that are no part of it; None finds them. Totals below a table are left out, but for
    ``skip`` 0. ``sheet`` is the name or number of a sheet of a workbook; None is the first that has the
    ``wanted`` names of columns in a row, or else the first with a table.
    ``decimal`` is the sign of decimals, "." or ","; None finds out. For new rows, ``usual`` are sign and
    separator of the training file. A TableError has one sentence on what is wrong, and where.
    """
    path = Path(path)
    if path.is_dir():
        raise TableError(f"{path} is a folder. Give a file.")
    raw = read_bytes(path)
    if str(path) == STANDARD_INPUT:
        path = Path("standard input")
    if not raw.strip():
        raise TableError(f"{path} is empty. Give a file that has rows.")
    if is_workbook(raw):
        text, note = sheet_as_text(raw, path, sheet, {spelling(name) for name in wanted})
        table = parse(text, path, has_header, min_columns, keep, skip, decimal, usual)
        return replace(table, source=str(path), notes=(note, *table.notes), row_word="row")
    if sheet is not None:
        raise TableError(f"{path} is no workbook, so it has no sheets. Leave out --sheet.")
    if raw.startswith(PARQUET) or path.suffix == ".parquet":
        return read_parquet(raw, path)
    refuse_other_kinds(raw, path)
    endings = [ending.lower() for ending in path.suffixes]
    if any(ending in endings for ending in LIBSVM_ENDINGS) or looks_like_libsvm(raw):
        return parse_libsvm(raw, path)
    text, notes = decode(raw, path)
    table = parse(text, path, has_header, min_columns, keep, skip, decimal, usual)
    return replace(table, notes=(*notes, *table.notes))


def read_parquet(raw: bytes, path: Path) -> Table:
    """Make a table of a Parquet file; columns are numbers, true/false or text, or cannot be used."""
    if find_spec("pyarrow") is None:
        raise TableError(
            f"{path} is a Parquet file, which needs the package pyarrow. Install it with pip install "
            '"kernelwise[files]".'
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


def sheet_as_text(
    raw: bytes, path: Path, sheet: str | None = None, wanted: Collection[str] = ()
) -> tuple[str, str]:
    """A sheet of a workbook as CSV text, and a sentence that names it.

    It is the one with a name or number, or the first in which a row has all wanted names, in any spelling, or
    the first with a table: in most of its rows several cells are filled.
    """
    if find_spec("python_calamine") is None:
        raise TableError(
            f"{path} is a workbook, which needs the package python-calamine. Install it with pip install "
            '"kernelwise[sheets]", or save the sheet as CSV and run the command on that file.'
        )
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(raw))
        rows = {
            name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names
        }
    except (CalamineError, OSError, ValueError) as error:
        raise TableError(f"{path} cannot be read as a workbook ({error}). Save the sheet as CSV.") from error
    texts = {name: [[_text(cell) for cell in row] for row in cells] for name, cells in rows.items()}
    filled = {name: cells for name, cells in texts.items() if sum(map(any, cells)) > 1}
    if not filled:
        raise TableError(f"{path} has no sheet with rows. Give a file that has rows.")
    if sheet is None:
        fits = [name for name, cells in filled.items() if wanted and _has_names(cells, wanted)]
        name = next(iter(fits or filter(lambda name: _is_table(filled[name]), filled)), next(iter(filled)))
    else:
        name = _named(sheet, list(rows), path)
    if name not in filled:
        raise TableError(f"{path}: the sheet {name!r} has no rows. Choose another one with --sheet.")
    others = [repr(other) for other in rows if other != name]
    more = f" --sheet reads another one: {enumerated(others)}." if others else ""
    text = io.StringIO()
    writer(text, lineterminator="\n").writerows(filled[name])
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


def _has_names(cells: list[list[str]], wanted: Collection[str]) -> bool:
    return any(set(wanted) <= set(map(spelling, row)) for row in cells)


def _is_table(cells: list[list[str]]) -> bool:
    n_filled = [sum(map(bool, row)) for row in cells if any(row)]
    return 2 * sum(n > 1 for n in n_filled) > len(n_filled)


def _text(cell: Any) -> str:
    """A cell as a CSV file would have it: whole numbers without a point, dates as in ISO 8601."""
    if isinstance(cell, bool):
        return str(cell)
    if isinstance(cell, float):
        return typed_text(cell)
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, datetime | date | time):
        return cell.isoformat(" ") if isinstance(cell, datetime) else cell.isoformat()
    if isinstance(cell, timedelta):
        return repr(cell.total_seconds() / 86_400.0)
    return "" if cell is None else str(cell)
