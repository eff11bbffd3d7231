"""One column of the training samples: what fills its gaps, which words it has, and the features it becomes.

A column holds numbers or words, or is left out. Another kind of column is a subclass and an entry of
`COLUMN_KINDS`, such as that of `kernelwise.tables.dates`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelwise.tables.cells import is_gap
from kernelwise.tables.table import is_missing, is_numbers
from kernelwise.tables.written import Writing

#: Words of a column that have a feature of their own, at most.
MAX_WORDS = 20
#: Of more words than that, one that weighs less than this many rows is pooled with the other rare ones.
RARE = 2.0
#: Larger floating-point numbers are all whole.
LARGEST_WHOLE = 2.0**53
#: Identifiers of 64 bits have up to twenty digits.
LARGEST_IDENTIFIER = 2.0**64
#: Words in the names of columns whose numbers rise from row to row because time goes on.
TIMES = frozenset({"year", "month", "week", "day", "hour", "minute", "second", "time", "date", "age"})
TIMES |= frozenset({"jahr", "monat", "woche", "tag", "stunde", "sekunde", "zeit", "datum", "alter"})


@dataclass(frozen=True)
class Column:
    """One column of the training samples, of numbers or words.

    A subclass, which is another kind of column, has its own `learn`, `features` and `transform`, and a `read`
    that recognises its cells; ``dtype`` and ``noun`` say how its cells are kept, and what they are called.

    Attributes
    ----------
    name : object
        As in the user's table.
    is_words : bool
        Whether it holds words.
    words : tuple of str
        Words that have a feature of their own, sorted.
    is_pooled : bool
        Whether there were more; they share one feature, with all words that are new.
    has_gaps : bool
        Whether a gap has a feature of its own: 1 where the value is missing.
    fill : float, str or None
        What stands for a missing number; for a missing word, too, if gaps are filled.
    is_text : bool
        Whether the words were text in the user's table, and no numbers that count as words.
    written : tuple of str, or str
        How the cells are written if they are text: see `kernelwise.tables.written.Writing` for numbers, of
        which the reader of a file tells the sign of decimals alone; None if nothing is special about them.
    """

    name: Any
    is_words: bool = False
    words: tuple[str, ...] = ()
    is_pooled: bool = False
    has_gaps: bool = False
    fill: Any = None
    is_text: bool = True
    written: Any = None

    @property
    def dtype(self) -> str:
        """The kind of NumPy's type that keeps the cells, which is the key in `COLUMN_KINDS`."""
        return "O" if self.is_words else "f"

    @property
    def noun(self) -> str:
        """What one cell is called."""
        return "word" if self.is_words else "number"

    @classmethod
    def read(cls, cells: Sequence[Any]) -> np.ndarray | None:
        """Values of this kind, of shape (n_cells,), or None if the cells are no such.

        Cells are text in a file, and any objects in a data frame; None and NaN are missing. The readers
        themselves know numbers and words.
        """
        return None

    @classmethod
    def learn(
        cls, name: Any, column: np.ndarray, weight: np.ndarray, is_text: bool, fills_gaps: bool
    ) -> Column:
        """What the cells of the training samples hold; see `learn_column`."""
        missing = is_missing(column)
        present, share = column[~missing], weight[~missing]
        has_gaps = bool(missing.any()) and not fills_gaps
        if is_numbers(column):
            return cls(name, has_gaps=has_gaps, fill=weighted_median(present, share))
        totals: defaultdict[str, float] = defaultdict(float)
        for word, n in zip(present.tolist(), share.tolist(), strict=True):
            totals[word] += n
        by_frequency = sorted(totals, key=lambda word: (-totals[word], word))
        kept = by_frequency
        if len(by_frequency) > MAX_WORDS:
            kept = [word for word in by_frequency if totals[word] >= RARE][:MAX_WORDS]
        is_pooled = len(kept) < len(by_frequency)
        fill = by_frequency[0] if fills_gaps and by_frequency else None
        return cls(name, True, tuple(sorted(kept)), is_pooled, has_gaps, fill, is_text)

    @property
    def features(self) -> tuple[tuple[str, str], ...]:
        """Kind and name of each feature; the kinds are "number", "gap" and "word", in this order."""
        gap = [f"{self.name} missing"] if self.has_gaps else []
        if not self.is_words:
            return (("number", str(self.name)), *(("gap", name) for name in gap))
        words = [f"{self.name}={word}" for word in self.words]
        other = [f"{self.name}: other"] if self.is_pooled else []
        return tuple(("word", name) for name in [*words, *gap, *other])

    def transform(self, column: np.ndarray) -> np.ndarray:
        """The features, of shape (n_rows, n_features).

        A word that is new counts with the pooled ones; where there are none, it is all zeros. A gap is like a
        new word in a column that had no gaps, unless gaps are filled.
        """
        if not self.is_words:
            gaps = np.isnan(column)
            filled = np.where(gaps, self.fill, column)
            return np.stack([filled, gaps.astype(float)] if self.has_gaps else [filled], axis=1)
        n_features = len(self.features)
        place = {word: k for k, word in enumerate(self.words)}
        other = n_features - 1 if self.is_pooled else -1
        gap = len(self.words) if self.has_gaps else place.get(self.fill, other)
        codes = np.array([gap if word is None else place.get(word, other) for word in column], dtype=int)
        found = np.zeros((len(column), n_features))
        known = np.flatnonzero(codes >= 0)
        found[known, codes[known]] = 1.0
        return found

    def is_new(self, column: np.ndarray) -> np.ndarray:
        """Which cells hold a word that was not seen in training, or was too rare, shape (n_rows,)."""
        known = {None, *self.words}
        return np.array([word not in known for word in column], dtype=bool)

    def readings(self, text: str) -> Iterator[Any]:
        """What the text of a new cell may say, the likelier first; None where it cannot be read so."""
        if self.dtype != "f":
            found = self.read([text])
            yield None if found is None else found[0]
            return
        way = Writing(*self.written or ())
        for one in (way, way.other):
            number = one.number(text, is_new=True)
            yield None if np.isnan(number) else number

    def parsed(self, cells: Sequence[str | None]) -> np.ndarray:
        """Text cells of new samples, missing where one cannot be read.

        What a cell says depends on the training samples alone, and not on the other cells.
        """
        known: dict[str | None, Any] = {None: None}
        for cell in cells:
            if cell is not None and cell not in known:
                known[cell] = next((one for one in self.readings(cell) if one is not None), None)
        gap = None if self.dtype == "f" else self.read([None])
        return np.array([known[cell] for cell in cells], dtype=float if gap is None else gap.dtype)


