"""Criteria that train machines: one two-class problem at a time, averaged over them.

`HingeMachine` is the trained machine of a two-class problem, with what a criterion asks of it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kernelwise._core.parameters import Hyperparameter
from kernelwise._core.threads import cached_property
from kernelwise._core.validation import check_choice, check_gram, check_labels, check_positive, check_weights
from kernelwise.criteria.base import (
    Adjoint,
    EvaluatedCriterion,
    Evaluation,
    Point,
    SearchState,
    TrainedMachine,
    mean_adjoint,
)
from kernelwise.findings import catalogue
from kernelwise.multiclass import MACHINES, two_class_machines
from kernelwise.solvers.dual import SVMSolution, solve_svm_dual
from kernelwise.solvers.sensitivity import Sensitivity, dual_sensitivity


@dataclass
class TwoClassProblem:
    """What a criterion sees of one two-class problem of n rows."""

    K: np.ndarray
    signs: np.ndarray  # labels as ±1, shape (n,); 0 for a point without a label
    weight: np.ndarray
    held_out: np.ndarray  # rows that no machine is trained on, shape (n,); all False for most criteria
    warm: dict[str, Any]  # what earlier evaluations of this problem left to start from
    memory: SearchState
    needs_gradient: bool
    members: np.ndarray  # which rows of the Gram matrix of all samples these are, shape (n,)


@dataclass
class TwoClassValue:
    """Cost of one two-class problem."""

    value: float
    W: Adjoint | None = None  # ∂value/∂K, symmetric or in factors; None if no gradient was asked for
    by_C: float = 0.0
    report: dict[str, float] = field(default_factory=dict)  # for the history, averaged over the problems
    machine: TrainedMachine | None = None  # would predict new samples; its rows are those of the problem


class MachineCriterion(EvaluatedCriterion):
    """Base class of costs of trained support vector machines, averaged over two-class problems.

    A search changes C together with the kernel.

    Parameters
    ----------
    C : float, default=1.0
        Value from which the search of C starts, or the fixed value.
    search_C : bool, default=True
        Whether C is a parameter of the search.
    strategy : {"ovo", "ovr"}, default="ovo"
        The two-class problems of more than two classes.
    tol : float, default=1e-8
        Stopping rule of the machines; gradients are as exact as the machines are. A value is right to about a
        hundredth of it, and a search must see differences of values; 1e-8 takes no longer than 1e-6, since
        the last steps are Newton's.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import MachineCriterion, Margin
    >>> criterion = Margin(C=10.0)
    >>> isinstance(criterion, MachineCriterion), criterion.theta_names, criterion.theta.round(4)
    (True, ('C',), array([2.3026]))

    With a fixed C only the kernel is searched:

    >>> Margin(C=10.0, search_C=False).theta_names
    ()
    """

    def __init__(
        self, C: float = 1.0, search_C: bool = True, strategy: str = "ovo", tol: float = 1e-8
    ) -> None:
        me = type(self).__name__
        check_choice(strategy, "strategy", me, MACHINES)
        check_positive(C, "C", me)
        check_positive(tol, "tol", me)
        self.C = float(C)
        self.search_C = search_C
        self.strategy = strategy
        self.tol = float(tol)

    @property
    def hyperparameters(self) -> tuple[Hyperparameter, ...]:  # type: ignore[override]
        return (Hyperparameter("C", (1e-3, 1e6)),) if self.search_C else ()

    @abstractmethod
    def _two_class(self, problem: TwoClassProblem) -> TwoClassValue:
        """Cost of one two-class problem."""

    def _layout(
        self, classes: np.ndarray, index: np.ndarray, weight: np.ndarray, n_rows: int
    ) -> tuple[np.ndarray, ...]:
        """Class index (−1: none), weight and whether it is held out, for every row of K.

        Rows beyond the samples are those of :meth:`extra_points`; a criterion that has some says what they
        are, which may take the names of the ``classes``.
        """
        if n_rows != len(index):
            raise ValueError(f"K has {n_rows} rows for {len(index)} labels. Pass one label per row.")
        return index, weight, np.zeros(n_rows, dtype=bool)

    def _evaluate(self, point: Point) -> Evaluation:
        K, y, sample_weight, memory, needs_gradient = point
        gram = check_gram(K)
        n_samples = len(np.ravel(y))
        classes, index = check_labels(y, n_samples, min_per_class=2, sample_weight=sample_weight)
        weight = check_weights(sample_weight, n_samples)
        values, slopes, reports, adjoints = [], [], [], []
        memory.strategy = self.strategy
        layout = self._layout(classes, index, weight, len(gram))
        for number, (members, signs) in enumerate(_problems(layout[0], len(classes), self.strategy)):
            weight, held_out = layout[1][members], layout[2][members]
            block, warm = _block(gram, members), memory.warm.setdefault(number, {})
            problem = TwoClassProblem(block, signs, weight, held_out, warm, memory, needs_gradient, members)
            part = self._two_class(problem)
            values.append(part.value)
            slopes.append(part.by_C)
            reports.append(part.report)
            if part.machine is not None:
                rows, beta, intercept = part.machine
                memory.machines.append(TrainedMachine(members[rows], beta, intercept))
            if part.W is not None:
                adjoints.append((members, part.W))
        memory.report = {name: float(np.mean([r[name] for r in reports])) for name in reports[0]}
        W = mean_adjoint(adjoints, len(gram)) if needs_gradient else None
        by_log_C = [self.C * float(np.mean(slopes))] if self.search_C and needs_gradient else []
        return Evaluation(float(np.mean(values)), W, np.array(by_log_C))


def _problems(index: np.ndarray, n_classes: int, strategy: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Rows and signs of the two-class problems; rows without a class take part in all, with sign 0."""
    labelled, others = np.flatnonzero(index >= 0), np.flatnonzero(index < 0)
    for members, signs in two_class_machines(index[labelled], n_classes, strategy):
        yield np.concatenate([labelled[members], others]), np.concatenate([signs, np.zeros(len(others))])


