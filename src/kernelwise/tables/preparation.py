"""What was done to the columns of a training file before a model saw them, in sentences."""

from __future__ import annotations

from collections.abc import Iterable

from kernelwise import frames
from kernelwise._core.text import count
from kernelwise.frames import Encoder
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.columns import Column
from kernelwise.tables.doubts import MANY_NUMBERS
from kernelwise.tables.suspects import counted_texts, odd_texts
from kernelwise.tables.table import Table, is_missing


def preparation(
    table: Table,
    columns: dict[int, Column],
    encoder: Encoder | None,
    left_out: Iterable[int] = (),
    missing: tuple[str, ...] = (),
) -> list[str]:
    """Which columns were left out, coded or filled, one sentence each; ``columns`` by their indices."""
    sentences = []
    names = [repr(table.names[k]) for k in sorted(left_out)]
    if names:
        sentences.append(f"Left out: {enumerated(names)}.")
    if missing:
        sentences.append(f"Cells that hold {enumerated(map(quoted, missing), last='or')} count as missing.")
    if encoder is not None:
        pairs = list(zip(columns.items(), encoder.columns, strict=True))
        words = [
            f"{one.name!r} ({count(len(column.categories), 'word')})"
            for (_, column), one in pairs
            if one.is_words
        ]
        if words:
            sentences.append(f"Columns of words were coded as features of 0 and 1: {enumerated(words)}.")
        sentences += [_pooled(table, k, column, one) for (k, column), one in pairs if one.is_pooled]
        gaps = [
            f"{one.name!r} ({int(is_missing(table.columns[k]).sum())})"
            for (k, _), one in pairs
            if one.has_gaps
        ]
        if gaps:
            sentences.append(
                f"Some values are missing: {enumerated(gaps)}. A missing number is replaced by the median of "
                "its column, a missing word counts as a separate word, and a feature of 0 and 1 marks these "
                "rows."
            )
    return sentences + _filled(table, columns)


def _pooled(table: Table, index: int, column: Column, coded: frames.Column) -> str:
    n_other = int(coded.is_new(column.cells(table, index)).sum())
    return (
        f"Column {column.name!r} keeps its {count(len(coded.words), 'most frequent word')}; all other words, "
        f"in {count(n_other, 'row')}, count as one word."
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
        f"{counted_texts(table, odd)}). If such a text means a missing value, add it to --missing."
    ]
