"""Readers: a file of any known kind as a `Table`. `frames` reads data frames and arrays."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from kernelwise.tables.read.csv import parse
from kernelwise.tables.read.libsvm import looks_like_libsvm, parse_libsvm
from kernelwise.tables.read.packages import PARQUET, read_parquet, sheet_as_text
from kernelwise.tables.read.text import STANDARD_INPUT, decode, is_workbook, read_bytes, refuse_other_kinds
from kernelwise.tables.table import Table, TableError

LIBSVM_ENDINGS = (".svm", ".libsvm", ".svmlight")


def read_table(
    path: Any,
    has_header: bool | None = None,
    min_columns: int = 2,
    keep: int = 0,
    skip: int | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
    usual: str | None = None,
) -> Table:
    """Read CSV, TSV, Parquet or LIBSVM data, gzipped or not, or a workbook; name and contents tell the kind.

    The path - is standard input. ``has_header`` says whether the first line of a CSV file holds names; None
    finds out. Fewer than ``min_columns`` in it are taken for a separator that was not found; columns without
    a name and values at its end are left out, but none of the first ``keep``. ``skip`` is the number of lines
    above a CSV table that are no part of it; None finds them. Totals below a table are left out, but for
    ``skip`` 0. ``sheet`` is the name or number of a sheet of a workbook; None is the first that has rows.
    ``decimal`` is the sign of decimals, "." or ","; None finds out, and takes the ``usual`` one if nothing
    in the file tells. A TableError has one sentence on what is wrong, and where.
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
        text, note = sheet_as_text(raw, path, sheet)
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
