"""Squared Euclidean distances between the rows of two sets of samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

# Rows handled at once after the matrix product: the piece being finished stays in the processor's cache.
ROWS = 128


def squared_distances(X: Any, Y: Any = None) -> np.ndarray:
    """Squared distances ‖x_i − y_j‖² of shape (n_rows, n_columns), in the precision of ``X``.

    With ``Y`` None or ``X`` itself the result is exactly symmetric with an exactly zero diagonal. The
    samples are centred first (distances do not change), and single precision is computed in double, because
    ‖x‖² − 2x·y + ‖y‖² cancels.
    """
    is_square = Y is None or Y is X
    X, Y, product = _products(X, X if is_square else Y)
    norms_x = _squared_norms(X)
    norms_y = norms_x if is_square else _squared_norms(Y)
    # What is left of ‖x‖² + ‖y‖² after cancellation below this is rounding: equal points have distance zero
    # in a rectangular block too, which a square root would make a visible error.
    rounding = 8 * np.finfo(float).eps * np.sqrt(X.shape[1])
    D = product if isinstance(product, np.ndarray) else np.empty(product.shape, product.dtype)
    for start in range(0, D.shape[0], ROWS):
        rows = slice(start, start + ROWS)
        sums = np.add.outer(norms_x[rows], norms_y)
        block = sums - 2.0 * product[rows]
        block[block <= rounding * sums] = 0.0
        D[rows] = block
    if is_square:
        np.fill_diagonal(D, 0.0)
    return D


class _Float32Product:
    """Rows of X·Yᵀ on demand, so that a float32 result never needs a float64 array of its size."""

    dtype = np.dtype(np.float32)

    def __init__(self, X: np.ndarray, Y: np.ndarray) -> None:
        self.X, self.Y, self.shape = X, Y, (X.shape[0], Y.shape[0])

    def __getitem__(self, rows: slice) -> np.ndarray:
        return self.X[rows] @ self.Y.T


def _products(X: Any, Y: Any) -> tuple[Any, Any, Any]:
    """Centred samples in double precision and their inner products."""
    if sparse.issparse(X) or sparse.issparse(Y):
        inner = X @ Y.T
        return X, Y, inner.toarray() if sparse.issparse(inner) else np.asarray(inner)
    is_square = Y is X
    is_single = X.dtype == np.float32
    X = np.asarray(X, dtype=float)
    centre = X.mean(axis=0)
    Xc = X - centre
    Yc = Xc if is_square else np.asarray(Y, dtype=float) - centre
    return Xc, Yc, _Float32Product(Xc, Yc) if is_single else Xc @ Yc.T


def _squared_norms(X: Any) -> np.ndarray:
    if sparse.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)
