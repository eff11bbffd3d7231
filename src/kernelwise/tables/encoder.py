"""The encoder of tables with words and gaps: features, made in the same way for new rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.sklearn_compat import stacklevel_of_user
from kernelwise._core.text import count
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.tables.column import Column, LeftOut, learn_column
from kernelwise.tables.read.frames import new_table
from kernelwise.tables.table import Table, is_missing, is_numbers
from kernelwise.tables.text import learn_text

#: Words of new rows, none of which is known, from which on the column is doubted.
MANY_NEW = 10
#: Kinds of features, in their order.
FEATURES = ("number", "gap", "word")


class Layout(NamedTuple):
    """Column and kind of every feature, each of shape (n_features,).

    ``kind`` is "number" for the numbers of a column, "gap" for the 0 and 1 that say where they are missing,
    and "word" for the 0 and 1 of a word.
    """

    column: np.ndarray
    kind: np.ndarray

    @property
    def n_columns(self) -> int:
        return int(self.column.max()) + 1


@dataclass(frozen=True)
class Encoder:
    """Coding of columns as features, learned from the training samples.

    The features are the numbers in the order of their columns, then 0 and 1 for the gaps of each column of
    numbers that has some, then 0 and 1 for the words of each column of words, its gaps among them.

    Attributes
    ----------
    columns : tuple of Column
    has_names : bool
        Whether columns count by their names, else by their places.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.tables import Table, learn_encoder
    >>> town = np.array(["Ulm", "Bonn", None], dtype=object)
    >>> table = Table(("town", "size"), (town, np.array([3.0, np.nan, 5.0])))
    >>> encoder = learn_encoder(table)
    >>> encoder.feature_names
    ['size', 'size missing', 'town=Bonn', 'town=Ulm', 'town missing']
    >>> encoder.transform(table)
    array([[3., 0., 0., 1., 0.],
           [4., 1., 1., 0., 0.],
           [5., 0., 0., 0., 1.]])
    """

    columns: tuple[Column, ...]
    has_names: bool = True

    @property
    def n_columns(self) -> int:
        return len(self.columns)

    @property
    def numbers(self) -> list[int]:
        """Places of the columns of numbers."""
        return [k for k, column in enumerate(self.columns) if column.dtype == "f"]

    @property
    def gaps(self) -> list[int]:
        """Places of the columns of numbers that had gaps."""
        return [k for k in self.numbers if self.columns[k].has_gaps]

    @property
    def words(self) -> list[int]:
        """Places of the columns of words."""
        return [k for k, column in enumerate(self.columns) if column.is_words]

    @cached_property
    def _features(self) -> list[tuple[int, str, str]]:
        """Place of the column, kind and name of every feature."""
        found = [(k, *feature) for k, column in enumerate(self.columns) for feature in column.features]
        return sorted(found, key=lambda feature: FEATURES.index(feature[1]))

    @property
    def n_features(self) -> int:
        return len(self._features)

    @cached_property
    def layout(self) -> Layout:
        """Which feature belongs to which column."""
        places, kinds = [k for k, _, _ in self._features], [kind for _, kind, _ in self._features]
        return Layout(np.array(places, dtype=int), np.array(kinds))

    @property
    def feature_names(self) -> list[str]:
        return [name for _, _, name in self._features]

    def transform(self, table: Table) -> np.ndarray:
        """The features of a table whose columns are in the order of the training samples."""
        found = np.empty((len(table), self.n_features))
        ends = np.cumsum(np.bincount(self.layout.column, minlength=self.n_columns))[:-1]
        places = np.split(np.argsort(self.layout.column, kind="stable"), ends)
        for column, cells, features in zip(self.columns, table.columns, places, strict=True):
            found[:, features] = column.transform(cells)
        return found

    def read(self, X: Any) -> np.ndarray:
        """The features of new samples, of shape (n_samples, n_features), as a user passes them.

        Columns are found by their names, where there are any; others that X has are not looked at. A column
        that is not there, or holds words where there were numbers, is refused in a sentence.
        """
        return self.transform(self.table(X))

    def table(self, X: Any) -> Table:
        """New samples, as a user passes them, with the columns of the training samples in their order."""
        table = new_table(X, self.columns, self.has_names)
        places = self._places(table)
        if not len(table):
            raise ValueError("X has no rows: at least one sample is required.")
        nothing = np.full(len(table), None, dtype=object)
        given = [nothing if place is None else table.columns[place] for place in places]
        pairs = list(zip(self.columns, given, strict=True))
        notes = [note for column, cells in pairs for note in _bad(column, cells)]
        columns = [column.converted(cells) for column, cells in pairs]
        found = Table(tuple(column.name for column in self.columns), tuple(columns), self.has_names)
        for note in [*notes, *self._doubts(found)]:
            warnings.warn(note, KernelwiseWarning, stacklevel=stacklevel_of_user())
        return found

    def _doubts(self, table: Table) -> list[str]:
        """What looks odd in new rows, one sentence each: gaps where there were none, no known word."""
        notes = []
        for column, values in zip(self.columns, table.columns, strict=True):
            if isinstance(column, LeftOut):
                continue
            if column.is_words:
                new, present = column.is_new(values), sum(word is not None for word in values)
                if not column.is_pooled and new.sum() == present >= MANY_NEW:
                    notes.append(
                        f"Column {column.name!r} has only words that no training sample has, in {present} "
                        f"rows, such as {values[np.argmax(new)]!r}, which the model ignores."
                    )
            elif not column.has_gaps and is_missing(values).any():
                n = int(is_missing(values).sum())
                fill = f", {column.fill:g}" if is_numbers(values) else ""
                notes.append(
                    f"Column {column.name!r} has {count(n, 'gap')} but had none in the training samples: "
                    f"{'it counts' if n == 1 else 'they count'} as its median{fill}."
                )
        return notes

    def _places(self, table: Table) -> list[int | None]:
        """Places of our columns in a table; None for one that was left out and is not there."""
        names = [column.name for column in self.columns]
        if self.has_names and table.has_names:
            needed = [column.name for column in self.columns if not isinstance(column, LeftOut)]
            absent = [name for name in needed if name not in table.names]
            if absent:
                have = ", ".join(map(repr, table.names[:8])) + (", …" if len(table.names) > 8 else "")
                more = f" (and {len(absent) - 1} more)" if len(absent) > 1 else ""
                raise ValueError(
                    f"X has no column {absent[0]!r}{more}, which the model was trained on. X has {have}."
                )
            return [table.names.index(name) if name in table.names else None for name in names]
        if len(table.names) != len(names):
            raise ValueError(
                f"X has {count(len(table.names), 'column')}, but the model was trained on {len(names)}."
            )
        return list(range(len(names)))


def _bad(column: Column, cells: np.ndarray) -> list[str]:
    """A sentence on cells of new samples that cannot be read, which count as missing.

    Where no training sample had a gap, or most cells are such, the first of them is refused.
    """
    rows = column.unreadable(cells)
    if not len(rows):
        return []
    is_date = cells.dtype.kind == "M"
    first = f"{cells[rows[0]] if is_date else repr(cells[rows[0]])} in row {rows[0]}"
    if not column.has_gaps or 2 * len(rows) > len(cells):
        raise ValueError(
            f"Column {column.name!r} of X holds {'dates' if is_date else 'words'}, such as {first}, but the "
            f"model was trained on {column.noun}s there. Convert the column to {column.noun}s."
        )
    cells_count = count(len(rows), "cell counts", "cells count")
    return [f"Column {column.name!r}: {cells_count} as missing, because no {column.noun} is in it ({first})."]


def by_column(table: Table, encoder: Encoder) -> np.ndarray:
    """One number for every cell, of shape (n_rows, n_columns), without gaps.

    They are for questions about single columns. One with a different word in most rows is constant here:
    it would answer any of them.
    """
    found = np.empty(table.shape)
    for k, (column, values) in enumerate(zip(encoder.columns, table.columns, strict=True)):
        if not column.is_words:
            features = column.transform(values)
            found[:, k] = features[:, -1 - column.has_gaps] if features.shape[1] else 0.0
            continue
        place = {word: code for code, word in enumerate(sorted(set(values[~is_missing(values)])))}
        codes = np.array([place.get(word, -1) for word in values])
        found[:, k] = 0 if len(np.unique(codes)) > len(codes) / 2 else codes
    return found


def learn_encoder(table: Table, weight: np.ndarray | None = None) -> Encoder:
    """Learn from training samples; a row counts as often as its weight, shape (n_rows,), says."""
    weight = np.ones(len(table)) if weight is None else weight
    pairs = zip(table.names, table.columns, strict=True)
    columns: list[Column] = []
    for k, (name, values) in enumerate(pairs):
        if k in table.left_out:
            columns.append(LeftOut(name))
            continue
        is_text, written = k not in table.codes_as_words, table.written.get(k)
        learned = learn_column(name, values, weight, is_text, table.fills_gaps, written)
        columns.append(learn_text(learned, values[weight > 0.0]) if k in table.as_text else learned)
    return Encoder(tuple(columns), table.has_names)
