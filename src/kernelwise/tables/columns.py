"""How one column of a table becomes features: a number, or 0 and 1 for each of a few words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.faults import Fault
from kernelwise.tables.suspects import MAX_CATEGORIES
from kernelwise.tables.table import Table, is_missing

#: Stands for all words of a column but the most frequent ones.
OTHER = "other"
#: The two words of a column are 0 and 1 in one feature; a word that is neither lies between them.
NEITHER = 0.5


@dataclass(frozen=True)
class Column:
    """A column of the training file."""

    name: str
    categories: tuple[str, ...] = ()  # words it may hold; empty for a column of numbers
    #: What stands for a missing value: the median, or the most frequent word; None refuses them.
    fill: float | str | None = None
    is_lumped: bool = False  # whether words that are not in the categories count as OTHER

    @property
    def coded(self) -> tuple[str, ...]:
        """Words that have a feature of their own: all, but one of two says it all."""
        return self.categories[1:] if len(self.categories) == 2 else self.categories

    @property
    def feature_names(self) -> list[str]:
        return [f"{self.name}={word}" for word in self.coded] if self.categories else [self.name]

    def words(self, table: Table, index: int) -> np.ndarray:
        """The cells of a column of words, None where one is missing, as objects of shape (n_rows,)."""
        words = table.text(index).copy()  # they may look like numbers in this file
        words[is_missing(table.columns[index])] = None
        if self.is_lumped:
            words[[word is not None and word not in self.categories for word in words]] = OTHER
        return words

    def unknown(self, table: Table, index: int) -> np.ndarray:
        """Rows with a word that is not in the training file, in order."""
        if not self.categories:
            return np.empty(0, dtype=int)
        known = {None, *self.categories}
        return np.flatnonzero([word not in known for word in self.words(table, index)])

    def fault(self, table: Table, index: int, ignore_unknown: bool = False) -> Fault | None:
        """What keeps the column of another file from being these features; None if nothing does."""
        values = table.columns[index]
        missing = np.flatnonzero(is_missing(values))
        if len(missing) and self.fill is None:
            message = f"a value is missing{_more(missing)}. Complete the file, or train with --impute."
            return Fault(table.place(index, int(missing[0])), message)
        if self.categories:
            rows = self.unknown(table, index)
            return None if ignore_unknown or not len(rows) else self._unknown_word(table, index, rows)
        if values.dtype.kind == "O":
            wrong = [row for row, cell in enumerate(values) if cell is not None and not table.is_number(cell)]
            if wrong:
                message = f"expected a number, found {quoted(values[wrong[0]])}{_more(wrong)}. Correct it."
                return Fault(table.place(index, wrong[0]), message)
        values = values.astype(float)
        rows = np.flatnonzero(np.isinf(values))
        if not len(rows):
            return None
        message = f"{values[rows[0]]} is not a finite number{_more(rows)}. Correct it."
        return Fault(table.place(index, int(rows[0])), message)

    def encode(self, table: Table, index: int) -> np.ndarray:
        """The column's features, of shape (n_rows, n_features), where there is no fault."""
        if not self.categories:
            values = table.columns[index].astype(float)
            return np.where(np.isnan(values), np.nan if self.fill is None else self.fill, values)[:, None]
        words = self.words(table, index)
        words[[word is None for word in words]] = self.fill
        features = (words[:, None] == np.array(self.coded, dtype=object)).astype(float)
        if len(self.categories) == 2:
            features[self.unknown(table, index)] = NEITHER
        return features

    def _unknown_word(self, table: Table, index: int, rows: np.ndarray) -> Fault:
        word = quoted(table.text(index)[rows[0]])
        message = (
            f"{word} is not in the training file, which has {enumerated(map(quoted, self.categories), 20)}"
            f"{_more(rows)}. Correct it, or let such words count as none of these with --unknown ignore."
        )
        return Fault(table.place(index, int(rows[0])), message, unknown="ignore")

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "categories": list(self.categories)}

    @classmethod
    def from_json(cls, node: dict[str, Any]) -> Column:
        return cls(**{**node, "name": str(node["name"]), "categories": tuple(map(str, node["categories"]))})


def learn_column(table: Table, index: int, impute: bool) -> Column:
    """What a column without faults holds; of more words than can be coded the most frequent are kept."""
    name, values = table.names[index], table.columns[index]
    present = values[~is_missing(values)]
    if values.dtype.kind == "f":
        return Column(name, fill=float(np.median(present)) if impute else None)
    counts = Counter(present.tolist())
    by_frequency = sorted(counts, key=lambda word: (-counts[word], word))
    fill = by_frequency[0] if impute else None
    if len(counts) <= MAX_CATEGORIES:
        return Column(name, tuple(sorted(counts)), fill)
    kept = [word for word in by_frequency if word != OTHER][:MAX_CATEGORIES]
    return Column(name, (*sorted(kept), OTHER), fill, is_lumped=True)


def _more(rows: Any) -> str:
    return f" ({len(rows)} such cells)" if len(rows) > 1 else ""
