"""The smallest ball around all samples in feature space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._validation import check_gram, check_positive
from ._box_qp import BoxQP
from .smo import iteration_cap, negative_gradient, warn_of


@dataclass(frozen=True)
class EnclosingBall:
    """Minimum enclosing ball.

    Attributes
    ----------
    beta : ndarray of shape (n_samples,)
        Weights on the simplex; the centre is Σ β_i φ(x_i).
    radius2 : float
        Squared radius Σ β_i K_ii − βᵀKβ: at most the true one, and at least the true one / (1 + tol).
    n_iter : int
    converged : bool
    """

    beta: np.ndarray
    radius2: float
    n_iter: int
    converged: bool


def minimum_enclosing_ball(K: Any, *, tol: float = 1e-6, max_iter: int = -1) -> EnclosingBall:
    """Find the smallest ball that encloses the samples of a Gram matrix.

    Solves max Σ β_i K_ii − βᵀKβ over the simplex, as min ½ βᵀKβ − pᵀβ with p = diag(K)/2: the quadratic
    program of the support vector machine with other bounds.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
    tol : float, default=1e-6
        Relative precision of the squared radius: no sample lies outside (1 + tol)·radius2.
    max_iter : int, default=-1
        Most pair steps; -1 stands for max(10⁷, 100 n_samples).

    Returns
    -------
    ball : EnclosingBall
    """
    K = np.ascontiguousarray(check_gram(K))
    check_positive(tol, "tol", "minimum_enclosing_ball")
    n = K.shape[0]
    diag = np.diagonal(K).astype(np.float64)
    beta, width2 = _two_far_points(K, diag)
    if width2 <= n * np.finfo(K.dtype).eps * np.abs(diag).max():  # one point, or copies of one
        return EnclosingBall(beta, 0.0, 0, True)
    qp = BoxQP(K, beta, negative_gradient(K, beta, 0.5 * diag), np.zeros(n), np.ones(n))
    # 2f_i + βᵀKβ is the squared distance to the centre, and R² ≥ width²/4: this makes tol relative.
    gap = 0.125 * tol * width2
    outcome = qp.minimise(gap, iteration_cap(max_iter, n))
    warn_of(outcome, gap)
    radius2 = float(beta @ (0.5 * diag + qp.f))
    return EnclosingBall(beta, radius2, outcome.n_iter, outcome.converged)


def _two_far_points(K: np.ndarray, diag: np.ndarray) -> tuple[np.ndarray, float]:
    """Half the weight on each of two distant points, a good start, and their squared distance."""
    i = int(np.argmax(diag - 2.0 * K.mean(axis=0)))
    distance2 = diag + diag[i] - 2.0 * K[i]
    j = int(np.argmax(distance2))
    beta = np.zeros(diag.size)
    beta[i] += 0.5
    beta[j] += 0.5
    return beta, float(distance2[j])
