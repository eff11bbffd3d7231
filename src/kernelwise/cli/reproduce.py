"""``kernelwise reproduce``: the tables of a paper, beside ours."""

from __future__ import annotations

from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from kernelwise.cli.errors import UserError, check_writable
from kernelwise.cli.progress import say


class Paper(StrEnum):
    """Papers with a study."""

    abe = "abe"
    ayat = "ayat"
    laanaya = "laanaya"
    yin = "yin"


#: Studies that have a quick form.
QUICK = (Paper.ayat, Paper.laanaya, Paper.yin)
Quick = Annotated[bool, typer.Option("--quick", help="Less of everything, in a minute or so.")]
Out = Annotated[Path | None, typer.Option(metavar="DIR", help="Folder for a CSV file of the rows.")]


def reproduce(paper: Annotated[Paper, typer.Argument()], quick: Quick = False, out: Out = None) -> None:
    """Repeat the experiments of a paper: its printed values beside ours.

    They need benchmark files, which are looked for in the folder that the environment variable
    KERNELWISE_DATA names.

    \b
    Example: kernelwise reproduce yin --quick --out results
    """
    arguments = []
    if quick:
        if paper not in QUICK:
            raise UserError(f"The study {paper.value} has no quick form. Leave --quick out.")
        arguments.append("--quick")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        csv = out / f"{paper.value}.csv"
        check_writable(csv, "--out")
        arguments += ["--csv", str(csv)]
    import_module(f"kernelwise.studies.{paper.value}").main(arguments)
    if out is not None:
        say(f"The rows are in {csv}." if csv.exists() else "There were no rows to write.")
