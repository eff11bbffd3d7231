"""New rows: their columns are found, and their cells read as those of the training rows.

What does not fit is a `Misfit`: it says how such cells are coded, or why they are refused where nothing but
the training rows' own kind is allowed. Files and data frames go the same way, with the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.text import amount, count
from kernelwise.tables.cells import enumerated, quoted, words_of
from kernelwise.tables.column import Column
from kernelwise.tables.dates import Dates, is_guess
from kernelwise.tables.problems import Fault, FileColumn, check_faults
from kernelwise.tables.table import Table, is_missing, is_numbers, is_words
from kernelwise.tables.target import one_way, spelling
from kernelwise.tables.written import plain_numbers

#: In as many rows it is no chance that no word is known.
MANY_ROWS = 10
#: Kinds of misfits: a missing cell, one that cannot be read, a word that is new, and what was guessed.
GAP, UNREADABLE, WORD, GUESS = "gap", "unreadable", "word", "guess"
EVERY_KIND = frozenset({GAP, UNREADABLE, WORD, GUESS})
NEW = "a word that is not in the training rows"
#: Which of two ways to read a cell fit: that of the training rows only, the other one only, or both.
AS_TRAINED, OTHERWISE, EITHER_WAY = "as trained", "otherwise", "either way"
SPELLED = "a word of the training rows in other capitals or blanks"


class Misfit(NamedTuple):
    """Cells of a column of new rows that are of another kind than those of the training rows."""

    kind: str
    note: str  # how they are coded
    fault: Fault  # why they are refused, where they are


def places_by_name(wanted: Iterable[Any], names: Sequence[Any]) -> list[int | None]:
    """Places of the wanted names; in other capitals or blanks if there is one such name; None for others."""
    wanted = list(wanted)
    free = [name for name in names if name not in wanted]
    places: list[int | None] = []
    for name in wanted:
        like = [other for other in free if spelling(str(other)) == spelling(str(name))]
        same = name if name in names else like[0] if len(like) == 1 else None
        places.append(None if same is None else list(names).index(same))
    return places


def notes_on_names(wanted: Iterable[Any], names: Sequence[Any]) -> list[str]:
    """A sentence if columns are called otherwise than in the training rows."""
    pairs = zip(wanted, places_by_name(wanted := list(wanted), names), strict=True)
    other = [f"{names[k]!r} for {name!r}" for name, k in pairs if k is not None and names[k] != name]
    return [f"Names of columns in other capitals or blanks were taken: {enumerated(other)}."] if other else []


def fit_columns(
    table: Table,
    places: Sequence[int],
    columns: Sequence[Column],
    fills_gaps: bool = False,
    refused: frozenset[str] = frozenset(),
) -> tuple[list[np.ndarray], list[str]]:
    """Cells of new rows as columns of the training rows, and how those that do not fit are coded, in words.

    Kinds of misfits in ``refused`` raise a TableError with all of them. ``fills_gaps`` says that gaps are
    filled, which the training rows had or not.
    """
    found = [_fit(table, place, column, fills_gaps) for place, column in zip(places, columns, strict=True)]
    misfits = [*_contrary(table, places, columns), *(misfit for _, some in found for misfit in some)]
    check_faults(table.source, [misfit.fault for misfit in misfits if misfit.kind in refused])
    return [cells for cells, _ in found], [misfit.note for misfit in misfits]


def _fit(table: Table, place: int, column: Column, fills_gaps: bool) -> tuple[np.ndarray, list[Misfit]]:
    given = table.columns[place]
    misfits: list[Misfit] = []
    if column.is_words:
        cells = words_in(table, place, column)
        if not column.is_pooled:
            cells, misfits = _known_words(table, place, column, cells)
    else:
        cells = read_cells(table, place, column)
        if is_words(given):
            misfits += _guess(table, place, column)
        if is_numbers(cells):
            cells = np.where(np.isinf(cells), np.nan, cells)
        misfits += _unreadable(table, place, column, np.flatnonzero(is_missing(cells) & ~is_missing(given)))
    if not column.has_gaps and not fills_gaps:
        misfits += _gaps(table, place, column, np.flatnonzero(is_missing(given)))
    return cells, misfits


def read_cells(table: Table, place: int, column: Column) -> np.ndarray:
    """The cells of a column that is none of words, missing where one cannot be read.

    Each is read for itself, as the training rows are written. The numbers of a file can stay if its reader
    took the same sign for that of decimals.
    """
    given = table.columns[place]
    can_stay = given.dtype.kind == column.dtype
    if can_stay and is_numbers(given) and table.texts is not None:
        found, *_ = table.written.get(place) or (table.decimal,)
        wanted, *_ = column.written or (".",)
        can_stay = found == wanted
    return given if can_stay else column.parsed(table.text(place).tolist())


def words_in(table: Table, place: int, column: Column) -> np.ndarray:
    """The cells of a column of words, None where one is missing, as objects of shape (n_rows,)."""
    values = table.columns[place]
    if not column.is_text and is_numbers(values):
        return words_of(values.tolist())  # 1 and 1.0 are one word
    words = table.text(place).copy()  # they may look like numbers in this file
    words[is_missing(values)] = None
    if column.is_text or table.texts is None:
        return words
    read = [None if word is None else plain_numbers([word], table.decimal) for word in words]
    pairs = zip(words, read, strict=True)
    return words_of([word if number is None else number[0] for word, number in pairs])


def _known_words(
    table: Table, place: int, column: Column, cells: np.ndarray
) -> tuple[np.ndarray, list[Misfit]]:
    """The words, those that are known in other capitals or blanks as the known ones."""
    rows = np.flatnonzero(column.is_new(cells))
    known = one_way(column.words) if len(rows) else {}
    like = {row: known[key] for row in rows.tolist() if (key := spelling(cells[row])) in known}
    read = cells.copy()
    read[list(like)] = list(like.values())
    new = np.array([row for row in rows.tolist() if row not in like], dtype=int)
    words = enumerated(map(quoted, column.words), 20)
    fault = f"{{cell}} is not in the training file, which has {words}"
    group = ""
    if MANY_ROWS <= len(rows) == len(table):
        group = (
            " No word of this column is known. If the column names persons, places or devices, train a "
            f"model with --group {FileColumn(table, place).typed}, which leaves it out."
        )
    cure = f"Correct it, or leave out --strict and --unknown, and it counts as none of them.{group}"
    where = table, place, column
    return read, [
        *_misfit(*where, np.array(list(like), dtype=int), WORD, SPELLED, "that word", fault, cure),
        *_misfit(*where, new, WORD, NEW, "none of the known words", fault, cure),
    ]


def _unreadable(table: Table, place: int, column: Column, rows: np.ndarray) -> list[Misfit]:
    counted_as = "missing" if column.has_gaps else _fill(column)
    fault = f"expected a {column.noun}, found {{cell}}"
    found = _misfit(
        *(table, place, column, rows, UNREADABLE, f"no {column.noun}", counted_as, fault, "Correct it.")
    )
    if found and (len(rows) == len(table) > 1 or column.fill is None):
        check_faults(table.source, [found[0].fault])
    return found


def _gaps(table: Table, place: int, column: Column, rows: np.ndarray) -> list[Misfit]:
    counted_as = f"{_fill(column)}; no training row had a gap there"
    cure = (
        "but the training file has none missing in this column. Complete the file, train with --impute, or "
        "leave out --strict."
    )
    found = _misfit(table, place, column, rows, GAP, "no value", counted_as, "a value is missing", cure)
    if found and column.fill is None and not column.is_words:  # of a model that an older version wrote
        check_faults(table.source, [found[0].fault])
    return found


def _guess(table: Table, place: int, column: Column) -> list[Misfit]:
    texts = [text for text in table.text(place) if text is not None]
    if not isinstance(column, Dates) or column.written or not is_guess(texts):
        return []
    note = (
        f"whether day or month comes first, as in {quoted(texts[0])}, is a guess: no day is above 12. Write "
        "dates as in 2024-01-31."
    )
    return [Misfit(GUESS, f"Column {column.name!r}: {note}", Fault(table.place(place), note))]


def _contrary(table: Table, places: Sequence[int], columns: Sequence[Column]) -> list[Misfit]:
    """Cells that are read as in the training rows, although others of the table can only be read otherwise.

    If no cell speaks for the training rows, the table is probably written otherwise, and is refused.
    """
    found: list[Misfit] = []
    for dtype, what in (("f", "sign of decimals"), ("M", "order of day and month")):
        pairs = [(k, column) for k, column in zip(places, columns, strict=True) if column.dtype == dtype]
        texts = [(k, column) for k, column in pairs if is_words(table.columns[k])]
        is_told = dtype == "f" and table.is_decimal_told
        if is_told or not any(_has_other(table.columns[k], column) for k, column in texts):
            continue
        cells = _first_cells(table, texts if table.texts is None else pairs)
        if EITHER_WAY not in cells:
            continue
        only = f"{cells[OTHERWISE]} can only be read with the other {what}"
        cure = "Write dates as in 2024-01-31." if dtype == "M" else "Write numbers with decimal points."
        if dtype == "f" and table.texts is not None:
            cure = "Say with --decimal . or --decimal , which sign the file has."
        note = f"{only}, so {cells[EITHER_WAY]} is doubtful. {cure}"
        misfit = Misfit(GUESS, note, Fault("", note))
        if AS_TRAINED not in cells:
            check_faults(table.source, [misfit.fault])
        found.append(misfit)
    return found


def _has_other(cells: np.ndarray, column: Column) -> bool:
    """Whether there are texts that cannot be read as in the training rows, but otherwise."""
    ways = (column.readings(text) for text in set(cells) - {None})
    return any(next(way) is None and any(one is not None for one in way) for way in ways)


def _first_cells(table: Table, columns: Iterable[tuple[int, Column]]) -> dict[str, str]:
    """The first cells, quoted, that fit the way of the training rows only, the other one only, or both."""
    found: dict[str, str] = {}
    for place, column in columns:
        kinds: dict[str | None, str] = {None: ""}
        for row, text in enumerate(table.text(place)):
            if text not in kinds:
                kinds[text] = kind = _kind(*column.readings(text))
                found.setdefault(kind, f"{quoted(text)} ({table.place(place, row)})")
    return found


def _kind(trained: Any, other: Any = None) -> str:
    """Which of the two ways to read a cell fit; empty if both say the same."""
    if trained == other:
        return ""
    return OTHERWISE if trained is None else AS_TRAINED if other is None else EITHER_WAY


def _misfit(
    table: Table,
    place: int,
    column: Column,
    rows: np.ndarray,
    kind: str,
    what: str,
    counted_as: str,
    fault: str,
    cure: str,
) -> list[Misfit]:
    """Cells that have ``what`` in some rows, if there are any; {cell} in a fault is the first of them."""
    if not len(rows):
        return []
    row = int(rows[0])
    cell = table.text(place)[row]
    first = f"first {'' if cell is None else quoted(cell) + ' '}in {table.line(row)}"
    verb = "counts" if len(rows) == 1 else "count"
    has = count(len(rows), "cell has", "cells have")
    note = f"Column {column.name!r}: {has} {what} ({first}) and {verb} as {counted_as}."
    more = f" ({len(rows)} such cells)" if len(rows) > 1 else ""
    said = fault.replace("{cell}", "" if cell is None else quoted(cell))
    between = ", " if cure[0].islower() else ". "
    return [Misfit(kind, note, Fault(table.place(place, row), f"{said}{more}{between}{cure}"))]


def _fill(column: Column) -> str:
    """What takes the place of a gap where no training row had one."""
    if column.is_words:
        return "one of the rare words" if column.is_pooled else "none of the known words"
    return f"the median, {amount(column.fill, 6)}" if column.dtype == "f" else "the median date"