def _block(K: np.ndarray, members: np.ndarray) -> np.ndarray:
    """The rows and columns of the members; K itself, not a copy, if that is all of it in order."""
    if len(members) == len(K) and np.array_equal(members, np.arange(len(K))):
        return K
    return K[np.ix_(members, members)]


@dataclass(frozen=True)
class HingeMachine:
    """A trained machine of a two-class problem."""

    problem: TwoClassProblem
    signs: np.ndarray  # labels as ±1, shape (n,); any for rows that are not trained on
    weight: np.ndarray  # the bound of row i is C·w_i, shape (n,); zero for rows that are not trained on
    C: float
    solution: SVMSolution

    @classmethod
    def train(
        cls, problem: TwoClassProblem, is_left_out: np.ndarray, C: float, tol: float, key: str
    ) -> HingeMachine:
        """Train on the rows that are not left out, from where ``problem.warm[key]`` ended the last time."""
        signs = np.where(problem.signs == 0, -1.0, problem.signs)
        weight = np.where(is_left_out | (problem.signs == 0), 0.0, problem.weight)
        solution = solve_svm_dual(
            problem.K, signs, C, sample_weight=weight, tol=tol, warm_start=problem.warm.get(key), check=False
        )
        problem.warm[key] = solution.beta
        return cls(problem, signs, weight, C, solution)

    @cached_property
    def support(self) -> np.ndarray:
        """Rows of the support vectors."""
        return np.flatnonzero(self.solution.beta)

    @property
    def beta(self) -> np.ndarray:
        """Signed coefficients, shape (n,)."""
        return self.solution.beta

    @property
    def norm2(self) -> float:
        """‖w‖² = cᵀKc."""
        return float(self.beta @ self.outputs)

    @property
    def outputs(self) -> np.ndarray:
        """Kc, shape (n,), right to the rounding of labels of size 1."""
        return self.signs - self.solution.gradient

    @property
    def margin(self) -> float:
        """1/‖w‖."""
        return 1.0 / np.sqrt(self.norm2) if self.norm2 > 0 else np.inf

    def report(self, **more: float) -> dict[str, float]:
        """What the history shows of every machine, and more."""
        return {"n_support": float(self.support.size), "margin": self.margin, **more}

    @property
    def trained(self) -> TrainedMachine:
        """What the test error takes."""
        return TrainedMachine(self.support, self.beta[self.support], self.solution.intercept)

    def decision(self, rows: np.ndarray) -> np.ndarray:
        """Decision values of some rows, from kernel values: those of a narrow kernel are tiny."""
        K = self.problem.K[np.ix_(rows, self.support)]
        return K @ self.beta[self.support] + self.solution.intercept

    def sensitivity(
        self, by_coefficients: np.ndarray, by_offset: float, *, treat_as_free: bool = False
    ) -> Sensitivity:
        """:func:`~kernelwise.solvers.sensitivity.dual_sensitivity` of this machine; a ridge is noted."""
        machine = self.problem.K, self.signs, self.weight, self.C, self.solution
        answer = dual_sensitivity(*machine, by_coefficients, by_offset, treat_as_free=treat_as_free)
        if answer.ridge > 0 and "ridge" not in self.problem.memory.findings:
            self.problem.memory.findings["ridge"] = catalogue.RIDGE(ridge=answer.ridge)
        return answer


#: Rows whose distance in feature space is below this share of their size are copies of one row.
SAME = 8 * np.finfo(float).eps


def of_distinct_rows(
    problem: TwoClassProblem, value_of: Callable[[TwoClassProblem], TwoClassValue]
) -> TwoClassValue:
    """The value of a problem whose copies of a row are one row with their weight.

    For costs of single coefficients: how copies share their α is up to the solver.
    """
    first, number = distinct_rows(problem.K, problem.signs)
    if len(first) == len(number):
        return value_of(problem)
    value = value_of(
        replace(
            problem,
            K=problem.K[np.ix_(first, first)],
            signs=problem.signs[first],
            weight=np.bincount(number, weights=problem.weight),
            held_out=problem.held_out[first],
            members=problem.members[first],
        )
    )
    if value.machine is not None:
        value.machine = TrainedMachine(first[value.machine.rows], *value.machine[1:])
    if value.W is not None:
        value.W = mean_adjoint([(first, value.W)], len(number))
    return value


def distinct_rows(K: np.ndarray, signs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First rows of the distinct samples of each class in feature space, and the number of each row's."""
    diagonal = K.diagonal()
    size = diagonal[:, None] + diagonal
    is_copy = (size - 2.0 * K <= SAME * np.abs(size)) & np.equal.outer(signs, signs)
    np.fill_diagonal(is_copy, True)
    first, number = np.unique(is_copy.argmax(axis=1), return_inverse=True)
    return first, number
