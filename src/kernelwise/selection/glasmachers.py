"""Paper 002 (Glasmachers 2006): two points can mislead a criterion for the width.

T. Glasmachers, *Degeneracy in model selection for SVMs with radial Gaussian kernel*, proves when the
radius-margin quotient and polarization have an optimum in the limit of narrow kernels: the labels of the two
closest points decide it. The paper recommends to start a search at Jaakkola's heuristic, far from that limit.

- the procedure, with a check that the search stayed clear of the limit: `glasmachers_select`
- the criteria over the width: `glasmachers_curves`, in `curves`
- the criteria: :class:`kernelwise.criteria.RadiusMargin`, :class:`kernelwise.criteria.Polarization`,
  :class:`kernelwise.criteria.KernelTargetAlignment`; the search: :class:`kernelwise.optimizers.QuasiNewton`
- the theorems on your data: :func:`kernelwise.diagnostics.boundary_verdict`
- the experiments: ``kernelwise reproduce glasmachers``, in ``kernelwise.studies.glasmachers``

A search from Jaakkola's start "should avoid the boundary optima with very high probability"; here it is
checked whether it did. Samples are taken as they are, so scale the features first. Every choice is made on
the samples passed in: pass training data only. ``cv_accuracy`` is what C was chosen by and not an estimate
for new data.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from kernelwise._core.typing import FoldsLike, MatrixLike, RandomState, Samples
from kernelwise._core.validation import check_choice, check_labels
from kernelwise.criteria import Criterion, CriterionLike, RadiusMargin, as_criterion
from kernelwise.criteria.margin import LOSSES
from kernelwise.diagnostics import BoundaryVerdict, boundary_verdict, distinct_points
from kernelwise.estimators.svc import SVC
from kernelwise.exceptions import BoundaryWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import Kernel, KernelLike, as_kernel
from kernelwise.kernels.distances import DISTANCES
from kernelwise.optimizers import QuasiNewton
from kernelwise.optimizers.base import Optimizer
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.search.engine.gram_accuracy import pooled_accuracies
from kernelwise.selection.procedure import (
    Procedure,
    ProcedureResult,
    check_values,
    edge_finding,
    noting_convergence,
)
from kernelwise.space import SearchSpace

CS = tuple(2.0**k for k in range(-5, 16))


def glasmachers_select(
    X: MatrixLike,
    y: ArrayLike,
    criterion: CriterionLike = "radius-margin",
    kernel: KernelLike = "rbf",
    *,
    C: float | None = None,
    start: str = "jaakkola",
    optimizer: Optimizer | None = None,
    n_restarts: int = 0,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 5,
    random_state: RandomState = 0,
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


def _named(criterion: CriterionLike, C: float | None) -> tuple[str, Criterion]:
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


#: Kernel value of the typical sample with its nearest neighbour below which a kernel counts as σ → 0; at
#: Jaakkola's start it is at least exp(−½).
NARROW = 1e-3
#: Smallest kernel value above which it counts as σ → ∞, where criteria are flat and any search ends.
WIDE = 1.0 - 1e-3
SPREAD = 2.0  # of the restarts, in the logarithm of a parameter


class Searches:
    """Searches for one kernel by one criterion.

    Attributes
    ----------
    optima : list of TuningResult
        Where each search ended.
    nearest : list of float
        For each, the median over the different points of the largest kernel value with another one; NaN for
        a kernel that is not radial.
    is_inside : list of bool
        Whether it ended at an optimum neither at σ → 0 nor at σ → ∞.
    """

    def __init__(
        self,
        X: Samples,
        y: np.ndarray,
        criterion: Criterion,
        optimizer: Optimizer,
        bounds: Mapping[str, tuple[float, float]] | None,
    ) -> None:
        self.X, self.y, self.criterion = X, y, criterion
        self.optimizer, self.bounds = optimizer, bounds
        classes, index = check_labels(y, len(y))
        self.points = distinct_points(X, index, len(classes)).first
        self.optima: list[TuningResult] = []
        self.nearest: list[float] = []
        self.is_inside: list[bool] = []
        self._caught: list[list[warnings.WarningMessage]] = []

    def run(self, kernel: Kernel, criterion: Criterion | None = None) -> None:
        """Search from this kernel; warnings wait until it is known which optimum is the best."""
        problem = TuningProblem(kernel, criterion or self.criterion, self.X, self.y, bounds=self.bounds)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.optima.append(self.optimizer.minimize(problem))
        self._caught.append(caught)
        self._look_at(self.optima[-1])

    def restart(self, kernel: Kernel, n_restarts: int, random_state: RandomState) -> None:
        """Search from starts with normal noise on the parameters: log-normal noise on positive ones."""
        random = check_random_state(random_state)
        problem = TuningProblem(kernel, self.criterion, self.X, self.y, bounds=self.bounds)
        space = SearchSpace(problem)
        for _ in range(n_restarts):
            noise = random.normal(scale=SPREAD, size=space.start.shape)
            theta = space.to_theta(space.clip(space.start + noise))
            self.run(problem.kernel_at(theta), problem.criterion_at(theta))

    def run_wide(self, kernel: Kernel) -> None:
        """Search from the median distance between samples, or as near to it as the bounds allow."""
        problem = TuningProblem(kernel, self.criterion, self.X, self.y, bounds=self.bounds)
        space = SearchSpace(problem)
        wide = kernel.initialize(self.X, self.y, "median").theta.ravel()
        vector = space.to_vector(np.concatenate([wide, self.criterion.theta]))
        self.run(problem.kernel_at(space.to_theta(space.clip(vector))))

    def _look_at(self, result: TuningResult) -> None:
        """Note whether the kernel is so narrow, or so wide, that samples all look alike to it."""
        nearest, farthest = np.nan, 0.0
        if result.kernel.is_radial:
            K = result.kernel(self.X[self.points])
            farthest = float(K.min())
            np.fill_diagonal(K, -np.inf)
            nearest = float(np.median(K.max(axis=1)))
        self.nearest.append(nearest)
        self.is_inside.append(result.converged and not nearest < NARROW and farthest < WIDE)

    @property
    def best(self) -> int:
        """Number of the search with the lowest cost."""
        return min(range(len(self.optima)), key=lambda k: self.optima[k].value)

    @property
    def is_narrow(self) -> bool:
        """Whether the best search ended at σ → 0."""
        return self.nearest[self.best] < NARROW

    @property
    def chosen(self) -> int | None:
        """The best search or, if that one is narrow, the best that ended at an optimum inside, if any."""
        if not self.is_narrow:
            return self.best
        inside = np.flatnonzero(self.is_inside).tolist()
        return min(inside, key=lambda k: self.optima[k].value, default=None)

    def findings(self) -> list[Finding]:
        """Return the findings of the chosen search and issue its warnings; ``optima`` has the others."""
        if self.chosen is None:
            return []
        for caught in self._caught[self.chosen]:
            warnings.warn(caught.message, caught.category, stacklevel=3)
        return list(self.optima[self.chosen].diagnostics)

    def narrow_finding(self, method: str, verdict: BoundaryVerdict | None) -> Finding:
        """Say why the best optimum counts as one at σ → 0, and which kernel is used instead."""
        pair = "" if verdict is None else f" {verdict.finding.message}"
        if verdict is not None and verdict.sign > 0:
            pair += " This pair does not cause the optimum; other pairs of close samples do."
        used = "the start, since no search ended at an optimum inside the range"
        if self.chosen is not None:
            used = f"the best optimum inside the range, {self.optima[self.chosen].kernel!r}"
        return catalogue.BEST_AT_ZERO(
            method=method,
            kernel=self.optima[self.best].kernel,
            nearest=self.nearest[self.best],
            pair=pair,
            chosen=used,
        )


@dataclass(frozen=True, eq=False, kw_only=True)
class GlasmachersResult(ProcedureResult):
    """A kernel and C, how they were chosen, and the model trained with them.

    Attributes
    ----------
    method : str
        Name of the criterion.
    kernel : Kernel
        That of ``search`` or, if that one is too narrow, the best optimum inside the range or the start.
    C : float
    cv_accuracy : float
        At ``C``; NaN if the criterion chose C.
    start : Kernel
        Where the first search began: Jaakkola's heuristic, unless ``start`` names another.
    search : TuningResult
        The best optimum of all searches, too narrow or not.
    optima : tuple of TuningResult
        Where each search ended: that from ``start``, those of the restarts, and one from a wide kernel if
        the best is too narrow and no other one ended inside the range.
    is_narrow : bool
        Whether ``search`` ended at σ → 0.
    nearest : float
        Its kernel value of a typical sample with its nearest neighbour: the median over the points. NaN if
        the kernel is not radial.
    verdict : BoundaryVerdict or None
        The theorems on these data; None if the kernel is not Gaussian.
    Cs, accuracies : ndarray of shape (n_Cs,)
        Values of C tried and their cross-validation accuracies; empty if the criterion chose C.
    estimator : SVC
        Trained on all samples.
    seconds : float
        Time of choosing, without training the estimator.
    findings : tuple of Finding

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from kernelwise.selection import glasmachers_select
    >>> X, y = make_moons(100, noise=0.2, random_state=0)
    >>> result = glasmachers_select(X, y, "kta", Cs=[1.0, 10.0])

    A width inside the range, and what the closest pair says about narrower ones:

    >>> result.is_narrow, 0.01 < result.sigma < 10.0, result.verdict.sign
    (False, True, 1)
    >>> len(result.optima), result.estimator.predict(X).shape
    (1, (100,))
    """

    kernel: Kernel
    start: Kernel
    search: TuningResult = field(repr=False)
    optima: tuple[TuningResult, ...] = field(repr=False)
    is_narrow: bool
    nearest: float
    verdict: BoundaryVerdict | None = field(repr=False)
    Cs: np.ndarray = field(repr=False)
    accuracies: np.ndarray = field(repr=False)

    _columns: ClassVar[tuple[str, ...]] = (
        *("method", "sigma", "C", "cv_accuracy", "is_narrow", "seconds", "kernel"),
    )

    @property
    def sigma(self) -> float:
        """σ of exp(−‖x − x′‖²/(2σ²)); NaN if the kernel is not RBF."""
        is_rbf = self.kernel.is_gaussian and self.kernel.gram_base == DISTANCES
        return float(np.sqrt(1.0 / self.kernel.metric(1).item())) if is_rbf else np.nan
