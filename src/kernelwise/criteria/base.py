"""What every criterion is: a cost of a Gram matrix and labels, and its derivative by the matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from kernelwise._parameters import constructor_params


class Criterion(ABC):
    """J(K, y): says how well a Gram matrix suits the labels; everything here is a cost to minimise.

    ``score`` is the quantity of the paper, with the paper's sign; ``value`` is the cost.
    """

    #: Name in estimators and on the command line.
    name: ClassVar[str]
    #: Where the criterion was proposed.
    reference: ClassVar[str] = ""
    is_differentiable: ClassVar[bool] = True
    #: True if the criterion is a linear function of K: its adjoint is then the same for every K.
    is_linear: ClassVar[bool] = False
    #: cost = sign · score: −1 for a quantity that the paper maximises.
    sign: ClassVar[int] = -1

    @abstractmethod
    def score(self, K: Any, y: Any, sample_weight: Any = None) -> float:
        """The paper's own quantity for a Gram matrix of shape (n_samples, n_samples)."""

    @abstractmethod
    def value_and_adjoint(self, K: Any, y: Any, sample_weight: Any = None) -> tuple[float, np.ndarray]:
        """The cost and ``W = ∂cost/∂K``, symmetric, of shape (n_samples, n_samples).

        For a symmetric change dK the cost changes by ``sum(W * dK)``.
        """

    def value(self, K: Any, y: Any, sample_weight: Any = None) -> float:
        """The cost: smaller is better."""
        return self.sign * self.score(K, y, sample_weight)

    def adjoint(self, K: Any, y: Any, sample_weight: Any = None) -> np.ndarray:
        """``W = ∂cost/∂K``; see :meth:`value_and_adjoint`."""
        return self.value_and_adjoint(K, y, sample_weight)[1]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Constructor arguments and their values, in declaration order."""
        return constructor_params(self)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.get_params() == other.get_params()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = (f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({', '.join(shown)})"
