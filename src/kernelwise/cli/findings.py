"""Findings about the rows of a file and about the answer, beside what the search has found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from kernelwise.cli.training_rows import n_copies
from kernelwise.diagnostics.diagnosis import diagnose, diagnose_pairs, most_serious_first
from kernelwise.findings import Finding
from kernelwise.kernels import KERNELS
from kernelwise.reports.answer import Answer
from kernelwise.reports.findings import ABOUT_CRITERIA, OF_FIT, finding_of_test, settled
from kernelwise.search.verdict.leaks import copies_finding

if TYPE_CHECKING:
    from kernelwise.cli.samples import Samples
    from kernelwise.cli.tune import Tuning

#: Rows beyond which the pairs of rows are not looked at.
MAX_PAIRS = 20_000
SERIOUS = ("error", "warning")


def of_rows(data: Samples, kernel: Any, scale: str | None, seed: int, pairs: bool = True) -> list[Finding]:
    """Findings about the rows of a file as ``tune`` sees them: coded, and scaled."""
    return diagnose(
        data.X,
        data.y,
        kernel=kernel,
        random_state=seed,
        feature_names=data.encoding.feature_names,
        task=data.encoding.task,
        lines=data.lines,
        pairs=pairs and len(data.y) <= MAX_PAIRS,
        scale=scale,
    )


def by_cross_validation(findings: Iterable[Finding]) -> list[Finding]:
    """Findings for a choice by cross-validation, to which a doubtful criterion does not matter."""
    return [
        replace(finding, severity="info")
        if finding.name in ABOUT_CRITERIA and finding.severity == "warning"
        else finding
        for finding in findings
    ]


def diagnosis_of(model: Any, data: Samples, chosen: Tuning, for_report: bool) -> list[Finding]:
    """Findings about the rows that a model was trained on, for all that is said of them.

    Pairs of rows matter to a criterion. Beside cross-validation, only a report tells of them: as the kernel
    that was chosen sees them.
    """
    kernel = chosen.kernel if chosen.kernel in KERNELS else "rbf"  # of several, the usual one
    by_criterion = chosen.criterion != "auto"
    found = of_rows(data, kernel, model.scale, chosen.seed, pairs=by_criterion)
    if by_criterion or not for_report or data.encoding.task == "regression" or len(data.y) > MAX_PAIRS:
        return found
    pairs = diagnose_pairs(model.machine_samples(data.rows), data.y, model.kernel_, data.lines)
    return most_serious_first([*found, *pairs])


def of_tuning(model: Any, data: Samples, diagnosis: list[Finding], answer: Answer) -> list[Finding]:
    """Findings of the fit and the serious ones about the data, without advice that was followed already."""
    about_data = settled(model, diagnosis, answer)
    about_file = settled(model, data.findings, answer)
    return [
        *(one for one in about_file if one.severity in SERIOUS),  # what was done to the file comes first
        *settled(model, model.diagnostics_, answer),
        *(one for one in about_data if one.severity in SERIOUS and one.name not in OF_FIT),
    ]


def of_test(data: Samples, held_out: tuple[Any, Any] | None, answer: Answer) -> list[Finding]:
    """A test far below cross-validation, and test rows that were trained on."""
    if held_out is None:
        return []
    gap = finding_of_test(answer)
    X_test = held_out[0] if data.encoder is None else data.encoder.transform(held_out[0])
    copies = copies_finding(n_copies(data.X, X_test), len(held_out[1]))
    return copies if gap is None else [gap, *copies]


def unique(findings: list[Finding]) -> list[Finding]:
    """The findings without repetitions, the serious ones first."""
    return most_serious_first(dict.fromkeys(findings))


def as_json(findings: list[Finding]) -> list[dict[str, Any]]:
    """Findings as JSON can hold them, with advice that the command line can follow."""
    return [
        {
            "name": finding.name,
            "severity": finding.severity,
            "message": finding.message,
            "advice": finding.option or finding.advice,
        }
        for finding in findings
    ]
