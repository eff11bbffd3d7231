"""Options that several commands share, alone and in groups, and the check of names that an option takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from kernelwise._core.text import NEAR
from kernelwise.cli.errors import UserError
from kernelwise.cli.output import be_quiet

#: Names that a sentence lists where a page has all of them.
FEW = 7


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
TaskOption = Annotated[
    Task,
    typer.Option(metavar="KIND", help="What to predict: classification (classes) or regression (numbers)."),
]
HasHeader = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether line 1 names the columns. Default: detected."),
]
UnknownOption = Annotated[
    Unknown,
    typer.Option(
        "--unknown",
        metavar="KIND",
        help="Words that the training file does not have: error or ignore.",
    ),
]
ScaleOption = Annotated[
    str, typer.Option(metavar="NAME", help="How to scale features: standard, minmax or none.")
]
Solver = Annotated[
    str,
    typer.Option(metavar="NAME", help="Final model: auto, exact or nystroem (approximate)."),
]
Budget = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Start no new step of the search after this time.")
]
Jobs = Annotated[
    int | None, typer.Option("--n-jobs", metavar="INT", help="Number of threads; -1 uses all cores.")
]
Seed = Annotated[int, typer.Option(min=0, metavar="INT", help="Random seed of folds and samples.")]
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
Outlier = Annotated[
    str | None,
    typer.Option(metavar="LABEL", help="The label of unusual rows. Default: the rarer label."),
]
JournalFile = Annotated[
    Path | None,
    typer.Option(
        "--journal", metavar="FILE", help="Save finished parts here; the same command continues from them."
    ),
]
ModelFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Save the model to this file, for `predict`.")
]
ReportFile = Annotated[
    Path | None, typer.Option("--report", metavar="HTML", help="Write a report to this file.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", callback=be_quiet, is_eager=True, help="Print no progress and no notes.")
]


@dataclass(frozen=True)
class Reading:
    """Options of a training file: what its cells mean, and which columns are features."""

    header: HasHeader = None
    impute: Annotated[
        bool, typer.Option("--impute", help="Fill missing values with the median or the most frequent word.")
    ] = False
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COL,COL", help="Columns to leave out, by name or number.")
    ] = None
    missing: Annotated[
        list[str] | None,
        typer.Option(metavar="TEXT,TEXT", help="Texts that mean a missing value, such as -999."),
    ] = None
    lump: Annotated[
        bool, typer.Option("--lump", help="Keep columns with many different words; rare words count as one.")
    ] = False
    words: Annotated[
        list[str] | None,
        typer.Option(metavar="COL,COL", help="Columns whose numbers are codes, to treat as words."),
    ] = None


@dataclass(frozen=True)
class Printing:
    """Options of what a command prints; ``quiet`` acts by its callback."""

    quiet: Quiet = False
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command for Typer: each parameter whose type is a group becomes the options of that group.

    A group is a frozen dataclass whose fields are options. ``--help`` lists them in the place of the
    parameter, and the command gets one object.
    """
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {one.name: one.annotation for one in parameters if is_dataclass(one.annotation)}
    flat = [option for one in parameters for option in _options_of(one)]

    @wraps(command)
    def with_options(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    with_options.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    with_options.__annotations__ = {option.name: option.annotation for option in flat}
    return with_options


def _options_of(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """The options of a parameter that is a group; any other parameter is itself."""
    group, kind = parameter.annotation, inspect.Parameter.KEYWORD_ONLY
    if not is_dataclass(group):
        return [parameter.replace(kind=kind)]
    types = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(field.name, kind, default=field.default, annotation=types[field.name])
        for field in fields(group)
    ]


def split_names(texts: Sequence[str] | None) -> list[str]:
    """All names of an option that may be repeated, and that has commas between names."""
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]


def check_choice(option: str, value: str, choices: Iterable[str], page: str = "") -> str:
    """Return a value that an option has; raise with what was probably meant, and all there are.

    ``page`` is the page of the documentation that lists many choices: then a sentence need not.
    """
    names = [str(name) for name in choices]
    if value in names:
        return value
    near = meant(value, names)
    if not page or len(names) <= FEW:
        raise UserError(f"{option} must be one of {', '.join(names)}, got {value!r}.{near}")
    if near:
        raise UserError(f"{option} {value} is unknown.{near} {page[0].upper()}{page[1:]} lists all names.")
    few = f"{', '.join(names[:FEW])} and {len(names) - FEW} others ({page} lists them)"
    raise UserError(f"{option} must be one of {few}, got {value!r}.")


def meant(value: str, names: Iterable[str], near_from: float = NEAR) -> str:
    """A question if one of the names is near."""
    names = list(names)
    begins = [name for name in names if value and name.lower().startswith(value.lower())]
    near = begins or get_close_matches(value, names, n=1, cutoff=near_from)
    return f" Did you mean {near[0]}?" if near else ""
