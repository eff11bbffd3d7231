"""A metric for a kernel: from the gradients of the plain machine, by alignment, or the plain one itself.

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
from kernelwise.search.engine.scored_kernel import FoldKernels, without_rounding
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.propose.climb import Climb
from kernelwise.search.propose.column_weights import columns_that_vary
from kernelwise.search.propose.forms import Forms
from kernelwise.search.propose.gradient_metric import outer_products, weighted
from kernelwise.search.propose.learned_metrics import most_regularised, search_metric
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
        """Try the metrics of two rounds of gradients, each also half-way from the plain one."""
        scored = self.plain.scored
        start, kernels = scored.kernel, scored.kernel
        for which in ROUNDS:
            if not self.validator.context.deadline.allows(f"gradients{which}"):
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
