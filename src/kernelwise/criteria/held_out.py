"""What criteria of held-out decision values have in common (after paper 001, Ayat and others 2002)."""

from __future__ import annotations

import numbers
from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from kernelwise._core.validation import check_choice
from kernelwise.criteria.adjoint import FactoredAdjoint
from kernelwise.criteria.hinge import HingeMachine
from kernelwise.criteria.machine import MachineCriterion, TwoClassProblem, TwoClassValue
from kernelwise.criteria.sigmoid_cost import LOSSES, sigmoid_cost
from kernelwise.criteria.state import TrainedMachine

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
