"""The one-class machine: a plane that leaves a share ν of the samples out, or a ball that does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.validation import check_gram, check_number, check_positive, check_weights
from kernelwise._native import HAIR
from kernelwise.solvers.box_qp import BoxQP, Outcome, unit_of
from kernelwise.solvers.dual import iteration_cap, minimise_and_verify, negative_gradient, warn_of

#: Of the size of scores, the violation below which no solution is looked for.
ROUNDING = 1e-12
#: Terms of a sum whose rounding is allowed for, at least.
FEW_TERMS = 64


@dataclass(frozen=True)
class OneClassSolution:
    """Solution of the dual problem of a one-class support vector machine, in LIBSVM's scale.

    Attributes
    ----------
    beta : ndarray of shape (n_samples,)
        Coefficients from 0 to w_i, which sum to ν Σw; the decision value of x is ``k(x) @ beta - offset``.
    offset : float
        ρ, the mean score of the free support vectors. Without one, the middle of ``low`` and ``high``, or
        ``low`` if ``high`` is infinite.
    low, high : float
        The ends of the interval of optimal offsets: the largest score of a support vector, and the smallest
        of a sample that is not at its bound. They agree, to the tolerance, if a support vector is free;
        with ν = 1 every sample is at its bound, and ``high`` is infinite.
    inner_offset : float
        The offset, lowered to ``high`` and by what rounding may make of scores, so that no sample below its
        bound is outside: at most a share ν of the training weight has a lower score.
    scores : ndarray of shape (n_samples,)
        Kβ, the scores of the training samples.
    objective : float
        ½ βᵀKβ, to be minimised.
    n_iter : int
        Pair steps of SMO.
    gap : float
        LIBSVM's violation: the difference of ``low`` and ``high`` if they overlap, or 0.
    duality_gap : float
        Primal less dual objective at this solution.
    converged : bool
        Whether the tolerance was met.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.solvers import solve_one_class
    >>> X = np.array([[1.0], [2.0], [3.0], [4.0]])
    >>> solution = solve_one_class(X @ X.T, nu=0.5)

    Half of the samples, those nearest to the origin, are at their bounds, and every offset between their
    scores and the others' is optimal:

    >>> solution.beta.tolist(), solution.scores.tolist()
    ([1.0, 1.0, 0.0, 0.0], [3.0, 6.0, 9.0, 12.0])
    >>> solution.low, solution.offset, solution.high
    (6.0, 7.5, 9.0)
    """

    beta: np.ndarray
    offset: float
    low: float
    high: float
    inner_offset: float
    scores: np.ndarray
    objective: float
    n_iter: int
    gap: float
    duality_gap: float
    converged: bool


@dataclass(frozen=True)
class SoftBall:
    """The smallest ball that leaves a share ν of the samples out, at a cost.

    Attributes
    ----------
    beta : ndarray of shape (n_samples,)
        Weights from 0 to w_i / (ν Σw), which sum to 1; the centre is Σ β_i φ(x_i).
    radius2 : float
        Squared radius, by the rule of ``offset`` in `OneClassSolution` if it is not unique.
    norm2 : float
        βᵀKβ, the squared norm of the centre. The decision value of x, positive inside, is
        ``radius2 - (k(x, x) - 2 * k(x) @ beta + norm2)``.
    n_iter : int
    gap : float
    converged : bool
        As in `OneClassSolution`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.solvers import solve_soft_ball
    >>> X = np.array([[-1.0], [0.0], [1.0], [20.0]])
    >>> ball = solve_soft_ball(X @ X.T, nu=0.6, tol=1e-9)
    >>> distances = (X**2).sum(axis=1) - 2 * X @ X.T @ ball.beta + ball.norm2
    >>> (ball.radius2 - distances >= -1e-6).tolist()
    [False, True, True, False]
    """

    beta: np.ndarray
    radius2: float
    norm2: float
    n_iter: int
    gap: float
    converged: bool


def solve_one_class(
    K: ArrayLike,
    nu: float = 0.5,
    *,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    warm_start: ArrayLike | None = None,
    check: bool = True,
) -> OneClassSolution:
    """Train a one-class support vector machine on a Gram matrix.

    Solves min ½ βᵀKβ with 0 ≤ β_i ≤ w_i and Σβ = ν Σw (Schölkopf and others, Neural Computation 13, 2001;
    LIBSVM's scale). At most a share ν of the weight lies outside, and at least that share is in support
    vectors.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
        Gram matrix, float64 or float32.
    nu : float, default=0.5
        Above 0, at most 1.
    sample_weight : array of shape (n_samples,), default=None
        How often each sample occurs. Samples of weight zero are left out.
    tol : float, default=1e-3
        Tolerance of LIBSVM's stopping rule; it is multiplied by the mean k(x, x) if that is below 1.
    max_iter : int, default=-1
        Largest number of pair steps; -1 means max(10⁷, 100 n_samples).
    warm_start : array of shape (n_samples,), default=None
        ``beta`` of a similar problem; used if it is better than the usual start.
    check : bool, default=True
        Whether to check that K is finite and symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.solvers import solve_one_class
    >>> K = RBF(gamma=0.5)(np.random.default_rng(0).normal(size=(200, 2)))
    >>> solution = solve_one_class(K, nu=0.1)
    >>> n_outside = (solution.scores < solution.offset - 1e-3).sum()
    >>> bool(n_outside <= 20 <= np.count_nonzero(solution.beta))
    True
    """
    qp, p, total, unit = _problem(K, nu, sample_weight, tol, warm_start, check, is_ball=False)
    outcome = _minimise(qp, p, limit_of(tol, scale_of(qp.K, qp.hi), total, unit), max_iter)
    g = -qp.f
    low, high, offset = offsets(qp, outcome)
    duality_gap = qp.beta @ g - offset * total + qp.hi @ np.maximum(0.0, offset - g)
    return OneClassSolution(
        beta=qp.beta,
        offset=unit * offset,
        low=unit * low,
        high=unit * high,
        inner_offset=unit * inner_offset(offset, high, total * scale_of(qp.K, qp.hi), qp.beta),
        scores=unit * g,
        objective=unit * 0.5 * float(qp.beta @ g),
        n_iter=outcome.n_iter,
        gap=unit * outcome.gap,
        duality_gap=unit * float(duality_gap),
        converged=outcome.converged,
    )


def solve_soft_ball(
    K: ArrayLike,
    nu: float = 0.5,
    *,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    warm_start: ArrayLike | None = None,
    check: bool = True,
) -> SoftBall:
    """Find the smallest ball around most of the samples: support vector data description.

    Solves max Σ β_i K_ii − βᵀKβ with 0 ≤ β_i ≤ w_i / (ν Σw) and Σβ = 1 (Tax & Duin, Machine Learning 54,
    2004). If all k(x, x) are equal, it is the one-class machine of `solve_one_class`: the same coefficients
    over ν Σw, and decision values that are 2/(ν Σw) times its own. For other kernels it is another machine.

    Parameters
    ----------
    K, nu, sample_weight, tol, max_iter, check
        As in `solve_one_class`.
    warm_start : array of shape (n_samples,), default=None
        ``beta`` of a similar ball; used if it is better than the usual start.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.solvers import solve_soft_ball

    The ball is the one around all samples for a small ν, and smaller where it may leave some out:

    >>> X = np.array([[-1.0], [0.0], [1.0], [20.0]])
    >>> [round(solve_soft_ball(X @ X.T, nu, tol=1e-9).radius2 ** 0.5, 2) for nu in (0.2, 0.6)]
    [10.5, 7.92]
    """
    qp, p, total, unit = _problem(K, nu, sample_weight, tol, warm_start, check, is_ball=True)
    outcome = _minimise(qp, p, limit_of(tol, scale_of(qp.K, qp.hi), total, unit), max_iter)
    # With T = ν Σw and f = T k(x, x)/2 − Kβ: ‖φ(x) − c‖² = 2f/T + ‖c‖², and the offset is that of −f.
    norm2 = float(qp.beta @ (p - qp.f)) / total**2
    radius2 = norm2 - 2.0 * offsets(qp, outcome)[2] / total
    gap = unit * outcome.gap
    return SoftBall(qp.beta / total, unit * radius2, unit * norm2, outcome.n_iter, gap, outcome.converged)


def check_nu(nu: float, owner: str) -> None:
    """Raise unless ν is above 0 and at most 1."""
    check_number(nu, "nu", owner)
    if not 0.0 < nu <= 1.0:
        raise ValueError(f"'nu' of {owner} must be above 0 and at most 1, got {nu!r}.")


def _problem(
    K: ArrayLike,
    nu: float,
    sample_weight: ArrayLike | None,
    tol: float,
    warm_start: ArrayLike | None,
    check: bool,
    *,
    is_ball: bool,
) -> tuple[BoxQP, np.ndarray, float, float]:
    """The program from its best start, its linear term, the sum of β, and the unit of kernel values."""
    owner = "solve_soft_ball" if is_ball else "solve_one_class"
    K = check_gram(K, may_be_distances=True) if check else np.asarray(K)
    check_nu(nu, owner)
    check_positive(tol, "tol", owner)
    weight = check_weights(sample_weight, K.shape[0])
    unit = unit_of(np.diagonal(K))
    if unit != 1.0:
        K = K / unit
    K = np.ascontiguousarray(K)
    total = float(nu * weight.sum())
    p = 0.5 * total * np.diagonal(K).astype(float) if is_ball else np.zeros(weight.size)
    qp = cold_start(K, p, weight, float(nu))
    if warm_start is not None and nu < 1.0:
        beta = np.asarray(warm_start, dtype=float)
        if beta.shape != weight.shape or not np.isfinite(beta).all():
            raise ValueError(
                f"warm_start must be {weight.size} finite coefficients, got an array of shape {beta.shape}."
            )
        beta = np.clip(beta * (total if is_ball else 1.0), 0.0, weight)
        warm = BoxQP(K, beta, negative_gradient(K, beta, p), qp.lo, qp.hi)
        move_total(warm, p, total)
        if objective(warm, p) < objective(qp, p):
            qp = warm
    return qp, p, total, unit


def _minimise(qp: BoxQP, p: np.ndarray, limit: float, max_iter: int) -> Outcome:
    outcome = minimise_and_verify(qp, p, limit, iteration_cap(max_iter, p.size))
    warn_of(outcome, limit, has_C=False)
    return outcome


def scale_of(K: np.ndarray, weight: np.ndarray) -> float:
    """The mean k(x, x), which is the size of kernel values."""
    return float(np.average(np.abs(np.diagonal(K)), weights=weight)) or 1.0


def limit_of(tol: float, scale: float, total: float, unit: float = 1.0) -> float:
    """The violation to end at, for kernel values of size ``scale`` after they were divided by ``unit``.

    LIBSVM's rule, but no multiple of a kernel is so small that all is within its tolerance, or so large that
    rounding is not.
    """
    return max(tol * min(1.0 / unit, scale), ROUNDING * total * scale)


def inner_offset(offset: float, high: float, size: float, beta: np.ndarray) -> float:
    """``inner_offset`` of `OneClassSolution`; ``size`` is Σβ times the mean k(x, x), that of scores."""
    n_terms = max(int(np.count_nonzero(beta)), FEW_TERMS)
    return min(offset, high) - n_terms * float(np.finfo(float).eps) * size


def offsets(qp: BoxQP, outcome: Outcome) -> tuple[float, float, float]:
    """The ends of the interval of optimal offsets, and the offset."""
    low, high = -float(qp.f[qp.beta > 0].min()), -float(qp.f[qp.beta < qp.hi].max(initial=-np.inf))
    return low, high, -outcome.offset if np.isfinite(high) else low


def cold_start(K: np.ndarray, p: np.ndarray, weight: np.ndarray, nu: float) -> BoxQP:
    """The better of two starts: all samples alike, or the outermost at their bounds.

    The first is the solution for a very narrow kernel, the second nearly that for a wide one. With ν = 1
    there is one feasible point only.
    """
    zeros = np.zeros(weight.size)
    even = BoxQP(K, nu * weight, p - nu * (K @ weight), zeros, weight)
    if nu == 1.0:
        return even
    outer = BoxQP(K, zeros.copy(), even.f.copy(), zeros, weight)
    shift_total(outer, nu * weight.sum())
    outer.f[:] = negative_gradient(K, outer.beta, p)
    return even if objective(even, p) < objective(outer, p) else outer


def objective(qp: BoxQP, p: np.ndarray) -> float:
    """½ βᵀKβ − pᵀβ"""
    return -0.5 * float(qp.beta @ (p + qp.f))


def move_total(qp: BoxQP, p: np.ndarray, total: float) -> None:
    """Change Σβ to ``total``, by what has the lower objective: the same factor for all, or `shift_total`."""
    now = qp.beta.sum()
    factor = total / now if now > 0.0 else np.inf
    shifted = BoxQP(qp.K, qp.beta.copy(), qp.f.copy(), qp.lo, qp.hi)
    change = shift_total(shifted, total)
    rows = np.flatnonzero(change)
    shifted.f -= change[rows] @ qp.K[rows] if rows.size < 0.5 * change.size else qp.K @ change
    if (qp.beta * factor <= qp.hi).all():
        scaled = BoxQP(qp.K, qp.beta * factor, p + factor * (qp.f - p), qp.lo, qp.hi)
        if objective(scaled, p) < objective(shifted, p):
            shifted = scaled
    qp.beta[:], qp.f[:] = shifted.beta, shifted.f


def shift_total(qp: BoxQP, total: float) -> np.ndarray:
    """Raise β of the largest f to their bounds, or lower those of the smallest to zero, until Σβ is total.

    Returns the change of β, of shape (n_samples,); f is left as it is.
    """
    excess = total - qp.beta.sum()
    room = qp.hi - qp.beta if excess > 0 else qp.beta
    order = np.argsort(-np.sign(excess) * qp.f, kind="stable")
    before = np.cumsum(room[order]) - room[order]
    left = np.abs(excess) - before
    left[left <= HAIR * total] = 0.0  # rounding is no reason to leave a bound
    change = np.zeros_like(room)
    change[order] = np.sign(excess) * np.minimum(room[order], left)
    full = np.abs(change) >= room
    qp.beta += change
    qp.beta[full & (change > 0)] = qp.hi[full & (change > 0)]
    qp.beta[full & (change < 0)] = 0.0
    return change
