"""Criteria over the width of a kernel, beside the cross-validated accuracy: how far can each be trusted?

`criterion_curves` is what figures 4 to 7 of paper 004 (Yin and Yin 2016) and the figures of paper 002
(Glasmachers 2006) do for the criteria of one paper each, for every criterion by name and for your own.
`kernelwise.selection.yin_curves` is a case of it. `glasmachers_curves` has the criteria of paper 002 alone,
with R² and the margin, of which one of them is made.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.threads import one_blas_thread
from kernelwise._core.typing import FoldsLike, MatrixLike, RandomState, Samples, ScaleLike
from kernelwise._core.validation import check_distances, stack_rows
from kernelwise.criteria import (
    CRITERIA,
    Criterion,
    CriterionLike,
    CrossValidationError,
    KernelTargetAlignment,
    Polarization,
    RadiusMargin,
    SumsCriterion,
    as_criterion,
)
from kernelwise.criteria.base import SearchState
from kernelwise.criteria.machine import MachineCriterion
from kernelwise.exceptions import DegenerateGramError
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import RBF, Kernel, KernelLike, as_kernel
from kernelwise.kernels.distances import DISTANCES
from kernelwise.kernels.gram import Grams, base_of, gram_of
from kernelwise.search.data.scaling import fit_scaler
from kernelwise.search.engine.gram_accuracy import held_out_accuracies
from kernelwise.search.propose.candidates import median_distance
from kernelwise.selection.procedure import (
    check_training,
    check_values,
    make_folds,
    noting_convergence,
    table_rows,
)
from kernelwise.selection.width_curves import WidthCurves
from kernelwise.sketch.sketch import DistanceSketch

#: A criterion, several, or several under names of your own.
CriteriaLike = CriterionLike | Iterable[CriterionLike] | Mapping[str, CriterionLike]
#: What stands for every name of `kernelwise.criteria.CRITERIA`.
ALL = "all"
#: γ·(median distance) of the widths, and C·(variance in feature space), if none are given.
WIDTHS = 2.0 ** np.arange(-10.0, 11.0)
CS = 4.0 ** np.arange(-2.0, 6.0)


def criterion_curves(
    X: MatrixLike,
    y: ArrayLike,
    criteria: CriteriaLike,
    kernel: KernelLike = "rbf",
    widths: ArrayLike | None = None,
    Cs: ArrayLike | None = None,
    *,
    scale: ScaleLike = "standard",
    cv: FoldsLike = 5,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    callback: Callable[[int, int], None] | None = None,
) -> WidthCurves:
    """Compute criteria and cross-validated accuracies for every width of a kernel.

    The curves show which width each criterion chooses, what accuracy that width has, and how well the whole
    curve follows the accuracy. Returns a `WidthCurves`; figures 4 to 7 of paper 004 are a case of it.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
        Class labels. More than two classes are classified one against one.
    criteria : str, Criterion, a list of these, or a dict from your names to them
        Names of :data:`kernelwise.criteria.CRITERIA`, or objects, also of classes of your own; "all" stands
        for every name.
    kernel : Kernel or str, default="rbf"
        A kernel exp(−γD) whose width is one number, such as "rbf" or "laplacian".
    widths : array of shape (n_widths,), default=None
        Values of γ. None is 2⁻¹⁰, 2⁻⁹, …, 2¹⁰ over the median of the distances D.
    Cs : array of shape (n_Cs,), default=None
        Values of C for every width. None is eight powers of 4 that follow the kernel: from about 1/16 to 1024
        over its variance in feature space, so that C grows where a kernel gets wider.
    scale : {"standard", "robust", "minmax"}, scaler or None, default="standard"
        How the features are scaled, once, on all samples.
    cv : int or splitter, default=5
        A number means shuffled stratified folds.
    random_state : int, RandomState or None, default=0
        Seed of the folds.
    n_jobs : int, default=None
        Number of threads. Results do not depend on it.
    callback : callable, default=None
        ``callback(number, n_widths)`` is called after every width.

    Notes
    -----
    Distances are computed once, and every width has one Gram matrix for all criteria and folds. Functions of
    sums over classes (DBTC, ESDR, J4, …) come from one pass over the pairs of samples for all widths. The
    machines of a fold are one path of C; those of a criterion begin where those of the last C or width ended.

    A criterion of a trained machine that searches C is computed for every C, and its best value counts; one
    with a fixed C has that. The reference of `RegularizedMargin` is the kernel that a search would start
    from. Folds of `CrossValidationError` are shuffled by ``random_state``.

    Features are scaled, and widths compared, on all samples: the accuracies say which widths suit these data,
    and the best of them is no estimate for new data.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.selection import criterion_curves
    >>> X, y = load_iris(return_X_y=True)
    >>> curves = criterion_curves(X, y, ["dbtc", "kta"], widths=[0.001, 0.1, 10.0], Cs=[1.0, 100.0])
    >>> for one in curves.choices:
    ...     print(one.criterion, one.width, round(one.accuracy, 3), round(one.rank_correlation, 2))
    dbtc 0.1 0.96 0.5
    kta 0.1 0.96 0.5
    >>> curves.best_accuracy.round(3)
    array([0.953, 0.96 , 0.887])
    """
    named = named_criteria(criteria)
    X, y = check_training(X, y)
    start, Z = _on_samples(kernel, X, y, scale)
    folds, findings = make_folds(X, y, cv, random_state)
    points = _Points(start, Z, named)
    gammas = points.widths() if widths is None else check_values(widths, "widths", "criterion_curves")
    fixed = None if Cs is None else check_values(Cs, "Cs", "criterion_curves")
    columns = {
        name: _Column(name, one, points.rows[name], y, len(gammas), random_state)
        for name, one in named.items()
    }
    sketched = {name: one for name, one in columns.items() if one.is_of_sums}
    if sketched:
        sketch = DistanceSketch.from_data(Z, y, kernel=start, n_jobs=n_jobs)
        for one in sketched.values():
            one.read(sketch, gammas)
    others = [one for one in columns.values() if not one.is_of_sums]
    if others:
        first = gram_of(start, points.points)  # kept: a criterion may compare with it
        for one in others:
            one.begin(first)
    used, right = [], []
    with noting_convergence(findings):  # of cross-validation: those of criteria are kept by their columns
        for k, gamma in enumerate(gammas):
            with points.grams.gram(start.rescaled(start.factor_for(float(gamma)))) as K:
                own = points.of_samples(K)
                values = _following(own) if fixed is None else fixed
                shares = held_out_accuracies(own, y, values, folds, n_jobs=n_jobs)
                used.append(values)
                right.append(np.rint(shares * [len(test) for _, test in folds]).astype(int))
                with one_blas_thread():  # matrices of support vectors are small
                    for one in others:
                        one.evaluate(k, K, values)
            if callback is not None:
                callback(k + 1, len(gammas))
    findings += [finding for one in columns.values() for finding in one.findings()]
    return WidthCurves(
        kernel=start,
        widths=gammas,
        Cs=np.stack(used),
        criteria=named,
        scores={name: one.scores for name, one in columns.items()},
        own_Cs={name: one.Cs for name, one in columns.items()},
        right=np.stack(right),
        fold_sizes=np.array([len(test) for _, test in folds]),
        seconds={name: one.seconds for name, one in columns.items()},
        findings=tuple(findings),
    )


def named_criteria(criteria: CriteriaLike) -> dict[str, Criterion]:
    """Return criteria under the names they were asked for by, or their own; say what is wrong with them."""
    if isinstance(criteria, str | Criterion):
        criteria = list(CRITERIA) if isinstance(criteria, str) and criteria == ALL else [criteria]
    if isinstance(criteria, Mapping):
        named = {str(name): as_criterion(one) for name, one in criteria.items()}
    elif isinstance(criteria, Iterable):
        named = {}
        for one in criteria:
            found = as_criterion(one)
            name = one if isinstance(one, str) else found.name
            named[name if name not in named else repr(found)] = found
    else:
        raise ValueError(f"criteria of criterion_curves must be names or criteria, got {criteria!r}.")
    if not named:
        raise ValueError("criteria of criterion_curves is empty. Pass at least one, or 'all'.")
    for name, found in named.items():
        if found.is_regression:
            raise ValueError(f"criterion_curves is about classes, but {name} is a criterion of numbers.")
    return named


def _on_samples(kernel: KernelLike, X: Samples, y: np.ndarray, scale: ScaleLike) -> tuple[Any, Samples]:
    """The kernel that a search would start from, and the samples that it is on."""
    start = as_kernel(kernel)
    if not start.has_one_width:
        raise ValueError(
            f"criterion_curves needs a kernel whose width is one number, such as 'rbf' or 'laplacian', not "
            f"{type(start).__name__}."
        )
    if getattr(start, "takes_distances", False):
        Z: Samples = check_distances(X)
    else:
        scaler = fit_scaler(scale, X, None, "criterion_curves")
        Z = X if scaler is None else scaler.transform(X)
    start.check_takes(Z)
    return start.initialize(Z, y, None if isinstance(kernel, str) else "keep"), Z


class _Points:
    """Samples and the further points of criteria, with Gram matrices of all of them."""

    def __init__(self, start: Kernel, Z: Samples, criteria: Mapping[str, Criterion]) -> None:
        self.n = Z.shape[0]
        self.start, self.points = start, Z
        #: Rows of the points that each criterion is about.
        self.rows: dict[str, np.ndarray] = {}
        for name, criterion in criteria.items():
            extra = criterion.extra_points(Z.shape[1])
            more = np.empty(0, dtype=int)
            if extra is not None:
                if getattr(start, "takes_distances", False):
                    raise ValueError(f"{name} needs points beside the samples, which distances do not give.")
                more = np.arange(self.points.shape[0], self.points.shape[0] + extra.shape[0])
                self.points = stack_rows(self.points, extra)
            self.rows[name] = np.append(np.arange(self.n), more)
        base = base_of(start)
        self.grams = Grams(self.points, [] if base is None else [base])

    def of_samples(self, K: np.ndarray) -> np.ndarray:
        """The block of the samples."""
        return K if len(K) == self.n else np.ascontiguousarray(K[: self.n, : self.n])

    def widths(self) -> np.ndarray:
        """Values of γ around the median distance of the samples."""
        D = self.start.distances(self.points)[: self.n, : self.n]
        if not D.any():
            raise ValueError("All samples are equal, so that no width tells them apart. Check X.")
        return WIDTHS / median_distance(D)


def _following(K: np.ndarray) -> np.ndarray:
    """Powers of 4 in units of one over the variance in feature space."""
    variance = float(K.diagonal().mean() - K.mean())
    steps = np.round(-np.log(max(variance, 1e-300)) / np.log(4.0))
    return CS * 4.0**steps


class _Column:
    """The curve of one criterion while it is made."""

    def __init__(
        self,
        name: str,
        criterion: Criterion,
        rows: np.ndarray,
        y: np.ndarray,
        n_widths: int,
        random_state: RandomState,
    ) -> None:
        if isinstance(criterion, CrossValidationError) and criterion.random_state is None:
            seed = random_state if isinstance(random_state, int | np.integer) else 0
            criterion = criterion._copy(random_state=int(seed))
        self.name, self.criterion, self.rows, self.y = name, criterion, rows, y
        self.scores, self.Cs = np.full(n_widths, np.nan), np.full(n_widths, np.nan)
        self.state, self.seconds = SearchState(), 0.0
        self.stopped: dict[int, str] = {}  # what the solver said first, by width

    @property
    def is_of_sums(self) -> bool:
        """Whether one pass over the pairs of samples gives all widths."""
        return isinstance(self.criterion, SumsCriterion) and not self.criterion.needs_rows

    def read(self, sketch: DistanceSketch, gammas: np.ndarray) -> None:
        """The whole curve from a sketch; where it is undefined, as much as there is."""
        started = time.perf_counter()
        try:
            self.scores = np.asarray(sketch.curve(self.criterion, gammas))
        except DegenerateGramError:
            for k, gamma in enumerate(gammas):
                with suppress(DegenerateGramError):
                    self.scores[k] = sketch.curve(self.criterion, [gamma])[0]
        self.seconds += time.perf_counter() - started

    def begin(self, K: np.ndarray) -> None:
        """Evaluate at the kernel that a search starts from, which some criteria refer to."""
        with warnings.catch_warnings(), suppress(DegenerateGramError):
            warnings.simplefilter("ignore", ConvergenceWarning)  # no point of the curve
            self._cost(self.criterion, K)

    def evaluate(self, k: int, K: np.ndarray, Cs: np.ndarray) -> None:
        """The k-th point of the curve: the best over C if the criterion searches it; a gap if undefined."""
        started = time.perf_counter()
        with warnings.catch_warnings(record=True) as caught, suppress(DegenerateGramError):
            warnings.simplefilter("always")
            self.scores[k], self.Cs[k] = self._best(K, Cs)
        for one in caught:
            if issubclass(one.category, ConvergenceWarning):
                self.stopped.setdefault(k, str(one.message))
            else:
                warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
        self.seconds += time.perf_counter() - started

    def _best(self, K: np.ndarray, Cs: np.ndarray) -> tuple[float, float]:
        """The score, and the C of it if the criterion searches C."""
        criterion = self.criterion
        if not isinstance(criterion, MachineCriterion) or not criterion.search_C:
            return criterion.sign * self._cost(criterion, K), np.nan
        costs = [self._cost(criterion._copy(C=float(C), search_C=False), K) for C in Cs]
        best = int(np.argmin(costs))  # of equals the smallest C
        return criterion.sign * costs[best], float(Cs[best])

    def findings(self) -> list[Finding]:
        """What to know about the curve: where it is undefined, and where machines did not converge."""
        found = []
        if n_gaps := int(np.isnan(self.scores).sum()):
            found.append(catalogue.UNDEFINED_AT_WIDTHS(criterion=self.name, n=n_gaps))
        if self.stopped:
            first = next(iter(self.stopped.values()))
            found.append(catalogue.STOPPED_AT_WIDTHS(criterion=self.name, n=len(self.stopped), first=first))
        return found

    def _cost(self, criterion: Criterion, K: np.ndarray) -> float:
        block = K if len(self.rows) == len(K) else K[np.ix_(self.rows, self.rows)]
        return criterion.evaluate(block, self.y, memory=self.state, needs_gradient=False).value


@dataclass(frozen=True, eq=False)
class GlasmachersCurves:
    """The criteria of paper 002 for every σ of exp(−‖x − x′‖²/(2σ²)).

    Attributes
    ----------
    sigmas : ndarray of shape (n_sigmas,)
        In increasing order.
    C : float
    radius_margin, radius2, margin : ndarray of shape (n_sigmas,)
        R²/γ², R² and γ, of the kernel plus I/C.
    polarization, alignment, centered_alignment : ndarray of shape (n_sigmas,)
        Of the kernel itself, without I/C.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from kernelwise.selection import glasmachers_curves
    >>> curves = glasmachers_curves(*make_moons(60, noise=0.2, random_state=0), sigmas=[1e-4, 0.1, 1.0])

    Without repeated points polarization ends at n, and R² at (1 + 1/C)(1 − 1/n), as σ → 0,
    here 2 (1 − 1/60):

    >>> [round(float(curve[0]), 6) for curve in (curves.polarization, curves.radius2)]
    [60.0, 1.966667]
    >>> curves.radius_margin.shape, len(curves.to_rows())
    ((3,), 3)
    """

    sigmas: np.ndarray
    C: float
    radius_margin: np.ndarray
    radius2: np.ndarray
    margin: np.ndarray
    polarization: np.ndarray
    alignment: np.ndarray
    centered_alignment: np.ndarray

    def to_rows(self) -> list[dict[str, float]]:
        """One row for every σ."""
        names = [name for name in self.__dataclass_fields__ if name not in ("sigmas", "C")]
        return table_rows({"sigma": self.sigmas, **{name: getattr(self, name) for name in names}})


def glasmachers_curves(X: MatrixLike, y: ArrayLike, sigmas: ArrayLike, C: float = 1.0) -> GlasmachersCurves:
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
    samples, y = check_training(X, y)
    sigmas = check_values(sigmas, "sigmas", "glasmachers_curves")
    radius_margin, state = RadiusMargin(C, search_C=False), SearchState()
    others = (Polarization(), KernelTargetAlignment(), KernelTargetAlignment(centered=True))
    grams = Grams(samples, [DISTANCES])
    table = np.empty((len(sigmas), 6))
    for k, sigma in enumerate(sigmas):
        with grams.gram(RBF(0.5 / sigma**2)) as K:
            value = radius_margin.evaluate(K, y, memory=state, needs_gradient=False).value
            report = state.report
            scores = [criterion.score(K, y) for criterion in others]
            table[k] = value, report["radius2"], report["margin"], *scores
    return GlasmachersCurves(sigmas, float(C), *table.T)
