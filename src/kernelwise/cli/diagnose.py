"""``kernelwise diagnose``: what to know about a file before a kernel is chosen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

from kernelwise.cli import options
from kernelwise.cli.options import option
from kernelwise.cli.output import print_json, print_line

if TYPE_CHECKING:
    from kernelwise.findings import Finding


Kernel = Annotated[str, option("NAME", "The kernel that you plan to use.")]


@options.with_groups
def diagnose(
    *,
    file: options.File,
    target: options.Target = None,
    task: options.TaskOption = None,
    kernel: Kernel = "rbf",
    scale: options.ScaleOption = "standard",
    seed: options.Seed = 0,
    reading: options.Reading,
    printing: options.Printing,
) -> None:
    """Check a file for problems before tuning.

    The command looks for copies, conflicting labels, constant columns, small classes, close pairs of rows and
    outliers of the target, and estimates the cost of a fit. It scales rows and codes words as `tune` does.

    \b
    Example: kernelwise diagnose train.csv --target class
    """
    import kernelwise
    from kernelwise.cli.models import SCALES
    from kernelwise.cli.results import as_json, by_cross_validation, groups_in_words, of_rows, unique
    from kernelwise.cli.samples import first_line, read_samples
    from kernelwise.kernels import KERNELS
    from kernelwise.tables import findings_of_table

    options.check_choice("--kernel", kernel, KERNELS)
    scaling = SCALES[options.check_choice("--scale", scale, SCALES)]
    data = read_samples(file, target, reading, None if task is None else task.value, n_answered=None)
    # One class is a finding here, not a fault.
    found = [*data.findings, *by_cross_validation(of_rows(data, kernel, scaling, seed))]
    if data.encoder is not None:
        found += [*findings_of_table(data.rows, data.encoder), *groups_in_words(data)]
    findings = unique(found)
    if printing.json:
        about = {"command": "diagnose", "version": kernelwise.__version__, "task": data.encoding.task}
        print_json({**about, "data": data.describe(file), "findings": as_json(findings)})
        return
    print_line(first_line(data))
    print_findings(findings)


def print_findings(findings: list[Finding]) -> None:
    """Print how many findings there are, then one line each, the most serious first."""
    counts = Counter(finding.severity for finding in findings)
    nouns = {"error": "errors", "warning": "warnings", "info": "notes"}
    if not counts["error"] and not counts["warning"]:
        print_line("These checks found no problem in this file.")
    print_line(", ".join(f"{nouns[name]}: {counts[name]}" for name in nouns))
    for finding in findings:
        word = "note" if finding.severity == "info" else finding.severity
        print_line(f"[{word}] {finding.name}: {finding.for_command_line()}")
