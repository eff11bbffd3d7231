"""One cell of a file or a data frame: whether it is missing, a number or a word, and its quotation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

#: Texts, in any capitals, that stand for a missing value in every file.
MISSING = frozenset({"", "?", "na", "n/a", "nan", "null"})
#: Python's word for nothing; "none" is a class or a word, as in none, mild, severe.
NOTHING = "None"
#: Longer cells are cut where a message quotes them.
MOST_CHARACTERS = 40


def is_missing_cell(cell: str) -> bool:
    cell = cell.strip()
    return cell == NOTHING or cell.lower() in MISSING


def numbers(cells: Sequence[str]) -> np.ndarray | None:
    """The cells as numbers, NaN where one is missing; None if some are text."""
    try:
        values = np.array(list(map(float, cells)))
    except ValueError:
        present = [not is_missing_cell(cell) for cell in cells]
        try:
            values = np.array([float(c) if p else np.nan for c, p in zip(cells, present, strict=True)])
        except ValueError:
            return None
    # Python reads 1_000 as a number; in a file it is a name.
    return None if "_" in "".join(cells) else values


def is_number(cell: str) -> bool:
    """Whether a cell is a number with a point."""
    return not is_missing_cell(cell) and numbers([cell]) is not None


def texts(cells: Sequence[str]) -> np.ndarray:
    """The cells as stripped text, None where one is missing; objects of shape (n_cells,)."""
    found = np.empty(len(cells), dtype=object)
    found[:] = [None if is_missing_cell(cell) else cell.strip() for cell in cells]
    return found


def is_gap(value: Any) -> bool:
    """Whether a cell of a data frame has no value: None, NaN, or pandas' own words for nothing."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def as_text(value: Any) -> str:
    """A value as a word: a whole number without a point, whatever its type.

    >>> as_text(2.0), as_text(True), as_text("b")
    ('2', 'True', 'b')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def typed_text(value: Any) -> str:
    """The same for a value that is a number; three decimals get a fourth, or its point might be of thousands.

    >>> typed_text(4.585), typed_text(12.5), typed_text("4.585")
    ('4.5850', '12.5', '4.585')
    """
    text = as_text(value)
    is_doubtful = not isinstance(value, str) and text[-4:-3] == "."
    return f"{text}0" if is_doubtful else text


def words_of(values: Sequence[Any]) -> np.ndarray:
    """Values as words, None where one is missing, as a file would have them; objects of shape (n_values,)."""
    return texts(["" if is_gap(value) else as_text(value) for value in values])


def quoted(cell: str) -> str:
    """A cell for a message: in quotation marks, not too long, without characters that a terminal obeys."""
    return repr(cell if len(cell) <= MOST_CHARACTERS else f"{cell[:MOST_CHARACTERS]}…")


def enumerated(parts: Iterable[str], most: int = 5, last: str = "and") -> str:
    """Parts in words: "a, b and c", or "a, b and 3 more"."""
    parts = list(parts)
    if len(parts) > most:
        parts = [*parts[: most - 1], f"{len(parts) - most + 1} more"]
    return f" {last} ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
