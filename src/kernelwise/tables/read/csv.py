"""CSV, TSV and their kin: separator and header are found out, columns become numbers where they can."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise.tables import cells
from kernelwise.tables.cells import enumerated, is_missing_cell, is_number, numbers, quoted
from kernelwise.tables.column import read_kind
from kernelwise.tables.dates import POINTED, read_moment
from kernelwise.tables.table import Table, TableError, unique_names
from kernelwise.tables.target import TARGET_NAMES
from kernelwise.tables.written import CODE, decimal_of, find_decimal, plain_numbers

#: Of separators that fit equally well the first wins: a comma may be a decimal one beside a semicolon.
SEPARATORS = ("\t", ";", "|", ",", " ")
#: Lines that are looked at to find the separator.
FIRST_LINES = 30
#: Lines that are looked at to find out whether the first one holds names.
MANY_LINES = 1000
COMMENT = "#"
#: Rows that a table has at least, if there are others above or below it.
MIN_TABLE = 3
#: What a row of totals begins with.
TOTAL = re.compile(
    r"((grand |sub-?)?totals?|sum|summe|gesamt|insgesamt|average|mean|mittelwert|durchschnitt)\b",
    re.IGNORECASE,
)

#: A point that may be between thousands, and one that cannot be: between other digits than those.
THOUSANDS = re.compile(r"[1-9]\d{0,2}\.\d{3}(?!\d)")
SURE_DECIMAL = re.compile(r"(?<!\d)0*\.\d|\.\d{1,2}(?!\d)|\.\d{4}|\d{4}\.\d")

Row = list[str]


def parse(
    text: str,
    path: Path,
    has_header: bool | None = None,
    min_columns: int = 2,
    keep: int = 0,
    skip: int | None = None,
    decimal: str | None = None,
    usual: tuple[str, str] | None = None,
) -> Table:
    """Make a table of text; ``has_header`` None finds out.

    Columns at the end that have neither a name nor values are left out, but none of the first ``keep``.
    ``skip`` lines at the top are no part of the table; None finds out, and so is what is below it found, but
    for 0. ``decimal`` is the sign of decimals; None finds out. ``usual`` are sign and separator of a file
    whose columns these are, too.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if skip:
        lines = text.split("\n")
        text = "\n".join(["" if k < skip else line for k, line in enumerate(lines)])
    separator = "\t" if ".tsv" in path.suffixes else find_separator(text)
    table = _parse_numbers(text, separator, path, has_header, min_columns, decimal, usual)
    how = has_header, min_columns, keep, skip, decimal, usual
    return _parse_cells(text, separator, path, *how) if table is None else table


def _parse_numbers(
    text: str,
    separator: str,
    path: Path,
    has_header: bool | None,
    min_columns: int,
    decimal: str | None,
    usual: tuple[str, str] | None,
) -> Table | None:
    """The table if all cells below the first line are plain numbers; None if not.

    Most files are such, and are read in half the time.
    """
    between = re.escape(separator)
    has_codes = re.search(rf"(^|{between}) *0\d+ *($|{between})", text, re.MULTILINE)
    lines = {} if '"' in text or has_codes else numbered_lines(text)
    if len(lines) < 2:
        return None
    try:
        first = next(rows_of(lines.values(), separator))
    except csv.Error:  # which the other way tells, with its line
        return None
    matrix = number_matrix(list(lines.values())[1:], separator)
    if matrix is None or matrix.shape[1] != len(first) or len(first) < min_columns:
        return None
    if np.isnan(matrix[:MANY_LINES]).all():  # what may be a header has to be looked at more closely
        return None
    below = text.partition("\n")[2]
    sign, guess = find_decimal(["."] if SURE_DECIMAL.search(below) else [], separator, False, usual)
    if THOUSANDS.search(below) and (decimal == "," or sign == "," or guess):
        return None  # it may have points between thousands
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

    columns = tuple(np.ascontiguousarray(matrix.T))
    return Table(
        tuple(names),
        columns,
        has_header,
        source=str(path),
        lines=np.array(list(lines)),
        decimal=sign if decimal is None else decimal,
        separator=separator,
        is_decimal_told=decimal is not None,
        notes=tuple(notes),
        texts=texts,
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
    text: str,
    separator: str,
    path: Path,
    has_header: bool | None,
    min_columns: int,
    keep: int,
    skip: int | None,
    decimal: str | None,
    usual: tuple[str, str] | None,
) -> Table:
    """The table cell by cell: text, quotation marks, missing values and decimal commas are allowed."""
    notes: list[str] = []
    lines, rows = read_rows(text, separator, path, min_columns, keep, notes, skip)
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
    texts_of = list(zip(*rows, strict=True))
    by_name = dict(zip(names, texts_of, strict=True))
    columns, sign, written = _columns(by_name, separator, path, decimal, usual, notes)

    def texts(index: int) -> np.ndarray:
        return cells.texts(texts_of[index])

    return Table(
        tuple(names),
        tuple(columns),
        has_header,
        source=str(path),
        lines=np.array(lines),
        decimal=sign,
        separator=separator,
        is_decimal_told=decimal is not None,
        written=written,
        codes=frozenset(k for k, values in enumerate(columns) if _are_codes(texts_of[k], values)),
        notes=tuple(notes),
        texts=texts,
    )


