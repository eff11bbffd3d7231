"""Kernels of the squared distance after a linear map, and the Gaussian family (paper 000 is by Abe, 2007)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from scipy import sparse

from kernelwise import _native
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.distances import DISTANCES, squared_distances


class RadialKernel(Kernel):
    """Base class of kernels of a squared distance: k(x, y) = φ(‖L(x − y)‖²) with φ(0) = 1.

    L is the identity unless the method ``transform`` is overridden.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.kernels import DiagonalGaussian, RadialKernel
    >>> kernel = DiagonalGaussian(q=[4.0, 1.0])
    >>> isinstance(kernel, RadialKernel), kernel.transform(np.array([[1.0, 1.0]]))
    (True, array([[2., 1.]]))
    >>> kernel.squared_distances(np.array([[0.0, 0.0], [1.0, 1.0]]))
    array([[0., 5.],
           [5., 0.]])
    """

    is_radial: ClassVar[bool] = True

    @property
    def gram_base(self) -> str | None:
        return DISTANCES if type(self).transform is Kernel.transform else None

    def squared_distances(self, X: Any, Y: Any = None) -> np.ndarray:
        """Squared distances after the linear map, shape (n_rows, n_columns)."""
        Z = self.transform(X)
        return squared_distances(Z, None if Y is None or Y is X else self.transform(Y))

    def _gram(self, X: Any, Y: Any) -> np.ndarray:
        return self._profile(self.squared_distances(X, Y))

    def _diagonal(self, X: Any) -> np.ndarray:
        return np.ones(X.shape[0], dtype=X.dtype)

    @abstractmethod
    def _profile(self, D: np.ndarray) -> np.ndarray:
        """φ(D), in place."""

    def _slope(self, D: np.ndarray) -> np.ndarray:
        """φ'(D), of the shape of D; it may be computed in place."""
        raise IncompatibleError(f"{type(self).__name__} does not say how it changes with the samples.")

    def _input_gradient(self, X: np.ndarray, A: np.ndarray, Y: np.ndarray) -> np.ndarray:
        # ∂φ(‖z − w‖²)/∂z = 2φ'(D)(z − w) after the linear map z = xL, and ∂/∂x = ∂/∂z·Lᵀ.
        V = A * self._slope(self.squared_distances(X, Y))
        Z, W = self.transform(X), self.transform(Y)
        gradient = 2.0 * (V.sum(axis=1)[:, None] * Z - V @ W)
        L = self.linear_map(X.shape[1])
        return gradient if L is None else gradient * L if L.ndim == 1 else gradient @ L.T


class GaussianFamily(RadialKernel):
    """k(x, y) = exp(−s‖L(x − y)‖²): RBF, Mahalanobis, diagonal, general and low-rank Gaussian in one."""

    distance: ClassVar[str] = "sqeuclidean"
    is_gaussian: ClassVar[bool] = True

    @property
    @abstractmethod
    def scale(self) -> float:
        """The factor s before the squared distance."""

    def distances(self, X: Any, Y: Any = None) -> np.ndarray:
        """D of exp(−s·D), the squared distances after the linear map, shape (n_rows, n_columns)."""
        return self.squared_distances(X, Y)

    def metric(self, n_features: int) -> np.ndarray:
        L = self.linear_map(n_features)
        if L is None:
            return 2.0 * self.scale * np.eye(n_features)
        return 2.0 * self.scale * (np.diag(L**2) if L.ndim == 1 else L @ L.T)

    def sklearn_params(self) -> dict[str, Any]:
        return {"kernel": "rbf", "gamma": self.scale}

    def _profile(self, D: np.ndarray) -> np.ndarray:
        return decayed(D, self.scale)

    def profile_into(self, base: np.ndarray, out: np.ndarray) -> None:
        decayed(base, self.scale, out)

    def _slope(self, D: np.ndarray) -> np.ndarray:
        slope = self._profile(D)
        slope *= -self.scale
        return slope


