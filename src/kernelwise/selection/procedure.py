"""What the papers' procedures share: the course of a run, the base of results, cross-validation, ties."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.pipeline import make_pipeline

from kernelwise._core.typing import FoldsLike, MatrixLike, RandomState, Samples, Transformer
from kernelwise._core.validation import check_labels, check_positive, check_samples
from kernelwise.estimators.svc import SVC
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import RBF, Kernel
from kernelwise.kernels.distances import DISTANCES
from kernelwise.kernels.gram import Grams
from kernelwise.search.engine.gram_accuracy import pooled_accuracies
from kernelwise.search.engine.runner import Folds


class Procedure:
    """One run of a procedure: its clock, the training samples, their folds, and what it has to report.

    A scaler comes before the machine; None takes the samples as they are.

    Attributes
    ----------
    scaled : array of shape (n_samples, n_features)
        The samples as a scaler fitted to all of them makes them.
    folds : list of (train, test)
        Empty before `split`.
    findings : list of Finding
    """

    def __init__(self, X: MatrixLike, y: ArrayLike, scaler: Transformer | None = None) -> None:
        self.started = time.perf_counter()
        self.X, self.y = check_training(X, y)
        self.scaler = scaler
        self.scaled: Any = self.X if scaler is None else clone(scaler).fit_transform(self.X)
        self.folds: Folds = []
        self.findings: list[Finding] = []

    def split(self, cv: FoldsLike, random_state: RandomState) -> None:
        """Make the folds of cross-validation, with a finding if there are fewer than asked for."""
        self.folds, findings = make_folds(self.X, self.y, cv, random_state)
        self.findings += findings

    def trained(self, machine: SVC) -> dict[str, Any]:
        """Train the chosen machine on all samples and return the fields that every result ends with.

        "seconds" are those of choosing: they end before the training begins.
        """
        seconds = time.perf_counter() - self.started
        estimator = machine if self.scaler is None else make_pipeline(clone(self.scaler), machine)
        return {
            "estimator": estimator.fit(self.X, self.y),
            "seconds": seconds,
            "findings": tuple(self.findings),
        }


@dataclass(frozen=True, eq=False, kw_only=True)
class ProcedureResult:
    """Base of the results that hold one machine."""

    method: str  # what made the choice
    C: float
    cv_accuracy: float  # what the choice was made by
    estimator: Any = field(repr=False)  # trained on all samples
    seconds: float  # of choosing, without training the estimator
    findings: tuple[Finding, ...] = ()

    #: Names of the fields and properties that are the columns of a table.
    _columns: ClassVar[tuple[str, ...]]

    def to_dict(self) -> dict[str, Any]:
        """One row of a table."""
        row = {name: getattr(self, name) for name in self._columns}
        return {name: repr(value) if isinstance(value, Kernel) else value for name, value in row.items()}


def check_training(X: MatrixLike, y: ArrayLike) -> tuple[Samples, np.ndarray]:
    """Return samples, and labels with at least two samples of each class, or say what is wrong with them."""
    samples = check_samples(X)
    check_labels(y, samples.shape[0], min_per_class=2)
    return samples, np.asarray(y).ravel()


def check_values(values: ArrayLike, name: str, owner: str) -> np.ndarray:
    """Return positive values to be tried, each once and in increasing order."""
    values = np.unique(np.asarray(values, dtype=float))
    if not len(values):
        raise ValueError(f"{name!r} of {owner} is empty; pass at least one value.")
    for value in values.tolist():
        check_positive(value, name, owner)
    return values


def best_cell(accuracies: np.ndarray) -> tuple[int, int]:
    """Find the highest accuracy: of equals, the smallest C, and then the smallest γ (widest kernel).

    ``accuracies``, of shape (n_gammas, n_Cs), has both in increasing order; the indices of γ and C are
    returned.
    """
    C, gamma = np.unravel_index(int(accuracies.T.argmax()), accuracies.T.shape)
    return int(gamma), int(C)


def edge_finding(name: str, value: float, values: np.ndarray) -> list[Finding]:
    """Return a finding if the best value is the smallest or the largest of those tried, else none."""
    if len(values) < 2 or values[0] < value < values[-1]:
        return []
    is_low = bool(value <= values[0])
    return [catalogue.EDGE_OF_GRID(parameter=name, value=value, is_low=is_low, n_values=len(values))]


def table_rows(columns: Mapping[str, np.ndarray]) -> list[dict[str, float]]:
    """Turn named columns, each of shape (n_rows,), into one dictionary for each row."""
    return [dict(zip(columns, map(float, row), strict=True)) for row in zip(*columns.values(), strict=True)]


def make_folds(
    X: MatrixLike, y: np.ndarray, cv: FoldsLike, random_state: RandomState
) -> tuple[Folds, list[Finding]]:
    """Make shuffled stratified folds, or take given ones; fewer, with a finding, if a class is small.

    Every class has two samples at least; ``random_state`` is that of the shuffling.
    """
    if not isinstance(cv, (int, np.integer)):
        return list(check_cv(cv).split(X, y)), []
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds, got {cv}.")
    smallest = int(np.unique(y, return_counts=True)[1].min())
    findings = []
    if smallest < cv:
        findings.append(catalogue.FEW_FOLDS(smallest=smallest, cv=cv))
    splitter = StratifiedKFold(min(int(cv), smallest), shuffle=True, random_state=random_state)
    return list(splitter.split(X, y)), findings


def cv_accuracies(
    Z: np.ndarray,
    y: np.ndarray,
    gammas: np.ndarray,
    Cs: np.ndarray,
    folds: Folds,
    *,
    multiclass: str = "ovo",
    n_jobs: int | None = None,
) -> np.ndarray:
    """Return the pooled accuracies, (n_gammas, n_Cs), of machines with kernel exp(−γ‖z − z′‖²).

    Distances are computed once; the other parameters are as in
    `kernelwise.search.engine.gram_accuracy.held_out_accuracies`.
    """
    grams = Grams(Z, [DISTANCES])
    accuracies = np.empty((len(gammas), len(Cs)))
    for g, gamma in enumerate(gammas):
        with grams.gram(RBF(float(gamma))) as K:
            accuracies[g] = pooled_accuracies(K, y, Cs, folds, multiclass=multiclass, n_jobs=n_jobs)
    return accuracies


@contextmanager
def noting_convergence(findings: list[Finding]) -> Iterator[None]:
    """Turn the solver's warnings, of which each path has its own, into one warning and one finding."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    stopped = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    for other in caught:
        if not issubclass(other.category, ConvergenceWarning):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)
    if stopped:
        findings.append(catalogue.WIDTHS_NOT_CONVERGED(n_widths=len(stopped), first=stopped[0]))
        warnings.warn(str(findings[-1]), ConvergenceWarning, stacklevel=5)
