"""The regularised margin of paper 003 (Laanaya and others 2011, equation 12)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.validation import check_gram, check_number
from kernelwise.criteria.machine import MachineCriterion, TwoClassProblem, TwoClassValue
from kernelwise.criteria.state import TrainedMachine
from kernelwise.solvers.dual import solve_svm_dual


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
        K_reference: Any = None,
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
