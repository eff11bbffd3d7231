"""The radial basis function kernel.

Papers are called by their numbers: :mod:`kernelwise.selection` has the list.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.validation import check_positive
from kernelwise.kernels.radial import ScaledGaussian
from kernelwise.kernels.starts import start_gamma


class RBF(ScaledGaussian):
    """k(x, y) = exp(−γ‖x − y‖²) (paper 000, eq. 4; paper 004, eq. 6).

    Papers that write σ mean γ = 1/(2σ²); paper 000's γ/m is ours times the number m of features.

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

    def initialize(self, X: Any, y: Any = None, heuristic: str | None = None) -> Self:
        return self._copy(gamma=start_gamma(X, y, heuristic, keep=self.gamma))
