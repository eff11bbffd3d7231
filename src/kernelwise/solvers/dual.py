"""The dual of the support vector machine on a Gram matrix."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.validation import (
    check_choice,
    check_gram,
    check_labels,
    check_max_iter,
    check_positive,
    check_weights,
)
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.solvers.box_qp import BoxQP, Outcome, in_units, unit_of
from kernelwise.solvers.logistic import LogisticMachine
from kernelwise.solvers.newton import subtract_rows

POLISHES = 3
ROUNDING = 64 * np.finfo(float).eps  # of Kβ, relative to the sum of its terms
LOSSES = ("hinge", "squared_hinge", "logistic")


@dataclass(frozen=True)
class SVMSolution:
    """Solution of the dual problem of a support vector machine.

    Attributes
    ----------
    beta : ndarray of shape (n_samples,)
        Signed coefficients y·α; the decision value of x is ``k(x) @ beta + intercept``.
    intercept : float
    objective : float
        LIBSVM's dual objective ½ βᵀKβ − yᵀβ, to be minimised (with K + I/C for the squared hinge).
        The logistic loss adds Σ α log(α/c) + (c − α) log(1 − α/c), with c = C w, in the place of yᵀβ.
    gradient : ndarray of shape (n_samples,)
        f = y − Kβ, the negative gradient of the objective (with K + I/C for the squared hinge; for the
        logistic loss −Kβ − y log(α/(c − α))). Free support vectors have f = intercept.
    n_iter : int
        Pair steps of SMO; for the logistic loss, steps of Newton's method.
    gap : float
        LIBSVM's violation: max f over the variables that may rise less min f over those that may fall, or 0.
    duality_gap : float
        Primal less dual objective at this solution.
    converged : bool
        Whether ``gap`` is below the tolerance.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.solvers import solve_svm_dual
    >>> X, y = np.array([[-2.0], [-1.0], [1.0], [3.0]]), [0, 0, 1, 1]
    >>> solution = solve_svm_dual(X @ X.T, y, C=10.0, tol=1e-9)

    The two points at the margin carry the coefficients, and all decision values follow from them:

    >>> solution.beta.round(6).tolist()
    [0.0, -0.5, 0.5, 0.0]
    >>> (X @ X.T @ solution.beta + solution.intercept).round(6).tolist()
    [-2.0, -1.0, 1.0, 3.0]
    >>> solution.converged, bool(abs(solution.duality_gap) < 1e-6)
    (True, True)
    """

    beta: np.ndarray
    intercept: float
    objective: float
    gradient: np.ndarray
    n_iter: int
    gap: float
    duality_gap: float
    converged: bool


def solve_svm_dual(
    K: ArrayLike,
    y: ArrayLike,
    C: float = 1.0,
    *,
    sample_weight: ArrayLike | None = None,
    loss: str = "hinge",
    tol: float = 1e-3,
    max_iter: int = -1,
    warm_start: ArrayLike | None = None,
    check: bool = True,
    warns: bool = True,
) -> SVMSolution:
    """Train a two-class support vector machine on a Gram matrix.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
        Gram matrix, float64 or float32.
    y : array of shape (n_samples,)
        Two labels; the larger one is the positive class.
    C : float, default=1.0
    sample_weight : array of shape (n_samples,), default=None
        The bound of sample i is C·w_i. Samples of weight zero are left out.
    loss : {"hinge", "squared_hinge", "logistic"}, default="hinge"
        "squared_hinge" is the 2-norm machine: the hard-margin dual on K + I/C, I/(C w_i) with weights.
        "logistic" is kernel logistic regression, ½‖w‖² + C Σ w_i log(1 + exp(−y_i f(x_i))): all samples with
        a weight are support vectors.
    tol : float, default=1e-3
        Tolerance of LIBSVM's stopping rule.
    max_iter : int, default=-1
        Largest number of pair steps; -1 means max(10⁷, 100 n_samples). The logistic loss takes at most 200
        steps of Newton's method in any case.
    warm_start : array of shape (n_samples,), default=None
        Signed coefficients to start from; clipped to the bounds first.
    check : bool, default=True
        Whether to check that K is finite and symmetric.
    warns : bool, default=True
        Whether to warn of an early stop; ``converged`` says it in any case.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.solvers import solve_svm_dual
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> K = RBF(0.02)(scale(X))
    >>> first = solve_svm_dual(K, y, C=1.0, tol=1e-6)

    A larger C from the last solution, in fewer steps and with the same answer:

    >>> warm = solve_svm_dual(K, y, C=1.1, tol=1e-6, warm_start=first.beta)
    >>> cold = solve_svm_dual(K, y, C=1.1, tol=1e-6)
    >>> warm.n_iter < cold.n_iter, bool(abs(warm.objective - cold.objective) < 1e-4)
    (True, True)
    """
    K = check_gram(K, may_be_distances=True) if check else np.asarray(K)
    check_positive(C, "C", "solve_svm_dual")
    check_positive(tol, "tol", "solve_svm_dual")
    check_choice(loss, "loss", "solve_svm_dual", LOSSES)
    signs, weight = signs_and_weights(y, sample_weight, K.shape[0])
    unit = unit_of(np.diagonal(K))
    C = in_units(C, unit)
    if unit != 1.0:
        K = K / unit
        warm_start = None if warm_start is None else np.asarray(warm_start, dtype=np.float64) * unit
    cost = C * weight
    if loss == "logistic":
        used = np.flatnonzero(cost)
        K = np.ascontiguousarray(K[np.ix_(used, used)] if used.size < cost.size else K, dtype=np.float64)
        return logistic_solution(K, signs, cost, unit, warm_start, tol, max_iter, warns)
    ridge, lo, hi = ridge_and_bounds(cost, signs, loss)
    if ridge.any():
        K = K + np.diag(ridge)
    beta = np.zeros(K.shape[0]) if warm_start is None else into_bounds(warm_start, lo, hi)
    qp = BoxQP(np.ascontiguousarray(K), beta, negative_gradient(K, beta, signs), lo, hi)
    outcome = minimise_and_verify(qp, signs, tol, iteration_cap(max_iter, K.shape[0]))
    warn_of(outcome if warns else outcome._replace(converged=True), tol)
    return solution_of(beta, qp.f, signs, cost, ridge, unit, outcome)


def ridge_and_bounds(
    cost: np.ndarray, signs: np.ndarray, loss: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is added to the diagonal of K for this loss, zeros for the hinge, and the bounds of β."""
    ridge, bound = (np.zeros_like(cost), cost) if loss == "hinge" else ridge_and_bound(cost)
    return ridge, np.where(signs < 0, -bound, 0.0), np.where(signs > 0, bound, 0.0)


