"""Kernels with a learned metric, scored by machines whose metric has not seen the held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.weights import copies_of
from kernelwise.kernels import DiagonalGaussian
from kernelwise.search.canonical import sample
from kernelwise.search.choice import Choice, columns_of, standard_error
from kernelwise.search.climb import ScaleSearch
from kernelwise.search.fold_kernels import FoldKernels
from kernelwise.search.metric_learner import LearnedMetric, MetricLearner
from kernelwise.search.scored_kernel import KernelPath
from kernelwise.search.task import Task

#: What metrics are learned by; cross-validation says which did better. A full metric costs several times a
#: diagonal one, so that it gets one criterion only.
CRITERIA = {
    "diagonal": ("centered-kta", "regularized-margin"),
    "gaussian": ("centered-kta",),
    "low-rank": ("centered-kta",),
}
#: Weights below this share of the largest are small; what takes their place (a weight is positive).
SMALL, DROPPED = 0.05, 1e-9
#: Rows on which a metric is learned, at most.
MAX_ROWS = 1000
#: Standard errors within which a stronger regularisation is preferred with a learned metric.
CLOSE = 0.5


def choose_metric(task: Task, name: str, criteria: Any) -> Choice:
    """A metric by each criterion, learned again without every fold; then its width and C.

    Parameters are those of `search_metric`.
    """
    search, learned, why = search_metric(task, name, criteria)
    best = search.tried[search.best]
    path, place = _most_regularised(list(search.tried.values()), best)
    if path is not best or place != best.best:
        why.append(
            "Of widths and C within half a standard error of the best, the strongest regularisation was "
            f"taken: C = {path.Cs[place]:g}."
        )
    return Choice(path, place, columns_of(learned.result), learned.result, why)


def _most_regularised(paths: list[KernelPath], best: KernelPath) -> tuple[KernelPath, int]:
    """Path and place of the smallest C·variance whose score is within `CLOSE` standard errors of the best.

    The metric has been fitted to the same labels, so that scores near the best flatter the large C. The error
    is that over the folds. The smallest C of another path does not count: the score of the C below it, which
    may be far lower, is not in its average.
    """
    folds = best.scores[best.best]
    enough = best.best_score - CLOSE * folds.std(ddof=1) / np.sqrt(len(folds))
    close = [
        (path.Cs[place] * path.variance, -path.smoothed[place], k, place)
        for k, path in enumerate(paths)
        for place in np.flatnonzero(path.smoothed >= enough)
        if place > 0 or (path is best and place == best.best)
    ]
    _, _, k, place = min(close)
    return paths[k], int(place)


def search_metric(task: Task, name: str, criteria: Any) -> tuple[ScaleSearch, LearnedMetric, list[str]]:
    """The finished search over widths of the best metric, how the metric was found, and why it is the best.

    Parameters
    ----------
    task : Task
    name : {"diagonal", "gaussian", "low-rank"}
    criteria : sequence of str or Criterion
    """
    searches: list[ScaleSearch] = []
    found: list[LearnedMetric] = []
    for criterion in criteria:
        reason = f"{name} metric by {_name(criterion)}"
        if searches and not task.deadline.allows(reason):
            continue
        learned, kernels = _learn(task, name, criterion)
        variants = _variants(kernels)
        task.ahead([variant for _, variant in variants])
        for what, variant in variants:
            search = ScaleSearch(variant, task)
            search.run([1.0], [f"{reason}{what}"], climb=False)
            searches.append(search)
            found.append(learned)
    best = _simplest([search.tried[1.0] for search in searches], task.n_copies)
    searches[best].run([], [])
    task.findings.extend(found[best].findings)
    why = [
        f"A {name} metric was learned by {' and by '.join(_name(c) for c in criteria)}, from "
        f"{len(found[best].values)} starts; cross-validation, with metrics learned without each fold, "
        f"preferred the {searches[best].tried[1.0].reason} at {len(searches[best].tried)} widths."
    ]
    return searches[best], found[best], why


def _simplest(paths: list[KernelPath], n: float) -> int:
    """Place of the best of the simplest variants that are within one standard error of the best of all."""
    scores = np.array([path.best_score for path in paths])
    simplicity = np.array([_simplicity(path.kernel) for path in paths])
    best = int(np.argmax(scores))
    enough = scores[best] - standard_error(paths[best], n)
    level = simplicity[scores >= enough].min()
    return int(np.argmax(np.where(simplicity == level, scores, -np.inf)))


def _simplicity(kernel: Any) -> int:
    """Number of different weights that count: 1 for equal ones on a few features."""
    if not isinstance(kernel, DiagonalGaussian):
        return kernel.theta.size
    q = np.asarray(kernel.q, dtype=float)
    return len(np.unique(q[q > 100.0 * DROPPED * q.max()]))


def _variants(kernels: FoldKernels) -> list[tuple[str, FoldKernels]]:
    """A diagonal metric without its small weights, with equal ones in their place, and as it is.

    What a search leaves on features without influence is noise, but many small weights add up.
    """
    if not isinstance(kernels.final, DiagonalGaussian):
        return [("", kernels)]
    return [
        (", equal weights on the features it kept", kernels.mapped(lambda kernel: _kept(kernel, equal=True))),
        (", small weights dropped", kernels.mapped(_kept)),
        ("", kernels),
    ]


def _kept(kernel: Any, *, equal: bool = False) -> DiagonalGaussian:
    q = np.asarray(kernel.q, dtype=float)
    is_kept = q >= SMALL * q.max()
    return DiagonalGaussian(np.where(is_kept, q[is_kept].mean() if equal else q, DROPPED * q.max()))


def _learn(task: Task, name: str, criterion: Any) -> tuple[LearnedMetric, FoldKernels]:
    """The metric of all rows, and those of every fold's training part from the start that was best."""
    learner = MetricLearner(name, criterion, random_state=task.random_state)
    final = _learn_on(learner, task, np.arange(len(task.pieces.rows)))
    again = MetricLearner(name, criterion, starts=(final.start,), random_state=task.random_state)
    by_fold = [_learn_on(again, task, train).kernel for train, _ in task.paths.folds]
    return final, FoldKernels(final.kernel, by_fold)


def _learn_on(learner: MetricLearner, task: Task, pieces: np.ndarray) -> LearnedMetric:
    if len(pieces) > MAX_ROWS:
        # Stratified by class; all targets of a regression are one.
        index = task.index[task.rows[task.pieces.rows[pieces]]]
        pieces = pieces[sample(index, MAX_ROWS, task.random_state)]
    pieces = pieces[_is_of_two(task, pieces)]
    weight = task.pieces.weight[pieces]
    is_plain = (weight == 1.0).all()
    # The paths' index is classes, or targets.
    return learner.learn(task.paths.Z[pieces], task.paths.index[pieces], None if is_plain else weight)


def _is_of_two(task: Task, pieces: np.ndarray) -> np.ndarray:
    """Which pieces are of classes with two samples or more, as criteria need them; a fold may have one only.

    All of them, where fewer than two classes are left.
    """
    index = task.index[task.rows[task.pieces.rows[pieces]]]
    is_enough = np.bincount(index, weights=copies_of(task.pieces.weight[pieces])) >= 2
    return is_enough[index] if is_enough.sum() > 1 else np.full(len(pieces), True)


def _name(criterion: Any) -> str:
    return criterion if isinstance(criterion, str) else criterion.name
