"""Kernels of the inner product: linear, polynomial, sigmoid (:mod:`kernelwise.selection` has the papers)."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.typing import MatrixLike, Samples
from kernelwise._core.validation import check_number, check_positive
from kernelwise.kernels.base import Kernel
from kernelwise.kernels.distances import PRODUCTS, inner_products, squared_norms
from kernelwise.kernels.starts import start_gamma


class DotProductKernel(Kernel):
    """k(x, y) = φ(xᵀy)."""

    @property
    def gram_base(self) -> str | None:
        return PRODUCTS

    def sklearn_params(self) -> dict[str, Any] | None:
        # A subclass may be another function of the inner product.
        if type(self) not in SKLEARN_NAMES:
            return None
        numbers = {k: int(v) if k == "degree" else float(v) for k, v in self.get_params().items()}
        return {"kernel": SKLEARN_NAMES[type(self)], **numbers}

    def profile(self, base: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            K = self._profile(base)
            if np.isfinite(K.sum()) or np.isfinite(K).all():
                return K
        raise ValueError(
            f"The values of {self} on these samples are out of the range of numbers. "
            "Scale the features, or use a smaller gamma or degree."
        )

    def _gram(self, X: Samples, Y: Samples) -> np.ndarray:
        return self.profile(inner_products(X, Y))

    def _diagonal(self, X: Samples) -> np.ndarray:
        return self.profile(squared_norms(X))

    @abstractmethod
    def _profile(self, Z: np.ndarray) -> np.ndarray:
        """φ(Z), in place where it can be."""


class Linear(DotProductKernel):
    """Linear kernel: k(x, y) = xᵀy, without free parameters (paper 001, table 1).

    Examples
    --------
    >>> from kernelwise.kernels import Linear
    >>> Linear()([[1.0, 2.0]], [[3.0, 4.0]])
    array([[11.]])
    """

    title: ClassVar[str] = "Linear kernel"
    meaning: ClassVar[str] = "a weighted sum of the columns decides"
    is_linear: ClassVar[bool] = True

    def __init__(self) -> None:
        pass

    def _profile(self, Z: np.ndarray) -> np.ndarray:
        return Z

    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        return np.empty(0)


class Polynomial(DotProductKernel):
    """Polynomial kernel: k(x, y) = (γ xᵀy + c)^q (paper 001, table 1; paper 004, equation 5).

    Parameters
    ----------
    degree : int, default=3
        Not searched over: a search runs over γ, and over c unless it is zero.
    gamma : float, default=1.0
    coef0 : float, default=1.0
        The constant c, not negative.

    Examples
    --------
    >>> from kernelwise.kernels import Polynomial
    >>> Polynomial(degree=2)([[1.0]], [[2.0]])
    array([[9.]])
    """

    meaning: ClassVar[str] = "a weighted sum of products of columns decides"
    input_powers: ClassVar = {"gamma": 1.0}

    def __init__(self, degree: int = 3, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self._check()

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:  # type: ignore[override]
        # A cubic with a larger constant has values of 1e6 and more, which differ by little but rounding.
        free = (Hyperparameter("gamma"), Hyperparameter("coef0", (1e-3, 1e2)))
        return free if self.coef0 > 0 else free[:1]

    def _check(self) -> None:
        if not isinstance(self.degree, (int, np.integer)) or self.degree < 1:
            raise ValueError(f"'degree' of Polynomial must be a positive integer, got {self.degree!r}.")
        check_positive(self.gamma, "gamma", "Polynomial")
        check_number(self.coef0, "coef0", "Polynomial")
        if self.coef0 < 0:
            raise ValueError(f"'coef0' of Polynomial must not be negative, got {self.coef0!r}.")

    def _profile(self, Z: np.ndarray) -> np.ndarray:
        Z *= self.gamma
        Z += self.coef0
        return np.power(Z, int(self.degree), out=Z)

    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        Z = inner_products(X, Y)
        outer = W * (self.degree * (self.gamma * Z + self.coef0) ** (self.degree - 1))
        gradient = [self.gamma * np.vdot(outer, Z), self.coef0 * outer.sum()]
        return np.array(gradient[: len(self.hyperparameters)])

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        return self._copy(gamma=_start_slope(X, heuristic, self.gamma))


class Sigmoid(DotProductKernel):
    """Sigmoid kernel: k(x, y) = tanh(γ xᵀy + c) (paper 001, table 1; paper 004, equation 7).

    It is not positive semi-definite in general.

    Parameters
    ----------
    gamma : float, default=1.0
    coef0 : float, default=0.0
        The constant c, of either sign; paper 004 takes it negative. ``theta`` holds it as it is.

    Examples
    --------
    >>> from kernelwise.kernels import Sigmoid
    >>> Sigmoid(gamma=1.0, coef0=-1.0)([[1.0]], [[2.0]]).round(4)
    array([[0.7616]])
    """

    meaning: ClassVar[str] = "rows are compared by the sum of the products of their columns"
    hyperparameters: ClassVar = (Hyperparameter("gamma"), Hyperparameter("coef0", (-1e2, 1e2), is_log=False))
    input_powers: ClassVar = {"gamma": 1.0}

    def __init__(self, gamma: float = 1.0, coef0: float = 0.0) -> None:
        self.gamma = gamma
        self.coef0 = coef0
        self._check()

    def _check(self) -> None:
        check_positive(self.gamma, "gamma", "Sigmoid")
        check_number(self.coef0, "coef0", "Sigmoid")

    def _profile(self, Z: np.ndarray) -> np.ndarray:
        Z *= self.gamma
        Z += self.coef0
        return np.tanh(Z, out=Z)

    def _gradient_dot(self, X: Samples, Y: Samples, W: np.ndarray, K: np.ndarray | None) -> np.ndarray:
        Z = inner_products(X, Y)
        T = self._profile(Z.copy()) if K is None else K
        outer = W * (1.0 - T * T)
        return np.array([self.gamma * np.vdot(outer, Z), outer.sum()])

    def initialize(self, X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None) -> Self:
        return self._copy(gamma=_start_slope(X, heuristic, self.gamma))


SKLEARN_NAMES: dict[type[Kernel], str] = {Linear: "linear", Polynomial: "poly", Sigmoid: "sigmoid"}


def _start_slope(X: MatrixLike, heuristic: str | None, keep: float) -> float:
    """Distances say nothing about an inner product: "scale" unless the parameter is to be kept."""
    return start_gamma(X, None, "keep" if heuristic == "keep" else "scale", keep=keep)
