"""``kernelwise tune``: choose a kernel and C for a file of samples."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from kernelwise.cli import options, report
from kernelwise.cli.errors import UserError, check_different, check_writable
from kernelwise.cli.output import print_json
from kernelwise.cli.session import say, session

Kernel = Annotated[
    str,
    typer.Option(metavar="NAME", help="Kernel: auto, rbf, laplacian, …; rbf,poly tries both."),
]
Criterion = Annotated[
    str,
    typer.Option(
        metavar="NAME", help="What chooses the kernel: auto (cross-validation), dbtc, kta, radius-margin, …"
    ),
]
Search = Annotated[
    str | None, typer.Option(metavar="NAME", help="Optimizer of the criterion: quasi-newton, grid, …")
]
Folds = Annotated[str, typer.Option("--cv", metavar="INT", help="Number of cross-validation folds, or auto.")]
Scoring = Annotated[
    str | None, typer.Option(metavar="NAME", help="Score to maximise: accuracy, balanced_accuracy, f1, r2, …")
]
Budget = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Start no new step of the search after this time.")
]
Jobs = Annotated[
    int | None, typer.Option("--n-jobs", metavar="INT", help="Number of threads; -1 uses all cores.")
]
Log2C = Annotated[
    str | None,
    typer.Option(metavar="B,E,S", help="Values of log2(C) to try: begin, end, step, as in LIBSVM."),
]
ClassWeight = Annotated[
    str | None, typer.Option(metavar="balanced", help="balanced gives all classes the same weight.")
]
Positive = Annotated[
    str | None, typer.Option(metavar="LABEL", help="The class that f1, precision, recall, … measure.")
]
Threshold = Annotated[
    str | None,
    typer.Option(metavar="P", help="Probability above which to predict the positive class, or auto."),
]
Cost = Annotated[
    str | None, typer.Option(metavar="CLASS=N,…", help="Cost of a wrong prediction, for each true class.")
]
Solver = Annotated[
    str,
    typer.Option(metavar="NAME", help="Final model: auto, exact or nystroem (approximate)."),
]
Model = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Save the model to this file, for `predict`.")
]
TestFile = Annotated[Path | None, typer.Argument(metavar="TEST", help="Test file, to score the model on.")]

#: Options that say how to choose; the others say on what, and where to.
SETTINGS = (
    "kernel",
    "criterion",
    "search",
    "cv",
    "scoring",
    "positive",
    "log2c",
    "scale",
    "class_weight",
    "threshold",
    "cost",
    "solver",
    "time_budget",
    "n_jobs",
    "seed",
    "group",
    "time",
)


#: Of these, what the scores of kernels do not depend on.
UNSTEADY = ("time_budget", "n_jobs", "solver", "threshold", "cost")


def steady(chosen: dict[str, Any]) -> dict[str, Any]:
    """Options that a journal has to agree on."""
    return {name: value for name, value in chosen.items() if name not in UNSTEADY}


def tune(
    context: typer.Context,
    file: options.File,
    test: TestFile = None,
    target: options.Target = None,
    task: options.TaskOption = options.Task.classification,
    kernel: Kernel = "auto",
    criterion: Criterion = "auto",
    search: Search = None,
    cv: Folds = "auto",
    scoring: Scoring = None,
    positive: Positive = None,
    log2c: Log2C = None,
    scale: options.ScaleOption = "standard",
    class_weight: ClassWeight = None,
    threshold: Threshold = None,
    cost: Cost = None,
    solver: Solver = "auto",
    time_budget: Budget = None,
    n_jobs: Jobs = None,
    seed: options.Seed = 0,
    group: options.Group = None,
    time: options.Time = None,
    header: options.HasHeader = None,
    impute: options.Impute = False,
    ignore: options.Ignore = None,
    missing: options.Missing = None,
    lump: options.Lump = False,
    words: options.Words = None,
    unknown: options.UnknownOption = options.Unknown.error,
    journal: options.JournalFile = None,
    model: Model = None,
    report_file: options.ReportFile = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Find the best settings for a file, train a model, explain why.

    \b
    Example: kernelwise tune train.csv test.csv --target class --model model.kw
    """
    from kernelwise.cli import _findings
    from kernelwise.cli._tuning import make_model, settle_answers, settle_score
    from kernelwise.cli._tuning_result import print_tuning, tuning_json
    from kernelwise.cli.apart import check_one, check_time_folds, time_folds
    from kernelwise.cli.samples import check_classes, first_line, fit, open_journal, read_samples
    from kernelwise.persistence.model_file import save
    from kernelwise.reports.answer import answer_of

    started = monotonic()
    check_writable(model, "--model")
    check_writable(journal, "--journal")
    report.check_report(report_file)
    check_different(FILE=file, TEST=test, journal=journal, model=model, report=report_file)
    check_one(group, time)
    chosen = {name: context.params[name] for name in SETTINGS}
    machine = make_model(task.value, chosen)
    if time is not None:
        machine.set_params(cv=time_folds(machine.cv))
    data = read_samples(file, target, header, impute, ignore, task.value, missing, lump, group, time, words)
    if time is not None:
        check_time_folds(machine.cv.n_splits, len(data.y))
    if task is options.Task.classification:
        check_classes(data, file)
        settle_score(machine, positive, data.y)
        settle_answers(machine, threshold, cost, positive, data.y)
    held_out = None
    if test is not None:
        held_out = read_test(test, data, unknown.value, report_file is not None)
    with open_journal(journal, "tune", data, {"task": task.value, **steady(chosen)}) as cells:
        fit(machine, data, time_budget, cells)
    failed: list[str] = []
    with kept_for_later(model, failed):
        if model is not None:
            save(machine, model, {"encoding": data.encoding.to_json()})
            session.written.append(model)
            say(f"Saved the model to {model}.")
    with kept_for_later(report_file, failed):
        if report_file is not None:
            more = {"test": held_out, "source": str(file), "seed": seed}
            report.write(report_file, machine, data, context.obj, **more)
    answer = answer_of(machine, held_out)
    result = {
        "command": "tune",
        "task": task.value,
        "data": {**data.describe(file), "n_distinct": _findings.n_distinct(data.X, data.y)},
        "settings": chosen,
        **tuning_json(machine, answer),
        "seconds": monotonic() - started,
        "model": model,
        "report": report_file,
    }
    found = [
        *_findings.tune_findings(machine, data, chosen, answer),
        *_findings.test_findings(data, held_out, answer),
    ]
    result["findings"] = _findings.as_json(_findings.unique(found))
    if json:
        print_json(result)
    else:
        print(first_line(data))
        print_tuning(result, machine)
    if failed:
        raise UserError(" ".join(failed))


@contextmanager
def kept_for_later(path: Path | None, failed: list[str]) -> Iterator[None]:
    """A file that cannot be written is no reason to keep the answer back; ``failed`` gets the sentence."""
    try:
        yield
    except OSError as error:
        failed.append(f"{path} was not written: {error.strerror or error}.")


def read_test(path: Path, data: Any, unknown: str, must_be_known: bool) -> tuple[Any, Any]:
    """X and y of the test file; words that are new to it are refused, or counted in a note."""
    from kernelwise.cli.samples import read_more

    notes: list[str] = []
    table = read_more(path, data.encoding)
    X = data.encoding.rows(table, unknown, notes)
    for note in notes:
        say(note)
    return X, labels_of_test(path, table, data, must_be_known)


def labels_of_test(path: Path, table: Any, data: Any, must_be_known: bool) -> Any:
    """Labels of the test file, of the kind of those of the training file."""
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
    return labels
