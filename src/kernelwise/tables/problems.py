"""Problems of a file: all that keeps it from being used, and the options with which it can be used as it is.

`column_fault` finds those of a column of a training file; other files have theirs in
`kernelwise.tables.new_rows`, and the target in `kernelwise.tables.target`. What is only doubtful is in
`kernelwise.tables.warnings`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kernelwise._core.text import count, in_shell
from kernelwise._core.threads import cached_property
from kernelwise.findings import Finding
from kernelwise.tables.cells import enumerated, quoted
from kernelwise.tables.column import MAX_WORDS
from kernelwise.tables.table import Table, TableError, is_missing, is_numbers, is_words

#: More faults than this are counted, not shown.
MOST_SHOWN = 10
#: Of many words the most frequent ones are worth keeping if they are in at least this share of the cells.
WORTH_KEEPING = 0.5
#: A column in which at least this share of the words occur once names its rows.
IDENTIFIER = 0.9
#: A column with a larger share of gaps than this is mostly empty.
MOSTLY_EMPTY = 0.5
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


@dataclass(frozen=True)
class Fault:
    """One thing that keeps a file from being used, or one that makes it doubtful.

    ``ignore``, ``missing``, ``task`` and ``labels`` are values of the options that help; a fault without any
    can only be corrected in the file. With a ``doubt``, a finding of this message, the file can be used as it
    is.
    """

    place: str  # such as "line 3, column 'a'"; empty for the whole file
    message: str  # what is wrong, and what to do
    ignore: str = ""
    missing: tuple[str, ...] = ()
    task: str = ""
    labels: str = ""
    doubt: Finding | None = None

    @property
    def has_option(self) -> bool:
        return bool(self.ignore or self.missing or self.task or self.labels)

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message

    def finding(self) -> Finding:
        """The doubt as a finding about its place in the file."""
        assert self.doubt is not None
        text = str(self)
        return replace(self.doubt, message=f"{text[:1].upper()}{text[1:]}")


class TableFaults(TableError):
    """All faults of a file; ``lines`` has one line for each, and one on how to go on.

    ``options`` are those that this line names, and ``first`` is what it says before them.
    """

    def __init__(self, source: str, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        serious = [fault for fault in faults if not fault.doubt]
        doubts = [fault for fault in faults if fault.doubt]
        if len(faults) == 1:
            between = ", " if faults[0].place else ": "
            self.lines = [f"{source}{between}{faults[0]}"]
        else:
            self.lines = [f"{source} has {count(len(serious), 'fault')}:", *_listed(serious)]
            if doubts:
                self.lines += ["These may also be wrong:", *_listed(doubts)]
        self.options = _options(serious)
        left = [fault.place or "the target" for fault in serious if not fault.has_option]
        correct = f"correct {enumerated(left, 3)} in the file, then add " if left else ""
        self.first = f"To continue: {correct}"
        if self.options:
            self.lines.append(f"{self.first}{self.options}")
        super().__init__("\n".join(self.lines))


def check_faults(source: str, faults: Iterable[Fault | None]) -> None:
    """Raise if there are any; see `TableFaults`."""
    found = [fault for fault in faults if fault is not None]
    if found:
        raise TableFaults(source, found)


def _listed(faults: Sequence[Fault]) -> list[str]:
    n_more = len(faults) - MOST_SHOWN
    more = [f"- and {n_more} more of these kinds."] if n_more > 0 else []
    return [*(f"- {fault}" for fault in faults[:MOST_SHOWN]), *more]


def _options(faults: Sequence[Fault]) -> str:
    """The options that help, as they are typed; a suspicion is no reason to leave a column out."""
    values = {
        "--task": [fault.task for fault in faults if fault.task][:1],
        "--labels": [fault.labels for fault in faults if fault.labels][:1],
        "--ignore": dict.fromkeys(fault.ignore for fault in faults if fault.ignore),
        "--missing": dict.fromkeys(text for fault in faults for text in fault.missing),
    }
    return " ".join(f"{name} {in_shell(','.join(value))}" for name, value in values.items() if value)


@dataclass(frozen=True)
class FileColumn:
    """One column of a file, as the checks look at it."""

    table: Table
    index: int

    @property
    def values(self) -> np.ndarray:
        return self.table.columns[self.index]

    @property
    def name(self) -> str:
        return str(self.table.names[self.index])

    @property
    def n_missing(self) -> int:
        return int(is_missing(self.values).sum())

    @cached_property
    def counts(self) -> Counter[str]:
        """How often the column has each word or number, in the order of the rows."""
        values = self.values if is_numbers(self.values) else self.table.text(self.index)
        return Counter(values[~is_missing(self.values)].tolist())

    @cached_property
    def odd(self) -> dict[str, list[int]]:
        """Texts that are no numbers, with their rows."""
        rows: dict[str, list[int]] = {}
        is_odd: dict[str, bool] = {}
        for row, word in enumerate(self.table.text(self.index)):
            if word is not None and is_odd.setdefault(word, not self.table.is_number(word)):
                rows.setdefault(word, []).append(row)
        return rows

    @property
    def n_odd(self) -> int:
        """Cells that are no numbers."""
        return sum(map(len, self.odd.values()))

    def odd_in_words(self) -> str:
        """The texts that are no numbers, how often each occurs and where first: "'-', first in line 86"."""
        parts = []
        for word, rows in sorted(self.odd.items(), key=lambda item: -len(item[1])):
            times = f" {count(len(rows), 'time')}" if len(self.odd) > 1 else ""
            parts.append(f"{quoted(word)}{times}, first in {self.table.line(rows[0])}")
        return enumerated(parts, most=3)

    @property
    def date(self) -> str:
        """The first date or time, quoted, if nearly all words are such; empty if not."""
        dates = [word for word in self.counts if DATE.fullmatch(word)]
        is_date = sum(self.counts[word] for word in dates) >= IDENTIFIER * self.counts.total()
        return quoted(dates[0]) if dates and is_date else ""

    @property
    def unit(self) -> str:
        """The unit that all words have behind a number, and the first of them, quoted; empty if none."""
        found = [UNIT.fullmatch(word) for word in self.counts if not self.table.is_number(word)]
        units = {match.group(2).strip() for match in found if match is not None}
        return f"{quoted(*units)}, as in {self.first}" if len(units) == 1 and all(found) else ""

    @property
    def first(self) -> str:
        """The first word, quoted."""
        return quoted(next(iter(self.counts)))

    @property
    def option(self) -> str:
        """How --ignore names the column: by its name, or by its number where the name cannot be typed."""
        name = self.name
        typed = name.isprintable() and "," not in name and name == name.strip()
        return name if typed and self.table.names.index(name) == self.index else str(self.index + 1)

    @property
    def typed(self) -> str:
        """The same as it is typed in a shell."""
        return in_shell(self.option)

    def fault(self, found: str | Finding, row: int | None = None, **options: Any) -> Fault:
        """What is wrong with the column, or with one of its cells; a finding is a doubt."""
        place = self.table.place(self.index, row)
        if isinstance(found, Finding):
            return Fault(place, found.message, doubt=found, **options)
        return Fault(place, found, **options)

    def droppable(self, found: str | Finding, row: int | None = None) -> Fault:
        """What is wrong with a column that can be left out."""
        return self.fault(found, row, ignore=self.option)


def names_rows(values: np.ndarray, least: int) -> bool:
    """Whether a column has another word in nearly every row; fewer words than ``least`` do not tell."""
    words = values[~is_missing(values)].tolist()
    return len(words) >= least and len(set(words)) >= IDENTIFIER * len(words)


def is_mostly_empty(values: np.ndarray) -> bool:
    """Whether a column has so many gaps that it tells little more than whether there is a value."""
    return bool(is_missing(values).mean() > MOSTLY_EMPTY)


# -- a column of a training file -----------------------------------------------------------------------------


def column_fault(
    column: FileColumn, lump: bool = False, is_code: bool = False, is_used: bool = False
) -> Fault | None:
    """What keeps a column from being features; None if nothing does.

    ``is_code`` says that its words are words, whatever they look like, and ``is_used`` that the user wants
    them although they name the rows.
    """
    leave_out = f"Leave it out with --ignore {column.typed}"
    unusable = column.table.unusable.get(column.index)
    if unusable is not None:
        return column.droppable(f"it holds {unusable}, which cannot be features. {leave_out}.")
    if column.n_missing == len(column.values):
        return column.droppable(f"it has no values. {leave_out}.")
    if not is_words(column.values):
        return _infinite(column) if is_numbers(column.values) else None
    counts, is_name = column.counts, not is_used and names_rows(column.values, MIN_NAMED)
    if len(counts) <= MAX_WORDS and not is_name:
        return None if is_code else _marks(column)
    if not is_code:
        fault = _odd_texts(column)
        if fault is not None:
            return fault
        if column.date:
            return column.droppable(
                f"it holds dates or times, such as {column.date}. {leave_out}, or convert it to a number, "
                "such as the days since a fixed day."
            )
        if column.unit:
            return column.droppable(
                f"its numbers have the unit {column.unit}. Remove the unit from the cells, or leave the "
                f"column out with --ignore {column.typed}."
            )
    if is_name:
        return column.droppable(
            f"it has {len(counts)} different words in {count(counts.total(), 'row')}, such as "
            f"{column.first}, and looks like an identifier. {leave_out}."
        )
    # More words than can have features are no fault if most rows have one of the frequent ones.
    n_kept = sum(n for _, n in counts.most_common(MAX_WORDS))
    if lump or n_kept >= WORTH_KEEPING * counts.total():
        return None
    return column.droppable(
        f"it has {len(counts)} different words, such as {column.first}; at most {MAX_WORDS} can have a "
        f"feature each, and the most frequent {MAX_WORDS} are in only {n_kept} of {counts.total()} rows. "
        f"{leave_out}, or keep these {MAX_WORDS} with --lump."
    )


def _marks(column: FileColumn) -> Fault | None:
    """A column of few different numbers, and of signs such as '-' that may stand for missing ones.

    With other texts among them, such as '5 or more', the numbers may be words.
    """
    fault = _odd_texts(column) if all(map(MARK.fullmatch, column.odd)) else None
    if fault is None:
        return None
    return replace(fault, message=f"{fault.message} If it is a separate value, write a word for it.")


def _odd_texts(column: FileColumn) -> Fault | None:
    """A column of numbers among which are a few texts."""
    odd, n_odd, n = column.odd, column.n_odd, column.counts.total()
    # Most cells may be limits of detection, or have separators of thousands, and the others be numbers.
    is_number_like = all(map(THOUSANDS.fullmatch, odd)) or all(map(LIMIT.fullmatch, odd))
    # Without any, it is a file of columns with types, which says that these numbers are text.
    if not odd or n_odd == n or (n_odd > n / 2 and not is_number_like):
        return None
    are_not = "is not a number" if n_odd == 1 else "are not numbers"
    found = f"{n_odd} of {len(column.table)} cells {are_not} ({column.odd_in_words()})"
    leave = f"leave the column out with --ignore {column.typed}"
    if all(map(THOUSANDS.fullmatch, odd)):
        return column.droppable(f"{found}. Write numbers without separators of thousands, or {leave}.")
    if len(odd) > MAX_ODD or any("," in word or not word.isprintable() for word in odd):
        return column.droppable(f"{found}. Correct these cells, or {leave}.")
    means = f"{enumerated(map(quoted, odd), 3)} {'means' if len(odd) == 1 else 'mean'} missing"
    how = f"--missing {in_shell(','.join(odd))}"
    has_limit = any(map(LIMIT.fullmatch, odd))
    limits = " A number instead, such as half the limit, would tell the model more." if has_limit else ""
    message = f"{found}. Tell kernelwise that {means} with {how}, or {leave}.{limits}"
    return column.fault(message, missing=tuple(odd))


def _infinite(column: FileColumn) -> Fault | None:
    rows = np.flatnonzero(np.isinf(column.values))
    if not len(rows):
        return None
    more = f", nor are {len(rows) - 1} more cells" if len(rows) > 1 else ""
    return column.droppable(
        f"{column.values[rows[0]]} is not a finite number{more}. Correct it, or leave the column out with "
        f"--ignore {column.typed}.",
        int(rows[0]),
    )
