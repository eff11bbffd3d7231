"""New rows: their columns are found, and their cells read as those of the training rows.

What does not fit is a `Misfit`: it says how such cells are coded, or why they are refused where nothing but
the training rows' own kind is allowed. Files and data frames go the same way, with the same words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.text import count
from kernelwise.tables.cells import enumerated, quoted, words_of
from kernelwise.tables.column import Column
from kernelwise.tables.dates import Dates, is_guess
from kernelwise.tables.problems import Fault, FileColumn, check_faults
from kernelwise.tables.table import Table, is_missing, is_numbers
from kernelwise.tables.target import one_way, spelling

#: In as many rows it is no chance that no word is known.
MANY_ROWS = 10
#: Kinds of misfits: a missing cell, one that cannot be read, a word that is new, and what was guessed.
GAP, UNREADABLE, WORD, GUESS = "gap", "unreadable", "word", "guess"
EVERY_KIND = frozenset({GAP, UNREADABLE, WORD, GUESS})
NEW = "a word that is not in the training rows"
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
    misfits = [misfit for _, misfits in found for misfit in misfits]
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
        if given.dtype.kind == column.dtype:
            cells = given
        else:
            cells = column.parsed(table.text(place).tolist(), table.decimal)
            misfits += _guess(table, place, column)
        if is_numbers(cells):
            cells = np.where(np.isinf(cells), np.nan, cells)
        misfits += _unreadable(table, place, column, np.flatnonzero(is_missing(cells) & ~is_missing(given)))
    if not column.has_gaps and not fills_gaps:
        misfits += _gaps(table, place, column, np.flatnonzero(is_missing(given)))
    return cells, misfits


def words_in(table: Table, place: int, column: Column) -> np.ndarray:
    """The cells of a column of words, None where one is missing, as objects of shape (n_rows,)."""
    values = table.columns[place]
    if not column.is_text and is_numbers(values):
        return words_of(values.tolist())  # 1 and 1.0 are one word
    words = table.text(place).copy()  # they may look like numbers in this file
    words[is_missing(values)] = None
    return words


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
    return f"the median, {column.fill:g}" if column.dtype == "f" else "the median date"