class OneWidth(Kernel):
    """k(x, y) = exp(−s·D) whose one free parameter is the factor s (up to a constant)."""

    has_one_width: ClassVar[bool] = True

    def factor_for(self, scale: float) -> float:
        """The factor of `rescaled` that makes s this scale: it is squared where D grows like ‖x − y‖."""
        (power,) = self.input_powers.values()
        return float((scale / self.scale) ** (1.0 / power))

    def _gradient_dot(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        # ∂K/∂log s = −s D∘K
        D = self.distances(X, Y)
        V = W * (decayed(D.copy(), self.scale) if K is None else K)
        return np.array([-self.scale * np.vdot(V, D)])

    def derivatives_dot(self, X: Any, W: np.ndarray, order: int = 3) -> np.ndarray:
        """Σ_ij W_ij ∂ᵏK_ij/∂sᵏ for k = 0 … order: multiplies K by (−D)ᵏ (paper 000, after equation 9)."""
        D = self.distances(X)
        V = W * decayed(D.copy(), self.scale)
        sums = [V.sum()]
        for _ in range(order):
            V *= D
            np.negative(V, out=V)
            sums.append(V.sum())
        return np.array(sums)


class ScaledGaussian(GaussianFamily, OneWidth):
    """A member of the Gaussian family whose one free parameter is the factor s (up to a constant)."""


def decayed(D: np.ndarray, scale: float, out: np.ndarray | None = None) -> np.ndarray:
    """exp(−s·D) in ``out``, of the same shape, or in place."""
    out = D if out is None else out
    if D.ndim == 2 and all(one.dtype == np.float64 and one.flags.c_contiguous for one in (D, out)):
        _native.decay(D, scale, out)
        return out
    with np.errstate(over="ignore"):  # of a kernel so narrow that the value is zero
        np.multiply(D, -scale, out=out)
    return exp_without_denormals(out)


def sigma_of(gamma: float) -> float:
    """σ of exp(−γd²) = exp(−d²/(2σ²)): the distance up to which rows count as alike, about."""
    return float(1.0 / np.sqrt(2.0 * gamma))


def exp_without_denormals(exponent: np.ndarray) -> np.ndarray:
    """exp in place, with zero for what would be a denormal number.

    Arithmetic on denormal numbers takes a hundred times as long, and a narrow kernel has many of them.
    """
    smallest = np.log(np.finfo(exponent.dtype).tiny)
    if exponent.size and exponent.min() < smallest:
        exponent[exponent < smallest] = -np.inf
    return np.exp(exponent, out=exponent)


def mapped(X: Any, L: np.ndarray) -> Any:
    """Samples after a linear map: X∘L for weights of shape (n_features,), which keep X sparse, else X·L."""
    if L.ndim == 2:
        return np.asarray(X @ L.astype(X.dtype))
    return X.multiply(L).tocsr() if sparse.issparse(X) else X * L.astype(X.dtype)


def scatter(X: Any, V: np.ndarray, Y: Any) -> np.ndarray:
    """Σ_ij V_ij (x_i − y_j)(x_i − y_j)ᵀ, shape (n_features, n_features), by matrix products only."""
    X, Y = _centre(X, Y)
    rows, columns = V.sum(axis=1), V.sum(axis=0)
    cross = _dense(X.T @ _dense(V @ Y))
    return _weighted_square(X, rows) + _weighted_square(Y, columns) - cross - cross.T


def scatter_diagonal(X: Any, V: np.ndarray, Y: Any) -> np.ndarray:
    """The diagonal of :func:`scatter`, shape (n_features,), at the cost of one product V·Y."""
    X, Y = _centre(X, Y)
    rows, columns = V.sum(axis=1), V.sum(axis=0)
    if sparse.issparse(X):
        # A few columns at a time: V @ Y of a wide sparse Y would be a dense n × d array.
        X, Y = X.tocsc(), Y.tocsc()
        cross = np.concatenate(
            [
                np.asarray(X[:, k : k + 256].multiply(V @ Y[:, k : k + 256]).sum(axis=0)).ravel()
                for k in range(0, X.shape[1], 256)
            ]
        )
        return X.multiply(X).T @ rows + Y.multiply(Y).T @ columns - 2.0 * cross
    return rows @ X**2 + columns @ Y**2 - 2.0 * np.einsum("ij,ij->j", X, V @ Y)


def _centre(X: Any, Y: Any) -> tuple[Any, Any]:
    """Shift both sets by one vector: differences stay, and Σ r x² − … loses less to cancellation."""
    if sparse.issparse(X) or sparse.issparse(Y):
        return sparse.csr_array(X), sparse.csr_array(Y)
    X, Y = np.asarray(X, dtype=float), np.asarray(Y, dtype=float)
    centre = X.mean(axis=0)
    return X - centre, Y - centre


def _weighted_square(X: Any, weights: np.ndarray) -> np.ndarray:
    if sparse.issparse(X):
        return _dense(X.T @ X.multiply(weights[:, None]))
    return X.T @ (weights[:, None] * X)


def _dense(A: Any) -> np.ndarray:
    return A.toarray() if sparse.issparse(A) else np.asarray(A)
