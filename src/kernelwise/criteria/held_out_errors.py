"""Costs of held-out decision values (after paper 001, Ayat and others 2002).

Platt's sigmoid is fitted to the decision values, and errors are counted by it: on one validation set, as in
the paper, or over the outputs of k folds, and so on all the data. The likelihood of the labels under the
sigmoid is by Glasmachers and Igel (2010).
"""

from __future__ import annotations

import numbers
from abc import abstractmethod
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from kernelwise._core.text import count
from kernelwise._core.typing import MatrixLike, Samples
from kernelwise._core.validation import check_choice, check_samples
from kernelwise.criteria.base import FactoredAdjoint, TrainedMachine
from kernelwise.criteria.machine import HingeMachine, MachineCriterion, TwoClassProblem, TwoClassValue
from kernelwise.solvers.probability import fit_platt, platt_probability, smoothed_targets

#: Losses that the sigmoid itself minimises.
LIKELIHOODS = ("likelihood", "plain-likelihood")
#: What can be a cost of held-out decision values.
LOSSES = ("error", *LIKELIHOODS)


class SigmoidCost(NamedTuple):
    """Cost of n decision values."""

    value: float
    by_decision: np.ndarray  # ∂value/∂f, shape (n,)
    error: float  # share of the values on the wrong side of zero
    A: float  # of the sigmoid p = 1/(1 + exp(A f + B))
    B: float
    standard_error: float  # of the value, a mean over samples: √Σ shareᵢ² (costᵢ − value)²


def sigmoid_cost(
    decision: np.ndarray, signs: np.ndarray, weight: np.ndarray, loss: str, *, moves_sigmoid: bool = True
) -> SigmoidCost:
    """Mean probability of error, or mean negative log-likelihood, of held-out decision values of shape (n,).

    The loss "error" is the probability p of the positive class where the label is negative, 1 − p where it is
    positive (paper 001, Ayat and others 2002, before equation 7), and "likelihood"
    −t log p − (1 − t) log(1 − p) with Platt's smoothed targets t; "plain-likelihood" is the same with the
    labels for targets and no sigmoid that falls. ``moves_sigmoid`` says whether the derivative follows A and
    B, which depend on the values; paper 001 keeps them (equation 10). It makes no difference to the
    likelihoods, which they minimise.
    """
    share = weight / weight.sum()
    A, B, target = _fit(decision, signs, weight, loss)
    p = platt_probability(decision, A, B)
    error = float(share @ (np.where(decision >= 0, 1.0, -1.0) != signs))
    if loss in LIKELIHOODS:
        z = A * decision + B
        costs = target * z + np.logaddexp(0.0, -z)
        by_decision = A * share * (target - p)
    else:
        costs = np.where(signs > 0, 1.0 - p, p)
        by_decision = A * (share * signs * p * (1.0 - p))  # equations 9 and 10, with z = A f + B
        if moves_sigmoid:
            by_decision -= _through_sigmoid(decision, signs, share, p, target, A)
    value = float(share @ costs)
    return SigmoidCost(value, by_decision, error, A, B, float(np.linalg.norm(share * (costs - value))))


def _fit(
    decision: np.ndarray, signs: np.ndarray, weight: np.ndarray, loss: str
) -> tuple[float, float, np.ndarray]:
    """A and B of the sigmoid, and its targets of shape (n,)."""
    is_positive = signs > 0
    if loss != "plain-likelihood":
        return *fit_platt(decision, signs, weight), smoothed_targets(is_positive, weight)
    A, B = fit_platt(decision, signs, weight, doubt=0.0)
    if A > 0.0:  # the best that does not fall is constant
        A, B = 0.0, float(np.log(weight[~is_positive].sum() / weight[is_positive].sum()))
    return A, B, is_positive.astype(float)


def _through_sigmoid(
    f: np.ndarray, signs: np.ndarray, share: np.ndarray, p: np.ndarray, target: np.ndarray, A: float
) -> np.ndarray:
    """What the change of A and B takes off the derivative of the mean probability of error.

    A and B solve Dᵀ share∘(t − p) = 0 with D = [f, 1]. With ω = share∘p∘(1 − p) the Jacobian of this by
    (A, B) is Dᵀ diag(ω) D, and the derivative of the cost by (A, B) is Dᵀ(ω∘y): the 2 × 2 system to solve
    is that of a weighted regression of y on f, which has an answer even if all f are equal.
    """
    omega = share * p * (1.0 - p)
    root = np.sqrt(omega)
    slope, level = np.linalg.lstsq(np.column_stack([root * f, root]), root * signs, rcond=None)[0]
    return slope * share * (target - p) + A * omega * (slope * f + level)


GRADIENTS = ("exact", "paper")


