"""Estimates of generalisation from one trained machine, without leaving a row out.

`XiAlpha` bounds the leave-one-out error (Joachims 2000), `GACV` approximates the left-out hinge loss (Wahba
and others 2000), and `Evidence` is the likelihood of the labels in a Bayesian reading of the machine (Sollich
2002, Gold and Sollich 2003). Papers 000 (Abe 2007), 001 (Ayat and others 2002), 003 (Laanaya and others 2011)
and 004 (Yin and Yin 2016) cite them.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy.special import expit

from kernelwise._core.threads import cached_property
from kernelwise._core.validation import check_positive
from kernelwise.criteria.base import FactoredAdjoint
from kernelwise.criteria.machine import (
    HingeMachine,
    MachineCriterion,
    TwoClassProblem,
    TwoClassValue,
    of_distinct_rows,
)
from kernelwise.exceptions import DegenerateGramError
from kernelwise.solvers.sensitivity import symmetric_product


@dataclass(frozen=True)
class RowsOfMachine:
    """What the estimates read of a machine's rows, all of shape (n,)."""

    machine: HingeMachine

    @cached_property
    def share(self) -> np.ndarray:
        """Weights that sum to one."""
        return np.asarray(self.machine.weight / self.machine.weight.sum())

    @cached_property
    def alpha(self) -> np.ndarray:
        """y_i c_i, of all copies of a row together."""
        return np.abs(self.machine.beta)

    @cached_property
    def bound(self) -> np.ndarray:
        """The largest α: C times the weight."""
        return self.machine.C * self.machine.weight

    @cached_property
    def is_bounded(self) -> np.ndarray:
        """Rows whose α is the largest: only these have slack."""
        return np.asarray((self.alpha > 0) & (self.alpha == self.bound))

    @cached_property
    def signed(self) -> np.ndarray:
        """y_i f(x_i)."""
        outputs = self.machine.outputs + self.machine.solution.intercept
        return np.asarray(self.machine.signs * outputs)

    @cached_property
    def slack(self) -> np.ndarray:
        """ξ_i = max(0, 1 − y_i f(x_i)); exactly zero for rows that are not bounded."""
        return np.where(self.is_bounded, np.maximum(0.0, 1.0 - self.signed), 0.0)

    def through_machine(
        self, by_slack: np.ndarray, by_alpha: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, float]:
        """Left and right of the adjoint of a value of ξ and α, and its derivative by C."""
        machine = self.machine
        by_output = np.where(self.is_bounded, -by_slack * machine.signs, 0.0)
        by_coefficients = machine.problem.K @ by_output + machine.signs * by_alpha
        answer = machine.sensitivity(by_coefficients, float(by_output.sum()))
        return by_output - answer.multipliers, machine.beta, answer.by_C


class OneTraining(MachineCriterion):
    """Base class of estimates from one machine on all rows, copies of a row taken together."""

    def _two_class(self, problem: TwoClassProblem) -> TwoClassValue:
        return of_distinct_rows(problem, self._of_distinct)

    def _of_distinct(self, problem: TwoClassProblem) -> TwoClassValue:
        key = f"all {len(problem.signs)}"
        machine = HingeMachine.train(problem, problem.held_out, self.C, self.tol, key)
        value = self._of_machine(RowsOfMachine(machine), problem)
        value.machine = machine.trained
        return value

    @abstractmethod
    def _of_machine(self, rows: RowsOfMachine, problem: TwoClassProblem) -> TwoClassValue:
        """The estimate from the rows of the trained machine."""


