"""Warnings about columns that can be used as they are, but may not be what they seem.

`findings_of_table` is about samples of any source, `column_doubts` about the columns of a training file. What
keeps a file from being used is in `kernelwise.tables.problems`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from kernelwise._core.row_numbers import numbers_rows
from kernelwise._core.text import count
from kernelwise.findings import Finding
from kernelwise.tables.cells import quoted
from kernelwise.tables.column import Column
from kernelwise.tables.encoder import Encoder
from kernelwise.tables.problems import Fault, FileColumn, is_mostly_empty, names_rows
from kernelwise.tables.table import Table, is_missing, is_numbers, is_words

#: Whole numbers with so many different values may be codes of classes. Of two it makes no difference.
CODES = range(3, 11)
#: Fewer rows for each of them say nothing.
ROWS_PER_CODE = 5
#: Fewer words than this say nothing about whether they name the rows of a data frame.
MANY_WORDS = 21
#: Names that a shell takes as they are, on every system.
PLAIN = re.compile(r"[\w.@%+=:/-]+")
#: Columns that a sentence names, at most.
MAX_NAMED = 5
#: More ways of writing words than this are not listed one by one.
MOST_SPELLINGS = 3
#: With as many different numbers as this a column of words may be one of numbers.
MANY_NUMBERS = 5
#: Fewer rows than this say nothing about a column of numbers.
MIN_ROWS = 10


# -- samples of any source -----------------------------------------------------------------------------------


def findings_of_table(table: Table, encoder: Encoder) -> list[Finding]:
    """What to ask the user about a table, one finding for each kind of doubt."""
    used = [k for k in range(len(table.columns)) if k not in table.left_out]
    codes = [k for k in used if table.whole and table.whole[k] and _may_be_codes(table.columns[k])]
    empty = [k for k in used if is_missing(table.columns[k]).all()]
    naming = [
        k
        for k in encoder.words
        if type(encoder.columns[k]) is Column and k not in empty and names_rows(table.columns[k], MANY_WORDS)
    ]
    sparse = [k for k in used if k not in empty and is_mostly_empty(table.columns[k])]
    return [
        *table.done,
        *_whole_numbers(table, codes),
        *_leave_out(
            "words that name rows",
            "warning",
            table,
            dict.fromkeys(naming, ""),
            "{has|have} a different word in nearly every row, like names or identifiers.",
            ", because words that occur only once count as one word.",
        ),
        *_leave_out("empty columns", "info", table, dict.fromkeys(empty, ""), "{has|have} no values.", "."),
        *_leave_out(
            "mostly empty",
            "info",
            table,
            {k: f" ({int(is_missing(table.columns[k]).sum())} gaps)" for k in sparse},
            f"{{is|are}} empty in most of the {len(table)} rows: the model learns little more than whether "
            "there is a value.",
            ", unless values will be missing in new rows for the same reasons.",
        ),
    ]


def _whole_numbers(table: Table, columns: list[int]) -> list[Finding]:
    if not columns:
        return []
    says = "{holds|hold} few whole numbers, which count as numbers: 3 is further from 1 than from 2."
    message = _about(table, {k: f" ({_values(table.columns[k])})" for k in columns}, says)
    names = ", ".join(repr(table.names[k]) for k in columns[:MAX_NAMED])
    advice = (
        f"If they are codes of classes, name the columns in categorical_features, as in [{names}], or give "
        "them the dtype 'category'."
    )
    option = f"If they are codes of classes, name them with --words {_typed(table, columns)}."
    return [Finding("whole numbers that may be words", "info", message, advice, option)]


def _leave_out(
    name: str, severity: str, table: Table, columns: dict[int, str], says: str, why: str
) -> list[Finding]:
    """A finding about columns that the user may leave out; see `_about`."""
    if not columns:
        return []
    out = f"Leave {'it' if len(columns) == 1 else 'them'} out"
    option = f"{out} with --ignore {_typed(table, list(columns))}{why}"
    return [Finding(name, severity, _about(table, columns, says), f"{out}{why}", option)]


def _about(table: Table, columns: dict[int, str], says: str) -> str:
    """A sentence about columns, by their places, each with what follows its name.

    In ``says`` there is a verb for one column and for several, as in "{has|have} no values.".
    """
    parts = [f"{table.names[k]!r}{more}" for k, more in columns.items()]
    more = f" and {len(parts) - MAX_NAMED} more" if len(parts) > MAX_NAMED else ""
    verb = re.sub(r"{(.*?)[|](.*?)}", r"\1" if len(parts) == 1 else r"\2", says)
    return f"{'Column' if len(parts) == 1 else 'Columns'} {', '.join(parts[:MAX_NAMED])}{more} {verb}"


def _may_be_codes(column: np.ndarray) -> bool:
    if not is_numbers(column):
        return False
    distinct = np.unique(column[~np.isnan(column)])
    return len(distinct) in CODES and len(column) >= ROWS_PER_CODE * len(distinct)


def _values(column: np.ndarray) -> str:
    distinct = np.unique(column[~np.isnan(column)])
    return f"{distinct[0]:g} to {distinct[-1]:g}, {count(len(distinct), 'value')}"


def _typed(table: Table, columns: list[int]) -> str:
    """Columns as a value of an option of the command line; "COL,COL" if one cannot be typed."""
    names = [str(table.names[k]) for k in columns]
    return ",".join(names) if all(PLAIN.fullmatch(name) for name in names) else "COL,COL"


# -- columns of a training file ------------------------------------------------------------------------------


def column_doubts(table: Table, columns: dict[int, Column], fills_gaps: bool) -> list[Fault]:
    """Columns, by their indices, that may not be what they seem.

    ``fills_gaps`` says whether the median or the most frequent word takes the place of a gap.
    """
    found: list[Fault] = []
    for index, learned in columns.items():
        column = FileColumn(table, index)
        if fills_gaps and is_mostly_empty(column.values):
            found.append(_mostly_filled(column, learned.fill))
        if learned.is_words:
            found += _spellings(column, "words written in two ways")
        if learned.is_words and learned.is_text:
            found += _as_words(column)
    return found


def doubts_beside_faults(table: Table, target: int | None, places: Sequence[int], task: str) -> list[Fault]:
    """What a fit would say later: columns that number the rows, and labels written in two ways."""
    found: list[Fault] = []
    if task == "classification" and target is not None and is_words(table.columns[target]):
        found += _labels(FileColumn(table, target))
    return [*found, *(fault for k in places for fault in _row_numbers(FileColumn(table, k)))]


def _labels(column: FileColumn) -> list[Fault]:
    """Labels written in two ways: a fault if a class has one row, of which no model can be scored."""
    found = list(_spellings(column, "labels written in two ways"))
    if min(column.counts.values(), default=2) > 1:
        return found
    alone = "A class of one row cannot be scored."
    return [Fault(f"the spellings in {fault.place}", f"{fault.message} {alone}", doubt="") for fault in found]


def _mostly_filled(column: FileColumn, fill: str | float) -> Fault:
    by = quoted(fill) if isinstance(fill, str) else f"the median {fill:g}"
    message = (
        f"{column.n_missing} of {len(column.values)} values are missing, and {by} replaces all of them. "
        f"Leave it out with --ignore {column.typed}."
    )
    return column.droppable(message, doubt="mostly empty")


def _spellings(column: FileColumn, doubt: str) -> Iterator[Fault]:
    """Words of a column that differ only in capitals or spaces."""
    groups: dict[str, list[str]] = {}
    counts = column.counts
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
    yield column.fault(message, doubt=doubt)


def _as_words(column: FileColumn) -> Iterator[Fault]:
    """Numbers, dates and quantities that were coded as words."""
    n_numbers = len(column.counts) - len(column.odd)
    if n_numbers >= MANY_NUMBERS and column.n_odd <= column.counts.total() / 2:
        yield column.fault(f"it {_mostly_numbers(column)}", doubt="numbers as words")
    elif column.date:
        message = (
            f"it holds dates or times, such as {column.date}, which count as words, but new rows will have "
            f"other ones. Convert it to a number, or leave it out with --ignore {column.typed}."
        )
        yield column.droppable(message, doubt="dates as words")
    elif not n_numbers and len(column.counts) > 2 and column.unit:
        message = (
            f"its numbers have the unit {column.unit}, and count as words. Remove the unit from the cells."
        )
        yield column.fault(message, doubt="units as words")


def notes_on_words(columns: Iterable[FileColumn]) -> list[str]:
    """Columns of words that are mostly a few numbers, as in 2, 3, 4, more; one sentence each."""
    return [
        f"Column {column.name!r} {_mostly_numbers(column)}"
        for column in columns
        if column.n_odd <= column.counts.total() / 2 and len(column.counts) - len(column.odd) < MANY_NUMBERS
    ]


def _mostly_numbers(column: FileColumn) -> str:
    if not column.odd:
        return (
            "counts as words, because the file stores its numbers as text. If they are quantities, store "
            "them as numbers."
        )
    return (
        f"counts as words, though most of its cells are numbers (but {column.odd_in_words()}). If such a "
        "text means a missing value, add it to --missing."
    )


def _row_numbers(column: FileColumn) -> Iterator[Fault]:
    values = column.values
    if not is_numbers(values) or len(values) < MIN_ROWS or not np.isfinite(values).all():
        return
    if not numbers_rows(values):
        return
    leave = f"Leave it out with --ignore {column.typed}."
    message = f"it numbers the rows, and new rows will have other numbers. {leave}"
    yield column.droppable(message, doubt="row numbers")
