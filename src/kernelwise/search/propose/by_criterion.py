"""A kernel chosen by a criterion alone; cross-validation chooses C."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from kernelwise.criteria import Criterion, SumsCriterion, ValidationError, as_criterion
from kernelwise.criteria.machine import MachineCriterion
from kernelwise.exceptions import BoundaryWarning, IncompatibleError
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import Kernel
from kernelwise.optimizers import GridSearch, LineSearch, Optimizer, QuasiNewton
from kernelwise.optimizers.base import WARNED_OF
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.search.data.samples import Samples
from kernelwise.search.engine.scored_kernel import ScoredKernel
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.propose.candidates import CURVE
from kernelwise.search.result import Choice, columns_of

#: Values of a criterion that differ by less than this, relative to their size, are the same.
CONSTANT = 1e-9
#: Points per parameter of a grid, by number of parameters, for a criterion without a derivative.
GRIDS = {2: 25, 3: 9, 4: 5}


def by_criterion(
    validator: CrossValidator, start: Kernel, criterion: Criterion, search: Optimizer | None
) -> Choice:
    """The criterion alone chooses the kernel; cross-validation chooses C, unless the criterion has."""
    is_sketched = start.has_one_width and search is None
    if is_sketched and isinstance(criterion, SumsCriterion) and not criterion.needs_rows:
        return _by_sketch(validator, start, criterion)
    # Where alignment does not say how wide a kernel should be, an optimum at the edge is no news.
    is_quiet = not validator.family.aligns_widths
    criterion = _at_given_C(criterion, validator.Cs)
    result = optimise(validator, start, criterion, search or default_search(start, criterion), is_quiet)
    scored = validator.score(result.kernel, f"{criterion.name} ({result.stop_reason})")
    how = f"The criterion {criterion.name} chose the kernel; its search ended at: {result.stop_reason}."
    values = np.array([row["value"] for row in result.history if np.isfinite(row["value"])])
    if len(values) > 1 and np.ptp(values) <= CONSTANT * max(1.0, np.abs(values).max()):
        found_constant = catalogue.CONSTANT_CRITERION(criterion=criterion.name, n=len(values))
        validator.context.warn(found_constant, BoundaryWarning)
        how = f"The criterion {criterion.name} chose nothing: it has the same value at all kernels tried."
    why = []
    found = result.criterion
    if isinstance(found, MachineCriterion) and found.is_held_out and found.search_C and validator.Cs is None:
        scored, sentence = _with_C(validator, scored, found.C)
        why.append(sentence)
    return Choice(scored, criterion_path=columns_of(result), search=result, why=why, how=[how])


def _by_sketch(validator: CrossValidator, start: Any, criterion: SumsCriterion) -> Choice:
    """The global maximum of a criterion over all widths."""
    sketch = validator.sketch(start)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BoundaryWarning)  # the finding below says so, with advice
        best = sketch.maximize(criterion, None)
    gammas = CURVE / sketch.histograms.quantile(0.5)
    kernel = start.rescaled(start.factor_for(best.gamma))
    scored = validator.score(kernel, f"{best.stop_reason} of {criterion.name}")
    if best.stop_reason != "interior peak":
        found = catalogue.NO_PEAK[best.stop_reason](criterion=criterion.name, gamma=best.gamma)
        validator.context.warn(found, BoundaryWarning)
    curves = {"gamma": gammas, criterion.name: sketch.curve(criterion, gammas)}
    how = [f"γ = {best.gamma:.4g} is the {best.stop_reason} of {criterion.name} over all widths."]
    return Choice(scored, criterion_path=curves, how=how)


def _with_C(validator: CrossValidator, scored: ScoredKernel, C: float) -> tuple[ScoredKernel, str]:
    """The kernel at the C that was found together with it, unless the labels there are clearly worse.

    The sigmoid of a held-out error takes up any offset and scale of the decision values. So E may be low
    where all of them have one sign, at a C far too small for the kernel.
    """
    own = validator.score(scored.kernel, scored.reason, Cs=np.array([C]))
    if own.best_score >= scored.best_score - validator.standard_error(scored):
        return own, f"The criterion found C = {C:.4g} together with the kernel."
    gap = scored.best_score - own.best_score
    finding = catalogue.WORSE_C(C=C, C_chosen=scored.Cs[scored.best], gap=gap)
    validator.context.findings.append(finding)
    return scored, finding.message


def default_search(start: Kernel, criterion: Criterion) -> Optimizer:
    """The optimizer that suits a criterion: one without a derivative is compared at points of a grid."""
    if criterion.is_differentiable:
        return QuasiNewton()
    size = start.theta.size + criterion.theta.size
    if size == 1:
        return LineSearch()
    if size not in GRIDS:
        raise IncompatibleError(
            f"{type(criterion).__name__} has no derivative, so a search must try values on a grid, and "
            f"{type(start).__name__} has too many parameters for that ({size}). Use kernel='rbf', or a "
            "criterion with a derivative."
        )
    return GridSearch(n_points=GRIDS[size])


def _at_given_C(criterion: Criterion, Cs: np.ndarray | None) -> Criterion:
    """The criterion with its C among the values that were given, if it searches C."""
    if Cs is None or not isinstance(criterion, MachineCriterion) or not criterion.search_C:
        return criterion
    return criterion._copy(C=float(np.clip(criterion.C, Cs[0], Cs[-1])), search_C=len(Cs) > 1)


def optimise(
    validator: CrossValidator, start: Kernel, criterion: Criterion, search: Optimizer, is_quiet: bool
) -> TuningResult:
    """The end of an optimizer's search on the rows of a criterion; its findings are kept.

    The search of C stays between the values that were given: a kernel that is best with a C beyond them may
    be useless with all of them. If ``is_quiet``, an optimum at the edge of the range is in the findings only,
    without a warning.
    """
    rows = validator.criterion_samples()
    part = rows.for_criteria()
    if criterion.is_held_out and part is not rows and len(part) == len(rows):
        raise ValueError(
            f"The criterion {criterion.name} holds out rows of each class, but only one class has two rows. "
            "Add rows of the other classes, or use another criterion."
        )
    part = in_order_for(criterion, part, validator.random_state)
    validator.context.on_phase(f"searching a {type(start).__name__} kernel by {criterion.name}")
    y = validator.family.nameless(part.y)
    bounds = None
    if validator.Cs is not None and "C" in criterion.theta_names:
        bounds = {"C": (float(validator.Cs[0]), float(validator.Cs[-1]))}
    problem = TuningProblem(start, criterion, part.Z, y, sample_weight=part.weight_or_none, bounds=bounds)
    result = search.minimize(problem, warns=False)  # its advice is for users of a TuningProblem
    # For given values of C, the final choice says that C is at an end of them.
    known = [] if bounds is None else [catalogue.AT_BOUND(parameter="C", is_low=low) for low in (True, False)]
    for finding in map(_advised, (one for one in result.diagnostics if one not in known)):
        category = WARNED_OF.get(finding.name)
        validator.context.findings.append(finding)
        if category is not None and not (is_quiet and category is BoundaryWarning):
            validator.context.issue([finding], category)
    return result


def _advised(finding: Finding) -> Finding:
    """A finding of an optimizer with advice that can be followed here, where no bounds can be given."""
    is_at_bound = finding.name == catalogue.AT_BOUND.name and finding.severity == "warning"
    return replace(finding, advice=catalogue.BY_CROSS_VALIDATION[0]) if is_at_bound else finding


def in_order_for(criterion: Any, part: Samples, random_state: int) -> Samples:
    """Rows in canonical order, shuffled for a criterion that holds some of them out.

    The canonical order goes along a direction. Folds taken from it one after the other would be regions of
    the feature space, so that each machine would have to decide on rows unlike those it has learned.
    """
    criterion = as_criterion(criterion)
    if not criterion.is_held_out:
        return part
    _check_validation(criterion)
    return part[np.random.default_rng(random_state).permutation(len(part))]


def _check_validation(criterion: Criterion) -> None:
    """Refuse rows to hold out that are given by their numbers, or before scaling."""
    if isinstance(criterion, ValidationError) and not isinstance(criterion.validation, float | int):
        raise ValueError(
            "'validation' of ValidationError must be a share such as 0.5 here, because the search scales and "
            "sorts the samples. Use TuningProblem to hold out given rows."
        )
