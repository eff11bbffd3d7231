"""Columns that can be no features as they are: identifiers, dates, numbers with words among them, gaps."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np

from kernelwise._core.text import count
from kernelwise.frames.column import MAX_WORDS
from kernelwise.frames.doubts import MOSTLY_EMPTY
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.faults import Fault, column_option, in_shell
from kernelwise.tables.table import Table, is_missing

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


def column_fault(table: Table, index: int, lump: bool = False, is_code: bool = False) -> Fault | None:
    """What keeps a column from being features; None if nothing does.

    ``is_code`` says that the user wants it to be words, whatever they look like.
    """
    place, option = table.place(index), column_option(table, index)
    leave = f"eave it out with --ignore {in_shell(option)}"
    if index in table.unusable:
        return Fault(place, f"it holds {table.unusable[index]}, which cannot be features. L{leave}.", option)
    values = table.columns[index]
    present = values[~is_missing(values)]
    if not len(present):
        return Fault(place, f"it has no values. L{leave}.", option)
    if values.dtype.kind == "f":
        return _infinite(table, index, option)
    counts = Counter(present.tolist())
    names_rows = len(present) >= MIN_NAMED and len(counts) >= IDENTIFIER * len(present)
    if len(counts) <= MAX_WORDS and not names_rows:
        return None if is_code else _marks(table, index, counts, option)
    for judge in () if is_code else (_odd_texts, _dates, _units):
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
    return replace(fault, message=f"{fault.message} If it is a separate value, write a word for it.")


def _many_words(place: str, counts: Counter[str], such: str, option: str) -> Fault | None:
    """More words than can have features: that is no fault if most rows have one of the frequent ones."""
    n_kept = sum(n for _, n in counts.most_common(MAX_WORDS))
    if n_kept >= WORTH_KEEPING * counts.total():
        return None
    found = f"it has {len(counts)} different words, {such}; at most {MAX_WORDS} can have a feature each, and"
    rare = f"the most frequent {MAX_WORDS} are in only {n_kept} of {counts.total()} rows"
    leave = f"Leave it out with --ignore {in_shell(option)}"
    return Fault(place, f"{found} {rare}. {leave}, or keep these {MAX_WORDS} with --lump.", option)


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
    # Most cells may be limits of detection, or have separators of thousands, and the others be numbers.
    is_number_like = all(map(THOUSANDS.fullmatch, odd)) or all(map(LIMIT.fullmatch, odd))
    if n_odd == n or (n_odd > n / 2 and not is_number_like):
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
    how = f"--missing {in_shell(','.join(texts))}"
    limits = (
        " A number instead, such as half the limit, would tell the model more."
        if any(map(LIMIT.fullmatch, texts))
        else ""
    )
    message = f"{found}. Tell kernelwise that {means} with {how}, or {leave}.{limits}"
    return Fault(table.place(index), message, missing=texts)


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
        "or convert it to a number, such as the days since a fixed day."
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
