"""The regularised margin of paper 003 (Laanaya and others 2011, equation 12), of classes and of numbers."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.validation import (
    check_gram,
    check_not_negative,
    check_number,
    check_positive,
    check_targets,
    check_weights,
)
from kernelwise.criteria.base import EvaluatedCriterion, Evaluation, Point, SearchState, TrainedMachine
from kernelwise.criteria.machine import MachineCriterion, TwoClassProblem, TwoClassValue
from kernelwise.solvers.dual import solve_svm_dual
from kernelwise.solvers.regression import solve_svr


class RegularizedMargin(MachineCriterion):
    """Regularised margin: a large margin, and a kernel that stays near a reference K′.

    The criterion is w = max_α 2αᵀe − αᵀYKYα + ρ‖K − K′‖²_F over 0 ≤ α ≤ C, αᵀy = 0.

    The machine is trained anew at every point, so the derivative is exact: by the envelope theorem it is
    −(αy)(αy)ᵀ + 2ρ(K − K′), with α held fixed (equation 21). C is not searched: w only grows with it.
    Neither part is convex in the kernel's parameters, as the paper says they are: −αᵀYKYα is concave where
    labels are equal, and the distance is concave where K is below half of K′.

    Parameters
    ----------
    C : float, default=1.0
    rho : float, default=0.1
        Weight of the distance to K′; 0 leaves the margin alone. That does not drive a kernel to no width: on
        separated classes w is lowest at a width inside the range.
    K_reference : array of shape (n_samples, n_samples), default=None
        K′, which may be indefinite. None is the first Gram matrix that a search evaluates, the paper's
        K′ = K_{Q₀}; without the memory of a search it is K itself, so that the distance is zero.
    strategy : {"ovo", "ovr"}, default="ovo"
        The two-class problems of more than two classes; each has its block of K′.
    tol : float, default=1e-8
        Stopping rule of the machines; gradients are as exact as the machines are.
    retrain : bool, default=True
        False holds α fixed: it is trained on the first Gram matrix that a search evaluates, and from there on
        the value is 2αᵀe − αᵀYKYα + ρ‖K − K′‖² with this α, a lower bound of w that touches w at the start.
        This is the inner loop of the paper's algorithm 1. A value outside a search is w itself.

    Notes
    -----
    The norm is the paper's: a plain sum of n² terms, and w_i w_j of each where samples have weights, while
    the margin's part is at most 2C·n. The same balance at another n is ρ in proportion to C/n. The paper does
    not print its ρ; 0.01 to 0.1 served at n = 100 and C from 1 to 1000.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import RegularizedMargin
    >>> K, y = np.array([[2.0, 0.0], [0.0, 2.0]]).repeat(2, axis=0).repeat(2, axis=1), [0, 0, 1, 1]

    The margin's part alone, and with a reference that is far away:

    >>> round(RegularizedMargin(C=10.0).score(K, y), 4)
    1.0
    >>> round(RegularizedMargin(C=10.0, rho=0.5, K_reference=np.zeros((4, 4))).score(K, y), 4)
    17.0

    References
    ----------
    Laanaya, Abdallah, Snoussi, Richard: Learning general Gaussian kernel hyperparameters of SVMs using
    optimization on symmetric positive-definite matrices manifold. Pattern Recognition Letters 32 (2011).
    """

    name = "regularized-margin"
    reference = "H. Laanaya and others, Pattern Recognition Letters 32(13), 2011"

    def __init__(
        self,
        C: float = 1.0,
        rho: float = 0.1,
        K_reference: ArrayLike | None = None,
        strategy: str = "ovo",
        tol: float = 1e-8,
        retrain: bool = True,
    ) -> None:
        super().__init__(C, search_C=False, strategy=strategy, tol=tol)
        check_number(rho, "rho", "RegularizedMargin")
        if rho < 0:
            raise ValueError(f"'rho' of RegularizedMargin must not be negative, got {rho!r}.")
        self.rho = float(rho)
        self.K_reference = None if K_reference is None else check_gram(K_reference)
        self.retrain = retrain

    def _two_class(self, problem: TwoClassProblem) -> TwoClassValue:
        K, w = problem.K, problem.weight
        beta, intercept, margin_part = self._machine(problem)
        rows = np.flatnonzero(beta)
        away = K - self._reference(problem)
        weighted = away if (w == 1.0).all() else away * w[:, None] * w
        distance = float(np.vdot(away, weighted))
        W = None
        if problem.needs_gradient:
            W = np.multiply(weighted, 2.0 * self.rho, out=weighted)
            W -= np.outer(beta, beta)
        return TwoClassValue(
            margin_part + self.rho * distance,
            W,
            report={"n_support": float(len(rows)), "margin_part": margin_part, "distance": distance},
            machine=TrainedMachine(rows, beta[rows], intercept),
        )

    def _machine(self, problem: TwoClassProblem) -> tuple[np.ndarray, float, float]:
        """β = αy, the intercept, and 2αᵀe − αᵀYKYα; of the first point of the search without ``retrain``."""
        K, signs, warm = problem.K, problem.signs, problem.warm
        if "beta" not in warm or self.retrain:
            how: dict[str, Any] = {"sample_weight": problem.weight, "warm_start": warm.get("beta")}
            machine = solve_svm_dual(K, signs, self.C, tol=self.tol, check=False, **how)
            warm["beta"], warm["intercept"] = machine.beta, machine.intercept
            return machine.beta, machine.intercept, -2.0 * machine.objective
        beta = warm["beta"]
        return beta, warm["intercept"], float(2.0 * signs @ beta - beta @ K @ beta)

    def _reference(self, problem: TwoClassProblem) -> np.ndarray:
        """The block of K′ that belongs to the problem, the same at every evaluation of a search."""
        given, members = self.K_reference, problem.members
        if given is not None and members.max() >= len(given):
            raise ValueError(
                f"'K_reference' of RegularizedMargin has {len(given)} rows, too few "
                "for the samples. Pass one row per sample, in their order."
            )
        if "K_reference" not in problem.warm:
            problem.warm["K_reference"] = problem.K if given is None else given[np.ix_(members, members)]
        return problem.warm["K_reference"]


class RegressionMargin(EvaluatedCriterion):
    """Regularised margin for regression: a flat function, and a kernel that stays near a reference K′.

    The criterion is w = max_β 2yᵀβ − 2ε‖β‖₁ − βᵀKβ + ρ‖K − K′‖²_F over −C ≤ β_i ≤ C, Σβ = 0.

    The maximum is twice the least value of ½‖w‖² + C Σ ``max(0, |y − f| − ε)``, the primal of support vector
    regression: a flat function that misses little. By the envelope theorem the derivative is
    −ββᵀ + 2ρ(K − K′), as it is for classes (equation 21 of paper 003 with β for αy). C and ε are not
    searched: w only grows with C and falls with ε.

    Parameters
    ----------
    C : float, default=1.0
    epsilon : float, default=0.1
        Errors up to ε cost nothing. In the units of y, as C is in those of 1/y: standardise y first.
    rho : float, default=0.1
        Weight of the distance to K′.
    K_reference : array of shape (n_samples, n_samples), default=None
        K′. None is the first Gram matrix that a search evaluates; outside a search it is K itself.
    tol : float, default=1e-8
        Stopping rule of the machine; gradients are as exact as the machine is.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import RegressionMargin
    >>> from kernelwise.kernels import RBF
    >>> X = np.linspace(0.0, 10.0, 50)[:, None]
    >>> y = np.sin(X.ravel())

    Which of three widths takes the flattest function to follow a sine?

    >>> [round(RegressionMargin(C=10.0).score(RBF(gamma)(X), y), 1) for gamma in (0.01, 0.3, 100.0)]
    [434.6, 3.4, 16.2]
    """

    name = "regression-margin"
    reference = "H. Laanaya and others, Pattern Recognition Letters 32(13), 2011, section 4 (future work)"
    is_regression: ClassVar[bool] = True

    def __init__(
        self,
        C: float = 1.0,
        epsilon: float = 0.1,
        rho: float = 0.1,
        K_reference: ArrayLike | None = None,
        tol: float = 1e-8,
    ) -> None:
        me = "RegressionMargin"
        check_positive(C, "C", me)
        check_positive(tol, "tol", me)
        check_not_negative(epsilon, "epsilon", me)
        check_not_negative(rho, "rho", me)
        self.C, self.epsilon, self.rho, self.tol = float(C), float(epsilon), float(rho), float(tol)
        self.K_reference = None if K_reference is None else check_gram(K_reference)

    def _evaluate(self, point: Point) -> Evaluation:
        gram = np.asarray(check_gram(point.K), dtype=float)
        n = len(gram)
        targets, weight = check_targets(point.y, n), check_weights(point.sample_weight, n)
        machine = solve_svr(
            _Gram(gram), np.arange(n), targets, self.C, self.epsilon, sample_weight=weight, tol=self.tol
        )
        away = gram - self._reference(gram, point.memory)
        weighted = np.outer(weight, weight) * away
        distance = float(np.vdot(away, weighted))
        margin_part = -2.0 * float(machine.objective)
        n_support = float(np.count_nonzero(machine.beta))
        point.memory.report = {"n_support": n_support, "margin_part": margin_part, "distance": distance}
        W = 2.0 * self.rho * weighted - np.outer(machine.beta, machine.beta) if point.needs_gradient else None
        return Evaluation(float(margin_part + self.rho * distance), W, np.zeros(0))

    def _reference(self, K: np.ndarray, memory: SearchState) -> np.ndarray:
        """K′, the same at every evaluation of a search."""
        if self.K_reference is not None:
            if self.K_reference.shape != K.shape:
                raise ValueError(
                    f"'K_reference' of RegressionMargin has {len(self.K_reference)} rows for {len(K)} "
                    "samples. Pass one row per sample, in their order."
                )
            return self.K_reference
        return memory.warm.setdefault("K_reference", K)


class _Gram:
    """A Gram matrix as the kernel function that the solver takes: its samples are the numbers of rows."""

    def __init__(self, K: np.ndarray) -> None:
        self.K = K

    def __call__(self, rows: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        return self.K[np.ix_(rows, rows if columns is None else columns)]
