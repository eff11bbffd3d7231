"""From a kernel's name and a criterion's to one kernel, one C and one ε: what `TunedSVR` does with a task."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse

from kernelwise.criteria import Criterion, TargetAlignment
from kernelwise.exceptions import BoundaryWarning
from kernelwise.kernels import Kernel, as_kernel
from kernelwise.kernels.radial import GaussianFamily, ScaledGaussian
from kernelwise.optimizers import Optimizer, QuasiNewton
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.search.candidates import USUAL, WIDE, Widths
from kernelwise.search.canonical import sample
from kernelwise.search.choice import Choice, columns_of
from kernelwise.search.choose import MAX_CRITERION_ROWS, METRICS, NARROWEST, WIDEST, simplest
from kernelwise.search.climb import ScaleSearch
from kernelwise.search.epsilon import fit_tube
from kernelwise.search.fold_kernels import final_kernel
from kernelwise.search.learned_metrics import search_metric
from kernelwise.search.regression_task import RegressionTask

#: γ·(median squared distance) at which the alignment is looked at.
GRID = 2.0 ** np.arange(-6.0, 7.5, 0.5)

CRITERIA = {"kta": TargetAlignment(), "centered-kta": TargetAlignment(centered=True)}
#: Chosen by cross-validation: with the help of alignment, and without any.
BY_SCORE = ("auto", "cv-error")


def as_regression_criterion(criterion: Any) -> str | Criterion:
    """The criterion with that name, or itself; "auto" and "cv-error" stay names."""
    if isinstance(criterion, str) and criterion in BY_SCORE:
        return criterion
    if isinstance(criterion, str) and criterion in CRITERIA:
        return CRITERIA[criterion]
    if isinstance(criterion, Criterion) and criterion.is_regression:
        return criterion
    raise ValueError(
        f"The criterion of TunedSVR must suit real-valued targets, and {criterion!r} asks for classes or is "
        "unknown. Use 'auto', 'cv-error', 'kta', 'centered-kta' or a TargetAlignment."
    )


def choose_regression(
    task: RegressionTask, kernel: Any, criterion: str | Criterion, search: Optimizer | None = None
) -> Choice:
    """Choose parameters, C and ε of one kernel.

    Parameters
    ----------
    task : RegressionTask
        With the first ε; others are tried with the kernel chosen. If ε are given, all with every kernel.
    kernel : str or Kernel
        A name, a kernel to start from, "precomputed", or "auto" for the simplest of RBF, diagonal and full
        Gaussian kernels that is within one standard error of the best.
    criterion : {"auto", "cv-error"} or Criterion
    search : Optimizer, default=None
        Of a criterion; None is `QuasiNewton`.
    """
    if isinstance(kernel, str) and kernel == "precomputed":
        return _given(task, kernel)
    if isinstance(kernel, str) and kernel == "auto":
        return simplest(task, lambda name: choose_regression(task, name, criterion, search))
    if isinstance(kernel, str) and kernel in METRICS and criterion == "auto" and _can_align(task):
        return _by_metric(task, kernel)
    start = task.started(as_kernel(kernel), "scale" if isinstance(kernel, str) else "keep")
    if start.theta.size == 0:
        return _given(task, start)
    if isinstance(criterion, Criterion):
        return _by_criterion(task, start, criterion, search)
    if criterion == "cv-error":
        return _by_score(task, [(start, "start from the data")], None)
    return _by_widths(task, start) if isinstance(start, ScaledGaussian) else _by_alignment(task, start)


def _given(task: RegressionTask, kernel: Any) -> Choice:
    path, why = fit_tube(task, task.run(kernel, "given"))
    name = kernel if isinstance(kernel, str) else type(kernel).__name__
    return Choice(path, path.best, why=[f"{name} has no free parameter: only C was chosen.", *why])


def _by_widths(task: RegressionTask, start: ScaledGaussian) -> Choice:
    """A few widths, scored by cross-validation, then uphill."""
    widths, median = _named_widths(task, start)
    # The widths are factors before the squared distance; the kernel starts at its own.
    base = start.rescaled(1.0 / start.scale)
    search = ScaleSearch(base, task, (WIDEST / median, NARROWEST / median))
    path, tube = fit_tube(task, search.run(widths.gammas, widths.reasons), search)
    named = "; ".join(f"γ = {g:.4g} ({r})" for g, r in zip(widths.gammas, widths.reasons, strict=True))
    why = [
        f"{len(widths.gammas)} widths were named: {named}.",
        f"Cross-validation tried them and {len(search.tried) - len(widths.gammas)} more around the best.",
    ]
    return Choice(path, path.best, criterion_path=widths.curves, why=[*why, *tube])


def _named_widths(task: RegressionTask, start: ScaledGaussian) -> tuple[Widths, float]:
    """The peak of centred alignment, the start from the data, a usual width and a wide one."""
    Z, y, weight = _some_rows(task)
    D = start.squared_distances(Z)
    median = median_distance(D)
    widths = Widths(curves={"gamma": GRID / median})
    # A usual width comes first: C goes on only with kernels that lead, and wide ones would with every C.
    widths.propose(start.scale, "start from the data")
    widths.propose(USUAL / median, "median distance")
    if np.ptp(y) > 0:  # no kernel is aligned with a constant
        criterion = TargetAlignment(centered=True)
        scores = np.array([criterion.score(np.exp(-g * D), y, weight) for g in widths.curves["gamma"]])
        widths.curves["centered-kta"] = scores
        widths.propose(widths.curves["gamma"][np.argmax(scores)], "peak of centred alignment")
    widths.propose(WIDE / median, "wide")
    return widths, median


def _can_align(task: RegressionTask) -> bool:
    """Whether metrics can be learned: dense samples, and targets that vary."""
    return not sparse.issparse(task.Z) and np.ptp(task.y_search) > 0


def _by_metric(task: RegressionTask, name: str) -> Choice:
    """A metric of highest alignment, scored with metrics that have not seen the held-out targets.

    The start from the data competes with a full metric or one of low rank, which may keep one direction only,
    that of the linear part of the target, and have the highest alignment of all.
    """
    search, learned, why = search_metric(task, name, (TargetAlignment(centered=True),))
    widths, search.limits = _factors(task, final_kernel(search.base), "highest centred alignment")
    search.run(widths.gammas[1:], widths.reasons[1:])
    if name != "diagonal" and task.deadline.allows("start from the data"):
        plain = ScaleSearch(task.started(as_kernel(name), "scale"), task)
        score = plain.run([1.0], ["start from the data"]).best_score
        if score > search.tried[search.best].best_score:
            search = plain
            why.append(f"The start from the data, without learning, did better: {score:.4f}.")
    path, tube = fit_tube(task, search.tried[search.best], search)
    return Choice(path, path.best, columns_of(learned.result), learned.result, [*why, *tube])


def _by_alignment(task: RegressionTask, start: Kernel) -> Choice:
    """The start and the kernel of highest centred alignment, each at several widths."""
    starts, result = [(start, "start from the data")], None
    if np.ptp(task.y_search) > 0 and task.deadline.allows("search of the highest alignment"):
        result = _optimise(task, start, TargetAlignment(centered=True), QuasiNewton())
        starts.append((result.kernel, "highest centred alignment"))
    return _by_score(task, starts, result)


def _by_score(task: RegressionTask, starts: list[tuple[Kernel, str]], result: TuningResult | None) -> Choice:
    """The start that cross-validation prefers at one of a few widths, then uphill over its widths."""
    searches: list[ScaleSearch] = []
    for kernel, reason in starts:
        widths, limits = _factors(task, kernel, reason)
        search = ScaleSearch(kernel, task, limits)
        if not searches or task.deadline.allows(reason):
            search.run(widths.gammas, widths.reasons, climb=False)
            searches.append(search)
    best = max(searches, key=lambda search: search.tried[search.best].best_score)
    preferred = starts[searches.index(best)][1]
    path, tube = fit_tube(task, best.run([], []), best)
    why = [f"Cross-validation preferred the kernel of the {preferred}; {len(best.tried)} widths were tried."]
    return Choice(path, path.best, columns_of(result), result, [*why, *tube])


def _factors(task: RegressionTask, kernel: Kernel, reason: str) -> tuple[Widths, tuple[float, float]]:
    """Factors to rescale a kernel by, its own first, and the limits of a climb.

    Alignment says which features matter, but not how wide the kernel should be: a wide one has it all for the
    linear part of the target. So Gaussian kernels are tried at usual widths, too.
    """
    widths = Widths()
    widths.propose(1.0, reason)
    if not isinstance(kernel, GaussianFamily):
        return widths, (0.0, np.inf)
    median = kernel.scale * median_distance(kernel.squared_distances(_some_rows(task)[0]))
    for width in (USUAL, USUAL / 8.0):
        widths.propose(width / median, f"{reason}, usual width")
    return widths, (WIDEST / median, NARROWEST / median)


def _by_criterion(
    task: RegressionTask, start: Kernel, criterion: Criterion, search: Optimizer | None
) -> Choice:
    """The criterion alone chooses the kernel; cross-validation chooses C and ε."""
    result = _optimise(task, start, criterion, QuasiNewton() if search is None else search)
    path, tube = fit_tube(task, task.run(result.kernel, f"{criterion.name} ({result.stop_reason})"))
    why = [f"{type(result.kernel).__name__} by {criterion.name}: {result.stop_reason}."]
    return Choice(path, path.best, columns_of(result), result, [*why, *tube])


def _optimise(task: RegressionTask, start: Kernel, criterion: Criterion, search: Optimizer) -> TuningResult:
    Z, y, weight = _some_rows(task)
    problem = TuningProblem(start, criterion, Z, y, sample_weight=weight)
    with warnings.catch_warnings():
        # An optimum at the edge is in the findings; cross-validation tries widths around it anyway.
        warnings.simplefilter("ignore", BoundaryWarning)
        result = search.minimize(problem)
    task.findings.extend(result.diagnostics)
    return result


def median_distance(D: np.ndarray) -> float:
    """Median of the squared distances between samples; their mean if most are zero."""
    return float(np.median(D[np.triu_indices_from(D, 1)])) or float(D.mean())


def _some_rows(task: RegressionTask) -> tuple[Any, np.ndarray, np.ndarray | None]:
    """Samples, targets and weights that a criterion is computed on."""
    n = len(task.y_search)
    rows = np.arange(n)
    if n > MAX_CRITERION_ROWS:
        rows = sample(np.zeros(n, int), MAX_CRITERION_ROWS, task.random_state)
    weight = task.weight_search
    return task.Z_search[rows], task.y_search[rows], None if weight is None else weight[rows]
