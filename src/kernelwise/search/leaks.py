"""Leaks: what makes a score look better than the model will do on new rows."""

from __future__ import annotations

import numpy as np

from kernelwise._core.text import count
from kernelwise.findings import Finding

#: Standard errors of the difference by which a test score must be lower to be called far lower.
FAR = 3.0
#: The share of test rows that may be copies of training rows by chance, as in measurements with few digits.
FEW = 0.05


def copies_finding(n_copies: int, n_test: int) -> list[Finding]:
    """Test rows that the model was trained on: a warning if they are more than a few."""
    if n_copies == 0:
        return []
    what = "All" if n_copies == n_test else f"{n_copies} of the"
    verb, whose = ("is", "its") if n_copies == 1 else ("are", "their")
    message = (
        f"{what} {count(n_test, 'test row')} {verb} also in the training data: {whose} part of the test "
        "score says nothing about new rows."
    )
    advice = "Test on rows that the model was not trained on."
    is_few = n_copies <= FEW * n_test
    return [Finding("test rows in training", "info" if is_few else "warning", message, advice)]


def test_gap_finding(
    cv_score: float, cv_error: float | None, test_score: float, test_error: float | None
) -> list[Finding]:
    """A warning if a test score is far below that of the cross-validation, with the usual causes.

    ``cv_error`` and ``test_error`` are standard errors; None or NaN is unknown, and counts as zero.
    """
    errors = np.nan_to_num(np.array([cv_error or 0.0, test_error or 0.0], dtype=float))
    gap = cv_score - test_score
    if not gap > FAR * float(np.hypot(*errors)) or not gap > 0.02 * abs(cv_score):
        return []
    message = (
        f"The test score, {test_score:.4g}, is far below the cross-validated score, {cv_score:.4g}. Trust "
        "the test."
    )
    advice = (
        "Usual causes: rows of one person, place or batch are in several folds; the test rows are from "
        "another time; nearly equal rows are on both sides of a fold."
    )
    return [Finding("test far below cross-validation", "warning", message, advice)]
