"""The Gaussian kernel with a width per feature (paper 003, Laanaya and others 2011, with diagonal Q)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.validation import check_samples
from kernelwise.kernels.radial import GaussianFamily, scatter_diagonal
from kernelwise.kernels.starts import start_gamma


class DiagonalGaussian(GaussianFamily):
    """k(x, y) = exp(−½ Σ_k q_k (x_k − y_k)²): paper 003, eq. 1, with a diagonal Q.

    Parameters
    ----------
    q : array-like of shape (n_features,), default=None
        Positive weight of each feature: its inverse squared width. None until :meth:`initialize`.

    Examples
    --------
    >>> from kernelwise.kernels import DiagonalGaussian
    >>> DiagonalGaussian(q=[1.0, 4.0])([[0.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1.    , 0.0821],
           [0.0821, 1.    ]])
    """

    hyperparameters: ClassVar = (Hyperparameter("q"),)
    input_powers: ClassVar = {"q": 1.0}

    def __init__(self, q: Any = None) -> None:
        self.q = q
        self._check()

    def _check(self) -> None:
        if self.q is None:
            return
        q = np.asarray(self.q, dtype=float)
        if q.ndim != 1:
            raise ValueError(f"'q' of DiagonalGaussian is one weight per feature, got shape {q.shape}.")
        if not np.isfinite(q).all() or (q <= 0).any():
            k = int(np.flatnonzero(~(np.isfinite(q) & (q > 0)))[0])
            raise ValueError(f"'q' of DiagonalGaussian must be positive, got {q[k]} for feature {k}.")

    def _check_features(self, n_features: int) -> None:
        if self.q is None:
            raise ValueError(
                "This DiagonalGaussian has no widths yet. Pass q, or call kernel.initialize(X, y) first."
            )
        if len(self.q) != n_features:
            raise ValueError(f"This DiagonalGaussian was made for {len(self.q)} features, got {n_features}.")

    @property
    def scale(self) -> float:
        return 0.5

    def transform(self, X: Any) -> Any:
        weights = np.sqrt(np.asarray(self.q, dtype=float))
        return X.multiply(weights).tocsr() if sparse.issparse(X) else X * weights.astype(X.dtype)

    def _gradient_dot(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        V = W * (self._gram(X, Y) if K is None else K)
        return -0.5 * np.asarray(self.q) * scatter_diagonal(X, V, Y)

    def initialize(self, X: Any, y: Any = None, heuristic: str | None = None) -> Self:
        if heuristic == "keep" and self.q is not None:
            return self._copy()
        X = check_samples(X)
        gamma = start_gamma(X, y, None if heuristic == "keep" else heuristic)
        return self._copy(q=np.full(X.shape[1], 2.0 * gamma))
