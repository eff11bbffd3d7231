"""``kernelwise detect``: find the rows of a file that are unlike the others."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

from kernelwise.cli import files, options
from kernelwise.cli.options import option
from kernelwise.cli.output import UserError, print_json, say

if TYPE_CHECKING:
    import numpy as np

    from kernelwise.estimators.tuned import TunedMachine


Out = Annotated[
    Path | None,
    option("CSV", "Write the rank (1 is the strangest), score and probability of every row."),
]
#: Options that the scores of kernels do not depend on: a journal may be continued with others.
NOT_IN_JOURNAL = ("contamination", "fdr", "solver", "time_budget", "n_jobs")
Keep = Annotated[list[str] | None, option("COL,COL", "Columns of FILE to copy to the --out file; * for all.")]


@dataclass(frozen=True)
class Detection:
    """Options of how to choose; the others of `detect` say on what, and where to write."""

    labels: Annotated[
        str | None,
        option("COL", "Column that labels rows as usual or unusual; cells may be empty."),
    ] = None
    outlier: options.Outlier = None
    contamination: Annotated[
        float | None,
        option("SHARE", "Share of unusual rows, above 0 and at most 0.5, if you know it."),
    ] = None
    fdr: options.Fdr = None
    kernel: Annotated[str, option("NAME", "Kernel: auto, rbf, laplacian, …")] = "auto"
    criterion: Annotated[
        str, option("NAME", "What chooses the kernel if there are no labels; auto is recommended.")
    ] = "auto"
    scoring: Annotated[
        str | None,
        option("NAME", "Score to maximise if there are labels: roc_auc or average_precision."),
    ] = None
    scale: Annotated[str, option("NAME", "How to scale features: robust, standard, minmax or none.")] = (
        "robust"
    )
    solver: options.Solver = "auto"
    time_budget: options.Budget = None
    n_jobs: options.Jobs = None
    seed: options.Seed = 0

    def for_journal(self) -> dict[str, Any]:
        """Options that a journal has to agree on."""
        return {name: value for name, value in asdict(self).items() if name not in NOT_IN_JOURNAL}


@options.with_groups
def detect(
    *,
    file: options.File,
    out: Out = None,
    chosen: Detection,
    reading: options.Reading,
    keep: Keep = None,
    safe_csv: options.SafeCsv = False,
    journal: options.JournalFile = None,
    model_file: options.ModelFile = None,
    report_file: options.ReportFile = None,
    no_form: options.NoForm = False,
    printing: options.Printing,
) -> None:
    """Find the rows of a file that are unlike the others.

    The file needs no labels. Each row gets its score from a model that was not trained on that row.

    \b
    Example: kernelwise detect data.csv --keep id --out scores.csv --model detector.kw
    """
    import numpy as np

    from kernelwise.cli import results
    from kernelwise.cli.models import make_detector, settle_labels
    from kernelwise.cli.predict import discovered, kept_columns
    from kernelwise.cli.progress import expected_of_detection
    from kernelwise.cli.samples import fit, open_journal, read_samples
    from kernelwise.reports.outliers import strangest_rows
    from kernelwise.tables import DETECTION, read_table

    started = monotonic()
    if str(out) == "-":
        raise UserError("--out must be a file, because the result goes to standard output.")
    if keep is not None and (str(file) == "-" or file.is_fifo()):
        raise UserError("--keep reads FILE twice, but a pipe can be read only once. Give the name of a file.")
    files.check_writable(out, "--out")
    files.check_writable(model_file, "--model")
    files.check_report(report_file)
    files.check_writable(journal, "--journal")
    files.check_different(FILE=file, out=out, journal=journal, model=model_file, report=report_file)
    options.check_share(chosen.fdr, "--fdr")
    if chosen.fdr is not None and chosen.labels is None:
        raise UserError(NO_USUAL_ROWS)
    model = make_detector(chosen)
    data = read_samples(file, chosen.labels, reading, DETECTION, n_answered=1)
    kept: tuple[list[str], list[list[Any]]] = ([], [])
    if keep is not None:
        wanted = [] if chosen.labels is None else [chosen.labels]
        again = read_table(file, reading.header, 1, 0, reading.lines_to_skip, reading.sheet, wanted=wanted)
        kept = kept_columns(again, keep)
    settle_labels(data, chosen.outlier, str(file))
    n_kernels = expected_of_detection(chosen.kernel, data.y is not None)
    with open_journal(journal, "detect", data, chosen.for_journal()) as cells:
        fit(model, data, chosen.time_budget, cells, n_kernels)
    p = None if chosen.fdr is None or data.y is None else p_values_of(model, data.y)
    # Found once, for the terminal, for JSON and for the report.
    strange = strangest_rows(model, data.rows, lines=data.lines)
    unwritten = files.Unwritten()
    unwritten.write(out, lambda path: write_scores(path, model, data.lines, *kept, safe_csv, p, chosen.fdr))
    unwritten.write(model_file, lambda path: files.save_model(path, model, data))
    told = {"source": str(file), "seed": chosen.seed, "strangest": strange, "interactive": not no_form}
    unwritten.write(report_file, lambda path: files.write_report(path, model, data, **told))
    found = results.unique([*model.diagnostics_, *data.findings])
    result = {
        "command": "detect",
        "data": data.describe(file),
        "settings": asdict(chosen),
        **results.detection_json(model, results.strangest(strange, data.lines)),
        **(
            {}
            if p is None or chosen.fdr is None
            else {"discoveries": discoveries_json(p, chosen.fdr, data.lines)}
        ),
        "findings": results.as_json(found),
        "seconds": monotonic() - started,
        "out": out,
        "model": model_file,
        "report": report_file,
    }
    if printing.json:
        print_json(result)
    else:
        results.print_detection(result, model, data)
        if p is not None and chosen.fdr is not None:
            print(discovered(p[np.isfinite(p)], chosen.fdr, int((data.y == 1).sum())))
    unwritten.tell()


#: Why a file without labels has no false discovery rate.
NO_USUAL_ROWS = (
    "--fdr compares rows without a label with rows that are labelled as usual: give them with --labels. "
    "Without labels, save the model with --model, and find unusual rows of another file with `kernelwise "
    "predict MODEL FILE --fdr SHARE`."
)


def p_values_of(model: Any, labels: np.ndarray) -> np.ndarray:
    """p-values of rows without a label beside those labelled as usual, (n_rows,); NaN for labelled rows."""
    import numpy as np

    from kernelwise.conformal import p_values

    scores, usual, unknown = model.training_scores_, labels == 1, labels == 0
    if not usual.any() or not unknown.any():
        missing = "labelled as usual" if not usual.any() else "without a label"
        raise UserError(f"No row is {missing}. {NO_USUAL_ROWS}")
    found = np.full(len(scores), np.nan)
    found[unknown] = p_values(scores[unknown], scores[usual], np.ones(int(usual.sum())))
    return found


def discovered_rows(p: np.ndarray, fdr: float) -> np.ndarray:
    """Which rows are called unusual, (n_rows,): none of those without a p-value."""
    import numpy as np

    from kernelwise.cli.predict import discoveries

    found = np.zeros(len(p), dtype=bool)
    known = np.isfinite(p)
    found[known] = discoveries(p[known], fdr)
    return found


def discoveries_json(p: np.ndarray, fdr: float, lines: np.ndarray) -> dict[str, Any]:
    """The rows without a label that are called unusual, by their lines."""
    found = discovered_rows(p, fdr)
    return {"fdr": fdr, "lines": [int(line) for line in lines[found]]}


def write_scores(
    path: Path,
    model: TunedMachine,
    lines: np.ndarray,
    names: list[str],
    columns: list[list[Any]],
    is_safe: bool,
    p: np.ndarray | None,
    fdr: float | None,
) -> None:
    """One line for each row, in the order of the file: kept columns, whether it is unusual, its rank.

    ``is_safe`` if no spreadsheet is to execute a cell. With p-values of shape (n_rows,), NaN for rows that
    have a label, the unusual ones of the others are those of a false discovery rate ``fdr``.
    """
    import numpy as np

    from kernelwise.cli.predict import DIGITS

    scores = model.training_scores_
    ranks = np.searchsorted(np.sort(scores), scores) + 1  # 1 is the strangest row
    header = [*names, "line", "unusual", "rank", "score", "probability"]
    cells = [
        *columns,
        [int(line) for line in lines],
        ["yes" if score < model.threshold_ else "no" for score in scores],
        ranks.tolist(),
        [f"{score:.6g}" for score in scores],
        [f"{p:.{DIGITS}f}" for p in model.training_probabilities_],
    ]
    if p is not None and fdr is not None:
        found = discovered_rows(p, fdr)
        cells[len(columns) + 1] = ["yes" if one else "no" for one in found]
        header.append("p-value")
        cells.append(["" if np.isnan(one) else f"{one:.6g}" for one in p])
    rows = [header, *zip(*cells, strict=True)]
    files.write_csv(path, files.without_formulas(rows) if is_safe else rows)
    say(f"Wrote the scores of {len(scores)} rows to {path}.")
