"""All that a report shows, as plain values that tests and other programs can read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_consistent_length, column_or_1d

from kernelwise.diagnostics import diagnose
from kernelwise.estimators.kernel_choice import is_precomputed
from kernelwise.findings import Finding
from kernelwise.reports._model import check_tuned
from kernelwise.reports.answer import Answer, Support, answer_of, support_of
from kernelwise.reports.criterion import CriterionCurves, criterion_curves
from kernelwise.reports.held_out import (
    Confusion,
    Predictions,
    Reliability,
    class_index,
    confusion,
    reliability_of_classes,
    some_predictions,
)
from kernelwise.reports.paths import CPath, c_paths, chosen
from kernelwise.reports.provenance import Provenance, provenance
from kernelwise.reports.regions import Regions, decision_regions
from kernelwise.reports.relevance import Relevance, feature_names, relevance_of

#: Rows beyond which the data are not diagnosed here: the closest pair takes a pass over all pairs.
MAX_DIAGNOSED = 20_000


@dataclass(frozen=True, eq=False)
class ReportData:
    """The contents of a report, in its order; None or empty where there is nothing to show.

    Attributes
    ----------
    answer : Answer
    comparison : list of dict
        :meth:`kernelwise.Comparison.rows`.
    losses : list of str
        :meth:`kernelwise.Comparison.losses`.
    why : tuple of str
    criterion : CriterionCurves or None
    paths : list of CPath
    chosen : (int, int)
        Index of the chosen kernel among the paths, and that of the chosen C on its path.
    support : Support or None
    confusions : list of Confusion
    reliabilities : list of Reliability
    predictions : list of Predictions
        Of a regression.
    relevance : Relevance or None
    regions : Regions or None
    findings : tuple of Finding
    provenance : Provenance

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import TunedSVC
    >>> from kernelwise.reports import report_data
    >>> X, y = load_iris(return_X_y=True)
    >>> data = report_data(TunedSVC(Cs=[1.0, 10.0]).fit(X, y), X, y)

    Plain values, such as the reasons in words and the confusion of held-out samples:

    >>> len(data.why) > 0, data.confusions[0].counts.shape, data.relevance is None
    (True, (3, 3), True)
    """

    answer: Answer
    why: tuple[str, ...]
    paths: list[CPath]
    chosen: tuple[int, int]
    findings: tuple[Finding, ...]
    provenance: Provenance
    criterion: CriterionCurves | None = None
    support: Support | None = None
    relevance: Relevance | None = None
    regions: Regions | None = None
    comparison: list[dict[str, Any]] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)
    confusions: list[Confusion] = field(default_factory=list)
    reliabilities: list[Reliability] = field(default_factory=list)
    predictions: list[Predictions] = field(default_factory=list)


def report_data(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    test: tuple[Any, Any] | None = None,
    comparison: Any = None,
    command: str | None = None,
    source: str | None = None,
    seed: Any = None,
) -> ReportData:
    """Collect what there is to show about a tuned machine.

    Parameters
    ----------
    model : TunedSVC or TunedSVR
        Fitted.
    X, y : array, default=None
        The training samples, for decision regions, findings about the data and their fingerprint.
    test : (X_test, y_test), default=None
    comparison : Comparison, default=None
        Of `kernelwise.compare`.
    command, source : str, default=None
        How to repeat the run, and where the samples came from. Without a command, the model's constructor.
    seed : object, default=None
        The model's ``random_state`` if None.

    Returns
    -------
    data : ReportData

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import TunedSVC
    >>> from kernelwise.reports import report_data
    >>> X, y = load_iris(return_X_y=True)
    >>> model = TunedSVC(Cs=[1.0, 10.0]).fit(X[::2], y[::2])
    >>> data = report_data(model, test=(X[1::2], y[1::2]), seed=0)

    One confusion matrix for held-out samples, and one for the test samples:

    >>> [(part.source, part.counts.shape) for part in data.confusions]
    [('held out', (3, 3)), ('test', (3, 3))]
    """
    check_tuned(model)
    if (X is None) != (y is None):
        raise ValueError("A report takes X and y together: pass both, or neither.")
    if X is not None:
        X, y = _pair(X, y)
    of_classes, has_machine = is_classifier(model), hasattr(model, "best_estimator_")
    if test is not None and not has_machine:
        raise ValueError("The model was fitted with refit=False and cannot be tested: leave out 'test'.")
    test = None if test is None else _pair(*test)
    paths = c_paths(model)
    parts = _unseen_classes(model, test) if of_classes else _unseen_targets(model, test)
    if X is not None and of_classes and has_machine:
        parts["regions"] = decision_regions(model, X, y, feature_names(model))
    if comparison is not None:
        parts |= {"comparison": comparison.rows(), "losses": comparison.losses()}
    return ReportData(
        answer=answer_of(model, test),
        why=tuple(model.result_.why),
        paths=paths,
        chosen=chosen(model, paths),
        findings=_findings(model, X, y),
        provenance=provenance(model, X, y, command, source, seed),
        criterion=criterion_curves(model),
        support=support_of(model),
        relevance=relevance_of(model),
        **parts,
    )


def _pair(X: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Samples and as many answers."""
    check_consistent_length(X, y)
    return X, column_or_1d(y)


