"""Columns that can be no features as they are: identifiers, dates, numbers with words among them, gaps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from kernelwise._core.text import count
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.faults import Fault, column_option, in_shell
from kernelwise.tables.table import Table, is_missing

#: More different words than this in a column are refused: they are names or text, not kinds.
MAX_CATEGORIES = 20
#: A column with a larger share of missing values is better left out than filled.
MOSTLY_EMPTY = 0.5
#: Of many words the most frequent ones are worth keeping if they are in at least this share of the cells.
WORTH_KEEPING = 0.5
#: A column in which at least this share of the words occur once names its rows.
IDENTIFIER = 0.9
#: Fewer words than this say nothing about whether they name their rows.
MIN_NAMED = 5
#: A column with more different texts among its numbers than this is none of numbers with gaps.
MAX_ODD = 10
DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([T ].*)?"
    r"|\d{1,2}[-/. ]+(\d{1,2}|[^\W\d]{3,9})\.?[-/. ]+\d{2,4}([T, ].*)?"
    r"|\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?"
)
THOUSANDS = re.compile(r"[+-]?\d{1,3}(([,' ]\d{3})+(\.\d+)?|(\.\d{3})+(,\d+)?)")
UNIT = re.compile(r"([+-]?\d+(?:[.,]\d+)?)\s*([^\d\s.,:/-][^\d]*)")
#: Above or below what can be measured.
LIMIT = re.compile(r"[<>≤≥]=?\s*[\d.,]+")
#: What people write for a missing number: signs without a letter, and a few abbreviations.
MARK = re.compile(r"[^\w<>≤≥+]+|#?n[./]?[ad]\.?|#(div/0|value|ref|num)!", re.IGNORECASE)


def column_fault(table: Table, index: int, lump: bool = False, impute: bool = False) -> Fault | None:
    """What keeps a column from being features, a few missing values apart; None if nothing does."""
    place, option = table.place(index), column_option(table, index)
    leave = f"eave it out with --ignore {in_shell(option)}"
    if index in table.unusable:
        return Fault(place, f"it holds {table.unusable[index]}, which are no features. L{leave}.", option)
    values = table.columns[index]
    present = values[~is_missing(values)]
    if not len(present):
        return Fault(place, f"it has no values. L{leave}.", option)
    if is_mostly_empty(values) and not impute:
        n_missing = f"{len(values) - len(present)} of {len(values)}"
        return Fault(place, f"{n_missing} values are missing, too many to fill. L{leave}.", option)
    if values.dtype.kind == "f":
        return _infinite(table, index, option)
    counts = Counter(present.tolist())
    names_rows = len(present) >= MIN_NAMED and len(counts) >= IDENTIFIER * len(present)
    if len(counts) <= MAX_CATEGORIES and not names_rows:
        return _marks(table, index, counts, option)
    for judge in (_odd_texts, _dates, _units):
        fault = judge(table, index, counts, option)
        if fault is not None:
            return fault
    such = f"such as {quoted(next(iter(counts)))}"
    if names_rows:
        n_words = f"{len(counts)} different words in {count(len(present), 'row')}, {such}"
        return Fault(place, f"it has {n_words}, and looks like an identifier. L{leave}.", option)
    return None if lump else _many_words(place, counts, such, option)


def is_mostly_empty(values: np.ndarray) -> bool:
    """Whether a column has so many gaps that it is better left out than filled."""
    return bool(is_missing(values).mean() > MOSTLY_EMPTY)


def _marks(table: Table, index: int, counts: Counter[str], option: str) -> Fault | None:
    """A column of few different numbers, and of signs such as '-' that may stand for missing ones.

    With other texts among them, such as '5 or more', the numbers may be words.
    """
    are_marks = all(table.is_number(word) or MARK.fullmatch(word) for word in counts)
    fault = _odd_texts(table, index, counts, option) if are_marks else None
    if fault is None:
        return None
    return replace(fault, message=f"{fault.message} If it is a value of its own, write a word for it.")


def _many_words(place: str, counts: Counter[str], such: str, option: str) -> Fault:
    """More words than can be coded: the frequent ones are kept if most rows have one of them."""
    n_kept = sum(n for _, n in counts.most_common(MAX_CATEGORIES))
    found = f"it has {len(counts)} different words, {such}; at most {MAX_CATEGORIES} can be coded"
    leave = f"eave it out with --ignore {in_shell(option)}"
    if n_kept >= WORTH_KEEPING * counts.total():
        return Fault(place, f"{found}. Put the rare ones together with --lump, or l{leave}.", lump=True)
    rare = f"the {MAX_CATEGORIES} most frequent are in {n_kept} of {counts.total()} rows only"
    return Fault(place, f"{found}, and {rare}. L{leave}, or keep these {MAX_CATEGORIES} with --lump.", option)


def gaps_fault(table: Table, places: Sequence[int]) -> Fault | None:
    """Missing values of some columns, in one sentence; None if there are none."""
    rows = {k: np.flatnonzero(is_missing(table.columns[k])) for k in places}
    gaps = {k: found for k, found in rows.items() if len(found)}
    if not gaps:
        return None
    how = "with --impute (median, or most frequent word), or complete the file"
    first = next(iter(gaps))
    if len(gaps) == 1 and len(gaps[first]) == 1:
        place = table.place(first, int(gaps[first][0]))
        return Fault(place, f"a value is missing. Fill it {how}.", impute=True)
    each = [f"{len(found)} of {len(table)} values are missing" for found in gaps.values()]
    lines = [f"the first in {table.line(int(found[0]))}" for found in gaps.values()]
    if len(gaps) == 1:
        return Fault(table.place(first), f"{each[0]}, {lines[0]}. Fill them {how}.", impute=True)
    parts = [f"{table.names[k]!r} ({len(gaps[k])}, {line})" for k, line in zip(gaps, lines, strict=True)]
    message = f"values are missing in {len(gaps)} columns: {enumerated(parts)}. Fill them {how}."
    return Fault("", message, impute=True)


def odd_texts(table: Table, index: int) -> dict[str, list[int]]:
    """Texts of a column that are no numbers, with their rows."""
    rows: dict[str, list[int]] = {}
    is_odd: dict[str, bool] = {}
    for row, word in enumerate(table.columns[index]):
        if word is not None and is_odd.setdefault(word, not table.is_number(word)):
            rows.setdefault(word, []).append(row)
    return rows


def counted_texts(table: Table, odd: dict[str, list[int]]) -> str:
    """Texts, how often each occurs and where first: "'-', first in line 86"."""
    often = sorted(odd.items(), key=lambda item: -len(item[1]))
    parts = []
    for word, rows in often:
        times = f" {count(len(rows), 'time')}" if len(odd) > 1 else ""
        parts.append(f"{quoted(word)}{times}, first in {table.line(rows[0])}")
    return enumerated(parts, most=3)


def _odd_texts(table: Table, index: int, counts: Counter[str], option: str) -> Fault | None:
    """A column of numbers among which are a few texts."""
    odd = odd_texts(table, index)
    n_odd, n = sum(map(len, odd.values())), counts.total()
    if n_odd > n / 2:
        return None
    found = f"{n_odd} of {len(table)} cells {'is' if n_odd == 1 else 'are'} not {_a_number(n_odd)}"
    found = f"{found} ({counted_texts(table, odd)})"
    leave = f"leave the column out with --ignore {in_shell(option)}"
    if all(map(THOUSANDS.fullmatch, odd)):
        message = f"{found}. Write numbers without separators of thousands, or {leave}."
        return Fault(table.place(index), message, option)
    if len(odd) > MAX_ODD or any("," in word or not word.isprintable() for word in odd):
        return Fault(table.place(index), f"{found}. Correct these cells, or {leave}.", option)
    texts = tuple(odd)
    means = f"{enumerated(map(quoted, texts), 3)} {'means' if len(odd) == 1 else 'mean'} missing"
    how = f"--missing {in_shell(','.join(texts))} --impute"
    limits = (
        " A number in its place, such as half the limit, would say more."
        if any(map(LIMIT.fullmatch, texts))
        else ""
    )
    message = f"{found}. Tell kernelwise that {means} with {how}, or {leave}.{limits}"
    return Fault(table.place(index), message, missing=texts, impute=True)


def _a_number(n: int) -> str:
    return "a number" if n == 1 else "numbers"


def date_in(counts: Counter[str]) -> str:
    """The first date or time, if nearly all words are such; empty if not."""
    n_dates = sum(n for word, n in counts.items() if DATE.fullmatch(word))
    return (
        next((w for w in counts if DATE.fullmatch(w)), "") if n_dates >= IDENTIFIER * counts.total() else ""
    )


def unit_of(table: Table, counts: Counter[str]) -> str:
    """The unit that all words have behind a number; empty if there is none."""
    found = [UNIT.fullmatch(word) for word in counts if not table.is_number(word)]
    units = {match.group(2).strip() for match in found if match is not None}
    return units.pop() if len(units) == 1 and all(found) else ""


def _dates(table: Table, index: int, counts: Counter[str], option: str) -> Fault | None:
    first = date_in(counts)
    if not first:
        return None
    message = (
        f"it holds dates or times, such as {quoted(first)}. Leave it out with --ignore {in_shell(option)}, "
        "or turn it into a number, such as the days since a fixed day."
    )
    return Fault(table.place(index), message, option)


def _units(table: Table, index: int, counts: Counter[str], option: str) -> Fault | None:
    unit = unit_of(table, counts)
    if not unit:
        return None
    message = (
        f"its numbers have the unit {quoted(unit)}, as in {quoted(next(iter(counts)))}. Remove the "
        f"unit from the cells, or leave the column out with --ignore {in_shell(option)}."
    )
    return Fault(table.place(index), message, option)


def _infinite(table: Table, index: int, option: str) -> Fault | None:
    rows = np.flatnonzero(np.isinf(table.columns[index]))
    if not len(rows):
        return None
    value = table.columns[index][rows[0]]
    more = f", nor are {len(rows) - 1} more cells" if len(rows) > 1 else ""
    message = (
        f"{value} is not a finite number{more}. Correct it, or leave the column out with --ignore "
        f"{in_shell(option)}."
    )
    return Fault(table.place(index, int(rows[0])), message, option)
