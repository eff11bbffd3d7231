"""``kernelwise compare``: our choice beside other searches, on the same outer folds."""

from __future__ import annotations

import math
import sys
import time
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kernelwise._core.text import count, in_words
from kernelwise.cli import files, options
from kernelwise.cli.options import option
from kernelwise.cli.output import UserError, print_json, print_line, print_table, say
from kernelwise.cli.progress import Progress

if TYPE_CHECKING:
    from kernelwise.cli.samples import Samples
    from kernelwise.comparison import Comparison
    from kernelwise.findings import Finding


class Task(StrEnum):
    """The task that methods are compared on."""

    classification = "classification"
    regression = "regression"
    detection = "detection"


TaskOption = Annotated[
    Task | None,
    option("KIND", "classification, regression or detection. Default: by the target."),
]


@dataclass(frozen=True)
class Comparing:
    """Options of what to compare, and on which outer folds."""

    outlier: options.Outlier = None
    methods: Annotated[
        list[str] | None,
        option("A,B", "Methods to compare: kernelwise, random forest, xgboost, GridSearchCV, …"),
    ] = None
    folds: Annotated[int, option("INT", "Number of outer folds, on which methods are scored.", min=2)] = 5
    repeats: Annotated[int, option("INT", "How often to repeat with new outer folds.", min=1)] = 1
    journal: options.JournalFile = None
    n_jobs: options.Jobs = None
    seed: options.Seed = 0
    coverage: Annotated[
        float | None,
        option("SHARE", "Also show what intervals or sets cover that are to contain this share."),
    ] = None
    group: options.Group = None
    time: options.Time = None

    def as_json(self) -> dict[str, Any]:
        """Options that the scores depend on, by their names; some of them only if they are given."""
        of_folds = {"folds": self.folds, "repeats": self.repeats, "seed": self.seed}
        if_given = {"group": self.group, "time": self.time, "coverage": self.coverage}
        return of_folds | {name: value for name, value in if_given.items() if value is not None}


@options.with_groups
def compare(
    *,
    file: options.File,
    target: options.Target = None,
    task: TaskOption = None,
    chosen: Comparing,
    reading: options.Reading,
    report_file: options.ReportFile = None,
    no_form: options.NoForm = False,
    printing: options.Printing,
) -> None:
    """Compare kernelwise with other methods on your file.

    Every method makes all its choices on the training part of an outer fold and is scored on the rest. The
    table also has the score of guessing, and the lines below it tell whether a forest or boosting is better
    than an SVM. If you stop the command, it prints what is finished.

    \b
    Example: kernelwise compare train.csv --methods "kernelwise,SVC defaults" --journal train.journal
    """
    from scipy.sparse import issparse

    import kernelwise
    from kernelwise.cli.roles import time_folds
    from kernelwise.cli.samples import first_line, fit, open_journal, read_samples
    from kernelwise.comparison import ComparisonStopped
    from kernelwise.comparison.methods import BY_TASK, estimators

    check_options(task, target, chosen, report_file)
    names = options.split_names(chosen.methods) or None
    data = read_samples(
        file, target, reading, None if task is None else task.value, chosen.group, chosen.time
    )
    kind = Task(data.encoding.task)
    if kind is not Task.detection:
        say(first_line(data))
    for name in names or ():
        check_method(name, list(BY_TASK[kind.value]))
    check_target(data, kind, chosen.outlier, file)
    about = chosen.as_json()
    if kind is not Task.classification:
        about["task"] = kind.value
    n_methods = len(estimators(names, kind.value, chosen.seed, is_sparse=issparse(data.X))[0]) + 1
    stopped: ComparisonStopped | None = None
    with open_journal(chosen.journal, "compare", data, about) as cells, Progress() as progress:
        watcher = Watcher(progress, n_splits=chosen.folds * chosen.repeats, n_methods=n_methods)
        try:
            table = kernelwise.compare(
                data.rows,
                data.y,
                names,
                n_splits=chosen.folds,
                n_repeats=chosen.repeats,
                random_state=chosen.seed,
                journal=cells,
                callback=watcher.scored,
                task=kind.value,
                on_begin=watcher.begin,
                n_jobs=chosen.n_jobs,
                groups=data.groups,
                times=data.times,
                coverage=chosen.coverage,
            )
        except ComparisonStopped as stop:
            table, stopped = stop.table, stop
    if report_file is not None and stopped is None:
        made = kernelwise.TunedSVC if kind is Task.classification else kernelwise.TunedSVR
        model = made(random_state=chosen.seed, cv="auto" if chosen.time is None else time_folds("auto"))
        told = {"comparison": table, "source": str(file), "seed": chosen.seed, "interactive": not no_form}
        files.write_report(report_file, fit(model, data), data, **told)
        say(f"Wrote the report to {report_file}.")
    if printing.json:
        head = {"command": "compare", "version": kernelwise.__version__, "task": kind.value}
        print_json(
            {**head, "data": data.describe(file), "settings": chosen.as_json(), **comparison_json(table)}
        )
    else:
        print_comparison(table)
    if stopped is not None:
        n_done = count(table.scores.shape[1], "outer fold")
        print(f"Stopped: this is {n_done} of {stopped.n_splits}.", file=sys.stderr)
        raise stopped


