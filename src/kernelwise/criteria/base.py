"""What every criterion is: a cost of a Gram matrix and labels, and its derivative by the matrix."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np

from kernelwise._core.parameters import Parametrized
from kernelwise.criteria.state import Evaluation, SearchState
from kernelwise.exceptions import IncompatibleError


class Criterion(Parametrized, ABC):
    """Base class of criteria J(K, y), which measure how well a Gram matrix suits the labels.

    All criteria are costs to minimise.

    ``score`` is the quantity of the paper, with the paper's sign; ``value`` is the cost. A criterion may have
    parameters of its own that a search moves together with the kernel's, such as C: they are listed in
    ``hyperparameters``, and ``theta`` holds their logarithms.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import Criterion, as_criterion
    >>> K, y = np.eye(4), [0, 0, 1, 1]

    A large inter-class distance is good, so its cost is negative; a large ‖w‖² is bad.

    >>> for name in ("dbtc", "margin"):
    ...     criterion = as_criterion(name)
    ...     print(criterion.score(K, y), criterion.value(K, y), criterion.theta_names)
    1.0 -1.0 ()
    4.0 4.0 ('C',)
    """

    #: Name in estimators and on the command line.
    name: ClassVar[str]
    #: Where the criterion was proposed.
    reference: ClassVar[str] = ""
    #: False if there is no `value_and_adjoint`: optimizers that need a gradient then refuse the criterion.
    is_differentiable: ClassVar[bool] = True
    #: True if the criterion is a linear function of K: its adjoint is then the same for every K.
    is_linear: ClassVar[bool] = False
    #: True if some rows are held out: which ones may depend on the order of the samples.
    is_held_out: ClassVar[bool] = False
    #: True if y are numbers, False if they are class labels.
    is_regression: ClassVar[bool] = False
    #: cost = sign · score: −1 for a quantity that the paper maximises.
    sign: ClassVar[int] = -1

    @abstractmethod
    def score(self, K: Any, y: Any, sample_weight: Any = None) -> float:
        """The paper's own quantity for a Gram matrix of shape (n_samples, n_samples)."""

    def value_and_adjoint(self, K: Any, y: Any, sample_weight: Any = None) -> tuple[float, np.ndarray]:
        """The cost and ``W = ∂cost/∂K``, symmetric, of shape (n_samples, n_samples).

        For a symmetric change dK the cost changes by ``sum(W * dK)``. Every criterion has it, but for those
        with ``is_differentiable = False``.
        """
        raise IncompatibleError(
            f"{type(self).__name__} has no derivative with respect to the Gram matrix: it has no "
            "value_and_adjoint."
        )

    def value(self, K: Any, y: Any, sample_weight: Any = None) -> float:
        """The cost: smaller is better."""
        return self.sign * self.score(K, y, sample_weight)

    def adjoint(self, K: Any, y: Any, sample_weight: Any = None) -> np.ndarray:
        """``W = ∂cost/∂K``; see :meth:`value_and_adjoint`."""
        return self.value_and_adjoint(K, y, sample_weight)[1]

    def evaluate(
        self,
        K: Any,
        y: Any,
        sample_weight: Any = None,
        memory: SearchState | None = None,
        needs_gradient: bool = True,
    ) -> Evaluation:
        """The cost and, if asked for, its derivatives by K and by the criterion's own ``theta``.

        Parameters
        ----------
        K : array of shape (n_rows, n_rows)
            The samples' rows, then those of :meth:`extra_points`.
        y, sample_weight : arrays of shape (n_samples,)
        memory : SearchState, default=None
            What earlier evaluations of the search left, such as warm starts; gets a report for the history.
        needs_gradient : bool, default=True
        """
        if not needs_gradient:
            return Evaluation(self.value(K, y, sample_weight), None, np.zeros(0))
        return Evaluation(*self.value_and_adjoint(K, y, sample_weight), np.zeros(0))

    def extra_points(self, n_features: int) -> np.ndarray | None:
        """Points beside the samples whose kernel values the criterion needs, shape (n_extra, n_features)."""
        return None
