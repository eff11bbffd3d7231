"""What a file holds, told before a target is chosen: its columns, and what will be done to each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise.tables import COLUMN_KINDS, Table, is_missing, read_table, usual_targets
from kernelwise.tables.dates import Dates
from kernelwise.tables.settle import WORDS, settle
from kernelwise.tables.text import has_many_kinds

#: Cells that are shown of a column, and letters of each.
N_SHOWN, MOST_LETTERS = 3, 40
#: What is said of a column of which held-out rows decide.
JUDGED = "is used if it helps; tick it to use it in any case"
#: The end of a note of `kernelwise.tables.read` that advises an option, which the page does not have.
OPTION = re.compile(
    r"(; use --(no-header|skip-lines 0) if it is data|; --decimal [.,] reads them otherwise"
    r"|(?<=read)\. --sheet reads another one: .*)\.$"
)


def columns_of(path: Path) -> dict[str, Any]:
    """The columns of a file as JSON can hold them, its notes, and the column that is called as a target.

    A file that is no table raises a TableError, whose sentence says what is wrong.
    """
    table = read_table(path)
    notes = [OPTION.sub(".", note) for note in table.notes]
    if table.matrix is not None:
        n_rows, n_features = table.matrix.shape
        about = f"{count(n_rows, 'row')} with {count(n_features, 'feature')} without names"
        return {"rows": about, "notes": notes, "columns": [], "target": None}
    settled = settle(table, range(len(table.names)))
    named = usual_targets(table)
    return {
        "rows": f"{count(len(table), 'row')}, {count(len(table.names), 'column')}",
        "notes": notes,
        "columns": [_column(table, settled, place) for place in range(len(table.names))],
        "target": str(table.names[named[0] if len(named) == 1 else -1]),
    }


def _column(table: Table, settled: Table, place: int) -> dict[str, Any]:
    values = settled.columns[place]
    texts = [text for text in table.text(place) if text is not None]
    shown = [text if len(text) <= MOST_LETTERS else f"{text[:MOST_LETTERS]}…" for text in texts[:N_SHOWN]]
    why = settled.left_out.get(place) or table.unusable.get(place)
    is_judged = why == WORDS or (not why and (values.dtype.kind == Dates.dtype or has_many_kinds(values)))
    return {
        "name": str(table.names[place]),
        "kind": "text" if why == WORDS else _kind(values),
        "missing": int(is_missing(values).sum()),
        "shown": shown,
        # Whether dates, text and words of many kinds help, the target decides, unless the user does.
        "is_judged": is_judged,
        "left_out": None if is_judged else why,
        "note": JUDGED if is_judged else why,
    }


def _kind(values: np.ndarray) -> str:
    """What the cells are: numbers, dates, or so many words."""
    if values.dtype.kind == "f":
        return "numbers"
    if values.dtype.kind == "O":
        return count(len({text for text in values if text is not None}), "word")
    return f"{COLUMN_KINDS[values.dtype.kind].noun}s"