@dataclass(frozen=True)
class LeftOut(Column):
    """A column of the training samples that is no feature, because it cannot help; new ones may lack it."""

    dtype = "V"
    noun = "value"

    @property
    def features(self) -> tuple[tuple[str, str], ...]:
        return ()

    def transform(self, column: np.ndarray) -> np.ndarray:
        """No features, of shape (n_rows, 0)."""
        return np.empty((len(column), 0))


#: Kinds of columns, by the kind of NumPy's type that keeps their cells.
COLUMN_KINDS: dict[str, type[Column]] = {"f": Column, "O": Column, LeftOut.dtype: LeftOut}


def read_kind(cells: Sequence[Any]) -> np.ndarray | None:
    """Cells as a kind of column that is neither numbers nor words; None if they are of no such kind."""
    if all(map(is_gap, cells)):
        return None
    found = (kind.read(cells) for kind in COLUMN_KINDS.values())
    return next((values for values in found if values is not None), None)


def learn_column(
    name: Any,
    column: np.ndarray,
    weight: np.ndarray,
    is_text: bool = True,
    fills_gaps: bool = False,
    written: Any = None,
) -> Column:
    """What a column of the training samples holds; a row counts as often as its weight says.

    ``is_text`` and ``written`` are as in `Column`. With ``fills_gaps`` a gap has no feature of its own: a
    missing number is the median, and a missing word the most frequent one.
    """
    counts = weight > 0.0
    kind = COLUMN_KINDS[column.dtype.kind]
    learned = kind.learn(name, column[counts], weight[counts], is_text, fills_gaps)
    return learned if written is None else replace(learned, written=written)


def weighted_median(values: np.ndarray, weight: np.ndarray) -> float:
    """The median of rows that count as often as their weights say; 0 if there is none."""
    if not len(values):
        return 0.0
    order = np.argsort(values, kind="stable")
    values, total = values[order], np.cumsum(weight[order])
    half = total[-1] / 2.0
    low, high = np.searchsorted(total, half), np.searchsorted(total, half, side="right")
    return float((values[low] + values[min(high, len(values) - 1)]) / 2.0)


def words_of(name: str) -> list[str]:
    """The words of the name of a column: passenger and id of PassengerId."""
    parted = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])", " ", name)
    return [word.lower() for word in re.findall(r"[^\W\d_]+", parted)]


def names_time(name: str) -> bool:
    """Whether the name of a column says that its numbers are times."""
    return not TIMES.isdisjoint(words_of(name))


def numbers_rows(column: np.ndarray) -> bool | None:
    """Whether different whole numbers, shape (n_rows,), number the rows; None if they are anything else.

    They do if they follow each other without a gap, in whatever order, or if they rise (or fall) from the
    first row to the last; other different whole numbers identify the rows. Fractions are measurements: a
    table may be sorted.

    Examples
    --------
    >>> import numpy as np
    >>> [numbers_rows(np.array(column)) for column in ([3.0, 1.0, 2.0], [7.0, 1.0, 4.0], [1.0, 1.0, 2.0])]
    [True, False, None]
    """
    if not (column == np.floor(column)).all() or not (
        np.abs(column).max() < LARGEST_WHOLE or _are_long_numbers(column)
    ):
        return None
    steps = np.diff(column)
    if (steps > 0.0).all() or (steps < 0.0).all():
        return True
    if len(np.unique(column)) < len(column):
        return None
    return bool(column.max() - column.min() == len(column) - 1)


def _are_long_numbers(column: np.ndarray) -> bool:
    """Whether whole numbers beyond the exact ones are identifiers, such as barcodes of sixteen digits.

    These are positive and of about one length, and few of them are round; a measurement such as 1.24e18 is.
    """
    if column.min() < LARGEST_WHOLE / 1000.0 or column.max() >= LARGEST_IDENTIFIER:
        return False
    return bool((np.fmod(column, 1000.0) == 0.0).mean() < 0.1)
