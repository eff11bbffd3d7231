"""From a table with words and gaps to features, and the same way again for new rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.callers import stacklevel_of_user
from kernelwise._core.text import count
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.frames.column import Column, learn_column
from kernelwise.frames.frame import Frame, is_numbers, words_of
from kernelwise.frames.reading import new_frame

#: Words of new rows, none of which is known, from which on the column is doubted.
MANY_NEW = 10


class Layout(NamedTuple):
    """Which feature belongs to which column; both have the shape (n_features,).

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
    """What was learned of the columns of the training samples.

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
    >>> from kernelwise.frames import Frame, learn_encoder
    >>> town = np.array(["Ulm", "Bonn", None], dtype=object)
    >>> frame = Frame(("town", "size"), (town, np.array([3.0, np.nan, 5.0])))
    >>> encoder = learn_encoder(frame)
    >>> encoder.feature_names
    ['size', 'size missing', 'town=Bonn', 'town=Ulm', 'town missing']
    >>> encoder.transform(frame)
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
        return [k for k, column in enumerate(self.columns) if not column.is_words]

    @property
    def gaps(self) -> list[int]:
        """Places of the columns of numbers that had gaps."""
        return [k for k in self.numbers if self.columns[k].has_gaps]

    @property
    def words(self) -> list[int]:
        """Places of the columns of words."""
        return [k for k, column in enumerate(self.columns) if column.is_words]

    @property
    def n_features(self) -> int:
        return len(self.layout.column)

    @cached_property
    def layout(self) -> Layout:
        """Which feature belongs to which column."""
        parts = [(k, "number") for k in self.numbers] + [(k, "gap") for k in self.gaps]
        parts += [(k, "word") for k in self.words for _ in self.columns[k].coded]
        return Layout(np.array([k for k, _ in parts], dtype=int), np.array([kind for _, kind in parts]))

    @property
    def feature_names(self) -> list[str]:
        columns = self.columns
        return [
            *(str(columns[k].name) for k in self.numbers),
            *(f"{columns[k].name} missing" for k in self.gaps),
            *(name for k in self.words for name in _word_names(columns[k])),
        ]

    def transform(self, frame: Frame) -> np.ndarray:
        """The features of a table whose columns are in the order of the training samples."""
        columns = frame.columns
        parts = [
            *(self.columns[k].filled(columns[k])[:, None] for k in self.numbers),
            *(np.isnan(columns[k]).astype(float)[:, None] for k in self.gaps),
            *(self.columns[k].one_hot(columns[k]) for k in self.words),
        ]
        return np.ascontiguousarray(np.concatenate(parts, axis=1))

    def read(self, X: Any) -> np.ndarray:
        """The features of new samples, of shape (n_samples, n_features), as a user passes them.

        Columns are found by their names, where there are any; others that X has are not looked at. A column
        that is not there, or holds words where there were numbers, is refused in a sentence.
        """
        return self.transform(self.table(X))

    def table(self, X: Any) -> Frame:
        """New samples, as a user passes them, with the columns of the training samples."""
        return self.arranged(new_frame(X, self.columns, self.has_names))

    def arranged(self, frame: Frame) -> Frame:
        """A table with the columns of the training samples, in their order and of their kind."""
        places = self._places(frame)
        columns = [self._typed(self.columns[k], frame.columns[place]) for k, place in enumerate(places)]
        if not len(frame):
            raise ValueError("X has no rows: at least one sample is required.")
        found = Frame(tuple(column.name for column in self.columns), tuple(columns), self.has_names)
        for note in self.doubts(found):
            warnings.warn(note, KernelwiseWarning, stacklevel=stacklevel_of_user())
        return found

    def doubts(self, frame: Frame) -> list[str]:
        """What looks odd in new rows, one sentence each: gaps where there were none, no known word."""
        notes = []
        for column, values in zip(self.columns, frame.columns, strict=True):
            if column.is_words:
                new, present = column.is_new(values), sum(word is not None for word in values)
                if not column.is_pooled and new.sum() == present >= MANY_NEW:
                    notes.append(
                        f"Column {column.name!r} has only words that no training sample has, in {present} "
                        f"rows, such as {values[np.argmax(new)]!r}, which the model ignores."
                    )
            elif not column.has_gaps and np.isnan(values).any():
                n = int(np.isnan(values).sum())
                notes.append(
                    f"Column {column.name!r} has {count(n, 'gap')} but had none in the training samples: "
                    f"{'it counts' if n == 1 else 'they count'} as its median, {column.fill:g}."
                )
        return notes

    def _places(self, frame: Frame) -> list[int]:
        names = [column.name for column in self.columns]
        if self.has_names and frame.has_names:
            absent = [name for name in names if name not in frame.names]
            if absent:
                have = ", ".join(map(repr, frame.names[:8])) + (", …" if len(frame.names) > 8 else "")
                more = f" (and {len(absent) - 1} more)" if len(absent) > 1 else ""
                raise ValueError(
                    f"X has no column {absent[0]!r}{more}, which the model was trained on. X has {have}."
                )
            return [frame.names.index(name) for name in names]
        if len(frame.names) != len(names):
            raise ValueError(
                f"X has {count(len(frame.names), 'column')}, but the model was trained on {len(names)}."
            )
        return list(range(len(names)))

    def _typed(self, column: Column, values: np.ndarray) -> np.ndarray:
        """The cells as the kind of column that they were in training."""
        if column.is_words == (not is_numbers(values)):
            return values
        if column.is_words:
            return words_of(values.tolist())
        row = next((row for row, word in enumerate(values) if word is not None), None)
        if row is None:
            return np.full(len(values), np.nan)
        raise ValueError(
            f"Column {column.name!r} of X holds words, such as {values[row]!r} in row {row}, but the model "
            "was trained on numbers there. Convert the column to numbers."
        )


def by_column(frame: Frame, encoder: Encoder) -> np.ndarray:
    """One number for every cell, of shape (n_rows, n_columns), without gaps.

    They are for questions about single columns. One with a different word in most rows is constant here:
    it would answer any of them.
    """
    codes = frame.codes()
    for k, column in enumerate(encoder.columns):
        gaps = np.isnan(codes[:, k])
        if column.is_words:
            codes[gaps, k] = -1.0
            if len(np.unique(codes[:, k])) > len(codes) / 2:
                codes[:, k] = 0.0
        else:
            codes[gaps, k] = column.fill
    return codes


def learn_encoder(frame: Frame, weight: np.ndarray | None = None) -> Encoder:
    """Learn from training samples; a row counts as often as its weight, shape (n_rows,), says."""
    weight = np.ones(len(frame)) if weight is None else weight
    pairs = zip(frame.names, frame.columns, strict=True)
    columns = tuple(
        learn_column(name, values, weight, k not in frame.codes_as_words, frame.fills_gaps)
        for k, (name, values) in enumerate(pairs)
    )
    return Encoder(columns, frame.has_names)


def _word_names(column: Column) -> list[str]:
    names = [f"{column.name}={word}" for word in column.words]
    if column.has_gaps:
        names.append(f"{column.name} missing")
    return [*names, f"{column.name}: other"] if column.is_pooled else names
