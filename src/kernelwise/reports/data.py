"""All that a report shows, as plain values that tests and other programs can read."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, is_classifier, is_outlier_detector
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils.validation import check_is_fitted

from kernelwise import __version__
from kernelwise._core.journal import fingerprint
from kernelwise._core.typing import RowsLike
from kernelwise.estimators.tuned import TunedMachine, column_name
from kernelwise.estimators.tuned_one_class import TunedOneClassSVM
from kernelwise.findings import Finding
from kernelwise.reports.answer import (
    Answer,
    Support,
    answer_of,
    class_counts,
    headline,
    row_count,
    support_of,
)
from kernelwise.reports.asking import Asked, asked
from kernelwise.reports.columns_used import LooksAt, Relevance, coded_names, looks_at, relevance_of
from kernelwise.reports.comparison import Compared, Versus, versus
from kernelwise.reports.coverage import Coverage, coverage_of
from kernelwise.reports.curves import CPath, CriterionCurves, c_paths, chosen, criterion_curves
from kernelwise.reports.findings import report_findings
from kernelwise.reports.held_out import (
    Confusion,
    Predictions,
    Reliability,
    Roc,
    unseen_classes,
    unseen_targets,
)
from kernelwise.reports.outliers import Outliers, Strange, outliers_of
from kernelwise.reports.regions import Regions, decision_regions, outlier_regions

PACKAGES = ("numpy", "scipy", "scikit-learn")
#: Digits of the fingerprint that a report shows: those that a journal has begin with them.
N_DIGITS = 16


@dataclass(frozen=True)
class Provenance:
    """How to get the same result again.

    Attributes
    ----------
    command : str
    date : str
        When the report was made, by the clock of the place: 2026-03-01 14:05.
    source : str or None
        Where the rows came from.
    seed : object
    fingerprint : str or None
        The first digits of the hash of the rows and their labels that a journal has, too.
    versions : dict from str to str
    """

    command: str
    date: str
    source: str | None
    seed: Any
    fingerprint: str | None
    versions: dict[str, str]


@dataclass(frozen=True, eq=False)
class ReportData:
    """The contents of a report on a classifier, a regression or a one-class model.

    Every report has an answer, reasons, findings and what it takes to repeat it. Other parts are None or
    empty where there is nothing to show.

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
    outliers : Outliers or None
        Scores and the strangest rows of one class.
    criterion : CriterionCurves or None
    paths : list of CPath
    chosen : (int, int)
        Index of the chosen kernel among the paths, and that of the chosen C on its path, if there are paths.
    support : Support or None
    confusions : list of Confusion
    reliabilities : list of Reliability
    rocs : list of Roc
        Of two classes.
    predictions : list of Predictions
        Of a regression.
    coverage : Coverage or None
        Of intervals, or sets of classes, on held-out rows.
    relevance : Relevance or None
    looks_at : LooksAt or None
        Which columns made the predictions, where the kernel is a product over columns.
    regions : Regions or None
    asked : Asked or None
        The section that can be asked, or why it cannot; None if it was not wanted.
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
    findings: tuple[Finding, ...]
    provenance: Provenance
    how: tuple[str, ...] = ()
    forms: dict[str, float] = field(default_factory=dict)
    n_rows: float | None = None
    classes: list[tuple[str, float]] = field(default_factory=list)
    preparation: tuple[str, ...] = ()
    n_columns: int | None = None
    outliers: Outliers | None = None
    paths: list[CPath] = field(default_factory=list)
    chosen: tuple[int, int] = (0, 0)
    criterion: CriterionCurves | None = None
    support: Support | None = None
    relevance: Relevance | None = None
    looks_at: LooksAt | None = None
    regions: Regions | None = None
    asked: Asked | None = None
    comparison: Versus | None = None
    losses: list[str] = field(default_factory=list)
    confusions: list[Confusion] = field(default_factory=list)
    reliabilities: list[Reliability] = field(default_factory=list)
    rocs: list[Roc] = field(default_factory=list)
    predictions: list[Predictions] = field(default_factory=list)
    coverage: Coverage | None = None

    @property
    def heading(self) -> str:
        """The report in a line: the comparison, the number of unusual rows, or how good the model is."""
        first = self.comparison or self.outliers
        return headline(self.answer) if first is None else first.heading


