"""Gaussian kernels with a metric: a learned one, or the inverse of the covariance.

The learned metric Q (paper 003, Laanaya and others 2011, equation 1) is a full matrix, a diagonal one, which
is a width per feature, or one of low rank. The Mahalanobis kernel is that of paper 000 (Abe 2007, equations
5 and 6).
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.typing import MatrixLike, Samples, is_sparse
from kernelwise._core.validation import check_choice, check_positive, check_samples
from kernelwise.exceptions import RidgeWarning
from kernelwise.kernels.metric import FeatureWeights, MetricKernel
from kernelwise.kernels.radial import ScaledGaussian, mapped, scatter, scatter_diagonal
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
    map_name: ClassVar[str] = "Q"
    geometry: ClassVar[str] = "spd"
    input_powers: ClassVar = {"Q": 1.0}

    def __init__(self, Q: ArrayLike | None = None) -> None:
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

    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        # Eq. 21: −½ Σ_ij W_ij K_ij (x_i − y_j)(x_i − y_j)ᵀ
        V = W * (self._gram(X, Y) if K is None else K)
        return -0.5 * scatter(X, V, Y)

    @property
    def theta(self) -> np.ndarray:
        """The matrix Q, shape (n_features, n_features)."""
        if self.Q is None:
            self._check_features(0)
        return np.array(self.Q, dtype=float)

    def with_theta(self, theta: ArrayLike) -> Self:
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

    def _started(self, X: Samples, y: ArrayLike | None, heuristic: str | None) -> Self:
        return self._copy(Q=2.0 * start_gamma(X, y, heuristic) * np.eye(X.shape[1]))

    def log_trace(self, theta: np.ndarray) -> float:
        return float(np.log(np.trace(theta)))

    def with_log_trace(self, theta: np.ndarray, log_trace: float) -> np.ndarray:
        return theta * np.exp(log_trace - self.log_trace(theta))

    def pull_back(self, theta: np.ndarray, gradient: np.ndarray, log_trace: float) -> np.ndarray:
        along = np.vdot(gradient, theta) / np.trace(theta)
        return np.exp(log_trace - self.log_trace(theta)) * (gradient - along * np.eye(len(theta)))


class DiagonalGaussian(FeatureWeights, MetricKernel):
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
    input_powers: ClassVar = {"q": 1.0}

    def metric(self, n_features: int) -> np.ndarray:
        return np.diag(np.asarray(self.q, dtype=float))

    def linear_map(self, n_features: int) -> np.ndarray:
        return np.sqrt(np.asarray(self.q, dtype=float))

    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        V = W * (self._gram(X, Y) if K is None else K)
        return -0.5 * np.asarray(self.q) * scatter_diagonal(X, V, Y)

    def _started(self, X: Samples, y: ArrayLike | None, heuristic: str | None) -> Self:
        return self._copy(q=np.full(X.shape[1], 2.0 * start_gamma(X, y, heuristic)))

    def log_trace(self, theta: np.ndarray) -> float:
        return float(logsumexp(theta))

    def with_log_trace(self, theta: np.ndarray, log_trace: float) -> np.ndarray:
        return theta + (log_trace - self.log_trace(theta))

    def pull_back(self, theta: np.ndarray, gradient: np.ndarray, log_trace: float) -> np.ndarray:
        return gradient - gradient.sum() * np.exp(theta - self.log_trace(theta))


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
    map_name: ClassVar[str] = "A"
    hyperparameters: ClassVar = (Hyperparameter("A", (-1e3, 1e3), is_log=False),)
    input_powers: ClassVar = {"A": 0.5}

    def __init__(self, A: ArrayLike | None = None, rank: int = 2) -> None:
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

    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        # ∂A = 2A · ∂Q
        V = W * (self._gram(X, Y) if K is None else K)
        return (-np.asarray(self.A, dtype=float) @ scatter(X, V, Y)).ravel()

    def _started(self, X: Samples, y: ArrayLike | None, heuristic: str | None) -> Self:
        directions = _principal_directions(X, min(self.rank, X.shape[1]))
        return self._copy(A=np.sqrt(2.0 * start_gamma(X @ directions.T, y, heuristic)) * directions)

    def log_trace(self, theta: np.ndarray) -> float:
        return float(np.log(np.vdot(theta, theta)))

    def with_log_trace(self, theta: np.ndarray, log_trace: float) -> np.ndarray:
        return theta * np.exp((log_trace - self.log_trace(theta)) / 2.0)

    def pull_back(self, theta: np.ndarray, gradient: np.ndarray, log_trace: float) -> np.ndarray:
        along = np.vdot(gradient, theta) / np.vdot(theta, theta)
        return np.exp((log_trace - self.log_trace(theta)) / 2.0) * (gradient - along * theta)


def _principal_directions(X: Samples, rank: int) -> np.ndarray:
    """Leading principal directions, shape (rank, n_features), each with its largest entry positive."""
    mean = np.asarray(X.mean(axis=0)).ravel()
    if is_sparse(X):
        square = (X.T @ X).toarray() / X.shape[0] - np.outer(mean, mean)
    else:
        square = (X - mean).T @ (X - mean) / X.shape[0]
    directions = np.linalg.eigh(square.astype(float))[1][:, ::-1][:, :rank].T
    largest = directions[np.arange(rank), np.abs(directions).argmax(axis=1)]
    return directions * np.sign(largest)[:, None]


# Directions with less than this share of the largest variance carry rounding errors, not data.
RELATIVE_FLOOR = 1e-10


class Mahalanobis(ScaledGaussian):
    """Mahalanobis kernel: k(x, y) = exp(−(δ/m) (x − y)ᵀ S⁻¹ (x − y)) (paper 000, equations 5 and 6).

    S is the covariance of the training data and m the number of features. It is an RBF kernel of features, or
    of principal directions, that are scaled to the same size.

    Parameters
    ----------
    delta : float, default=1.0
    covariance : {"diagonal", "full"} or ndarray of shape (m,) or (m, m), default="diagonal"
        Which covariance :meth:`initialize` takes from the training data, or its value. A kernel that was
        not initialised uses the covariance of ``X`` in ``kernel(X)`` and refuses ``kernel(X, Y)``, where
        the training data cannot be guessed.

    Notes
    -----
    Constant features, and directions in which collinear features do not vary, have no inverse variance.
    They get weight zero (a pseudo-inverse), with a :class:`~kernelwise.exceptions.RidgeWarning`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import Mahalanobis
    >>> X = np.array([[0.0, 0.0], [2.0, 20.0]])
    >>> Mahalanobis(delta=0.5).initialize(X, heuristic="keep")(X).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """

    meaning: ClassVar[str] = "rows count as alike by their distance in units of the columns' spread"
    scales_features: ClassVar[bool] = True
    hyperparameters: ClassVar = (Hyperparameter("delta"),)
    input_powers: ClassVar = {"delta": 1.0}

    def __init__(self, delta: float = 1.0, covariance: str | ArrayLike = "diagonal") -> None:
        self.delta = delta
        self.covariance = covariance
        self._check()

    def _check(self) -> None:
        check_positive(self.delta, "delta", "Mahalanobis")
        if isinstance(self.covariance, str):
            check_choice(self.covariance, "covariance", "Mahalanobis", ("diagonal", "full"))
            return
        S = np.asarray(self.covariance, dtype=float)
        if S.ndim not in (1, 2) or (S.ndim == 2 and S.shape[0] != S.shape[1]):
            raise ValueError(f"'covariance' of Mahalanobis has shape {S.shape}, expected (m,) or (m, m).")
        smallest = S.min() if S.ndim == 1 else np.linalg.eigvalsh(S).min()
        if not np.isfinite(S).all() or smallest < -RELATIVE_FLOOR * np.abs(S).max():
            raise ValueError(
                f"'covariance' of Mahalanobis must be finite and positive semi-definite, its smallest "
                f"{'variance' if S.ndim == 1 else 'eigenvalue'} is {smallest:.3g}."
            )

    def _check_features(self, n_features: int) -> None:
        if not self.needs_data and (size := len(np.asarray(self.covariance))) != n_features:
            raise ValueError(f"This Mahalanobis kernel was made for {size} features, got {n_features}.")

    @property
    def scale(self) -> float:
        return float(self.delta)

    def squared_distances(self, X: Samples, Y: Samples | None = None) -> np.ndarray:
        if not self.needs_data:
            return super().squared_distances(X, Y)
        if Y is not None and Y is not X:
            raise ValueError(
                "This Mahalanobis kernel has no covariance yet. Call kernel.initialize(X_train, y_train)."
            )
        return self.initialize(X, heuristic="keep").squared_distances(X)

    def linear_map(self, n_features: int) -> np.ndarray:
        S = np.asarray(self.covariance, dtype=float)
        if S.ndim == 1:
            return np.sqrt(_inverse(S) / len(S))
        values, vectors = np.linalg.eigh(S)
        return vectors * np.sqrt(_inverse(values) / len(S))

    def transform(self, X: Samples) -> Any:
        return mapped(X, self.linear_map(X.shape[1]))

    @property
    def needs_data(self) -> bool:
        return isinstance(self.covariance, str)

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        X = check_samples(X)
        bound = self
        if isinstance(self.covariance, str):
            bound = self._copy(covariance=_covariance(X, self.covariance))
            bound._warn_if_singular()
        return bound._copy(delta=start_gamma(bound.transform(X), y, heuristic, keep=self.delta))

    def _warn_if_singular(self) -> None:
        S = np.asarray(self.covariance)
        lost = int((_inverse(S if S.ndim == 1 else np.linalg.eigvalsh(S)) == 0).sum())
        if lost:
            plural = "" if lost == 1 else "s"
            what = f"constant feature{plural}" if S.ndim == 1 else f"direction{plural} without variance"
            reason = "" if S.ndim == 1 else " (collinear features)"
            warnings.warn(
                f"The covariance of the training data is singular. The kernel gives weight zero to {lost} "
                f"{what}{reason}.",
                RidgeWarning,
                stacklevel=3,
            )


def _covariance(X: Samples, kind: str) -> np.ndarray:
    """Covariance with divisor M (equation 6), shape (m,) or (m, m)."""
    if is_sparse(X):
        mean = np.asarray(X.mean(axis=0)).ravel()
        if kind == "diagonal":
            return np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2
        return (X.T @ X).toarray() / X.shape[0] - np.outer(mean, mean)
    X = np.asarray(X, dtype=float)
    if kind == "diagonal":
        # A constant column has variance zero exactly, whatever rounding its mean suffers.
        return np.where(np.ptp(X, axis=0) == 0, 0.0, X.var(axis=0))
    return np.atleast_2d(np.cov(X, rowvar=False, bias=True))


def _inverse(variances: np.ndarray) -> np.ndarray:
    is_kept = variances > RELATIVE_FLOOR * variances.max(initial=0.0)
    return np.divide(1.0, variances, out=np.zeros_like(variances), where=is_kept)
