"""From a kernel's name and a criterion's to one kernel and one C: what `TunedSVC` does with a task."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from kernelwise.criteria import Criterion, SumsCriterion, as_criterion
from kernelwise.criteria.machine import MachineCriterion
from kernelwise.exceptions import BoundaryWarning
from kernelwise.findings import Finding
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.kernels.radial import ScaledGaussian
from kernelwise.optimizers import Optimizer, QuasiNewton
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.search.candidates import CURVE, named_widths
from kernelwise.search.canonical import sample
from kernelwise.search.choice import Choice, columns_of, standard_error
from kernelwise.search.climb import ScaleSearch
from kernelwise.search.learned_metrics import CRITERIA, choose_metric
from kernelwise.search.scored_kernel import KernelPath
from kernelwise.search.task import Task

#: The climb stays between these values of γ·(median squared distance): wider kernels are linear ones, and
#: under narrower ones every sample is alone.
WIDEST, NARROWEST = 2.0**-7, 2.0**8
#: Full metrics have d² parameters: none for more features than this when nobody asked for one.
MAX_FULL = 60
METRICS = ("diagonal", "gaussian", "low-rank")
#: Rows on which a criterion without a sketch is optimised, at most.
MAX_CRITERION_ROWS = 1000


def choose(task: Task, kernel: Any, criterion: Any, search: Optimizer | None = None) -> Choice:
    """Choose parameters and C of one kernel.

    Parameters
    ----------
    task : Task
    kernel : str or Kernel
        A name, a kernel to start from, "precomputed", or "auto" for the simplest of RBF, diagonal and full
        Gaussian kernels that is within one standard error of the best.
    criterion : "auto", str or Criterion
    search : Optimizer, default=None
        None is the one that fits.
    """
    if isinstance(kernel, str) and kernel == "precomputed":
        return _only_C(task, kernel)
    if isinstance(kernel, str) and kernel == "auto":
        return simplest(task, lambda name: choose(task, name, criterion))
    # Metrics of sparse samples are searched from the data's start only, like other kernels.
    if isinstance(kernel, str) and kernel in METRICS and search is None and not sparse.issparse(task.Z):
        is_auto = isinstance(criterion, str) and criterion == "auto"
        return choose_metric(task, kernel, CRITERIA[kernel] if is_auto else (criterion,))
    start = task.started(as_kernel(kernel), "scale" if isinstance(kernel, str) else "keep")
    if start.theta.size == 0:
        return _only_C(task, start)
    if isinstance(criterion, str) and criterion == "auto":
        if isinstance(start, ScaledGaussian):
            return _by_sketch(task, start)
        return _by_alignment(task, start)
    return _by_criterion(task, start, as_criterion(criterion), search)


def simplest(task: Task, choose_one: Callable[[str], Choice]) -> Choice:
    """RBF, diagonal, full: the first whose score is within one standard error of the best.

    Parameters
    ----------
    task : Task
    choose_one : callable
        From a kernel's name to parameters and C of it.
    """
    choices = {"rbf": choose_one("rbf")}
    skipped = []
    n_features = task.Z.shape[1]
    for name in ("diagonal", "gaussian"):
        is_too_large = name == "gaussian" and n_features > MAX_FULL
        if sparse.issparse(task.Z) or n_features == 1 or is_too_large:
            kind = "sparse " if sparse.issparse(task.Z) else ""
            skipped.append(f"{name} was left out for {n_features} {kind}features")
        elif task.deadline.allows(f"{name} metric"):
            choices[name] = choose_one(name)
    best = max(choices.values(), key=lambda choice: choice.path.best_score)
    enough = best.path.best_score - standard_error(best.path, task.n_copies)
    name = next(name for name, choice in choices.items() if choice.path.best_score >= enough)
    shown = ", ".join(f"{other} {choice.path.best_score:.4f}" for other, choice in choices.items())
    chosen = choices[name]
    chosen.why.append(
        f"Of the cross-validation scores {shown}, that of {name!r} is the simplest within one standard error "
        f"of the best{''.join(f'; {sentence}' for sentence in skipped)}."
    )
    return chosen


def _only_C(task: Task, kernel: Any) -> Choice:
    path = task.run(kernel, "given")
    return Choice(path, path.best, why=[f"{_name(kernel)} has no free parameter: only C was chosen."])


def _by_sketch(task: Task, start: ScaledGaussian) -> Choice:
    """Widths that the sketch's criteria name, scored by cross-validation, then uphill."""
    sketch = task.sketch(start)
    widths = named_widths(sketch)
    median = sketch.histograms.quantile(0.5)
    # The sketch's γ is the factor before the squared distance; the kernel starts at its own.
    base = start.rescaled(1.0 / start.scale)
    search = ScaleSearch(base, task, (WIDEST / median, NARROWEST / median))
    path = search.run(widths.gammas, widths.reasons)
    why = [
        f"The distance sketch named {len(widths.gammas)} widths: "
        + "; ".join(f"γ = {g:.4g} ({r})" for g, r in zip(widths.gammas, widths.reasons, strict=True))
        + ".",
        _tried_of(widths.gammas, search),
    ]
    return Choice(path, path.best, criterion_path=widths.curves, why=why)


