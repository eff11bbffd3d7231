"""A table: named columns, each of numbers or of words, with gaps; and where in a file its rows were."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelwise._core.text import meant
from kernelwise.findings import Finding
from kernelwise.tables import cells
from kernelwise.tables.written import plain_numbers

#: The lines of rows that are in no file.
NO_LINES = np.empty(0, dtype=int)


class TableError(ValueError):
    """Error: a file cannot be read as a table, or a table lacks what is asked of it."""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name, of a data frame, an array or a file.

    Attributes
    ----------
    names : tuple
        Of the columns: text, or whatever the user's data frame has; numbers from 0 for an array.
    columns : tuple of ndarray of shape (n_rows,)
        Numbers are float64 with NaN where a value is missing; words are objects, text with None where it is
        missing. Another kind of column has another type: see `kernelwise.tables.column.COLUMN_KINDS`.
    has_names : bool
        Whether the names are the user's. Columns without names count by their places.
    whole : tuple of bool
        Which columns the user's data frame declares to be integers.
    codes_as_words : frozenset of int
        Places of the columns of words that hold no text in the user's table, but numbers.
    fills_gaps : bool
        Whether the median or the most frequent word of a column takes the place of its gaps.
    source : str
        Name of the file.
    lines : ndarray of shape (n_rows,)
        Line of each row in the file, or its number from 1 where there are no lines; empty without a file.
    row_word : str
        What a row of the file is called in messages.
    decimal, separator : str
        The sign of decimals in the file, "." or ",", and what is between its cells; empty if it holds no
        text.
    is_decimal_told : bool
        Whether the user has said which sign it is.
    codes : frozenset of int
        Places of the columns of a file whose whole numbers have zeros in front.
    unusable : dict from int to str
        What columns hold that can be no features, by their places, such as "values of the type date32".
    notes : tuple of str
        What was guessed while the file was read; one sentence each.
    texts : callable
        From the place of a column to its cells as they stand in the file; None if it holds no text.
    left_out : dict from int to str
        Columns that are no features, by their places, and why.
    written : dict from int to object
        How columns that were text wrote their numbers or dates, by their places; see `Column`.
    as_text : frozenset of int
        Places of the columns of words that are also coded by their letters: see `kernelwise.tables.text`.
    done : tuple of Finding
        What was done to the table before anything is learned: see `kernelwise.tables.settle`.
    matrix : CSR matrix of shape (n_rows, n_features)
        The features of a LIBSVM file, whose only column is the label; else None.
    first_index : int
        Of the features of a LIBSVM file: 0 or 1.
    """

    names: tuple[Any, ...]
    columns: tuple[np.ndarray, ...]
    has_names: bool = True
    whole: tuple[bool, ...] = ()
    codes_as_words: frozenset[int] = frozenset()
    fills_gaps: bool = False
    source: str = "X"
    lines: np.ndarray = field(default_factory=lambda: NO_LINES, repr=False)
    row_word: str = "line"
    decimal: str = ""
    separator: str = ""
    is_decimal_told: bool = False
    codes: frozenset[int] = frozenset()
    unusable: dict[int, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    texts: Callable[[int], np.ndarray] | None = field(default=None, repr=False)
    left_out: dict[int, str] = field(default_factory=dict)
    written: dict[int, Any] = field(default_factory=dict)
    as_text: frozenset[int] = frozenset()
    done: tuple[Finding, ...] = ()
    matrix: Any = None
    first_index: int = 1

    @property
    def shape(self) -> tuple[int, int]:
        return (len(self.columns[0]) if self.columns else 0, len(self.columns))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Table:
        """Some of the rows, without their lines in a file."""
        columns = tuple(column[rows] for column in self.columns)
        return replace(self, columns=columns, lines=NO_LINES, texts=None, matrix=None)

    def take(self, rows: np.ndarray) -> Table:
        """Some of the rows, with their lines in the file."""
        texts = self.texts
        return replace(
            self[rows],
            lines=self.lines[rows] if len(self.lines) else NO_LINES,
            texts=None if texts is None else lambda column: texts(column)[rows],
        )

    @property
    def feature_names(self) -> np.ndarray | None:
        """``feature_names_in_`` of an estimator: None unless every column has a name that is text."""
        if not self.has_names or not all(isinstance(name, str) for name in self.names):
            return None
        return np.array(self.names, dtype=object)

    def cells(self) -> np.ndarray:
        """The values as they are shown, (n_rows, n_columns): objects if some are words or dates."""
        is_plain = all(is_numbers(column) for column in self.columns)
        found = np.empty(self.shape, dtype=float if is_plain else object)
        for k, column in enumerate(self.columns):
            found[:, k] = column if column.dtype.kind in "fO" else _shown(column)
        return found

    def text(self, column: int) -> np.ndarray:
        """A column as text, None where it is missing; of the file itself, where that is text."""
        values = self.columns[column]
        if is_words(values):
            return values
        if self.texts is not None:
            return self.texts(column)
        if not is_numbers(values):
            return np.array(_shown(values), dtype=object)
        return cells.words_of(values.tolist())

    def place(self, column: int, row: int | None = None) -> str:
        """A column or one of its cells in words, for a message."""
        name = f"column {self.names[column]!r}"
        return name if row is None else f"{self.line(row)}, {name}"

    def line(self, row: int) -> str:
        """A row in words, for a message; one of no file counts from 0, as in Python."""
        return f"{self.row_word} {self.lines[row]}" if len(self.lines) else f"row {row}"

    def is_number(self, cell: str) -> bool:
        """Whether the text of a cell is a number, as this file writes them."""
        return not cells.is_missing_cell(cell) and plain_numbers([cell], self.decimal) is not None

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
            if is_numbers(values):
                values[np.isin(values, codes)] = np.nan
            elif is_words(values):
                read = {value: plain_numbers([value], self.decimal) for value in set(values) - {None}}
                gone = {value for value, found in read.items() if found is not None and found[0] in codes}
                values[[value in gone or value in missing for value in values]] = None
                plain = ["" if value is None else value for value in values]
                found = plain_numbers(plain, self.decimal)
                has_any = any(value is not None for value in values)
                values = values if found is None or not has_any else found
            columns[place] = values
        return replace(self, columns=tuple(columns))

    def with_column(self, place: int, values: np.ndarray) -> Table:
        """This table with other cells in one column."""
        return replace(self, columns=(*self.columns[:place], values, *self.columns[place + 1 :]))

    def with_words(self, places: Iterable[int]) -> Table:
        """This table with the numbers of some columns as words."""
        columns = list(self.columns)
        for place in places:
            if is_numbers(columns[place]):
                columns[place] = cells.words_of(columns[place].tolist())
        return replace(self, columns=tuple(columns))

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


def _shown(column: np.ndarray) -> list[str | None]:
    """Dates and the like as text, None where one is missing; without a time if no date has one."""
    texts = [None if gap else str(value) for value, gap in zip(column, is_missing(column), strict=True)]
    has_time = any(text is not None and not text.endswith("T00:00:00") for text in texts)
    return texts if has_time else [text and text.removesuffix("T00:00:00") for text in texts]


def is_numbers(column: np.ndarray) -> bool:
    """Whether a column is one of numbers."""
    return column.dtype.kind == "f"


def is_words(column: np.ndarray) -> bool:
    """Whether a column is one of words."""
    return column.dtype.kind == "O"


def is_missing(column: np.ndarray) -> np.ndarray:
    """Mask of the missing values of a column, shape (n_rows,)."""
    if is_words(column):
        return np.array([value is None for value in column], dtype=bool)
    return np.asarray(column != column)  # NaN and NaT differ from themselves


def listed(names: Sequence[str], most: int = 8) -> str:
    """The first names and the last, which is often the target, quoted."""
    if len(names) <= most + 1:  # a name is no longer than "1 more"
        return ", ".join(map(repr, names))
    shown = ", ".join(map(repr, names[: most - 1]))
    return f"{shown}, {len(names) - most} more and {names[-1]!r}"


def unique_names(cells: Sequence[str], notes: list[str]) -> list[str]:
    """Names of columns; one that occurs again gets a number, and a note."""
    names: list[str] = []
    for k, cell in enumerate(cells, start=1):
        plain = name = cell.strip() or f"column {k}"
        number = 2
        while name in names:
            name, number = f"{plain} ({number})", number + 1
        if name != plain:
            notes.append(f"Two columns are called {plain!r}; column {k} is now called {name!r}.")
        names.append(name)
    return names
