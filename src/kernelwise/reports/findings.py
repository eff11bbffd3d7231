"""Findings of a report: those of the fit and those about the rows, without advice that was followed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sklearn.base import is_classifier

from kernelwise.diagnostics import diagnose
from kernelwise.estimators.kernel_choice import is_precomputed
from kernelwise.findings import Finding
from kernelwise.reports.answer import Answer
from kernelwise.reports.headline import finding_of_test
from kernelwise.reports.words import is_share

#: Rows beyond which the data are not diagnosed here: the closest pair takes a pass over all pairs.
MAX_DIAGNOSED = 20_000
SEVERITIES = ("error", "warning", "info")
#: Findings about criteria, which matter to a search that goes by one of them alone.
ABOUT_CRITERIA = ("closest-pair", "curve")


def report_findings(
    model: Any, X: Any, y: Any, answer: Answer, for_command_line: bool = False
) -> tuple[Finding, ...]:
    """All findings, the most serious first; ``X`` and ``y`` may be None."""
    of_test = finding_of_test(answer)
    known = [*model.diagnostics_, *_about_rows(model, X, y)]
    found = [*([] if of_test is None else [of_test]), *_settled(model, known)]
    found = list({finding.message: finding for finding in found}.values())
    if for_command_line:
        found = [replace(finding, advice=finding.option or finding.advice) for finding in found]
    return tuple(sorted(found, key=lambda finding: SEVERITIES.index(finding.severity)))


def _settled(model: Any, findings: list[Finding]) -> Iterator[Finding]:
    """Findings as they stand after the choices that the user has made."""
    for finding in findings:
        if finding.name == "imbalance":
            finding = _imbalance(model, finding)
        elif finding.name in ABOUT_CRITERIA and model.criterion == "auto":
            # Cross-validation has decided, whatever a criterion says.
            finding = replace(finding, severity="info")
        yield finding


def _imbalance(model: Any, finding: Finding) -> Finding:
    """Of weights and a score against imbalance, the advice that was not followed; none makes it a fact."""
    has_weights, has_score = model.class_weight is not None, not is_share(model)
    if has_weights and has_score:
        known = "The class weights and the score of this model take this into account."
        return replace(finding, severity="info", advice=known, option=known)
    if has_weights:
        score = "Choose by a score that counts classes equally, too: {}."
        option = score.format("--scoring balanced_accuracy")
        return replace(finding, advice=score.format("scoring='balanced_accuracy'"), option=option)
    if has_score:
        weights = "To find more of the small class, weight classes equally: {}."
        option = weights.format("--class-weight balanced")
        return replace(
            finding, severity="info", advice=weights.format("class_weight='balanced'"), option=option
        )
    return finding


def _about_rows(model: Any, X: Any, y: Any) -> list[Finding]:
    """What is noticed in the rows as the kernel sees them."""
    is_trained_classifier = hasattr(model, "best_estimator_") and is_classifier(model)
    if X is None or not is_trained_classifier or is_precomputed(model.kernel):
        return []
    if len(y) > MAX_DIAGNOSED:
        message = f"More than {MAX_DIAGNOSED} rows were not searched for duplicates and close pairs."
        advice = "Run kernelwise.diagnose(X, y), which takes a pass over all pairs."
        return [Finding("not diagnosed", "info", message, advice, "Run kernelwise diagnose on the file.")]
    names = getattr(model, "feature_names_in_", None)
    about_data = diagnose(model.machine_samples(X), y, kernel=model.kernel_, feature_names=names)
    return [finding for finding in about_data if finding.name != "cost"]
