"""What a user of ``tune`` should know about the data and the answer, beside what the search has found."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from kernelwise._core.equal_rows import number_equal_rows
from kernelwise.diagnostics.diagnosis import diagnose, most_serious_first
from kernelwise.findings import Finding
from kernelwise.kernels import KERNELS
from kernelwise.reports.answer import Answer
from kernelwise.reports.findings import ABOUT_CRITERIA, finding_of_test, settled
from kernelwise.search.leaks import copies_finding
from kernelwise.search.trust import LONE

#: Rows beyond which the pairs of rows are not looked at.
MAX_PAIRS = 20_000
SERIOUS = ("error", "warning")


def data_findings(
    data: Any, *, kernel: Any, scale: str | None, seed: int = 0, criterion: str = "auto", pairs: bool = True
) -> list[Finding]:
    """Findings about the rows of a file as ``tune`` sees them: coded, and scaled."""
    found = diagnose(
        data.X,
        data.y,
        kernel=kernel,
        random_state=seed,
        feature_names=data.encoding.feature_names,
        task=data.encoding.task,
        lines=data.lines,
        pairs=pairs and data.X.shape[0] <= MAX_PAIRS,
        scale=scale,
    )
    return [
        *data.findings,
        *(
            replace(finding, severity="info")
            if criterion == "auto" and finding.name in ABOUT_CRITERIA and finding.severity == "warning"
            else finding
            for finding in found
        ),
    ]


def tune_findings(model: Any, data: Any, chosen: dict[str, Any], answer: Answer) -> list[Finding]:
    """Findings of the fit and the serious ones about the data, without advice that was followed already."""
    criterion, kernel = chosen["criterion"], chosen["kernel"]
    found = data_findings(
        data,
        kernel=kernel if kernel in KERNELS else "rbf",  # of several, the usual one
        scale=model.scale,
        seed=chosen["seed"],
        criterion=criterion,
        pairs=criterion != "auto",
    )
    about_data = [finding for finding in settled(model, found, answer) if finding.severity in SERIOUS]
    # The work is done, and the search has said the other.
    of_fit = list(settled(model, model.diagnostics_, answer))
    return [*of_fit, *(finding for finding in about_data if finding.name not in ("cost", LONE))]


def test_findings(data: Any, held_out: tuple[Any, Any] | None, answer: Answer) -> list[Finding]:
    """A test far below cross-validation, and test rows that were trained on."""
    if held_out is None:
        return []
    gap = finding_of_test(answer)
    X_test = held_out[0] if data.encoder is None else data.encoder.transform(held_out[0])
    copies = copies_finding(n_copies(data.X, X_test), len(held_out[1]))
    return copies if gap is None else [gap, *copies]


def n_copies(X: Any, X_test: Any) -> int:
    """Test rows that are equal to a training row in all features."""
    stack = _stacked(X, X_test)
    numbers = number_equal_rows(stack)
    return int(np.isin(numbers[X.shape[0] :], numbers[: X.shape[0]]).sum())


def n_distinct(X: Any, y: Any) -> int:
    """Rows that differ in a feature or in the target."""
    labels = np.unique(y, return_inverse=True)[1].ravel()
    return len(np.unique(np.stack([number_equal_rows(X), labels]), axis=1).T)


def _stacked(X: Any, X_test: Any) -> Any:
    if isinstance(X, np.ndarray):
        return np.vstack([X, X_test])
    from scipy import sparse

    return sparse.vstack([X, X_test], format="csr")


def unique(findings: list[Finding]) -> list[Finding]:
    """Each once, the serious ones first."""
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
