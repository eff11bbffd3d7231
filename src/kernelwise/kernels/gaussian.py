"""The general Gaussian kernel of paper 003 (Laanaya and others 2011, equation 1)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from kernelwise.kernels.metric import MetricKernel
from kernelwise.kernels.radial import scatter
from kernelwise.kernels.starts import start_gamma


class Gaussian(MetricKernel):
    """Gaussian kernel with a full metric: k(x, y) = exp(−½ (x − y)ᵀ Q (x − y)) (paper 003, equation 1).

    Q is a positive-definite matrix.

    ``theta`` is Q itself, shape (d, d), and :meth:`gradient_dot` returns the symmetric matrix of
    derivatives with respect to Q: the search for Q lives on the manifold of such matrices. Searches over
    plain vectors see the matrix logarithm of Q (:mod:`kernelwise.space`).

    Parameters
    ----------
    Q : array-like of shape (n_features, n_features), default=None
        None until :meth:`initialize`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import Gaussian
    >>> Gaussian(Q=np.eye(2))([[0.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    title: ClassVar[str] = "Gaussian with a full metric"
    meaning: ClassVar[str] = "rows count as alike by a learned distance, which takes columns together"
    metric_name: ClassVar[str] = "Q"
    geometry: ClassVar[str] = "spd"
    input_powers: ClassVar = {"Q": 1.0}

    def __init__(self, Q: Any = None) -> None:
        self.Q = Q
        self._check()

    def _check(self) -> None:
        if self.Q is None:
            return
        Q = np.asarray(self.Q, dtype=float)
        if Q.ndim != 2 or Q.shape[0] != Q.shape[1]:
            raise ValueError(f"'Q' of Gaussian must be a square matrix, got shape {Q.shape}.")
        if not np.isfinite(Q).all() or np.abs(Q - Q.T).max() > 1e-10 * np.abs(Q).max():
            raise ValueError("'Q' of Gaussian must be finite and symmetric; pass (Q + Q.T) / 2.")
        smallest = np.linalg.eigvalsh(Q)[0]
        if smallest <= 0:
            raise ValueError(
                f"'Q' of Gaussian must be positive definite, its smallest eigenvalue is {smallest:.3g}. "
                "Add a multiple of the identity, or use LowRankGaussian for a singular Q."
            )

    def metric(self, n_features: int) -> np.ndarray:
        return self.theta

    def linear_map(self, n_features: int) -> np.ndarray:
        return np.linalg.cholesky(self.theta)

    def _gradient_dot(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        # Eq. 21: −½ Σ_ij W_ij K_ij (x_i − y_j)(x_i − y_j)ᵀ
        V = W * (self._gram(X, Y) if K is None else K)
        return -0.5 * scatter(X, V, Y)

    @property
    def theta(self) -> np.ndarray:
        """The matrix Q, shape (n_features, n_features)."""
        if self.Q is None:
            self._check_features(0)
        return np.array(self.Q, dtype=float)

    def with_theta(self, theta: Any) -> Self:
        """Return a copy with another Q: the symmetric part of ``theta``, a matrix or its flat form."""
        size = self.theta.shape[0]
        theta = np.asarray(theta, dtype=float)
        if theta.size != size * size:
            raise ValueError(f"theta of this Gaussian has shape ({size}, {size}), got {theta.shape}.")
        theta = theta.reshape(size, size)
        return self._copy(Q=(theta + theta.T) / 2.0)

    @property
    def bounds(self) -> np.ndarray:
        """Lowest and highest logarithm of an eigenvalue of Q, shape (1, 2)."""
        return np.log([[1e-8, 1e6]])

    @property
    def theta_names(self) -> tuple[str, ...]:
        return tuple(f"Q[{i}, {j}]" for i, j in np.ndindex(self.theta.shape))

    def _started(self, X: Any, y: Any, heuristic: str | None) -> Self:
        return self._copy(Q=2.0 * start_gamma(X, y, heuristic) * np.eye(X.shape[1]))

    def log_trace(self, theta: np.ndarray) -> float:
        return float(np.log(np.trace(theta)))

    def with_log_trace(self, theta: np.ndarray, log_trace: float) -> np.ndarray:
        return theta * np.exp(log_trace - self.log_trace(theta))

    def pull_back(self, theta: np.ndarray, gradient: np.ndarray, log_trace: float) -> np.ndarray:
        along = np.vdot(gradient, theta) / np.trace(theta)
        return np.exp(log_trace - self.log_trace(theta)) * (gradient - along * np.eye(len(theta)))
