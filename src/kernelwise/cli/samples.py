"""The samples of a command: a file read, and turned into X and y."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kernelwise._core.text import amount, count
from kernelwise.cli.options import Reading, split_names
from kernelwise.cli.output import UserError, in_options, is_told, say, say_more, session
from kernelwise.cli.progress import Progress, expected
from kernelwise.cli.roles import asked_target, groups_left_out, place_of, read_groups, read_times, sentence

if TYPE_CHECKING:
    from kernelwise.findings import Finding
    from kernelwise.tables import Encoder, Encoding, Table

#: More classes than this are counted, not listed.
MOST_CLASSES = 8


@dataclass
class Samples:
    """The contents of a training file."""

    X: Any  # numbers, with words and gaps coded
    y: Any  # None for unusual rows without labels
    rows: Any  # what an estimator takes: X, or a Table if there are words or gaps
    encoding: Encoding
    notes: list[str]
    preparation: list[str]  # which columns were left out, coded or filled, one sentence each
    lines: Any  # of the rows in the file, shape (n_rows,)
    findings: list[Finding] = field(default_factory=list)  # what may be wrong with the columns
    groups: Any = None  # of the rows, shape (n_rows,), if a column says which belong together
    times: Any = None  # of the rows, shape (n_rows,), increasing, if a column says when they were made

    @property
    def n_columns(self) -> int:
        """Columns of the file that are features, before words were coded."""
        return len(self.encoding.columns) or int(self.X.shape[1])

    def size_text(self, coded: bool = True) -> str:
        """Rows and features in words, and columns where they are not as many as features.

        Without ``coded`` it is the columns that count, those of the file beside those that are used.
        """
        n_rows, n_features = self.X.shape
        if not coded:
            n_all = self.encoding.n_columns - (self.encoding.target is not None)
            of_all = f"{self.n_columns} of " if self.n_columns < n_all else ""
            return f"{count(n_rows, 'row')}, {of_all}{count(max(n_all, self.n_columns), 'column')}"
        if n_features == self.n_columns:
            return f"{count(n_rows, 'row')}, {count(n_features, 'feature')}"
        return f"{count(n_rows, 'row')}, {count(self.n_columns, 'column')} coded as {n_features} features"

    def kind(self) -> str:
        """What the target is: 2 classes, or a number."""
        if self.encoding.task == "regression":
            return "a number"
        return count(len(set(self.y.tolist())), "class", "classes")

    @property
    def encoder(self) -> Encoder | None:
        """What codes words and gaps, in the model as well; None if the rows are numbers."""
        return self.encoding.encoder if self.encoding.is_coded else None

    @property
    def names_for_fit(self) -> list[str] | None:
        """Names of the features, for rows that have none of their own."""
        return self.encoding.feature_names if self.encoder is None else None

    def describe(self, path: Path) -> dict[str, Any]:
        """For the JSON object of a command."""
        n_samples, n_features = self.X.shape
        return {
            "file": str(path),
            "n_samples": n_samples,
            "n_columns": self.n_columns,
            "n_features": n_features,
            "target": self.encoding.target,
            "class_counts": class_counts(self),
            "notes": [*self.notes, *self.preparation],
        }


def read_samples(
    path: Path,
    target: str | None,
    reading: Reading,
    task: str | None,
    group: str | None = None,
    time: str | None = None,
    n_answered: int | None = 0,
) -> Samples:
    """Read a training file; what was guessed, and what was done to its columns, is said.

    Without a target, a user at a terminal is asked for it if the names do not tell; without a task, the
    target tells it. ``group`` and ``time`` name columns that are no features; rows are put in the order of
    time. Not said is what the answer of the command says: the first ``n_answered`` of the serious findings,
    or all findings if that is None, or if the answer is to be verbose.
    """
    from kernelwise.tables import DETECTION, learn_encoding, read_table

    # Unusual values of one column are a task; all others need a target, too.
    min_columns = 1 if task == DETECTION and target is None else 2
    table = read_table(
        path,
        reading.header,
        min_columns,
        skip=reading.lines_to_skip,
        sheet=reading.sheet,
        decimal=reading.decimal,
        wanted=[] if target is None else [target],
    )
    if len(table.lines) == 1:
        raise UserError(f"{path} has only one row of data. Add rows: a model learns from many.")
    groups, times, apart = None, None, []
    if group is not None:
        apart = [place_of(table, group, "--group", target)]
        groups = read_groups(table, apart[0])
    if time is not None:
        apart = [place_of(table, time, "--time", target)]
        times = read_times(table, apart[0])
    if target is None and task != DETECTION:
        target = asked_target(table, split_names(reading.ignore))
    learned = learn_encoding(
        table,
        target=target,
        task=task,
        ignore=[*split_names(reading.ignore), *(table.names[place] for place in apart)],
        impute=reading.impute,
        missing=split_names(reading.missing),
        lump=reading.lump,
        words=split_names(reading.words),
        use=split_names(reading.use),
        strict=reading.strict,
        codes=not apart,  # rows of one group or time are no evidence of others
    )
    notes = [*table.notes, *learned.notes]
    preparation = [*learned.preparation, *(sentence(table, place, groups) for place in apart)]
    if n_answered and session.is_verbose:
        n_answered = None
    serious = [one for one in learned.findings if one.severity != "info" or n_answered is None]
    untold = session.untold = [one.for_command_line() for one in serious[:n_answered]]
    done = {finding.for_command_line() for finding in learned.findings}
    for note in [*notes, *preparation]:
        if note not in untold:
            (say if note in notes or note in done else say_more)(note)
    encoding, source, table = learned.encoding, table, learned.table
    groups, times = (None if values is None else values[learned.rows] for values in (groups, times))
    rows, lines = encoding.rows(table), table.lines
    y = None if encoding.target is None else encoding.labels(table)
    findings = list(learned.findings)
    if y is not None and times is None and encoding.task != DETECTION:
        ignored, is_classes = split_names(reading.ignore), encoding.task == "classification"
        findings += groups_left_out(source, ignored, learned.rows, y, groups, is_classes=is_classes)
    if times is not None:
        order = np.argsort(times, kind="stable")
        rows, lines, times = rows[order], lines[order], times[order]
        y = None if y is None else y[order]
    X = encoding.encoder.transform(rows) if encoding.is_coded else rows
    return Samples(X, y, rows, encoding, notes, preparation, lines, findings, groups, times)


def class_counts(data: Samples) -> dict[str, int] | None:
    """Rows of every class, the largest first; None where the target is no class."""
    if data.encoding.task != "classification":
        return None
    counts = Counter(map(str, data.y.tolist()))
    return dict(counts.most_common())


def first_line(data: Samples) -> str:
    """The sentence on rows and features, and on the rows of each class or the range of the target."""
    return f"{data.size_text()}; {data.encoding.target!r}: {data.kind()}, {labels_text(data)}."


def labels_text(data: Samples) -> str:
    """The rows of each class, or the range of the target."""
    if data.encoding.task == "regression":
        low, high, mean = data.y.min(), data.y.max(), data.y.mean()
        return f"between {amount(low)} and {amount(high)}, on average {amount(mean)}"
    counts = sorted(Counter(sorted(data.y.tolist())).items(), key=lambda pair: -pair[1])
    shown = [f"{label} ({n})" for label, n in counts[:MOST_CLASSES]]
    more = f" and {len(counts) - MOST_CLASSES} more" if len(counts) > MOST_CLASSES else ""
    return f"{', '.join(shown)}{more}"


def check_classes(data: Samples, path: Path) -> None:
    """Raise unless there are two classes to tell apart, and none has one row for being written otherwise."""
    spelled = label_findings(data)
    if spelled and min(Counter(data.y.tolist()).values()) < 2:
        raise UserError(f"{path}: {spelled[0].for_command_line()}")
    if len(set(data.y.tolist())) < 2:
        raise UserError(
            f"{path}: the target {data.encoding.target!r} has only one class ({data.y[0]}). Give rows of at "
            "least two classes."
        )


def label_findings(data: Samples) -> list[Finding]:
    """Labels that are written in two ways."""
    from kernelwise.tables import spelling_findings

    counts = Counter(data.y.tolist())
    return spelling_findings(list(counts), list(counts.values()))


def read_more(
    path: Path,
    encoding: Encoding,
    has_header: bool | None = None,
    skip: int | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
) -> Table:
    """Read a file that has to fit the training file."""
    from kernelwise.tables import read_table

    has_names = encoding.has_header if has_header is None else has_header
    # Without names a column counts by its place, be it empty or not.
    keep = 0 if has_names else encoding.n_columns
    wanted = [column.name for column in encoding.columns] if has_names else []
    table = read_table(path, has_names, 1, keep, skip, sheet, decimal, encoding.usual, wanted)
    for note in table.notes:
        say(note)
    return table


def rows_of(
    table: Table, encoding: Encoding, unknown: str, strict: bool = False, notes: list[str] | None = None
) -> Any:
    """Rows of a file as a model takes them; what no training row had is coded as unknown, and told.

    It is added to ``notes`` if that is a list. New words are refused if ``unknown`` is "error", and all that
    no training row had if ``strict``.
    """
    from kernelwise.tables.new_rows import EVERY_KIND, WORD

    found: list[str] = []
    refused = EVERY_KIND if strict else frozenset({WORD} if unknown == "error" else ())
    rows = encoding.rows(table, refused, found)
    if notes is not None:
        notes += found
        return rows
    for note in found:
        say(note)
    return rows


def open_journal(
    path: Path | None, command: str, data: Samples, chosen: dict[str, Any]
) -> AbstractContextManager[Any]:
    """The journal of these data and options, or nothing."""
    if path is None:
        return nullcontext()
    from kernelwise import __version__
    from kernelwise._core.journal import Journal, fingerprint

    y = np.zeros(data.X.shape[0]) if data.y is None else data.y
    about = {"command": command, "version": __version__, "data": fingerprint(data.X, y), **chosen}
    session.journal = journal = Journal(path, about)
    if journal.n_found:
        say(f"The journal {path} has {count(journal.n_found, 'finished part')}.")
    return journal


def fit(
    model: Any,
    data: Samples,
    time_budget: float | None = None,
    journal: Any = None,
    n_kernels: int | None = None,
) -> Any:
    """Fit a model whose progress the user sees, with the names of the features, and return it.

    Its findings are shown in words for the command line, and not issued as warnings; warnings of other kinds
    are passed on when the progress is over. ``n_kernels`` are scored, about, if that is known.
    """
    from kernelwise.estimators.tuned import fit_in_context
    from kernelwise.search.engine.context import FINAL, FitContext

    size = f"{count(data.X.shape[0], 'row')} and {count(data.X.shape[1], 'feature')}"
    with (
        Progress(time_budget, n_kernels or expected(model.kernel), f"looking at {size}") as progress,
        warnings.catch_warnings(record=True) as caught,
    ):
        context = FitContext(
            journal=journal,
            on_scored=progress.scored,
            on_phase=lambda words: (progress.last if words == FINAL else progress.show)(words),
            feature_names=data.names_for_fit,
            encoder=data.encoder,
            warns=False,
        )
        with refusals_in_options():
            fit_in_context(model, data.rows, data.y, context, data.groups)
    for warning in caught:
        warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return model


@contextmanager
def refusals_in_options() -> Iterator[None]:
    """Turn an estimator's error that is meant for the user into a UserError that names options."""
    try:
        yield
    except (ValueError, TypeError) as error:
        if not is_told(error):
            raise
        raise UserError(in_options(str(error))) from error
