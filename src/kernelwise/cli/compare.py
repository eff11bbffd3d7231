"""``kernelwise compare``: our choice beside other searches, on the same outer folds."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kernelwise.cli import options, report
from kernelwise.cli.errors import check_writable
from kernelwise.cli.output import print_json, print_table
from kernelwise.cli.progress import Progress

Methods = Annotated[
    str | None, typer.Option(metavar="A,B", help="Of: kernelwise, SVC defaults, GridSearchCV, full grid, …")
]
Folds = Annotated[int, typer.Option(min=2, metavar="INT", help="Outer folds.")]
Repeats = Annotated[int, typer.Option(min=1, metavar="INT", help="Times that the outer folds are drawn.")]
COLUMNS = ("method", "accuracy", "s.e.", "difference", "s.e.", "seconds", "CPU s", "machines")


def compare(
    context: typer.Context,
    file: options.File,
    target: options.Target = None,
    methods: Methods = None,
    folds: Folds = 5,
    repeats: Repeats = 1,
    journal: options.JournalFile = None,
    seed: options.Seed = 0,
    header: options.HasHeader = None,
    impute: options.Impute = False,
    ignore: options.Ignore = None,
    missing: options.Missing = None,
    lump: options.Lump = False,
    report_file: options.ReportFile = None,
    json: options.Json = False,
) -> None:
    """Compare several ways to tune an SVM, on the same folds.

    Killed at any moment, the same command with the same --journal goes on where it was.

    \b
    Example: kernelwise compare train.csv --methods "kernelwise,SVC defaults" --journal train.journal
    """
    import kernelwise
    from kernelwise.cli.samples import check_classes, fit, open_journal, read_samples

    report.check_report(report_file)
    check_writable(journal, "--journal")
    data = read_samples(file, target, header, impute, ignore, missing=missing, lump=lump)
    check_classes(data, file)
    chosen = {"folds": folds, "repeats": repeats, "seed": seed}
    names = options.split_names(methods) or None
    with open_journal(journal, "compare", data, chosen) as cells, Progress() as progress:

        def scored(method: str, split: int, accuracy: float) -> None:
            progress.show(f"{method}, fold {split + 1}: {accuracy:.4f}")

        table = kernelwise.compare(
            data.X,
            data.y,
            names,
            n_splits=folds,
            n_repeats=repeats,
            random_state=seed,
            journal=cells,
            callback=scored,
        )
    if report_file is not None:
        model = fit(kernelwise.TunedSVC(random_state=seed), data)
        more = {"comparison": table, "source": str(file), "seed": seed}
        report.write(report_file, model, data.X, data.y, context.obj, **more)
    if json:
        about = {"command": "compare", "version": kernelwise.__version__, "data": data.describe(file)}
        found = {"methods": table.rows(), "scores": table.scores, "skipped": table.skipped}
        print_json({**about, "settings": chosen, **found, "losses": table.losses()})
    else:
        print_comparison(table)


def print_comparison(table: Any) -> None:
    """A row for each method, then where the first one loses."""
    rows = [
        (
            row["method"],
            f"{row['accuracy']:.4f}",
            f"{row['standard_error']:.4f}",
            f"{row['difference']:+.4f}",
            f"{row['difference_error']:.4f}",
            f"{row['seconds']:.3f}",
            f"{row['cpu_seconds']:.3f}",
            f"{row['machines']:.0f}",
        )
        for row in table.rows()
    ]
    print_table(rows, COLUMNS)
    for sentence in table.losses():
        print(sentence)
