"""Kernels with a learned metric, scored by machines whose metric has not seen the held-out rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise.search.data.canonical import sample
from kernelwise.search.engine.rules import most_regularised_within, simplest_within
from kernelwise.search.engine.scored_kernel import FoldKernels, ScoredKernel, without_rounding
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.propose.by_criterion import in_order_for
from kernelwise.search.propose.climb import Climb
from kernelwise.search.propose.column_weights import tied
from kernelwise.search.propose.metric_learner import LearnedMetric, MetricLearner

#: A weight below this share of the largest is small.
SMALL = 0.05
#: What takes the place of a small weight, as a share of the largest: a weight must be positive.
DROPPED = 1e-9
#: Rows on which a metric is learned, at most: its cost grows like their square.
MAX_ROWS = 300
#: Standard errors within which a stronger regularisation is preferred with a learned metric.
CLOSE = 0.5


def search_metric(
    validator: CrossValidator, name: str, criteria: Any
) -> tuple[Climb, LearnedMetric, list[str]]:
    """Learn a metric by each criterion, anew without every fold; then climb over the widths of the best.

    Returns the finished climb, how that metric was found, and the course of it in words.
    """
    climbs: list[Climb] = []
    found: list[LearnedMetric] = []
    for criterion in criteria:
        reason = f"{name} metric by {_name(criterion)}"
        if climbs and not validator.context.deadline.allows(reason):
            continue
        validator.context.on_phase(f"learning a {name} metric by {_name(criterion)}")
        learned, kernels = _learn(validator, name, criterion)
        variants = _variants(kernels)
        validator.prefetch([variant for _, variant in variants])
        for what, variant in variants:
            climb = Climb(variant, validator)
            climb.score_all([1.0], [f"{reason}{what}"])
            climbs.append(climb)
            found.append(learned)
    tried = [climb.tried[1.0] for climb in climbs]
    best = simplest_within(
        np.array([scored.best_score for scored in tried]),
        np.array([_complexity(scored.kernel) for scored in tried]),
        np.array([validator.standard_error(scored) for scored in tried]),
    )
    climbs[best].run([], [])
    validator.context.findings.extend(found[best].findings)
    how = [
        f"The search learned a {name} metric by {' and by '.join(_name(c) for c in criteria)}, from "
        f"{count(len(found[best].values), 'start')}, and scored each metric on rows that it was not learned "
        f"from. It preferred the {tried[best].reason}, and tried "
        f"{count(len(climbs[best].tried), 'width')} of it."
    ]
    return climbs[best], found[best], how


def most_regularised(validator: CrossValidator, climb: Climb) -> tuple[ScoredKernel, int, list[str]]:
    """The smallest C·variance whose score is within `CLOSE` standard errors of the best of a climb.

    The metric has been fitted to the same labels, so that scores near the best flatter the large C. The
    smallest C of another kernel does not count: the score of the C below it, which may be far lower, is not
    in its average.
    """
    tried, best = list(climb.tried.values()), climb.tried[climb.best]
    candidates = [(scored, index) for scored in tried for index in range(len(scored.Cs))]
    first = {id(scored): sum(len(other.Cs) for other in tried[:k]) for k, scored in enumerate(tried)}
    chosen = most_regularised_within(
        np.array([scored.Cs[index] * scored.variance for scored, index in candidates]),
        np.concatenate([scored.smoothed for scored in tried]),
        first[id(best)] + best.best,
        CLOSE * validator.standard_error(best),
        may_be=np.array([index > 0 for _, index in candidates]),
    )
    scored, index = candidates[chosen]
    if scored is best and index == best.best:
        return scored, index, []
    what = "Several widths and values of C score within half a standard error of the best"
    sentence = f"{what}. The search chose the strongest regularisation of them: C = {scored.Cs[index]:g}."
    return scored, index, [sentence]


def _complexity(kernel: Any) -> int:
    """Number of different weights that count: 1 for equal ones on a few features."""
    q = kernel.feature_weights
    if q is None:
        return kernel.theta.size
    return len(np.unique(q[q > 100.0 * DROPPED * q.max()]))


def _variants(kernels: FoldKernels) -> list[tuple[str, FoldKernels]]:
    """A diagonal metric without its small weights, with equal ones instead, and as it is.

    What a search leaves on features without influence is noise, but many small weights add up.
    """
    if kernels.final.feature_weights is None:
        return [("", kernels)]
    return [
        (", equal weights on the features it kept", kernels.mapped(lambda kernel: _kept(kernel, equal=True))),
        (", small weights dropped", kernels.mapped(_kept)),
        ("", kernels),
    ]


def _kept(kernel: Any, *, equal: bool = False) -> Any:
    q = kernel.feature_weights
    is_kept = q >= SMALL * q.max()
    return kernel.with_feature_weights(
        np.where(is_kept, q[is_kept].mean() if equal else q, DROPPED * q.max())
    )


def _learn(validator: CrossValidator, name: str, criterion: Any) -> tuple[LearnedMetric, FoldKernels]:
    """Learn the metric on all rows, then again without each fold, from the start that was best."""
    learner = MetricLearner(name, criterion, random_state=validator.random_state)
    final = _learn_on(learner, validator, np.arange(len(validator.in_folds)))
    from_best = MetricLearner(name, criterion, starts=(final.start,), random_state=validator.random_state)
    by_fold = [_learn_on(from_best, validator, train).kernel for train, _ in validator.folds]
    kernels = FoldKernels(final.kernel, by_fold).mapped(lambda kernel: tied(kernel, validator.held_out))
    return final, kernels.mapped(without_rounding)


def _learn_on(learner: MetricLearner, validator: CrossValidator, rows: np.ndarray) -> LearnedMetric:
    strata = validator.in_folds.strata
    if len(rows) > MAX_ROWS:
        rows = rows[sample(strata[rows], MAX_ROWS, validator.random_state)]
    part = in_order_for(learner.criterion, validator.in_folds[rows].for_criteria(), validator.random_state)
    return learner.learn(part.Z, validator.family.nameless(part.y), part.weight_or_none)


def _name(criterion: Any) -> str:
    return criterion if isinstance(criterion, str) else criterion.name
