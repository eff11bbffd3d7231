"""Results on the standard output: a table, or one JSON object."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from kernelwise._core.text import aligned, jsonable

Cells = Sequence[str]


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
