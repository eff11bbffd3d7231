"""Numbers for the words of a benchmark file, written down so that everybody has the same ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

MISSING = ("", "?", "nan")
NO_YES = {"no": 0, "yes": 1}


class Coding(NamedTuple):
    """What each word of a column stands for, by the names of the columns, and the classes.

    Rows with a missing value are left out: ``n_rows`` are in the file, and `catalog.FILES` has those that
    remain.
    """

    features: Mapping[str, Mapping[str, int]]
    label: str
    classes: Mapping[str, int]
    n_rows: int


def _ranges(start: int, width: int, number: int) -> dict[str, int]:
    """Words such as "30-39" as 0, 1, … in their order."""
    return {f"{start + k * width}-{start + (k + 1) * width - 1}": k for k in range(number)}


#: Ranges and degrees by their order; yes, no and sides as 0 and 1. Menopause and quadrant have no order that
#: the source states: not yet, before 40, at 40 or later; and the centre, then the left and the right breast's
#: lower and upper quadrants.
CODINGS = {
    "breast_cancer_ljubljana": Coding(
        {
            "age": _ranges(10, 10, 9),
            "menopause": {"premeno": 0, "lt40": 1, "ge40": 2},
            "tumor-size": _ranges(0, 5, 12),
            "inv-nodes": {**_ranges(0, 3, 12), "36-39": 12},
            "node-caps": NO_YES,
            "deg-malig": {"1": 1, "2": 2, "3": 3},
            "breast": {"left": 0, "right": 1},
            "breast-quad": {"central": 0, "left_low": 1, "left_up": 2, "right_low": 3, "right_up": 4},
            "irradiat": NO_YES,
        },
        "class",
        {"no-recurrence-events": 0, "recurrence-events": 1},
        286,
    ),
}


def coded(
    name: str, header: Sequence[str], rows: Sequence[Sequence[str]], where: str
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """Return X, y and the names of the features of a table of words, without the rows that have a gap.

    ``where`` is what to call the table in an error: ValueError names the row and the word.
    """
    coding = CODINGS[name]
    columns = {**coding.features, coding.label: coding.classes}
    if list(header) != list(columns) or len(rows) != coding.n_rows:
        raise ValueError(
            f"{where} should hold {name!r} with {coding.n_rows} rows of the columns {', '.join(columns)}, "
            f"but has {len(rows)} rows of {', '.join(header)}. Get a new copy of it."
        )
    table = []
    for number, row in enumerate(rows, start=1):
        words = [word.strip().strip("'\"") for word in row]
        if any(word.lower() in MISSING for word in words):
            continue
        for (column, codes), word in zip(columns.items(), words, strict=True):
            if word not in codes:
                raise ValueError(
                    f"{where}, row {number}: {word!r} is none of the values of {column!r} "
                    f"({', '.join(codes)}). Get a new copy of the file."
                )
        table.append([codes[word] for codes, word in zip(columns.values(), words, strict=True)])
    numbers = np.array(table, dtype=np.float64)
    return np.ascontiguousarray(numbers[:, :-1]), numbers[:, -1].astype(np.int64), tuple(coding.features)
