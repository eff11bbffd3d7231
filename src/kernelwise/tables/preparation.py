"""What was done to the columns of a training file before a model saw them, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from kernelwise import frames
from kernelwise._core.text import count
from kernelwise.frames import Encoder
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.columns import Column
from kernelwise.tables.suspects import counted_texts, odd_texts
from kernelwise.tables.table import Table, is_missing

#: More ways of writing words than this are not listed one by one.
MOST_SPELLINGS = 3


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
            sentences.append(f"Columns of words became features of 0 and 1: {enumerated(words)}.")
        sentences += [_pooled(table, k, column, one) for (k, column), one in pairs if one.is_pooled]
        gaps = [
            f"{one.name!r} ({int(is_missing(table.columns[k]).sum())})"
            for (k, _), one in pairs
            if one.has_gaps
        ]
        if gaps:
            sentences.append(
                f"Missing values are gaps, which have a feature of 0 and 1: {enumerated(gaps)}. A gap is the "
                "median of its column, or a word of its own."
            )
    return sentences + _filled(table, columns)


def _pooled(table: Table, index: int, column: Column, coded: frames.Column) -> str:
    n_other = int(coded.is_new(column.cells(table, index)).sum())
    return (
        f"Column {column.name!r} keeps its {count(len(coded.words), 'most frequent word')}; all others, in "
        f"{count(n_other, 'row')}, count alike."
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


def doubts(table: Table, words: Iterable[int]) -> list[str]:
    """Columns of words that may not be what they seem: numbers among them, one word written in two ways."""
    sentences = []
    for k in words:
        sentences += _numbers_as_words(table, k) + _spellings(table, k)
    return sentences


def _spellings(table: Table, index: int) -> list[str]:
    """Words of a column that differ only in capitals or spaces."""
    groups: dict[str, list[str]] = {}
    values = table.columns[index]
    counts = Counter(values[~is_missing(values)].tolist())
    for word in counts:
        groups.setdefault("".join(word.split()).casefold(), []).append(word)
    twice = [sorted(group, key=lambda word: -counts[word]) for group in groups.values() if len(group) > 1]
    sentences = []
    for group in twice[:MOST_SPELLINGS]:
        words = enumerated(f"{quoted(word)} ({count(counts[word], 'row')})" for word in group)
        sentences.append(
            f"Column {table.names[index]!r}: {words} differ only in capitals or spaces and count as "
            "different. Write them alike if they are the same."
        )
    n_more = len(twice) - MOST_SPELLINGS
    if n_more > 0:
        sentences.append(f"Column {table.names[index]!r} has {count(n_more, 'more such group')} of words.")
    return sentences


def _numbers_as_words(table: Table, index: int) -> list[str]:
    odd = odd_texts(table, index)
    n_present = int((~is_missing(table.columns[index])).sum())
    if sum(map(len, odd.values())) > n_present / 2:
        return []
    return [
        f"Column {table.names[index]!r} was taken as words, though most of its cells are numbers (but "
        f"{counted_texts(table, odd)}). If such a text means missing, name it with --missing."
    ]