class XiAlpha(OneTraining):
    """ξα estimate of the leave-one-out error, a share of the rows (Joachims 2000).

    The estimate is Σ w_i [ρ α_i R_Δ² + ξ_i ≥ 1] / Σ w_i. With ρ = 2 it is never below the leave-one-out error
    of a machine that has a support vector off its bound: a row that would be an error without it has
    2α_i R_Δ² + ξ_i ≥ 1. Unlike the bound R²‖w‖² of paper 001 (section 3.3), it knows which rows are in
    danger. Paper 000 cites it.

    R_Δ² is a number with c ≤ K(x, x′) ≤ c + R_Δ² for some c: then the image of a row is at most √2·R_Δ away
    from every mean of other rows, which is what the proof needs. Here it is that of the rows at hand,
    max K − min K, so that kernels without bounds have one, too. For RBF and other kernels with one value of
    K(x, x) this is the largest K(x, x) − K(x, x′), which other programs take and which is enough for the
    proof with every positive definite kernel. SVM-light takes the largest ‖Φ(x) − Φ(0)‖² instead.

    Parameters
    ----------
    C : float, default=1.0
        Value from which the search of C starts, or the fixed value.
    rho : float, default=2.0
        ρ. The theorem has 2. Joachims' program SVM-light has 1 by default, which is closer to the error but
        no bound.
    slope : float, default=None
        With a number, φ(ρ α_i R_Δ² + ξ_i − 1) takes the place of the step, φ(x) = 1/(1 + exp(−slope·x)): only
        then there is a gradient. The criterion "xi-alpha-smooth" has the slope 5 of :class:`SpanEstimate`.
    search_C, strategy, tol
        As in :class:`~kernelwise.criteria.machine.MachineCriterion`.

    Notes
    -----
    A row of weight 2 is two rows: α_i is that of one of them. A row of a weight below 1 is left out as a
    whole. One machine is trained; the rest is a pass over its coefficients and over K for R_Δ².

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import XiAlpha
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> [round(XiAlpha(C=0.5, rho=rho).value(RBF(0.02)(scale(X)), y), 3) for rho in (2.0, 1.0)]
    [0.19, 0.07]

    References
    ----------
    T. Joachims: Estimating the generalization performance of an SVM efficiently. International Conference on
    Machine Learning, 2000.
    """

    name = "xi-alpha"
    reference = "T. Joachims, Estimating the generalization performance of an SVM efficiently, ICML 2000"

    def __init__(
        self,
        C: float = 1.0,
        rho: float = 2.0,
        slope: float | None = None,
        search_C: bool = True,
        strategy: str = "ovo",
        tol: float = 1e-8,
    ) -> None:
        super().__init__(C, search_C, strategy, tol)
        check_positive(rho, "rho", "XiAlpha")
        if slope is not None:
            check_positive(slope, "slope", "XiAlpha")
        self.rho = float(rho)
        self.slope = None if slope is None else float(slope)

    @property
    def is_differentiable(self) -> bool:  # type: ignore[override]
        """Whether a slope takes the place of the step."""
        return self.slope is not None

    def _of_machine(self, rows: RowsOfMachine, problem: TwoClassProblem) -> TwoClassValue:
        K, weight = problem.K, rows.machine.weight
        used = np.flatnonzero(weight > 0)
        block = K[np.ix_(used, used)]
        highest, lowest = (
            used[list(np.unravel_index(int(at), block.shape))] for at in (block.argmax(), block.argmin())
        )
        radius2 = float(block.max() - block.min())
        copies = np.maximum(weight, 1.0)
        above = self.rho * radius2 * rows.alpha / copies + rows.slack - 1.0
        error = float(rows.share @ (above >= 0.0))
        value = TwoClassValue(error, report=rows.machine.report(xi_alpha_error=error))
        if self.slope is None:
            return value
        p = expit(self.slope * above)
        value.value = float(rows.share @ p)
        if problem.needs_gradient:
            by_above = self.slope * rows.share * p * (1.0 - p)
            left, right, value.by_C = rows.through_machine(by_above, by_above * self.rho * radius2 / copies)
            by_radius2 = self.rho * float(by_above @ (rows.alpha / copies))
            unit = np.eye(len(K))[:, [highest[0], highest[1], lowest[0], lowest[1]]]
            value.W = FactoredAdjoint(
                np.column_stack([left, by_radius2 * unit[:, 0], -by_radius2 * unit[:, 2]]),
                np.column_stack([right, unit[:, 1], unit[:, 3]]),
            )
        return value


class GACV(OneTraining):
    """Generalised approximate cross-validation of the hinge loss (Wahba, Lin and Zhang 2000).

    The cost is (1/n) [Σ ξ_i + Σ_{−1 ≤ y_i f_i ≤ 1} α_i K_ii + 2 Σ_{y_i f_i < −1} α_i K_ii].

    It approximates the mean hinge loss on rows that are left out, which is at least their error: α_i K_ii is
    how far the answer on a row may fall without it, twice as much for a row far on the wrong side. The paper
    writes the machine with the penalty nλ‖f‖²: its α_i/(2nλ) is our α_i, and C = 1/(2nλ). A randomised GACV
    (Wahba 1998) replaces the sums by random traces, and Lin and others (2002) print the same formula as here.
    Paper 001, which cites Wahba's work, holds rows out instead (section 3.2). Gold and Sollich (2003) compare
    GACV with the evidence and the span.

    The cost jumps by α_i K_ii/n where a row passes y_i f_i = −1; everywhere else it has the exact gradient.

    Parameters
    ----------
    C, search_C, strategy, tol
        As in :class:`~kernelwise.criteria.machine.MachineCriterion`.

    Notes
    -----
    One machine is trained; the rest is a pass over its coefficients.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import GACV
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> [round(GACV(C=1.0).value(RBF(gamma)(scale(X)), y), 3) for gamma in (0.02, 1.0)]
    [0.226, 0.847]

    References
    ----------
    G. Wahba, Y. Lin, H. Zhang: GACV for support vector machines. In: Advances in Large Margin Classifiers,
    MIT Press, 2000. Y. Lin, G. Wahba, H. Zhang, Y. Lee: Statistical properties and adaptive tuning of support
    vector machines. Machine Learning 48, 2002.
    """

    name = "gacv"
    reference = "G. Wahba, Y. Lin and H. Zhang, GACV for SVMs, Advances in Large Margin Classifiers, 2000"

    def _of_machine(self, rows: RowsOfMachine, problem: TwoClassProblem) -> TwoClassValue:
        total = rows.machine.weight.sum()
        factor = np.where(rows.signed < -1.0, 2.0, 1.0) / total
        diagonal = problem.K.diagonal()
        loss = float(rows.share @ rows.slack)
        value = TwoClassValue(
            loss + float(factor @ (rows.alpha * diagonal)), report=rows.machine.report(hinge_loss=loss)
        )
        if problem.needs_gradient:
            left, right, value.by_C = rows.through_machine(
                rows.share, np.where(rows.alpha > 0, factor * diagonal, 0.0)
            )
            value.W = symmetric_product(left[:, None], right[:, None])
            value.W[np.diag_indices_from(value.W)] += factor * rows.alpha
        return value


