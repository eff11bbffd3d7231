"""The first line of a text file: names of columns, or data."""

from __future__ import annotations

from collections.abc import Sequence

from kernelwise.tables.cells import is_missing_cell, is_number, numbers
from kernelwise.tables.target import TARGET_NAMES

#: Lines that are looked at to find out whether the first one holds names.
MANY_LINES = 1000


def looks_like_header(rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first row holds names: no numbers, and numbers below or text that differs from it."""
    if len(rows) < 2:
        return False
    below = rows[1 : 1 + MANY_LINES]
    columns = list(zip(*below, strict=True))
    over_numbers = [numbers(cells) is not None and not all(map(is_missing_cell, cells)) for cells in columns]
    if any(map(is_number, rows[0])):
        return _is_header_with_numbers(rows[0], columns, over_numbers)
    return any(over_numbers) or _is_new(rows[0], columns)


def _is_header_with_numbers(
    first: Sequence[str], columns: Sequence[Sequence[str]], over_numbers: Sequence[bool]
) -> bool:
    """Whether a row that has numbers holds names such as 2019: a name above numbers, or of a target."""
    words = [k for k, cell in enumerate(first) if not is_number(cell) and not is_missing_cell(cell)]
    named = [
        (over_numbers[k] and first[k].strip()[:1].isalpha()) or first[k].strip().lower() in TARGET_NAMES
        for k in words
    ]
    return any(named) and _is_new([first[k] for k in words], [columns[k] for k in words])


def _is_new(names: Sequence[str], columns: Sequence[Sequence[str]]) -> bool:
    return all(name not in cells for name, cells in zip(names, columns, strict=True))


def numbered_names(n_columns: int) -> list[str]:
    return [f"column {k}" for k in range(1, n_columns + 1)]


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
