"""What looks odd in the columns of training samples: numbers that may be words, names of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelwise._core.text import count
from kernelwise.findings import Finding
from kernelwise.frames.encoder import Encoder
from kernelwise.frames.frame import Frame, is_missing, is_numbers

#: Whole numbers with so many different values may be codes of classes. Of two it makes no difference.
CODES = range(3, 11)
#: Fewer rows for each of them say nothing.
ROWS_PER_CODE = 5
#: A column in which at least this share of the words occur once names its rows.
IDENTIFIER = 0.9
#: Fewer words than this say nothing about that.
MANY_WORDS = 20
#: Columns that a sentence names, at most.
MAX_NAMED = 5


def frame_findings(frame: Frame, encoder: Encoder) -> list[Finding]:
    """What to ask the user about a table, one finding for each kind of doubt."""
    codes = [k for k, is_whole in enumerate(frame.whole) if is_whole and _may_be_codes(frame.columns[k])]
    empty = [k for k, column in enumerate(frame.columns) if is_missing(column).all()]
    naming = [k for k in encoder.words if k not in empty and _names_rows(frame.columns[k])]
    return [
        *_whole_numbers(frame, codes),
        *_one(
            "words that name rows",
            "warning",
            _named(frame, naming),
            ("has a different word in nearly every row, as names and identifiers do", "have"),
            "Leave it out: words that occur once count alike.",
        ),
        *_one("empty columns", "info", _named(frame, empty), ("has no values", "have"), "Leave it out."),
    ]


def _whole_numbers(frame: Frame, columns: list[int]) -> list[Finding]:
    if not columns:
        return []
    parts = [f"{frame.names[k]!r} ({_values(frame.columns[k])})" for k in columns]
    is_one = len(columns) == 1
    message = (
        f"{'Column' if is_one else 'Columns'} {_listed(parts)} {'holds' if is_one else 'hold'} few whole "
        f"numbers, which count as numbers: 3 is further from 1 than from 2."
    )
    names = ", ".join(repr(frame.names[k]) for k in columns[:MAX_NAMED])
    advice = (
        f"If they are codes of classes, name the columns in categorical_features, as in [{names}], or give "
        "them the dtype 'category'."
    )
    return [Finding("whole numbers that may be words", "info", message, advice, "Write such codes as words.")]


def _one(name: str, severity: str, columns: list[str], says: tuple[str, str], advice: str) -> list[Finding]:
    if not columns:
        return []
    one, many = says
    verb = one if len(columns) == 1 else f"{many} {one.split(' ', 1)[1]}"
    advice = advice if len(columns) == 1 else advice.replace("Leave it", "Leave them")
    what = "Column" if len(columns) == 1 else "Columns"
    return [Finding(name, severity, f"{what} {_listed(columns)} {verb}.", advice, f"{advice} (--ignore)")]


def _may_be_codes(column: np.ndarray) -> bool:
    if not is_numbers(column):
        return False
    distinct = np.unique(column[~np.isnan(column)])
    return len(distinct) in CODES and len(column) >= ROWS_PER_CODE * len(distinct)


def _names_rows(column: np.ndarray) -> bool:
    words = column[~is_missing(column)].tolist()
    return len(words) > MANY_WORDS and len(set(words)) >= IDENTIFIER * len(words)


def _values(column: np.ndarray) -> str:
    distinct = np.unique(column[~np.isnan(column)])
    return f"{distinct[0]:g} to {distinct[-1]:g}, {count(len(distinct), 'value')}"


def _named(frame: Frame, columns: Sequence[int]) -> list[str]:
    return [repr(frame.names[k]) for k in columns]


def _listed(parts: list[str]) -> str:
    more = f" and {len(parts) - MAX_NAMED} more" if len(parts) > MAX_NAMED else ""
    return ", ".join(parts[:MAX_NAMED]) + more
