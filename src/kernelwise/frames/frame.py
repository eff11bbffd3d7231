"""A table in memory: named columns, each of numbers or of words, with gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Frame:
    """Columns by name.

    Attributes
    ----------
    names : tuple
        Of the columns: text, or whatever the user's table has; numbers from 0 if it has none.
    columns : tuple of ndarray of shape (n_rows,)
        float64 with NaN where a value is missing, or objects: text, and None where it is missing.
    has_names : bool
        Whether the names are the user's. Columns without names count by their places.
    whole : tuple of bool
        Which columns the user's table declares to be integers.
    codes_as_words : frozenset of int
        Places of the columns of words that hold no text in the user's table, but numbers.
    fills_gaps : bool
        Whether gaps were filled by the median or the most frequent word of the column, as those of new rows
        are to be.
    """

    names: tuple[Any, ...]
    columns: tuple[np.ndarray, ...]
    has_names: bool = True
    whole: tuple[bool, ...] = ()
    codes_as_words: frozenset[int] = frozenset()
    fills_gaps: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        return (len(self.columns[0]) if self.columns else 0, len(self.columns))

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Frame:
        """Some of the rows."""
        return replace(self, columns=tuple(column[rows] for column in self.columns))

    @property
    def feature_names(self) -> np.ndarray | None:
        """``feature_names_in_`` of an estimator: None unless every column has a name that is text."""
        if not self.has_names or not all(isinstance(name, str) for name in self.names):
            return None
        return np.array(self.names, dtype=object)

    def cells(self) -> np.ndarray:
        """The values as they are, (n_rows, n_columns): objects if there are words, else numbers."""
        is_plain = all(is_numbers(column) for column in self.columns)
        found = np.empty(self.shape, dtype=float if is_plain else object)
        for k, column in enumerate(self.columns):
            found[:, k] = column
        return found

    def codes(self) -> np.ndarray:
        """One number for every cell, of shape (n_rows, n_columns); NaN where there is none.

        A word is its place among the sorted words of the column.
        """
        found = np.empty(self.shape)
        for k, column in enumerate(self.columns):
            found[:, k] = column if is_numbers(column) else _places(column)
        return found


def is_numbers(column: np.ndarray) -> bool:
    """Whether a column is one of numbers."""
    return column.dtype.kind == "f"


def is_missing(column: np.ndarray) -> np.ndarray:
    """Which values of a column are missing, shape (n_rows,)."""
    if is_numbers(column):
        return np.isnan(column)
    return np.array([value is None for value in column], dtype=bool)


def as_text(value: Any) -> str:
    """A value as a word: a whole number without a point, whatever its type.

    >>> as_text(2.0), as_text(True), as_text("b")
    ('2', 'True', 'b')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def words_of(values: Sequence[Any]) -> np.ndarray:
    """Values as words, None where one is missing; objects of shape (n_values,)."""
    found = np.empty(len(values), dtype=object)
    found[:] = [None if is_gap(value) else as_text(value) for value in values]
    return found


def is_gap(value: Any) -> bool:
    """Whether a cell has no value: None, NaN, or pandas' own words for nothing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _places(words: np.ndarray) -> np.ndarray:
    place = {word: k for k, word in enumerate(sorted({word for word in words if word is not None}))}
    return np.array([np.nan if word is None else place[word] for word in words], dtype=float)
