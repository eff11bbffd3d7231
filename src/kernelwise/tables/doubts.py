"""What may be wrong with the columns of a training file that can be used as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from kernelwise._core.row_numbers import numbers_rows
from kernelwise._core.text import count
from kernelwise.tables.cells import quoted
from kernelwise.tables.columns import Column
from kernelwise.tables.faults import Fault, column_option, in_shell
from kernelwise.tables.suspects import counted_texts, date_in, is_mostly_empty, odd_texts, unit_of
from kernelwise.tables.table import Table, is_missing

#: More ways of writing words than this are not listed one by one.
MOST_SPELLINGS = 3
#: With as many different numbers as this a column of words may be one of numbers.
MANY_NUMBERS = 5
#: Fewer rows than this say nothing about a column of numbers.
MIN_ROWS = 10


def column_doubts(table: Table, columns: dict[int, Column]) -> list[Fault]:
    """Columns, by their indices, that may not be what they seem."""
    found: list[Fault] = []
    for index, column in columns.items():
        found += _filled(table, index, column)
        if column.categories:
            found += _spellings(table, index, "words written in two ways")
        if column.categories and not column.is_code:
            found += _as_words(table, index)
    return found


def doubts_beside_faults(table: Table, target: int | None, places: Sequence[int], task: str) -> list[Fault]:
    """What a fit would say later: columns that number the rows, and labels written in two ways."""
    has_words = task == "classification" and target is not None and table.columns[target].dtype == object
    spelled = _labels(table, target) if has_words and target is not None else []
    return [*spelled, *(fault for k in places for fault in _row_numbers(table, k))]


def _labels(table: Table, index: int) -> list[Fault]:
    """Labels written in two ways: a fault if a class has one row, of which no model can be scored."""
    found = list(_spellings(table, index, "labels written in two ways"))
    values = table.columns[index]
    if min(Counter(values[~is_missing(values)].tolist()).values(), default=2) > 1:
        return found
    alone = "A class of one row cannot be scored."
    return [Fault(f"the spellings in {fault.place}", f"{fault.message} {alone}", doubt="") for fault in found]


def _filled(table: Table, index: int, column: Column) -> Iterator[Fault]:
    values = table.columns[index]
    if column.fill is None or not is_mostly_empty(values):
        return
    n_missing = int(is_missing(values).sum())
    fill = quoted(column.fill) if isinstance(column.fill, str) else f"the median {column.fill:g}"
    option = column_option(table, index)
    message = (
        f"{n_missing} of {len(values)} values are missing, and {fill} replaces all of them. Leave it out "
        f"with --ignore {in_shell(option)}."
    )
    yield Fault(table.place(index), message, option, doubt="mostly empty")


def _spellings(table: Table, index: int, doubt: str) -> Iterator[Fault]:
    """Words of a column that differ only in capitals or spaces."""
    groups: dict[str, list[str]] = {}
    values = table.columns[index]
    counts = Counter(values[~is_missing(values)].tolist())
    for word in counts:
        groups.setdefault("".join(word.split()).casefold(), []).append(word)
    twice = [sorted(group, key=lambda word: -counts[word]) for group in groups.values() if len(group) > 1]
    if not twice:
        return
    shown = [
        " and ".join(f"{quoted(word)} ({count(counts[word], 'row')})" for word in group)
        for group in twice[:MOST_SPELLINGS]
    ]
    n_more = len(twice) - MOST_SPELLINGS
    more = f" (and {count(n_more, 'more such group')})" if n_more > 0 else ""
    message = (
        f"{'; '.join(shown)} differ only in capitals or spaces but count as different{more}. Write them in "
        "the same way if they are the same."
    )
    yield Fault(table.place(index), message, doubt=doubt)


def _as_words(table: Table, index: int) -> Iterator[Fault]:
    """Numbers, dates and quantities that were coded as words."""
    values, option = table.columns[index], column_option(table, index)
    counts = Counter(values[~is_missing(values)].tolist())
    leave = f"leave it out with --ignore {in_shell(option)}"
    numbers = sum(map(table.is_number, counts))
    odd = odd_texts(table, index)
    if numbers >= MANY_NUMBERS and sum(map(len, odd.values())) <= counts.total() / 2:
        message = (
            f"it counts as words, though most of its cells are numbers (but {counted_texts(table, odd)}). If "
            "such a text means a missing value, add it to --missing."
        )
        yield Fault(table.place(index), message, doubt="numbers as words")
    elif date_in(counts):
        message = (
            f"it holds dates or times, such as {quoted(date_in(counts))}, which count as words, but new rows "
            f"will have other ones. Convert it to a number, or {leave}."
        )
        yield Fault(table.place(index), message, option, doubt="dates as words")
    elif not numbers and len(counts) > 2 and unit_of(table, counts):
        message = (
            f"its numbers have the unit {quoted(unit_of(table, counts))}, as in "
            f"{quoted(next(iter(counts)))}, and count as words. Remove the unit from the cells."
        )
        yield Fault(table.place(index), message, doubt="units as words")


def _row_numbers(table: Table, index: int) -> Iterator[Fault]:
    column, option = table.columns[index], column_option(table, index)
    if column.dtype.kind != "f" or len(column) < MIN_ROWS or not np.isfinite(column).all():
        return
    is_numbering = numbers_rows(column)
    if is_numbering is None:
        return
    has = "it numbers the rows" if is_numbering else "it has a different whole number in every row"
    message = f"{has}, and new rows will have other numbers. Leave it out with --ignore {in_shell(option)}."
    yield Fault(table.place(index), message, option, doubt="row numbers" if is_numbering else "identifiers")
