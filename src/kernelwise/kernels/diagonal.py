"""The Gaussian kernel with a width per feature (paper 003, Laanaya and others 2011, with diagonal Q)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import logsumexp

from kernelwise._core.parameters import Hyperparameter
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.metric import MetricKernel
from kernelwise.kernels.radial import scatter_diagonal
from kernelwise.kernels.starts import start_gamma
from kernelwise.kernels.weights import check_feature_weights, over_the_largest


class DiagonalGaussian(MetricKernel):
    """Gaussian kernel with a weight for every feature: k(x, y) = exp(−½ Σ_k q_k (x_k − y_k)²).

    This is the kernel of paper 003, equation 1, with a diagonal Q.

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

    title: ClassVar[str] = "RBF with feature weights"
    meaning: ClassVar[str] = (
        "rows count as alike by their distance, in which each column has a learned weight"
    )
    metric_name: ClassVar[str] = "q"
    hyperparameters: ClassVar = (Hyperparameter("q"),)
    input_powers: ClassVar = {"q": 1.0}

    def __init__(self, q: Any = None) -> None:
        self.q = q
        self._check()

    def _check(self) -> None:
        if self.q is not None:
            check_feature_weights(self.q, "DiagonalGaussian")

    @property
    def feature_weights(self) -> np.ndarray | None:
        return None if self.q is None else np.array(self.q, dtype=float)

    def with_feature_weights(self, q: Any) -> Self:
        return self._copy(q=q)

    def of_unit_width(self) -> tuple[Kernel, float]:
        shape, largest = over_the_largest(self.q)
        return self._copy(q=shape), largest

    def metric(self, n_features: int) -> np.ndarray:
        return np.diag(np.asarray(self.q, dtype=float))

    def linear_map(self, n_features: int) -> np.ndarray:
        return np.sqrt(np.asarray(self.q, dtype=float))

    def _gradient_dot(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        V = W * (self._gram(X, Y) if K is None else K)
        return -0.5 * np.asarray(self.q) * scatter_diagonal(X, V, Y)

    def _started(self, X: Any, y: Any, heuristic: str | None) -> Self:
        return self._copy(q=np.full(X.shape[1], 2.0 * start_gamma(X, y, heuristic)))

    def log_trace(self, theta: np.ndarray) -> float:
        return float(logsumexp(theta))

    def with_log_trace(self, theta: np.ndarray, log_trace: float) -> np.ndarray:
        return theta + (log_trace - self.log_trace(theta))

    def pull_back(self, theta: np.ndarray, gradient: np.ndarray, log_trace: float) -> np.ndarray:
        return gradient - gradient.sum() * np.exp(theta - self.log_trace(theta))
