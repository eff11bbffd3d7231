"""Workbooks of Excel and LibreOffice, with python-calamine if it is installed."""

from __future__ import annotations

import csv
import io
from datetime import date, datetime, time, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kernelwise._core.text import count
from kernelwise.tables.cells import enumerated
from kernelwise.tables.table import TableError


def sheet_as_text(raw: bytes, path: Path) -> tuple[str, str]:
    """The first sheet of a workbook that has a table, as CSV text, and a sentence that names it."""
    if find_spec("python_calamine") is None:
        raise TableError(
            f"{path} is a workbook, which needs the package python-calamine. Install it with pip install "
            "'kernelwise[sheets]', or save the sheet as CSV and run the command on that file."
        )
    from python_calamine import CalamineError, CalamineWorkbook

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(raw))
        sheets = {name: book.get_sheet_by_name(name) for name in book.sheet_names}
        rows = {name: sheet.to_python(skip_empty_area=False) for name, sheet in sheets.items()}
    except (CalamineError, OSError, ValueError) as error:
        raise TableError(f"{path} cannot be read as a workbook ({error}). Save the sheet as CSV.") from error
    filled = {name: cells for name, cells in rows.items() if _n_filled(cells) > 1}
    if not filled:
        raise TableError(f"{path} has no sheet with rows. Give a file that has rows.")
    name = next(iter(filled))
    others = [repr(other) for other in rows if other != name]
    more = f" It has {count(len(others), 'more sheet')}: {enumerated(others)}." if others else ""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_text(cell) for cell in row] for row in filled[name])
    return text.getvalue(), f"{path}: the sheet {name!r} was read.{more}"


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
