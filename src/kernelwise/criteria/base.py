"""What every criterion is: a cost of a Gram matrix and labels, and its derivative by the matrix.

The derivative is a matrix, or the few vectors that make it up (`FactoredAdjoint`). What a criterion keeps
from one evaluation of a search to the next is its `SearchState`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.parameters import Parametrized
from kernelwise._core.typing import Samples
from kernelwise._core.validation import (
    check_choice,
    check_class_weights,
    check_gram,
    check_labels,
    check_weights,
)
from kernelwise.criteria.sums import PARTITIONS
from kernelwise.exceptions import IncompatibleError
from kernelwise.findings import Finding
from kernelwise.solvers.sensitivity import symmetric_product


class FactoredAdjoint(NamedTuple):
    """The adjoint L Rᵀ, whose symmetric form is (L Rᵀ + R Lᵀ)/2, with both factors of shape (n, r).

    That of a machine is one column: most rows of R are zero, those of L too, so that the contraction with the
    kernel's derivative needs a small rectangular block of it.
    """

    left: np.ndarray
    right: np.ndarray

    def dense(self) -> np.ndarray:
        """The symmetric matrix, shape (n, n)."""
        return symmetric_product(self.left, self.right)

    def block(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows and columns of L Rᵀ that are not zero, and its block there."""
        rows, columns = (np.flatnonzero(factor.any(axis=1)) for factor in self)
        return rows, columns, self.left[rows] @ self.right[columns].T


Adjoint = np.ndarray | FactoredAdjoint


def mean_adjoint(parts: Sequence[tuple[np.ndarray, Adjoint]], n_rows: int) -> Adjoint:
    """The mean of adjoints of parts of a matrix, each given with its rows; factored if all of them are."""
    factored = [(rows, part) for rows, part in parts if isinstance(part, FactoredAdjoint)]
    if len(parts) == 1 and not factored and np.array_equal(parts[0][0], np.arange(n_rows)):
        return parts[0][1]  # as it is: each pass over the matrix costs as much as the kernel's own
    if len(factored) < len(parts):
        W = np.zeros((n_rows, n_rows))
        for rows, part in parts:
            dense = part.dense() if isinstance(part, FactoredAdjoint) else part
            W[np.ix_(rows, rows)] += dense / len(parts)
        return W
    n_columns = sum(part.left.shape[1] for _, part in factored)
    left, right = np.zeros((n_rows, n_columns)), np.zeros((n_rows, n_columns))
    start = 0
    for rows, part in factored:
        columns = slice(start, start + part.left.shape[1])
        left[rows, columns], right[rows, columns] = part.left / len(parts), part.right
        start = columns.stop
    return FactoredAdjoint(left, right)


class TrainedMachine(NamedTuple):
    """A two-class machine that a criterion trained: its support vectors' rows and coefficients, intercept."""

    rows: np.ndarray
    beta: np.ndarray
    intercept: float


@dataclass
class SearchState:
    """What a criterion keeps during one search; without it every evaluation starts from nothing."""

    #: Solutions to start the next ones from, under keys of the criterion's own.
    warm: dict[Hashable, Any] = field(default_factory=dict)
    #: What the last evaluation adds to the history: "n_support", "margin", "validation_error" and so on.
    report: dict[str, float] = field(default_factory=dict)
    #: What the user has to know, by name, so that each is reported once a search.
    findings: dict[str, Finding] = field(default_factory=dict)
    #: Whether ``machines`` are of use, so that a criterion may train for them.
    wants_machines: bool = False
    #: Those of the last evaluation that would predict new samples, in the order of `two_class_machines`.
    machines: list[TrainedMachine] = field(default_factory=list)
    #: How those machines share the classes: "ovo" or "ovr".
    strategy: str = "ovo"


class Point(NamedTuple):
    """Where a criterion is evaluated, and what is asked of it there; see :meth:`Criterion.evaluate`."""

    K: ArrayLike
    y: ArrayLike
    sample_weight: ArrayLike | None
    memory: SearchState
    needs_gradient: bool


class Evaluation(NamedTuple):
    """A criterion at one point."""

    value: float
    W: Adjoint | None  # ∂cost/∂K, symmetric or in factors; None if no gradient was asked for
    theta_gradient: np.ndarray  # by the criterion's own ``theta``, such as log C


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
    def score(self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The paper's own quantity for a Gram matrix of shape (n_samples, n_samples)."""

    def value_and_adjoint(
        self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[float, np.ndarray]:
        """The cost and ``W = ∂cost/∂K``, symmetric, of shape (n_samples, n_samples).

        For a symmetric change dK the cost changes by ``sum(W * dK)``. Every criterion has it, but for those
        with ``is_differentiable = False``.
        """
        raise IncompatibleError(
            f"{type(self).__name__} has no derivative with respect to the Gram matrix: it has no "
            "value_and_adjoint."
        )

    def value(self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The cost: smaller is better."""
        return self.sign * self.score(K, y, sample_weight)

    def adjoint(self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> np.ndarray:
        """``W = ∂cost/∂K``; see :meth:`value_and_adjoint`."""
        return self.value_and_adjoint(K, y, sample_weight)[1]

    def evaluate(
        self,
        K: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
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
        memory = SearchState() if memory is None else memory
        return self._evaluate(Point(K, y, sample_weight, memory, needs_gradient))

    def _evaluate(self, point: Point) -> Evaluation:
        """What `evaluate` returns."""
        if not point.needs_gradient:
            return Evaluation(self.value(*point[:3]), None, np.zeros(0))
        return Evaluation(*self.value_and_adjoint(*point[:3]), np.zeros(0))

    def extra_points(self, n_features: int) -> Samples | None:
        """Points beside the samples whose kernel values the criterion needs, shape (n_extra, n_features)."""
        return None


class ClassesCriterion(Criterion):
    """Base class of criteria that are formulas of classes, averaged over two-class problems.

    ``strategy`` and ``class_weight`` are as in :class:`SumsCriterion`.
    """

    def __init__(self, strategy: str = "pooled", class_weight: str | None = None) -> None:
        me = type(self).__name__
        check_choice(strategy, "strategy", me, PARTITIONS)
        if class_weight is not None:
            check_choice(class_weight, "class_weight", me, ("balanced",))
        self.strategy = strategy
        self.class_weight = class_weight

    def _checked(
        self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """The Gram matrix, the classes, the class index and the weight of each sample."""
        gram = check_gram(K)
        classes, index = check_labels(y, len(gram), min_per_class=2, sample_weight=sample_weight)
        weight = check_weights(sample_weight, len(gram))
        check_class_weights(classes, index, weight)
        return gram, classes, index, weight


class EvaluatedCriterion(Criterion):
    """Base class of criteria that train machines: `_evaluate` does the work, and all else follows from it."""

    sign: ClassVar[int] = 1

    @abstractmethod
    def _evaluate(self, point: Point) -> Evaluation: ...

    def score(self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        return self.sign * self.evaluate(K, y, sample_weight, needs_gradient=False).value

    def value_and_adjoint(
        self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[float, np.ndarray]:
        value, W, _ = self.evaluate(K, y, sample_weight)
        assert W is not None
        return value, W.dense() if isinstance(W, FactoredAdjoint) else W
