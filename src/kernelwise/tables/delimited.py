"""CSV, TSV and their kin: separator and header are found out, columns become numbers where they can."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from kernelwise.tables import cells
from kernelwise.tables.cells import is_number, numbers
from kernelwise.tables.header import MANY_LINES, looks_like_header, numbered_names, unique_names
from kernelwise.tables.rows import COMMENT, read_rows, rows_of
from kernelwise.tables.table import Table, TableError

#: Of separators that fit equally well the first wins: a comma may be a decimal one beside a semicolon.
SEPARATORS = ("\t", ";", "|", ",", " ")
#: Lines that are looked at to find the separator.
FIRST_LINES = 30


def parse(
    text: str, path: Path, has_header: bool | None = None, min_columns: int = 2, keep: int = 0
) -> Table:
    """Make a table of text; ``has_header`` None finds out.

    Columns at the end that have neither a name nor values are left out, but none of the first ``keep``.
    """
    separator = "\t" if ".tsv" in path.suffixes else find_separator(text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    table = _parse_numbers(text, separator, path, has_header, min_columns)
    return _parse_cells(text, separator, path, has_header, min_columns, keep) if table is None else table


def _parse_numbers(
    text: str, separator: str, path: Path, has_header: bool | None, min_columns: int
) -> Table | None:
    """The table if all cells below the first line are plain numbers; None if not.

    Most files are such, and are read in half the time.
    """
    lines = {} if '"' in text else numbered_lines(text)
    if len(lines) < 2:
        return None
    first = next(rows_of(lines.values(), separator))
    matrix = number_matrix(list(lines.values())[1:], separator)
    if matrix is None or matrix.shape[1] != len(first) or len(first) < min_columns:
        return None
    if np.isnan(matrix[:MANY_LINES]).all():  # what may be a header has to be looked at more closely
        return None
    if has_header is None:
        has_header = not any(map(is_number, first))
    notes: list[str] = []
    if has_header:
        names = unique_names(first, notes)
        lines.pop(min(lines))
    else:
        values = numbers(first)
        if values is None:
            return None
        names, matrix = numbered_names(len(first)), np.vstack([values, matrix])
    cells_of = None if separator == " " else separator

    def texts(index: int) -> np.ndarray:
        return cells.texts([line.split(cells_of)[index] for line in lines.values()])

    columns = list(np.ascontiguousarray(matrix.T))
    return Table(
        str(path), names, columns, np.array(list(lines)), has_header=has_header, notes=notes, texts=texts
    )


def numbered_lines(text: str) -> dict[int, str]:
    """Lines of text by their numbers from 1; blank ones are left out."""
    # splitlines() would also split at characters that a cell may hold, such as U+2028.
    return {number: line for number, line in enumerate(text.split("\n"), start=1) if line.strip()}


def number_matrix(lines: Sequence[str], separator: str) -> np.ndarray | None:
    """Lines of plain numbers as an array of shape (n_lines, n_columns); None if they are anything else."""
    try:
        return np.loadtxt(lines, delimiter=None if separator == " " else separator, ndmin=2, comments=None)
    except ValueError:
        return None


def _parse_cells(
    text: str, separator: str, path: Path, has_header: bool | None, min_columns: int, keep: int = 0
) -> Table:
    """The table cell by cell: text, quotation marks, missing values and decimal commas are allowed."""
    notes: list[str] = []
    lines, rows = read_rows(text, separator, path, min_columns, keep, notes)
    if has_header is None:
        has_header = looks_like_header(rows)
        if has_header and any(map(is_number, rows[0])):
            notes.append(
                f"{path}: line {lines[0]} was read as names of columns; use --no-header if it is data."
            )
        if len(rows) == 1 and not any(map(is_number, rows[0])):
            raise TableError(f"{path} has a header and no rows. Add the rows below it.")
    names = numbered_names(len(rows[0]))
    if has_header:
        names = unique_names(rows[0], notes)
        lines, rows = lines[1:], rows[1:]
    if not rows:
        raise TableError(f"{path} has a header and no rows. Add the rows below it.")
    columns = []
    is_comma_decimal = False
    for column in zip(*rows, strict=True):
        values = numbers(column)
        if values is None and separator != ",":
            values = numbers(cells.with_points(column))
            is_comma_decimal |= values is not None
        columns.append(cells.texts(column) if values is None else values)
    if is_comma_decimal:
        notes.append(f"{path}: commas in numbers were read as decimal points.")

    def texts(index: int) -> np.ndarray:
        return cells.texts([row[index] for row in rows])

    return Table(
        str(path),
        names,
        columns,
        np.array(lines),
        has_header=has_header,
        comma_decimal=separator != ",",
        notes=notes,
        texts=texts,
    )


def find_separator(text: str) -> str:
    """The separator with which most of the first lines have the same number of cells, at least two."""
    lines = [line for line in text[:100_000].splitlines() if line.strip()]
    first = ([line for line in lines if not line.startswith(COMMENT)] or lines)[:FIRST_LINES]
    best, most = ",", 0
    for separator in SEPARATORS:
        try:
            widths = [len(row) for row in rows_of(first, separator)]
        except csv.Error:
            continue
        width, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
        if width > 1 and count > most:
            best, most = separator, count
    return best
