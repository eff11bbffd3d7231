"""Criteria of all two-class problems, for many kernel widths at once, from histograms of distances."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.validation import check_choice
from kernelwise.criteria import Criterion, SumsCriterion, as_criterion
from kernelwise.criteria.separability import PairCriterion
from kernelwise.criteria.sums import PARTITIONS, ClassSums, weighted_partition
from kernelwise.exceptions import IncompatibleError
from kernelwise.multiclass import two_class_problems
from kernelwise.sketch.laplace import PairHistograms


def check_gammas(gammas: ArrayLike) -> np.ndarray:
    """Positive, finite values of γ as an array of shape (n_gammas,)."""
    try:
        gammas = np.atleast_1d(np.asarray(gammas, dtype=float))
    except (TypeError, ValueError) as error:
        raise ValueError(f"gammas must be a list of positive numbers, got {gammas!r}.") from error
    if gammas.ndim != 1 or not len(gammas):
        raise ValueError(f"gammas must be a list of numbers, got an array of shape {gammas.shape}.")
    if not (np.isfinite(gammas) & (gammas > 0)).all():
        bad = gammas[~(np.isfinite(gammas) & (gammas > 0))][0]
        raise ValueError(f"gammas must be positive and finite, got {bad}.")
    return gammas


def check_sums_criterion(criterion: Criterion | str, strategy: str | None) -> SumsCriterion:
    """The criterion with that strategy (its own for None); it must be a function of sums over class pairs."""
    criterion = as_criterion(criterion)
    if not isinstance(criterion, SumsCriterion) or criterion.needs_rows:
        raise IncompatibleError(
            f"A distance sketch has only sums over pairs of classes, but {criterion!r} needs more than "
            "these. Use 'dbtc', 'esdr', 'j4', 'polarization' or 'kta'."
        )
    if strategy is not None:
        check_choice(strategy, "strategy", "DistanceSketch", PARTITIONS)
        criterion = copy.copy(criterion)
        criterion.strategy = strategy
    return criterion


def problems_of(criterion: SumsCriterion, n: np.ndarray) -> list[np.ndarray]:
    """The criterion's two-class problems as ``groups`` for merging, its class weights included."""
    return weighted_partition(n, criterion.strategy, criterion.class_weight)


def pairs_of(histograms: PairHistograms, criterion: SumsCriterion) -> PairHistograms:
    """The pairs that a criterion is about: all, or those of different rows without the closest."""
    if isinstance(criterion, PairCriterion) and criterion.unbiased:
        return histograms.distinct(criterion.trim)
    return histograms


def names_of_problems(strategy: str, classes: np.ndarray) -> tuple[Any, ...]:
    """Name every problem of a strategy: the class of a one-vs-rest problem, the classes of any other."""
    names = classes.tolist()
    if strategy == "pooled":
        return (tuple(names),)
    problems = two_class_problems(len(names), strategy)
    return tuple(names[a] if b is None else (names[a], names[b]) for a, b in problems)


def scores(histograms: PairHistograms, criterion: SumsCriterion, gammas: np.ndarray) -> np.ndarray:
    """The criterion of every problem and every γ, shape (n_problems, n_gammas)."""
    sums = pairs_of(histograms, criterion).class_sums(
        gammas, minus_one=criterion.is_shift_invariant, squares=criterion.needs_squares
    )
    return np.stack(
        [criterion.formula(sums.merge(groups))[0] for groups in problems_of(criterion, histograms.n)]
    )


def sums_and_slopes(
    histograms: PairHistograms, criterion: SumsCriterion, gammas: np.ndarray
) -> tuple[ClassSums, ClassSums]:
    """Class sums for every γ, and their derivatives by log γ."""
    squares = criterion.needs_squares
    sums = histograms.class_sums(gammas, minus_one=criterion.is_shift_invariant, squares=squares)
    S = gammas[:, None, None] * histograms.sums(gammas, 1)
    S2 = 2.0 * gammas[:, None, None] * histograms.sums(2.0 * gammas, 1) if squares else None
    return sums, ClassSums(histograms.n, np.zeros_like(sums.t), S, S2)


def scores_and_slopes(
    criterion: SumsCriterion, sums: ClassSums, slopes: ClassSums
) -> tuple[np.ndarray, np.ndarray]:
    """The criterion of one problem for every γ, and its derivative by log γ."""
    score, d = criterion.formula(sums)
    slope = (d.S * slopes.S).sum(axis=(-2, -1))
    if d.S2 is not None and slopes.S2 is not None:
        slope = slope + (d.S2 * slopes.S2).sum(axis=(-2, -1))
    return score, slope


def jackknife(
    statistic: Callable[[PairHistograms], np.ndarray], without_one: list[PairHistograms]
) -> np.ndarray:
    """Standard error of a statistic from its values without one of the independent draws each."""
    values = np.stack([statistic(histograms) for histograms in without_one])
    return np.asarray(np.sqrt((len(values) - 1) * values.var(axis=0)))
