"""The procedure of paper 003 (Laanaya and others 2011), and what the paper compares it with.

H. Laanaya, F. Abdallah, H. Snoussi and C. Richard, *Learning general Gaussian kernel hyperparameters of SVMs
using optimization on symmetric positive-definite matrices manifold*, give the Gaussian kernel a matrix Q in
place of one width and choose it by a regularised margin, along geodesics of the manifold of such matrices.

- the procedure: `laanaya_select`; what the paper compares it with: `rbf_select`, `adaptive_scaling_select`,
  `constant_trace_select`. Their result, `MetricResult`, is in :mod:`kernelwise.selection.learned_metric`
- the kernels: :class:`kernelwise.kernels.DiagonalGaussian`, :class:`kernelwise.kernels.Gaussian`
- the criterion: :class:`kernelwise.criteria.RegularizedMargin`
- the search: :class:`kernelwise.optimizers.ManifoldDescent`
- the experiments: ``kernelwise reproduce laanaya``, in ``kernelwise.studies.laanaya``

`FromIsotropic` is the paper as printed: from Q₀ = σ₀I with K′ = K_{Q₀}, and algorithm 1 itself. There the
machine is trained at Q_q, and its α stays fixed while Q moves; where Q comes to rest the machine is trained
again, until Q rests where it started. With α fixed the inner loop lowers a lower bound of w that touches w at
Q_q and has its gradient there. So the fixed points of the algorithm are the stationary points of w, but w
itself may rise on the way, and nothing makes the algorithm arrive: the number of trainings is limited.

Every choice is made on the samples passed in. Where more than one start, C or ρ is given, cross-validation
chooses: each fold standardises, learns and trains on its own training part.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.typing import FoldsLike, MatrixLike, RandomState
from kernelwise._core.validation import check_choice, check_positive
from kernelwise.criteria import Criterion, CriterionLike, RegularizedMargin, as_criterion
from kernelwise.exceptions import BoundaryWarning
from kernelwise.findings import Finding, catalogue
from kernelwise.kernels import DiagonalGaussian, Gaussian, Kernel
from kernelwise.optimizers import ManifoldDescent
from kernelwise.optimizers.manifold_descent import METHODS
from kernelwise.problem import TuningProblem
from kernelwise.result import TuningResult
from kernelwise.search.propose.metric_learner import FLOOR, STARTS, LearnedMetric, MetricLearner
from kernelwise.selection.learned_metric import (
    CS,
    GAMMAS,
    Learner,
    MetricResult,
    MetricSearch,
    learned,
    rbf_grid,
)
from kernelwise.selection.procedure import check_values, edge_finding

#: The search ends when w falls no further, or here: beyond, accuracy no longer changes.
MAX_ITER = 60


def laanaya_select(
    X: MatrixLike,
    y: ArrayLike,
    kernel: str = "diagonal",
    *,
    C: ArrayLike | None = None,
    rho: ArrayLike = 0.1,
    sigma0: ArrayLike | None = None,
    start: str | None = None,
    method: str = "conjugate-gradient",
    max_iter: int = MAX_ITER,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 5,
    random_state: RandomState = 0,
) -> MetricResult:
    """Minimise the regularised margin w over Q, from Q₀ = σ₀I with K′ = K_{Q₀} (paper 003, algorithm 1).

    Returns a `MetricResult`.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    kernel : {"diagonal", "gaussian"}, default="diagonal"
        The paper takes diagonal Q for its toy data and full Q for real data.
    C, rho : float or sequence of float
        Of w. The paper does not print its ρ; C is None for 10, or for that of ``start``.
    sigma0 : float or sequence of float, default=None
        Where Q starts, for standardised samples; None is 1, 2, 5 and 10 over the number of features.
    start : {None, "rbf"}, default=None
        "rbf" is the paper's protocol: width and C of the plain machine are chosen first, by cross-validation
        on these samples (`rbf_select`), Q starts from that width, and w and the machine in the end have that
        C. Leave ``C`` and ``sigma0`` out then.
    method : {"conjugate-gradient", "paper", "riemannian", "trust-region", "alternating"}
        How w is minimised. "alternating" is algorithm 1, which trains the machine and moves Q in turn; the
        others train the machine anew at every point (:class:`~kernelwise.optimizers.ManifoldDescent`), with
        the printed step for "paper", which takes several times the iterations. The default is
        "conjugate-gradient".
    max_iter : int, default=60
        Largest number of steps; for "alternating", in each inner loop.
    Cs : array
        For the machine that is trained in the end, and for the grid of ``start="rbf"``.
    cv : int or splitter, default=5
    random_state : int, RandomState or None, default=0
        Seed of the folds.

    Notes
    -----
    Algorithm 1 is corrected in two places here: the line search lowers the cost, where eq. 23 has its sign
    reversed, and the inner loop stops when the cost falls no further, where the printed one stops as soon as
    it does fall. With α fixed the inner loop lowers a lower bound of w while w itself may rise; so the other
    methods train α anew at every point. Neither is better at everything: w is minimised further by the
    others, which finds the relevant features of many, while a full metric for few samples is better left
    near its start.

    "alternating" and ``start="rbf"`` start full metrics from Q₀ = σ₀I with K′ = K_{Q₀}, as the paper does.
    Otherwise a full metric goes on from the diagonal one, and K′ is the Gram matrix there. With
    ``start="rbf"`` all folds have the start and C of the whole training set, so that ``cv_accuracy`` is for
    comparing values of ρ, and a little too high as an estimate.

    Examples
    --------
    >>> from kernelwise.datasets import make_weston
    >>> from kernelwise.selection import laanaya_select
    >>> X, y = make_weston(80, n_noise=4, random_state=0)
    >>> result = laanaya_select(X, y, sigma0=[0.01, 1.0], max_iter=10, Cs=[1.0, 10.0], cv=3)

    Cross-validation chooses between the two starts:

    >>> list(result.cv_accuracies)
    ['C=10, rho=0.1, start=0.06', 'C=10, rho=0.1, start=6']
    >>> result.method in result.cv_accuracies, result.cv_accuracy > 0.9
    (True, True)
    """
    me = "laanaya_select"
    check_choice(kernel, "kernel", me, ("diagonal", "gaussian"))
    check_choice(method, "method", me, (*METHODS, ALTERNATING))
    if start is not None:
        check_choice(start, "start", me, ("rbf",))
    if start == "rbf" and not (C is None and sigma0 is None):
        raise ValueError("start='rbf' of laanaya_select chooses C and sigma0 itself. Leave both out.")
    search = MetricSearch(X, y, Cs, cv, random_state)
    if start == "rbf":
        score = search.score(rbf_grid())
        search.findings += edge_finding("C", score.C, search.Cs)
        varying = np.ptp(search.samples, axis=0) > 0
        starts: Sequence[float] = (2.0 * sorted(GAMMAS)[score.index] * float(varying.mean()),)
        values, search.Cs = [score.C], np.array([score.C])
    else:
        starts = _starts(search.samples, sigma0)
        values = check_values(np.atleast_1d(10.0 if C is None else C), "C", me).tolist()
    learners: dict[str, Learner] = {}
    for c, r, first in product(values, np.atleast_1d(rho).tolist(), starts):
        name = f"C={c:g}, rho={r:g}, start={first:g}"
        if method == ALTERNATING or start == "rbf":
            learners[name] = FromIsotropic(kernel, c, r, first, method, max_iter)
        else:
            optimizer = ManifoldDescent(method, tol=1e-4, max_iter=max_iter)
            learners[name] = MetricLearner(kernel, RegularizedMargin(c, r), (first,), optimizer)
    return _best_of(search, learners)


def adaptive_scaling_select(
    X: MatrixLike,
    y: ArrayLike,
    *,
    C: ArrayLike = 10.0,
    p: float = 2.0,
    sigma0: ArrayLike | None = None,
    max_iter: int = MAX_ITER,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 5,
    random_state: RandomState = 0,
) -> MetricResult:
    """Minimise the margin cost over scales of the features of given norm (Grandvalet and Canu 2002).

    This is adaptive scaling, which table 1 of paper 003 compares with. The scales are √q_k of a diagonal Q,
    and their p-norm stays as it is at the start; ρ = 0. Returns a `MetricResult`.

    Parameters
    ----------
    p : float, default=2.0
        2 is the Euclidean norm, √tr Q. With a smaller p the weight that a feature gives up counts for more
        where others take it, which favours few features of large weight.
    X, y, C, sigma0, max_iter, Cs, cv, random_state
        As in `laanaya_select`.

    Examples
    --------
    >>> from kernelwise.datasets import make_weston
    >>> from kernelwise.selection import adaptive_scaling_select
    >>> X, y = make_weston(80, n_noise=4, random_state=0)
    >>> result = adaptive_scaling_select(X, y, sigma0=1.0, max_iter=10, Cs=[1.0, 10.0], cv=3)

    The scales keep their norm, so weight goes from noise to the two features that matter:

    >>> round(float(result.metric.trace()), 6), result.relevance.argsort()[::-1][:2].tolist()
    (6.0, [0, 1])
    """
    values = check_values(np.atleast_1d(C), "C", "adaptive_scaling_select")
    criteria = {f"C={c:g}": RegularizedMargin(c, 0.0) for c in values.tolist()}
    check_positive(p, "p", "adaptive_scaling_select")
    optimizer = ManifoldDescent(scales_norm=p, tol=1e-4, max_iter=max_iter)
    search = MetricSearch(X, y, Cs, cv, random_state)
    return _from_starts(search, "diagonal", criteria, optimizer, sigma0)


def constant_trace_select(
    X: MatrixLike,
    y: ArrayLike,
    kernel: str = "gaussian",
    *,
    criterion: CriterionLike = "radius-margin",
    sigma0: ArrayLike | None = None,
    max_iter: int = MAX_ITER,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 5,
    random_state: RandomState = 0,
) -> MetricResult:
    """Minimise the radius-margin quotient over metrics of constant trace (Glasmachers and Igel 2005).

    Tables 1 and 2 of paper 003 compare with it. Returns a `MetricResult`.

    Parameters
    ----------
    criterion : Criterion or str, default="radius-margin"
    X, y, kernel, sigma0, max_iter, Cs, cv, random_state
        As in `laanaya_select`.

    Examples
    --------
    >>> from kernelwise.datasets import make_weston
    >>> from kernelwise.selection import constant_trace_select
    >>> X, y = make_weston(80, n_noise=4, random_state=0)
    >>> result = constant_trace_select(X, y, sigma0=1.0, max_iter=5, Cs=[1.0, 10.0], cv=2)
    >>> round(float(result.metric.trace()), 6), result.metric.shape, result.cv_accuracy > 0.8
    (6.0, (6, 6), True)
    """
    check_choice(kernel, "kernel", "constant_trace_select", ("diagonal", "gaussian"))
    criteria = {str(criterion): as_criterion(criterion)}
    optimizer = ManifoldDescent(constant_trace=True, tol=1e-4, max_iter=max_iter)
    search = MetricSearch(X, y, Cs, cv, random_state)
    return _from_starts(search, kernel, criteria, optimizer, sigma0)


def rbf_select(
    X: MatrixLike,
    y: ArrayLike,
    *,
    gammas: ArrayLike = GAMMAS,
    Cs: ArrayLike = CS,
    cv: FoldsLike = 5,
    random_state: RandomState = 0,
) -> MetricResult:
    """Choose width and C of an RBF kernel by cross-validation (the plain SVM of paper 003, tables 1 and 2).

    Returns a `MetricResult`.

    Parameters
    ----------
    gammas : array
        γ times the number of features, for standardised samples.
    X, y, Cs, cv, random_state
        As in `laanaya_select`.

    Examples
    --------
    >>> from kernelwise.datasets import make_weston
    >>> from kernelwise.selection import rbf_select

    Fifty features of noise leave little to a kernel that treats all features alike:

    >>> X, y = make_weston(80, n_noise=50, random_state=0)
    >>> round(rbf_select(X, y, cv=3).cv_accuracy, 2), round(rbf_select(X[:, :2], y, cv=3).cv_accuracy, 2)
    (0.55, 0.99)
    """
    search = MetricSearch(X, y, Cs, cv, random_state)
    score = search.score(rbf_grid(gammas))
    kernels = rbf_grid(gammas)(search.samples, search.y)
    return search.result("rbf", {"rbf": score}, kernels[score.index], None)


def _from_starts(
    search: MetricSearch,
    kernel: str,
    criteria: Mapping[str, Criterion],
    optimizer: ManifoldDescent,
    sigma0: ArrayLike | None,
) -> MetricResult:
    """Learn with every criterion from every start, and keep the best."""
    learners = {
        f"{name}, start={start:g}": MetricLearner(kernel, criterion, (start,), optimizer)
        for (name, criterion), start in product(criteria.items(), _starts(search.samples, sigma0))
    }
    return _best_of(search, learners)


def _best_of(search: MetricSearch, learners: Mapping[str, Learner]) -> MetricResult:
    """Score every learner by cross-validation; learn with the best on all samples."""
    scores = {name: search.score(learned(learner)) for name, learner in learners.items()}
    method = max(scores, key=lambda name: scores[name].accuracy)
    found = learners[method].learn(search.scaled, search.y)
    return search.result(method, scores, found.kernel, found)


def _starts(X: np.ndarray, sigma0: ArrayLike | None) -> Sequence[float]:
    """Turn σ₀, a weight for each feature, into sums over the features that vary."""
    if sigma0 is None:
        return STARTS
    n_varying = int((np.ptp(X, axis=0) > 0).sum())
    return (n_varying * check_values(np.atleast_1d(sigma0), "sigma0", "laanaya_select")).tolist()


ALTERNATING = "alternating"
#: Most trainings of the machine in algorithm 1.
N_TRAININGS = 10
#: Q is at rest if no entry moves by more than this share of the largest.
AT_REST = 1e-4


@dataclass(frozen=True)
class FromIsotropic:
    """Minimises w from an isotropic metric: by algorithm 1, or with α trained anew at every point.

    ``start`` is the sum of the weights of the features that vary at Q₀; ``method`` is "alternating", whose
    inner loops take the printed step (the sign of eq. 23 and the inner stop put right), or one of
    :class:`~kernelwise.optimizers.ManifoldDescent`; ``max_iter`` are the most steps of a search, which is an
    inner loop of "alternating", and ``n_trainings`` the most inner loops. A full
    Q starts from σ₀I itself, not from a diagonal metric.
    """

    kernel: str
    C: float
    rho: float
    start: float
    method: str
    max_iter: int
    n_trainings: int = N_TRAININGS

    def learn(self, Z: np.ndarray, y: np.ndarray) -> LearnedMetric:
        """Learn on standardised samples of shape (n_samples, n_features)."""
        kernel = self._first(Z)
        w = RegularizedMargin(self.C, self.rho, kernel(Z))
        if self.method != ALTERNATING:
            found = self._search(kernel, w, self.method, Z, y)
            findings: tuple[Finding, ...] = ()
            value = found.value
        else:
            found, findings = self._alternate(kernel, w, Z, y)
            value = w.value(found.kernel(Z), y)
        # The number of steps is small on purpose: that it was reached is no news.
        findings += tuple(one for one in found.diagnostics if one.name != catalogue.MAX_ITER.name)
        return LearnedMetric(found.kernel, self.start, {self.start: value}, found, findings)

    def _alternate(
        self, kernel: Kernel, w: RegularizedMargin, Z: np.ndarray, y: np.ndarray
    ) -> tuple[TuningResult, tuple[Finding, ...]]:
        """The last inner loop, and a finding if it was not the last for Q's sake."""
        inner = RegularizedMargin(self.C, self.rho, w.K_reference, retrain=False)
        d = Z.shape[1]
        for _ in range(self.n_trainings):
            found = self._search(kernel, inner, "paper", Z, y)
            before, after = kernel.metric(d), found.kernel.metric(d)
            if np.abs(after - before).max() <= AT_REST * np.abs(before).max():
                return found, ()
            kernel = found.kernel
        return found, (catalogue.ALTERNATION(n_trainings=self.n_trainings),)

    def _search(
        self, kernel: Kernel, criterion: RegularizedMargin, method: str, Z: np.ndarray, y: np.ndarray
    ) -> TuningResult:
        optimizer = ManifoldDescent(method, tol=1e-4, max_iter=self.max_iter)
        with warnings.catch_warnings():
            # Each of many searches would say so; the findings of the last one do.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.simplefilter("ignore", BoundaryWarning)
            return optimizer.minimize(TuningProblem(kernel, criterion, Z, y))

    def _first(self, Z: np.ndarray) -> Kernel:
        """The isotropic kernel; features that do not vary count for nothing."""
        varies = np.ptp(Z, axis=0) > 0
        weight = self.start / max(int(varies.sum()), 1)
        q = np.where(varies, weight, FLOOR * weight)
        return DiagonalGaussian(q) if self.kernel == "diagonal" else Gaussian(np.diag(q))
