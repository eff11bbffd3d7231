"""Platt's sigmoid: probabilities from the decision values of a two-class machine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from kernelwise._core.validation import check_labels, check_weights
from kernelwise._core.weights import copies_of
from kernelwise.solvers.sigmoids import Sigmoids, increasing_sigmoids, solve_sigmoids


def fit_platt(
    decision: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    is_increasing: bool = False,
    doubt: float = 1.0,
) -> tuple[float, float]:
    """Fit p(f) = 1 / (1 + exp(A f + B)) by maximum likelihood and return A and B, A negative for a rising p.

    Newton's method with backtracking on Platt's smoothed targets, in the form that cannot overflow
    (Lin, Lin & Weng, Machine Learning 68, 2007). The decision values are held out from training: those of
    training samples are too far from zero. p is the probability of the larger of the two labels. The weights
    are those of the likelihood; ``counts``, of the same shape (n_samples,), say how many samples each value
    stands for, which the smoothing goes by (None: the weights). They differ where classes have weights. With
    ``is_increasing`` larger decision values never make it less likely: held-out values of few samples may say
    the contrary by chance, and probabilities would then contradict the labels. ``doubt`` is how many rows the
    targets are smoothed by (see `doubt_of`); zero leaves the labels themselves.
    """
    f = np.asarray(decision, dtype=float)
    if f.ndim != 1 or not np.isfinite(f).all():
        raise ValueError(f"decision must be one finite value per sample, got an array of shape {f.shape}.")
    classes, index = check_labels(y, f.size)
    if len(classes) != 2:
        raise ValueError(
            f"fit_platt needs two classes, got {len(classes)}. Fit one sigmoid for each two-class model."
        )
    w = check_weights(sample_weight, f.size)
    positive, negative = w[index == 1].sum(), w[index == 0].sum()
    target = smoothed_targets(index == 1, w if counts is None else check_weights(counts, f.size), doubt)
    start = np.array([[0.0, np.log((negative + 1.0) / (positive + 1.0))]])
    A, B = solve_sigmoids(f[None], target[None], w[None], start, is_increasing)[0]
    return float(A), float(B)


def fit_platt_along(
    decision: np.ndarray, is_positive: np.ndarray, bound: np.ndarray, counts: np.ndarray, doubt: float = 1.0
) -> np.ndarray:
    """Increasing sigmoids of one machine for many values of C and many weightings of its samples.

    Parameters
    ----------
    decision : ndarray of shape (n_Cs, n_samples)
    is_positive : ndarray of shape (n_samples,), bool
    bound, counts : ndarray of shape (n_parts, n_samples)
        As the weights and the counts of `fit_platt`; samples of weight zero do not count. A part without one
        of the classes has a sigmoid that hardly rises.
    doubt : float, default=1.0
        As in `fit_platt`.

    Returns
    -------
    sigmoids : ndarray of shape (n_Cs, n_parts, 2)
    """
    (found,) = increasing_sigmoids([sigmoids_along(decision, is_positive, bound, counts, doubt)])
    return found.reshape(len(decision), len(bound), 2)


def sigmoids_along(
    decision: np.ndarray, is_positive: np.ndarray, bound: np.ndarray, counts: np.ndarray, doubt: float = 1.0
) -> Sigmoids:
    """The problems of `fit_platt_along`, part by part for every C."""
    shape = (len(decision), *bound.shape)
    targets = np.stack([smoothed_targets(is_positive, part, doubt) for part in counts])
    positive, negative = bound[:, is_positive].sum(axis=1), bound[:, ~is_positive].sum(axis=1)
    start = np.column_stack([np.zeros(len(bound)), np.log((negative + 1.0) / (positive + 1.0))])
    seen = np.where(bound > 0.0, decision[:, None].astype(float), 0.0)
    arrays = (seen, targets[None], bound[None])
    f, target, w = (np.broadcast_to(part, shape).reshape(-1, shape[2]) for part in arrays)
    return Sigmoids(f, target, w, np.tile(start, (len(decision), 1)))


def doubt_of(n_classes: int, strategy: str) -> float:
    """How much Platt's targets are smoothed: by one row, which the pairs of a class share.

    A class of k is coupled from k − 1 pairs, and what each of them doubts adds up: ten classes of thirty rows
    would have no probability above 0.75 if every pair doubted as much as a machine of two classes. Machines
    of two classes, and of each class and the rest, have Platt's own targets.
    """
    return 1.0 / (n_classes - 1.0) if strategy == "ovo" and n_classes > 2 else 1.0


def fit_platt_of(
    machines: Iterable[Any], decision: np.ndarray, bound: np.ndarray, weight: np.ndarray, doubt: float = 1.0
) -> np.ndarray:
    """An increasing sigmoid for each column of ``decision``, that of a machine; shape (n_machines, 2).

    The likelihood has the weights ``bound``, those of samples times those of their classes. ``weight`` has
    those of the samples alone; the smoothing counts copies, so that a row of weight two is two rows, and
    weights that sum to one do not make probabilities of one half. ``doubt`` is that of `doubt_of`.
    """
    counts, columns = copies_of(weight), decision.T.astype(np.float64)
    if not np.isfinite(columns).all():
        raise ValueError("Sigmoids can only be fitted to finite decision values.")
    return np.concatenate(
        increasing_sigmoids(
            sigmoids_along(
                column[None, members], signs > 0, bound[None, members], counts[None, members], doubt
            )
            for column, (members, signs) in zip(columns, machines, strict=True)
        )
    )


def smoothed_targets(is_positive: np.ndarray, weight: np.ndarray, doubt: float = 1.0) -> np.ndarray:
    """Targets of shape (n_samples,): (n₊ + s)/(n₊ + 2s) and s/(n₋ + 2s), not quite 1 and 0.

    ``doubt`` is s; Platt's own targets have s = 1.
    """
    positive, negative = weight[is_positive].sum(), weight[~is_positive].sum()
    high, low = (positive + doubt) / (positive + 2.0 * doubt), doubt / (negative + 2.0 * doubt)
    return np.where(is_positive, high, low)


def platt_probability(decision: ArrayLike, A: float | np.ndarray, B: float | np.ndarray) -> np.ndarray:
    """Probability of the positive class, 1 / (1 + exp(A f + B)), in the shape of ``decision``."""
    return expit(-(A * np.asarray(decision, dtype=float) + B))