class HeldOutCriterion(MachineCriterion):
    """A cost of decision values that machines give to rows they were not trained on.

    One machine a fold; one sigmoid over all the values. Subclasses say what the folds are.
    """

    is_held_out: ClassVar[bool] = True

    def __init__(self, C: float, loss: str, gradient: str, search_C: bool, strategy: str, tol: float) -> None:
        super().__init__(C, search_C, strategy, tol)
        me = type(self).__name__
        check_choice(loss, "loss", me, LOSSES)
        check_choice(gradient, "gradient", me, GRADIENTS)
        self.loss = loss
        self.gradient = gradient

    @abstractmethod
    def _folds(self, problem: TwoClassProblem) -> list[np.ndarray]:
        """Rows that each machine leaves out and decides on."""

    def _predictor(self, problem: TwoClassProblem, machines: list[HingeMachine]) -> TrainedMachine | None:
        """The machine that would predict new samples."""
        return machines[0].trained

    def _two_class(self, problem: TwoClassProblem) -> TwoClassValue:
        folds = self._folds(problem)
        machines = [self._train(problem, fold, str(k)) for k, fold in enumerate(folds)]
        rows = np.concatenate(folds)
        cost = sigmoid_cost(
            np.concatenate([m.decision(fold) for m, fold in zip(machines, folds, strict=True)]),
            problem.signs[rows],
            problem.weight[rows],
            self.loss,
            moves_sigmoid=self.gradient == "exact",
        )
        value = TwoClassValue(
            cost.value,
            report={
                "n_support": float(np.mean([m.support.size for m in machines])),
                "margin": float(np.mean([m.margin for m in machines])),
                "validation_error": cost.error,
                "standard_error": cost.standard_error,
                "platt_A": cost.A,
                "platt_B": cost.B,
            },
            machine=self._predictor(problem, machines),
        )
        if problem.needs_gradient:
            by_decision = np.zeros(len(problem.signs))
            by_decision[rows] = cost.by_decision
            parts = [
                self._adjoint(m, fold, by_decision[fold]) for m, fold in zip(machines, folds, strict=True)
            ]
            left = np.column_stack([part[0] for part in parts])
            value.W = FactoredAdjoint(left, np.column_stack([m.beta for m in machines]))
            value.by_C = sum(part[1] for part in parts)
        return value

    def _train(self, problem: TwoClassProblem, fold: np.ndarray, key: str) -> HingeMachine:
        is_left_out = problem.held_out.copy()
        is_left_out[fold] = True
        return HingeMachine.train(problem, is_left_out, self.C, self.tol, key)

    def _adjoint(self, machine: HingeMachine, fold: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, float]:
        """The vector u of the adjoint u cᵀ of one fold, and the derivative by C.

        u is g = ∂cost/∂f on the fold, through the outputs' own kernel values, and −λ through the machine.
        The gradient of paper 001 drops the former and takes every support vector for a free one (eqs. 7–12).
        """
        is_exact = self.gradient == "exact"
        support, by_coefficients = machine.support, np.zeros(len(machine.beta))
        by_coefficients[support] = g @ machine.problem.K[np.ix_(fold, support)]
        answer = machine.sensitivity(by_coefficients, float(g.sum()), treat_as_free=not is_exact)
        u = -answer.multipliers
        if is_exact:
            u[fold] += g
        return u, answer.by_C


def check_seed(random_state: object, owner: str) -> None:
    """Refuse what would draw other rows at the next evaluation."""
    if not isinstance(random_state, numbers.Integral):
        raise ValueError(
            f"'random_state' of {owner} must be an integer, so that every evaluation holds out the same "
            f"rows, got {random_state!r}."
        )


