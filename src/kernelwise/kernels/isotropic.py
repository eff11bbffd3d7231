"""Radial kernels of the plain distance: RBF, exponential, KMOD (papers: see :mod:`kernelwise.selection`)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.validation import check_positive
from kernelwise.kernels.distances import euclidean_distances
from kernelwise.kernels.radial import OneWidth, RadialKernel, ScaledGaussian, decayed, sigma_of
from kernelwise.kernels.starts import start_gamma, start_sigma

#: Largest γ/σ² of KMOD: products of it with sums of kernel values are numbers.
STEEPEST = 1e100


class RBF(ScaledGaussian):
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

    hyperparameters: ClassVar = (Hyperparameter("gamma"),)
    input_powers: ClassVar = {"gamma": 1.0}

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma
        self._check()

    def _check(self) -> None:
        check_positive(self.gamma, "gamma", "RBF")

    @property
    def scale(self) -> float:
        return float(self.gamma)

    @property
    def reach(self) -> float:
        return sigma_of(self.gamma)

    def initialize(self, X: Any, y: Any = None, heuristic: str | None = None) -> Self:
        return self._copy(gamma=start_gamma(X, y, heuristic, keep=self.gamma))


class ExponentialRBF(RadialKernel, OneWidth):
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
    hyperparameters: ClassVar = (Hyperparameter("gamma"),)
    input_powers: ClassVar = {"gamma": 0.5}

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma
        self._check()

    def _check(self) -> None:
        check_positive(self.gamma, "gamma", "ExponentialRBF")

    @property
    def scale(self) -> float:
        return float(self.gamma)

    @property
    def reach(self) -> float:
        return 0.5 / self.scale

    def distances(self, X: Any, Y: Any = None) -> np.ndarray:
        """Euclidean distances, shape (n_rows, n_columns)."""
        return euclidean_distances(X, Y)

    def _profile(self, D: np.ndarray) -> np.ndarray:
        return decayed(np.sqrt(D, out=D), self.scale)

    def _slope(self, D: np.ndarray) -> np.ndarray:
        r = np.sqrt(D)
        slope = np.divide(-0.5 * self.scale, r, out=np.zeros_like(r), where=r > 0)
        slope *= decayed(r, self.scale)
        return slope

    def initialize(self, X: Any, y: Any = None, heuristic: str | None = None) -> Self:
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

    def _gradient_dot(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
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

    def initialize(self, X: Any, y: Any = None, heuristic: str | None = None) -> Self:
        if heuristic == "keep":
            return self._copy()
        width2 = 1.0 / (2.0 * start_gamma(X, y, heuristic))
        return self._copy(gamma=width2, sigma=float(np.sqrt(width2)))


def _h(u: Any) -> Any:
    return u / -np.expm1(-u)
