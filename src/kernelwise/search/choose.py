"""The steps of a search put together: from the names of a kernel and a criterion to one kernel and one C."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from kernelwise._core.rounding import significant
from kernelwise._core.text import count
from kernelwise.criteria import Criterion
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.optimizers import Optimizer, QuasiNewton, as_optimizer
from kernelwise.result import TuningResult
from kernelwise.search.by_criterion import by_criterion, optimise
from kernelwise.search.candidates import USUAL, Widths, median_distance, named_widths
from kernelwise.search.climb import Climb
from kernelwise.search.cross_validate import CrossValidator
from kernelwise.search.epsilon import fit_epsilon
from kernelwise.search.fold_kernels import final_kernel, without_rounding
from kernelwise.search.learned_metrics import most_regularised, search_metric
from kernelwise.search.reasons import spoken
from kernelwise.search.result import Choice, columns_of
from kernelwise.search.rules import simplest_within
from kernelwise.search.wording import number

#: The climb stays between these values of γ·(median squared distance): wider kernels are linear ones, and
#: under narrower ones every sample is alone.
WIDEST, NARROWEST = 2.0**-7, 2.0**8
#: Full metrics have d² parameters: none for more features than this when nobody asked for one.
MAX_FULL = 60
#: Kernels that "auto" chooses among, from the simplest on.
AUTO = ("rbf", "diagonal", "gaussian")
LEARNED = ("diagonal", "gaussian", "low-rank")
START = "start from the data"


def choose(
    judge: CrossValidator, kernel: Any, criterion: Any = "auto", search: str | Optimizer | None = None
) -> Choice:
    """Choose the parameters of a kernel, C, and ε of a regression.

    Parameters
    ----------
    judge : CrossValidator
    kernel : str or Kernel
        A name, a kernel to start from, "precomputed", or "auto" for the simplest of RBF, diagonal and full
        Gaussian kernels that is within one standard error of the best.
    criterion : str or Criterion, default="auto"
        One that the family of the judge takes.
    search : str or Optimizer, default=None
        Of a criterion; None is the one that fits.
    """
    given, criterion = criterion, judge.family.criterion(criterion)
    optimizer = None if search is None else as_optimizer(search)
    if optimizer is not None and isinstance(criterion, str):
        message = f"'search' is for a criterion, and criterion={criterion!r} uses none: it was not used."
        finding = Finding("unused search", "warning", message, "Name a criterion, such as 'kta'.")
        if finding not in judge.context.findings:  # "auto" chooses for each of its kernels
            judge.context.findings.append(finding)
    if isinstance(kernel, str) and kernel == "auto":
        return _simplest(judge, given, optimizer)
    choice = _strategy(judge, kernel, criterion, optimizer, given)
    scored, why = fit_epsilon(judge, choice.scored, choice.climb)
    if scored is not choice.scored:
        choice.scored, choice.index = scored, scored.best
    choice.why += why
    return choice


def _strategy(
    judge: CrossValidator, kernel: Any, criterion: Any, search: Optimizer | None, given: Any
) -> Choice:
    """The way from a kernel and a criterion to a scored kernel."""
    is_auto = isinstance(criterion, str) and criterion == "auto"
    if isinstance(kernel, str) and kernel == "precomputed":
        return _given(judge, kernel)
    if isinstance(kernel, str) and kernel in LEARNED and _learns(judge, kernel, criterion, search):
        return _by_metric(judge, kernel, judge.family.metric_criteria[kernel] if is_auto else (given,))
    start = judge.started(as_kernel(kernel), "scale" if isinstance(kernel, str) else "keep")
    if start.theta.size == 0:
        return _given(judge, start)
    if isinstance(criterion, Criterion):
        return by_criterion(judge, start, criterion, search)
    if not is_auto:
        return _by_score(judge, [(start, START)], None)
    return _by_widths(judge, start) if start.has_one_width else _by_alignment(judge, start)


def _learns(judge: CrossValidator, kernel: str, criterion: Any, search: Optimizer | None) -> bool:
    """Whether a metric is learned from several starts; else it is searched from the start from the data."""
    is_possible = not sparse.issparse(judge.samples.Z) and kernel in judge.family.metric_criteria
    if not is_possible or np.ptp(judge.search_samples.y) == 0:
        return False
    if isinstance(criterion, Criterion):
        return search is None and criterion.is_differentiable and judge.family.learns_by_any_criterion
    return bool(criterion == "auto")


def _simplest(judge: CrossValidator, criterion: Any, search: Optimizer | None) -> Choice:
    """The simplest of `AUTO` whose score is within one standard error of the best."""
    choices: dict[str, Choice] = {}
    skipped = []
    n_features, is_sparse = judge.samples.Z.shape[1], sparse.issparse(judge.samples.Z)
    findings, of_form = judge.context.findings, {}
    is_rough = isinstance(criterion, Criterion) and not criterion.is_differentiable
    for name in AUTO:
        before = len(findings)
        is_too_large = name == "gaussian" and n_features > MAX_FULL
        if choices and is_rough:
            skipped.append(f"The form {name!r} was left out: {type(criterion).__name__} has no derivative")
        elif choices and (is_sparse or n_features == 1 or is_too_large):
            kind = "sparse features" if is_sparse else "features" if n_features > 1 else "feature"
            skipped.append(f"The form {name!r} was left out for {n_features} {kind}")
        elif not choices or judge.context.deadline.allows(f"{name} metric"):
            choices[name] = choose(judge, name, criterion, search)
            of_form[name] = findings[before:]
            del findings[before:]
    names, scored = list(choices), [choice.scored for choice in choices.values()]
    scores = np.array([one.best_score for one in scored])
    errors = np.array([judge.standard_error(one) for one in scored])
    name = names[simplest_within(scores, np.arange(len(names)), errors)]
    findings += of_form[name]  # what was found about the other forms is of no use to anybody
    choices[name].why.append(_why_simplest(name, choices))
    choices[name].how += [f"{sentence}." for sentence in skipped]
    return choices[name]


def _why_simplest(name: str, choices: dict[str, Choice]) -> str:
    """Why one of the forms of kernel was kept, with the scores that decided."""
    if len(choices) == 1:
        return f"Only the form {name!r} was tried."
    scores = ", ".join(f"{form!r} {choice.scored.best_score:.4f}" for form, choice in choices.items())
    return (
        f"{name!r} is the simplest form of kernel within one standard error of the best; scores averaged "
        f"over neighbouring values of C: {scores}."
    )


def _given(judge: CrossValidator, kernel: Any) -> Choice:
    name = kernel if isinstance(kernel, str) else type(kernel).__name__
    why = [f"{name} has no free parameter: only C was chosen."]
    return Choice(judge.score(kernel, "given"), why=why)


def _by_widths(judge: CrossValidator, start: Any) -> Choice:
    """Widths that the rules of the family name, scored by cross-validation, then uphill."""
    data = judge.family.width_data(judge, start)
    widths = named_widths(judge.family.width_rules, data)
    # A width is the factor before the squared distance; the kernel starts at its own.
    base = start.rescaled(1.0 / start.scale)
    climb = Climb(base, judge, (WIDEST / data.median, NARROWEST / data.median))
    scored = climb.run(widths.gammas, widths.reasons)
    return Choice(scored, climb=climb, criterion_path=data.curves, how=_course(widths, climb))


def _course(widths: Widths, climb: Climb) -> list[str]:
    """Which widths a climb started from, and how many it went on to."""
    pairs = zip(widths.gammas, widths.reasons, strict=True)
    starts = "; ".join(f"γ = {number(gamma)} ({spoken(reason)})" for gamma, reason in pairs)
    missed = sum(gamma not in climb.tried for gamma in widths.gammas)
    n_more = len(climb.tried) - len(widths.gammas)
    return [
        f"The search started from {count(len(widths.gammas), 'width')} of the kernel: {starts}.",
        f"There was no time for {missed} of them."
        if missed
        else f"It tried {count(n_more, 'more width')} around the best.",
    ]


def _by_metric(judge: CrossValidator, name: str, criteria: Any) -> Choice:
    """A learned metric, scored with metrics that have not seen the held-out rows."""
    climb, learned, how = search_metric(judge, name, criteria)
    why = []
    columns = columns_of(learned.result)
    if judge.family.regularises_metrics:
        scored, index, sentence = most_regularised(judge, climb)
        return Choice(scored, index, climb, columns, learned.result, sentence, how)
    widths, limits = _usual_widths(judge, final_kernel(climb.base), "highest centred alignment")
    climb.limits = limits
    climb.run(widths.gammas[1:], widths.reasons[1:])
    # A full metric, or one of low rank, may keep one direction only, that of the linear part of the target,
    # and have the highest alignment of all: the start from the data competes with it.
    if name != "diagonal" and judge.context.deadline.allows(START):
        plain = Climb(judge.started(as_kernel(name), "scale"), judge)
        score = plain.run([1.0], [START]).best_score
        if score > climb.tried[climb.best].best_score:
            climb = plain
            why.append(f"The start from the data, without learning, did better: {score:.4f}.")
    best = climb.tried[climb.best]
    return Choice(best, climb=climb, criterion_path=columns, search=learned.result, why=why, how=how)


def _by_alignment(judge: CrossValidator, start: Kernel) -> Choice:
    """The start and the kernel of highest centred alignment, each at several widths."""
    starts, result = [(start, START)], None
    varies = np.ptp(judge.search_samples.y) > 0  # no kernel is aligned with a constant
    if varies and judge.context.deadline.allows("search of the highest alignment"):
        # Cross-validation tries widths around an optimum at the edge anyway.
        result = optimise(judge, start, judge.family.alignment(), QuasiNewton(), is_quiet=True)
        starts.append((without_rounding(result.kernel), "highest centred alignment"))
    return _by_score(judge, starts, result)


def _by_score(judge: CrossValidator, starts: list[tuple[Kernel, str]], result: TuningResult | None) -> Choice:
    """The start that cross-validation prefers at one of a few widths, then uphill over its widths."""
    climbs: list[Climb] = []
    for kernel, reason in starts:
        if climbs and not judge.context.deadline.allows(reason):
            continue
        widths, limits = _usual_widths(judge, kernel, reason)
        climb = Climb(kernel, judge, limits)
        climb.run(widths.gammas, widths.reasons, climb=False)
        climbs.append(climb)
    best = max(climbs, key=lambda climb: climb.tried[climb.best].best_score)
    preferred = starts[climbs.index(best)][1]
    scored = best.run([], [])
    tried = count(len(best.tried), "width was tried", "widths were tried")
    how = [f"Cross-validation preferred the kernel of the {preferred}; {tried}."]
    return Choice(scored, climb=best, criterion_path=columns_of(result), search=result, how=how)


def _usual_widths(judge: CrossValidator, kernel: Any, reason: str) -> tuple[Widths, tuple[float, float]]:
    """Factors to rescale a kernel by, its own first, and the limits of a climb.

    Alignment with numbers says which features matter, but not how wide the kernel should be: a wide one has
    it all for the linear part of the target. So Gaussian kernels are tried at usual widths, too.
    """
    widths = Widths()
    widths.propose(1.0, reason)
    if judge.family.aligns_widths or not kernel.is_gaussian:
        return widths, (0.0, np.inf)
    distances = kernel.squared_distances(judge.criterion_samples().Z)
    median = float(significant(kernel.scale * median_distance(distances)))
    for width in (USUAL, USUAL / 8.0):
        widths.propose(width / median, f"{reason}, usual width")
    return widths, (WIDEST / median, NARROWEST / median)
