"""A table: named columns of numbers or text, and where in the file each row was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np


class TableError(ValueError):
    """A file cannot be read as a table, or a table has not what is asked of it; one sentence says why."""


@dataclass
class Table:
    """What a file holds."""

    source: str  # name of the file
    names: list[str]
    #: float64 with NaN where a value is missing, or objects: text, and None where it is missing.
    columns: list[np.ndarray]
    lines: np.ndarray  # line of each row in the file, or its number from 1 where there are no lines
    has_header: bool = True  # whether the names are from the file
    matrix: Any = None  # the features of a LIBSVM file, CSR, whose only column is the label
    first_index: int = 1  # of the features of a LIBSVM file: 0 or 1
    row_word: str = "line"  # what a row is called in messages
    notes: list[str] = field(default_factory=list)  # what was guessed while reading; one sentence each
    #: From the index of a column to its cells as they stand in the file.
    texts: Callable[[int], np.ndarray] | None = field(default=None, repr=False)

    def text(self, column: int) -> np.ndarray:
        """A column as text, None where it is missing; of the file itself, where that is text."""
        values = self.columns[column]
        if values.dtype.kind != "f":
            return values
        if self.texts is not None:
            return self.texts(column)
        return np.array([None if np.isnan(value) else f"{value:g}" for value in values], dtype=object)

    def __len__(self) -> int:
        return len(self.lines)

    def where(self, row: int, column: int) -> str:
        """A cell in words, for a message."""
        return f"{self.source}, {self.row_word} {self.lines[row]}, column {self.names[column]!r}"

    def find(self, wanted: str, option: str) -> int:
        """Place of a column by its name or number (from 1; negative from the end)."""
        if wanted in self.names:
            return self.names.index(wanted)
        number = int(wanted) if wanted[wanted[:1] in ("+", "-") :].isdecimal() and len(wanted) < 10 else 0
        if number and -len(self.names) <= number <= len(self.names):
            return number - 1 if number > 0 else number + len(self.names)
        near = get_close_matches(wanted, self.names, n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise TableError(
            f"{self.source} has no column {wanted!r} ({option}).{meant} It has {listed(self.names)}; numbers "
            "count from 1, or from the end if negative."
        )


def listed(names: list[str], most: int = 8) -> str:
    """The first names and the last, which is often the target, quoted."""
    if len(names) <= most:
        return ", ".join(map(repr, names))
    shown = ", ".join(map(repr, names[: most - 1]))
    return f"{shown}, {len(names) - most} more and {names[-1]!r}"


def is_missing(column: np.ndarray) -> np.ndarray:
    """Which values of a column are missing, shape (n_rows,)."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.array([value is None for value in column], dtype=bool)


def is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
