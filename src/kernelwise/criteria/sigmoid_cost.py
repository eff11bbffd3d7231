"""The cost of held-out decision values: Platt's sigmoid is fitted to them, and errors are counted by it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernelwise.solvers.platt import fit_platt, platt_probability, smoothed_targets

#: Losses that the sigmoid itself minimises.
LIKELIHOODS = ("likelihood", "plain-likelihood")
#: What can be a cost of held-out decision values.
LOSSES = ("error", *LIKELIHOODS)


class SigmoidCost(NamedTuple):
    """Cost of n decision values."""

    value: float
    by_decision: np.ndarray  # ∂value/∂f, shape (n,)
    error: float  # share of the values on the wrong side of zero
    A: float  # of the sigmoid p = 1/(1 + exp(A f + B))
    B: float
    standard_error: float  # of the value, a mean over samples: √Σ shareᵢ² (costᵢ − value)²


def sigmoid_cost(
    decision: np.ndarray, signs: np.ndarray, weight: np.ndarray, loss: str, *, moves_sigmoid: bool = True
) -> SigmoidCost:
    """Mean probability of error, or mean negative log-likelihood, of held-out decision values of shape (n,).

    The loss "error" is the probability p of the positive class where the label is negative, 1 − p where it is
    positive (paper 001, Ayat and others 2002, before equation 7), and "likelihood"
    −t log p − (1 − t) log(1 − p) with Platt's smoothed targets t; "plain-likelihood" is the same with the
    labels for targets and no sigmoid that falls. ``moves_sigmoid`` says whether the derivative follows A and
    B, which depend on the values; paper 001 keeps them (equation 10). It makes no difference to the
    likelihoods, which they minimise.
    """
    share = weight / weight.sum()
    A, B, target = _fit(decision, signs, weight, loss)
    p = platt_probability(decision, A, B)
    error = float(share @ (np.where(decision >= 0, 1.0, -1.0) != signs))
    if loss in LIKELIHOODS:
        z = A * decision + B
        costs = target * z + np.logaddexp(0.0, -z)
        by_decision = A * share * (target - p)
    else:
        costs = np.where(signs > 0, 1.0 - p, p)
        by_decision = A * (share * signs * p * (1.0 - p))  # equations 9 and 10, with z = A f + B
        if moves_sigmoid:
            by_decision -= _through_sigmoid(decision, signs, share, p, target, A)
    value = float(share @ costs)
    return SigmoidCost(value, by_decision, error, A, B, float(np.linalg.norm(share * (costs - value))))


def _fit(
    decision: np.ndarray, signs: np.ndarray, weight: np.ndarray, loss: str
) -> tuple[float, float, np.ndarray]:
    """A and B of the sigmoid, and its targets of shape (n,)."""
    is_positive = signs > 0
    if loss != "plain-likelihood":
        return *fit_platt(decision, signs, weight), smoothed_targets(is_positive, weight)
    A, B = fit_platt(decision, signs, weight, doubt=0.0)
    if A > 0.0:  # the best that does not fall is constant
        A, B = 0.0, float(np.log(weight[~is_positive].sum() / weight[is_positive].sum()))
    return A, B, is_positive.astype(float)


def _through_sigmoid(
    f: np.ndarray, signs: np.ndarray, share: np.ndarray, p: np.ndarray, target: np.ndarray, A: float
) -> np.ndarray:
    """What the change of A and B takes off the derivative of the mean probability of error.

    A and B solve Dᵀ share∘(t − p) = 0 with D = [f, 1]. With ω = share∘p∘(1 − p) the Jacobian of this by
    (A, B) is Dᵀ diag(ω) D, and the derivative of the cost by (A, B) is Dᵀ(ω∘y): the 2 × 2 system to solve
    is that of a weighted regression of y on f, which has an answer even if all f are equal.
    """
    omega = share * p * (1.0 - p)
    root = np.sqrt(omega)
    slope, level = np.linalg.lstsq(np.column_stack([root * f, root]), root * signs, rcond=None)[0]
    return slope * share * (target - p) + A * omega * (slope * f + level)
