"""Rows of a study as plain text, as Markdown and as a CSV file, and data sets that may be missing."""

from __future__ import annotations

import csv
import sys
from typing import Any

import numpy as np

from kernelwise._core.files import whole_file
from kernelwise._core.text import aligned
from kernelwise.datasets import Dataset, load

Row = dict[str, Any]
#: Columns of names, to the left; the others are numbers, to the right, but for texts of this length or more.
N_NAMES = 2
#: Data sets that were not found in the present run of a study.
left_out: list[str] = []
LONG = 80
#: The first column of tables that are all words.
OF_WORDS = "claim"


def load_or_say(name: str, part: str | None = None) -> Dataset | None:
    """The data set, or None after a line on the standard error stream that says what is missing.

    The first line of a run says why and what to do; each of the others names a set, once.
    """
    try:
        return load(name, part=part)
    except FileNotFoundError as error:
        if name not in left_out:
            why = f". {error}" if not left_out else ", too: its file was not found either."
            print(f"{name} is left out{why}", file=sys.stderr)
            left_out.append(name)
        return None


def few_rows(X: np.ndarray, y: np.ndarray, n_most: int) -> tuple[np.ndarray, np.ndarray]:
    """All rows, or so many drawn at random, always the same ones."""
    keep = np.random.default_rng(0).permutation(len(y))[:n_most]
    return (X, y) if len(y) <= n_most else (X[keep], y[keep])


def format_rows(rows: list[Row]) -> str:
    """The rows as aligned text with one header line, numbers to four digits; words a row a line."""
    if not rows:
        return "(no rows)"
    if next(iter(rows[0])) == OF_WORDS:
        return "\n".join(f"- {'; '.join(filter(None, line))}." for line in _lines(rows)[1:])
    return "\n".join(aligned(_lines(rows), [column >= N_NAMES for column in range(len(rows[0]))]))


def markdown(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    head, *lines = _lines(rows)
    is_text = [
        head[0] == OF_WORDS or column < N_NAMES or any(len(line[column]) >= LONG for line in lines)
        for column in range(len(head))
    ]
    ruler = ["---" if is_left else "---:" for is_left in is_text]
    return "\n".join("| " + " | ".join(line).replace("\n", " ") + " |" for line in (head, ruler, *lines))


def write_csv(path: Any, rows: list[Row]) -> None:
    """Write the rows with full precision; nothing if there are none."""
    if rows:
        with whole_file(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def _lines(rows: list[Row]) -> list[list[str]]:
    return [[str(name) for name in rows[0]], *([_text(value) for value in row.values()] for row in rows)]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