def _columns(
    texts: Mapping[str, Sequence[str]],
    separator: str,
    path: Path,
    decimal: str | None,
    usual: tuple[str, str] | None,
    notes: list[str],
) -> tuple[list[np.ndarray], str, dict[int, tuple[str]]]:
    """Columns of cells, by their names, as numbers where all are some, and the decimal sign of the file.

    A column in which both signs fit follows the others; notes say so. The last are the signs of all columns
    of numbers, by their places, if there are commas before decimals or points between thousands.
    """
    signs = {name: decimal_of(column) for name, column in texts.items()}
    reason, is_known = "", decimal is not None or usual is not None
    written: dict[int, tuple[str]] = {}
    if decimal is None:
        first = (
            next((cell for cell in column if not is_missing_cell(cell)), "") for column in texts.values()
        )
        has_pointed = any(POINTED.match(cell.strip()) and read_moment(cell) is not None for cell in first)
        decimal, reason = find_decimal(signs.values(), separator, has_pointed, usual)
    columns: list[np.ndarray] = []
    has_commas = has_signs = False
    read: dict[bool, list[str]] = {True: [], False: []}  # ambiguous columns: of thousands, of decimals
    for name, column in texts.items():
        sign = decimal if is_known else signs[name] or decimal
        values = plain_numbers(column, sign)
        if values is not None:
            written[len(columns)] = (sign,)
        is_signed = values is not None and any("." in cell or "," in cell for cell in column)
        has_commas |= is_signed and sign == "," and any("," in cell for cell in column)
        has_signs |= is_signed and "," in (sign, decimal)
        if is_signed and not signs[name]:
            read[any("." in cell for cell in column) == (sign == ",")].append(name)
        if values is None:
            text_cells = cells.texts(column)
            values = read_kind(text_cells.tolist())
        columns.append(text_cells if values is None else values)
    if has_commas:
        notes.append(f"{path}: commas in numbers were read as decimal points.")
    for is_thousands, ambiguous in read.items():
        if ambiguous and (reason or is_thousands):
            mark = "points" if is_thousands == (decimal == ",") else "commas"
            what = "separators of thousands" if is_thousands else f"decimal {mark}"
            other = "," if decimal == "." else "."
            guess = f", a guess because {reason}; --decimal {other} reads them otherwise" if reason else ""
            notes.append(f"{path}: {mark} in {enumerated(map(repr, ambiguous))} were read as {what}{guess}.")
    return columns, decimal, written if has_signs else {}


def _are_codes(texts: Sequence[str], values: np.ndarray) -> bool:
    """Whether numbers are written as codes: whole, some with zeros in front."""
    if values.dtype.kind != "f":
        return False
    present = [cell.strip() for cell in texts if not is_missing_cell(cell)]
    return all(map(str.isdecimal, present)) and any(map(CODE.fullmatch, present))


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


# -- the first line: names of columns, or data ---------------------------------------------------------------


def looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row holds names: no numbers, and numbers below or text that differs from it."""
    if len(rows) < 2:
        return False
    below = rows[1 : 1 + MANY_LINES]
    columns = list(zip(*below, strict=True))
    over_numbers = [numbers(cells) is not None and not all(map(is_missing_cell, cells)) for cells in columns]
    if any(map(is_number, rows[0])):
        return _is_header_with_numbers(rows[0], columns, over_numbers)
    return any(over_numbers) or _is_new(rows[0], columns)


def _is_header_with_numbers(
    first: Sequence[str], columns: Sequence[Sequence[str]], over_numbers: Sequence[bool]
) -> bool:
    """Whether a row that has numbers holds names such as 2019: a name above numbers, or of a target."""
    words = [k for k, cell in enumerate(first) if not is_number(cell) and not is_missing_cell(cell)]
    named = [
        (over_numbers[k] and first[k].strip()[:1].isalpha()) or first[k].strip().lower() in TARGET_NAMES
        for k in words
    ]
    return any(named) and _is_new([first[k] for k in words], [columns[k] for k in words])


def _is_new(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    return all(name not in cells for name, cells in zip(names, columns, strict=True))


def numbered_names(n_columns: int) -> list[str]:
    return [f"column {k}" for k in range(1, n_columns + 1)]


# -- rows of cells: comments, and empty cells at the end of lines, are left out ------------------------------


def rows_of(lines: Iterable[str], separator: str) -> Any:
    """A reader of csv."""
    if separator == " ":
        return csv.reader((" ".join(line.split()) for line in lines), delimiter=" ")
    return csv.reader(lines, delimiter=separator, skipinitialspace=True)


def read_rows(
    text: str,
    separator: str,
    path: Path,
    min_columns: int,
    keep: int,
    notes: list[str],
    skip: int | None = 0,
) -> tuple[list[int], list[Row]]:
    """Rows of cells, all of one width, with their lines in the file; blank lines are left out.

    So are totals and footnotes below the rows unless ``skip`` is 0, and titles above them if it is None.
    """
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
    if skip != 0:
        lines, rows = table_alone(lines, rows, path, notes, has_title=skip is None)
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


def table_alone(
    lines: list[int], rows: list[Row], path: Path, notes: list[str], has_title: bool = True
) -> tuple[list[int], list[Row]]:
    """Rows with their lines, without titles above the header and totals or footnotes below; notes say which.

    Empty rows above the header are left out like blank lines. A title fills at most half of the cells that
    most rows have, with words, and names of columns follow it.
    """
    width = Counter(map(len, rows)).most_common(1)[0][0] if len(rows) > MIN_TABLE else 0
    filled = [[cell.strip() for cell in row if cell.strip()] for row in rows]
    first, last = 0, len(rows)
    while has_title and first < last - MIN_TABLE and _is_beside(rows[first], filled[first], width):
        first += 1
    while last > first + MIN_TABLE and _is_below(rows[first:last], filled[last - 1], width):
        last -= 1
    while last < len(rows) and not filled[last]:
        last += 1  # a row without a value is one, unless it is above the totals
    names = [row for row in rows[first:last] if len(row) == width]
    if not looks_like_header(names):
        first = 0
    above, below = range(first), range(last, len(rows))
    for part, what in ((above, "above the names of the columns"), (below, "below the rows")):
        if text := next((" ".join(cells) for k in part if (cells := filled[k])), ""):
            numbers_of = enumerated([str(lines[k]) for k in part])
            word = "line" if len(part) == 1 else "lines"
            notes.append(
                f"{path}: {word} {numbers_of} {what} {'was' if len(part) == 1 else 'were'} skipped "
                f"({quoted(text)}); "
                "use --skip-lines 0 if it is data."
            )
    return lines[first:last], rows[first:last]


def _is_beside(row: Row, filled: Row, width: int) -> bool:
    """Whether a row is beside the table: a few words in a row that is wider, or in one that is not."""
    if width < 2 or any(map(is_number, filled)):
        return False
    if not filled:
        return True
    return len(filled) <= max(1, width // 2 - 1) if len(row) != width else len(filled) == 1 and width > 2


def _is_below(rows: list[Row], filled: Row, width: int) -> bool:
    """Whether the last row is below the table: a footnote of several words, or one that sums up the others.

    Such a row says so first, where no other row does.
    """
    if _is_beside(rows[-1], filled, width) and (not filled or " " in filled[0]):
        return True
    if not filled or not TOTAL.match(filled[0]):
        return False
    place = next(place for place, cell in enumerate(rows[-1]) if cell.strip())
    return not any(place < len(row) and TOTAL.match(row[place].strip()) for row in rows[:-1])


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
