"""Whether a metric is worth learning: RBF, diagonal or full, the simplest that does as well as the best."""

from __future__ import annotations

from typing import Any

from sklearn.preprocessing import StandardScaler

from kernelwise._core.validation import check_choice
from kernelwise.findings import Finding
from kernelwise.optimizers import Optimizer
from kernelwise.search.metric_learner import METRICS, STARTS, MetricLearner
from kernelwise.selection.metric.candidates import CS, GAMMAS, MetricSearch, Score, learned, rbf_grid
from kernelwise.selection.metric.result import MetricResult

#: From the fewest parameters to the most.
SIMPLEST_FIRST = ("rbf", "low-rank", "diagonal", "gaussian")


def learn_metric(
    X: Any,
    y: Any,
    kernels: Any = ("rbf", "diagonal", "gaussian"),
    criterion: Any = "centered-kta",
    *,
    starts: Any = STARTS,
    gammas: Any = GAMMAS,
    Cs: Any = CS,
    cv: Any = 5,
    validation_fraction: float | None = None,
    optimizer: Optimizer | None = None,
    rank: int = 2,
    random_state: Any = 0,
) -> MetricResult:
    """Learn metrics of increasing freedom and keep the simplest within one standard error of the best.

    Every fold of the cross-validation standardises, searches and trains on its own training part, so that the
    accuracies compared are of samples that no metric has seen. Metrics are learned from several widths, the
    full one from where the diagonal one ended.

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
        Of the folds and of the share held out.

    Returns
    -------
    result : MetricResult

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
    Z = StandardScaler().fit_transform(search.X)
    if method == "rbf":
        return search.result(method, scores, proposals["rbf"](Z, search.y)[scores["rbf"].index], None)
    found = learners[method].learn(Z, search.y)
    return search.result(method, scores, found.kernel, found)


def _simplest(scores: dict[str, Score]) -> str:
    """The first, in the order given, within one standard error of the best."""
    best = max(scores.values(), key=lambda score: score.accuracy)
    enough = best.accuracy - best.standard_error
    return next(name for name, score in scores.items() if score.accuracy >= enough)


def _choice_finding(method: str, scores: dict[str, Score]) -> Finding:
    shown = ", ".join(f"{name} {s.accuracy:.3f} ± {s.standard_error:.3f}" for name, s in scores.items())
    return Finding(
        "metric", "info", f"Cross-validation accuracies: {shown}. {method!r} is the simplest that is enough."
    )
