"""The Gaussian kernel of paper 003 (Laanaya and others 2011) with a metric of low rank."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.validation import check_samples
from kernelwise.kernels.radial import GaussianFamily, scatter
from kernelwise.kernels.starts import start_gamma


class LowRankGaussian(GaussianFamily):
    """k(x, y) = exp(−½ ‖A(x − y)‖²), the general Gaussian with Q = AᵀA of rank at most r.

    The metric of paper 003, eq. 1, where it is to see a few directions only.

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

    def _check_features(self, n_features: int) -> None:
        if self.A is None:
            raise ValueError(
                "This LowRankGaussian has no A yet. Pass A, or call kernel.initialize(X, y) first."
            )
        if np.shape(self.A)[1] != n_features:
            raise ValueError(
                f"This LowRankGaussian was made for {np.shape(self.A)[1]} features, got {n_features}."
            )

    @property
    def scale(self) -> float:
        return 0.5

    def transform(self, X: Any) -> Any:
        return np.asarray(X @ np.asarray(self.A, dtype=float).T.astype(X.dtype))

    def _gradient_dot(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        # ∂A = 2A · ∂Q
        V = W * (self._gram(X, Y) if K is None else K)
        return (-np.asarray(self.A, dtype=float) @ scatter(X, V, Y)).ravel()

    def initialize(self, X: Any, y: Any = None, heuristic: str | None = None) -> Self:
        if heuristic == "keep" and self.A is not None:
            return self._copy()
        X = check_samples(X)
        rank = min(self.rank, X.shape[1])
        directions = _principal_directions(X, rank)
        gamma = start_gamma(X @ directions.T, y, None if heuristic == "keep" else heuristic)
        return self._copy(A=np.sqrt(2.0 * gamma) * directions)


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
