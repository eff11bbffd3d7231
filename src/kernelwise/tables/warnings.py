"""Warnings about columns that can be used as they are, but may not be what they seem.

`findings_of_table` is about samples of any source, `column_doubts` about the columns of a training file. What
keeps a file from being used is in `kernelwise.tables.problems`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from kernelwise._core.text import amount, count
from kernelwise._core.typing import is_sparse
from kernelwise.findings import Entry, Finding, catalogue
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.column import Column, numbers_rows
from kernelwise.tables.encoder import Encoder
from kernelwise.tables.problems import Fault, FileColumn, is_mostly_empty, names_rows
from kernelwise.tables.table import Table, is_missing, is_numbers, is_words
from kernelwise.tables.target import two_ways
from kernelwise.tables.written import CODE

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
#: Numbers that stand for missing values. A few nines are no code: ages, counts and prices have them.
MISSING_CODES = (-9.0, -99.0, -999.0, -9999.0, -99999.0, 999.0, 9999.0, 99999.0, 999999.0)
#: Such a number occurs so often at least, and is so many times the range of the others away from them.
TIMES, FAR = 3, 3.0


# -- samples of any source -----------------------------------------------------------------------------------


def findings_of_table(table: Table, encoder: Encoder) -> list[Finding]:
    """Findings about a table: what was done to it, and one for each kind of doubt."""
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
        *_about(
            catalogue.WHOLE_NUMBERS,
            table,
            {k: f" ({_values(table.columns[k])})" for k in codes},
            names=", ".join(repr(table.names[k]) for k in codes[:MAX_NAMED]),
        ),
        *_about(catalogue.WORDS_NAME_ROWS, table, dict.fromkeys(naming, "")),
        *_about(catalogue.EMPTY_COLUMNS, table, dict.fromkeys(empty, "")),
        *_about(
            catalogue.MOSTLY_EMPTY,
            table,
            {k: f" ({int(is_missing(table.columns[k]).sum())} gaps)" for k in sparse},
            n_rows=len(table),
        ),
    ]


def missing_codes(X: Any, names: Sequence[str]) -> list[Finding]:
    """A finding if columns have a number that looks like a code for a missing value, such as −999.

    ``X``, of shape (n_rows, n_columns), has the numbers of the rows, ``names`` are those of the columns as a
    sentence has them. A code is one of `MISSING_CODES`, repeats, and is far outside the other numbers: the
    only negative one, or farther away than they are from each other.
    """
    if is_sparse(X) or len(X) < MIN_ROWS:
        return []
    low, high = X.min(axis=0), X.max(axis=0)
    ends = np.flatnonzero(np.isin(low, MISSING_CODES) | np.isin(high, MISSING_CODES)).tolist()
    found = {k: code for k in ends for code in (low[k], high[k]) if _is_code(X[:, k], code)}
    if not found:
        return []
    parts = [f"{names[k]} ({code:g} in {int((X[:, k] == code).sum())} rows)" for k, code in found.items()]
    codes, shown = sorted(set(found.values())), enumerated(parts, MAX_NAMED)
    return [
        catalogue.MISSING_CODES(
            n=len(found),
            columns=f"{shown[0].upper()}{shown[1:]}",
            code=f"{codes[0]:g}",
            codes=",".join(f"{code:.0f}" for code in codes),
        )
    ]


def _is_code(values: np.ndarray, code: float) -> bool:
    """Whether an end of some numbers is a code for a missing value."""
    is_it = values == code
    others = values[~is_it]
    if code not in MISSING_CODES or is_it.sum() < TIMES or len(others) < MIN_ROWS:
        return False
    low, high = float(others.min()), float(others.max())
    if low == high:
        return False
    return (code < 0.0 <= low) or max(low - code, code - high) > FAR * (high - low)


def _about(entry: Entry, table: Table, columns: dict[int, str], **values: Any) -> list[Finding]:
    """The finding of an entry about columns, by their places, each with what follows its name; or none."""
    if not columns:
        return []
    parts = [f"{table.names[k]!r}{more}" for k, more in columns.items()]
    more = f" and {len(parts) - MAX_NAMED} more" if len(parts) > MAX_NAMED else ""
    shown = f"{', '.join(parts[:MAX_NAMED])}{more}"
    return [entry(n=len(parts), columns=shown, typed=_typed(table, list(columns)), **values)]


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
            found += _spellings(column, catalogue.WORDS_IN_TWO_WAYS)
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
    found = list(_spellings(column, catalogue.LABELS_IN_TWO_WAYS))
    if min(column.counts.values(), default=2) > 1:
        return found
    alone = "A class of one row cannot be scored."
    return [Fault(f"the spellings in {fault.place}", f"{fault.message} {alone}") for fault in found]


def _mostly_filled(column: FileColumn, fill: str | float) -> Fault:
    by = quoted(fill) if isinstance(fill, str) else f"the median {amount(fill, 6)}"
    doubt = catalogue.MOSTLY_FILLED(
        n_missing=column.n_missing, n_rows=len(column.values), fill=by, typed=column.typed
    )
    return column.droppable(doubt)


def _spellings(column: FileColumn, entry: Entry) -> Iterator[Fault]:
    """Words of a column that differ only in capitals or spaces."""
    twice = two_ways(column.counts)
    n_more = len(twice) - MOST_SPELLINGS
    more = f" (and {count(n_more, 'more such group')})" if n_more > 0 else ""
    if twice:
        yield column.fault(entry(groups="; ".join(twice[:MOST_SPELLINGS]), more=more))


def _as_words(column: FileColumn) -> Iterator[Fault]:
    """Numbers, dates and quantities that were coded as words."""
    n_numbers = len(column.counts) - len(column.odd)
    if not column.odd and any(CODE.fullmatch(text) for text in column.counts):
        return  # codes, such as 01001: no quantity has zeros in front
    if n_numbers >= MANY_NUMBERS and column.n_odd <= column.counts.total() / 2:
        yield column.fault(_mostly_numbers(column, "it"))
    elif column.date:
        yield column.droppable(catalogue.DATES_AS_WORDS(date=column.date, typed=column.typed))
    elif not n_numbers and len(column.counts) > 2 and column.unit:
        yield column.fault(catalogue.UNITS_AS_WORDS(unit=column.unit))


def notes_on_words(columns: Iterable[FileColumn]) -> list[str]:
    """Columns of words that are mostly a few numbers, as in 2, 3, 4, more; one sentence each."""
    return [
        _mostly_numbers(column, f"Column {column.name!r}").message
        for column in columns
        if column.n_odd <= column.counts.total() / 2 and len(column.counts) - len(column.odd) < MANY_NUMBERS
    ]


def _mostly_numbers(column: FileColumn, subject: str) -> Finding:
    if not column.odd:
        return catalogue.NUMBERS_STORED_AS_TEXT(subject=subject)
    return catalogue.NUMBERS_AS_WORDS(subject=subject, odd=column.odd_in_words())


def _row_numbers(column: FileColumn) -> Iterator[Fault]:
    values = column.values
    if not is_numbers(values) or len(values) < MIN_ROWS or not np.isfinite(values).all():
        return
    if not numbers_rows(values):
        return
    yield column.droppable(catalogue.COLUMN_OF_ROW_NUMBERS(typed=column.typed))
