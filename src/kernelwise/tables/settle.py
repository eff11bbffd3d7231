"""What is done to a raw table before anything is learned, and said: the same for files and data frames.

Texts become numbers and dates where that is sure, cells that are neither count as missing, and columns that
cannot help are left out. Each kind of change is one finding. What keeps a table from being used in spite of
this is in `kernelwise.tables.problems`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kernelwise._core.text import amount, in_shell
from kernelwise.findings import Finding, catalogue
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.column import MAX_WORDS, TIMES, numbers_rows, words_of
from kernelwise.tables.dates import (
    DAY_FIRST,
    MONTH_FIRST,
    TIME_OF_DAY,
    as_moments,
    find_order,
    is_guess,
    read_moment,
)
from kernelwise.tables.problems import LIMIT, MARK, MAX_ODD, MIN_NAMED, FileColumn, names_rows
from kernelwise.tables.table import Table, is_missing, is_numbers, is_words
from kernelwise.tables.written import (
    CODE,
    PER_CENT,
    TRUTH,
    Writing,
    currencies,
    decimal_of,
    find_decimal,
    find_writing,
)

#: Different values from which on texts may be numbers or dates; of two it makes no difference.
MIN_KINDS = 3
#: The share of cells that may be of another kind, however many different ones these are.
FEW = 0.05
#: Rows from which on numbers with the step 1, or with another one, are no chance.
COUNTED, SPACED = 10, 30
#: Whole names of columns that count rows, and the last words of names of those that may also identify them.
ROWS = frozenset({"idx", "index", "row", "rows", "rownames", "obs"})
COUNTS = ROWS | {"id", "uid", "key", "nr", "no"}
#: Numbers of the latter are in a range of at most so many times the rows: a part of a table lacks some.
DENSE = 1.5
YEARS = range(1500, 2201)
UNNAMED = re.compile(r"column \d+|unnamed: ?\d+(\.\d+)?(_level_\d+)?|", re.IGNORECASE)
#: Columns and lines that a sentence names, at most.
MOST_NAMED, MOST_LINES = 8, 5

ROW_NUMBERS, CONSTANT = "numbers the rows", "has one value only"
WORDS = "has a different word in nearly every row"
EMPTY = "has no values"
#: What needs nobody's attention.
HARMLESS = (CONSTANT, EMPTY)
#: What texts were read as, and what is told of it.
READ_AS = {
    "numbers": catalogue.READ_AS_NUMBERS,
    "dates": catalogue.READ_AS_DATES,
    "times of the day": catalogue.READ_AS_TIMES,
}


def settle(
    table: Table,
    places: Sequence[int],
    fixed: Collection[int] = (),
    kept: Collection[int] = (),
    more: Mapping[int, str] | None = None,
) -> Table:
    """The table with its texts read, and with the columns named that are left out; see `Table.done`.

    ``places`` are the columns that may be features. Those of ``fixed`` are words whatever they look like, and
    those of ``kept`` are not left out; ``more`` has further ones to leave out, and why.
    """
    words = [k for k in places if k not in fixed and is_words(table.columns[k])]
    if not table.decimal:  # of no text file
        signs = [decimal_of(filter(None, table.columns[k])) for k in words]
        table = replace(table, decimal=find_decimal(signs)[0])
    codes = [k for k in places if k in table.codes and is_numbers(table.columns[k])]
    table = replace(table, columns=_with(table.columns, {k: table.text(k) for k in codes}))
    read = [_read(FileColumn(table, k)) for k in words]
    changes = {change.index: change for change in read if change is not None}
    columns = _with(table.columns, {k: change.values for k, change in changes.items()})
    written = {k: change.written for k, change in changes.items()}
    missing = [change for change in changes.values() if len(change.bad)]
    settled = replace(table, columns=columns, written={**table.written, **written})
    for k in places:
        values = settled.columns[k]
        if is_numbers(values) and np.isinf(values).any() and len(table.lines):
            change = _finite(settled, k)
            settled = settled.with_column(k, change.values)
            missing.append(change)
    useless = {k: (more or {}).get(k) or _useless(settled, k, fixed) for k in places if k not in kept}
    left_out = {k: why for k, why in useless.items() if why}
    if len(left_out) == len(places):
        left_out = {}  # nothing would be left to learn from
    changes = {k: change for k, change in changes.items() if k not in left_out}
    found = [
        *left_out_findings(settled, left_out),
        *_missing(settled, [change for change in missing if change.index not in left_out]),
        *_as_read(settled, changes.values()),
        *_as_codes(settled, [k for k in codes if k not in left_out]),
    ]
    return replace(settled, left_out={**table.left_out, **left_out}, done=(*table.done, *found))


def _with(columns: Sequence[np.ndarray], others: Mapping[int, np.ndarray]) -> tuple[np.ndarray, ...]:
    return tuple(others.get(k, values) for k, values in enumerate(columns))


# -- texts that are numbers or dates -------------------------------------------------------------------------


@dataclass(frozen=True)
class Change:
    """A column of texts, read as numbers or dates."""

    index: int
    values: np.ndarray
    written: object
    noun: str
    example: str  # a cell, quoted; empty if nothing is unusual about it
    odd: tuple[str, ...]  # texts that are none, and count as missing now
    bad: np.ndarray  # their rows
    doubt: Finding | None = None  # what is not sure about it


def _read(column: FileColumn) -> Change | None:
    """The column as numbers or dates; None if it is neither, or not surely."""
    way = find_writing(column.counts, column.table.decimal)
    if way is not None and way.unit == TRUTH:
        values = np.array([np.nan if text is None else way.number(text) for text in column.values])
        return _change(column, values, tuple(way), "numbers", column.first, [])
    if len(column.counts) < MIN_KINDS:
        return None
    return (way and _numbers(column, way)) or _dates(column)


def _numbers(column: FileColumn, way: Writing) -> Change | None:
    counts = column.counts
    known = way.numbers(counts)
    others = way.other.numbers(text for text in counts if text not in known)
    either = way.other.numbers(known.keys()) if others else {}
    if all(known[text] == number for text, number in either.items()):
        known |= others  # both signs of decimals are there, and no cell could have either
    odd = [text for text in counts if text not in known]
    is_plain = all(map(column.table.is_number, known))
    if len(known) < MIN_KINDS or (is_plain and not odd and len(counts) <= MAX_WORDS):
        return None  # numbers that a file with types stores as text: codes, unless there are many
    if odd and not _is_few(column, odd):
        return None
    values = np.array([np.nan if text is None else known.get(text, np.nan) for text in column.values])
    unusual = [text for text in known if not column.table.is_number(text)] or ([] if odd else list(known))
    example = quoted(unusual[0]) if unusual else ""
    if unusual and (way.unit == PER_CENT or not decimal_of(known)):
        example += f", which is {amount(known[unusual[0]], 6)}"
    kinds = currencies(known)
    doubt = catalogue.CURRENCIES(column=column.name, signs=enumerated(kinds)) if len(kinds) > 1 else None
    return _change(column, values, tuple(way), "numbers", example, odd, doubt)


def _dates(column: FileColumn) -> Change | None:
    counts = column.counts
    order = find_order(counts, DAY_FIRST if column.table.decimal == "," else MONTH_FIRST)
    if order is None:
        return None
    odd = [text for text in counts if read_moment(text, order) is None]
    if len(counts) - len(odd) < MIN_KINDS or (odd and not _is_few(column, odd)):
        return None
    values = as_moments(column.values.tolist(), order)
    noun = "times of the day" if order == TIME_OF_DAY else "dates"
    first = next(text for text in counts if text not in odd)
    says = f"{quoted(first)}, {order}" if re.match(r"\d{1,2}/\d", first) else quoted(first)
    doubt = None
    if is_guess(counts):
        doubt = catalogue.DATES_GUESSED(column=column.name, first=quoted(first), order=order)
    is_told = order == TIME_OF_DAY or any(
        read_moment(text, MONTH_FIRST) != read_moment(text, DAY_FIRST) for text in counts
    )
    return _change(column, values, order if is_told else "", noun, says, odd, doubt)


def _is_few(column: FileColumn, odd: Sequence[str]) -> bool:
    """Whether texts among numbers or dates are surely no values of their own: marks, or few cells of many."""
    counts, n_odd = column.counts, sum(column.counts[text] for text in odd)
    if n_odd > counts.total() / 2:
        return False
    if all(map(MARK.fullmatch, odd)):
        return True
    if len(counts) <= MAX_WORDS:
        return False  # as in 2, 3, 4, more
    return len(odd) <= min(MAX_ODD, len(counts) / 2) or n_odd <= FEW * counts.total()


def _change(
    column: FileColumn,
    values: np.ndarray,
    written: object,
    noun: str,
    example: str,
    odd: Sequence[str],
    doubt: Finding | None = None,
) -> Change:
    among = set(odd)
    rows = np.array([k for k, text in enumerate(column.values) if text in among], dtype=int)
    return Change(column.index, values, written, noun, example, tuple(odd), rows, doubt)


def _finite(table: Table, k: int) -> Change:
    values = table.columns[k]
    rows = np.flatnonzero(np.isinf(values))
    odd = tuple(dict.fromkeys(map(str, table.text(k)[rows])))
    return Change(k, np.where(np.isinf(values), np.nan, values), None, "numbers", "", odd, rows)


# -- columns that cannot help --------------------------------------------------------------------------------


def _useless(table: Table, k: int, fixed: Collection[int]) -> str:
    """Why a column cannot help; empty if it can."""
    if k in table.unusable:
        return f"holds {table.unusable[k]}"
    values = table.columns[k]
    present = values[~is_missing(values)]
    if not len(present):
        return EMPTY
    if len(present) == len(values) > 1 and (present == present[0]).all():
        return CONSTANT
    if is_numbers(values):
        return counts_rows(table, k)
    if is_words(values) and k not in fixed and names_rows(values, MIN_NAMED):
        return WORDS
    return ""


def counts_rows(table: Table, k: int) -> str:
    """Why numbers only count or identify the rows; empty if not. All of them differ for prices, too."""
    values, name = table.columns[k], str(table.names[k])
    if not is_numbers(values) or not np.isfinite(values).all() or len(values) < MIN_KINDS:
        return ""
    if table.whole and not table.whole[k]:
        return ""  # who declares whole numbers to be others measures, and does not count
    kind = numbers_rows(values)
    if kind is None or len(np.unique(values)) < len(values):
        return ""
    if table.has_names and UNNAMED.fullmatch(name) and not all(map(UNNAMED.fullmatch, map(str, table.names))):
        return f"{ROW_NUMBERS}, without a name"
    words, steps = words_of(name), np.diff(values)
    is_part = len(words) == 1 and words[0] in ROWS and bool((steps > 0.0).all())
    # Other numbers of a column with such a name may tell something, as those of districts do.
    is_dense = np.ptp(values) < DENSE * len(values)
    if words and words[-1] in COUNTS and (is_dense or is_part) and len(values) >= COUNTED:
        return ROW_NUMBERS
    is_even = bool((steps == steps[0]).all())
    is_time = bool((TIMES | {"t", "x"}) & set(words)) or (
        values.min() >= YEARS[0] and values.max() <= YEARS[-1]
    )
    least = COUNTED if abs(steps[0]) == 1 else SPACED
    return ROW_NUMBERS if is_even and not is_time and len(values) >= least else ""


# -- what was done, in sentences -----------------------------------------------------------------------------


def left_out_findings(table: Table, reasons: dict[int, str]) -> list[Finding]:
    """Columns that are left out, those that somebody may miss first."""
    found = []
    for is_harmless in (False, True):
        chosen = {k: why for k, why in reasons.items() if (why in HARMLESS) == is_harmless}
        if not chosen:
            continue
        groups: dict[str, list[str]] = {}
        for k, why in chosen.items():
            groups.setdefault(why, []).append(repr(table.names[k]))
        parts = [f"{enumerated(names, MOST_NAMED)} ({why})" for why, names in groups.items()]
        entry = catalogue.HARMLESS_LEFT_OUT if is_harmless else catalogue.COLUMNS_LEFT_OUT
        first = min(chosen)
        dtype = "float" if is_numbers(table.columns[first]) else "category"
        declared = f"X.astype({{{table.names[first]!r}: {dtype!r}}})"
        typed = in_shell(FileColumn(table, first).option)
        found.append(entry(n=len(chosen), columns="; ".join(parts), typed=typed, declared=declared))
    return found


def _missing(table: Table, changes: Sequence[Change]) -> list[Finding]:
    """Cells among numbers or dates that count as missing."""
    found = []
    for change in changes:
        rows = change.bad
        word, _, _ = table.line(0).partition(" ")
        lines = enumerated([table.line(int(row)).removeprefix(f"{word} ") for row in rows], MOST_LINES)
        where = f"{word}{'s' if len(rows) > 1 else ''} {lines}"
        what = enumerated(map(quoted, change.odd), 3)
        is_limit = any(map(LIMIT.fullmatch, change.odd))
        limits = " A number instead, such as half the limit, would tell the model more." if is_limit else ""
        kind = re.sub(r"s\b", "", change.noun, count=1) if len(rows) == 1 else change.noun
        column = table.names[change.index]
        finding = catalogue.CELLS_MISSING(
            column=column, n=len(rows), kind=kind, what=what, where=where, limits=limits
        )
        found.append(finding)
    return found


def _as_read(table: Table, changes: Collection[Change]) -> list[Finding]:
    """Columns of texts that were read as numbers or dates."""
    found = []
    for noun, entry in READ_AS.items():
        read = [one for one in changes if one.noun == noun and one.example]
        parts = [f"{table.names[one.index]!r} (such as {one.example})" for one in read]
        if parts:
            found.append(entry(columns=enumerated(parts, MOST_NAMED)))
    return [*found, *(one.doubt for one in changes if one.doubt is not None)]


def _as_codes(table: Table, places: Sequence[int]) -> list[Finding]:
    """Whole numbers with zeros in front, which are words."""
    first = {k: next(text for text in table.columns[k] if text and CODE.fullmatch(text)) for k in places}
    parts = [f"{table.names[k]!r} (such as {quoted(text)})" for k, text in first.items()]
    return [catalogue.CODES_AS_WORDS(columns=enumerated(parts, MOST_NAMED))] if parts else []
