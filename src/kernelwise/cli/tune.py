"""``kernelwise tune``: choose a kernel and C for a file of samples."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kernelwise._core.text import count
from kernelwise.cli import files, options
from kernelwise.cli.options import flag, option
from kernelwise.cli.output import UserError, print_json, say

if TYPE_CHECKING:
    from kernelwise.cli.samples import Samples
    from kernelwise.tables import Table


TestFile = Annotated[Path | None, typer.Argument(metavar="TEST", help="Test file, to score the model on.")]
#: Options that the scores of kernels do not depend on: a journal may be continued with others.
NOT_IN_JOURNAL = ("time_budget", "n_jobs", "solver", "blend", "threshold", "cost")


@dataclass(frozen=True)
class Tuning:
    """Options of how to choose; the others of `tune` say on what, and where to write."""

    kernel: Annotated[str, option("NAME", "auto, or names such as rbf,poly, or your module:Class.")] = "auto"
    criterion: Annotated[
        str,
        option("NAME", "Chooses the kernel: auto (cross-validation), dbtc, …"),
    ] = "auto"
    search: Annotated[str | None, option("NAME", "Optimizer of the criterion: quasi-newton, grid, …")] = None
    cv: Annotated[str, option("INT", "Number of cross-validation folds, or auto.", "--cv")] = "auto"
    scoring: Annotated[
        str | None, option("NAME", "Score to maximise: accuracy, balanced_accuracy, f1, r2, …")
    ] = None
    positive: Annotated[
        str | None,
        option("LABEL", "The class that f1, precision, recall, … measure."),
    ] = None
    log2c: Annotated[
        str | None, option("B,E,S", "Values of log2(C) to try: begin, end, step, as in LIBSVM.")
    ] = None
    scale: options.ScaleOption = "standard"
    class_weight: Annotated[
        str | None,
        option("balanced", "balanced gives all classes the same weight."),
    ] = None
    threshold: Annotated[
        str | None, option("P", "Probability above which to predict the positive class, or auto.")
    ] = None
    cost: Annotated[
        list[str] | None, option("CLASS=N,…", "Cost of a wrong prediction, for each true class.")
    ] = None
    log_target: Annotated[
        bool, flag("--log-target", "Predict by the logarithm of a target with a long tail, such as a price.")
    ] = False
    quantile: Annotated[str | None, option("Q,…", "Quantiles of a number to predict: 0.9, or 0.1,0.9.")] = (
        None
    )
    solver: options.Solver = "auto"
    effort: Annotated[str, option("LEVEL", "How hard to search: fast, normal or best.")] = "normal"
    blend: Annotated[str, option("WHEN", "Blend the best models into one: yes, no or auto.")] = "auto"
    time_budget: options.Budget = None
    n_jobs: options.Jobs = None
    seed: options.Seed = 0
    group: options.Group = None
    time: options.Time = None

    @property
    def costs(self) -> str | None:
        """The texts of --cost, which may be repeated, as one."""
        return ",".join(self.cost) if self.cost else None

    @property
    def is_of_classes(self) -> bool:
        """Whether an option is given that only classes have."""
        return bool(self.class_weight or self.threshold or self.cost or self.positive)

    @property
    def is_of_numbers(self) -> bool:
        """Whether an option is given that only numbers have."""
        return self.log_target or self.quantile is not None

    @property
    def guessed_task(self) -> str:
        """The task before the target is read, which may tell another."""
        from kernelwise.search.scoring.scores import is_of_numbers

        is_of_score = self.scoring is not None and is_of_numbers(self.scoring)
        return (
            "regression"
            if (is_of_score or self.is_of_numbers) and not self.is_of_classes
            else "classification"
        )

    def as_json(self) -> dict[str, Any]:
        """The options by their names."""
        return {**asdict(self), "cost": self.costs}

    def for_journal(self, task: str) -> dict[str, Any]:
        """Options that a journal has to agree on."""
        chosen = {name: value for name, value in self.as_json().items() if name not in NOT_IN_JOURNAL}
        return {"task": task, **chosen}


@options.with_groups
def tune(
    *,
    file: options.File,
    test: TestFile = None,
    target: options.Target = None,
    task: options.TaskOption = None,
    chosen: Tuning,
    reading: options.Reading,
    unknown: options.UnknownOption = options.Unknown.ignore,
    journal: options.JournalFile = None,
    model_file: options.ModelFile = None,
    report_file: options.ReportFile = None,
    no_form: options.NoForm = False,
    printing: options.Printing,
) -> None:
    """Find the best settings for a file, train a model, explain why.

    \b
    Example: kernelwise tune train.csv test.csv --target class --model model.kw
    """
    from kernelwise.cli import results
    from kernelwise.cli.models import TunedSVC, make_model, settle_answers, settle_score
    from kernelwise.cli.roles import check_one, check_time_folds, time_folds
    from kernelwise.cli.samples import check_classes, fit, open_journal, read_samples
    from kernelwise.cli.training_rows import n_distinct
    from kernelwise.reports.answer import answer_of
    from kernelwise.reports.columns_used import looks_at

    started = monotonic()
    files.check_writable(model_file, "--model")
    files.check_writable(journal, "--journal")
    files.check_report(report_file)
    files.check_different(FILE=file, TEST=test, journal=journal, model=model_file, report=report_file)
    check_one(chosen.group, chosen.time)
    wanted = chosen.guessed_task if task is None else task.value
    model = make_model(wanted, chosen)
    if model_file is not None and ":" in chosen.kernel:
        raise UserError("--model cannot keep a kernel of your own. Leave it out, or use pickle in Python.")
    told_task = wanted if task is not None or chosen.is_of_classes or chosen.is_of_numbers else None
    data = read_samples(file, target, reading, told_task, chosen.group, chosen.time, n_answered=1)
    kind = data.encoding.task
    if kind != wanted:
        model = make_model(kind, chosen)
    if chosen.time is not None:
        model.set_params(cv=time_folds(model.cv))
        check_time_folds(model.cv.n_splits, len(data.y))
    if isinstance(model, TunedSVC):
        check_classes(data, file)
        settle_score(model, chosen.positive, data.y)
        settle_answers(model, chosen.threshold, chosen.costs, chosen.positive, data.y)
    held_out = None
    if test is not None:
        held_out = read_test(test, data, unknown.value, reading.strict, report_file is not None)
    with open_journal(journal, "tune", data, chosen.for_journal(kind)) as cells:
        fit(model, data, chosen.time_budget, cells)
    model.target_name_ = data.encoding.target
    unwritten = files.Unwritten()
    unwritten.write(model_file, lambda path: files.save_model(path, model, data))
    # Made once, for the terminal, for JSON and for the report.
    answer = answer_of(model, held_out, data.encoding.target)
    columns = looks_at(model, data.rows, data.y, data.lines)
    diagnosis = results.diagnosis_of(model, data, chosen, for_report=report_file is not None)
    told = {
        "answer": answer,
        "diagnosis": diagnosis,
        "test": held_out,
        "seed": chosen.seed,
        "columns": columns,
        "interactive": not no_form,
    }
    unwritten.write(report_file, lambda path: files.write_report(path, model, data, source=str(file), **told))
    found = results.unique(
        [
            *results.of_tuning(model, data, diagnosis, answer),
            *results.of_test(data, held_out, answer),
            *results.of_logarithms(model, data),
        ]
    )
    result = {
        "command": "tune",
        "task": kind,
        "data": {**data.describe(file), "n_distinct": n_distinct(data.X, data.y)},
        "settings": chosen.as_json(),
        **results.tuning_json(model, answer, columns),
        "seconds": monotonic() - started,
        "model": model_file,
        "report": report_file,
        "findings": results.as_json(found),
    }
    if printing.json:
        print_json(result)
    else:
        results.print_tuning(result, model, data, answer)
    unwritten.tell()


def read_test(path: Path, data: Samples, unknown: str, strict: bool, must_be_known: bool) -> tuple[Any, Any]:
    """X and y of the test file; what no training row had is counted in a note, or refused."""
    from kernelwise.cli.samples import read_more, rows_of

    notes: list[str] = []
    table = read_more(path, data.encoding)
    n_rows = len(table.lines)
    table = data.encoding.labelled(table, notes)
    if strict and len(table.lines) < n_rows:
        n_without = n_rows - len(table.lines)
        raise UserError(f"{path}: the target is missing in {n_without} of {n_rows} rows. Remove these rows.")
    for note in notes:
        say(note)
    X = rows_of(table, data.encoding, unknown, strict)
    return X, labels_of_test(path, table, data, must_be_known)


def labels_of_test(path: Path, table: Table, data: Samples, must_be_known: bool) -> Any:
    """Labels of the test file, of the kind of those of the training file."""
    import numpy as np

    is_text = data.y.dtype.kind == "U"
    labels = data.encoding.labels(table, as_text=is_text)
    if data.encoding.task == "regression":
        return labels
    unknown = sorted(set(labels.tolist()) - set(data.y.tolist()), key=str)
    if unknown and (must_be_known or labels.dtype.kind != data.y.dtype.kind):
        raise UserError(
            f"{path}: the target has the class {unknown[0]!r}, which the training file does not have. Remove "
            "these rows."
        )
    if unknown:
        n_strange = count(int(np.isin(labels, unknown).sum()), "row has", "rows have")
        say(
            f"{path}: {n_strange} a label that the training file does not have, such as {unknown[0]!r}: no "
            "answer can be right there."
        )
    return labels
