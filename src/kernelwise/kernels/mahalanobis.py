"""The Mahalanobis kernel of paper 000 (Abe 2007, equations 5 and 6)."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.typing import MatrixLike, Samples, is_sparse
from kernelwise._core.validation import check_choice, check_positive, check_samples
from kernelwise.exceptions import RidgeWarning
from kernelwise.kernels.radial import ScaledGaussian, mapped
from kernelwise.kernels.starts import start_gamma

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
