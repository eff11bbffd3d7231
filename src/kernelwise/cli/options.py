"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
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


File = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, Parquet or LIBSVM file.")]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="COL",
        help="Column to predict, by name or number. Default: target, class, label or y, else the last.",
    ),
]
HasHeader = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether line 1 names the columns. Default: detected."),
]
Impute = Annotated[
    bool, typer.Option("--impute", help="Fill missing values with the median or the most frequent word.")
]
Missing = Annotated[
    list[str] | None, typer.Option(metavar="TEXT,TEXT", help="Texts that mean a missing value, such as -999.")
]
Lump = Annotated[
    bool, typer.Option("--lump", help="Keep columns with many different words; rare words count as one.")
]
Words = Annotated[
    list[str] | None,
    typer.Option(metavar="COL,COL", help="Columns whose numbers are codes, to treat as words."),
]
UnknownOption = Annotated[
    Unknown,
    typer.Option(
        "--unknown",
        metavar="KIND",
        help="Words that the training file does not have: error or ignore.",
    ),
]
Ignore = Annotated[
    list[str] | None, typer.Option(metavar="COL,COL", help="Columns to leave out, by name or number.")
]
Group = Annotated[
    str | None,
    typer.Option("--group", metavar="COL", help="Keep rows with the same value in this column in one fold."),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--time", metavar="COL", help="Order rows by this column: train on earlier rows, test on later ones."
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="INT", help="Random seed of folds and samples.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
JournalFile = Annotated[
    Path | None,
    typer.Option(
        "--journal", metavar="FILE", help="Save finished parts here; the same command continues from them."
    ),
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="HTML", help="Write a report to this file.")
]


Quiet = Annotated[
    bool, typer.Option("--quiet", callback=be_quiet, is_eager=True, help="Print no progress and no notes.")
]
TaskOption = Annotated[
    Task,
    typer.Option(metavar="KIND", help="What to predict: classification (classes) or regression (numbers)."),
]
ScaleOption = Annotated[
    str, typer.Option(metavar="NAME", help="How to scale features: standard, minmax or none.")
]


def split_names(texts: Sequence[str] | None) -> list[str]:
    """All names of an option that may be repeated, and that has commas between names."""
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]
