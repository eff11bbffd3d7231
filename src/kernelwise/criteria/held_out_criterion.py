"""Base class of criteria of held-out decision values (after paper 001, Ayat and others 2002).

Platt's sigmoid is fitted to the decision values, and errors are counted by it.
"""

from __future__ import annotations

import numbers
from abc import abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np

from kernelwise._core.validation import check_choice
from kernelwise.criteria.base import FactoredAdjoint, TrainedMachine
from kernelwise.criteria.machine import HingeMachine, MachineCriterion, TwoClassProblem, TwoClassValue
from kernelwise.solvers.platt import fit_platt, platt_probability, smoothed_targets

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


def check_seed(random_state: Any, owner: str) -> None:
    """Refuse what would draw other rows at the next evaluation."""
    if not isinstance(random_state, numbers.Integral):
        raise ValueError(
            f"'random_state' of {owner} must be an integer, so that every evaluation holds out the same "
            f"rows, got {random_state!r}."
        )
