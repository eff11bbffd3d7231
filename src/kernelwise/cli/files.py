"""Files that a command writes: checked before the work, written after it."""

from __future__ import annotations

import csv
import re
import shlex
import tempfile
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelwise.cli.output import UserError, session

if TYPE_CHECKING:
    from kernelwise.cli.samples import Samples
    from kernelwise.estimators.tuned import TunedMachine


def check_different(**paths: Path | None) -> None:
    """Raise if one file is named for two purposes: what is written would take the place of the other.

    Files with a purpose in capitals are only read, and may be the same.
    """
    named: dict[Path, str] = {}
    for purpose, path in paths.items():
        if path is None or (path.exists() and not path.is_file()):
            continue
        other = named.setdefault(path.resolve(), purpose)
        if other != purpose and not (other.isupper() and purpose.isupper()):
            raise UserError(f"{path} is given twice, as {other} and as {purpose}. Give two different files.")


def check_writable(path: Path | None, option: str) -> None:
    """Raise before anything is computed if a file cannot be written in the end."""
    if path is None:
        return
    folder = path.parent
    if path.is_dir():
        raise UserError(f"{option} {path} is a folder. Give the name of a file.")
    if path.is_fifo():
        raise UserError(f"{option} {path} is a pipe. Give the name of a file.")
    if not folder.is_dir():
        raise UserError(f"{option} {path}: there is no folder {folder}. Create it first.")
    try:
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise UserError(f"{option} {path} cannot be written: {error.strerror}.") from error


def check_report(path: Path | None) -> None:
    """Raise before anything is computed if a report cannot be made or written."""
    if path is None:
        return
    check_writable(path, "--report")
    # Looked for, not imported: it is slow, and needed only in the end.
    if find_spec("jinja2") is None:
        raise UserError(
            '--report needs the package jinja2. Install it with pip install "kernelwise[report]".'
        )


class Unwritten:
    """Files that could not be written: no reason to keep the answer back, so they are told after it."""

    def __init__(self) -> None:
        self.sentences: list[str] = []

    def write(self, path: Path | None, how: Callable[[Path], None]) -> None:
        """Write a file, if it is wanted; remember if the disk does not take it."""
        if path is None:
            return
        try:
            how(path)
        except OSError as error:
            self.sentences.append(f"{path} was not written: {error.strerror or error}.")

    def tell(self) -> None:
        """Raise if there are any."""
        if self.sentences:
            raise UserError(" ".join(self.sentences))


def save_model(path: Path, model: TunedMachine, data: Samples) -> None:
    """Save a model, with how files become its rows."""
    from kernelwise.persistence import save

    save(model, path, {"encoding": data.encoding.to_json()})
    session.written.append(path)


#: Where a spreadsheet may begin a formula: at the start of a cell, or behind what ends one in some countries.
FORMULA = re.compile(r"(^|[;,\t\r\n])(?=\s*[=+\-@＝＋－＠])")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def without_formulas(rows: Iterable[Iterable[Any]]) -> Iterator[list[str]]:
    """Cells that no spreadsheet executes: an apostrophe stands before what may begin a formula."""
    for row in rows:
        yield [cell if NUMBER.fullmatch(cell) else FORMULA.sub(r"\1'", cell) for cell in map(str, row)]


def write_csv(path: Path, rows: Iterable[Iterable[Any]]) -> None:
    """Write a table, whole or not at all."""
    from kernelwise._core.files import whole_file

    with whole_file(path, "w", newline="", encoding="utf-8") as handle:
        csv.writer(handle, lineterminator="\n").writerows(rows)
    session.written.append(path)


def write_report(path: Path, model: TunedMachine, data: Samples, **more: Any) -> None:
    """Draw and write the report on a model, with the command, so that it can be repeated."""
    from kernelwise import reports

    told = {finding.for_command_line() for finding in data.findings}  # in a section of their own
    found = reports.report_data(
        model,
        data.rows,
        data.y,
        command=shlex.join(["kernelwise", *session.arguments]),
        preparation=[note for note in (*data.notes, *data.preparation) if note not in told],
        lines=data.lines,
        n_columns=data.n_columns,
        findings=data.findings,
        **more,
    )
    reports.write_report(found, path)
    session.written.append(path)


def write_page(path: Path, text: str) -> None:
    """Write an HTML page, whole or not at all."""
    from kernelwise import reports

    reports.write_page(text, path)
    session.written.append(path)
