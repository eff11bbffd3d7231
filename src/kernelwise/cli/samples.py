"""The samples of a command: a file read, and turned into X and y."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelwise.cli.errors import UserError
from kernelwise.cli.options import split_names
from kernelwise.cli.progress import Progress, say

#: More classes than this are counted, not listed.
MOST_CLASSES = 8

if TYPE_CHECKING:
    from kernelwise.tables import Encoding, Table


@dataclass
class Samples:
    """What a training file holds."""

    X: Any
    y: Any
    encoding: Encoding
    notes: list[str]
    preparation: list[str]  # which columns were left out, coded or filled, one sentence each

    def describe(self, path: Path) -> dict[str, Any]:
        """For the JSON object of a command."""
        n_samples, n_features = self.X.shape
        return {
            "file": str(path),
            "n_samples": n_samples,
            "n_features": n_features,
            "target": self.encoding.target,
            "notes": [*self.notes, *self.preparation],
        }


def read_samples(
    path: Path,
    target: str | None,
    has_header: bool | None,
    impute: bool,
    ignore: str | None,
    task: str = "classification",
    missing: str | None = None,
    lump: bool = False,
) -> Samples:
    """Read a training file; what was guessed, and what was done to its columns, is said."""
    from kernelwise.tables import learn_encoding, read_table

    table = read_table(path, has_header)
    learned = learn_encoding(
        table,
        target=target,
        task=task,
        ignore=split_names(ignore),
        impute=impute,
        missing=split_names(missing),
        lump=lump,
    )
    notes = [*table.notes, *learned.notes]
    for note in [*notes, *learned.preparation]:
        say(note)
    encoding = learned.encoding
    data = Samples(encoding.samples(table), encoding.labels(table), encoding, notes, learned.preparation)
    say(first_line(data))
    return data


def first_line(data: Samples) -> str:
    """Rows and features, and how many rows each class has, or between what numbers the target is."""
    n_rows, n_features = data.X.shape
    size = f"{_counted(n_rows, 'row')}, {_counted(n_features, 'feature')}"
    if data.encoding.task == "regression":
        low, high, mean = data.y.min(), data.y.max(), data.y.mean()
        return f"{size}; {data.encoding.target!r} is between {low:.4g} and {high:.4g}, on average {mean:.4g}."
    counts = Counter(data.y.tolist()).most_common()
    shown = [f"{_printable(label)} {n}" for label, n in counts[:MOST_CLASSES]]
    more = f" and {len(counts) - MOST_CLASSES} more" if len(counts) > MOST_CLASSES else ""
    classes = "1 class" if len(counts) == 1 else f"{len(counts)} classes"
    return f"{size}; {classes}: {', '.join(shown)}{more}."


def _counted(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _printable(label: Any) -> str:
    """A label that a terminal does not take for a command."""
    return str(label) if str(label).isprintable() else repr(label)


def check_classes(data: Samples, path: Path) -> None:
    """Raise unless there are two classes to tell apart."""
    if len(set(data.y.tolist())) < 2:
        raise UserError(
            f"{path}: the target {data.encoding.target!r} has one class only ({data.y[0]}); at least two are "
            "needed."
        )


def read_more(path: Path, encoding: Encoding, has_header: bool | None = None) -> Table:
    """Read a file that has to fit the training file."""
    from kernelwise.tables import read_table

    has_names = encoding.has_header if has_header is None else has_header
    # Without names a column counts by its place, be it empty or not.
    table = read_table(path, has_names, min_columns=1, keep=0 if has_names else encoding.n_columns)
    for note in table.notes:
        say(note)
    return table


def open_journal(
    path: Path | None, command: str, data: Samples, chosen: dict[str, Any]
) -> AbstractContextManager[Any]:
    """The journal of these data and options, or nothing."""
    if path is None:
        return nullcontext()
    from kernelwise import __version__
    from kernelwise._core.fingerprint import fingerprint
    from kernelwise._core.journal import Journal

    about = {"command": command, "version": __version__, "data": fingerprint(data.X, data.y), **chosen}
    journal = Journal(path, about)
    say(f"{path} has {journal.n_found} finished cells.")
    return journal


def fit(machine: Any, data: Samples, time_budget: float | None = None, journal: Any = None) -> Any:
    """Fit a machine whose progress the user sees, with the names of the features, and return it."""
    from kernelwise.estimators.tuned import fit_in_context
    from kernelwise.search.context import FitContext

    with Progress(time_budget) as progress:
        context = FitContext(
            journal=journal, on_scored=progress.scored, feature_names=data.encoding.feature_names
        )
        return fit_in_context(machine, data.X, data.y, context)
