"""What was done to the columns of a training file before a model saw them, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from kernelwise._core.text import count
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.columns import OTHER, Column
from kernelwise.tables.doubts import MANY_NUMBERS
from kernelwise.tables.suspects import MAX_CATEGORIES, counted_texts, odd_texts
from kernelwise.tables.table import Table, is_missing


def preparation(
    table: Table, columns: dict[int, Column], left_out: Iterable[int] = (), missing: tuple[str, ...] = ()
) -> list[str]:
    """Which columns were left out, coded or filled, one sentence each; ``columns`` by their indices."""
    sentences = []
    names = [repr(table.names[k]) for k in sorted(left_out)]
    if names:
        sentences.append(f"Left out: {enumerated(names)}.")
    if missing:
        sentences.append(f"Cells that hold {enumerated(map(quoted, missing), last='or')} count as missing.")
    words = {k: column for k, column in columns.items() if column.categories}
    if words:
        coded = [
            f"{column.name!r} ({count(len(column.categories), 'word')}, "
            f"{count(len(column.coded), 'feature')})"
            for column in words.values()
        ]
        sentences.append(f"Columns of words became features of 0 and 1: {enumerated(coded)}.")
    sentences += [_lumped(table, k, column) for k, column in words.items() if column.is_lumped]
    return sentences + _filled(table, columns)


def _lumped(table: Table, index: int, column: Column) -> str:
    n_other = int(np.sum(column.words(table, index) == OTHER))
    return (
        f"Column {column.name!r} keeps its {MAX_CATEGORIES} most frequent words; all others, in "
        f"{count(n_other, 'row')}, became {OTHER!r}."
    )


def _filled(table: Table, columns: dict[int, Column]) -> list[str]:
    parts = []
    for k, column in columns.items():
        n_missing = int(is_missing(table.columns[k]).sum())
        if n_missing and column.fill is not None:
            is_word = bool(column.categories)
            by = f"the most frequent word {column.fill!r}" if is_word else f"the median {column.fill:g}"
            parts.append(f"{n_missing} in {column.name!r} by {by}")
    return [f"Missing values were filled: {enumerated(parts)}."] if parts else []


def notes_on_words(table: Table, words: Iterable[int]) -> list[str]:
    """Columns of words that are mostly a few numbers, as in 2, 3, 4, more."""
    return [sentence for k in words for sentence in _numbers_as_words(table, k)]


def _numbers_as_words(table: Table, index: int) -> list[str]:
    odd = odd_texts(table, index)
    present = table.columns[index][~is_missing(table.columns[index])]
    n_numbers = len(set(present.tolist())) - len(odd)
    if sum(map(len, odd.values())) > len(present) / 2 or n_numbers >= MANY_NUMBERS:
        return []
    return [
        f"Column {table.names[index]!r} counts as words, though most of its cells are numbers (but "
        f"{counted_texts(table, odd)}). If such a text means missing, name it with --missing."
    ]
