"""Kernels of the squared distance after a linear map, and the Gaussian family.

Those of the plain distance are here: RBF, exponential, KMOD (papers: see :mod:`kernelwise.selection`).
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from kernelwise import _native
from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.threads import by_rows
from kernelwise._core.typing import MatrixLike, Samples, is_sparse
from kernelwise._core.validation import check_positive
from kernelwise.exceptions import IncompatibleError
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.distances import DISTANCES, euclidean_distances, squared_distances
from kernelwise.kernels.starts import start_gamma, start_sigma


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

    def squared_distances(self, X: Samples, Y: Samples | None = None) -> np.ndarray:
        """Squared distances after the linear map, shape (n_rows, n_columns)."""
        Z = self.transform(X)
        return squared_distances(Z, None if Y is None or Y is X else self.transform(Y))

    def _gram(self, X: Samples, Y: Samples) -> np.ndarray:
        return self._profile(self.squared_distances(X, Y))

    def _diagonal(self, X: Samples) -> np.ndarray:
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


class Decaying(Kernel):
    """k = exp(−s·D), whatever the distance D."""

    @property
    @abstractmethod
    def scale(self) -> float:
        """The factor s before the distance."""

    def _diagonal(self, X: Samples) -> np.ndarray:
        return np.ones(X.shape[0], dtype=X.dtype)

    def _profile(self, D: np.ndarray) -> np.ndarray:
        return decayed(D, self.scale)

    def profile_into(self, base: np.ndarray, out: np.ndarray) -> None:
        decayed(base, self.scale, out)


class GaussianFamily(Decaying, RadialKernel):
    """k(x, y) = exp(−s‖L(x − y)‖²): RBF, Mahalanobis, diagonal, general and low-rank Gaussian in one."""

    distance: ClassVar[str] = "sqeuclidean"
    is_gaussian: ClassVar[bool] = True

    def distances(self, X: Samples, Y: Samples | None = None) -> np.ndarray:
        """D of exp(−s·D), the squared distances after the linear map, shape (n_rows, n_columns)."""
        return self.squared_distances(X, Y)

    def metric(self, n_features: int) -> np.ndarray:
        L = self.linear_map(n_features)
        if L is None:
            return 2.0 * self.scale * np.eye(n_features)
        return 2.0 * self.scale * (np.diag(L**2) if L.ndim == 1 else L @ L.T)

    def sklearn_params(self) -> dict[str, Any]:
        return {"kernel": "rbf", "gamma": self.scale}

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

    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        # ∂K/∂log s = −s D∘K
        D = self.distances(X, Y)
        V = W * (decayed(D.copy(), self.scale) if K is None else K)
        return np.array([-self.scale * np.vdot(V, D)])

    def derivatives_dot(self, X: Samples, W: np.ndarray, order: int = 3) -> np.ndarray:
        """Σ_ij W_ij ∂ᵏK_ij/∂sᵏ for k = 0 … order: multiplies K by (−D)ᵏ (paper 000, after equation 9)."""
        D = self.distances(X)
        V = W * decayed(D.copy(), self.scale)
        sums = [V.sum()]
        for _ in range(order):
            V *= D
            np.negative(V, out=V)
            sums.append(V.sum())
        return np.array(sums)


class OneGamma(OneWidth):
    """k(x, y) = exp(−γ·D): the factor itself is the parameter, whatever the distance D."""

    hyperparameters: ClassVar = (Hyperparameter("gamma"),)

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma
        self._check()

    def _check(self) -> None:
        check_positive(self.gamma, "gamma", type(self).__name__)

    @property
    def scale(self) -> float:
        return float(self.gamma)


class ScaledGaussian(GaussianFamily, OneWidth):
    """A member of the Gaussian family whose one free parameter is the factor s (up to a constant)."""


def decayed(D: np.ndarray, scale: float, out: np.ndarray | None = None) -> np.ndarray:
    """exp(−s·D) in ``out``, of the same shape, or in place."""
    out = D if out is None else out
    if D.ndim == 2 and all(one.dtype == np.float64 and one.flags.c_contiguous for one in (D, out)):
        by_rows(lambda rows: _native.decay(D[rows], scale, out[rows]), D.shape)
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


def mapped(X: Samples, L: np.ndarray) -> Any:
    """Samples after a linear map: X∘L for weights of shape (n_features,), which keep X sparse, else X·L."""
    if L.ndim == 2:
        return np.asarray(X @ L.astype(X.dtype))
    return X.multiply(L).tocsr() if is_sparse(X) else X * L.astype(X.dtype)


def scatter(X: Samples, V: np.ndarray, Y: Samples) -> np.ndarray:
    """Σ_ij V_ij (x_i − y_j)(x_i − y_j)ᵀ, shape (n_features, n_features), by matrix products only."""
    X, Y = _centre(X, Y)
    rows, columns = V.sum(axis=1), V.sum(axis=0)
    cross = _dense(X.T @ _dense(V @ Y))
    return _weighted_square(X, rows) + _weighted_square(Y, columns) - cross - cross.T


def scatter_diagonal(X: Samples, V: np.ndarray, Y: Samples) -> np.ndarray:
    """The diagonal of :func:`scatter`, shape (n_features,), at the cost of one product V·Y."""
    Xc, Yc = _centre(X, Y)
    rows, columns = V.sum(axis=1), V.sum(axis=0)
    if is_sparse(Xc):
        # A few columns at a time: V @ Y of a wide sparse Y would be a dense n × d array.
        Xc, Yc = Xc.tocsc(), Yc.tocsc()
        cross = np.concatenate(
            [
                np.asarray(Xc[:, k : k + 256].multiply(V @ Yc[:, k : k + 256]).sum(axis=0)).ravel()
                for k in range(0, Xc.shape[1], 256)
            ]
        )
        return Xc.multiply(Xc).T @ rows + Yc.multiply(Yc).T @ columns - 2.0 * cross
    return rows @ Xc**2 + columns @ Yc**2 - 2.0 * np.einsum("ij,ij->j", Xc, V @ Yc)


def _centre(X: Samples, Y: Samples) -> tuple[Any, Any]:
    """Shift both sets by one vector: differences stay, and Σ r x² − … loses less to cancellation."""
    if is_sparse(X) or is_sparse(Y):
        return sparse.csr_array(X), sparse.csr_array(Y)
    X, Y = np.asarray(X, dtype=float), np.asarray(Y, dtype=float)
    centre = X.mean(axis=0)
    return X - centre, Y - centre


def _weighted_square(X: Samples, weights: np.ndarray) -> np.ndarray:
    if is_sparse(X):
        return _dense(X.T @ X.multiply(weights[:, None]))
    return X.T @ (weights[:, None] * X)


def _dense(A: Samples) -> np.ndarray:
    return A.toarray() if is_sparse(A) else np.asarray(A)


#: Largest γ/σ² of KMOD: products of it with sums of kernel values are numbers.
STEEPEST = 1e100


class RBF(OneGamma, ScaledGaussian):
    """RBF (Gaussian) kernel: k(x, y) = exp(−γ‖x − y‖²) (paper 000, equation 4; paper 004, equation 6).

    Papers that write σ mean γ = 1/(2σ²). Paper 000 writes γ/m with the number m of features: its γ is ours
    times m.

    Parameters
    ----------
    gamma : float, default=1.0

    Examples
    --------
    >>> from kernelwise.kernels import RBF
    >>> RBF(gamma=0.5)([[0.0], [2.0]]).round(4)
    array([[1.    , 0.1353],
           [0.1353, 1.    ]])
    """

    input_powers: ClassVar = {"gamma": 1.0}

    @property
    def reach(self) -> float:
        return sigma_of(self.gamma)

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        return self._copy(gamma=start_gamma(X, y, heuristic, keep=self.gamma))


class ExponentialRBF(OneGamma, RadialKernel):
    """Exponential kernel of the Euclidean distance: k(x, y) = exp(−γ‖x − y‖) (paper 001, table 1).

    Parameters
    ----------
    gamma : float, default=1.0

    Examples
    --------
    >>> from kernelwise.kernels import ExponentialRBF
    >>> ExponentialRBF(gamma=0.5)([[0.0], [2.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    title: ClassVar[str] = "Exponential RBF"
    distance: ClassVar[str] = "euclidean"
    input_powers: ClassVar = {"gamma": 0.5}

    @property
    def reach(self) -> float:
        return 0.5 / self.scale

    def distances(self, X: Samples, Y: Samples | None = None) -> np.ndarray:
        """Euclidean distances, shape (n_rows, n_columns)."""
        return euclidean_distances(X, Y)

    def _profile(self, D: np.ndarray) -> np.ndarray:
        return decayed(np.sqrt(D, out=D), self.scale)

    def _slope(self, D: np.ndarray) -> np.ndarray:
        r = np.sqrt(D)
        slope = np.divide(-0.5 * self.scale, r, out=np.zeros_like(r), where=r > 0)
        slope *= decayed(r, self.scale)
        return slope

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        if heuristic == "keep":
            return self._copy()
        # The fall-off of the Gaussian at its own width: γσ = σ²/(2σ²).
        return self._copy(gamma=0.5 / start_sigma(X, y, heuristic))


class KMOD(RadialKernel):
    """KMOD kernel: k(x, y) = a (exp(γ / (‖x − y‖² + σ²)) − 1) (paper 001, equation 3).

    KMOD stands for "kernel with moderate decreasing". The factor is a = 1 / (exp(γ/σ²) − 1), so that k(x, x)
    = 1; the paper calls it a normalisation constant and prints it without γ.

    Parameters
    ----------
    gamma : float, default=1.0
        How fast the kernel falls near zero.
    sigma : float, default=1.0
        Width of the region around zero where it does.

    Notes
    -----
    KMOD is positive definite in every dimension. 1/(D + σ²) is the integral of exp(−tσ²) exp(−tD) over t > 0,
    a mixture of Gaussian kernels of the squared distance D with positive weights, hence a kernel. So are its
    powers, as products of kernels, and sums of them with positive factors: exp(u) − 1 = u + u²/2 + u³/6 + …
    of u = γ/(D + σ²), and a > 0 times it.

    Examples
    --------
    >>> from kernelwise.kernels import KMOD
    >>> KMOD(gamma=1.0, sigma=1.0)([[0.0], [1.0]]).round(4)
    array([[1.    , 0.3775],
           [0.3775, 1.    ]])
    """

    meaning: ClassVar[str] = "the farther apart two rows are, the less alike they are"
    hyperparameters: ClassVar = (Hyperparameter("gamma"), Hyperparameter("sigma", (1e-4, 1e4)))
    input_powers: ClassVar = {"gamma": -1.0, "sigma": -0.5}

    def __init__(self, gamma: float = 1.0, sigma: float = 1.0) -> None:
        self.gamma = gamma
        self.sigma = sigma
        self._check()

    def _check(self) -> None:
        check_positive(self.gamma, "gamma", "KMOD")
        check_positive(self.sigma, "sigma", "KMOD")
        if self.gamma > STEEPEST * self.sigma**2:
            raise ValueError(
                f"'gamma' of KMOD is {self.gamma:g}, more than {STEEPEST:g} times the square of 'sigma' = "
                f"{self.sigma:g}: the kernel is zero everywhere. Use a smaller gamma or a larger sigma."
            )

    def _profile(self, D: np.ndarray) -> np.ndarray:
        # expm1(u)/expm1(u₀) = exp(u − u₀) · expm1(−u)/expm1(−u₀): no overflow for a narrow kernel.
        u0 = self.gamma / self.sigma**2
        D += self.sigma**2
        np.divide(self.gamma, D, out=D)
        K = np.exp(D - u0)
        np.negative(D, out=D)
        K *= np.expm1(D, out=D)
        K /= np.expm1(-u0)
        return K

    def _slope(self, D: np.ndarray) -> np.ndarray:
        # φ = expm1(u)/expm1(u₀) with u = γ/(D + σ²): φ' = −(u²/γ) exp(u)/expm1(u₀), without overflow.
        u0, u = self.gamma / self.sigma**2, self.gamma / (D + self.sigma**2)
        return np.asarray(u**2 / self.gamma * np.exp(u - u0) / np.expm1(-u0))

    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        D = self.squared_distances(X, Y)
        V = W * (self._profile(D.copy()) if K is None else K)
        u0 = self.gamma / self.sigma**2
        D += self.sigma**2
        # With h(u) = u / (1 − exp(−u)): ∂K/∂log γ = K (h(u) − h(u₀)),
        # ∂K/∂log σ = 2K (h(u₀) − σ² h(u) / (D + σ²)).
        h0, total = _h(u0), V.sum()
        V *= _h(self.gamma / D)
        by_gamma = V.sum() - h0 * total
        V /= D
        by_sigma = 2.0 * (h0 * total - self.sigma**2 * V.sum())
        return np.array([by_gamma, by_sigma])

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        if heuristic == "keep":
            return self._copy()
        width2 = 1.0 / (2.0 * start_gamma(X, y, heuristic))
        return self._copy(gamma=width2, sigma=float(np.sqrt(width2)))


def _h(u: float | np.ndarray) -> Any:
    return u / -np.expm1(-u)
