"""The span estimate of the leave-one-out error (Chapelle, Vapnik, Bousquet and Mukherjee 2002).

`Spans` has the spans of a machine's support vectors and their derivatives, `SpanEstimate` the criterion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from kernelwise._core.threads import cached_property
from kernelwise._core.validation import check_not_negative, check_positive
from kernelwise.criteria.machine import TwoClassProblem, TwoClassValue
from kernelwise.criteria.one_training import OneTraining, RowsOfMachine
from kernelwise.solvers.sensitivity import symmetric_product

#: What is always added to the bordered system, relative to its size: repeated points of two classes.
FLOOR = 1e-12


@dataclass(frozen=True)
class Spans(RowsOfMachine):
    """S_p² of every support vector p: how far Φ(x_p) is from what the free ones can put in its place.

    s_p is the minimum of ‖Φ(x_p) − Σ λ_i Φ(x_i)‖² + Σ D_i λ_i² + (1 − Σ λ_i)²/τ over the free i ≠ p, from
    the bordered matrix [[K_FF + D, 1], [1ᵀ, −τ]] that :mod:`kernelwise.solvers.sensitivity` factors, with
    D_i = η (1/α_i + 1/(C w_i − α_i)) and τ = 1 over the mean diagonal of K. η = 0 is the span itself, with
    τ = 0, too.

    The w_p − 1 copies of a row of weight w_p > 1 that stay can take its place, each at the cost w_p D_p:
    1/S_p² = 1/s_p + (w_p − 1)/(w_p D_p).
    """

    eta: float

    @cached_property
    def unit(self) -> float:
        """Mean diagonal of K."""
        return float(self.share @ np.abs(self.machine.problem.K.diagonal()))

    @cached_property
    def support(self) -> np.ndarray:
        """Rows of the free support vectors, then those of the bounded ones."""
        return np.concatenate([self.free, np.flatnonzero(self.is_bounded)])

    @cached_property
    def free(self) -> np.ndarray:
        """Rows of the support vectors that are off their bounds."""
        return np.flatnonzero((self.alpha > 0) & ~self.is_bounded)

    @cached_property
    def penalty(self) -> np.ndarray:
        """D of the free support vectors."""
        alpha, bound = self.alpha[self.free], self.bound[self.free]
        return np.asarray(FLOOR * self.unit + self.eta * (1.0 / alpha + 1.0 / (bound - alpha)))

    @property
    def tau(self) -> float:
        """What softens Σ λ_i = 1: without it the only free support vector would have an infinite span."""
        return (1.0 if self.eta > 0.0 else FLOOR) / self.unit

    @cached_property
    def _vectors(self) -> tuple[np.ndarray, np.ndarray]:
        """u_p = e_p − λ over the support vectors, one column for each p, and (Σ u_p)/τ."""
        K, F, m = self.machine.problem.K, self.free, len(self.free)
        system = np.empty((m + 1, m + 1))
        system[:m, :m] = K[np.ix_(F, F)]
        system[np.arange(m), np.arange(m)] += self.penalty
        # Rows of one size: D is huge near a bound. Kernels that are not positive definite, such as the
        # sigmoid kernel, can have negative values on the diagonal, which no D makes up for.
        size = np.maximum(np.abs(system.diagonal()[:m]), FLOOR * self.unit)
        scale = np.append(1.0 / np.sqrt(size), np.sqrt(self.unit))
        system[m], system[:, m] = 1.0, 1.0
        system[m, m] = -self.tau
        inverse = np.linalg.inv(system * np.outer(scale, scale)) * np.outer(scale, scale)
        bounded = self.support[m:]
        answers = inverse @ np.vstack([K[np.ix_(F, bounded)], np.ones(len(bounded))])
        columns = np.hstack([inverse[:, :m] / inverse.diagonal()[:m], -answers])
        u = np.eye(len(self.support))
        u[:m] = columns[:m]
        return u, columns[m]

    @cached_property
    def alone(self) -> np.ndarray:
        """s_p of the support vectors, as a sum of what cannot be negative."""
        u, border = self._vectors
        others = u[: len(self.free)] ** 2
        np.fill_diagonal(others, 0.0)
        K = self.machine.problem.K[np.ix_(self.support, self.support)]
        return np.asarray(np.sum(u * (K @ u), axis=0) + self.penalty @ others + self.tau * border**2)

    @cached_property
    def _copies(self) -> np.ndarray:
        """(w_p − 1)/(w_p D_p) of the copies that stay, zero for the bounded, which cannot take more."""
        w = self.machine.weight[self.free]
        copies = np.zeros(len(self.support))
        copies[: len(w)] = np.maximum(w - 1.0, 0.0) / (w * self.penalty)
        return copies

    @cached_property
    def squares(self) -> np.ndarray:
        """S_p² of every row, shape (n,); zero for those that are no support vectors.

        Without a free support vector nothing is taken to change by the plain span, as by Chapelle's own code.
        """
        squares = np.zeros(len(self.alpha))
        if self.eta == 0.0 and not len(self.free):
            return squares
        squares[self.support] = 1.0 / (1.0 / self.alone + self._copies)
        return squares

    @cached_property
    def removed(self) -> np.ndarray:
        """α of what is left out: of one copy if the weight is above one, shape (n,)."""
        return np.asarray(self.alpha / np.maximum(self.machine.weight, 1.0))

    @cached_property
    def left_out(self) -> np.ndarray:
        """Estimates of y_p f(x_p) by the machine without p, shape (n,): y_p f(x_p) − α_p S_p²."""
        return np.asarray(self.signed - self.removed * self.squares)

    def derivatives(self, by_square: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """By K at fixed α, shape (n, n), by α of the free (n,) and by C, from those by S_p², shape (n,)."""
        S, F, m = self.support, self.free, len(self.free)
        u, border = self._vectors
        square, given = self.squares[S], by_square[S]
        by_alone = given * (square / self.alone) ** 2
        others = u[:m] ** 2
        np.fill_diagonal(others, 0.0)
        # d(1/S²) = … − (w − 1)/(w D²) dD
        by_penalty = others @ by_alone + (given * square**2 * self._copies)[:m] / self.penalty
        alpha, rest = self.alpha[F], (self.bound - self.alpha)[F]
        by_alpha = np.zeros(len(self.alpha))
        by_alpha[F] = by_penalty * self.eta * (1.0 / rest**2 - 1.0 / alpha**2)
        by_C = -self.eta * float(by_penalty @ (self.machine.weight[F] / rest**2))
        W = np.zeros(self.machine.problem.K.shape)
        W[np.ix_(S, S)] = (u * by_alone) @ u.T
        by_unit = self.tau / self.unit * float(by_alone @ border**2) + FLOOR * float(by_penalty.sum())
        W[np.diag_indices_from(W)] += by_unit * self.share * np.sign(self.machine.problem.K.diagonal())
        return W, by_alpha, by_C


class SpanEstimate(OneTraining):
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

    def _of_machine(self, rows: RowsOfMachine, problem: TwoClassProblem) -> TwoClassValue:
        machine = rows.machine
        spans = Spans(machine, self.eta)
        p = expit(-self.slope * spans.left_out)
        value = TwoClassValue(
            float(spans.share @ p),
            report=machine.report(span_error=float(spans.share @ (spans.left_out < 0.0))),
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
