"""The form of a kernel: several forms and their sum, scored on the same folds, and which of them wins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from kernelwise.findings import Finding
from kernelwise.kernels import Kernel
from kernelwise.search.climb import Climb
from kernelwise.search.cross_validate import CrossValidator
from kernelwise.search.gradient_metric import outer_products
from kernelwise.search.result import Choice
from kernelwise.search.weighted_forms import summed, weighted
from kernelwise.search.wording import score_text

#: Forms of one width that "auto" tries, and the first of which gives the others weights of features.
AUTO = ("rbf", "laplacian")
SUM = "sum"
WEIGHTED = "weighted {}"
#: Forms are as good as the best within this many standard errors of its score.
CLOSE = 1.0
#: Rows up to which a metric is also learned by alignment, which takes a second: among few rows and many
#: features no machine is good enough for its gradients to tell which features matter.
FEW_ROWS = 300
#: Features from which on some may be noise that hides the others.
MANY_FEATURES = 10


def auto(judge: CrossValidator, one: Callable[[Any], Choice], by_score: bool) -> Choice:
    """Choose among RBF and Laplacian kernels, plain and with weights of features, and the sum of the four.

    ``one`` chooses the parameters of one form; ``by_score`` says that cross-validation does, and no criterion
    of the user's, which weights are left out for.
    """
    Z = judge.samples.Z
    if sparse.issparse(Z):
        choice = one(AUTO[0])
        choice.how.append("Only RBF kernels were tried: city-block distances are for dense features.")
        return choice
    forms = Forms(judge)
    for name in AUTO:
        forms.try_(name, partial(one, name))
    n_features = Z.shape[1]
    if by_score and n_features > 1:
        forms.try_weighted()
    forms.try_sum()
    is_hard = len(judge.held_out) <= FEW_ROWS and n_features >= MANY_FEATURES
    if by_score and is_hard and judge.family.learns_by_any_criterion:
        forms.try_("diagonal", partial(one, "diagonal"))
    return forms.best()


def among(judge: CrossValidator, kernels: Sequence[Any], one: Callable[[Any], Choice]) -> Choice:
    """Choose among the user's own kernels, names or objects, and their sum."""
    forms = Forms(judge)
    for number, kernel in enumerate(kernels):
        name = kernel if isinstance(kernel, str) else f"{type(kernel).__name__} ({number})"
        forms.try_(name, partial(one, kernel))
    forms.try_sum()
    return forms.best()


class Forms:
    """Forms that were tried, each with its own choice of parameters, and what was found about each."""

    def __init__(self, judge: CrossValidator) -> None:
        self.judge = judge
        self.choices: dict[str, Choice] = {}
        self.findings: dict[str, list[Finding]] = {}

    def try_(self, name: str, choose: Callable[[], Choice]) -> None:
        """Try a form, if it is the first or if there is time."""
        context = self.judge.context
        cost = max((choice.scored.seconds for choice in self.choices.values()), default=0.0)
        if self.choices and not context.deadline.allows(f"the form {name!r}", cost):
            return
        context.on_phase(f"trying the form {name!r}")
        before = len(context.findings)
        self.choices[name] = choose()
        self.findings[name] = context.findings[before:]
        del context.findings[before:]

    def try_weighted(self) -> None:
        """Try every form with the weights of features that the machine of the first one gives them."""
        if not self.judge.context.deadline.allows("weights of the features"):
            return
        plain = dict(self.choices)
        first = plain[AUTO[0]].scored
        products = outer_products(self.judge, first, first.kernel, full=False)
        for name, choice in plain.items():
            kernels = weighted(choice.scored.kernel, products)
            self.try_(WEIGHTED.format(name), partial(self._climb, kernels, "gradients"))

    def try_sum(self) -> None:
        """Try the sum of all forms so far."""
        if len(self.choices) < 2:
            return
        kernels = [
            choice.scored.kernel if choice.climb is None else choice.climb.best_kernel
            for choice in self.choices.values()
        ]
        if all(isinstance(kernel, Kernel) or hasattr(kernel, "by_fold") for kernel in kernels):
            together = summed(kernels, len(self.judge.folds))
            self.try_(SUM, partial(self._climb, together, "sum of the forms", climb=False))

    def _climb(self, kernels: Any, reason: str, *, climb: bool = True) -> Choice:
        found = Climb(kernels, self.judge)
        return Choice(found.run([1.0], [reason], climb=climb), climb=found)

    def best(self) -> Choice:
        """The form that the family prefers of those within one standard error of the best."""
        scores = np.array([choice.scored.best_score for choice in self.choices.values()])
        top = int(np.argmax(scores))
        names, choices = list(self.choices), list(self.choices.values())
        error = float(np.nan_to_num(self.judge.standard_error(choices[top].scored)))
        close = np.flatnonzero(scores >= scores[top] - CLOSE * error)
        chosen = top if len(close) == 1 else self._preferred(names, choices, close)
        choice = choices[chosen]
        if (
            not choice.criterion_path
        ):  # the criteria over the widths of the first form, which led to the others
            choice.criterion_path = choices[0].criterion_path
        self.judge.context.findings += self.findings[names[chosen]]
        choice.why.append(self._why(names[chosen], len(close), chosen == top))
        return choice

    def _preferred(self, names: list[str], choices: list[Choice], close: np.ndarray) -> int:
        """Of classes, the form of lowest held-out log-loss; of numbers, the sum, or the best score."""
        costs = [self.judge.family.finer_cost(self.judge.held_out, choices[k].decision) for k in close]
        if None not in costs:
            return int(close[int(np.argmin(np.asarray(costs, dtype=float)))])
        if SUM in names and names.index(SUM) in close:
            return names.index(SUM)
        return int(max(close, key=lambda k: choices[k].scored.best_score))

    def _why(self, name: str, n_close: int, is_top: bool) -> str:
        """Which form won, by what, with the scores of all."""
        share = self.judge.scorer.is_share
        scores = ", ".join(
            f"{form} {score_text(choice.scored.best_score, share)}" for form, choice in self.choices.items()
        )
        if len(self.choices) == 1:
            return f"Only one form of kernel was tried: {name}."
        if n_close == 1:
            reason = "has the best score, and no other is within its error"
        elif is_top:
            reason = f"has the best score, and {self.judge.family.finer_reason}"
        else:
            reason = f"is within the error of the best, and {self.judge.family.finer_reason}"
        return (
            f"Of {len(self.choices)} forms of kernel, {name} was taken: it {reason}. Their scores, averaged "
            f"over neighbouring values of C: {scores}."
        )
