"""A table: named columns of numbers or text, and where in the file each row was."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelwise._core.text import meant
from kernelwise.frames.frame import words_of
from kernelwise.tables import cells


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
    comma_decimal: bool = False  # whether numbers of the file may have decimal commas
    #: What columns hold that can be no features, by their indices, such as "values of the type date32".
    unusable: dict[int, str] = field(default_factory=dict)
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

    def place(self, column: int, row: int | None = None) -> str:
        """A column or one of its cells in words, for a message."""
        name = f"column {self.names[column]!r}"
        return name if row is None else f"{self.line(row)}, {name}"

    def line(self, row: int) -> str:
        """A row in words, for a message."""
        return f"{self.row_word} {self.lines[row]}"

    def is_number(self, cell: str) -> bool:
        """Whether the text of a cell is a number, as this file writes them."""
        return cells.is_number(cell, self.comma_decimal)

    def with_missing(self, missing: Sequence[str], places: Sequence[int]) -> Table:
        """This table without the cells of some columns that have one of these texts.

        A column is one of numbers if it is otherwise.
        """
        if not missing:
            return self
        columns = list(self.columns)
        codes = [float(text) for text in missing if cells.is_number(text)]
        for place in places:
            values = columns[place].copy()
            if values.dtype.kind == "f":
                values[np.isin(values, codes)] = np.nan
            else:
                values[[value in missing for value in values]] = None
                plain = ["" if value is None else value for value in values]
                found = cells.numbers(cells.with_points(plain) if self.comma_decimal else plain)
                has_any = any(value is not None for value in values)
                values = values if found is None or not has_any else found
            columns[place] = values
        return replace(self, columns=columns)

    def with_words(self, places: Iterable[int]) -> Table:
        """This table with the numbers of some columns as words."""
        columns = list(self.columns)
        for place in places:
            if columns[place].dtype.kind == "f":
                columns[place] = words_of(columns[place].tolist())
        return replace(self, columns=columns)

    def find(self, wanted: str, option: str) -> int:
        """Place of a column by its name or number (from 1; negative from the end)."""
        if wanted in self.names:
            return self.names.index(wanted)
        number = int(wanted) if wanted[wanted[:1] in ("+", "-") :].isdecimal() and len(wanted) < 10 else 0
        if number and -len(self.names) <= number <= len(self.names):
            return number - 1 if number > 0 else number + len(self.names)
        raise TableError(
            f"{self.source} has no column {wanted!r} ({option}).{meant(wanted, self.names)} It has "
            f"{listed(self.names)}. You can also give a number: 1 is the first column, -1 the last."
        )


def listed(names: list[str], most: int = 8) -> str:
    """The first names and the last, which is often the target, quoted."""
    if len(names) <= most + 1:  # a name is no longer than "1 more"
        return ", ".join(map(repr, names))
    shown = ", ".join(map(repr, names[: most - 1]))
    return f"{shown}, {len(names) - most} more and {names[-1]!r}"


def is_missing(column: np.ndarray) -> np.ndarray:
    """Which values of a column are missing, shape (n_rows,)."""
    if column.dtype.kind == "f":
        return np.isnan(column)
    return np.array([value is None for value in column], dtype=bool)
