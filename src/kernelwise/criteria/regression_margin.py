"""The regularised margin of paper 003 (Laanaya and others 2011) for regression, the paper's future work."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kernelwise._core.validation import (
    check_gram,
    check_not_negative,
    check_positive,
    check_targets,
    check_weights,
)
from kernelwise.criteria.base import Criterion
from kernelwise.criteria.state import Evaluation, SearchState
from kernelwise.solvers.regression import solve_svr


class RegressionMargin(Criterion):
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
    sign: ClassVar[int] = 1

    def __init__(
        self,
        C: float = 1.0,
        epsilon: float = 0.1,
        rho: float = 0.1,
        K_reference: Any = None,
        tol: float = 1e-8,
    ) -> None:
        me = "RegressionMargin"
        check_positive(C, "C", me)
        check_positive(tol, "tol", me)
        check_not_negative(epsilon, "epsilon", me)
        check_not_negative(rho, "rho", me)
        self.C, self.epsilon, self.rho, self.tol = float(C), float(epsilon), float(rho), float(tol)
        self.K_reference = None if K_reference is None else check_gram(K_reference)

    def score(self, K: Any, y: Any, sample_weight: Any = None) -> float:
        return self.value_and_adjoint(K, y, sample_weight)[0]

    def value_and_adjoint(self, K: Any, y: Any, sample_weight: Any = None) -> tuple[float, np.ndarray]:
        value, W, _ = self.evaluate(K, y, sample_weight)
        assert isinstance(W, np.ndarray)
        return value, W

    def evaluate(
        self,
        K: Any,
        y: Any,
        sample_weight: Any = None,
        memory: SearchState | None = None,
        needs_gradient: bool = True,
    ) -> Evaluation:
        K = np.asarray(check_gram(K), dtype=float)
        n = K.shape[0]
        y, weight = check_targets(y, n), check_weights(sample_weight, n)
        machine = solve_svr(
            _Gram(K), np.arange(n), y, self.C, self.epsilon, sample_weight=weight, tol=self.tol
        )
        away = K - self._reference(K, memory)
        weighted = np.outer(weight, weight) * away
        distance = float(np.vdot(away, weighted))
        margin_part = -2.0 * float(machine.objective)
        if memory is not None:
            n_support = float(np.count_nonzero(machine.beta))
            memory.report = {"n_support": n_support, "margin_part": margin_part, "distance": distance}
        W = 2.0 * self.rho * weighted - np.outer(machine.beta, machine.beta) if needs_gradient else None
        return Evaluation(float(margin_part + self.rho * distance), W, np.zeros(0))

    def _reference(self, K: np.ndarray, memory: SearchState | None) -> np.ndarray:
        """K′, the same at every evaluation of a search."""
        if self.K_reference is not None:
            if self.K_reference.shape != K.shape:
                raise ValueError(
                    f"'K_reference' of RegressionMargin has {len(self.K_reference)} rows for {len(K)} "
                    "samples. Pass one row per sample, in their order."
                )
            return self.K_reference
        return K if memory is None else memory.warm.setdefault("K_reference", K)


class _Gram:
    """A Gram matrix as the kernel function that the solver takes: its samples are the numbers of rows."""

    def __init__(self, K: np.ndarray) -> None:
        self.K = K

    def __call__(self, rows: np.ndarray, columns: np.ndarray | None = None) -> np.ndarray:
        return self.K[np.ix_(rows, rows if columns is None else columns)]