def report_data(
    model: TunedMachine,
    X: RowsLike | None = None,
    y: ArrayLike | None = None,
    *,
    test: tuple[Any, Any] | None = None,
    comparison: Compared | None = None,
    command: str | None = None,
    source: str | None = None,
    seed: object = None,
    preparation: Sequence[str] = (),
    lines: np.ndarray | Sequence[int] | None = None,
    n_columns: int | None = None,
    findings: Sequence[Finding] = (),
    answer: Answer | None = None,
    diagnosis: Sequence[Finding] | None = None,
    strangest: Sequence[Strange] | None = None,
    target: str | None = None,
    columns: LooksAt | None = None,
    interactive: bool = True,
) -> ReportData:
    """Collect the contents of a report on a tuned model.

    Parameters
    ----------
    model : TunedSVC, TunedSVR or TunedOneClassSVM
        Fitted.
    X, y : array, default=None
        The training rows, for decision regions, what the model looks at, findings about the data and their
        fingerprint. Of one class they show what is unusual about the strangest rows; its labels y may be
        None.
    test : (X_test, y_test), default=None
        Not for one class.
    comparison : Comparison, default=None
        Of `kernelwise.compare`; not for one class.
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
    strangest : sequence of Strange, default=None
        The strangest rows of one class, if they were found before; None finds them.
    target : str, default=None
        Name of what is predicted; None is the name that ``y`` has, if it is a column of a data frame.
    columns : LooksAt, default=None
        Which columns made the predictions for the training rows, if that was found before; None finds it.
    interactive : bool, default=True
        Whether the report can be asked: it then holds the model, and with it the training rows that are
        support vectors, as text that can be read.

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
    if not isinstance(model, TunedMachine):
        raise TypeError(f"A report needs a fitted TunedSVC, TunedSVR or TunedOneClassSVM, got {model!r}.")
    check_is_fitted(model, "result_")
    target = (column_name(y) or getattr(model, "target_name_", None)) if target is None else target
    X, y = _outlier_rows(model, X, y) if is_outlier_detector(model) else _rows(X, y)
    if test is not None:
        if not hasattr(model, "best_estimator_"):
            raise ValueError("The model was fitted with refit=False and cannot be tested. Leave out 'test'.")
        test = _pair(*test)
    if is_outlier_detector(model):
        if test is not None or comparison is not None:
            raise ValueError("A report on unusual rows has no test and no comparison. Leave both out.")
        parts = _outlier_parts(model, X, y, lines, strangest)
    else:
        parts = _parts(model, X, y, test, lines, columns)
    if comparison is not None:
        said = [*comparison.verdict(), *comparison.losses(), *comparison.notes()]
        parts |= {"comparison": versus(comparison), "losses": said}
    answer = answer_of(model, test, target) if answer is None else answer
    return ReportData(
        answer=answer,
        why=tuple(model.result_.why),
        how=tuple(getattr(model.result_, "how", ())),  # which models of earlier versions do not have
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
        preparation=tuple(preparation),
        n_columns=answer.n_features if n_columns is None else n_columns,
        asked=asked(model) if interactive else None,
        **parts,
    )


def _rows(X: RowsLike | None, y: ArrayLike | None) -> tuple[Any, np.ndarray | None]:
    """The training rows and their answers; None if they were not given."""
    if (X is None) != (y is None):
        raise ValueError("A report needs both X and y, or neither of them.")
    return (None, None) if X is None or y is None else _pair(X, y)


def _pair(X: RowsLike, y: ArrayLike) -> tuple[Any, np.ndarray]:
    """Rows and as many answers."""
    check_consistent_length(X, y)
    return X, column_or_1d(y)


def _outlier_rows(
    model: TunedOneClassSVM, X: RowsLike | None, y: ArrayLike | None
) -> tuple[Any, np.ndarray | None]:
    """The training rows of one class and their labels; None for those that were not given."""
    n_rows = len(model.training_scores_)
    given: tuple[Any, ...] = (X, y)
    for rows in given:
        n = n_rows if rows is None else rows.shape[0] if hasattr(rows, "shape") else len(rows)
        if n != n_rows:
            raise ValueError(
                f"A report on unusual rows needs the {n_rows} rows that the model was trained on, got {n} "
                "rows."
            )
    return X, None if y is None else column_or_1d(y)


def _parts(
    model: TunedMachine,
    X: RowsLike | None,
    y: np.ndarray | None,
    test: tuple[Any, Any] | None,
    lines: np.ndarray | Sequence[int] | None,
    columns: LooksAt | None,
) -> dict[str, Any]:
    """What is shown of a classifier or a regression."""
    paths = c_paths(model)
    parts = {
        "forms": getattr(model.result_, "forms", {}),
        "paths": paths,
        "chosen": chosen(model, paths),
        "criterion": criterion_curves(model),
        "support": support_of(model),
        "relevance": relevance_of(model),
        "n_rows": row_count(model, y),
        "coverage": coverage_of(model),
    }
    if is_classifier(model):
        parts |= {"classes": class_counts(model, y), **unseen_classes(model, test)}
    else:
        parts |= unseen_targets(model, test)
    if X is not None and y is not None and hasattr(model, "best_estimator_"):
        if is_classifier(model):
            parts["regions"] = decision_regions(model, X, y, coded_names(model))
        parts["looks_at"] = looks_at(model, X, y, lines) if columns is None else columns
    return parts


def _outlier_parts(
    model: TunedOneClassSVM,
    X: RowsLike | None,
    y: np.ndarray | None,
    lines: np.ndarray | Sequence[int] | None,
    strangest: Sequence[Strange] | None,
) -> dict[str, Any]:
    """What is shown of one class."""
    found = outliers_of(model, X, y, lines, strangest)
    regions = None if X is None else outlier_regions(model, X, found.scores, coded_names(model))
    return {"outliers": found, "regions": regions, "n_rows": float(found.n_rows)}


def provenance(
    model: TunedMachine,
    X: RowsLike | None,
    y: ArrayLike | None,
    command: str | None,
    source: str | None,
    seed: object,
) -> Provenance:
    """The facts of a run; the command is the model's own constructor where none is given."""
    if command is None:
        made = BaseEstimator.__repr__(model, N_CHAR_MAX=100_000)
        # One class may have been fitted without labels.
        rows = "X, y" if any(getattr(model.result_, "labelled", (1,))) else "X"
        command = f"from kernelwise import {type(model).__name__}\n\n{made}.fit({rows})"
    digest = None
    if X is not None:
        samples = model.encoder_.read(X) if hasattr(model, "encoder_") else X
        digest = fingerprint(samples, np.zeros(len(model.training_scores_)) if y is None else y)[:N_DIGITS]
    date = datetime.now().strftime("%Y-%m-%d %H:%M")
    return Provenance(command, date, source, model.random_state if seed is None else seed, digest, versions())


def versions() -> dict[str, str]:
    """Versions of what the result depends on."""
    return {
        "kernelwise": __version__,
        "Python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
        "platform": f"{platform.system()} {platform.machine()}",
    }
