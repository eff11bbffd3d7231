"""Rows of a study: grouped, and as plain text, as Markdown and as a CSV file."""

from __future__ import annotations

import csv
import shutil
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from kernelwise._core.files import whole_file
from kernelwise._core.text import aligned
from kernelwise._core.typing import PathLike

Row = dict[str, Any]
#: Columns of names, to the left; the others are numbers, to the right, but for texts of this length or more.
N_NAMES = 2
LONG = 80
#: The first column of tables that are all words.
OF_WORDS = "claim"
#: Characters of a line where there is no terminal.
WIDTH = 110


@dataclass(frozen=True)
class Table:
    """Rows under a caption; ``is_shown`` is False for rows that only figures and machines read."""

    caption: str
    rows: list[Row]
    is_shown: bool = True


class NoRow(LookupError):
    """A row that was asked for and is not there, such as that of a set whose file is missing."""


class ByKey(dict[Any, Any]):
    """Rows by a key; `NoRow` is raised for a key without rows."""

    def __missing__(self, key: object) -> Any:
        raise NoRow(f"There is no row for {key!r}.")


def grouped(rows: Iterable[Row], *columns: str) -> dict[Any, list[Row]]:
    """The rows by the value of a column, or by the values of several as a tuple, in order of appearance."""
    found = ByKey()
    for row in rows:
        values = tuple(row[column] for column in columns)
        found.setdefault(values if len(columns) > 1 else values[0], []).append(row)
    return found


def keyed(rows: Iterable[Row], *columns: str) -> dict[Any, Row]:
    """The one row for each value of a column, or for each tuple of the values of several."""
    return ByKey({key: last for key, (*_, last) in grouped(rows, *columns).items()})


def format_rows(rows: list[Row]) -> str:
    """The rows as aligned text with one header line, numbers to four digits; a claim is two lines."""
    if not rows:
        return "(no rows)"
    if next(iter(rows[0])) == OF_WORDS:
        width = shutil.get_terminal_size((WIDTH, 1)).columns
        return "\n".join(line for row in rows for line in _claim(row, width))
    return "\n".join(aligned(_lines(rows), [column >= N_NAMES for column in range(len(rows[0]))]))


def _claim(row: Row, width: int) -> tuple[str, str]:
    """Verdict and claim, and our result, each cut to a line of the terminal."""
    texts = f"- {row['verdict']}: {row[OF_WORDS]} ({row['where']})", f"  {row['our result']}"
    first, second = (textwrap.shorten(text, width - 2, placeholder=" …") for text in texts)
    return first, f"  {second}"


def markdown(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    head, *lines = _lines(rows)
    is_text = [
        head[0] == OF_WORDS or column < N_NAMES or any(len(line[column]) >= LONG for line in lines)
        for column in range(len(head))
    ]
    ruler = ["---" if is_left else "---:" for is_left in is_text]
    return "\n".join("| " + " | ".join(line).replace("\n", " ") + " |" for line in (head, ruler, *lines))


def write_csv(path: PathLike, rows: list[Row]) -> None:
    """Write the rows with full precision; nothing if there are none."""
    if rows:
        with whole_file(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def read_csv(path: PathLike) -> list[Row]:
    """The rows of a file of `write_csv`, with numbers, True and False, and None where a field is empty."""
    with open(path, newline="", encoding="utf-8") as lines:
        return [{name: _value(text) for name, text in row.items()} for row in csv.DictReader(lines)]


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"": None, "True": True, "False": False}.get(text, text)


def _lines(rows: list[Row]) -> list[list[str]]:
    return [[str(name) for name in rows[0]], *([_text(value) for value in row.values()] for row in rows)]


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
