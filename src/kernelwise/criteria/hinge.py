"""The hinge machine of a two-class problem, with what a criterion asks of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernelwise.criteria.machine import TwoClassProblem
from kernelwise.criteria.state import TrainedMachine
from kernelwise.findings import Finding
from kernelwise.solvers.dual import SVMSolution, solve_svm_dual
from kernelwise.solvers.sensitivity import Sensitivity, dual_sensitivity


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
            self.problem.memory.findings["ridge"] = Finding(
                "ridge",
                "warning",
                "The kernel matrix of the free support vectors was singular at points of the search; "
                f"{answer.ridge:.0e} of its mean diagonal was added for the gradient.",
                "Look for repeated samples, or exclude such wide kernels with bounds.",
                "Look for repeated rows, or leave out --criterion.",
            )
        return answer