def _unseen_classes(model: Any, test: tuple[Any, Any] | None) -> dict[str, Any]:
    """Confusion and reliability of held-out and test samples."""
    unseen, record = [], model.fit_record_
    if record is not None:
        unseen.append(("held out", record.truth, record.predicted, record.probability, record.weight))
    if test is not None:
        truth = class_index(model.classes_, test[1], "y of the test samples")
        labels, p = model.predict(test[0]), model.predict_proba(test[0])
        known = np.isin(labels, model.classes_)  # others are rejected
        predicted = np.full(len(labels), -1)
        predicted[known] = class_index(model.classes_, labels[known], "predict")
        shown = np.ones_like(predicted) if len(model.classes_) == 2 else predicted
        unseen.append(("test", truth, predicted, p[np.arange(len(p)), shown], np.ones(len(p))))
    curves = [reliability_of_classes(s, model.classes_, t, q, p, w) for s, t, q, p, w in unseen]
    return {
        "confusions": [
            confusion(s, model.classes_, t, q, w, record.n_relabelled if s == "held out" else 0.0)
            for s, t, q, _, w in unseen
        ],
        "reliabilities": [curve for curve in curves if curve is not None],
    }


def _unseen_targets(model: Any, test: tuple[Any, Any] | None) -> dict[str, Any]:
    """Predicted against observed targets of held-out and test samples."""
    found, record = [], model.fit_record_
    if record is not None:
        found.append(some_predictions("held out", record.truth, record.predicted))
    if test is not None:
        found.append(some_predictions("test", np.asarray(test[1], dtype=float), model.predict(test[0])))
    return {"predictions": found}


def _findings(model: Any, X: Any, y: Any) -> tuple[Finding, ...]:
    """Those of the fit, and those about the samples as the kernel sees them."""
    found = tuple(model.diagnostics_)
    is_trained_classifier = hasattr(model, "best_estimator_") and is_classifier(model)
    if X is None or not is_trained_classifier or is_precomputed(model.kernel):
        return found
    if len(y) > MAX_DIAGNOSED:
        return (
            *found,
            Finding(
                "not diagnosed",
                "info",
                f"More than {MAX_DIAGNOSED} rows were not searched for duplicates and close pairs.",
                "Run kernelwise.diagnose(X, y), which takes a pass over all pairs.",
            ),
        )
    about_data = diagnose(model.machine_samples(X), y, kernel=model.kernel_)
    return (*found, *(finding for finding in about_data if finding.name != "cost"))
