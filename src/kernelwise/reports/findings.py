"""Findings of a report: those of the fit and those about the rows, without advice that was followed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np
from sklearn.base import is_classifier, is_outlier_detector

from kernelwise._core.typing import RowsLike
from kernelwise.diagnostics.diagnosis import diagnose, most_serious_first
from kernelwise.estimators.kernel_argument import is_precomputed
from kernelwise.estimators.tuned import TunedMachine
from kernelwise.findings import Finding, catalogue
from kernelwise.reports.answer import Answer
from kernelwise.reports.words import class_weight_of, is_share
from kernelwise.search.wording import number

#: Rows beyond which the data are not diagnosed here: the closest pair takes a pass over all pairs.
MAX_DIAGNOSED = 20_000
#: Findings about criteria, which matter to a search that goes by one of them alone.
ABOUT_CRITERIA = (catalogue.CLOSEST_PAIR.name, catalogue.CURVE_PEAK.name)
#: Findings about the rows that are no news after a fit: it has looked for them in columns as they came, which
#: coded and scaled ones do not show, and its cost is known.
OF_FIT = (
    catalogue.ROW_NUMBERS.name,
    catalogue.IDENTIFIERS.name,
    catalogue.TARGET_IN_COLUMN.name,
    catalogue.GROUPS_IN_COLUMN.name,
    catalogue.NEAR_COPIES.name,
    catalogue.CLASS_OF_ONE_ROW.name,
    catalogue.COST.name,
)
#: Findings that a fit has as well; models of earlier versions do not have them.
ALSO_OF_FIT = (catalogue.CONFLICTS.name, catalogue.LABELS_IN_TWO_WAYS.name)
#: Standard errors above the baseline up to which a choice that other rows would not make is worth a warning.
NEAR_GUESSING = 3.0


def report_findings(
    model: TunedMachine,
    X: RowsLike | None,
    y: np.ndarray | None,
    answer: Answer,
    for_command_line: bool = False,
    lines: np.ndarray | Sequence[int] | None = None,
    more: Iterable[Finding] = (),
    diagnosis: Iterable[Finding] | None = None,
) -> tuple[Finding, ...]:
    """All findings, the most serious first.

    ``X``, ``y`` and ``diagnosis``, that of these rows if it was made before, may be None; ``lines`` are those
    of `diagnose`.
    """
    of_test = finding_of_test(answer)
    known = [*model.diagnostics_, *more, *_about_rows(model, X, y, lines, diagnosis)]
    found = [*([] if of_test is None else [of_test]), *settled(model, known, answer)]
    if for_command_line:
        found = [replace(finding, advice=finding.option or finding.advice) for finding in found]
    return tuple(most_serious_first(dict.fromkeys(found)))


def finding_of_test(answer: Answer) -> Finding | None:
    """What to think of a test that is far below cross-validation; None if it is not."""
    if answer.test_gap is None:
        return None
    gap, error = answer.test_gap
    less = f"{100 * gap:.1f} points" if answer.is_share else f"{number(gap)} ({answer.score})"
    return catalogue.TEST_BELOW(n_test=answer.n_test or 0, gap=less, n_errors=gap / error)


def settled(model: TunedMachine, findings: Iterable[Finding], answer: Answer) -> Iterator[Finding]:
    """Findings as they stand after the choices that the user has made, and beside the answer."""
    for finding in findings:
        if finding.name == catalogue.NO_BETTER.name and answer.cost is not None and not answer.is_no_better:
            continue  # by the share of right answers, which is not what the model was asked for
        if finding.name in catalogue.LEFT_TO_DO:
            finding = _without_followed(model, finding)
        elif finding.name in ABOUT_CRITERIA and model.criterion == "auto":
            # Cross-validation has decided, whatever a criterion says.
            finding = replace(finding, severity="info")
        elif finding.name == catalogue.UNSTABLE.name and _is_near_guessing(answer):
            finding = replace(finding, severity="warning")
        yield finding


def _is_near_guessing(answer: Answer) -> bool:
    """Whether a score is so near that of a constant answer that the choice of a setting may explain it."""
    if answer.baseline_score is None:
        return False
    return bool(answer.cv_score - answer.baseline_score < NEAR_GUESSING * np.nan_to_num(answer.cv_error))


def _without_followed(model: TunedMachine, finding: Finding) -> Finding:
    """The same finding without advice on class imbalance that the user already follows."""
    followed = class_weight_of(model) is not None, not is_share(model)
    left = catalogue.LEFT_TO_DO[finding.name].get(followed)
    if left is None:
        return finding
    severity = left.severity or finding.severity
    return replace(finding, severity=severity, advice=left.advice, option=left.option)


def _about_rows(
    model: TunedMachine,
    X: RowsLike | None,
    y: np.ndarray | None,
    lines: np.ndarray | Sequence[int] | None,
    diagnosis: Iterable[Finding] | None,
) -> list[Finding]:
    """What a diagnosis notices in the rows; without one, in the rows as the kernel sees them."""
    if X is None or y is None or not hasattr(model, "best_estimator_") or is_precomputed(model.kernel):
        return []
    if is_outlier_detector(model):  # whose fit has looked at its rows
        return []
    if len(y) > MAX_DIAGNOSED:
        return [catalogue.NOT_DIAGNOSED(most=MAX_DIAGNOSED)]
    if diagnosis is None:
        diagnosis = diagnose(
            model.machine_samples(X),
            y,
            kernel=model.kernel_,
            feature_names=model.encoder_.feature_names
            if hasattr(model, "encoder_")
            else getattr(model, "feature_names_in_", None),
            task="classification" if is_classifier(model) else "regression",
            lines=lines,
        )
    return [finding for finding in diagnosis if is_news(model, finding)]


def is_news(model: TunedMachine, finding: Finding) -> bool:
    """Whether a finding about the rows is not among those of the fit."""
    known = {one.name for one in model.diagnostics_}
    return finding.name not in OF_FIT and not (finding.name in ALSO_OF_FIT and finding.name in known)
