"""The HTML report of a command."""

from __future__ import annotations

import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kernelwise.cli.errors import UserError, check_writable
from kernelwise.cli.progress import say

NEEDED = ("kernelwise.reports", "jinja2", "plotly")


def check_report(path: Path | None) -> None:
    """Raise before anything is computed if a report cannot be made or written."""
    if path is None:
        return
    check_writable(path, "--report")
    # Looked for, not imported: the packages are slow, and drawing needs them only in the end.
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise UserError(
            f"--report needs {' and '.join(missing)}, not installed here: pip install 'kernelwise[report]'."
        )


def write(path: Path, model: Any, X: Any, y: Any, arguments: list[str], **more: Any) -> None:
    """Draw and write the report; ``arguments`` are those of the command, so that it can be repeated."""
    reports = import_module("kernelwise.reports")
    data = reports.report_data(model, X, y, command=shlex.join(["kernelwise", *arguments]), **more)
    reports.write_report(data, path)
    say(f"The report is in {path}.")
