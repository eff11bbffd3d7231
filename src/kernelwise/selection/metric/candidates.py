"""Candidates for a kernel, compared by cross-validation in which every fold learns its own metric."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array

from kernelwise._core.validation import check_labels, check_samples
from kernelwise.estimators.svc import SVC
from kernelwise.findings import Finding
from kernelwise.kernels import RBF, Kernel
from kernelwise.kernels.metric import relevance
from kernelwise.search.metric_learner import LearnedMetric, MetricLearner, path_accuracies
from kernelwise.selection.cross_validation import best_cell, check_values, edge_finding, make_folds
from kernelwise.selection.metric.result import MetricResult

#: Values of C and, for RBF kernels on standardised data, of γ times the number of features.
CS = tuple(10.0 ** (k / 2) for k in range(-2, 7))
GAMMAS = tuple(2.0**k for k in range(-6, 5))

#: Kernels for standardised training samples and their labels.
Proposal = Callable[[np.ndarray, np.ndarray], list[Kernel]]


def rbf_grid(gammas: Any = GAMMAS) -> Proposal:
    """RBF kernels of several widths, in units of one over the number of features, the widest first."""
    gammas = check_values(gammas, "gammas", "rbf_grid")
    return lambda Z, y: [RBF(float(gamma) / Z.shape[1]) for gamma in gammas]


def learned(learner: MetricLearner) -> Proposal:
    """The one kernel that a learner finds."""
    return lambda Z, y: [learner.learn(Z, y).kernel]


@dataclass
class Score:
    """A candidate's best cell over kernels and C."""

    accuracy: float
    standard_error: float
    index: int
    C: float


class MetricSearch:
    """Training samples, folds, and cross-validation of candidates.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    Cs : array
    cv : int or splitter
    random_state : int, RandomState or None
    """

    def __init__(self, X: Any, y: Any, Cs: Any, cv: Any, random_state: Any) -> None:
        self.started = time.perf_counter()
        self.X = check_array(check_samples(X), dtype=float)
        check_labels(y, self.X.shape[0], min_per_class=2)
        self.y = np.asarray(y).ravel()
        self.Cs = check_values(Cs, "Cs", "metric learning")
        self.findings: list[Finding]
        self.folds, self.findings = make_folds(self.X, self.y, cv, random_state)

    def score(self, propose: Proposal) -> Score:
        """Accuracy of the best kernel and C of a candidate, and its standard error over the folds."""
        by_fold = []
        for train, held in self.folds:
            Z = StandardScaler().fit(self.X[train]).transform(self.X)
            kernels = propose(Z[train], self.y[train])
            by_fold.append([path_accuracies(k(Z), self.y, self.Cs, train, held) for k in kernels])
        accuracies = np.array(by_fold)
        mean = accuracies.mean(axis=0)
        kernel, C = best_cell(mean)
        spread = accuracies[:, kernel, C].std(ddof=1) / np.sqrt(len(self.folds))
        return Score(float(mean[kernel, C]), float(spread), kernel, float(self.Cs[C]))

    def result(
        self, method: str, scores: Mapping[str, Score], chosen: Kernel, learned: LearnedMetric | None
    ) -> MetricResult:
        """Train the machine with the chosen kernel and put everything together."""
        seconds = time.perf_counter() - self.started
        C = scores[method].C
        variance = (np.ptp(self.X, axis=0) > 0).astype(float)  # of standardised samples
        Q = chosen.metric(self.X.shape[1])
        findings = [*self.findings, *edge_finding("C", C, self.Cs)]
        return MetricResult(
            method=method,
            kernel=chosen,
            C=C,
            cv_accuracies={name: score.accuracy for name, score in scores.items()},
            standard_errors={name: score.standard_error for name, score in scores.items()},
            metric=Q,
            relevance=relevance(Q, variance),
            start=None if learned is None else learned.start,
            estimator=make_pipeline(StandardScaler(), SVC(C=C, kernel=chosen)).fit(self.X, self.y),
            seconds=seconds,
            findings=(*findings, *(() if learned is None else learned.findings)),
        )
