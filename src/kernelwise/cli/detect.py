"""``kernelwise detect``: find the rows of a file that are unlike the others."""

from __future__ import annotations

import csv
from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from kernelwise.cli import options, report
from kernelwise.cli.errors import UserError, check_different, check_writable
from kernelwise.cli.output import print_json
from kernelwise.cli.session import say, session
from kernelwise.cli.tune import Budget, Jobs, Solver, kept_for_later

Out = Annotated[
    Path | None,
    typer.Option(
        metavar="CSV", help="Write the rank (1 is the strangest), score and probability of every row."
    ),
]
Labels = Annotated[
    str | None,
    typer.Option(
        metavar="COL", help="Column that labels rows as usual or unusual; it may be empty in some rows."
    ),
]
Outlier = Annotated[
    str | None,
    typer.Option(metavar="LABEL", help="The label of unusual rows. Default: the rarer label."),
]
Contamination = Annotated[
    float | None,
    typer.Option(metavar="SHARE", help="Share of unusual rows, above 0 and at most 0.5, if you know it."),
]
Kernel = Annotated[str, typer.Option(metavar="NAME", help="Kernel: auto, rbf, laplacian, …")]
Criterion = Annotated[
    str,
    typer.Option(metavar="NAME", help="What chooses the kernel if there are no labels; auto is recommended."),
]
Scoring = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Score to maximise if there are labels: roc_auc or average_precision."),
]
Scale = Annotated[
    str, typer.Option(metavar="NAME", help="How to scale features: robust, standard, minmax or none.")
]
Keep = Annotated[
    list[str] | None, typer.Option(metavar="COL,COL", help="Columns of FILE to copy to the --out file.")
]
Model = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Save the model to this file, for `predict`.")
]

SETTINGS = (
    "labels",
    "outlier",
    "contamination",
    "kernel",
    "criterion",
    "scoring",
    "scale",
    "solver",
    "time_budget",
    "n_jobs",
    "seed",
)


def detect(
    context: typer.Context,
    file: options.File,
    out: Out = None,
    labels: Labels = None,
    outlier: Outlier = None,
    contamination: Contamination = None,
    kernel: Kernel = "auto",
    criterion: Criterion = "auto",
    scoring: Scoring = None,
    scale: Scale = "robust",
    solver: Solver = "auto",
    time_budget: Budget = None,
    n_jobs: Jobs = None,
    seed: options.Seed = 0,
    header: options.HasHeader = None,
    impute: options.Impute = False,
    ignore: options.Ignore = None,
    missing: options.Missing = None,
    lump: options.Lump = False,
    words: options.Words = None,
    keep: Keep = None,
    model: Model = None,
    report_file: options.ReportFile = None,
    quiet: options.Quiet = False,
    json: options.Json = False,
) -> None:
    """Find the rows of a file that are unlike the others.

    The file needs no labels. Each row gets its score from a model that was not trained on that row.

    \b
    Example: kernelwise detect data.csv --keep id --out scores.csv --model detector.kw
    """
    from kernelwise.cli import _findings
    from kernelwise.cli._detecting import detector, make_detector, settle
    from kernelwise.cli._detection_result import detection_json, print_detection, strangest
    from kernelwise.cli.predict import kept_columns
    from kernelwise.cli.samples import read_samples
    from kernelwise.persistence.model_file import save
    from kernelwise.tables import DETECTION, read_table

    started = monotonic()
    if str(out) == "-":
        raise UserError("--out must be a file, because the result goes to standard output.")
    if str(file) == "-" and keep is not None:
        raise UserError(
            "--keep reads FILE twice, but standard input can be read only once. Give the name of a file."
        )
    for path, name in ((out, "--out"), (model, "--model")):
        check_writable(path, name)
    report.check_report(report_file)
    check_different(FILE=file, out=out, model=model, report=report_file)
    chosen = {name: context.params[name] for name in SETTINGS}
    machine = make_detector(chosen)
    data = read_samples(file, labels, header, impute, ignore, DETECTION, missing, lump, coded=words)
    kept = kept_columns(read_table(file, header, min_columns=1), keep) if keep is not None else ([], [])
    settle(data, outlier, str(file))
    detector(machine, data)
    failed: list[str] = []
    with kept_for_later(out, failed):
        if out is not None:
            write_scores(out, machine, data.lines, *kept)
    with kept_for_later(model, failed):
        if model is not None:
            save(machine, model, {"encoding": data.encoding.to_json()})
            session.written.append(model)
            say(f"Saved the model to {model}.")
    with kept_for_later(report_file, failed):
        if report_file is not None:
            report.write(report_file, machine, data, context.obj, source=str(file), seed=seed)
    rows = strangest(machine, data)
    result = {
        "command": "detect",
        "data": data.describe(file),
        "settings": chosen,
        **detection_json(machine, rows),
        "findings": _findings.as_json(_findings.unique([*machine.diagnostics_, *data.findings])),
        "seconds": monotonic() - started,
        "out": out,
        "model": model,
        "report": report_file,
    }
    if json:
        print_json(result)
    else:
        print_detection(result, machine, data)
    if failed:
        raise UserError(" ".join(failed))


def write_scores(path: Path, machine: Any, lines: Any, names: list[str], columns: list[list[Any]]) -> None:
    """One line for each row, in the order of the file: kept columns, whether it is unusual, its rank."""
    import numpy as np

    from kernelwise._core.files import whole_file
    from kernelwise.cli.predict import DIGITS

    scores = machine.training_scores_
    ranks = np.searchsorted(np.sort(scores), scores) + 1  # 1 is the strangest row
    header = [*names, "line", "unusual", "rank", "score", "probability"]
    cells = [
        *columns,
        [int(line) for line in lines],
        ["yes" if score < machine.threshold_ else "no" for score in scores],
        ranks.tolist(),
        [f"{score:.6g}" for score in scores],
        [f"{p:.{DIGITS}f}" for p in machine.training_probabilities_],
    ]
    with whole_file(path, "w", newline="", encoding="utf-8") as handle:
        csv.writer(handle, lineterminator="\n").writerows([header, *zip(*cells, strict=True)])
    session.written.append(path)
    say(f"Wrote the scores of {len(scores)} rows to {path}.")
