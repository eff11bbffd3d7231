"""``kernelwise curves``: criteria over the width of a kernel, beside the cross-validated accuracy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kernelwise.cli import files, options
from kernelwise.cli.options import option
from kernelwise.cli.output import UserError, in_options, print_json, print_line, print_table, say, session
from kernelwise.cli.progress import Progress

if TYPE_CHECKING:
    from kernelwise.findings import Finding
    from kernelwise.selection import WidthCurves


#: The page of the documentation that lists all names.
PAGE = "the page 'Which criterion, when' of the documentation"
ERROR = "± is a jackknife over the folds: how far the noise of the accuracy moves the rank correlation."


@dataclass(frozen=True)
class Drawing:
    """Options of which curves, and over what."""

    criteria: Annotated[
        list[str] | None,
        option("A,B", "Criteria to compare: dbtc, kta, span, …, or all. Default: six of them."),
    ] = None
    kernel: Annotated[str, option("NAME", "Kernel with one width: rbf or laplacian.")] = "rbf"
    log2g: Annotated[
        str | None, option("B,E,S", "Values of log2(gamma) to try: begin, end, step, as in LIBSVM.")
    ] = None
    log2c: Annotated[
        str | None, option("B,E,S", "Values of log2(C) to try: begin, end, step, as in LIBSVM.")
    ] = None
    scale: options.ScaleOption = "standard"
    folds: Annotated[int, option("INT", "Number of cross-validation folds.", "--cv", min=2)] = 5
    n_jobs: options.Jobs = None
    seed: options.Seed = 0


Out = Annotated[Path | None, option("CSV", "Write all curves to this file.", "--out")]
Figure = Annotated[Path | None, option("IMAGE", "Draw the curves to this PNG, SVG or PDF file.", "--figure")]


@options.with_groups
def curves(
    *,
    file: options.File,
    target: options.Target = None,
    chosen: Drawing,
    reading: options.Reading,
    out: Out = None,
    figure: Figure = None,
    printing: options.Printing,
) -> None:
    """Compare criteria: which width each chooses, and how good it is.

    A criterion chooses the kernel's width without cross-validation. The command computes criteria for many
    widths of a kernel, cross-validates every width, and prints for each criterion the width that it chooses,
    the accuracy there, what the best width has more (loss), and the rank correlation of criterion and
    accuracy over all widths: 1 means that the criterion always prefers the more accurate width.

    \b
    Example: kernelwise curves train.csv --target class --criteria dbtc,span --figure curves.png
    """
    import kernelwise
    from kernelwise.cli.models import SCALES, powers_of_two
    from kernelwise.cli.samples import check_classes, first_line, read_samples, refusals_in_options
    from kernelwise.criteria import CRITERIA, USUAL
    from kernelwise.findings import catalogue
    from kernelwise.kernels import KERNELS
    from kernelwise.selection.curves import ALL
    from kernelwise.tables.problems import TableFaults

    names = options.split_names(chosen.criteria) or list(USUAL)
    for name in names:
        options.check_choice("--criteria", name, (ALL, *CRITERIA), PAGE)
    options.check_choice(
        "--kernel", chosen.kernel, [name for name, one in KERNELS.items() if one().has_one_width]
    )
    scale = SCALES[options.check_choice("--scale", chosen.scale, SCALES)]
    widths = None if chosen.log2g is None else powers_of_two("--log2g", chosen.log2g)
    Cs = None if chosen.log2c is None else powers_of_two("--log2c", chosen.log2c)
    files.check_writable(out, "--out")
    check_figure(figure)
    files.check_different(FILE=file, out=out, figure=figure)
    try:
        data = read_samples(file, target, reading, "classification")
    except TableFaults as error:
        if any(fault.task for fault in error.faults):  # its advice is an option of other commands
            raise UserError(
                f"{file}: the target is a quantity, but `curves` compares criteria of classes. Name another "
                "column with --target."
            ) from error
        raise
    check_classes(data, file)
    with Progress(stage="measuring distances") as progress:

        def show(number: int, total: int) -> None:
            progress.expected, progress.n_done = total, number
            progress.show(f"width {number} of {total}")

        with refusals_in_options():
            found = kernelwise.criterion_curves(
                data.X,
                data.y,
                list(CRITERIA) if ALL in names else names,
                chosen.kernel,
                widths,
                Cs,
                scale=scale,
                cv=chosen.folds,
                random_state=chosen.seed,
                n_jobs=chosen.n_jobs,
                callback=show,
            )
    unwritten = files.Unwritten()
    unwritten.write(out, lambda path: write_rows(path, found))
    unwritten.write(figure, lambda path: draw(path, found))
    if printing.json:
        about = {"command": "curves", "version": kernelwise.__version__, "data": data.describe(file)}
        settings = {**asdict(chosen), "criteria": list(found.scores)}
        print_json({**about, "settings": settings, **curves_json(found, data.findings)})
    else:
        print_line(first_line(data))
        print_curves(found)
        for sentence in (in_options(one.for_command_line()) for one in found.findings):
            say(sentence)
        said = (*data.notes, *data.preparation)
        for one in data.findings:
            if (sentence := one.for_command_line()) not in said:
                is_on_groups = one.name == catalogue.GROUPS_IN_COLUMN.name
                say(f"{one.message} {NO_GROUPS}" if is_on_groups else sentence)
    unwritten.tell()


#: What to do about rows that belong together.
NO_GROUPS = "Curves cannot keep rows with the same value in one fold; `kernelwise tune` can, with --group."


def check_figure(path: Path | None) -> None:
    """Raise before anything is computed if a figure cannot be drawn or written."""
    if path is None:
        return
    files.check_writable(path, "--figure")
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise UserError(f"--figure {path} must end in .png, .svg or .pdf.")
    if find_spec("matplotlib") is None:
        raise UserError(
            '--figure needs the package matplotlib. Install it with pip install "kernelwise[display]".'
        )


def write_rows(path: Path, found: WidthCurves) -> None:
    """Write a row for every criterion and width."""
    rows = found.to_rows()
    # NaN, such as the C of a criterion without one, is an empty cell.
    cells = [["" if value != value else value for value in row.values()] for row in rows]
    files.write_csv(path, [list(rows[0]), *cells])
    say(f"Wrote the curves to {path}.")


def draw(path: Path, found: WidthCurves) -> None:
    """Draw the curves without a window."""
    from matplotlib.figure import Figure

    from kernelwise._core.files import whole_file
    from kernelwise.reports.displays import WidthCurvesDisplay

    shown = Figure(figsize=WidthCurvesDisplay.size_of(found), layout="constrained")
    WidthCurvesDisplay.from_curves(found, ax=shown.subplots())
    with whole_file(path) as handle:
        shown.savefig(handle, dpi=130, format=path.suffix[1:].lower())
    session.written.append(path)
    say(f"Drew the curves to {path}.")


def curves_json(found: WidthCurves, of_columns: Sequence[Finding]) -> dict[str, Any]:
    """Choices, curves and findings as JSON can hold them."""
    from kernelwise.cli.results import as_json

    return {
        "choices": [asdict(choice) for choice in found.choices],
        "widths": found.widths,
        "accuracy": found.best_accuracy,
        "accuracy_error": found.accuracy_error,
        "scores": found.scores,
        "findings": as_json([*found.findings, *of_columns]),
    }


def print_curves(found: WidthCurves) -> None:
    """A row for each criterion, then what the columns mean."""
    head, cells = found.table()
    print_table(cells, head)
    k, best = int(found.best_accuracy.argmax()), found.best_accuracy
    print_line(
        f"The most accurate of {len(found.widths)} widths is {found.widths[k]:.4g}: {100 * best[k]:.1f} % "
        f"± {100 * found.accuracy_error[k]:.1f} in cross-validation."
    )
    print_line("The rank correlation compares a criterion with the accuracy over all widths.")
    print_line(ERROR)
