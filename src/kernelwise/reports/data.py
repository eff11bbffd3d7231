"""All that a report shows, as plain values that tests and other programs can read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils import check_consistent_length, column_or_1d

from kernelwise.findings import Finding
from kernelwise.reports._model import check_tuned
from kernelwise.reports.answer import Answer, Support, answer_of, support_of
from kernelwise.reports.criterion import CriterionCurves, criterion_curves
from kernelwise.reports.errors import Predictions
from kernelwise.reports.facts import class_counts, row_count
from kernelwise.reports.findings import report_findings
from kernelwise.reports.headline import headline
from kernelwise.reports.held_out import Confusion, Reliability
from kernelwise.reports.looks_at import LooksAt, looks_at
from kernelwise.reports.paths import CPath, c_paths, chosen
from kernelwise.reports.provenance import Provenance, provenance
from kernelwise.reports.regions import Regions, decision_regions
from kernelwise.reports.relevance import Relevance, coded_names, relevance_of
from kernelwise.reports.roc import Roc
from kernelwise.reports.unseen import unseen_classes, unseen_targets
from kernelwise.reports.versus import Versus, versus


@dataclass(frozen=True, eq=False)
class ReportData:
    """The contents of a report; None or empty where there is nothing to show.

    Attributes
    ----------
    answer : Answer
    n_rows : float or None
        All rows that the model was made from; a weight of 2 counts as two.
    n_columns : int or None
        Columns of the file that the features were made from.
    classes : list of (str, float)
        Names of the classes and how many rows each has.
    preparation : tuple of str
        What was done to the columns before the model saw them, in sentences.
    comparison : Versus or None
        The rows of a comparison of methods, and what they say.
    losses : list of str
        :meth:`kernelwise.Comparison.verdict` and :meth:`kernelwise.Comparison.losses`.
    why, how : tuple of str
        Why this answer won, and how the search went.
    forms : dict from str to float
        Forms of kernel that were tried, and their scores.
    criterion : CriterionCurves or None
    paths : list of CPath
    chosen : (int, int)
        Index of the chosen kernel among the paths, and that of the chosen C on its path.
    support : Support or None
    confusions : list of Confusion
    reliabilities : list of Reliability
    rocs : list of Roc
        Of two classes.
    predictions : list of Predictions
        Of a regression.
    relevance : Relevance or None
    looks_at : LooksAt or None
        Which columns made the predictions, where the kernel is a product over columns.
    regions : Regions or None
    findings : tuple of Finding
        The most serious first; without advice that was followed.
    provenance : Provenance

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise import TunedSVC
    >>> from kernelwise.reports import report_data
    >>> X, y = load_iris(return_X_y=True)
    >>> data = report_data(TunedSVC("rbf", Cs=[1.0, 10.0]).fit(X, y), X, y)

    Plain values, such as the reasons in words and the confusion of held-out rows:

    >>> len(data.why) > 0, data.confusions[0].counts.shape, data.relevance is None
    (True, (3, 3), True)
    """

    answer: Answer
    why: tuple[str, ...]
    paths: list[CPath]
    chosen: tuple[int, int]
    findings: tuple[Finding, ...]
    provenance: Provenance
    how: tuple[str, ...] = ()
    forms: dict[str, float] = field(default_factory=dict)
    n_rows: float | None = None
    classes: list[tuple[str, float]] = field(default_factory=list)
    preparation: tuple[str, ...] = ()
    n_columns: int | None = None
    criterion: CriterionCurves | None = None
    support: Support | None = None
    relevance: Relevance | None = None
    looks_at: LooksAt | None = None
    regions: Regions | None = None
    comparison: Versus | None = None
    losses: list[str] = field(default_factory=list)
    confusions: list[Confusion] = field(default_factory=list)
    reliabilities: list[Reliability] = field(default_factory=list)
    rocs: list[Roc] = field(default_factory=list)
    predictions: list[Predictions] = field(default_factory=list)

    @property
    def heading(self) -> str:
        """The report in a line: the comparison, or how good the model is."""
        return headline(self.answer) if self.comparison is None else self.comparison.heading


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
    preparation: Sequence[str] = (),
    lines: Any = None,
    n_columns: int | None = None,
    findings: Sequence[Finding] = (),
    answer: Answer | None = None,
    diagnosis: Sequence[Finding] | None = None,
) -> ReportData:
    """Collect the contents of a report on a tuned model.

    Parameters
    ----------
    model : TunedSVC or TunedSVR
        Fitted.
    X, y : array, default=None
        The training rows, for decision regions, what the model looks at, findings about the data and their
        fingerprint.
    test : (X_test, y_test), default=None
    comparison : Comparison, default=None
        Of `kernelwise.compare`.
    command, source : str, default=None
        The command that repeats the run, and where the rows came from. With a command, findings advise its
        options; without one, the model's constructor is shown.
    seed : object, default=None
        The model's ``random_state`` if None.
    preparation : sequence of str, default=()
        Sentences on what was done to the columns before: values filled in, words coded, columns left out.
    lines : array of shape (n_rows,), default=None
        Lines of the rows in their file, which findings then name.
    n_columns : int, default=None
        Columns that the features were made from, if some are coded words; None is one for each feature.
    findings : sequence of Finding, default=()
        What was found about the columns before they became features.
    answer : Answer, default=None
        The answer of this model to these test rows, if it was made before; None makes it.
    diagnosis : sequence of Finding, default=None
        Findings of `kernelwise.diagnose` about the training rows, if it was run before; None runs it.

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

    One confusion matrix for held-out rows, and one for the test rows:

    >>> [(part.source, part.counts.shape) for part in data.confusions]
    [('held out', (3, 3)), ('test', (3, 3))]
    """
    check_tuned(model)
    if (X is None) != (y is None):
        raise ValueError("A report needs both X and y, or neither of them.")
    if X is not None:
        X, y = _pair(X, y)
    of_classes, has_machine = is_classifier(model), hasattr(model, "best_estimator_")
    if test is not None and not has_machine:
        raise ValueError("The model was fitted with refit=False and cannot be tested. Leave out 'test'.")
    test = None if test is None else _pair(*test)
    paths = c_paths(model)
    parts = unseen_classes(model, test) if of_classes else unseen_targets(model, test)
    if X is not None and of_classes and has_machine:
        parts["regions"] = decision_regions(model, X, y, coded_names(model))
    if X is not None and has_machine:
        parts["looks_at"] = looks_at(model, X, y, lines)
    if comparison is not None:
        said = [*comparison.verdict(), *comparison.losses(), *comparison.notes()]
        parts |= {"comparison": versus(comparison), "losses": said}
    answer = answer_of(model, test) if answer is None else answer
    return ReportData(
        answer=answer,
        why=tuple(model.result_.why),
        how=tuple(getattr(model.result_, "how", ())),  # which models of earlier versions do not have
        forms=getattr(model.result_, "forms", {}),
        paths=paths,
        chosen=chosen(model, paths),
        findings=report_findings(
            model,
            X,
            y,
            answer,
            for_command_line=command is not None,
            lines=lines,
            more=findings,
            diagnosis=diagnosis,
        ),
        provenance=provenance(model, X, y, command, source, seed),
        n_rows=row_count(model, y),
        classes=class_counts(model, y) if of_classes else [],
        preparation=tuple(preparation),
        n_columns=answer.n_features if n_columns is None else n_columns,
        criterion=criterion_curves(model),
        support=support_of(model),
        relevance=relevance_of(model),
        **parts,
    )


def _pair(X: Any, y: Any) -> tuple[Any, np.ndarray]:
    """Rows and as many answers."""
    check_consistent_length(X, y)
    return X, column_or_1d(y)