def solution_of(
    beta: np.ndarray,
    f: np.ndarray,
    signs: np.ndarray,
    cost: np.ndarray,
    ridge: np.ndarray,
    unit: float,
    outcome: Outcome,
) -> SVMSolution:
    """The solution of the dual with f = y − (K + ridge)β, in units of kernel values; ``cost`` is C w."""
    quadratic = beta @ (signs - f)
    slack = np.maximum(0.0, signs * (f + ridge * beta - outcome.offset))
    losses = 0.5 * slack**2 if ridge.any() else slack
    primal = 0.5 * (quadratic - ridge @ beta**2) + cost @ losses
    objective = 0.5 * quadratic - signs @ beta
    how = outcome.n_iter, outcome.gap, (primal + objective) / unit, outcome.converged
    return SVMSolution(beta / unit, outcome.offset, objective / unit, f, *how)


def logistic_solution(
    K: np.ndarray | Callable[[np.ndarray], np.ndarray],
    signs: np.ndarray,
    cost: np.ndarray,
    unit: float,
    warm_start: ArrayLike | None,
    tol: float,
    max_iter: int,
    warns: bool,
) -> SVMSolution:
    """Kernel logistic regression on the samples of positive ``cost``, C w, whose Gram matrix K is.

    Kernel values are in units of ``unit``; K may be a function that returns products with it.
    """
    used = np.flatnonzero(cost)
    beta, f = np.zeros((2, cost.size))
    if warm_start is not None:
        beta = into_bounds(warm_start, np.where(signs < 0, -cost, 0.0), np.where(signs > 0, cost, 0.0))
    machine = LogisticMachine(K, signs[used], beta[used])
    outcome = machine.solve(cost[used], tol, iteration_cap(max_iter, cost.size))
    warn_of(outcome if warns else outcome._replace(converged=True), tol)
    beta[used], f[used] = machine.beta, machine.f
    found = machine.objective / unit, f, outcome.n_iter, outcome.gap, machine.duality_gap / unit
    return SVMSolution(beta / unit, outcome.offset, *found, outcome.converged)


