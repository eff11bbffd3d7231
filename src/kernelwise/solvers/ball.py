"""The smallest ball around all samples in feature space."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.validation import check_gram, check_not_negative, check_positive, check_weights
from kernelwise.solvers.box_qp import BoxQP, unit_of
from kernelwise.solvers.dual import iteration_cap, minimise_and_verify, negative_gradient, warn_of


@dataclass(frozen=True)
class EnclosingBall:
    """The smallest ball that encloses the samples of a Gram matrix.

    Attributes
    ----------
    beta : ndarray of shape (n_samples,)
        Weights on the simplex; the centre is Σ β_i φ(x_i).
    radius2 : float
        Squared radius Σ β_i K_ii − βᵀKβ: at most the true one, and at least the true one / (1 + tol).
    n_iter : int
    converged : bool

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.solvers import minimum_enclosing_ball
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]])
    >>> ball = minimum_enclosing_ball(X @ X.T)

    The two points that it touches carry the weights; the centre is between them.

    >>> ball.beta.round(4), (ball.beta @ X).round(4), round(ball.radius2, 4)
    (array([0.5, 0.5, 0. ]), array([1., 0.]), 1.0)
    """

    beta: np.ndarray
    radius2: float
    n_iter: int
    converged: bool


def minimum_enclosing_ball(
    K: ArrayLike,
    *,
    ridge: float = 0.0,
    sample_weight: ArrayLike | None = None,
    tol: float = 1e-6,
    max_iter: int = -1,
    warm_start: ArrayLike | None = None,
    check: bool = True,
) -> EnclosingBall:
    """Find the smallest ball that encloses the samples of a Gram matrix.

    Solves max Σ β_i K_ii − βᵀKβ over the simplex, as min ½ βᵀKβ − pᵀβ with p = diag(K)/2: the quadratic
    program of the support vector machine with other bounds.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
    ridge : float, default=0.0
        The ball of K + ridge·I, where every sample has a direction of its own: 1/C of the 2-norm machine.
    sample_weight : array of shape (n_samples,), default=None
        How often each sample occurs. Samples of weight zero are left out; other weights matter only with a
        ridge, since copies of a sample then are different points.
    tol : float, default=1e-6
        Relative precision of the squared radius: no sample lies outside (1 + tol)·radius2.
    max_iter : int, default=-1
        Largest number of pair steps; -1 means max(10⁷, 100 n_samples).
    warm_start : array of shape (n_samples,), default=None
        ``beta`` of a similar problem; used if it is better than the usual start.
    check : bool, default=True
        Whether to check that K is finite and symmetric.

    Notes
    -----
    The w copies of a sample share its β evenly at an optimum, β/w each, which makes the ridge's part of the
    objective ridge·(Σ β_i − Σ β_i²/w_i): the linear term stays that of one sample.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.solvers import minimum_enclosing_ball

    Points far apart are orthogonal in the feature space of a narrow kernel: R² = 1 − 1/n.

    >>> K = RBF(gamma=100.0)(np.arange(5.0)[:, None])
    >>> round(minimum_enclosing_ball(K).radius2, 6)
    0.8

    With 1/C on the diagonal it is (1 + 1/C)(1 − 1/n) (paper 002, Glasmachers 2006, theorem 2):

    >>> round(minimum_enclosing_ball(K, ridge=0.5).radius2, 6)
    1.2
    """
    K = check_gram(K, may_be_distances=True) if check else np.asarray(K)
    check_positive(tol, "tol", "minimum_enclosing_ball")
    check_not_negative(ridge, "ridge", "minimum_enclosing_ball")
    weight = check_weights(sample_weight, K.shape[0])
    start = None if warm_start is None else _check_start(warm_start, K.shape[0])
    if ridge > 0 and weight.sum() < 1:
        raise ValueError(
            f"sample_weight counts how often each sample occurs, but its sum is {weight.sum():.3g}, less "
            "than one sample. Multiply the weights, for example to a mean of 1."
        )
    used = np.flatnonzero(weight)
    if used.size == weight.size:
        return _ball(K, ridge, weight, tol, max_iter, start)
    part = None if start is None else start[used]
    ball = _ball(K[np.ix_(used, used)], ridge, weight[used], tol, max_iter, part)
    beta = np.zeros(weight.size)
    beta[used] = ball.beta
    return replace(ball, beta=beta)


def _ball(
    K: np.ndarray, ridge: float, weight: np.ndarray, tol: float, max_iter: int, start: np.ndarray | None
) -> EnclosingBall:
    """The ball of samples that all have a positive weight."""
    unit = unit_of(np.diagonal(K))
    if unit != 1.0:
        K, ridge = K / unit, ridge / unit
    n = K.shape[0]
    linear = np.diagonal(K).astype(np.float64) + ridge
    K = np.ascontiguousarray(K)
    if ridge > 0:
        K = K.astype(np.float64)
        K[np.diag_indices(n)] += ridge / weight
    beta, radius2 = _best_start(K, linear, weight, start)
    if radius2 <= n * np.finfo(K.dtype).eps * np.abs(linear).max():  # one point, or copies of one
        return EnclosingBall(beta, 0.0, 0, True)
    p = 0.5 * linear
    qp = BoxQP(K, beta, negative_gradient(K, beta, p), np.zeros(n), np.ones(n))
    # The objective is concave with gradient 2f, so that it is within 2·(max f − fᵀβ) of its maximum, which is
    # at least the start's: this makes tol relative.
    gap = 0.5 * tol * radius2
    outcome = minimise_and_verify(qp, p, gap, iteration_cap(max_iter, n))
    warn_of(outcome, gap)
    return EnclosingBall(beta, float(beta @ (p + qp.f)) * unit, outcome.n_iter, outcome.converged)


def _best_start(
    K: np.ndarray, linear: np.ndarray, weight: np.ndarray, start: np.ndarray | None
) -> tuple[np.ndarray, float]:
    """The start with the largest objective, and that objective.

    Two distant points suit a wide kernel and all points a narrow one, where it is the solution; the objective
    of all points is never negative.
    """
    starts = [_two_far_points(K, linear), weight / weight.sum()]
    if start is not None and start.sum() > 0:
        starts.append(start / start.sum())
    values = [float(beta @ (0.5 * linear + negative_gradient(K, beta, 0.5 * linear))) for beta in starts]
    best = int(np.argmax(values))
    return starts[best], values[best]


def _two_far_points(K: np.ndarray, linear: np.ndarray) -> np.ndarray:
    """Half the weight on each of two distant points."""
    i = int(np.argmax(linear - 2.0 * K.mean(axis=0)))
    j = int(np.argmax(linear + linear[i] - 2.0 * K[i]))
    beta = np.zeros(linear.size)
    beta[i] += 0.5
    beta[j] += 0.5
    return beta


def _check_start(start: ArrayLike, n: int) -> np.ndarray:
    beta = np.asarray(start, dtype=np.float64)
    if beta.shape != (n,) or not np.isfinite(beta).all():
        raise ValueError(f"warm_start must be {n} finite weights, got an array of shape {beta.shape}.")
    return np.maximum(beta, 0.0)