class ValidationError(HeldOutCriterion):
    """Mean probability of error on a validation set, from Platt's sigmoid of the decision values.

    This is E of paper 001, section 3: train, fit the sigmoid to the validation outputs, change the kernel and
    C.

    Parameters
    ----------
    C : float, default=1.0
        Value from which the search of C starts, or the fixed value.
    validation : float, array of rows, or (X, y), default=0.5
        A share of each class, drawn at random once; a mask or the indices of rows of the samples; or
        further samples with their labels.
    loss : {"error", "likelihood", "plain-likelihood"}, default="error"
        "likelihood" is the mean negative log-likelihood of the sigmoid on its smoothed targets, and
        "plain-likelihood" that on the labels, for a sigmoid that does not fall.
    gradient : {"exact", "paper"}, default="exact"
        "paper" is the approximation of paper 001 (eqs. 7–12), for comparison: outputs depend on the kernel
        through the coefficients alone, every support vector is free, and the sigmoid stays.
    search_C : bool, default=True
        Whether C is a parameter of the search.
    strategy : {"ovo", "ovr"}, default="ovo"
        The two-class problems of more than two classes.
    tol : float, default=1e-8
        Tolerance of the stopping rule of the machines.
    random_state : int, default=0
        Seed of the random share; the same rows are held out at every evaluation.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import ValidationError
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.problem import TuningProblem
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> problem = TuningProblem(RBF(0.02), ValidationError(C=10.0), scale(X), y)
    >>> value, gradient = problem.value_and_gradient(problem.theta)
    >>> problem.theta_names, round(value, 3), gradient.shape
    (('gamma', 'C'), 0.052, (2,))
    """

    name = "validation-error"
    reference = "N. E. Ayat, M. Cheriet and C. Y. Suen, SVM 2002, LNCS 2388"

    def __init__(
        self,
        C: float = 1.0,
        validation: float | ArrayLike | tuple[MatrixLike, ArrayLike] = 0.5,
        loss: str = "error",
        gradient: str = "exact",
        search_C: bool = True,
        strategy: str = "ovo",
        tol: float = 1e-8,
        random_state: int = 0,
    ) -> None:
        super().__init__(C, loss, gradient, search_C, strategy, tol)
        check_seed(random_state, "ValidationError")
        if isinstance(validation, numbers.Real) and not 0.0 < float(validation) < 1.0:
            raise ValueError(
                f"'validation' of ValidationError must be a share between 0 and 1, rows, or (X, y), "
                f"got {validation!r}."
            )
        if isinstance(validation, tuple):
            _check_samples_and_labels(validation)
        self.validation: Any = validation
        self.random_state = random_state

    def extra_points(self, n_features: int) -> Samples | None:
        return check_samples(self.validation[0]) if isinstance(self.validation, tuple) else None

    def _layout(
        self, classes: np.ndarray, index: np.ndarray, weight: np.ndarray, n_rows: int
    ) -> tuple[np.ndarray, ...]:
        if isinstance(self.validation, tuple):
            more = index_in(classes, np.ravel(self.validation[1]))
            index, weight = np.concatenate([index, more]), np.concatenate([weight, np.ones(len(more))])
            _, _, held_out = super()._layout(classes, index, weight, n_rows)
            held_out[n_rows - len(more) :] = True
            return index, weight, held_out
        index, weight, held_out = super()._layout(classes, index, weight, n_rows)
        held_out[self.held_out_rows(index)] = True
        return index, weight, held_out

    def held_out_rows(self, index: np.ndarray) -> np.ndarray:
        """Rows of the samples that a share, a mask or indices hold out."""
        if isinstance(self.validation, numbers.Real):
            split = StratifiedShuffleSplit(
                1, test_size=float(self.validation), random_state=self.random_state
            )
            # Classes in the order of their first samples: the draw does not depend on their names.
            by_appearance = np.unique(index, return_index=True)[1].argsort().argsort()[index]
            return next(split.split(index, by_appearance))[1]
        rows = np.asarray(self.validation)
        if rows.dtype == bool and rows.shape == index.shape:
            return np.flatnonzero(rows)
        if rows.dtype.kind not in "iu" or rows.ndim != 1 or rows.size == 0 or rows.max() >= index.size:
            raise ValueError(
                f"'validation' of ValidationError must be a mask of {index.size} rows or indices of some of "
                f"them, got {rows.dtype} of shape {rows.shape}."
            )
        return np.unique(rows)

    def _folds(self, problem: TwoClassProblem) -> list[np.ndarray]:
        for part, rows in (("validation", problem.held_out), ("training", ~problem.held_out)):
            if len(np.unique(problem.signs[rows])) < 2:
                raise ValueError(
                    f"The {part} part has samples of one class only. Choose other rows for 'validation'."
                )
        return [np.flatnonzero(problem.held_out)]


def _check_samples_and_labels(validation: tuple[MatrixLike, ArrayLike]) -> None:
    if len(validation) != 2 or check_samples(validation[0], "The X of validation").shape[0] != np.size(
        validation[1]
    ):
        raise ValueError("'validation' of ValidationError as a tuple must be samples and one label for each.")


