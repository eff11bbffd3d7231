"""What ``kernelwise detect`` says in the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kernelwise import __version__
from kernelwise._core.text import count
from kernelwise.cli._findings import SERIOUS
from kernelwise.cli._tuning_result import kernel_line, print_list
from kernelwise.cli.output import print_table
from kernelwise.cli.samples import Samples
from kernelwise.findings import Finding
from kernelwise.reports.outliers import Strange, share_text, strangest_rows

#: Rows that the terminal shows, and columns that it names for each.
MOST_ROWS, MOST_REASONS = 10, 3
LEGEND = (
    "The score of a row says how much it is like the others: the lower the score, the stranger the row.\n"
    "Each row has its score from a model that was not trained on it. --out writes the scores of all rows.\n"
    '"stranger than" is the share of all rows that have a higher score.\n'
    "The probability is that of being unusual{}.\n"
    "The columns are those that lower the score of the row most, with their shares."
)
#: What the probability is at the threshold.
WITHOUT_LABELS = "; it is 0.5 at the threshold"
WITH_LABELS = ", estimated from the labels; a row below the threshold can have less than 0.5"


@dataclass(frozen=True)
class Row:
    """One of the strangest rows of a file."""

    line: int
    score: float
    stranger_than: float  # the share of all rows that have a higher score
    probability: float
    reasons: list[tuple[str, float]]  # columns and their share in what makes the row unusual


def strangest(machine: Any, data: Samples) -> list[Row]:
    """The strangest rows of the training file, the strangest first."""
    return [_row(data, one) for one in strangest_rows(machine, data.rows, MOST_ROWS)]


def _row(data: Samples, one: Strange) -> Row:
    line, reasons = int(data.lines[one.row]), one.reasons()[:MOST_REASONS]
    return Row(line, one.score, one.stranger_than, one.probability, reasons)


def detection_json(machine: Any, rows: list[Row]) -> dict[str, Any]:
    """What was chosen and found, as JSON can hold it."""
    result = machine.result_
    return {
        "version": __version__,
        "kernel": {"name": type(machine.kernel_).__name__, "parameters": machine.kernel_.get_params()},
        "nu": machine.nu_,
        "criterion": machine.criterion_,
        "score": {"value": result.score, "standard_error": result.standard_error},
        "threshold": {"value": machine.threshold_, "standard_error": machine.threshold_error_},
        "contamination": machine.contamination_,
        "n_unusual": result.n_outliers,
        "n_machines": machine.n_svm_fits_,
        "strangest": [{**vars(row), "reasons": dict(row.reasons)} for row in rows],
        "why": result.why,
        "how": result.how,
    }


def print_detection(result: dict[str, Any], machine: Any, data: Samples) -> None:
    """What to look at first, how many rows are unusual, the strangest of them, and the reasons."""
    print(f"{data.size_text()}.")
    findings = [Finding(**finding) for finding in result["findings"]]
    serious = [finding for finding in findings if finding.severity in SERIOUS]
    print_list("Look at this first", [finding.for_command_line() for finding in serious])
    if serious:
        print()
    print_table(_facts(result, machine, data.X.shape[0]))
    print()
    n_rows = data.X.shape[0]
    print_table(
        [_cells(row, n_rows) for row in result["strangest"]],
        ["line", "stranger than", "probability", "unusual columns"],
    )
    print(LEGEND.format(WITH_LABELS if machine.result_.labelled[1] else WITHOUT_LABELS))
    notes = [finding.for_command_line() for finding in findings if finding.severity not in SERIOUS]
    for heading, sentences in (("Why this answer", result["why"]), ("How the search went", result["how"])):
        extra = notes if heading == "How the search went" else []
        if [*sentences, *extra]:
            print()
            print_list(heading, [*sentences, *extra])


def _facts(result: dict[str, Any], machine: Any, n_rows: int) -> list[tuple[str, str]]:
    n, share = result["n_unusual"], result["contamination"]
    threshold = result["threshold"]
    about = f"{threshold['value']:.4g}" + (
        f" ± {threshold['standard_error']:.2g}" if threshold["standard_error"] is not None else ""
    )
    of = "rows" if machine.result_.labelled[1] == 0 else "rows that are not labelled unusual"
    known = "). If you know the share of unusual rows, set it with --contamination"
    if machine.contamination is not None:
        of, known = "rows", ", as you set it)"
    return [
        ("unusual rows", f"{n:g} of {n_rows} ({100 * n / n_rows:.1f} %)"),
        ("threshold", f"a score of {about} ({100 * share:.3g} % of the {of} score lower{known}"),
        ("kernel", kernel_line(machine)),
        ("ν", f"{result['nu']:.3g}: at most this share of the training rows is outside the model's boundary"),
        ("work", f"{count(result['n_machines'], 'model')} trained, {result['seconds']:.1f} s"),
    ]


def _cells(row: dict[str, Any], n_rows: int) -> list[str]:
    reasons = ", ".join(f"{name} ({100 * share:.0f} %)" for name, share in row["reasons"].items())
    stranger = f"{share_text(row['stranger_than'], n_rows)} of the rows"
    return [str(row["line"]), stranger, f"{row['probability']:.2f}", reasons or "–"]
