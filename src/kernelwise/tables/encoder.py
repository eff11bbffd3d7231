"""The encoder of tables with words and gaps: features, made in the same way for new rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.sklearn_compat import stacklevel_of_user
from kernelwise._core.text import count
from kernelwise._core.threads import cached_property
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.tables.column import Column, LeftOut, learn_column
from kernelwise.tables.dates import YEAR, Dates
from kernelwise.tables.new_rows import fit_columns, notes_on_names, places_by_name
from kernelwise.tables.read.frames import new_table
from kernelwise.tables.table import Table, is_missing
from kernelwise.tables.text import learn_text

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

        Columns are found by their names, where there are any; others that X has are not looked at. What no
        training sample had, such as a gap or a new word, is coded as unknown, with a warning. A column that
        is not there, or of which no cell can be read, is refused in a sentence.
        """
        return self.transform(self.table(X))

    def table(self, X: Any) -> Table:
        """New samples, as a user passes them, with the columns of the training samples in their order."""
        if isinstance(X, Table):  # which is not what a user passes
            return X
        table = new_table(X, self.columns, self.has_names)
        places = self._places(table)
        if not len(table):
            raise ValueError("X has no rows: at least one sample is required.")
        used = [k for k, column in enumerate(self.columns) if not isinstance(column, LeftOut)]
        cells, notes = fit_columns(table, [places[k] for k in used], [self.columns[k] for k in used])
        nothing = np.full(len(table), None, dtype=object)
        columns = dict(zip(used, cells, strict=True))
        names = [column.name for column in self.columns]
        if self.has_names and table.has_names:
            notes = [*notes_on_names(names, table.names), *notes]
        for note in notes:
            warnings.warn(note, KernelwiseWarning, stacklevel=stacklevel_of_user())
        return Table(tuple(names), tuple(columns.get(k, nothing) for k in range(len(names))), self.has_names)

    def _places(self, table: Table) -> list[int]:
        """Places of our columns in a table; -1 for one that was left out and is not there."""
        names = [column.name for column in self.columns]
        if self.has_names and table.has_names:
            places = places_by_name(names, table.names)
            pairs = zip(places, self.columns, strict=True)
            absent = [one.name for place, one in pairs if place is None and not isinstance(one, LeftOut)]
            if absent:
                have = ", ".join(map(repr, table.names[:8])) + (", …" if len(table.names) > 8 else "")
                more = f" (and {len(absent) - 1} more)" if len(absent) > 1 else ""
                raise ValueError(
                    f"X has no column {absent[0]!r}{more}, which the model was trained on. X has {have}."
                )
            return [-1 if place is None else place for place in places]
        if len(table.names) != len(names):
            raise ValueError(
                f"X has {count(len(table.names), 'column')}, but the model was trained on {len(names)}."
            )
        return list(range(len(names)))


def by_column(table: Table, encoder: Encoder) -> np.ndarray:
    """One number for every cell, of shape (n_rows, n_columns), without gaps.

    They are for questions about single columns. One with a different word in most rows is constant here:
    it would answer any of them. Time is in years: whole days that follow each other would number the rows.
    """
    found = np.empty(table.shape)
    for k, (column, values) in enumerate(zip(encoder.columns, table.columns, strict=True)):
        if not column.is_words:
            features = column.transform(values)
            found[:, k] = features[:, -1 - column.has_gaps] if features.shape[1] > column.has_gaps else 0.0
            found[:, k] /= YEAR if isinstance(column, Dates) else 1.0
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
