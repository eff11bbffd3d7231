"""Platt's sigmoid: probabilities from the decision values of a two-class machine."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

from kernelwise._core.validation import check_labels, check_weights
from kernelwise._core.weights import copies_of

MAX_ITER = 100
TOL = 1e-10  # of the gradient, relative to the total weight
RIDGE = 1e-12  # keeps the Hessian invertible when all decision values are equal
SUFFICIENT = 1e-4  # share of the predicted decrease that a step must bring
SMALLEST_STEP = 1e-10
FLAT = 1e-6  # slope of probabilities that hardly depend on decision values, but have their order


def fit_platt(
    decision: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    counts: Any = None,
    is_increasing: bool = False,
    is_smoothed: bool = True,
) -> tuple[float, float]:
    """Fit p(f) = 1 / (1 + exp(A f + B)) by maximum likelihood and return A and B, A negative for a rising p.

    Newton's method with backtracking on Platt's smoothed targets, in the form that cannot overflow (Lin, Lin
    & Weng, Machine Learning 68, 2007); on the labels themselves unless ``is_smoothed``. The decision values
    are held out from training: those of training samples are too far from zero. p is the probability of the
    larger of the two labels. The weights are those of the likelihood; ``counts``, of the same shape
    (n_samples,), say how many samples each value stands for, which the smoothing goes by (None: the weights).
    They differ where classes have weights. With ``is_increasing`` larger decision values never make it less
    likely: held-out values of few samples may say the contrary by chance, and probabilities would then
    contradict the labels.
    """
    f = np.asarray(decision, dtype=float)
    if f.ndim != 1 or not np.isfinite(f).all():
        raise ValueError(f"decision must be one finite value per sample, got an array of shape {f.shape}.")
    classes, index = check_labels(y, f.size)
    if len(classes) != 2:
        raise ValueError(
            f"fit_platt needs two classes, got {len(classes)}. Fit one sigmoid for each machine."
        )
    w = check_weights(sample_weight, f.size)
    positive, negative = w[index == 1].sum(), w[index == 0].sum()
    target = (index == 1).astype(float)
    if is_smoothed:
        target = smoothed_targets(index == 1, w if counts is None else check_weights(counts, f.size))
    # Decision values of any size: Newton's steps do not depend on their unit, but the ridge does.
    unit = float(np.abs(f).max()) or 1.0
    start = np.array([0.0, np.log((negative + 1.0) / (positive + 1.0))])
    A, B = _newton(f / unit, target, w, start)
    if A > 0.0 and is_increasing:
        # The likelihood is concave: the best without a wrong direction has no slope; this is as good as none.
        share = float(w @ target / w.sum())
        return -FLAT / unit, float(np.log((1.0 - share) / share))
    return A / unit, B


def fit_platt_of(
    machines: Iterable[Any], decision: np.ndarray, bound: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """An increasing sigmoid for each column of ``decision``, that of a machine; shape (n_machines, 2).

    The likelihood has the weights ``bound``, those of samples times those of their classes. ``weight`` has
    those of the samples alone; the smoothing counts copies, so that a row of weight two is two rows, and
    weights that sum to one do not make probabilities of one half.
    """
    counts = copies_of(weight)
    return np.array(
        [
            fit_platt(column[members], signs, bound[members], counts=counts[members], is_increasing=True)
            for column, (members, signs) in zip(decision.T.astype(np.float64), machines, strict=True)
        ]
    )


def smoothed_targets(is_positive: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Platt's targets of shape (n_samples,): (n₊ + 1)/(n₊ + 2) and 1/(n₋ + 2), not quite 1 and 0."""
    positive, negative = weight[is_positive].sum(), weight[~is_positive].sum()
    return np.where(is_positive, (positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0))


def platt_probability(decision: Any, A: Any, B: Any) -> np.ndarray:
    """Probability of the positive class, 1 / (1 + exp(A f + B)), in the shape of ``decision``."""
    return expit(-(A * np.asarray(decision, dtype=float) + B))


def _newton(f: np.ndarray, target: np.ndarray, w: np.ndarray, start: np.ndarray) -> tuple[float, float]:
    """Minimise Σ w (t z + log(1 + e⁻ᶻ)) with z = A f + B over (A, B)."""
    design = np.column_stack([f, np.ones_like(f)])

    def cost(point: np.ndarray) -> float:
        z = design @ point
        return float(w @ (target * z + np.logaddexp(0.0, -z)))

    point, value = start, cost(start)
    for _ in range(MAX_ITER):
        p = expit(-(design @ point))
        gradient = design.T @ (w * (target - p))
        if np.abs(gradient).max() <= TOL * w.sum():
            return float(point[0]), float(point[1])
        hessian = (design.T * (w * p * (1.0 - p))) @ design + RIDGE * w.sum() * np.eye(2)
        step = -np.linalg.solve(hessian, gradient)
        length, slope = 1.0, float(gradient @ step)
        # Near the minimum the decrease is lost in the rounding of the cost, and the whole step is right.
        while (new := cost(point + length * step)) > value + SUFFICIENT * length * slope + 1e-14 * abs(value):
            length /= 2.0
            if length < SMALLEST_STEP:
                break
        point, value = point + length * step, new
    warnings.warn(
        f"Platt's sigmoid was not found to full precision in {MAX_ITER} Newton steps: "
        "probabilities may be off. Scale the features, or lower C.",
        ConvergenceWarning,
        stacklevel=3,
    )
    return float(point[0]), float(point[1])
