"""The Gaussian kernel of paper 003 (Laanaya and others 2011) with a metric of low rank."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from kernelwise._core.parameters import Hyperparameter
from kernelwise.kernels.metric import MetricKernel
from kernelwise.kernels.radial import scatter
from kernelwise.kernels.starts import start_gamma


class LowRankGaussian(MetricKernel):
    """Gaussian kernel with a metric of low rank: k(x, y) = exp(−½ ‖A(x − y)‖²).

    This is the kernel of paper 003, equation 1, with Q = AᵀA, whose rank is at most the number of rows of A:
    it uses only a few directions.

    Parameters
    ----------
    A : array-like of shape (rank, n_features), default=None
        None until :meth:`initialize`, which takes the leading principal directions of the data.
    rank : int, default=2
        Number of rows of A when it is made by :meth:`initialize`.

    Examples
    --------
    >>> from kernelwise.kernels import LowRankGaussian
    >>> LowRankGaussian(A=[[1.0, 1.0]])([[0.0, 0.0], [1.0, -1.0], [1.0, 0.0]]).round(4)
    array([[1.    , 1.    , 0.6065],
           [1.    , 1.    , 0.6065],
           [0.6065, 0.6065, 1.    ]])
    """

    title: ClassVar[str] = "Low-rank Gaussian"
    meaning: ClassVar[str] = "rows count as alike by a learned distance along a few directions"
    metric_name: ClassVar[str] = "A"
    hyperparameters: ClassVar = (Hyperparameter("A", (-1e3, 1e3), is_log=False),)
    input_powers: ClassVar = {"A": 0.5}

    def __init__(self, A: Any = None, rank: int = 2) -> None:
        self.A = A
        self.rank = rank
        self._check()

    def _check(self) -> None:
        if not isinstance(self.rank, (int, np.integer)) or self.rank < 1:
            raise ValueError(f"'rank' of LowRankGaussian must be a positive integer, got {self.rank!r}.")
        if self.A is None:
            return
        A = np.asarray(self.A, dtype=float)
        if A.ndim != 2 or not np.isfinite(A).all():
            raise ValueError(
                f"'A' of LowRankGaussian must be a finite (rank, n_features) matrix, got shape {A.shape}."
            )

    def metric(self, n_features: int) -> np.ndarray:
        A = np.asarray(self.A, dtype=float)
        return A.T @ A

    def linear_map(self, n_features: int) -> np.ndarray:
        return np.asarray(self.A, dtype=float).T

    def _gradient_dot(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        # ∂A = 2A · ∂Q
        V = W * (self._gram(X, Y) if K is None else K)
        return (-np.asarray(self.A, dtype=float) @ scatter(X, V, Y)).ravel()

    def _started(self, X: Any, y: Any, heuristic: str | None) -> Self:
        directions = _principal_directions(X, min(self.rank, X.shape[1]))
        return self._copy(A=np.sqrt(2.0 * start_gamma(X @ directions.T, y, heuristic)) * directions)

    def log_trace(self, theta: np.ndarray) -> float:
        return float(np.log(np.vdot(theta, theta)))

    def with_log_trace(self, theta: np.ndarray, log_trace: float) -> np.ndarray:
        return theta * np.exp((log_trace - self.log_trace(theta)) / 2.0)

    def pull_back(self, theta: np.ndarray, gradient: np.ndarray, log_trace: float) -> np.ndarray:
        along = np.vdot(gradient, theta) / np.vdot(theta, theta)
        return np.exp((log_trace - self.log_trace(theta)) / 2.0) * (gradient - along * theta)


def _principal_directions(X: Any, rank: int) -> np.ndarray:
    """Leading principal directions, shape (rank, n_features), each with its largest entry positive."""
    mean = np.asarray(X.mean(axis=0)).ravel()
    if sparse.issparse(X):
        square = (X.T @ X).toarray() / X.shape[0] - np.outer(mean, mean)
    else:
        square = (X - mean).T @ (X - mean) / X.shape[0]
    directions = np.linalg.eigh(square.astype(float))[1][:, ::-1][:, :rank].T
    largest = directions[np.arange(rank), np.abs(directions).argmax(axis=1)]
    return directions * np.sign(largest)[:, None]