def index_in(classes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Index of each label among the classes."""
    unknown = ~np.isin(y, classes)
    if unknown.any():
        raise ValueError(f"The validation set has the label {y[unknown][0]}, which the samples do not have.")
    return np.searchsorted(classes, y)


class CrossValidationError(HeldOutCriterion):
    """Mean probability of error in cross-validation, from one sigmoid of all held-out decision values.

    E of paper 001, section 3.2, on all the data instead of one validation set.

    Each sample is decided on once, by a machine that did not see it. The number of support vectors and the
    margin in the history are means over the folds' machines; the test error is that of one more machine,
    trained on all samples.

    Parameters
    ----------
    C : float, default=1.0
        Value from which the search of C starts, or the fixed value.
    cv : int, default=5
        Number of folds, stratified and fixed: the same at every evaluation.
    loss, gradient, search_C, strategy, tol
        As in :class:`ValidationError`.
    random_state : int, default=None
        Seed that shuffles the samples into folds; None takes them in their order.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import CrossValidationError
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> round(CrossValidationError(C=10.0).value(RBF(0.02)(scale(X)), y), 3)
    0.042
    """

    name = "cv-error"
    reference = "N. E. Ayat, M. Cheriet and C. Y. Suen, SVM 2002, LNCS 2388, section 3"

    def __init__(
        self,
        C: float = 1.0,
        cv: int = 5,
        loss: str = "error",
        gradient: str = "exact",
        search_C: bool = True,
        strategy: str = "ovo",
        tol: float = 1e-8,
        random_state: int | None = None,
    ) -> None:
        super().__init__(C, loss, gradient, search_C, strategy, tol)
        if random_state is not None:
            check_seed(random_state, type(self).__name__)
        if not isinstance(cv, numbers.Integral) or cv < 2:
            raise ValueError(f"'cv' of {type(self).__name__} must be an integer from 2 on, got {cv!r}.")
        self.cv: int = cv
        self.random_state: int | None = random_state

    def _folds(self, problem: TwoClassProblem) -> list[np.ndarray]:
        smallest = min(int((problem.signs == sign).sum()) for sign in (-1, 1))
        if smallest < self.cv:
            fewer = f"criterion={type(self).__name__}(cv={smallest}), " if smallest > 1 else ""
            raise ValueError(
                f"The criterion {self.name!r} has {self.cv} folds, but a class has "
                f"{count(smallest, 'sample')}. Use {fewer}a criterion without folds such as 'dbtc', or more "
                "samples of that class."
            )
        return _stratified(np.asarray(problem.signs, np.int8).tobytes(), self.cv, self.random_state)

    def _predictor(self, problem: TwoClassProblem, machines: list[HingeMachine]) -> TrainedMachine | None:
        if not problem.memory.wants_machines:
            return None
        return HingeMachine.train(problem, problem.held_out, self.C, self.tol, "all").trained


@lru_cache(maxsize=64)
def _stratified(signs: bytes, n_folds: int, random_state: int | None) -> list[np.ndarray]:
    """Rows of each fold: a search asks for the same ones at every step."""
    y = np.frombuffer(signs, np.int8)
    split = StratifiedKFold(n_folds, shuffle=random_state is not None, random_state=random_state)
    return [rows for _, rows in split.split(y, y)]


class CrossValidationLikelihood(CrossValidationError):
    """Mean negative log-likelihood in cross-validation, from one sigmoid of held-out decision values.

    With decision values f_i of machines that did not see sample i, and p_i = 1/(1 + exp(A f_i + B)),

        cost = −(1/n) max_{A ≤ 0, B} Σ_i log(p_i if y_i = 1 else 1 − p_i),

    the maximum-likelihood criterion of Glasmachers and Igel (2010) for the 1-norm machine: they search the
    kernel and C together along its gradient. A and B are optimal, and so the derivative needs that of the
    decision values only. With A ≤ 0, larger values never make the positive class less likely, and a machine
    whose held-out answers are worse than chance has the likelihood of the class shares.

    E of paper 001 (Ayat and others 2002, section 3.2), :class:`CrossValidationError`, is the mean probability
    of error by the same kind of sigmoid.

    The paper's prior distribution over kernel and C, an option there, is not part of it: the bounds of a
    search are what limits them here. ``CrossValidationError(loss="likelihood")`` is the same with Platt's
    smoothed targets in place of the labels, which keeps the cost above zero where folds make no error.

    Parameters
    ----------
    C, cv, search_C, strategy, tol, random_state
        As in :class:`CrossValidationError`. The paper is about two classes; more are averaged over the
        two-class problems.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import CrossValidationLikelihood
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_breast_cancer(return_X_y=True)

    A width that suits the data, and one that is too narrow:

    >>> [round(CrossValidationLikelihood(C=10.0).value(RBF(gamma)(scale(X)), y), 3) for gamma in (0.02, 1.0)]
    [0.067, 0.399]

    References
    ----------
    T. Glasmachers, C. Igel: Maximum likelihood model selection for 1-norm soft margin SVMs with multiple
    parameters. IEEE Transactions on Pattern Analysis and Machine Intelligence 32(8), 1522–1528, 2010.
    """

    name = "cv-likelihood"
    reference = "T. Glasmachers and C. Igel, IEEE Trans. Pattern Anal. Mach. Intell. 32(8), 2010"

    def __init__(
        self,
        C: float = 1.0,
        cv: int = 5,
        search_C: bool = True,
        strategy: str = "ovo",
        tol: float = 1e-8,
        random_state: int | None = None,
    ) -> None:
        super().__init__(C, cv, "plain-likelihood", "exact", search_C, strategy, tol, random_state)
