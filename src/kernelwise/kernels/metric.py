"""What a learned metric says: weight of each feature, leading directions, correlations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kernelwise.kernels import RBF, DiagonalGaussian, Gaussian, Kernel, LowRankGaussian


@dataclass(frozen=True)
class Direction:
    """A direction along which the kernel falls off.

    Attributes
    ----------
    share : float
        Its share of the metric's trace.
    loadings : dict from str to float
        Component of each feature, the largest first; the squares sum to 1.
    """

    share: float
    loadings: dict[str, float]


def metric_of(kernel: Kernel, n_features: int) -> np.ndarray:
    """Q of a Gaussian kernel exp(−½ (x − y)ᵀ Q (x − y)), shape (n_features, n_features)."""
    if isinstance(kernel, Gaussian):
        return kernel.theta
    if isinstance(kernel, DiagonalGaussian):
        return np.diag(np.asarray(kernel.q, dtype=float))
    if isinstance(kernel, LowRankGaussian):
        A = np.asarray(kernel.A, dtype=float)
        return A.T @ A
    assert isinstance(kernel, RBF)
    return 2.0 * kernel.gamma * np.eye(n_features)


def relevance(Q: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Share of each feature in the mean squared distance, if features were uncorrelated: q_k·Var(x_k).

    A constant feature has none, whatever its weight; zeros if all are constant.
    """
    weights = np.diag(Q) * variance
    total = weights.sum()
    return weights / total if total > 0 else weights


def directions(Q: np.ndarray, names: Any, n_directions: int) -> tuple[Direction, ...]:
    """Leading eigenvectors of Q, each with its largest component positive."""
    values, U = np.linalg.eigh(Q)
    found = []
    for k in range(len(values) - 1, max(len(values) - 1 - n_directions, -1), -1):
        order = np.argsort(-np.abs(U[:, k]), kind="stable")
        vector = U[:, k] * np.sign(U[order[0], k])
        loadings = {str(names[i]): float(vector[i]) for i in order}
        found.append(Direction(float(values[k] / values.sum()), loadings))
    return tuple(found)


def correlations(Q: np.ndarray) -> np.ndarray:
    """Q_kl / √(Q_kk Q_ll), shape (n_features, n_features): what a diagonal metric cannot say."""
    scale = np.sqrt(np.diag(Q))
    size = np.outer(scale, scale)
    found = np.divide(Q, size, out=np.zeros_like(Q), where=size > 0)
    np.fill_diagonal(found, 1.0)
    return found
