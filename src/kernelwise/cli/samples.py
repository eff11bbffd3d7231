"""The samples of a command: a file read, and turned into X and y."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kernelwise.cli.errors import UserError
from kernelwise.cli.options import split_names
from kernelwise.cli.progress import Progress, say

if TYPE_CHECKING:
    from kernelwise.tables import Encoding, Table


@dataclass
class Samples:
    """What a training file holds."""

    X: Any
    y: Any
    encoding: Encoding
    notes: list[str]

    def describe(self, path: Path) -> dict[str, Any]:
        """For the JSON object of a command."""
        n_samples, n_features = self.X.shape
        return {
            "file": str(path),
            "n_samples": n_samples,
            "n_features": n_features,
            "target": self.encoding.target,
            "notes": self.notes,
        }


def read_samples(
    path: Path,
    target: str | None,
    has_header: bool | None,
    impute: bool,
    ignore: str | None,
    task: str = "classification",
) -> Samples:
    """Read a training file; what was guessed is said."""
    from kernelwise.tables import learn_encoding, read_table

    table = read_table(path, has_header)
    encoding, notes = learn_encoding(
        table, target=target, task=task, ignore=split_names(ignore), impute=impute
    )
    notes = [*table.notes, *notes]
    for note in notes:
        say(note)
    y = encoding.labels(table)
    X = encoding.samples(table)
    say(f"{path}: {X.shape[0]} samples, {X.shape[1]} features.")
    return Samples(X, y, encoding, notes)


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

    table = read_table(path, encoding.has_header if has_header is None else has_header, min_columns=1)
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
