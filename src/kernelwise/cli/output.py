"""Output of a command: results on the standard output, lines for the user on the standard error stream."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kernelwise._core.text import aligned, count, jsonable

Cells = Sequence[str]


@dataclass
class Session:
    """One run of a command; `session` is the one that is under way."""

    arguments: Sequence[str] = ()
    is_quiet: bool = False
    journal: Any = None
    written: list[Path] = field(default_factory=list)

    def begin(self, arguments: Sequence[str]) -> None:
        """Forget the run before."""
        self.arguments, self.is_quiet, self.journal, self.written = arguments, False, None, []

    def stopped(self) -> str:
        """The sentence after Ctrl-C, which says what is left."""
        if self.journal is not None and len(self.journal):
            parts = count(len(self.journal), "finished part is", "finished parts are")
            return f"Stopped. {parts} kept in {self.journal.path}; run the same command to continue."
        if self.written:
            return f"Stopped. These files were already written: {', '.join(map(str, self.written))}."
        return "Stopped. Nothing was saved."


session = Session()


def be_quiet(is_wanted: bool) -> None:
    """Say nothing but errors from now on, if that is wanted."""
    session.is_quiet = session.is_quiet or is_wanted


def say(sentence: str) -> None:
    """A line for the user; the standard output is for results."""
    if not session.is_quiet:
        print(sentence, file=sys.stderr, flush=True)


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on one line."""
    print(json.dumps(jsonable(value), allow_nan=False, ensure_ascii=False))


def print_table(rows: Sequence[Cells], header: Cells | None = None) -> None:
    """Rows of cells: boxed on a terminal, aligned elsewhere; numbers to the right."""
    if sys.stdout.isatty():
        _print_rich(rows, header)
        return
    is_right = [_is_numeric(column) for column in zip(*rows, strict=True)]
    for line in aligned([*([header] if header else []), *rows], is_right):
        print(line)


def _print_rich(rows: Sequence[Cells], header: Cells | None) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=header is not None, box=box.ROUNDED)
    for name, column in zip(header or [""] * len(rows[0]), zip(*rows, strict=True), strict=True):
        table.add_column(Text(name), justify="right" if _is_numeric(column) else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # as it is: a name may look like markup
    Console().print(table)


def _is_numeric(cells: Cells) -> bool:
    return all(not cell or cell[0] in "+-−.0123456789" for cell in cells)