def ridge_and_bound(cost: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The diagonal 1/(C w) of the 2-norm machine and a bound that no optimum meets; zeros where C w is.

    Σα is twice the dual value, which is at most the primal value of w = 0, so that α is below 2 Σ C w.
    """
    used = cost > 0
    ridge = np.divide(1.0, cost, out=np.zeros_like(cost), where=used)
    return ridge, np.where(used, 2.0 * cost.sum(), 0.0)


def signs_and_weights(
    y: ArrayLike, sample_weight: ArrayLike | None, n_samples: int
) -> tuple[np.ndarray, np.ndarray]:
    """Labels as ±1 and weights, both of shape (n_samples,)."""
    classes, index = check_labels(y, n_samples)
    if len(classes) > 2:
        raise ValueError(
            f"solve_svm_dual needs two classes, got {len(classes)}. Use svm_path, or train one model for "
            "each pair."
        )
    weight = check_weights(sample_weight, n_samples)
    for k in (0, 1):
        if not weight[index == k].any():
            raise ValueError(
                f"Class {classes.tolist()[k]!r} has no sample with a positive weight. Give a sample a "
                "positive weight."
            )
    return 2.0 * index - 1.0, weight


def into_bounds(start: ArrayLike, lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Clip ``start`` to the bounds, then shrink its heavier sign until the coefficients sum to zero."""
    beta = np.asarray(start, dtype=np.float64)
    if beta.shape != lo.shape or not np.isfinite(beta).all():
        raise ValueError(
            f"warm_start must be {lo.size} finite coefficients, got an array of shape {beta.shape}."
        )
    beta = np.clip(beta, lo, hi)
    up, down = beta[beta > 0].sum(), -beta[beta < 0].sum()
    if min(up, down) == 0.0:
        return np.zeros_like(beta)
    if abs(up - down) <= 1e-12 * (up + down):  # rounding: scaling would take bounded ones off their bounds
        return beta
    return np.where(beta > 0, beta * min(1.0, down / up), beta * min(1.0, up / down))


def minimise_and_verify(qp: BoxQP, p: np.ndarray, tol: float, max_iter: int) -> Outcome:
    """Minimise, then again from a freshly computed gradient until rounding hides no violation."""
    outcome = qp.minimise(tol, max_iter)
    n_iter, is_convex = outcome.n_iter, outcome.is_convex
    for _ in range(POLISHES):
        qp.f[:] = negative_gradient(qp.K, qp.beta, p)
        if n_iter >= max_iter:
            break
        outcome = qp.minimise(tol, max_iter - n_iter)
        n_iter, is_convex = n_iter + outcome.n_iter, is_convex and outcome.is_convex
        if outcome.n_iter == 0:
            break
    else:  # the steps of the last time may have been rounding, too: no more of them, but what is true is said
        qp.f[:] = negative_gradient(qp.K, qp.beta, p)
        fresh = qp.minimise(tol, 0)
        rounding = ROUNDING * np.abs(np.diagonal(qp.K)).max() * np.abs(qp.beta).sum()
        outcome = fresh if fresh.gap > tol + rounding else outcome
    return outcome._replace(n_iter=n_iter, is_convex=is_convex)


def negative_gradient(K: np.ndarray, beta: np.ndarray, p: np.ndarray) -> np.ndarray:
    """p − Kβ in double precision, from the rows of K with β ≠ 0."""
    f = p.copy()
    rows = np.flatnonzero(beta)
    subtract_rows(K, rows, beta[rows], f)
    return f


def iteration_cap(max_iter: int, n_samples: int) -> int:
    """The most pair steps allowed: ``max_iter``, or a generous finite number for -1."""
    check_max_iter(max_iter)
    return max(10_000_000, 100 * n_samples) if max_iter == -1 else int(max_iter)


def warn_of(outcome: Outcome, tol: float, has_C: bool = True) -> None:
    """Tell the user of an early stop and of a kernel that is far from positive semi-definite."""
    if not outcome.is_convex:
        warnings.warn(
            "The Gram matrix K is far from positive semi-definite, so the solution may be a local one. Use "
            "another kernel or other kernel parameters.",
            KernelwiseWarning,
            stacklevel=3,
        )
    if not outcome.converged:
        warnings.warn(
            f"The solver stopped after {outcome.n_iter} iterations with a violation of {outcome.gap:.1e} "
            f"(tol {tol:.1e}). Raise max_iter or tol"
            + (", scale the features, or lower C." if has_C else ", or scale the features."),
            ConvergenceWarning,
            stacklevel=3,
        )
