"""The steps of a search put together: from the names of a kernel and a criterion to one kernel and one C."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from kernelwise._core.rounding import significant
from kernelwise._core.text import count, in_words
from kernelwise.criteria import Criterion
from kernelwise.findings import catalogue
from kernelwise.kernels import Kernel, PrecomputedDistance, as_kernel
from kernelwise.kernels.precomputed import PRECOMPUTED_DISTANCE
from kernelwise.optimizers import Optimizer, QuasiNewton, as_optimizer
from kernelwise.result import TuningResult
from kernelwise.search.engine.rules import is_better
from kernelwise.search.engine.scored_kernel import ScoredKernel, final_kernel, without_rounding
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.one_class import MEDIAN, SCORINGS
from kernelwise.search.propose.by_criterion import by_criterion, optimise
from kernelwise.search.propose.candidates import USUAL, Widths, median_distance, named_widths
from kernelwise.search.propose.climb import Climb
from kernelwise.search.propose.forms import among, auto
from kernelwise.search.propose.metric_forms import PLAIN, by_gradients, most_regularised, search_metric
from kernelwise.search.propose.one_class import candidates
from kernelwise.search.result import Choice, columns_of
from kernelwise.search.verdict.one_class import MARGIN, how_compared, why_kernel
from kernelwise.search.verdict.reasons import spoken
from kernelwise.search.wording import gap_text, model_text, number

#: The climb stays between these values of γ·(median squared distance): wider kernels are linear ones, and
#: under narrower ones every sample is alone.
WIDEST, NARROWEST = 2.0**-7, 2.0**8
LEARNED = ("diagonal", "gaussian", "low-rank")
START = "start from the data"
#: ε worth trying, as shares of the held-out error. For Gaussian noise the best is about 0.6 of its deviation
#: (Smola, Murata, Schölkopf and Müller 1998); less where the error is that of too few rows more than noise.
SHARES = (0.6, 0.3, 0.1, 0.03)
#: One within this factor of another is not tried.
NEAR = 1.4
MAX_ROUNDS = 3
#: Where ε has fallen by more than this, the widths are looked at again: the large ε hid what they can do.
FELL = 3.0


def choose(
    validator: CrossValidator, kernel: Any, criterion: Any = "auto", search: str | Optimizer | None = None
) -> Choice:
    """Choose the parameters of a kernel, C, and ε of a regression.

    Parameters
    ----------
    validator : CrossValidator
    kernel : str, Kernel or list of them
        A name, a kernel to start from, "precomputed", "precomputed-distance", or "auto" for the best of
        several forms and their sum
        (`kernelwise.search.propose.forms`); a list is a choice among its kernels and their sum.
    criterion : str or Criterion, default="auto"
        One that the family of the validator takes.
    search : str or Optimizer, default=None
        Of a criterion; None is the one that fits.
    """
    given, criterion = criterion, validator.family.criterion(criterion)
    optimizer = None if search is None else as_optimizer(search)
    if optimizer is not None and isinstance(criterion, str):
        finding = catalogue.UNUSED_SEARCH(criterion=criterion)
        if finding not in validator.context.findings:  # "auto" chooses for each of its kernels
            validator.context.findings.append(finding)
    one = partial(_one_form, criterion=criterion, search=optimizer, given=given)
    if isinstance(kernel, str) and kernel == "auto":
        choice = auto(validator, one, by_score=isinstance(criterion, str))
    elif isinstance(kernel, list | tuple):
        choice = among(validator, kernel, partial(one, validator))
    else:
        choice = one(validator, kernel)
    scored, why = fit_epsilon(validator, choice.scored, choice.climb)
    if scored is not choice.scored:
        choice.scored, choice.index = scored, scored.best
    choice.why += why
    return choice


def choose_among(validator: CrossValidator, kernel: Any) -> Choice:
    """Choose a kernel of one class: "auto", a name, an object, or a list of names and objects.

    The first candidate is the rule of thumb, and always scored. Without labels another one has to be better
    than it by more than `MARGIN`.
    """
    family: Any = validator.family
    part = validator.in_folds
    tried = candidates(kernel, part.Z, part.bound, has_labels=family.scoring in SCORINGS)
    if family.scoring == MEDIAN:
        tried = tried[:1]
    validator.prefetch([one.kernel for one in tried])
    for candidate in tried:
        cost = max((one.seconds for one in validator.scored), default=0.0)
        if not validator.scored or validator.context.deadline.allows(f"kernel {candidate.kernel}", cost):
            validator.score(candidate.kernel, candidate.reason)
    best = max(validator.scored, key=lambda one: one.best_score)
    first = validator.scored[0]
    if family.scoring not in SCORINGS and best.best_score - first.best_score <= MARGIN:
        best = first
    choice = Choice(best, candidates=tried)
    choice.why, choice.how = why_kernel(validator, choice), how_compared(validator, len(tried))
    return choice


def _one_form(
    validator: CrossValidator, kernel: Any, *, criterion: Any, search: Optimizer | None, given: Any
) -> Choice:
    """The way from one form of kernel and a criterion to a scored kernel."""
    is_auto = isinstance(criterion, str) and criterion == "auto"
    if isinstance(kernel, str) and kernel == "precomputed":
        return _given(validator, kernel)
    if isinstance(kernel, str) and _learns(validator, kernel, criterion, search):
        if is_auto and kernel in PLAIN:
            return by_gradients(validator, kernel, _by_widths(validator, _started(validator, PLAIN[kernel])))
        return _by_metric(
            validator, kernel, validator.family.metric_criteria[kernel] if is_auto else (given,)
        )
    start = _started(validator, kernel)
    if start.theta.size == 0:
        return _given(validator, start)
    if isinstance(criterion, Criterion):
        return by_criterion(validator, start, criterion, search)
    if not is_auto:
        return _by_score(validator, [(start, START)], None)
    return _by_widths(validator, start) if start.has_one_width else _by_alignment(validator, start)


def _started(validator: CrossValidator, kernel: Any) -> Any:
    is_named = isinstance(kernel, str)
    made = PrecomputedDistance() if is_named and kernel == PRECOMPUTED_DISTANCE else as_kernel(kernel)
    return validator.started(made, "scale" if is_named else "keep")


def _learns(validator: CrossValidator, kernel: str, criterion: Any, search: Optimizer | None) -> bool:
    """Whether a metric is learned from several starts; else it is searched from the start from the data."""
    if sparse.issparse(validator.samples.Z) or np.ptp(validator.search_samples.y) == 0:
        return False
    if isinstance(criterion, Criterion):
        is_any = kernel in LEARNED and validator.family.learns_by_any_criterion
        return is_any and search is None and criterion.is_differentiable
    return bool(criterion == "auto") and kernel in (*PLAIN, *validator.family.metric_criteria)


def _given(validator: CrossValidator, kernel: Any) -> Choice:
    name = kernel if isinstance(kernel, str) else type(kernel).__name__
    why = [f"The kernel {name} has no parameter to choose, so the search chose only C."]
    return Choice(validator.score(kernel, "given"), why=why)


def _by_widths(validator: CrossValidator, start: Any) -> Choice:
    """Widths that the rules of the family name, scored by cross-validation, then uphill."""
    data = validator.family.width_data(validator, start)
    widths = named_widths(validator.family.width_rules, data)
    # A width is the factor before the distance; the kernel starts at its own.
    base = start.rescaled(start.factor_for(1.0))
    limits = base.factor_for(WIDEST / data.median), base.factor_for(NARROWEST / data.median)
    climb = Climb(base, validator, limits)
    factors = [base.factor_for(gamma) for gamma in widths.gammas]
    scored = climb.run(factors, widths.reasons)
    missed = sum(factor not in climb.tried for factor in factors)
    n_more = len(climb.tried) - len(factors)
    how = _course(widths, missed, n_more)
    return Choice(scored, climb=climb, criterion_path=data.curves, how=how)


def _course(widths: Widths, missed: int, n_more: int) -> list[str]:
    """Which widths a climb started from, and how many it went on to."""
    pairs = zip(widths.gammas, widths.reasons, strict=True)
    starts = "; ".join(f"γ = {number(gamma)} ({spoken(reason)})" for gamma, reason in pairs)
    return [
        f"The search started from {count(len(widths.gammas), 'width')} of the kernel: {starts}.",
        "The time budget ended before the search had scored all of them."
        if missed
        else f"It then tried {count(n_more, 'more width')} around the best one.",
    ]


def _by_metric(validator: CrossValidator, name: str, criteria: Any) -> Choice:
    """A learned metric, scored with metrics that have not seen the held-out rows."""
    climb, learned, how = search_metric(validator, name, criteria)
    why = []
    columns = columns_of(learned.result)
    if validator.family.regularises_metrics:
        scored, index, sentence = most_regularised(validator, climb)
        return Choice(scored, index, climb, columns, learned.result, sentence, how)
    widths, limits = _usual_widths(validator, final_kernel(climb.base), "highest centred alignment")
    climb.limits = limits
    climb.run(widths.gammas[1:], widths.reasons[1:])
    # A metric of low rank may keep one direction only, that of the linear part of the target, and have the
    # highest alignment of all: the start from the data competes with it.
    if validator.context.deadline.allows(START):
        plain = Climb(validator.started(as_kernel(name), "scale"), validator)
        score = plain.run([1.0], [START]).best_score
        if score > climb.tried[climb.best].best_score:
            climb = plain
            why.append("The kernel that was set from the data, without learning, scored higher.")
    best = climb.tried[climb.best]
    return Choice(best, climb=climb, criterion_path=columns, search=learned.result, why=why, how=how)


def _by_alignment(validator: CrossValidator, start: Kernel) -> Choice:
    """The start and the kernel of highest centred alignment, each at several widths."""
    starts, result = [(start, START)], None
    varies = np.ptp(validator.search_samples.y) > 0  # no kernel is aligned with a constant
    if varies and validator.context.deadline.allows("search of the highest alignment"):
        # Cross-validation tries widths around an optimum at the edge anyway.
        result = optimise(validator, start, validator.family.alignment(), QuasiNewton(), is_quiet=True)
        starts.append((without_rounding(result.kernel), "highest centred alignment"))
    return _by_score(validator, starts, result)


def _by_score(
    validator: CrossValidator, starts: list[tuple[Kernel, str]], result: TuningResult | None
) -> Choice:
    """The start that cross-validation prefers at one of a few widths, then uphill over its widths."""
    climbs: list[Climb] = []
    for kernel, reason in starts:
        if climbs and not validator.context.deadline.allows(reason):
            continue
        widths, limits = _usual_widths(validator, kernel, reason)
        climb = Climb(kernel, validator, limits)
        climb.score_all(widths.gammas, widths.reasons)
        climbs.append(climb)
    best = max(climbs, key=lambda climb: climb.tried[climb.best].best_score)
    preferred = starts[climbs.index(best)][1]
    scored = best.run([], [])
    how = [
        f"Cross-validation preferred the kernel of the {preferred}, and the search tried "
        f"{count(len(best.tried), 'width')} of it."
    ]
    return Choice(scored, climb=best, criterion_path=columns_of(result), search=result, how=how)


def _usual_widths(validator: CrossValidator, kernel: Any, reason: str) -> tuple[Widths, tuple[float, float]]:
    """Factors to rescale a kernel by, its own first, and the limits of a climb.

    Alignment with numbers says which features matter, but not how wide the kernel should be: a wide one has
    it all for the linear part of the target. So Gaussian kernels are tried at usual widths, too.
    """
    widths = Widths()
    widths.propose(1.0, reason)
    if validator.family.aligns_widths or not kernel.is_gaussian:
        return widths, (0.0, np.inf)
    distances = kernel.squared_distances(validator.criterion_samples().Z)
    median = float(significant(kernel.scale * median_distance(distances)))
    for width in (USUAL, USUAL / 8.0):
        widths.propose(width / median, f"{reason}, usual width")
    return widths, (WIDEST / median, NARROWEST / median)


def fit_epsilon(
    validator: CrossValidator, scored: ScoredKernel, climb: Climb | None = None
) -> tuple[ScoredKernel, list[str]]:
    """Try other ε with the kernel chosen, if its family says so; return the best, and what was done in words.

    ``climb`` is where the kernel comes from; it is climbed once more with a much smaller ε.
    """
    if not validator.family.fits_epsilon:
        return scored, []
    kernel = scored.kernel if climb is None else climb.best_kernel
    assert scored.epsilon is not None
    first = scored.epsilon
    tried = [first]
    for _ in range(MAX_ROUNDS):
        before = scored
        for share in SHARES:
            other = _try_epsilon(validator, kernel, scored, share, tried)
            gains = other.scores[other.best] - scored.scores[scored.best]
            # A fixed ε did better on six sets of 300 rows than the best of several by a little.
            scored = other if is_better(other.best_score, scored.best_score, gains) else scored
        if scored is before:
            break
    assert scored.epsilon is not None
    if climb is not None and scored.epsilon < first / FELL:
        scored = Climb(kernel, validator, epsilons=[scored.epsilon], tried={1.0: scored}).run([], [])
    assert scored.epsilon is not None
    return scored, _said(scored.epsilon, tried)


def _said(chosen: float, tried: list[float]) -> list[str]:
    """Which ε was chosen among which others, in words; nothing where there was no other."""
    others = [f"{epsilon:.3g}" for epsilon in tried if epsilon != chosen]
    if not others:
        return []
    return [
        f"The model ignores errors up to ε = {chosen:.3g} standard deviations of the target. "
        f"The search also tried {in_words(others)}."
    ]


def _try_epsilon(
    validator: CrossValidator, kernel: Any, scored: ScoredKernel, share: float, tried: list[float]
) -> ScoredKernel:
    """Score the same kernel with ε that share of its error; unchanged if such an ε was tried."""
    # Two digits: rounding of the data must not matter.
    epsilon = float(f"{share * residual(validator, scored):.2g}")
    is_known = any(max(epsilon / other, other / epsilon) < NEAR for other in tried) if epsilon > 0 else True
    if is_known or not validator.context.deadline.allows(f"ε = {epsilon:.2g}", scored.seconds):
        return scored
    tried.append(epsilon)
    # With the same values of C: one that was tried further would win by that alone.
    return validator.score(kernel, "other ε", Cs=scored.Cs, epsilons=[epsilon])


def residual(validator: CrossValidator, scored: ScoredKernel) -> float:
    """Root mean squared held-out error of the best machine, in units of y's deviation."""
    errors = scored.decision_at(scored.best)[:, 0] - validator.held_out.y
    return float(np.sqrt(np.average(errors**2, weights=validator.held_out.weight)))


