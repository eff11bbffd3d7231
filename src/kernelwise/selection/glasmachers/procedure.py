"""The procedure that paper 002 (Glasmachers 2006) recommends, and the curves it is about.

Radius-margin, polarization and alignment may have an optimum at σ → 0 for no better reason than the labels of
the two closest samples. A search from Jaakkola's start "should avoid the boundary optima with very high
probability"; here it is checked whether it did.

Samples are taken as they are, so scale the features first. Every choice is made on the samples passed in:
pass training data only. ``cv_accuracy`` is what C was chosen by and not an estimate for new data.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.validation import check_choice
from kernelwise.criteria import Criterion, KernelTargetAlignment, Polarization, RadiusMargin, as_criterion
from kernelwise.criteria.base import SearchState
from kernelwise.criteria.margin import LOSSES
from kernelwise.diagnostics import boundary_verdict
from kernelwise.estimators.svc import SVC
from kernelwise.exceptions import BoundaryWarning
from kernelwise.kernels import RBF, Kernel, as_kernel
from kernelwise.kernels.distances import DISTANCES
from kernelwise.kernels.gram import Grams
from kernelwise.optimizers import QuasiNewton
from kernelwise.optimizers.base import Optimizer
from kernelwise.search.accuracy import pooled_accuracies
from kernelwise.selection.cross_validation import noting_convergence
from kernelwise.selection.glasmachers.result import GlasmachersCurves, GlasmachersResult
from kernelwise.selection.glasmachers.search import Searches
from kernelwise.selection.procedure import Procedure, check_training, check_values, edge_finding

CS = tuple(2.0**k for k in range(-5, 16))


def glasmachers_select(
    X: Any,
    y: Any,
    criterion: Any = "radius-margin",
    kernel: Any = "rbf",
    *,
    C: float | None = None,
    start: str = "jaakkola",
    optimizer: Optimizer | None = None,
    n_restarts: int = 0,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    Cs: Any = CS,
    cv: Any = 5,
    random_state: Any = 0,
    n_jobs: int | None = None,
    loss: str = "hinge",
) -> GlasmachersResult:
    """Choose the kernel at an optimum of a criterion near Jaakkola's start, then C by cross-validation.

    What paper 002, section 5, recommends, with a check that it worked (theorems 2 and 3). Returns a
    `GlasmachersResult`.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        With more than two classes the criterion's own strategy applies; the machine is one against one.
    criterion : {"radius-margin", "polarization", "kta", "centered-kta"} or Criterion, default="radius-margin"
        Or any other with a gradient.
    kernel : str or Kernel, default="rbf"
    C : float, default=None
        Of "radius-margin"; None searches it together with the kernel's parameters, from 1.
    start : {"jaakkola", "median", "scale", "keep"}, default="jaakkola"
        Where the search begins, see :meth:`kernelwise.kernels.Kernel.initialize`; "keep" is the kernel as
        it is passed.
    optimizer : Optimizer, default=None
        None is :class:`~kernelwise.optimizers.QuasiNewton`.
    n_restarts : int, default=0
        Further searches from around the start: the criteria have local optima.
    bounds : dict from parameter name to (lowest, highest), default=None
        As in :class:`~kernelwise.problem.TuningProblem`.
    Cs : array of shape (n_Cs,)
        Of the final machine: 2⁻⁵, 2⁻⁴, …, 2¹⁵ by default. Not used if the criterion searches the C of that
        very machine, as ``RadiusMargin(norm=1)`` does, and "radius-margin" with ``loss="squared_hinge"``.
    cv : int or splitter, default=5
        A number means shuffled stratified folds.
    random_state : int, RandomState or None, default=0
        Seed of the restarts and the folds.
    n_jobs : int, default=None
        Number of threads of cross-validation. Results do not depend on it.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        Of the final machine, as in `kernelwise.SVC`. The paper's is "squared_hinge", the 2-norm machine: its
        C is then the one that "radius-margin" finds.

    Warns
    -----
    BoundaryWarning
        If the best optimum sits at σ → 0, with the closest pair as evidence: the kernel is then the best
        optimum inside the range. If there is none, one more search begins at the median distance between
        samples; if that finds none, the kernel is the start. Also if the best optimum is at another edge
        of its range.

    Notes
    -----
    Holds a few n × n arrays.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from kernelwise.selection import glasmachers_select
    >>> X, y = make_moons(200, noise=0.2, random_state=0)
    >>> chosen = glasmachers_select(X, y)
    >>> chosen.is_narrow, chosen.search.stop_reason, round(chosen.cv_accuracy, 2)
    (False, 'converged', 0.96)
    """
    procedure = Procedure(X, y)
    X, y, findings = procedure.X, procedure.y, procedure.findings
    values = check_values(Cs, "Cs", "glasmachers_select")
    check_choice(loss, "loss", "glasmachers_select", tuple(LOSSES.values()))
    method, cost = _named(criterion, C)
    begin = as_kernel(kernel).initialize(X, y, start)
    verdict = boundary_verdict(X, y, begin) if begin.is_gaussian else None

    searches = Searches(X, y, cost, optimizer or QuasiNewton(), bounds)
    searches.run(begin)
    searches.restart(begin, n_restarts, random_state)
    if searches.chosen is None:
        searches.run_wide(begin)
    findings += [*searches.findings(), *([] if verdict is None else [verdict.finding])]
    if searches.is_narrow:
        findings.append(searches.narrow_finding(method, verdict))
        warnings.warn(str(findings[-1]), BoundaryWarning, stacklevel=2)

    optimum = None if searches.chosen is None else searches.optima[searches.chosen]
    found = begin if optimum is None else optimum.kernel
    own = None if optimum is None else optimum.criterion
    if isinstance(own, RadiusMargin) and own.search_C and LOSSES[own.norm] == loss:
        choice = _ChoiceOfC(own.C, np.nan, np.empty(0), np.empty(0))
    else:
        procedure.split(cv, random_state)
        choice = _choose_C(procedure, found, values, n_jobs, loss)
    return GlasmachersResult(
        method=method,
        kernel=found,
        **choice._asdict(),
        start=begin,
        search=searches.optima[searches.best],
        optima=tuple(searches.optima),
        is_narrow=searches.is_narrow,
        nearest=searches.nearest[searches.best],
        verdict=verdict,
        **procedure.trained(SVC(C=choice.C, kernel=found, n_jobs=n_jobs, loss=loss)),
    )


def glasmachers_curves(X: Any, y: Any, sigmas: Any, C: float = 1.0) -> GlasmachersCurves:
    """Compute R²/γ², polarization and alignment for every σ (paper 002, section 2).

    Distances are computed once. Returns a `GlasmachersCurves`.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    sigmas : array of shape (n_sigmas,)
    C : float, default=1.0
        C of the 2-norm machine.

    Examples
    --------
    >>> from kernelwise.selection import glasmachers_curves
    >>> curves = glasmachers_curves([[0.0], [1.0], [2.0], [4.0]], [0, 0, 1, 1], [0.01, 1.0])
    >>> curves.polarization.round(3), curves.radius_margin.round(3)
    (array([4.   , 3.977]), array([3.   , 2.762]))
    """
    X, y = check_training(X, y)
    sigmas = check_values(sigmas, "sigmas", "glasmachers_curves")
    radius_margin, state = RadiusMargin(C, search_C=False), SearchState()
    others = (Polarization(), KernelTargetAlignment(), KernelTargetAlignment(centered=True))
    grams = Grams(X, [DISTANCES])
    table = np.empty((len(sigmas), 6))
    for k, sigma in enumerate(sigmas):
        with grams.gram(RBF(0.5 / sigma**2)) as K:
            value = radius_margin.evaluate(K, y, memory=state, needs_gradient=False).value
            report = state.report
            scores = [criterion.score(K, y) for criterion in others]
            table[k] = value, report["radius2"], report["margin"], *scores
    return GlasmachersCurves(sigmas, float(C), *table.T)


def _named(criterion: Any, C: float | None) -> tuple[str, Criterion]:
    """Return the name of the criterion, and the criterion with this C."""
    method = criterion if isinstance(criterion, str) else as_criterion(criterion).name
    if C is None:
        return method, as_criterion(criterion)
    if criterion != "radius-margin":
        raise ValueError(
            f"C is that of criterion='radius-margin', not of {criterion!r}. Leave it out: the C of the final "
            "model is chosen among Cs."
        )
    return method, RadiusMargin(C, search_C=False)


class _ChoiceOfC(NamedTuple):
    C: float
    cv_accuracy: float
    Cs: np.ndarray
    accuracies: np.ndarray


def _choose_C(
    procedure: Procedure, kernel: Kernel, Cs: np.ndarray, n_jobs: int | None, loss: str
) -> _ChoiceOfC:
    """Choose the C of the highest cross-validation accuracy; of equals, the smallest."""
    with noting_convergence(procedure.findings):
        K = kernel(procedure.X)
        accuracies = pooled_accuracies(K, procedure.y, Cs, procedure.folds, n_jobs=n_jobs, loss=loss)
    C = float(Cs[int(accuracies.argmax())])
    procedure.findings += edge_finding("C", C, Cs)
    return _ChoiceOfC(C, float(accuracies.max()), Cs, accuracies)
