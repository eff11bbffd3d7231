"""The form of a kernel: several forms and their sum, scored on the same folds, and which of them wins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from kernelwise._core.text import in_words
from kernelwise._core.threads import cached_property
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import Kernel
from kernelwise.search.engine.kernel_journal import name_of
from kernelwise.search.engine.scored_kernel import FoldKernels, ScoredKernel
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.propose.climb import STEP, Climb
from kernelwise.search.propose.gradient_metric import (
    ALIGNMENT,
    GRADIENTS,
    at_widths,
    outer_products,
    screened_products,
    summed,
    weighted,
)
from kernelwise.search.result import Choice, TriedForm
from kernelwise.search.wording import score_text

#: Forms of one width that "auto" tries, and the first of which gives the others weights of features.
AUTO = ("rbf", "laplacian")
SUM = "sum"
WEIGHTED = "weighted {}"
#: RBF with weights of columns by their alignment with the target.
SCREENED = "screened rbf"
SUMS = (SUM, WEIGHTED.format(SUM))
#: Forms are as good as the best within this many standard errors of its score.
CLOSE = 1.0
#: Rows on which all forms compete first, if there are at least twice as many, and how many standard errors
#: of the best score there a form may be behind and stay.
FIRST_ROWS, FAR = 1000, 3.0
#: Widths of a kernel with weights, as factors of that of the plain one. A climb from there took as long as
#: the whole search of the RBF kernel, and gained nothing on 38 sets.
WIDTHS = (1.0, STEP, 1.0 / STEP)
#: Rows that the smallest class must have among them.
LEAST = 20


def auto(validator: CrossValidator, one: Callable[..., Choice], by_score: bool) -> Choice:
    """Choose among RBF and Laplacian kernels, plain and with weights of features, and sums of them.

    ``one(validator, name)`` chooses the parameters of one form; ``by_score`` says that it does so by
    cross-validation. If the user named a criterion, kernels with feature weights are not tried. Where there
    are many rows, all forms compete on some of them first.
    """
    Z = validator.samples.Z
    if sparse.issparse(Z):
        choice = one(validator, AUTO[0])
        choice.how.append("The search tried only RBF kernels, because the features are sparse.")
        return choice
    n_rows = len(validator.in_folds)
    smallest = np.unique(validator.in_folds.strata, return_counts=True)[1].min()
    if (
        validator.effort.races
        and by_score
        and n_rows >= 2 * FIRST_ROWS
        and smallest * FIRST_ROWS >= LEAST * n_rows
    ):
        return _race(validator, one)
    return _all_forms(validator, one, by_score).best()


def _race(validator: CrossValidator, one: Callable[..., Choice]) -> Choice:
    """The best form where there are many rows: all compete on some of them first, at many widths.

    A form that is far behind there leaves; each of the others is scored on all rows at the width that did
    best on the few, and plain ones and the best of all at neighbouring widths, too. Weights of features are
    learned again.
    """
    few = validator.on_fewer(FIRST_ROWS)
    first = _all_forms(few, one, by_score=True)
    few.release()
    validator.n_earlier, validator.n_stopped = few.n_machines, few.n_stopped
    forms = Forms(validator, first=first)
    for name in AUTO:
        if name in first.choices:  # else there was no time for it
            forms.try_again(name, first.choices[name].scored.kernel)
            forms.refine(name)
    _try_others(forms, validator, by_score=True)
    forms.refine(max(forms.choices, key=lambda name: forms.choices[name].scored.best_score))
    return forms.best()


def _all_forms(validator: CrossValidator, one: Callable[..., Choice], by_score: bool) -> Forms:
    """All forms that the rows ask for, tried."""
    one = partial(one, validator)
    forms = Forms(validator)
    for name in AUTO:
        forms.try_(name, partial(one, name))
    _try_others(forms, validator, by_score)
    return forms


def _try_others(forms: Forms, validator: CrossValidator, by_score: bool) -> None:
    """Try what is made of plain forms: those with weights of features, and sums."""
    widths = validator.family.sum_widths
    if validator.effort.weighs and by_score and validator.samples.n_columns > 1:
        forms.try_weighted()
    if by_score and widths:
        forms.try_sums_of_widths(widths)
    else:
        forms.try_sum()


def among(validator: CrossValidator, kernels: Sequence[Any], one: Callable[[Any], Choice]) -> Choice:
    """Choose among the user's own kernels, names or objects, and their sum."""
    forms = Forms(validator)
    for name, kernel in named(kernels).items():
        forms.try_(name, partial(one, kernel))
    forms.try_sum()
    return forms.best()