def take(validator: CrossValidator, choice: Choice, scored: ScoredKernel, index: int) -> None:
    """Change a choice to the C of that index of a kernel that was scored.

    Reasons, the course of the search and findings are then those of the form of kernel that was taken.
    """
    if scored is choice.scored and index == choice.index:
        choice.why.append("The rule 'refit' chose the same setting as the search.")
        return
    preferred = model_text(choice.scored.kernel, choice.C)
    gain = float(choice.scored.scores[choice.index].mean() - scored.scores[index].mean())
    gap = gap_text(gain, validator.scorer.is_share)
    n_settings = sum(len(one.Cs) for one in validator.scored)
    differs = f"{gap} {'higher' if gain > 0.0 else 'lower'}" if gap else "the same"
    sentence = (
        f"The rule 'refit' chose this one of {n_settings} settings. The search itself prefers {preferred}, "
        f"which scored {differs} in the search."
    )
    _speak_of(validator, choice, scored)
    choice.scored, choice.index, choice.is_by_rule = scored, index, True
    choice.why = [sentence]


def _speak_of(validator: CrossValidator, choice: Choice, scored: ScoredKernel) -> None:
    """Let a choice speak of the form that a kernel was scored for, if that is another one."""
    forms = choice.tried_forms.values()
    old = next((form for form in forms if any(one is choice.scored for one in form.scored)), None)
    new = next((form for form in forms if any(one is scored for one in form.scored)), None)
    if new is None or new is old:
        return
    choice.climb, choice.how = new.climb, new.how
    gone = [] if old is None else old.findings
    findings = validator.context.findings
    findings[:] = [*(one for one in findings if one not in gone), *new.findings]
