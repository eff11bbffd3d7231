"""A metric for a kernel: from the gradients of the plain machine, by a criterion, or the plain one itself.

All are scored at the width of the plain kernel with metrics learned without each fold, and the one that is
taken climbs over widths.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from kernelwise._core.text import count
from kernelwise.kernels import DiagonalLaplacian, Gaussian, Kernel
from kernelwise.search.data.canonical import sample
from kernelwise.search.engine.rules import most_regularised_within, simplest_within
from kernelwise.search.engine.scored_kernel import FoldKernels, ScoredKernel, without_rounding
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.propose.by_criterion import in_order_for
from kernelwise.search.propose.climb import Climb
from kernelwise.search.propose.forms import Forms
from kernelwise.search.propose.gradient_metric import (
    ALIGNMENT,
    GRADIENTS,
    columns_that_vary,
    outer_products,
    screened_products,
    tied,
    weighted,
)
from kernelwise.search.propose.metric_learner import LearnedMetric, MetricLearner
from kernelwise.search.result import Choice, columns_of

#: The form of one width from which each form with a metric starts.
PLAIN = {"diagonal": "rbf", "gaussian": "rbf", "diagonal-laplacian": "laplacian"}
PLAIN_METRIC = "plain"
#: How far metrics go from the plain one towards that of the gradients, in words.
STEPS = {0.5: "half-way to the gradients", 1.0: "gradients"}
#: What a round starts from: the plain machine, then the one with the metric of the round before.
ROUNDS = ("", " (second round)")
#: Rows up to which weights are also learned by alignment, which takes longer than all else: a plain machine
#: of more rows is good enough for its gradients to tell which features matter.
FEW_ROWS = 500
#: Standard errors of the best score within which the plain metric stays; a full one has more to be wrong in.
STAYS, STAYS_FULL = 0.5, 1.0
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


def by_gradients(validator: CrossValidator, name: str, plain: Choice) -> Choice:
    """Choose a metric for a kernel of one width whose parameters have been chosen.

    Parameters
    ----------
    validator : CrossValidator
    name : str
        A key of `PLAIN`.
    plain : Choice
        Of the form that it names.
    """
    metrics = MetricForms(validator, name, plain)
    samples = validator.samples
    varies = columns_that_vary(samples)
    metrics.try_(PLAIN_METRIC, weighted(plain.scored.kernel, [varies], 0.0, samples.columns).final)
    screened = screened_products(validator)
    if screened is not None:
        metrics.try_(ALIGNMENT, weighted(plain.scored.kernel, screened, columns=samples.columns))
    if samples.n_columns > 1:
        metrics.try_gradients(full=False)
        if name == "gaussian":
            metrics.try_gradients(full=True)
        if len(validator.in_folds) <= FEW_ROWS:
            for criterion in validator.family.metric_criteria.get("diagonal", ()):
                metrics.try_learned(criterion)
    return metrics.best()


def metric_of_gradients(validator: CrossValidator, plain: Choice, *, full: bool, rounds: int) -> Choice:
    """The kernel of a plain one with the metric of its gradients after so many rounds.

    Cross-validation says how far it goes from the plain metric, and its width.
    """
    scored = plain.scored
    start = kernels = scored.kernel
    for number in range(rounds):
        products = outer_products(validator, scored, kernels, full=full)
        climbs = []
        for t in STEPS if number == rounds - 1 else (1.0,):
            climbs.append(Climb(weighted(start, products, t, validator.samples.columns), validator))
            climbs[-1].score_all([1.0], [f"metric: {STEPS[t]}"])
        best = max(climbs, key=lambda climb: climb.tried[1.0].best_score)
        scored, kernels = best.tried[1.0], best.base
    return Choice(best.run([], []), climb=best)


class MetricForms:
    """Metrics that were tried for a kernel of one width, each at the width of the plain one."""

    def __init__(self, validator: CrossValidator, name: str, plain: Choice) -> None:
        self.validator = validator
        self.plain = plain
        self.forms = Forms(validator, "metrics", stays=STAYS_FULL if name == "gaussian" else STAYS)
        self._in_form = FORMS.get(name, _as_it_is)

    def try_(self, name: str, kernels: Kernel | FoldKernels) -> None:
        """Score kernels with a metric under a name."""
        self.forms.try_(name, lambda: _at_its_width(self.validator, self._formed(kernels), name))

    def _formed(self, kernels: Kernel | FoldKernels) -> Kernel | FoldKernels:
        return kernels.mapped(self._in_form) if isinstance(kernels, FoldKernels) else self._in_form(kernels)

    def try_gradients(self, *, full: bool) -> None:
        """Try the metrics of two rounds of gradients, each also half-way from the plain one.

        The first round is of the plain machine, or of that with screened columns if it is clearly better.
        """
        scored = self.plain.scored
        start, kernels = scored.kernel, scored.kernel
        found = self.forms.choices.get(ALIGNMENT)
        if found is not None and self.validator.is_clearly_better(found.scored, scored):
            assert found.climb is not None
            scored, kernels = found.scored, found.climb.base
        for which in ROUNDS:
            if not self.validator.context.deadline.allows(f"gradients{which}", GRADIENTS * scored.seconds):
                return
            products = outer_products(self.validator, scored, kernels, full=full)
            for t, words in STEPS.items():
                kernels_at_t = weighted(start, products, t, self.validator.samples.columns)
                self.try_(f"{'full ' if full else ''}{words}{which}", kernels_at_t)
            last = self.forms.choices.get(f"{'full ' if full else ''}{STEPS[1.0]}{which}")
            if last is None or last.climb is None:  # there was no time
                return
            scored, kernels = last.scored, last.climb.base

    def try_learned(self, criterion: str) -> None:
        """Try weights of features that a criterion learns: among much noise no plain machine is any good."""
        self.forms.try_(criterion, partial(self._learned, criterion))

    def _learned(self, criterion: str) -> Choice:
        climb, learned, _ = search_metric(self.validator, "diagonal", (criterion,))
        if self._in_form is not _as_it_is:
            climb = Climb(self._formed(climb.best_kernel), self.validator)
            climb.score_all([1.0], [f"metric: {criterion}"])
        scored, index, why = most_regularised(self.validator, climb)
        return Choice(scored, index, climb, columns_of(learned.result), learned.result, why)

    def best(self) -> Choice:
        """The metric that is taken; one of gradients at the best of its widths."""
        choice = self.forms.best()
        # The width of the plain metric was searched before, and that of a learned one with it.
        is_searched = choice is self.forms.choices[PLAIN_METRIC] or choice.search is not None
        if not is_searched and choice.climb is not None:
            choice.scored = choice.climb.run([], [])
            choice.index = choice.scored.best
        choice.criterion_path = choice.criterion_path or self.plain.criterion_path
        choice.how = [
            *self.plain.how,
            f"From there, the search compared {count(len(self.forms.choices), 'metric')}. It learned each "
            "metric without the rows that it was scored on.",
        ]
        return choice


def _at_its_width(validator: CrossValidator, kernels: Kernel | FoldKernels, name: str) -> Choice:
    climb = Climb(kernels, validator)
    return Choice(climb.score_all([1.0], [f"metric: {name}"]), climb=climb)


def _as_it_is(kernel: Any) -> Any:
    return kernel


def _full(kernel: Any) -> Kernel:
    """A Gaussian kernel whose metric is a full matrix, whatever it has been found as."""
    return kernel if kernel.feature_weights is None else Gaussian(np.diag(kernel.feature_weights))


def _of_differences(kernel: Any) -> Kernel:
    """A Laplacian kernel: weights of squared differences become their roots."""
    if kernel.distance == "cityblock":
        return kernel
    return without_rounding(DiagonalLaplacian(np.sqrt(kernel.feature_weights)))


#: What brings kernels with a metric into a form, where they are not in it as they come.
FORMS: dict[str, Callable[[Any], Kernel]] = {"gaussian": _full, "diagonal-laplacian": _of_differences}
