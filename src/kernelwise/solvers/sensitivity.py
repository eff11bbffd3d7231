"""How a trained machine moves with its Gram matrix and with C: one linear system for any smooth value.

The coefficients c of the free support vectors F and the offset b solve (paper 001, Ayat and others 2002,
section 3.2, signed c_i = y_i α_i)

    K_FF c_F + K_FB c_B + b·1 = y_F,    1ᵀc_F + 1ᵀc_B = 0,

while the bounded ones B stay on their bounds, c_B = C·(y w)_B. Differentiating and solving the transposed
system once gives the change of any value of c and b, by all kernel parameters and by C. All support vectors
of the 2-norm machine are free, and K has 1/(C w) more on its diagonal.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from scipy.linalg.lapack import dsycon, dsysv, dsysv_lwork

from kernelwise.exceptions import RidgeWarning
from kernelwise.solvers.dual import SVMSolution, ridge_and_bound

# Tried in turn, relative to the mean diagonal of K_FF, until the system's condition is better than WORST.
RIDGES = (0.0, 1e-10, 1e-8, 1e-6)
WORST = 1e-14
NEGLIGIBLE = 1e-100  # products of such numbers are denormal, and a hundred times slower to handle


class Sensitivity(NamedTuple):
    """The change of a value through the machine, by C too, and the relative ridge on K_FF that it took.

    ``multipliers`` are λ, of shape (n_samples,), zero outside the rows that the system is about. For a change
    dK of the Gram matrix the value changes by −λᵀ dK c through the machine, so its adjoint is the rank-one
    matrix −λ cᵀ.
    """

    multipliers: np.ndarray
    by_C: float
    ridge: float


def dual_sensitivity(
    K: np.ndarray,
    signs: np.ndarray,
    bound_weight: np.ndarray,
    C: float,
    solution: SVMSolution,
    by_coefficients: np.ndarray,
    by_offset: float,
    *,
    treat_as_free: bool = False,
    loss: str = "hinge",
) -> Sensitivity:
    """Derivative of a value of a trained machine through its coefficients and its offset.

    With v = ∂value/∂c at fixed K and v_b = ∂value/∂b, solves

        [[K_FF, 1], [1ᵀ, 0]] [λ_F; λ_b] = [v_F; v_b]

    and returns λ and ∂value/∂C = v_Bᵀ(y w)_B − λ_Fᵀ K_FB (y w)_B − λ_b Σ(y w)_B.

    Without a free support vector the coefficients do not depend on K, and the offset is, as the solver
    defines it, the mean of f = y − Kc over the two samples i and j that bound it: λ_i = λ_j = v_b/2. A
    support vector is free if it is off its bound C·w_i, on which the solver puts the others exactly; w_i is
    zero for a sample that was not trained on.

    ``treat_as_free`` is the approximation of paper 001 (eq. 12): every support vector counts as free, and C
    as in the paper's reference [13], as 1/C on the diagonal of K: ∂value/∂C = λᵀc/C².

    ``loss="squared_hinge"`` is for the 2-norm machine, K without its ridge D = diag(1/(C w)): K_FF + D_F is
    in the system, and ∂value/∂C = λᵀDc/C, which is exact here.
    """
    beta = solution.beta
    bound = C * bound_weight
    is_squared = loss == "squared_hinge"
    D = ridge_and_bound(bound)[0] if is_squared else np.zeros(len(beta))
    is_bounded = (np.abs(beta) == bound) & (bound > 0) & (not is_squared)
    is_free = (beta != 0) if treat_as_free else (beta != 0) & ~is_bounded
    free = np.flatnonzero(is_free)
    multipliers = np.zeros(len(beta))
    by_balance, ridge = 0.0, 0.0
    if free.size:
        multipliers[free], by_balance, ridge = _solve(K, D, free, by_coefficients[free], by_offset)
    else:
        for row in _bounding_rows(solution, signs, bound):
            multipliers[row] += 0.5 * by_offset
    if is_squared:
        return Sensitivity(multipliers, float(multipliers @ (D * beta)) / C, ridge)
    if treat_as_free:
        return Sensitivity(multipliers, float(multipliers @ beta) / C**2, ridge)
    bounded, rows = np.flatnonzero(is_bounded), np.flatnonzero(multipliers)
    change = signs[bounded] * bound_weight[bounded]
    through = multipliers[rows] @ (K[np.ix_(rows, bounded)] @ change)
    by_C = by_coefficients[bounded] @ change - through - by_balance * change.sum()
    return Sensitivity(multipliers, float(by_C), ridge)


def symmetric_product(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """(L Rᵀ + R Lᵀ)/2 for L and R of shape (n, r): the symmetric form of a sum of r rank-one adjoints."""
    product = (0.5 * left) @ right.T
    product += product.T
    return product


def _bounding_rows(solution: SVMSolution, signs: np.ndarray, bound: np.ndarray) -> tuple[int, int]:
    """The samples with the largest f of those that may rise and the smallest f of those that may fall."""
    lo, hi = np.where(signs < 0, -bound, 0.0), np.where(signs > 0, bound, 0.0)
    up = np.where(solution.beta < hi, solution.gradient, -np.inf)
    low = np.where(solution.beta > lo, solution.gradient, np.inf)
    return int(up.argmax()), int(low.argmin())


def _solve(
    K: np.ndarray, D: np.ndarray, free: np.ndarray, by_coefficients: np.ndarray, by_offset: float
) -> tuple[np.ndarray, float, float]:
    """λ_F, λ_b and the ridge that it took, relative to the mean diagonal."""
    m = free.size
    system = np.empty((m + 1, m + 1), order="F")
    system[:m, :m] = K[np.ix_(free, free)]
    system[np.abs(system) < NEGLIGIBLE] = 0.0
    diagonal = system.diagonal()[:m] + D[free]
    # The border is of the size of K, so that the condition does not depend on the kernel's scale.
    unit = float(np.abs(diagonal).mean()) or 1.0
    system[m, :m] = system[:m, m] = unit
    system[m, m] = 0.0
    rhs = np.append(by_coefficients, unit * by_offset)[:, None]
    norm = np.abs(system).sum(axis=0).max()
    lwork = int(dsysv_lwork(m + 1, lower=1)[0])
    for ridge in RIDGES:
        system[np.arange(m), np.arange(m)] = diagonal + ridge * unit
        factor, pivots, x, info = dsysv(system, rhs, lwork=lwork, lower=1)
        condition = dsycon(factor, pivots, norm, lower=1)[0] if info == 0 else 0.0
        if condition >= WORST:
            break
    if ridge > 0:
        warnings.warn(
            f"The kernel matrix of the {m} free support vectors is singular: {ridge:.0e} of its mean "
            "diagonal was added to it for the gradient. Look for repeated samples, or narrow the kernel.",
            RidgeWarning,
            stacklevel=4,
        )
    return x[:m, 0], unit * float(x[m, 0]), ridge
