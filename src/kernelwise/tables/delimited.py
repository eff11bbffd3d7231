"""CSV, TSV and their kin: separator and header are found out, columns become numbers where they can."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise.tables.table import Table, TableError

#: Of separators that fit equally well the first wins: a comma may be a decimal one beside a semicolon.
SEPARATORS = ("\t", ";", "|", ",", " ")
#: Lines that are looked at to find the separator.
FIRST_LINES = 30
#: Lines that are looked at to find out whether the first one holds names.
MANY_LINES = 1000
MISSING = frozenset({"", "?", "na", "n/a", "nan", "null", "none"})
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")

Row = list[str]


def parse(text: str, path: Path, has_header: bool | None = None, min_columns: int = 2) -> Table:
    """Make a table of text; ``has_header`` None finds out."""
    separator = "\t" if ".tsv" in path.suffixes else find_separator(text)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    table = _parse_numbers(text, separator, path, has_header, min_columns)
    return _parse_cells(text, separator, path, has_header, min_columns) if table is None else table


def _parse_numbers(
    text: str, separator: str, path: Path, has_header: bool | None, min_columns: int
) -> Table | None:
    """The table if all cells below the first line are plain numbers; None if not.

    Most files are such, and are read in half the time.
    """
    lines = {} if '"' in text else numbered_lines(text)
    if len(lines) < 2:
        return None
    first = next(_reader(lines.values(), separator))
    matrix = number_matrix(list(lines.values())[1:], separator)
    if matrix is None or matrix.shape[1] != len(first) or len(first) < min_columns:
        return None
    if np.isnan(matrix[:MANY_LINES]).all():  # what may be a header has to be looked at more closely
        return None
    if has_header is None:
        has_header = not any(map(_is_present_number, first))
    notes: list[str] = []
    if has_header:
        names = _unique(first, notes)
        lines.pop(min(lines))
    else:
        values = numbers(first)
        if values is None:
            return None
        names, matrix = _numbered_names(len(first)), np.vstack([values, matrix])
    cells_of = None if separator == " " else separator

    def texts(index: int) -> np.ndarray:
        return _texts([line.split(cells_of)[index] for line in lines.values()])

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


def _parse_cells(text: str, separator: str, path: Path, has_header: bool | None, min_columns: int) -> Table:
    """The table cell by cell: text, quotation marks, missing values and decimal commas are allowed."""
    lines, rows = _rows(text, separator, path, min_columns)
    if has_header is None:
        has_header = looks_like_header(rows)
    notes: list[str] = []
    names = _numbered_names(len(rows[0]))
    if has_header:
        names = _unique(rows[0], notes)
        lines, rows = lines[1:], rows[1:]
    if not rows:
        raise TableError(f"{path} has a header and no rows. Give one row for each sample.")
    columns = []
    is_comma_decimal = False
    for cells in zip(*rows, strict=True):
        values = numbers(cells)
        if values is None and separator != ",":
            values = numbers(_with_points(cells))
            is_comma_decimal |= values is not None
        columns.append(_texts(cells) if values is None else values)
    if is_comma_decimal:
        notes.append(f"{path}: commas in numbers were read as decimal points.")

    def texts(index: int) -> np.ndarray:
        return _texts([row[index] for row in rows])

    return Table(str(path), names, columns, np.array(lines), has_header=has_header, notes=notes, texts=texts)


def find_separator(text: str) -> str:
    """The separator with which most of the first lines have the same number of cells, at least two."""
    first = [line for line in text[:100_000].splitlines()[:FIRST_LINES] if line.strip()]
    best, most = ",", 0
    for separator in SEPARATORS:
        try:
            widths = [len(row) for row in _reader(first, separator)]
        except csv.Error:
            continue
        width, count = Counter(widths).most_common(1)[0] if widths else (1, 0)
        if width > 1 and count > most:
            best, most = separator, count
    return best


def _reader(lines: Iterable[str], separator: str) -> Any:
    if separator == " ":
        return csv.reader((" ".join(line.split()) for line in lines), delimiter=" ")
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def _rows(text: str, separator: str, path: Path, min_columns: int) -> tuple[list[int], list[Row]]:
    """Rows of stripped cells with their lines in the file; blank lines are left out."""
    reader = _reader(io.StringIO(text), separator)
    lines: list[int] = []
    rows: list[Row] = []
    try:
        for row in reader:
            if not row or (len(row) == 1 and not row[0].strip()):
                continue
            line = reader.line_num
            if rows and len(row) != len(rows[0]):
                raise TableError(
                    f"{path}, line {line}: expected {len(rows[0])} cells as in line {lines[0]}, found "
                    f"{len(row)}."
                )
            lines.append(line)
            rows.append(row)
    except csv.Error as error:
        raise TableError(f"{path}, line {reader.line_num}: {error}. Is a quotation mark missing?") from error
    if not rows or len(rows[0]) < min_columns:
        raise TableError(
            f"{path} has one column only: no separator (comma, semicolon, tab, bar, blank) was found. Give "
            "features and a target in columns."
        )
    return lines, rows


def looks_like_header(rows: list[Row]) -> bool:
    """Whether the first row holds names: no numbers, and numbers below or text that differs from it."""
    if len(rows) < 2 or any(map(_is_present_number, rows[0])):
        return False
    below = rows[1 : 1 + MANY_LINES]
    columns = list(zip(*below, strict=True))
    if any(numbers(cells) is not None and not all(map(_is_missing, cells)) for cells in columns):
        return True
    return all(name not in cells for name, cells in zip(rows[0], columns, strict=True))


def _numbered_names(n_columns: int) -> list[str]:
    return [f"column {k}" for k in range(1, n_columns + 1)]


def _unique(cells: Row, notes: list[str]) -> list[str]:
    names: list[str] = []
    for k, cell in enumerate(cells, start=1):
        plain = name = cell.strip() or f"column {k}"
        number = 2
        while name in names:
            name, number = f"{plain} ({number})", number + 1
        if name != plain:
            notes.append(f"Two columns are called {plain!r}; column {k} is now {name!r}.")
        names.append(name)
    return names


def numbers(cells: Sequence[str]) -> np.ndarray | None:
    """The cells as numbers, NaN where one is missing; None if some are text."""
    try:
        values = np.array(list(map(float, cells)))
    except ValueError:
        present = [not _is_missing(cell) for cell in cells]
        try:
            values = np.array([float(c) if p else np.nan for c, p in zip(cells, present, strict=True)])
        except ValueError:
            return None
    # Python reads 1_000 as a number; in a file it is a name.
    return None if "_" in "".join(cells) else values


def _with_points(cells: Sequence[str]) -> Row:
    """Decimal commas as points; cells with other commas as they are."""
    return [cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell.strip()) else cell for cell in cells]


def _texts(cells: Sequence[str]) -> np.ndarray:
    texts = np.empty(len(cells), dtype=object)
    texts[:] = [None if _is_missing(cell) else cell.strip() for cell in cells]
    return texts


def _is_missing(cell: str) -> bool:
    return cell.strip().lower() in MISSING


def _is_present_number(cell: str) -> bool:
    return numbers([cell]) is not None and not _is_missing(cell)
