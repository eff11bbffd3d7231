"""Results on the standard output: a table, or one JSON object."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Sequence
from typing import Any

Cells = Sequence[str]


def print_json(value: dict[str, Any]) -> None:
    """One JSON object on one line."""
    print(json.dumps(jsonable(value), allow_nan=False, ensure_ascii=False))


def jsonable(value: Any) -> Any:
    """Plain types of JSON; numbers that are not finite become null, and other things their text."""
    if isinstance(value, dict):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [jsonable(item) for item in value]
    if hasattr(value, "tolist"):  # numpy's arrays and scalars
        return jsonable(value.tolist())
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def print_table(rows: Sequence[Cells], header: Cells | None = None) -> None:
    """Rows of cells: boxed on a terminal, aligned elsewhere; numbers to the right."""
    if sys.stdout.isatty():
        _print_rich(rows, header)
        return
    lines = [*([header] if header else []), *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    sides = [_side(column) for column in zip(*rows, strict=True)]
    for line in lines:
        cells = [
            cell.rjust(width) if side == "right" else cell.ljust(width)
            for cell, width, side in zip(line, widths, sides, strict=True)
        ]
        print("  ".join(cells).rstrip())


def _print_rich(rows: Sequence[Cells], header: Cells | None) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(show_header=header is not None, box=box.ROUNDED)
    sides = [_side(column) for column in zip(*rows, strict=True)]
    for name, side in zip(header or [""] * len(rows[0]), sides, strict=True):
        table.add_column(Text(name), justify=side, overflow="fold")  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))  # as it is: a name may look like markup
    Console().print(table)


def _side(cells: Cells) -> str:
    return "right" if all(not cell or cell[0] in "+-−.0123456789" for cell in cells) else "left"