def _tried_of(gammas: Sequence[float], search: ScaleSearch) -> str:
    """A sentence on how many of the widths, and how many others, there was time for."""
    missed = sum(gamma not in search.tried for gamma in gammas)
    if missed:
        return f"Cross-validation had no time for {missed} of them."
    return f"Cross-validation tried them and {len(search.tried) - len(gammas)} more around the best."


def _by_alignment(task: Task, start: Kernel) -> Choice:
    """The start and the kernel of highest centred alignment, each at several widths."""
    starts = [(start, "start from the data")]
    result = None
    if task.deadline.allows("search of the highest alignment"):
        with warnings.catch_warnings():
            # An optimum at the edge is in the findings; cross-validation tries widths around it anyway.
            warnings.simplefilter("ignore", BoundaryWarning)
            result = _optimise(task, start, as_criterion("centered-kta"), QuasiNewton())
        starts.append((result.kernel, "highest centred alignment"))
    searches = [ScaleSearch(kernel, task) for kernel, _ in starts]
    for search, (_, reason) in zip(searches, starts, strict=True):
        if not search.task.paths.paths or task.deadline.allows(reason):
            search.run([1.0], [reason], climb=False)
    tried = [search for search in searches if search.tried]
    best = max(tried, key=lambda search: search.tried[1.0].best_score)
    path = best.run([], [])
    why = [f"Cross-validation preferred the {path.reason} kernel; {len(best.tried)} widths of it were tried."]
    return Choice(path, path.best, columns_of(result), result, why)


def _by_criterion(task: Task, start: Kernel, criterion: Criterion, search: Optimizer | None) -> Choice:
    """The criterion alone chooses the kernel; cross-validation chooses C, unless the criterion has."""
    is_sum = isinstance(criterion, SumsCriterion) and not criterion.needs_rows
    if is_sum and isinstance(start, ScaledGaussian) and search is None:
        sketch = task.sketch(start)
        best = sketch.maximize(criterion, None)
        median = sketch.histograms.quantile(0.5)
        curves = {"gamma": CURVE / median, criterion.name: sketch.curve(criterion, CURVE / median)}
        path = task.run(start.rescaled(best.gamma / start.scale), f"{best.stop_reason} of {criterion.name}")
        why = [f"γ = {best.gamma:.4g} is the {best.stop_reason} of {criterion.name} over all widths."]
        if best.stop_reason != "interior peak":
            task.findings.append(
                Finding(
                    best.stop_reason,
                    "warning",
                    f"{criterion.name} has no peak inside the range of γ: {best.gamma:.4g} is at its edge.",
                    "Use criterion='auto', which lets cross-validation choose.",
                )
            )
        return Choice(path, path.best, curves, why=why)
    result = _optimise(task, start, criterion, QuasiNewton() if search is None else search)
    reason = f"{criterion.name} ({result.stop_reason})"
    why = [f"{type(result.kernel).__name__} by {criterion.name}: {result.stop_reason}."]
    found = result.criterion
    path = task.run(result.kernel, reason)
    if isinstance(found, MachineCriterion) and found.is_held_out and found.search_C and task.Cs is None:
        path, sentence = _with_C(task, path, found.C)
        why.append(sentence)
    return Choice(path, path.best, columns_of(result), result, why)


def _with_C(task: Task, path: KernelPath, C: float) -> tuple[KernelPath, str]:
    """The path at the C that was found together with the kernel, unless the labels there are clearly worse.

    The sigmoid of a held-out error takes up any offset and scale of the decision values. So E may be low
    where all of them have one sign, at a C far too small for the kernel.
    """
    task.paths.Cs = np.array([C])
    own = task.run(path.kernel, path.reason)
    task.paths.Cs = None
    if own.best_score >= path.best_score - standard_error(path, len(task.paths.index)):
        return own, f"C = {C:.4g} was found together with the kernel."
    sentence = (
        f"C = {C:.4g} was found together with the kernel, but has a cross-validated score of "
        f"{own.best_score:.4g}; C = {path.Cs[path.best]:.4g} has {path.best_score:.4g} and was taken."
    )
    advice = "Use criterion='auto', which lets cross-validation choose."
    task.findings.append(Finding("worse-C", "warning", sentence, advice))
    return path, sentence


def _optimise(task: Task, start: Kernel, criterion: Criterion, search: Optimizer) -> TuningResult:
    rows = np.arange(len(task.y_search))
    if len(rows) > MAX_CRITERION_ROWS:
        rows = sample(task.y_search, MAX_CRITERION_ROWS, task.random_state)
    weight = task.weight_search
    problem = TuningProblem(
        start,
        criterion,
        task.Z_search[rows],
        task.y_search[rows],
        sample_weight=None if weight is None else weight[rows],
    )
    result = search.minimize(problem)
    task.findings.extend(result.diagnostics)
    return result


def _name(kernel: Any) -> str:
    return kernel if isinstance(kernel, str) else type(kernel).__name__
