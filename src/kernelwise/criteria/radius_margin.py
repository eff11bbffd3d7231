"""Radius-margin quotient (paper 002, Glasmachers 2006, section 2), and its twin for the plain hinge."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kernelwise.criteria.machine import MachineCriterion, TwoClassProblem, TwoClassValue
from kernelwise.criteria.state import TrainedMachine
from kernelwise.solvers.ball import EnclosingBall, minimum_enclosing_ball
from kernelwise.solvers.dual import SVMSolution, solve_svm_dual

LOSSES = {1: "hinge", 2: "squared_hinge"}


class Factor(NamedTuple):
    """One of the two factors: its value and its derivative by C, at fixed K."""

    value: float
    by_C: float


class RadiusMargin(MachineCriterion):
    """Radius-margin criterion R²/γ²: the radius of the ball around the samples over the margin, squared.

    It is computed as R²‖w‖², because the margin is γ = 1/‖w‖.

    With ``norm=2`` both are those of K + I/C (paper 002, equation 1), the kernel for which the 2-norm machine
    has a hard margin: a bound of its leave-one-out error is proportional to R²/γ². R² is the maximum over β,
    and ‖w‖² that over α, of a function of K, so that by the envelope theorem

        ∂(R²‖w‖²)/∂K = ‖w‖² (diag β − ββᵀ) − R² (αy)(αy)ᵀ.

    With ``norm=1`` the machine is the usual one with the plain hinge, and the cost is

        (R² + 1/C) (‖w‖² + 2C Σ ξ_i),

    R² being that of K: a heuristic after Chung and others (Neural Computation 15, 2003), without paper 002's
    bound or theorems. The second factor is twice the primal objective, which is optimal and so has an exact
    gradient, too. ‖w‖² alone would fall to zero with C, and the primal objective never falls as C rises: it
    is 1/C in the first factor, the part of a sample's own direction as in K + I/C, that makes C a parameter
    worth searching.

    Parameters
    ----------
    C : float, default=1.0
        Value from which the search of C starts, or the fixed value.
    norm : {2, 1}, default=2
        Of the slack variables ξ.
    search_C, strategy, tol
        As in :class:`~kernelwise.criteria.machine.MachineCriterion`; ``tol`` is also the relative precision
        of R².

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import RadiusMargin

    Of a very narrow kernel K = I, and then R²/γ² = 4 (1 − 1/ℓ) ℓ₊ℓ₋/ℓ for every C (theorem 2):

    >>> y = [1, 1, 1, 0, 0]
    >>> [round(RadiusMargin(C=C, tol=1e-10).score(np.eye(5), y), 6) for C in (0.1, 10.0)]
    [3.84, 3.84]
    >>> round(4 * (1 - 1 / 5) * 3 * 2 / 5, 6)
    3.84
    """

    name = "radius-margin"
    reference = "O. Chapelle and others, Choosing multiple parameters for SVMs, Machine Learning 46, 2002"

    def __init__(
        self, C: float = 1.0, norm: int = 2, search_C: bool = True, strategy: str = "ovo", tol: float = 1e-6
    ) -> None:
        if norm not in LOSSES:
            raise ValueError(f"'norm' of RadiusMargin must be 1 or 2, got {norm!r}.")
        super().__init__(C, search_C, strategy, tol)
        self.norm = int(norm)

    def _two_class(self, problem: TwoClassProblem) -> TwoClassValue:
        machine, ball = self._solve(problem)
        w = problem.weight
        cost_of_machine, size_of_ball = self._machine_factor(machine, problem), self._ball_factor(ball, w)
        W = None
        if problem.needs_gradient:
            # One product of rank two: two outer products would be two more passes over an n × n array.
            factors = np.sqrt([size_of_ball.value, cost_of_machine.value])
            V = factors[:, None] * np.stack([machine.beta, ball.beta])
            W = V.T @ V
            np.negative(W, out=W)
            W[np.diag_indices_from(W)] += cost_of_machine.value * ball.beta
        rows = np.flatnonzero(machine.beta)
        # ‖w‖², in the feature space of K + I/C for the 2-norm machine.
        norm2 = float(machine.beta @ (problem.signs - machine.gradient))
        return TwoClassValue(
            value=size_of_ball.value * cost_of_machine.value,
            W=W,
            by_C=size_of_ball.value * cost_of_machine.by_C + size_of_ball.by_C * cost_of_machine.value,
            report={
                "n_support": float(len(rows)),
                "margin": 1.0 / np.sqrt(norm2) if norm2 > 0 else np.inf,
                "radius2": ball.radius2,
            },
            machine=TrainedMachine(rows, machine.beta[rows], machine.intercept),
        )

    def _solve(self, problem: TwoClassProblem) -> tuple[SVMSolution, EnclosingBall]:
        """Machine and ball, each from the last one of this problem."""
        warm = problem.warm
        how: dict[str, Any] = {"sample_weight": problem.weight, "tol": self.tol, "check": False}
        machine = solve_svm_dual(
            problem.K, problem.signs, self.C, loss=LOSSES[self.norm], warm_start=warm.get("machine"), **how
        )
        ridge = 1.0 / self.C if self.norm == 2 else 0.0
        ball = minimum_enclosing_ball(problem.K, ridge=ridge, warm_start=warm.get("ball"), **how)
        warm["machine"], warm["ball"] = machine.beta, ball.beta
        return machine, ball

    def _machine_factor(self, machine: SVMSolution, problem: TwoClassProblem) -> Factor:
        """Twice the optimal value of the machine: ‖w‖² for a hard margin (norm 2), ‖w‖² + 2C Σ ξ (norm 1)."""
        value, w = -2.0 * machine.objective, problem.weight
        if self.norm == 2:
            return Factor(value, _weighted_square(machine.beta, w) / self.C**2)
        slack = np.maximum(0.0, problem.signs * (machine.gradient - machine.intercept))
        return Factor(value, 2.0 * float(w @ slack))

    def _ball_factor(self, ball: EnclosingBall, weight: np.ndarray) -> Factor:
        """R² of K + I/C (norm 2); R² + 1/C (norm 1)."""
        if self.norm == 2:
            return Factor(ball.radius2, (_weighted_square(ball.beta, weight) - 1.0) / self.C**2)
        return Factor(ball.radius2 + 1.0 / self.C, -1.0 / self.C**2)


def _weighted_square(beta: np.ndarray, weight: np.ndarray) -> float:
    """Σ β_i²/w_i over the samples that take part."""
    used = weight > 0
    return float(np.sum(beta[used] ** 2 / weight[used]))
