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
from kernelwise.cli.output import UserError, be_quiet, be_verbose

#: Names that a sentence lists where a page has all of them.
FEW = 7


class Task(StrEnum):
    """The kind of the target: classes or numbers."""

    classification = "classification"
    regression = "regression"


class Unknown(StrEnum):
    """The ways to treat a word that is not in the training file."""

    error = "error"
    ignore = "ignore"


class Decimal(StrEnum):
    """The signs before decimals."""

    point = "."
    comma = ","


def option(metavar: str, text: str, *names: str, **more: Any) -> Any:
    """An option that takes a value; ``names`` if they are not that of its parameter."""
    return typer.Option(*names, metavar=metavar, help=text, **more)


def flag(names: str, text: str, **more: Any) -> Any:
    """An option that is there or not."""
    return typer.Option(names, help=text, **more)


File = Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, Parquet, LIBSVM, Excel or .ods file.")]
Target = Annotated[
    str | None,
    option("COL", "Column to predict. Default: target, class, label or y; else the last."),
]
TaskOption = Annotated[
    Task | None, option("KIND", "classification or regression (numbers). Default: by the target.")
]
HasHeader = Annotated[
    bool | None, flag("--header/--no-header", "Whether line 1 names the columns. Default: detected.")
]
SkipLines = Annotated[
    int | None,
    option("INT", "Lines above the table to skip; 0 also keeps totals below it.", min=0),
]
SheetOption = Annotated[
    str | None,
    option("NAME", "Sheet of a workbook, by name or number. Default: the first table.", "--sheet"),
]
DecimalOption = Annotated[
    Decimal | None, option("SIGN", "The sign of decimals, . or ,. Default: found.", "--decimal")
]
UnknownOption = Annotated[
    Unknown, option("KIND", "What to do with words that are new: ignore or error.", "--unknown")
]
StrictOption = Annotated[
    bool, flag("--strict", "Refuse what no training row had: missing cells, new words, texts for numbers.")
]
ScaleOption = Annotated[str, option("NAME", "How to scale features: standard, minmax or none.")]
Solver = Annotated[str, option("NAME", "Final model: auto, exact or nystroem (approximate).")]
Budget = Annotated[float | None, option("SECONDS", "Start no new step of the search after this time.")]
Jobs = Annotated[int | None, option("INT", "Number of threads; -1 uses all cores.", "--n-jobs")]
Seed = Annotated[int, option("INT", "Random seed of folds and samples.", min=0)]
Group = Annotated[
    str | None, option("COL", "Keep rows with the same value in this column in one fold.", "--group")
]
Time = Annotated[
    str | None,
    option("COL", "Order rows by this column: train on earlier rows, test on later ones.", "--time"),
]
Fdr = Annotated[
    float | None,
    option("SHARE", "Call rows unusual so that, on average, at most this share of them is not.", "--fdr"),
]
Outlier = Annotated[str | None, option("LABEL", "The label of unusual rows. Default: the rarer label.")]
SafeCsv = Annotated[
    bool,
    flag("--safe-csv", "Write an apostrophe before cells that a spreadsheet would take for a formula."),
]
JournalFile = Annotated[
    Path | None,
    option("FILE", "Save finished parts here; the same command continues from them.", "--journal"),
]
ModelFile = Annotated[Path | None, option("FILE", "Save the model to this file, for `predict`.", "--model")]
ReportFile = Annotated[
    Path | None,
    option("HTML", "Write a report to this file; with --no-form, one without training rows.", "--report"),
]
# --report tells of it.
NoForm = Annotated[bool, flag("--no-form", "Write the report without the form that answers.", hidden=True)]
Quiet = Annotated[bool, flag("--quiet", "Print no progress and no notes.", callback=be_quiet, is_eager=True)]


def check_share(value: float | None, name: str) -> None:
    """Raise unless the value of an option is a share between 0 and 1, or None."""
    if value is not None and not 0.0 < value < 1.0:
        raise UserError(f"{name} must be above 0 and below 1, such as 0.9 or 0.1, got {value:g}.")


@dataclass(frozen=True)
class Reading:
    """Options of a training file: what its cells mean, and which columns are features."""

    header: HasHeader = None
    impute: Annotated[
        bool, flag("--impute", "Fill missing values with the median or the most frequent word.")
    ] = False
    ignore: Annotated[list[str] | None, option("COL,COL", "Columns to leave out, by name or number.")] = None
    missing: Annotated[
        list[str] | None, option("TEXT,TEXT", "Texts that mean a missing value, such as -999.")
    ] = None
    # What --strict refuses tells of it.
    lump: Annotated[
        bool, flag("--lump", "With --strict: keep columns of many different words.", hidden=True)
    ] = False
    words: Annotated[
        list[str] | None, option("COL,COL", "Columns whose numbers are codes, to treat as words.")
    ] = None
    use: Annotated[
        list[str] | None, option("COL,COL", "Columns to use although they look like row numbers or names.")
    ] = None
    skip_lines: SkipLines = None
    sheet: SheetOption = None
    decimal: DecimalOption = None
    strict: Annotated[
        bool, flag("--strict", "Refuse a file that is not clean: leave out nothing, and guess nothing.")
    ] = False

    @property
    def lines_to_skip(self) -> int | None:
        """Lines at the top that are no part of the table; None finds out."""
        return 0 if self.strict and self.skip_lines is None else self.skip_lines


@dataclass(frozen=True)
class Printing:
    """Options of what a command prints; ``quiet`` and ``verbose`` act by their callbacks."""

    quiet: Quiet = False
    verbose: Annotated[
        bool, flag("--verbose", "Print reasons, details and notes.", callback=be_verbose, is_eager=True)
    ] = False
    json: Annotated[bool, flag("--json", "Print one JSON object and nothing else.")] = False


def with_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command for Typer: each parameter whose type is a group becomes the options of that group.

    A group is a frozen dataclass whose fields are options. ``--help`` lists them in the place of the
    parameter, and the command gets one object.
    """
    parameters = inspect.signature(command, eval_str=True).parameters.values()
    groups: dict[str, Any] = {one.name: one.annotation for one in parameters if is_dataclass(one.annotation)}
    flat = [each for one in parameters for each in _options_of(one)]

    @wraps(command)
    def with_options(**values: Any) -> None:
        for name, group in groups.items():
            values[name] = group(**{field.name: values.pop(field.name) for field in fields(group)})
        command(**values)

    with_options.__signature__ = inspect.Signature(flat)  # type: ignore[attr-defined]
    with_options.__annotations__ = {each.name: each.annotation for each in flat}
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
    """The names that an option gives; it may be repeated, and has commas between names."""
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
