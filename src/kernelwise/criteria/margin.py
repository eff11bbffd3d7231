"""The margin of a machine, alone and with the radius of the samples.

`Margin` and `VCBound` are of paper 001 (Ayat and others 2002), the exact quotient `RadiusMargin` of paper 002
(Glasmachers 2006).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kernelwise.criteria.base import FactoredAdjoint, TrainedMachine
from kernelwise.criteria.machine import HingeMachine, MachineCriterion, TwoClassProblem, TwoClassValue
from kernelwise.solvers.ball import EnclosingBall, minimum_enclosing_ball
from kernelwise.solvers.dual import SVMSolution, solve_svm_dual


class Margin(MachineCriterion):
    """Inverse squared margin ‖w‖², to be minimised (paper 001, section 3.3 and figure 5).

    The margin of a support vector machine is 1/‖w‖.

    Paper 001 shows that minimising it alone does not lower the error: wide kernels and small C have the
    largest margins.

    Parameters
    ----------
    C : float, default=1.0
        Value from which the search of C starts, or the fixed value.
    search_C : bool, default=True
        Whether C is a parameter of the search.
    strategy : {"ovo", "ovr"}, default="ovo"
        The two-class problems of more than two classes.
    tol : float, default=1e-8
        Tolerance of the stopping rule of the machines.

    Examples
    --------
    Two points at distance 2 have the margin 1.

    >>> import numpy as np
    >>> from kernelwise.criteria import Margin
    >>> X = np.array([[-1.0], [1.0], [-2.0], [3.0]])
    >>> round(Margin(C=10.0).value(X @ X.T, [0, 1, 0, 1]), 6)
    1.0
    """

    name = "margin"
    reference = "N. E. Ayat, M. Cheriet and C. Y. Suen, SVM 2002, LNCS 2388"

    def _two_class(self, problem: TwoClassProblem) -> TwoClassValue:
        machine = HingeMachine.train(problem, problem.held_out, self.C, self.tol, "all")
        value = TwoClassValue(
            machine.norm2,
            report=machine.report(),
            machine=machine.trained,
        )
        if problem.needs_gradient:
            u, value.by_C = norm2_adjoint(machine)
            value.W = FactoredAdjoint(u[:, None], machine.beta[:, None])
        return value


class VCBound(MachineCriterion):
    """VC bound R²‖w‖² with an approximate radius R (paper 001, section 3.3).

    R² is the largest ‖Φ(x) − Φ(0)‖² of a support vector x.

    The gradient of the maximum is that of the support vector that attains it. Paper 001 shows that
    minimising this bound does not lower the error; :class:`RadiusMargin` has the exact radius.

    Its Gram matrix has one row more than there are samples, the last: that of the origin.

    Parameters
    ----------
    C, search_C, strategy, tol
        As in :class:`Margin`.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import VCBound
    >>> points = np.array([[-1.0], [1.0], [-2.0], [3.0], [0.0]])
    >>> round(VCBound(C=10.0).value(points @ points.T, [0, 1, 0, 1]), 6)
    1.0
    """

    name = "vc"
    reference = "N. E. Ayat, M. Cheriet and C. Y. Suen, SVM 2002, LNCS 2388"

    def extra_points(self, n_features: int) -> np.ndarray:
        return np.zeros((1, n_features))

    def _layout(
        self, classes: np.ndarray, index: np.ndarray, weight: np.ndarray, n_rows: int
    ) -> tuple[np.ndarray, ...]:
        if n_rows != len(index) + 1:
            raise ValueError(
                f"VCBound needs a Gram matrix of the samples and the origin, {len(index) + 1} rows, "
                f"got {n_rows}. Use it in a TuningProblem, or add a row of zeros to X."
            )
        return super()._layout(classes, np.append(index, -1), np.append(weight, 0.0), n_rows)

    def _two_class(self, problem: TwoClassProblem) -> TwoClassValue:
        machine = HingeMachine.train(problem, problem.held_out, self.C, self.tol, "all")
        K, S, origin = problem.K, machine.support, len(problem.signs) - 1
        distances2 = K[S, S] - 2.0 * K[S, origin] + K[origin, origin]
        farthest, radius2 = int(S[distances2.argmax()]), float(distances2.max())
        norm2 = machine.norm2
        value = TwoClassValue(
            radius2 * norm2,
            report=machine.report(radius=float(np.sqrt(radius2))),
            machine=machine.trained,
        )
        if problem.needs_gradient:
            u, by_C = norm2_adjoint(machine)
            value.by_C = radius2 * by_C
            # R² = dᵀKd with d = 1 at the farthest vector and −1 at the origin.
            d = np.zeros(len(u))
            d[farthest], d[origin] = 1.0, -1.0
            value.W = FactoredAdjoint(
                np.column_stack([radius2 * u, norm2 * d]), np.column_stack([machine.beta, d])
            )
        return value


def norm2_adjoint(machine: HingeMachine) -> tuple[np.ndarray, float]:
    """u of the adjoint u cᵀ of ‖w‖² = cᵀKc, and its derivative by C: c through K itself, −λ through c."""
    answer = machine.sensitivity(2.0 * machine.outputs, 0.0)
    return machine.beta - answer.multipliers, answer.by_C


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
