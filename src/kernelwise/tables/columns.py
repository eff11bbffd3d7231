"""How one column of a table becomes features: a number, or 0 and 1 for each of a few words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.tables.table import Table, TableError, is_missing, is_number

#: More different words than this in a column are refused: they are names or text, not kinds.
MAX_CATEGORIES = 20


@dataclass(frozen=True)
class Column:
    """A column of the training file."""

    name: str
    categories: tuple[str, ...] = ()  # words it may hold; empty for a column of numbers
    #: What stands for a missing value: the median, or the most frequent word; None refuses them.
    fill: float | str | None = None

    @property
    def coded(self) -> tuple[str, ...]:
        """Words that have a feature of their own: all, but one of two says it all."""
        return self.categories[1:] if len(self.categories) == 2 else self.categories

    @property
    def feature_names(self) -> list[str]:
        return [f"{self.name}={word}" for word in self.coded] if self.categories else [self.name]

    def encode(self, table: Table, index: int) -> np.ndarray:
        """The column's features, of shape (n_rows, n_features)."""
        values = table.columns[index]
        missing = is_missing(values)
        if self.categories and values.dtype.kind == "f":  # words that look like numbers, in this file
            values = table.text(index)
        if missing.any():
            if self.fill is None:
                where = table.where(int(np.flatnonzero(missing)[0]), index)
                raise TableError(f"{where}: a value is missing. Complete the file, or train with --impute.")
            values = values.copy()
            values[missing] = self.fill
        return self._words(table, index, values) if self.categories else self._numbers(table, index, values)

    def _numbers(self, table: Table, index: int, values: np.ndarray) -> np.ndarray:
        for row, value in enumerate(values if values.dtype.kind == "O" else ()):
            if not isinstance(value, float) and not is_number(value):
                raise TableError(f"{table.where(row, index)}: expected a number, found {value!r}.")
        values = values.astype(float)
        if not np.isfinite(values).all():
            row = int(np.flatnonzero(~np.isfinite(values))[0])
            raise TableError(f"{table.where(row, index)}: {values[row]} is not a finite number. Remove it.")
        return values[:, None]

    def _words(self, table: Table, index: int, words: np.ndarray) -> np.ndarray:
        unknown = [row for row, word in enumerate(words) if word not in self.categories]
        if unknown:
            raise TableError(
                f"{table.where(unknown[0], index)}: {words[unknown[0]]!r} is not in the training file, "
                f"which has {', '.join(map(repr, self.categories))}."
            )
        return np.array([[float(word == other) for other in self.coded] for word in words])

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "categories": list(self.categories), "fill": self.fill}

    @classmethod
    def from_json(cls, node: dict[str, Any]) -> Column:
        return cls(str(node["name"]), tuple(map(str, node["categories"])), node["fill"])


def learn_column(table: Table, index: int, impute: bool) -> Column:
    """What a column holds; refused if it is all missing, or text with too many different words."""
    name, values = table.names[index], table.columns[index]
    present = values[~is_missing(values)]
    if not len(present):
        raise TableError(f"{table.source}: column {name!r} has no values. Leave it out with --ignore.")
    if values.dtype.kind == "f":
        return Column(name, fill=float(np.median(present)) if impute else None)
    counts = Counter(present.tolist())
    if len(counts) > MAX_CATEGORIES:
        number = next((word for word in counts if is_number(word)), None)
        mixed = f", and numbers such as {number!r}" if number is not None else ""
        raise TableError(
            f"{table.source}: column {name!r} is text with {len(counts)} different values, such as "
            f"{present[0]!r}{mixed}; at most {MAX_CATEGORIES} can be coded. Leave it out with --ignore, or "
            "turn it into numbers."
        )
    most_frequent = max(sorted(counts), key=counts.__getitem__)
    return Column(name, tuple(sorted(counts)), most_frequent if impute else None)
