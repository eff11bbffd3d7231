"""Columns that are no features: the target, and those of --group and --time.

The last two say which rows belong together, or when rows were made.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from kernelwise._core.text import count
from kernelwise.cli.output import UserError, say, session

if TYPE_CHECKING:
    from sklearn.model_selection import TimeSeriesSplit

    from kernelwise.findings import Finding
    from kernelwise.tables import Table

#: Columns that a question lists, and answers that it takes.
MOST_ASKED, MOST_ANSWERS = 30, 3
#: Folds of --time if --cv is auto, as of scikit-learn's TimeSeriesSplit.
TIME_FOLDS = 5


def asked_target(table: Table, ignore: Sequence[str]) -> str | None:
    """The column that a user at a terminal names as the target; None if it is known, or nobody is there."""
    from kernelwise.tables import TableError, usual_targets

    left_out = {table.find(name, "--ignore") for name in ignore}
    left = [k for k in range(len(table.names)) if k not in left_out]
    is_known = table.matrix is not None or len(usual_targets(table, left_out)) == 1 or len(left) < 2
    if is_known or session.is_quiet or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    shown = [f"{k + 1} {table.names[k]}" for k in left]
    if len(shown) > MOST_ASKED:
        shown = [*shown[: MOST_ASKED - 2], "…", shown[-1]]
    say(f"The columns of {table.source} are: {', '.join(shown)}.")
    last = table.names[left[-1]]
    for _ in range(MOST_ANSWERS):
        print(
            f"Which one should be predicted? (name or number, [Enter] for {last!r}) ", end="", file=sys.stderr
        )
        sys.stderr.flush()
        answer = sys.stdin.readline().strip()
        try:
            return table.names[table.find(answer, "--target") if answer else left[-1]]
        except TableError as error:
            say(str(error))
    raise UserError("Name the column to predict with --target.")


def check_one(group: str | None, time: str | None) -> None:
    """Raise if rows are to be kept together and in order of time at once."""
    if group is not None and time is not None:
        raise UserError("--group and --time cannot be used together. Leave out one of them.")


def place_of(table: Table, name: str, option: str, target: str | None) -> int:
    """Place of the column that an option names, which is not the target."""
    from kernelwise.tables import usual_targets

    if table.matrix is not None:
        raise UserError(f"{option} {name}: {table.source} is a LIBSVM file, which has no such column.")
    place = table.find(name, option)
    if target is not None and table.find(target, "--target") == place:
        raise UserError(
            f"Column {table.names[place]!r} is both --target and {option}. Choose another column for one of "
            "them."
        )
    if target is None and usual_targets(table) == [place]:
        raise UserError(
            f"Column {table.names[place]!r} would be the target, but {option} names it, too. Set the target "
            f"with --target, or choose another column for {option}."
        )
    return place


def read_groups(table: Table, place: int) -> np.ndarray:
    """The group of each row, as text, shape (n_rows,)."""
    cells = _filled(table, place, "--group")
    n_groups = len(set(cells.tolist()))
    if n_groups < 2:
        raise UserError(
            f"--group: all rows have the same value in {table.place(place)}, so there is only one group. "
            "Leave out --group."
        )
    if n_groups == len(cells):
        raise UserError(
            f"--group: all {count(len(cells), 'row')} have different values in {table.place(place)}. Choose "
            "a column in which rows that belong together have the same value, or leave out --group."
        )
    return cells


def groups_left_out(
    table: Table,
    ignored: Sequence[str],
    rows: np.ndarray,
    y: np.ndarray,
    groups: np.ndarray | None,
    *,
    is_classes: bool,
) -> list[Finding]:
    """The finding about columns of --ignore that name groups of rows with one target each.

    ``rows`` are those of the table that are used; the other arrays have the shape (n_rows,).
    """
    from kernelwise.search.verdict.leaks import MIN_ROWS, group_columns, group_findings
    from kernelwise.tables import is_numbers

    places = sorted({table.find(name, "--ignore") for name in ignored})
    if not places or len(y) < MIN_ROWS or table.matrix is not None:
        return []
    target = np.unique(y, return_inverse=True)[1] if is_classes else y
    cells = [table.columns[place][rows] for place in places]
    # Empty cells are one value; words are codes.
    codes = [
        np.nan_to_num(cell) if is_numbers(cell) else np.unique(cell.astype(str), return_inverse=True)[1]
        for cell in cells
    ]
    X, names = np.column_stack(codes).astype(float), [repr(table.names[place]) for place in places]
    return group_findings(X, group_columns(X, target, is_classes=is_classes), names, groups)


def read_times(table: Table, place: int) -> np.ndarray:
    """Numbers in the order of time, shape (n_rows,): those of the column, or seconds of its dates."""
    from kernelwise.tables.dates import MONTH_FIRST, find_order

    cells = _filled(table, place, "--time")
    if table.columns[place].dtype.kind == "f":
        return table.columns[place]
    found = np.zeros(len(cells))
    order = find_order(map(str, cells)) or MONTH_FIRST
    for row, cell in enumerate(cells):
        moment = _moment(str(cell), order)
        if moment is None:
            raise UserError(
                f"--time: {table.place(place, row)} has {str(cell)!r}, which is neither a number nor a date "
                "such as 2024-01-31 or 2024-01-31 12:00. Correct it, or delete the row."
            )
        found[row] = moment
    return found


def sentence(table: Table, place: int, groups: np.ndarray | None) -> str:
    """The sentence on what is done with the column."""
    name = table.names[place]
    if groups is None:
        return f"The rows are ordered by {name!r}: models train on earlier rows and are tested on later ones."
    n_groups = len(set(groups.tolist()))
    return f"Rows with the same {name!r} stay together in one fold ({count(n_groups, 'group')})."


def time_folds(cv: int | str) -> TimeSeriesSplit:
    """The splitter of --time; ``cv`` is a number of folds, or auto."""
    from sklearn.model_selection import TimeSeriesSplit

    return TimeSeriesSplit(TIME_FOLDS if cv == "auto" else int(cv))


def check_time_folds(n_folds: int, n_rows: int) -> None:
    """Raise if there are not rows enough for a fold of time each, and one part before them all."""
    if n_folds >= n_rows:
        raise UserError(
            f"--time with --cv {n_folds} needs more than {count(n_folds, 'row')}, but the file has {n_rows}. "
            "Use fewer folds."
        )


def _filled(table: Table, place: int, option: str) -> np.ndarray:
    cells = table.text(place)
    for row, cell in enumerate(cells):
        if cell is None:
            raise UserError(f"{option}: {table.place(place, row)} is empty. Fill it, or remove the row.")
    return np.array([str(cell) for cell in cells])


def _moment(cell: str, order: str) -> float | None:
    """Seconds since 1970 of a date in any usual form, with its time zone if ISO 8601 gives one."""
    from kernelwise.tables.dates import read_moment

    try:
        moment: datetime | None = datetime.fromisoformat(cell.strip())
    except ValueError:
        moment = read_moment(cell, order)
    if moment is None:
        return None
    if moment.tzinfo is None:  # all in one zone, whichever it is
        moment = moment.replace(tzinfo=UTC)
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds()
