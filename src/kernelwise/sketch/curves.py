"""Criteria of all two-class problems over the widths of a kernel, from histograms of distances.

They are computed for many widths at once; the highest point of a criterion is found from its values and its
slope.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import stdtrit

from kernelwise._core.validation import check_choice
from kernelwise.criteria import Criterion, SumsCriterion, as_criterion
from kernelwise.criteria.separability import PairCriterion
from kernelwise.criteria.sums import PARTITIONS, ClassSums, weighted_partition
from kernelwise.exceptions import BoundaryWarning, DegenerateGramError, IncompatibleError
from kernelwise.multiclass import two_class_problems
from kernelwise.sketch.histograms import PairHistograms


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


#: The default range of γ times the median squared distance; it goes on until even the closest hundredth of
#: all pairs are no longer similar.
LOWEST, HIGHEST = 2.0**-20, 2.0**16
CLOSE, VANISHED = 0.01, 2.0**6
ALL_EQUAL = "All samples coincide: every distance is zero, so no kernel width can separate them. Check X."

PER_OCTAVE = 4
# A curve that changes by less than this share of its range over the last octave has levelled out.
LEVEL = 1e-5
# Slopes and differences below this share of the largest value are rounding, and so is a curve far below 1:
# the sums that it is made of are averages of kernel values, and cancel.
ROUNDING = 1e-13
SMALL = 0.01

# Log γ, value and kind ("interior peak", "plateau", "boundary") of a maximum.
Maximum = tuple[float, float, str]


@dataclass(frozen=True)
class SketchMaximum:
    """The best kernel width of every two-class problem.

    Attributes
    ----------
    gammas : ndarray of shape (n_problems,)
        Where each problem has its global maximum over ``bounds``; on a plateau, the first point from which
        the curve stays within 1e-5 of its range of its limit.
    values : ndarray of shape (n_problems,)
        The criterion there.
    gammas_std, values_std : ndarray of shape (n_problems,)
        Standard errors: of the sampling of rows or of blocks (see :meth:`DistanceSketch.curve`), or zero.
    stop_reasons : tuple of {"interior peak", "plateau", "boundary"}
    problems : tuple
        The class of a one-vs-rest problem, the two classes of a one-vs-one problem, or all classes.
    criterion, strategy : str
    bounds : tuple of float
    n_draws : int
        Groups of rows, or draws of blocks, that the standard errors are from; zero if there are none.
    """

    gammas: np.ndarray
    values: np.ndarray
    gammas_std: np.ndarray
    values_std: np.ndarray
    stop_reasons: tuple[str, ...]
    problems: tuple[Any, ...]
    criterion: str
    strategy: str
    bounds: tuple[float, float]
    n_draws: int = 0

    def interval(self, confidence: float = 0.95) -> np.ndarray:
        """Confidence intervals of the peaks, shape (n_problems, 2): where that of other rows might be.

        γ·exp(±t s) with the standard error s of log γ and Student's quantile t for ``n_draws`` − 1 degrees of
        freedom. NaN for a problem without a peak inside the range.

        Parameters
        ----------
        confidence : float, default=0.95

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from kernelwise import DistanceSketch
        >>> X, y = load_iris(return_X_y=True)
        >>> best = DistanceSketch.from_data(X, y == 1, n_groups=20).maximize("dbtc")
        >>> best.gammas.round(3), best.interval().round(3)
        (array([0.425]), array([[0.362, 0.499]]))
        """
        if not 0.0 < confidence < 1.0:
            raise ValueError(f"confidence must be between 0 and 1, got {confidence!r}.")
        if self.n_draws < 2:
            raise ValueError(
                "This maximum has no standard errors. Make the sketch with "
                "DistanceSketch.from_data(X, y, n_groups=20)."
            )
        half = stdtrit(self.n_draws - 1, 0.5 + confidence / 2.0) * self.gammas_std / self.gammas
        is_peak = np.array([reason == "interior peak" for reason in self.stop_reasons])
        half = np.where(is_peak, half, np.nan)
        return np.asarray(self.gammas[:, None] * np.exp(np.stack([-half, half], axis=1)))

    @property
    def gamma(self) -> float:
        """The average of ``gammas`` (paper 000, Abe 2007)."""
        return float(self.gammas.mean())

    @property
    def value(self) -> float:
        """The average of ``values``."""
        return float(self.values.mean())

    @property
    def stop_reason(self) -> str:
        """That of all problems, or the worst: "boundary", then "plateau"."""
        return max(self.stop_reasons, key=("interior peak", "plateau", "boundary").index)

    def warn_without_peak(self) -> None:
        """Warn if a problem has no peak inside the range."""
        reasons = zip(self.problems, self.stop_reasons, strict=True)
        without = [f"{problem!r} ({reason})" for problem, reason in reasons if reason != "interior peak"]
        if without:
            low, high = self.bounds
            shown = ", ".join(without[:5]) + (", …" if len(without) > 5 else "")
            warnings.warn(
                f"{self.criterion} has no peak inside the range {low:.3g} … {high:.3g} of gamma for "
                f"{len(without)} of {len(self.problems)} problems: {shown}. Choose the width there by "
                "cross-validation or by another criterion.",
                BoundaryWarning,
                stacklevel=3,
            )


def global_maxima(
    histograms: PairHistograms, criterion: SumsCriterion, bounds: tuple[float, float]
) -> tuple[np.ndarray, np.ndarray, tuple[str, ...]]:
    """γ, value and kind of the global maximum over the range for every two-class problem of the criterion."""
    grid = _log_grid(*bounds)
    histograms = pairs_of(histograms, criterion)
    sums, slopes = sums_and_slopes(histograms, criterion, np.exp(grid))
    found = []
    for groups in problems_of(criterion, histograms.n):
        curve = scores_and_slopes(criterion, sums.merge(groups), slopes.merge(groups))
        found.append(find_maximum(grid, *curve, _evaluator(histograms.merge(groups), criterion)))
    peaks, values, kinds = zip(*found, strict=True)
    return np.exp(peaks), np.array(values), kinds


def find_maximum(
    grid: np.ndarray, values: np.ndarray, slopes: np.ndarray, evaluate: Callable[[float], tuple[float, float]]
) -> Maximum:
    """The highest point of a curve: a peak where the slope changes its sign, or an end of the range.

    ``grid``, ``values`` and ``slopes`` are of shape (n_points,); ``evaluate`` has value and slope at a log γ.
    """
    best = _end(grid, values)
    noise = _rounding(values)
    sign = np.sign(np.where(np.abs(slopes) <= noise, 0.0, slopes))
    turns = np.flatnonzero(sign)
    for left, right in pairwise(turns):
        # Near rounding the sign depends on how the sums are added up.
        if sign[left] > 0 > sign[right] and evaluate(grid[left])[1] > 0 > evaluate(grid[right])[1]:
            peak = brentq(lambda p: evaluate(p)[1], grid[left], grid[right], xtol=1e-12, rtol=1e-14)
            value = evaluate(peak)[0]
            # A peak beats an end that equals it to rounding.
            if value > best[1] - (noise if best[2] != "interior peak" else 0.0):
                best = (float(peak), float(value), "interior peak")
    return best


def _end(grid: np.ndarray, values: np.ndarray) -> Maximum:
    """The higher end of the range: a plateau if the curve has levelled out there."""
    if values[0] > values[-1]:
        grid, values = grid[::-1], values[::-1]
    level = max(LEVEL * float(np.ptp(values)), _rounding(values))
    off = np.abs(values - values[-1])
    octave = min(PER_OCTAVE, len(grid) - 1)
    if off[-1 - octave :].max() > level:
        return float(grid[-1]), float(values[-1]), "boundary"
    outside = np.flatnonzero(off > level)
    k = outside[-1] + 1 if len(outside) else len(grid) // 2
    return float(grid[k]), float(values[k]), "plateau"


def _rounding(values: np.ndarray) -> float:
    return ROUNDING * max(float(np.abs(values).max()), SMALL)


def _log_grid(low: float, high: float) -> np.ndarray:
    """Logarithms of γ, close enough for any peak: the curve mixes terms exp(−γD), each an e-fold wide."""
    n_points = max(2, int(np.ceil(np.log2(high / low) * PER_OCTAVE)) + 1)
    return np.linspace(np.log(low), np.log(high), n_points)


def _evaluator(
    histograms: PairHistograms, criterion: SumsCriterion
) -> Callable[[float], tuple[float, float]]:
    def evaluate(log_gamma: float) -> tuple[float, float]:
        value, slope = scores_and_slopes(
            criterion, *sums_and_slopes(histograms, criterion, np.exp([log_gamma]))
        )
        return float(value[0]), float(slope[0])

    return evaluate


def range_of_gamma(histograms: PairHistograms, bounds: tuple[float, float] | None) -> tuple[float, float]:
    """The range of γ to look for a maximum in: the bounds, checked, or one that follows the distances."""
    if bounds is None:
        median, close = (histograms.quantile(share) for share in (0.5, CLOSE))
        if median == 0:
            raise DegenerateGramError(ALL_EQUAL)
        with np.errstate(over="ignore"):
            low, high = np.float64(LOWEST) / median, np.maximum(HIGHEST / median, VANISHED / close)
        if not np.isfinite(high):
            raise ValueError(
                f"X has squared distances of the size {median:.1e}, which are too large or too small to "
                "compute kernel widths. Use other units."
            )
        return float(low), float(high)
    ends = check_gammas(bounds)
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise ValueError(f"bounds of gamma must be two increasing numbers, got {bounds}.")
    return float(ends[0]), float(ends[1])
