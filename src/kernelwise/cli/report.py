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

    about_file = {
        "command": shlex.join(["kernelwise", *arguments]),
        "preparation": data.preparation,
        "lines": data.lines,
        "n_columns": data.n_columns,
        "findings": data.findings,
    }
    write_report(report_data(model, data.rows, data.y, **about_file, **more), path)
    say(f"Wrote the report to {path}.")
