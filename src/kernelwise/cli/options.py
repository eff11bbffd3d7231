"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from kernelwise.cli.session import be_quiet


class Task(StrEnum):
    """What the target is."""

    classification = "classification"
    regression = "regression"


class Unknown(StrEnum):
    """What to do with a word that is not in the training file."""

    error = "error"
    ignore = "ignore"


File = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, Parquet or LIBSVM data.")]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Name or number (-1: last). Default: target, class, label or y; else the last.",
    ),
]
HasHeader = Annotated[
    bool | None, typer.Option("--header/--no-header", help="Whether line 1 has names. Default: found out.")
]
Impute = Annotated[bool, typer.Option("--impute", help="Fill missing values: medians, most frequent words.")]
Missing = Annotated[
    str | None, typer.Option(metavar="TEXT,TEXT", help="Cells that count as missing values, such as -999.")
]
Lump = Annotated[bool, typer.Option("--lump", help="Keep columns of many words, most of them rare.")]
Words = Annotated[
    str | None, typer.Option(metavar="COL,COL", help="Columns of numbers that are codes, to count as words.")
]
UnknownOption = Annotated[
    Unknown, typer.Option("--unknown", metavar="KIND", help="Words that are new: error, or ignore them.")
]
Ignore = Annotated[
    str | None, typer.Option(metavar="COL,COL", help="Columns to leave out, by name or number.")
]
Group = Annotated[
    str | None,
    typer.Option("--group", metavar="COL", help="Rows with the same value stay together in folds."),
]
Time = Annotated[
    str | None,
    typer.Option("--time", metavar="COL", help="Folds train on earlier rows and hold out later ones."),
]
Seed = Annotated[int, typer.Option(min=0, metavar="INT", help="Of folds and samples.")]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on standard output, nothing else.")]
JournalFile = Annotated[
    Path | None,
    typer.Option("--journal", metavar="FILE", help="Keep finished parts, and continue from them."),
]
ReportFile = Annotated[Path | None, typer.Option("--report", metavar="HTML", help="Write a report.")]


Quiet = Annotated[
    bool, typer.Option("--quiet", callback=be_quiet, is_eager=True, help="No progress and no notes.")
]
TaskOption = Annotated[Task, typer.Option(metavar="KIND", help="classification or regression.")]
ScaleOption = Annotated[str, typer.Option(metavar="NAME", help="Of features: standard, minmax or none.")]


def split_names(text: str | None) -> list[str]:
    """Names separated by commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]