def check_options(task: Task | None, target: str | None, chosen: Comparing, report_file: Path | None) -> None:
    """Raise if options cannot be right, before a file is read."""
    from kernelwise.cli.models import check_numbers
    from kernelwise.cli.roles import check_one
    from kernelwise.comparison.methods import BY_TASK

    if task is Task.detection and report_file is not None:
        raise UserError(
            "--report does not work with --task detection. `kernelwise detect --report` writes a report."
        )
    if task is Task.detection and target is None:
        raise UserError("--task detection needs --target, the column that labels unusual rows.")
    if task is not Task.detection and chosen.outlier is not None:
        raise UserError("--outlier works only with --task detection. Leave it out.")
    if task is Task.detection and chosen.coverage is not None:
        raise UserError("--coverage does not work with --task detection. Leave it out.")
    options.check_share(chosen.coverage, "--coverage")
    files.check_report(report_file)
    files.check_writable(chosen.journal, "--journal")
    check_numbers(chosen.n_jobs)
    known = BY_TASK.values() if task is None else [BY_TASK[task.value]]
    for name in options.split_names(chosen.methods):
        check_method(name, list(dict.fromkeys(name for methods in known for name in methods)))
    check_one(chosen.group, chosen.time)
    if chosen.time is not None and chosen.repeats > 1:
        raise UserError("With --time there is only one way to make folds. Leave out --repeats.")


def check_method(name: str, known: list[str]) -> None:
    """Refuse a method that there is not."""
    from kernelwise.comparison.methods import VERY_NEAR

    if name not in known:
        near = options.meant(name, known, VERY_NEAR)
        raise UserError(f"--methods: {name!r} is not supported.{near} You can compare {in_words(known)}.")


def check_target(data: Samples, task: Task, outlier: str | None, file: Path) -> None:
    """Raise if the target of a file cannot be predicted; say what may be wrong with it and the columns."""
    from kernelwise.cli.models import settle_labels
    from kernelwise.cli.samples import check_classes, label_findings

    spelled: list[Finding] = []
    if task is Task.detection:
        settle_labels(data, outlier, str(file))
        if (data.y == 0).any():
            raise UserError(f"{file}: {data.encoding.target!r} is empty in some rows. Remove these rows.")
    if task is Task.classification:
        spelled = label_findings(data)
        check_classes(data, file)
    for finding in (*spelled, *data.findings):
        if (sentence := finding.for_command_line()) not in data.preparation:  # which was said
            say(sentence)


class Watcher:
    """Shows which cell of a comparison is running, the share that is done, and the time left.

    A method takes about as long on the next fold as it did on this one; before the first fold is done, nobody
    knows.
    """

    def __init__(self, progress: Progress, n_splits: int, n_methods: int) -> None:
        self.progress, self.n_splits, self.n_methods = progress, n_splits, n_methods
        self.started: float | None = None
        self.seconds: dict[str, float] = {}
        self.n_done: Counter[str] = Counter()
        progress.expected = n_splits * n_methods

    def begin(self, method: str, split: int) -> None:
        """A cell is begun."""
        self.started = time.monotonic()
        self.progress.show(f"{method}, fold {split + 1} of {self.n_splits}: running")

    def scored(self, method: str, split: int, score: float) -> None:
        """A cell is done, or was found in the journal."""
        progress = self.progress
        progress.n_done += 1
        self.n_done[method] += 1
        if self.started is not None:
            self.seconds[method] = time.monotonic() - self.started
        self.started = None
        if len(self.seconds) == self.n_methods:
            left = (each * (self.n_splits - self.n_done[name]) for name, each in self.seconds.items())
            progress.seconds_left = sum(left)
        progress.show(f"{method}, fold {split + 1} of {self.n_splits}: {score:.4f}")


def comparison_json(table: Comparison) -> dict[str, Any]:
    """The table and its sentences as JSON can hold them."""
    from kernelwise.reports.comparison import versus

    return {
        "methods": table.rows(),
        "scores": table.scores,
        "skipped": table.skipped,
        "baseline": table.baseline,
        "verdict": versus(table).heading,
        "forests": table.verdict(),
        "losses": table.losses(),
        "notes": table.notes(),
    }


def print_comparison(table: Comparison) -> None:
    """A row for each method, then whether an SVM is right here, and where the first one loses."""
    from kernelwise.reports.comparison import clear_from

    (head, cells), n_splits = table.columns(), table.scores.shape[1]
    print_table(cells, head)
    print_line("s.e. is the standard error over the outer folds.")
    print_line("difference is the score minus that of the first method.")
    if math.isfinite(clear := clear_from(n_splits)):
        folds = count(n_splits, "outer fold")
        print_line(f"With {folds}, a difference below {clear:.1f} times its s.e. may be chance.")
    if "log_loss" in table.errors:
        print_line("log-loss measures the quality of the probabilities; lower is better.")
    if "coverage" in table.errors:
        what = "sets of classes" if "set_size" in table.errors else "intervals"
        print_line(f"coverage is the share of held-out rows whose truth is in the {what} of a method.")
    if "average_precision" in table.errors:
        print_line("No method saw a label. The ROC AUC of guessing is 0.5; higher is better.")
    for sentence in (*sentences(table), *table.losses(), *table.notes()):
        print_line(sentence)


def sentences(table: Comparison) -> list[str]:
    """The headline of the report, and what it does not say of forests and boosting."""
    from kernelwise.reports.comparison import NOT_BEST, versus

    heading = f"{versus(table).heading}."
    return [heading, *(one for one in table.verdict() if not one.startswith(NOT_BEST))]
