"""The exponential radial basis function kernel of paper 001 (Ayat and others 2002), table 1."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.validation import check_positive
from kernelwise.kernels.radial import RadialKernel, exp_without_denormals
from kernelwise.kernels.starts import start_gamma


class ExponentialRBF(RadialKernel):
    """k(x, y) = exp(−γ‖x − y‖) (paper 001, table 1), a Laplacian kernel of the Euclidean distance.

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
    hyperparameters: ClassVar = (Hyperparameter("gamma"),)
    input_powers: ClassVar = {"gamma": 0.5}

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma
        self._check()

    def _check(self) -> None:
        check_positive(self.gamma, "gamma", "ExponentialRBF")

    def _profile(self, D: np.ndarray) -> np.ndarray:
        np.sqrt(D, out=D)
        D *= -float(self.gamma)
        return exp_without_denormals(D)

    def _gradient_dot(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        D = self.squared_distances(X, Y)
        V = W * (self._profile(D.copy()) if K is None else K)
        return np.array([-self.gamma * np.vdot(V, np.sqrt(D, out=D))])

    def initialize(self, X: Any, y: Any = None, heuristic: str | None = None) -> Self:
        if heuristic == "keep":
            return self._copy()
        # The fall-off of the Gaussian at its own width: γσ = σ²/(2σ²).
        return self._copy(gamma=float(np.sqrt(start_gamma(X, y, heuristic) / 2.0)))
