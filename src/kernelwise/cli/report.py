"""The HTML report of a command."""

from __future__ import annotations

import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelwise.cli.errors import UserError, check_writable
from kernelwise.cli.progress import say

if TYPE_CHECKING:
    from kernelwise.cli.samples import Samples


def check_report(path: Path | None) -> None:
    """Raise before anything is computed if a report cannot be made or written."""
    if path is None:
        return
    check_writable(path, "--report")
    # Looked for, not imported: it is slow, and needed only in the end.
    if find_spec("jinja2") is None:
        raise UserError(
            "--report needs the package jinja2. Install it with pip install 'kernelwise[report]'."
        )


def write(path: Path, model: Any, data: Samples, arguments: list[str], **more: Any) -> None:
    """Draw and write the report; ``arguments`` are those of the command, so that it can be repeated."""
    from kernelwise.reports import report_data, write_report

    write_report(report_data(model, data.rows, data.y, **_of_file(data, arguments), **more), path)
    say(f"Wrote the report to {path}.")


def write_detection(path: Path, model: Any, data: Samples, arguments: list[str], **more: Any) -> None:
    """Draw and write the report on unusual rows."""
    from kernelwise.reports.outliers import unusual_rows
    from kernelwise.reports.unusual_page import write_unusual

    write_unusual(unusual_rows(model, data.rows, data.y, **_of_file(data, arguments), **more), path)
    say(f"Wrote the report to {path}.")


def _of_file(data: Samples, arguments: list[str]) -> dict[str, Any]:
    """What a report says about the file and the command."""
    return {
        "command": shlex.join(["kernelwise", *arguments]),
        "preparation": data.preparation,
        "lines": data.lines,
        "n_columns": data.n_columns,
        "findings": data.findings,
    }
