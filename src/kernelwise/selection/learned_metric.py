"""Metrics of increasing freedom compared by cross-validation: our step beyond paper 003 (Laanaya and others).

`learn_metric` keeps the simplest metric that does as well as the best: RBF, diagonal, low rank or full. The
search that compares candidates, and the result, are those of :mod:`kernelwise.selection.laanaya`, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array

from kernelwise._core.typing import FoldsLike, MatrixLike, RandomState
from kernelwise._core.validation import check_choice, check_samples
from kernelwise.criteria import CriterionLike
from kernelwise.estimators.svc import SVC
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import RBF, Kernel
from kernelwise.kernels.metric import relevance
from kernelwise.optimizers import Optimizer
from kernelwise.search.engine.gram_accuracy import held_out_accuracies
from kernelwise.search.engine.rules import simplest_within, standard_error
from kernelwise.search.propose.metric_learner import METRICS, STARTS, LearnedMetric, MetricLearner
from kernelwise.selection.procedure import Procedure, ProcedureResult, best_cell, check_values, edge_finding

#: Values of C and, for RBF kernels on standardised data, of γ times the number of features.
CS = tuple(10.0 ** (k / 2) for k in range(-2, 7))
GAMMAS = tuple(2.0**k for k in range(-6, 5))
#: From the fewest parameters to the most.
SIMPLEST_FIRST = ("rbf", "low-rank", "diagonal", "gaussian")

#: Kernels for standardised training samples and their labels.
Proposal = Callable[[np.ndarray, np.ndarray], list[Kernel]]


def rbf_grid(gammas: ArrayLike = GAMMAS) -> Proposal:
    """Propose RBF kernels of several widths, the widest first; γ is in units of 1 / n_features."""
    gammas = check_values(gammas, "gammas", "rbf_grid")
    return lambda Z, y: [RBF(float(gamma) / Z.shape[1]) for gamma in gammas]


class Learner(Protocol):
    """Learns a metric on standardised samples."""

    def learn(self, Z: np.ndarray, y: np.ndarray) -> LearnedMetric: ...


def learned(learner: Learner) -> Proposal:
    """Propose the one kernel that a learner finds."""
    return lambda Z, y: [learner.learn(Z, y).kernel]


@dataclass(frozen=True, eq=False, kw_only=True)
class MetricResult(ProcedureResult):
    """A Gaussian kernel with its metric and C, how they were chosen, and the model trained with them.

    Attributes
    ----------
    method : str
        The name of the chosen candidate, a key of the two dictionaries.
    kernel : Kernel
        For standardised samples.
    C : float
    cv_accuracy : float
        Of the chosen candidate.
    cv_accuracies, standard_errors : dict from str to float
        Of each candidate at its best C, where every fold learns its own metric and scaling, and their
        :func:`kernelwise.search.engine.rules.standard_error`.
    metric : ndarray of shape (n_features, n_features)
        Q for standardised samples.
    relevance : ndarray of shape (n_features,)
        Share of each feature; they sum to 1.
    start : float or None
        The start of the search that was kept; None for a kernel that was not searched for.
    estimator : Pipeline
        Standardising and the machine, trained on all samples.
    seconds : float
        Time of choosing, without training the estimator.
    findings : tuple of Finding

    Examples
    --------
    >>> from kernelwise.datasets import make_weston
    >>> from kernelwise.selection import laanaya_select
    >>> X, y = make_weston(80, n_noise=4, random_state=0)
    >>> result = laanaya_select(X, y, sigma0=1.0, max_iter=10, Cs=[1.0, 10.0], cv=3)

    The two features that matter, of six:

    >>> result.metric.shape, result.relevance.argsort()[::-1][:2].tolist(), result.cv_accuracy > 0.9
    ((6, 6), [0, 1], True)
    """

    kernel: Kernel
    cv_accuracies: dict[str, float]
    standard_errors: dict[str, float]
    metric: np.ndarray = field(repr=False)
    relevance: np.ndarray = field(repr=False)
    start: float | None

    _columns: ClassVar[tuple[str, ...]] = ("method", "C", "cv_accuracy", "start", "seconds", "kernel")


@dataclass
class Score:
    """The best cell of a candidate over its kernels and C: mean accuracy over the folds, its error, and C."""

    accuracy: float
    standard_error: float
    index: int
    C: float


class MetricSearch(Procedure):
    """Cross-validation of candidates on standardised samples, in which every fold learns its own metric."""

    def __init__(
        self, X: MatrixLike, y: ArrayLike, Cs: ArrayLike, cv: FoldsLike, random_state: RandomState
    ) -> None:
        self.samples: np.ndarray = check_array(check_samples(X), dtype=float)
        super().__init__(self.samples, y, StandardScaler())
        self.Cs = check_values(Cs, "Cs", "metric learning")
        self.split(cv, random_state)

    def score(self, propose: Proposal) -> Score:
        """Find the best kernel and C of a candidate by their mean accuracy over the folds."""
        by_fold = []
        for fold in self.folds:
            Z = StandardScaler().fit(self.samples[fold[0]]).transform(self.samples)
            kernels = propose(Z[fold[0]], self.y[fold[0]])
            by_fold.append([held_out_accuracies(k(Z), self.y, self.Cs, [fold])[:, 0] for k in kernels])
        accuracies = np.array(by_fold)
        mean = accuracies.mean(axis=0)
        kernel, C = best_cell(mean)
        error = standard_error(accuracies[:, kernel, C], len(self.y), is_share=True)
        return Score(float(mean[kernel, C]), float(error), kernel, float(self.Cs[C]))

    def result(
        self, method: str, scores: Mapping[str, Score], chosen: Kernel, learned: LearnedMetric | None
    ) -> MetricResult:
        """Train the machine with the chosen kernel and put everything together."""
        C = scores[method].C
        variance = (np.ptp(self.samples, axis=0) > 0).astype(float)  # of standardised samples
        Q = chosen.metric(self.samples.shape[1])
        self.findings += [*edge_finding("C", C, self.Cs), *(() if learned is None else learned.findings)]
        return MetricResult(
            method=method,
            kernel=chosen,
            C=C,
            cv_accuracy=scores[method].accuracy,
            cv_accuracies={name: score.accuracy for name, score in scores.items()},
            standard_errors={name: score.standard_error for name, score in scores.items()},
            metric=Q,
            relevance=relevance(Q, variance),
            start=None if learned is None else learned.start,
            **self.trained(SVC(C=C, kernel=chosen)),
        )


def learn_metric(
    X: MatrixLike,
    y: ArrayLike,
    kernels: Sequence[str] = ("rbf", "diagonal", "gaussian"),
    criterion: CriterionLike = "centered-kta",
    *,
    starts: ArrayLike = STARTS,
    gammas: ArrayLike = GAMMAS,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 5,
    validation_fraction: float | None = None,
    optimizer: Optimizer | None = None,
    rank: int = 2,
    random_state: RandomState = 0,
) -> MetricResult:
    """Learn metrics of increasing freedom and keep the simplest within one standard error of the best.

    Every fold of the cross-validation standardises, searches and trains on its own training part, so that the
    accuracies compared are of samples that no metric has seen. Metrics are learned from several widths, the
    full one from where the diagonal one ended. Returns a `MetricResult`.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    kernels : sequence of {"rbf", "low-rank", "diagonal", "gaussian"}
        "rbf" has no metric: its width is chosen with C over a grid.
    criterion : Criterion or str, default="centered-kta"
        What the metrics minimise; any that is differentiable.
    starts : sequence of float
        See :class:`kernelwise.MetricTransformer`.
    gammas : sequence of float
        Widths for "rbf" on standardised samples: γ times the number of features.
    Cs : sequence of float
    cv : int or splitter, default=5
    validation_fraction : float, default=None
        Share of the samples, if any, on whose classification error a search stops early.
    optimizer : Optimizer, default=None
    rank : int, default=2
    random_state : int, RandomState or None, default=0
        Seed of the folds and of the held-out share.

    Examples
    --------
    >>> from kernelwise.datasets import make_weston
    >>> from kernelwise.selection import learn_metric
    >>> X, y = make_weston(100, n_noise=4, random_state=0)
    >>> chosen = learn_metric(X, y, ("rbf", "diagonal"), starts=(2.0,), cv=3)
    >>> chosen.method, [k for k in range(6) if chosen.relevance[k] > 0.1]
    ('diagonal', [0, 1])
    """
    names = [name for name in SIMPLEST_FIRST if name in tuple(kernels)]
    for name in kernels:
        check_choice(name, "kernels", "learn_metric", METRICS)
    if not names:
        raise ValueError("'kernels' of learn_metric is empty; pass at least one name.")
    search = MetricSearch(X, y, Cs, cv, random_state)
    learners = {
        name: MetricLearner(name, criterion, starts, optimizer, rank, validation_fraction, random_state)
        for name in names
    }
    proposals = {name: rbf_grid(gammas) if name == "rbf" else learned(learners[name]) for name in names}
    scores = {name: search.score(propose) for name, propose in proposals.items()}
    method = _simplest(scores)
    search.findings.append(_choice_finding(method, scores))
    if method == "rbf":
        widths = proposals["rbf"](search.scaled, search.y)
        return search.result(method, scores, widths[scores["rbf"].index], None)
    found = learners[method].learn(search.scaled, search.y)
    return search.result(method, scores, found.kernel, found)


def _simplest(scores: dict[str, Score]) -> str:
    """Return the first candidate, in the order given, within one standard error of the best."""
    names, found = list(scores), list(scores.values())
    index = simplest_within(
        np.array([score.accuracy for score in found]),
        np.arange(len(found)),
        np.array([score.standard_error for score in found]),
    )
    return names[index]


def _choice_finding(method: str, scores: dict[str, Score]) -> Finding:
    shown = ", ".join(f"{name} {s.accuracy:.3f} ± {s.standard_error:.3f}" for name, s in scores.items())
    return catalogue.METRIC(accuracies=shown, method=method)