def named(kernels: Sequence[Any]) -> dict[str, Any]:
    """Kernels by what to call them, each once: a name, or a class, with a number if it is there twice.

    Examples
    --------
    >>> from kernelwise.kernels import RBF
    >>> list(named(["rbf", RBF(0.1), RBF(0.2), "rbf", RBF(0.1)]))
    ['rbf', 'RBF', 'RBF 2']
    """
    found: dict[str, Any] = {}
    for kernel in kernels:
        if any(type(kernel) is type(other) and kernel == other for other in found.values()):
            continue
        name = kernel if isinstance(kernel, str) else type(kernel).__name__
        n_same = sum(type(kernel) is type(other) for other in found.values())
        found[name if name not in found else f"{name} {n_same + 1}"] = kernel
    return found


@dataclass(eq=False)
class Forms:
    """Forms that were tried, each with its own choice of parameters, and what was found about each.

    ``what`` they are is for sentences. The first one stays if its score is within ``stays`` standard errors
    of the best.
    """

    validator: CrossValidator
    what: str = "forms of kernel"
    stays: float = 0.0
    first: Forms | None = None
    choices: dict[str, Choice] = field(default_factory=dict)
    findings: dict[str, list[Finding]] = field(default_factory=dict)
    scored: dict[str, tuple[ScoredKernel, ...]] = field(default_factory=dict)
    adds_widths: bool = False
    screened: np.ndarray | None = None

    def try_(self, name: str, choose: Callable[[], Choice]) -> None:
        """Try a form, if it is the first or if there is time."""
        context = self.validator.context
        cost = max((choice.scored.seconds for choice in self.choices.values()), default=0.0)
        if self.choices and not context.deadline.allows(f"the form {name!r}", cost):
            return
        context.on_phase(f"trying kernels of the form {name}")
        before, n_scored = len(context.findings), len(self.validator.scored)
        self.choices[name] = choose()
        self.scored[name] = tuple(self.validator.scored[n_scored:])
        self.findings[name] = context.findings[before:]
        del context.findings[before:]

    def try_weighted(self) -> None:
        """Try every form with the weights of features that the machine of the first one gives them.

        Where many columns may be noise, it has weights of columns by their alignment, if that is
        clearly better.
        """
        plain = dict(self.choices)
        first = plain[AUTO[0]].scored
        if not self.validator.context.deadline.allows("weights of the features", GRADIENTS * first.seconds):
            return
        columns = self.validator.samples.columns
        source: tuple[ScoredKernel, Any] = (first, first.kernel)
        # As many rows are asked in both stages, so the second has nothing new to say.
        is_settled = self.first is not None and self.first.screened is None
        screened = None if is_settled else screened_products(self.validator)
        if screened is not None:
            self._try_weights(SCREENED, weighted(first.kernel, screened, columns=columns), first, ALIGNMENT)
            choice = self.choices.get(SCREENED)
            if choice is not None and self.validator.is_clearly_better(choice.scored, first):
                source, self.screened = (choice.scored, _best_kernel(choice)), screened[-1]
        products = outer_products(self.validator, *source, full=False)
        for name, choice in plain.items():
            kernels = weighted(choice.scored.kernel, products, columns=columns)
            self._try_weights(WEIGHTED.format(name), kernels, choice.scored, "gradients")

    def _try_weights(self, form: str, kernels: FoldKernels, plain: ScoredKernel, reason: str) -> None:
        """Try a form with weights of features that the folds have learned, beside the plain one."""
        if self.first is None:
            # Among much noise the width of the plain kernel says little.
            climbs = form == SCREENED or self.screened is not None
            self.try_(form, partial(self._score, kernels, reason, *WIDTHS, climbs=climbs))
        elif form in self.first.choices:  # else there was no time for it
            climb = self.first.choices[form].climb
            self.try_again(form, kernels, 1.0 if climb is None else climb.best)
            if form in self.choices and self.choices[form].scored.best_score < plain.best_score:
                self.refine(form)  # weights of all rows ask for another width

    def try_sum(self) -> None:
        """Try the sum of all forms so far."""
        if len(self.choices) < 2:
            return
        kernels = [_best_kernel(choice) for choice in self.choices.values()]
        if all(isinstance(kernel, Kernel) or hasattr(kernel, "by_fold") for kernel in kernels):
            together = summed(kernels, len(self.validator.folds))
            self.try_(SUM, partial(self._score, together, "sum of the forms", 1.0))

    def try_sums_of_widths(self, widths: Sequence[float]) -> None:
        """Try the sum of the plain forms at several widths, which need no search, and that of weighted ones.

        A target that is smooth in some columns and has steps in others asks for several widths at once.
        """
        Z = self.validator.criterion_samples().Z
        self.adds_widths = True
        for name, forms in zip(SUMS, (AUTO, tuple(WEIGHTED.format(form) for form in AUTO)), strict=True):
            if not all(form in self.choices for form in forms):  # one feature has no weights, or no time left
                continue
            found = [_best_kernel(self.choices[form]) for form in forms]
            several = [one for kernel in found for one in at_widths(kernel, Z, widths)]
            together = summed(several, len(self.validator.folds))
            self.try_(name, partial(self._score, together, "sum of several widths", 1.0))

    def _score(self, kernels: Any, reason: str, *factors: float, climbs: bool = False) -> Choice:
        climb = Climb(kernels, self.validator)
        how = climb.run if climbs else climb.score_all
        return Choice(how(factors, [reason] * len(factors)), climb=climb)

    def try_again(self, name: str, kernels: Any, factor: float = 1.0) -> None:
        """Try a form at the width that did best in the first stage, if it was not far behind there."""
        assert self.first is not None
        if name == AUTO[0] or name not in self.first.left:  # which gives the others their weights
            self.try_(name, partial(self._score, kernels, "first stage", factor))

    @cached_property
    def left(self) -> dict[str, float]:
        """Forms that are far behind the best one, and their scores; none where a sum needs all of them."""
        if self.validator.family.sum_widths:
            return {}
        scores = {name: float(choice.scored.best_score) for name, choice in self.choices.items()}
        top = max(scores, key=lambda name: scores[name])
        error = float(np.nan_to_num(self.validator.standard_error(self.choices[top].scored)))
        return {name: score for name, score in scores.items() if score < scores[top] - FAR * error}

    def refine(self, name: str) -> None:
        """Try neighbouring widths of a form that was tried at one, unless it is a sum or there is none."""
        choice = self.choices.get(name)
        if choice is None or choice.climb is None or name in SUMS or len(choice.climb.tried) > 1:
            return
        n_scored = len(self.validator.scored)
        choice.scored = choice.climb.go_on()
        choice.index = choice.scored.best
        self.scored[name] += tuple(self.validator.scored[n_scored:])

    def best(self) -> Choice:
        """The form that is taken: see `_chosen`."""
        names, choices = list(self.choices), list(self.choices.values())
        chosen, reason = self._chosen(names, choices)
        choice = choices[chosen]
        if not choice.criterion_path:  # that of the first form, which led to the others
            choice.criterion_path = self._beginning.criterion_path
        if self.screened is not None:
            n_found, n_columns = int((self.screened > 0.0).sum()), len(self.screened)
            for name in filter(self._has_weights, names):
                found = catalogue.SCREENED_COLUMNS(n_found=n_found, n_columns=n_columns)
                self.findings[name].append(found)
        choice.tried_forms = {
            name: TriedForm(self.scored[name], one.climb, self._how(name, one), self.findings[name])
            for name, one in self.choices.items()
        }
        choice.how = choice.tried_forms[names[chosen]].how
        self.validator.context.findings += self.findings[names[chosen]]
        choice.forms = {name: float(one.scored.best_score) for name, one in self.choices.items()}
        choice.why.append(self._why(names[chosen], reason))
        return choice

    @property
    def _beginning(self) -> Choice:
        """The first form of all, on the rows of the first stage if there was one."""
        return next(iter((self if self.first is None else self.first).choices.values()))

    def _how(self, name: str, choice: Choice) -> list[str]:
        """How the search of a form went, which for some began with that of the first."""
        how = list(choice.how or self._beginning.how)
        if self.first is not None:
            how[:0] = [self._first_stage(self.first)]
        if self._has_weights(name):
            if self.screened is not None:
                how.append(
                    "The search first weighted each column by the centred alignment of its own kernel with "
                    "the target, less what that is by chance."
                )
            if name != SCREENED:
                how.append(
                    "The search weighted the columns by how steeply the RBF model's decision values "
                    "change with them."
                )
        if name in SUMS and self.adds_widths:
            how.append("The sum adds RBF and Laplacian kernels of several widths, which are fixed.")
        elif name == SUM:
            how.append("The sum adds the best kernel of each of the other forms.")
        if len(self.choices) > 1:
            share = self.validator.scorer.is_share
            scores = (
                f"{form} {score_text(one.scored.best_score, share)}" for form, one in self.choices.items()
            )
            how.append(
                "The scores that the search compared, averaged over neighbouring values of C: "
                f"{', '.join(scores)}."
            )
        return how

    def _has_weights(self, name: str) -> bool:
        """Whether the columns of a form have weights."""
        tried = [form for form in (SCREENED, *map(WEIGHTED.format, AUTO)) if form in self.choices]
        return name in (*tried, WEIGHTED.format(SUM)) or (
            name == SUM and bool(tried) and not self.adds_widths
        )

    def _first_stage(self, first: Forms) -> str:
        """Who competed on some of the rows, and who went on."""
        share = self.validator.scorer.is_share
        n_few, n_all = len(first.validator.in_folds), len(self.validator.in_folds)
        gone = [
            f"{name} ({score_text(score, share)})" for name, score in first.left.items() if name != AUTO[0]
        ]
        left = (
            f" There {in_words(gone)} fell behind by more than {FAR:g} standard errors and left."
            if gone
            else ""
        )
        return (
            f"All forms competed on {n_few} rows first.{left} The others were scored on {n_all} rows, at the "
            "width that had done best."
        )

    def _chosen(self, names: list[str], choices: list[Choice]) -> tuple[int, str]:
        """Which form is taken, and why.

        Of classes, the form of lowest held-out log-loss among those within `CLOSE` standard errors of the
        best score, unless the first form is so close that it stays; of numbers, a sum, or the best score.
        """
        scores = np.array([choice.scored.best_score for choice in choices])
        top = int(np.argmax(scores))
        error = float(np.nan_to_num(self.validator.standard_error(choices[top].scored)))
        close = np.flatnonzero(scores >= scores[top] - CLOSE * error)
        if len(close) == 1:
            return top, "its score is the best by more than one standard error"
        n_equal = "all" if len(close) == len(scores) else str(len(close))
        equal = f"{n_equal} of them score the same within one standard error, and"
        family = self.validator.family
        if self.stays and scores[0] >= scores[top] - self.stays * error:
            return 0, f"{equal} it is the simplest"
        costs = self._finer_costs([choices[k] for k in close])
        if None not in costs:
            chosen = int(close[int(np.argmin(np.asarray(costs, dtype=float)))])
            return chosen, f"{equal} {family.finer_reason}"
        sums = [int(k) for k in close if names[k] in SUMS]
        if family.prefers_sum and sums:
            return max(sums, key=lambda k: scores[k]), f"{equal} {family.finer_reason}"
        return top, f"{equal} its score is the best"

    def _finer_costs(self, choices: list[Choice]) -> list[float | None]:
        """The family's finer costs of some forms; None if it has none, or no time for them."""
        seconds = self.validator.family.finer_seconds
        if not seconds:
            return [None]
        n_machines = sum(choice.scored.n_machines / choice.scored.scores.size for choice in choices)
        if not self.validator.context.deadline.allows("comparing probabilities", seconds * n_machines):
            return [None]
        return [self._finer_cost(choice) for choice in choices]

    def _finer_cost(self, choice: Choice) -> float | None:
        """The family's finer cost of a form, from the journal or into it."""
        validator, scored, journal = self.validator, choice.scored, self.validator.context.journal
        if journal is None:
            return validator.family.finer_cost(validator.held_out, choice.decision)
        kernel = _best_kernel(choice)
        of_kernel, n_rows = name_of(kernel, scored.Cs, scored.epsilon), len(validator.held_out)
        name = f"finer cost {of_kernel} {choice.index} {n_rows}"
        if name not in journal:
            journal[name] = validator.family.finer_cost(validator.held_out, choice.decision)
        return journal[name]

    def _why(self, name: str, reason: str) -> str:
        """Which form won, and by what."""
        if len(self.choices) == 1:
            return f"The search tried only one of the {self.what}: {name}."
        return f"The search compared {len(self.choices)} {self.what} and chose {name}: {reason}."


def _best_kernel(choice: Choice) -> Any:
    """The kernel of a choice, one for each fold where it has been learned."""
    return choice.scored.kernel if choice.climb is None else choice.climb.best_kernel
