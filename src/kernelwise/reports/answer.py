"""The answer of a report: what was chosen, and how good it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from kernelwise._core.text import count
from kernelwise.reports.words import error_text, is_share, kernel_text, number, score_name, score_text
from kernelwise.search.rules import standard_error


@dataclass(frozen=True)
class Answer:
    """What was chosen and how good it is.

    Attributes
    ----------
    kernel : str
    C : float
    epsilon : float or None
    score : str
        Name of the score.
    is_share : bool
        Whether scores are shares of samples.
    cv_score, cv_error : float
        Of the cross-validation, and its standard error, which is that of ``result_``.
    test_score, test_error : float or None
        Only of a share of samples is the standard error known.
    n_folds, n_candidates, n_machines, n_features : int
    n_rows : int or None
        Distinct rows that the machine was trained on.
    n_test : int or None
    n_classes : int or None
    seconds : float
    """

    kernel: str
    C: float
    epsilon: float | None
    score: str
    is_share: bool
    cv_score: float
    cv_error: float
    test_score: float | None
    test_error: float | None
    n_folds: int
    n_candidates: int
    n_machines: int
    n_features: int
    n_rows: int | None
    n_test: int | None
    n_classes: int | None
    seconds: float

    @property
    def heading(self) -> str:
        """The answer in a line."""
        epsilon = "" if self.epsilon is None else f", ε = {number(self.epsilon)}"
        return f"{self.kernel}, C = {number(self.C)}{epsilon}: {self.cv_text} in cross-validation"

    @property
    def cv_text(self) -> str:
        """The score of the cross-validation with its standard error."""
        name = "" if self.is_share else f"{self.score} "
        return f"{name}{score_text(self.cv_score, self.is_share)}{error_text(self.cv_error, self.is_share)}"

    @property
    def caution(self) -> str:
        """A sentence if the test samples say less than cross-validation did, by two standard errors."""
        if self.test_score is None or self.test_error is None:
            return ""
        gap, error = self.cv_score - self.test_score, float(np.hypot(self.cv_error, self.test_error))
        if not gap > 2.0 * error:
            return ""
        return (
            f"The test samples score {100 * gap:.1f} points less than cross-validation, {gap / error:.1f} "
            "standard errors of the difference: trust the test."
        )


@dataclass(frozen=True)
class Support:
    """Support vectors of the trained machine: all, those at their bound, and the rows it was trained on."""

    n_support: int
    n_bounded: int
    n_rows: int

    @property
    def heading(self) -> str:
        """How many there are."""
        share = 100 * self.n_support / self.n_rows
        return f"{count(self.n_support, 'support vector')}, {share:.0f} % of {count(self.n_rows, 'row')}"


def answer_of(model: Any, test: tuple[Any, Any] | None = None) -> Answer:
    """The answer of a fitted model, with its score on test samples."""
    share, record = is_share(model), model.fit_record_
    test_score = test_error = n_test = None
    if test is not None:
        test_score, n_test = float(model.scorer_(model, *test)), len(test[1])
        if share:
            test_error = float(standard_error(np.array([test_score]), n_test, is_share=True))
    return Answer(
        kernel=kernel_text(model.kernel_),
        C=model.C_,
        epsilon=getattr(model, "epsilon_", None),
        score=score_name(model),
        is_share=share,
        cv_score=model.best_score_,
        cv_error=model.result_.standard_error,
        test_score=test_score,
        test_error=test_error,
        n_folds=model.n_splits_,
        n_candidates=len(model.cv_results_["params"]),
        n_machines=model.n_svm_fits_,
        n_features=model.n_features_in_,
        n_rows=None if record is None else record.n_rows,
        n_test=n_test,
        n_classes=len(model.classes_) if is_classifier(model) else None,
        seconds=model.result_.seconds,
    )


def support_of(model: Any) -> Support | None:
    """Support vectors of a trained model; None without a machine."""
    record = model.fit_record_
    if record is None:
        return None
    return Support(len(model.best_estimator_.support_), record.n_bounded, record.n_rows)