class Evidence(OneTraining):
    """Log evidence of a machine per row, by Laplace's approximation (Gold and Sollich 2003).

    The machine is read as the most probable function f of a Gaussian process with covariance K, where a label
    has the likelihood exp(−C ξ)/(1 + exp(−2C)). Then the probability of all labels is about

        ln P = −½‖w‖² − C Σ ξ_i − n ln(1 + exp(−2C)) − ½ ln det(I + L K_mm),

    m being the support vectors off their bounds ("marginal" ones) and L diagonal, L_i = 2π (α_i(C − α_i)/C)².
    ξ has a kink where such a row lies: L_i is the curvature of the bell curve that has the area of the true
    peak there, 1/α_i + 1/(C − α_i).

    The score is ln P/n, so that problems of different sizes weigh the same. 1/(1 + exp(−2C)) is the largest
    factor with which the likelihoods of the two labels sum to at most one at every f; as in the papers, what
    is missing to one is not put right.

    The offset b is free in our machines. With a Gaussian prior of variance B, which is the constant B added
    to K, the machine is the same for B → ∞, and ln P has one more term, −½ ln(1 + B·s) with s = 1ᵀ(L⁻¹ +
    K_mm)⁻¹1. It has no limit, and is left out: ½ ln s of it would depend on the kernel, but is one term
    beside the n of the labels.

    The exact evidence, whose gradient Gold and Sollich estimate by hybrid Monte Carlo, is not computed.
    Papers 001, 003 and 004 cite it, the first beside its own error on a validation set (section 3.2).

    Parameters
    ----------
    C, search_C, strategy, tol
        As in :class:`~kernelwise.criteria.machine.MachineCriterion`.

    Notes
    -----
    One machine is trained, and one matrix of its free support vectors is factored. A row of weight 2 is two
    labels at one point, with one value of f.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from kernelwise.criteria import Evidence
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> [round(Evidence(C=2.0).score(RBF(gamma)(scale(X)), y), 3) for gamma in (0.02, 1.0)]
    [-0.202, -0.868]

    References
    ----------
    P. Sollich: Bayesian methods for support vector machines: evidence and predictive class probabilities.
    Machine Learning 46, 2002. C. Gold, P. Sollich: Model selection for support vector machine classification.
    Neurocomputing 55, 2003.
    """

    name = "evidence"
    reference = "C. Gold and P. Sollich, Model selection for SVM classification, Neurocomputing 55, 2003"
    sign: ClassVar[int] = -1

    def _of_machine(self, rows: RowsOfMachine, problem: TwoClassProblem) -> TwoClassValue:
        machine, K = rows.machine, problem.K
        total = float(machine.weight.sum())
        free = np.flatnonzero((rows.alpha > 0) & ~rows.is_bounded)
        alpha, bound = rows.alpha[free], rows.bound[free]
        root = np.sqrt(2.0 * np.pi) * alpha * (bound - alpha) / bound  # √L
        A = root[:, None] * K[np.ix_(free, free)] * root
        A[np.diag_indices_from(A)] += 1.0
        sign, log_det = np.linalg.slogdet(A)
        if sign <= 0:
            raise DegenerateGramError(
                "The evidence is that of a Gaussian process, but this kernel is not positive definite on the "
                "samples. Use another kernel or another criterion."
            )
        misfit = -machine.solution.objective  # ½‖w‖² + C Σ ξ, which the machine minimises
        cost = misfit + 0.5 * log_det + total * np.log1p(np.exp(-2.0 * self.C))
        report = machine.report(misfit=misfit / total, log_det=float(log_det) / total)
        value = TwoClassValue(float(cost / total), report=report)
        if problem.needs_gradient:
            inverse = np.linalg.inv(A)
            by_log_L = 0.5 * (1.0 - inverse.diagonal())
            by_alpha = np.zeros(len(K))
            by_alpha[free] = by_log_L * 2.0 * (1.0 / alpha - 1.0 / (bound - alpha))
            left, right, by_C = rows.through_machine(np.zeros(len(K)), by_alpha)
            # The misfit is optimal: its own derivatives are those at fixed α.
            W = symmetric_product((left - 0.5 * machine.beta)[:, None], right[:, None])
            W[np.ix_(free, free)] += 0.5 * root[:, None] * inverse * root
            value.W = W / total
            by_C += float(machine.weight @ rows.slack) - 2.0 * total * float(expit(-2.0 * self.C))
            by_C += float(by_log_L * 2.0 * (1.0 / (bound - alpha) - 1.0 / bound) @ machine.weight[free])
            value.by_C = by_C / total
        return value
