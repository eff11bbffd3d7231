"""The span estimate of the leave-one-out error (Chapelle, Vapnik, Bousquet and Mukherjee 2002)."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from scipy.special import expit

from kernelwise._core.validation import check_not_negative, check_positive
from kernelwise.criteria.hinge import HingeMachine
from kernelwise.criteria.machine import MachineCriterion, TwoClassProblem, TwoClassValue
from kernelwise.criteria.spans import Spans
from kernelwise.criteria.state import TrainedMachine
from kernelwise.solvers.sensitivity import symmetric_product

#: Rows whose distance in feature space is below this share of their size are copies of one row.
SAME = 8 * np.finfo(float).eps


class SpanEstimate(MachineCriterion):
    """Estimate of the leave-one-out error from one trained machine: the smoothed span estimate.

    The machine without a sample follows from the linear system by which it moves with the kernel (paper 001,
    Ayat and others 2002, section 3.2), since its free support vectors take the sample's place.

    Without sample p, and as long as the same support vectors stay free and bounded, the machine answers
    y_p f^p(x_p) = y_p f(x_p) − α_p S_p² (Vapnik and Chapelle 2000). Here

        T = Σ_p w_p φ(α_p S_p² − y_p f(x_p)) / Σ_p w_p,    φ(x) = 1/(1 + exp(−slope·x)),

    where φ in place of a step makes T differentiable, as in the paper, with its slope of 5. The span S_p² is
    the squared distance of Φ(x_p) from the free support vectors' combinations Σ λ_i Φ(x_i), Σ λ_i = 1; it is
    1/(K̃⁻¹)_pp with K̃ = [[K_FF, 1], [1ᵀ, 0]] for a free p, and jumps where a support vector comes or goes.
    So the paper adds η Σ λ_i²/α_i. Its machine has no upper bound on α; for the hinge machine we take η Σ
    λ_i² (1/α_i + 1/(C − α_i)), so that a support vector loses its part on the way to either bound, and (1 −
    Σ λ_i)² K̄, K̄ the mean of K_ii, in place of Σ λ_i = 1, which few free support vectors could not meet. T
    is then continuous in K and C.

    Parameters
    ----------
    C : float, default=1.0
        Value from which the search of C starts, or the fixed value.
    eta : float, default=0.01
        η; 0 is the plain span, with Σ λ_i = 1, which is exact where its assumption holds, but jumps. The
        paper has 0.1 for a machine without bounds; 0.01 was picked on ten sets by how it follows
        the true error.
    slope : float, default=5.0
        Of φ.
    search_C, strategy, tol
        As in :class:`~kernelwise.criteria.machine.MachineCriterion`.

    Notes
    -----
    A row of weight 2 is two rows: what is left out is one of them, and the other can take its place. A row
    of a weight below 1 is left out as a whole.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import SpanEstimate
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> [round(SpanEstimate(C=10.0).value(RBF(gamma)(scale(X)), y), 3) for gamma in (0.02, 1.0)]
    [0.027, 0.381]

    References
    ----------
    O. Chapelle, V. Vapnik, O. Bousquet, S. Mukherjee: Choosing multiple parameters for support vector
    machines. Machine Learning 46, 131–159, 2002.
    """

    name = "span"
    reference = "O. Chapelle and others, Choosing multiple parameters for SVMs, Machine Learning 46, 2002"
    sign: ClassVar[int] = 1

    def __init__(
        self,
        C: float = 1.0,
        eta: float = 0.01,
        slope: float = 5.0,
        search_C: bool = True,
        strategy: str = "ovo",
        tol: float = 1e-8,
    ) -> None:
        super().__init__(C, search_C, strategy, tol)
        check_not_negative(eta, "eta", "SpanEstimate")
        check_positive(slope, "slope", "SpanEstimate")
        self.eta = float(eta)
        self.slope = float(slope)

    def _two_class(self, problem: TwoClassProblem) -> TwoClassValue:
        first, number = distinct_rows(problem.K, problem.signs)
        if len(first) == len(number):
            return self._of_distinct(problem)
        weight = np.bincount(number, weights=problem.weight)
        value = self._of_distinct(
            replace(
                problem,
                K=problem.K[np.ix_(first, first)],
                signs=problem.signs[first],
                weight=weight,
                held_out=problem.held_out[first],
                members=problem.members[first],
            )
        )
        if value.machine is not None:
            value.machine = TrainedMachine(first[value.machine.rows], *value.machine[1:])
        if isinstance(value.W, np.ndarray):
            W, value.W = value.W, np.zeros(problem.K.shape)
            value.W[np.ix_(first, first)] = W
        return value

    def _of_distinct(self, problem: TwoClassProblem) -> TwoClassValue:
        """The estimate of a problem without copies: how they share their α is up to the solver."""
        n = len(problem.signs)
        machine = HingeMachine.train(problem, problem.held_out, self.C, self.tol, f"all {n}")
        spans = Spans(machine, self.eta)
        p = expit(-self.slope * spans.left_out)
        value = TwoClassValue(
            float(spans.share @ p),
            report={
                "n_support": float(machine.support.size),
                "margin": machine.margin,
                "span_error": float(spans.share @ (spans.left_out < 0.0)),
            },
            machine=machine.trained,
        )
        if not problem.needs_gradient:
            return value
        by_left_out = -self.slope * spans.share * p * (1.0 - p)
        # By f, by S², and by α through S² and by itself.
        by_output = by_left_out * machine.signs
        W, by_alpha, by_C = spans.derivatives(-by_left_out * spans.removed)
        by_alpha -= by_left_out * spans.squares / np.maximum(machine.weight, 1.0)
        by_coefficients = problem.K @ by_output + machine.signs * by_alpha
        answer = machine.sensitivity(by_coefficients, float(by_output.sum()))
        left = by_output - answer.multipliers
        value.W = W + symmetric_product(left[:, None], machine.beta[:, None])
        value.by_C = answer.by_C + by_C
        return value


def distinct_rows(K: np.ndarray, signs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First rows of the distinct samples of each class in feature space, and the number of each row's."""
    diagonal = K.diagonal()
    size = diagonal[:, None] + diagonal
    is_copy = (size - 2.0 * K <= SAME * np.abs(size)) & np.equal.outer(signs, signs)
    np.fill_diagonal(is_copy, True)
    first, number = np.unique(is_copy.argmax(axis=1), return_inverse=True)
    return first, number
