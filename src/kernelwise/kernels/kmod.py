"""KMOD, the kernel with moderate decreasing of paper 001 (Ayat and others 2002, eq. 3)."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.validation import check_positive
from kernelwise.kernels.radial import RadialKernel
from kernelwise.kernels.starts import start_gamma


class KMOD(RadialKernel):
    """k(x, y) = a (exp(γ / (‖x − y‖² + σ²)) − 1) with a = 1 / (exp(γ/σ²) − 1) (paper 001, eq. 3).

    The paper prints the normaliser a without γ; with it k(x, x) = 1, as the paper says it should be.

    Parameters
    ----------
    gamma : float, default=1.0
        How fast the kernel falls near zero.
    sigma : float, default=1.0
        Width of the region around zero where it does.

    Examples
    --------
    >>> from kernelwise.kernels import KMOD
    >>> KMOD(gamma=1.0, sigma=1.0)([[0.0], [1.0]]).round(4)
    array([[1.    , 0.3775],
           [0.3775, 1.    ]])
    """

    hyperparameters: ClassVar = (Hyperparameter("gamma"), Hyperparameter("sigma", (1e-4, 1e4)))
    input_powers: ClassVar = {"gamma": -1.0, "sigma": -0.5}

    def __init__(self, gamma: float = 1.0, sigma: float = 1.0) -> None:
        self.gamma = gamma
        self.sigma = sigma
        self._check()

    def _check(self) -> None:
        check_positive(self.gamma, "gamma", "KMOD")
        check_positive(self.sigma, "sigma", "KMOD")

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
