"""Rows of cells of a text file: comments, and empty cells at the end of its lines, are left out."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from kernelwise._core.text import count
from kernelwise.tables.cells import enumerated, is_number
from kernelwise.tables.table import TableError

COMMENT = "#"

Row = list[str]


def rows_of(lines: Iterable[str], separator: str) -> Any:
    """A reader of csv."""
    if separator == " ":
        return csv.reader((" ".join(line.split()) for line in lines), delimiter=" ")
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def read_rows(
    text: str, separator: str, path: Path, min_columns: int, keep: int, notes: list[str]
) -> tuple[list[int], list[Row]]:
    """Rows of cells, all of one width, with their lines in the file; blank lines are left out."""
    text = without_comments(text, separator, path, notes)
    reader = rows_of(io.StringIO(text), separator)
    lines: list[int] = []
    rows: list[Row] = []
    try:
        for row in reader:
            if row and (len(row) > 1 or row[0].strip()):
                lines.append(reader.line_num)
                rows.append(row)
    except csv.Error as error:
        raise TableError(f"{path}, line {reader.line_num}: {error}. Is a quotation mark missing?") from error
    width = _width(rows, keep)
    if rows and width < max(map(len, rows)):
        rows = [row[:width] for row in rows]
        notes.append(f"{path}: empty cells at the end of the lines were left out.")
    _check_widths(lines, rows, path)
    if not rows or len(rows[0]) < min_columns:
        raise TableError(
            f"{path} has only one column: no separator (comma, semicolon, tab, bar, blank) was found. Give "
            "features and a target in columns."
        )
    return lines, rows


def _width(rows: list[Row], keep: int) -> int:
    """The widest row without its empty cells at the end, but at least the first ``keep`` cells."""
    widest = max(map(len, rows), default=0)
    if any(len(row) == widest and row[-1].strip() for row in rows):
        return widest
    filled = max((k + 1 for row in rows for k, cell in enumerate(row) if cell.strip()), default=0)
    return max(filled, min(keep, widest))


def _check_widths(lines: list[int], rows: list[Row], path: Path) -> None:
    wrong = [k for k, row in enumerate(rows) if len(row) != len(rows[0])]
    if not wrong:
        return
    first, others = wrong[0], [str(lines[k]) for k in wrong[1:]]
    n_more, word = count(len(others), "more line"), "has" if len(others) == 1 else "have"
    more = f" {n_more} {word} another number of cells, too: {enumerated(others)}." if others else ""
    raise TableError(
        f"{path}, line {lines[first]}: expected {count(len(rows[0]), 'cell')} as in line {lines[0]}, found "
        f"{len(rows[first])}.{more} Correct the file; a cell that holds a separator needs quotation marks."
    )


def without_comments(text: str, separator: str, path: Path, notes: list[str]) -> str:
    """Text whose comments, lines with # at the start, are blank lines; names and data stay.

    A line of another number of cells than the first line of data is a comment; of as many only before the
    data, unless it can be their header.
    """
    if not (text.startswith(COMMENT) or f"\n{COMMENT}" in text):
        return text
    lines = text.split("\n")
    begin = next((k for k, line in enumerate(lines) if line.strip() and not line.startswith(COMMENT)), None)
    if begin is None:
        return text
    first = _cells(lines[begin], separator)
    above = [k for k in range(begin) if lines[k].startswith(COMMENT)]
    is_header = bool(above) and len(_cells(lines[above[-1]], separator)) == len(first)
    if is_header and any(map(is_number, first)):
        above.pop()
    end = begin if '"' in text else len(lines)  # a cell between quotation marks may go over lines
    within = [k for k in range(begin, end) if lines[k].startswith(COMMENT)]
    comments = above + [k for k in within if len(_cells(lines[k], separator)) != len(first)]
    for k in comments:
        lines[k] = ""
    if comments:
        n_left_out = count(len(comments), "line")
        notes.append(
            f"{path}: {n_left_out} with # at the start {'was' if len(comments) == 1 else 'were'} left out."
        )
    return "\n".join(lines)


def _cells(line: str, separator: str) -> Row:
    try:
        return next(rows_of([line], separator), [])
    except csv.Error:
        return []
