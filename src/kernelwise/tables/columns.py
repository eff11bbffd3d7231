"""What one column of a training file holds, and whether that of another file fits it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.frames.column import MAX_WORDS
from kernelwise.frames.frame import words_of
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.faults import Fault, column_option, in_shell
from kernelwise.tables.table import Table, is_missing

#: In as many rows it is no chance that no word is known.
MANY_ROWS = 10


@dataclass(frozen=True)
class Column:
    """A column of the training file."""

    name: str
    categories: tuple[str, ...] = ()  # words it may hold; empty for a column of numbers
    #: What takes the place of a missing value: the median, or the most frequent word; None leaves a gap.
    fill: float | str | None = None
    is_lumped: bool = False  # whether it may hold any other word, too
    has_gaps: bool = False  # whether values are missing in the training file
    is_code: bool = False  # whether its numbers are codes, which count as words

    def words(self, table: Table, index: int) -> np.ndarray:
        """The cells of a column of words, None where one is missing, as objects of shape (n_rows,)."""
        if self.is_code and table.columns[index].dtype.kind == "f":
            return words_of(table.columns[index].tolist())  # 1 and 1.0 are one word
        words = table.text(index).copy()  # they may look like numbers in this file
        words[is_missing(table.columns[index])] = None
        return words

    def unknown(self, table: Table, index: int) -> np.ndarray:
        """Rows with a word that is not in the training file, in order."""
        if not self.categories or self.is_lumped:
            return np.empty(0, dtype=int)
        known = {None, *self.categories}
        return np.flatnonzero([word not in known for word in self.words(table, index)])

    def fault(self, table: Table, index: int, ignore_unknown: bool = False) -> Fault | None:
        """What keeps the column of another file from being these features; None if nothing does."""
        values = table.columns[index]
        missing = np.flatnonzero(is_missing(values))
        if len(missing) and self.fill is None and not self.has_gaps:
            message = (
                f"a value is missing{_more(missing)}, but the training file has no missing values. Complete "
                "the file, or train with --impute."
            )
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

    def cells(self, table: Table, index: int) -> np.ndarray:
        """Numbers or words, shape (n_rows,), where there is no fault; gaps are filled if there is a fill."""
        if not self.categories:
            values = table.columns[index].astype(float)
            return np.where(np.isnan(values), np.nan if self.fill is None else self.fill, values)
        words = self.words(table, index)
        words[[word is None for word in words]] = self.fill
        return words

    def _unknown_word(self, table: Table, index: int, rows: np.ndarray) -> Fault:
        word = quoted(table.text(index)[rows[0]])
        message = (
            f"{word} is not in the training file, which has {enumerated(map(quoted, self.categories), 20)}"
            f"{_more(rows)}. Correct it, or ignore such words with --unknown ignore."
        )
        if MANY_ROWS <= len(rows) == len(table):
            message += (
                " No word of this column is known. If the column names persons, places or devices, train a "
                f"model with --group {in_shell(column_option(table, index))}, which leaves it out."
            )
        return Fault(table.place(index, int(rows[0])), message, unknown="ignore")

    def to_json(self) -> dict[str, Any]:
        return {**vars(self), "categories": list(self.categories)}

    @classmethod
    def from_json(cls, node: dict[str, Any]) -> Column:
        return cls(**{**node, "name": str(node["name"]), "categories": tuple(map(str, node["categories"]))})


def learn_column(table: Table, index: int, impute: bool, is_code: bool = False) -> Column:
    """What a column without faults holds; ``is_code`` says that its numbers are words."""
    name, values = table.names[index], table.columns[index]
    missing = is_missing(values)
    present, has_gaps = values[~missing], bool(missing.any())
    if values.dtype.kind == "f":
        return Column(name, fill=float(np.median(present)) if impute else None, has_gaps=has_gaps)
    counts = Counter(present.tolist())
    fill = min(counts, key=lambda word: (-counts[word], word)) if impute else None
    return Column(name, tuple(sorted(counts)), fill, len(counts) > MAX_WORDS, has_gaps, is_code)


def _more(rows: Any) -> str:
    return f" ({len(rows)} such cells)" if len(rows) > 1 else ""
