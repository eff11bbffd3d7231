"""What looks odd in the columns of training samples: numbers that may be words, names of rows."""

from __future__ import annotations

import re

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
#: A column with a larger share of gaps than this is mostly empty.
MOSTLY_EMPTY = 0.5
#: Names that a shell takes as they are, on every system.
PLAIN = re.compile(r"[\w.@%+=:/-]+")
#: Columns that a sentence names, at most.
MAX_NAMED = 5


def frame_findings(frame: Frame, encoder: Encoder) -> list[Finding]:
    """What to ask the user about a table, one finding for each kind of doubt."""
    codes = [k for k, is_whole in enumerate(frame.whole) if is_whole and _may_be_codes(frame.columns[k])]
    empty = [k for k, column in enumerate(frame.columns) if is_missing(column).all()]
    naming = [k for k in encoder.words if k not in empty and _names_rows(frame.columns[k])]
    sparse = [k for k in range(len(frame.columns)) if k not in empty and _is_mostly_empty(frame.columns[k])]
    return [
        *_whole_numbers(frame, codes),
        *_one(
            "words that name rows",
            "warning",
            frame,
            naming,
            ("has a different word in nearly every row, like names or identifiers", "have"),
            "Leave it out, because words that occur only once count as one word.",
        ),
        *_one("empty columns", "info", frame, empty, ("has no values", "have"), "Leave it out."),
        *_mostly_empty(frame, sparse),
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
    return [
        Finding(
            "whole numbers that may be words",
            "info",
            message,
            advice,
            f"If they are codes of classes, name them with --words {_typed(frame, columns)}.",
        )
    ]


def _mostly_empty(frame: Frame, columns: list[int]) -> list[Finding]:
    if not columns:
        return []
    gaps = [f"{frame.names[k]!r} ({int(is_missing(frame.columns[k]).sum())} gaps)" for k in columns]
    what, verb, them = ("Column", "is", "it") if len(columns) == 1 else ("Columns", "are", "them")
    out = f"out with --ignore {_typed(frame, columns)}"
    message = (
        f"{what} {_listed(gaps)} {verb} empty in most of the {len(frame)} rows: the model learns little more "
        "than whether there is a value."
    )
    advice = f"Leave {them} out, unless values will be missing in new rows for the same reasons."
    return [Finding("mostly empty", "info", message, advice, advice.replace("out", out, 1))]


def _one(
    name: str, severity: str, frame: Frame, columns: list[int], says: tuple[str, str], advice: str
) -> list[Finding]:
    if not columns:
        return []
    one, many = says
    verb = one if len(columns) == 1 else f"{many} {one.split(' ', 1)[1]}"
    advice = advice if len(columns) == 1 else advice.replace("Leave it", "Leave them")
    what = "Column" if len(columns) == 1 else "Columns"
    option = advice.replace("out", f"out with --ignore {_typed(frame, columns)}", 1)
    named = _listed([repr(frame.names[k]) for k in columns])
    return [Finding(name, severity, f"{what} {named} {verb}.", advice, option)]


def _may_be_codes(column: np.ndarray) -> bool:
    if not is_numbers(column):
        return False
    distinct = np.unique(column[~np.isnan(column)])
    return len(distinct) in CODES and len(column) >= ROWS_PER_CODE * len(distinct)


def _is_mostly_empty(column: np.ndarray) -> bool:
    return bool(is_missing(column).mean() > MOSTLY_EMPTY)


def _names_rows(column: np.ndarray) -> bool:
    words = column[~is_missing(column)].tolist()
    return len(words) > MANY_WORDS and len(set(words)) >= IDENTIFIER * len(words)


def _values(column: np.ndarray) -> str:
    distinct = np.unique(column[~np.isnan(column)])
    return f"{distinct[0]:g} to {distinct[-1]:g}, {count(len(distinct), 'value')}"


def _typed(frame: Frame, columns: list[int]) -> str:
    """Columns as a value of an option of the command line; "COL,COL" if one cannot be typed."""
    names = [str(frame.names[k]) for k in columns]
    return ",".join(names) if all(PLAIN.fullmatch(name) for name in names) else "COL,COL"


def _listed(parts: list[str]) -> str:
    more = f" and {len(parts) - MAX_NAMED} more" if len(parts) > MAX_NAMED else ""
    return ", ".join(parts[:MAX_NAMED]) + more
