"""How strange a score is: its place among the scores of rows that machines had not seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import expit

from kernelwise.solvers.platt import fit_platt

#: Scores that are kept of a large sample, evenly spaced in rank, besides all of the lowest.
KEPT = 500
#: The share of the strangest rows whose mean excess says how the tail goes on beyond the strangest of all.
TAIL = 0.1
#: Sums of weights that differ by less than this share are equal.
EVEN = 1e-12


@dataclass(frozen=True)
class Threshold:
    """A score that a share of the held-out rows is below, and its standard error."""

    value: float
    error: float
    share: float


def threshold_at(scores: np.ndarray, weight: np.ndarray, share: float) -> Threshold:
    """The score below which that share of the rows is, or the nearest share that scores can part.

    Scores and weights have the shape (n_rows,). It is in the middle between two scores, so that rounding
    moves no row across, or the lowest score, if no row is below. The error is half the distance of the
    scores whose ranks are one binomial standard deviation below and above.
    """
    order = np.argsort(scores, kind="stable")
    ordered, total = scores[order], np.cumsum(weight[order])
    n = total[-1]
    deviation = np.sqrt(n * share * (1.0 - share))

    def at(rank: float) -> float:
        """The first score that has so much weight up to it."""
        first = np.searchsorted(total, np.clip(rank, 0.0, n) * (1.0 - EVEN))
        return float(ordered[min(first, len(order) - 1)])

    # Weight below each score that is higher than the one before it; none is below the lowest.
    steps = np.r_[0, 1 + np.flatnonzero(np.diff(ordered) > 0.0)]
    below = np.where(steps > 0, total[steps - 1], 0.0)
    miss = np.abs(below - n * share)
    first = steps[np.flatnonzero(miss <= miss.min() + EVEN * n)[0]]
    value = 0.5 * (ordered[max(first - 1, 0)] + ordered[first])
    error = 0.5 * (at(n * share + deviation) - at(n * share - deviation))
    return Threshold(float(value), float(error), float(share))


@dataclass(frozen=True)
class Tail:
    """The share of usual rows that are at least as strange as a score, for any score.

    Attributes
    ----------
    strangeness : ndarray of shape (n_kept,)
        Of held-out rows, in increasing order: −log of their scores or, if some are negative, −scores.
    share : ndarray of shape (n_kept,)
        The share of the rows that are at least as strange.
    scale : float
        The mean excess over the 90 % point, by which the share falls off exponentially beyond the last.
    is_log : bool
    """

    strangeness: np.ndarray
    share: np.ndarray
    scale: float
    is_log: bool

    @classmethod
    def of(cls, scores: np.ndarray, weight: np.ndarray, is_log: bool) -> Self:
        """The tail of held-out scores, of shape (n_rows,); ``is_log`` says that scores are never negative."""
        strange = _strangeness(scores, is_log)
        finite = np.isfinite(strange)
        if not finite.any():  # a kernel so narrow that no held-out row is like any other
            return cls(np.zeros(1), np.ones(1), 1.0, is_log)
        order = np.argsort(strange, kind="stable")
        strange, weight = strange[order], weight[order]
        n = weight.sum()
        # Half of its own weight: a row is as strange as itself, and no new row is stranger than all for sure.
        share = (np.cumsum(weight[::-1])[::-1] - 0.5 * weight) / n
        last = int(np.isfinite(strange).sum())
        begin = min(int(np.searchsorted(-share, -TAIL)), last - 1)
        excess, counted = strange[begin:last] - strange[begin], weight[begin:last]
        scale = float(np.average(excess, weights=counted)) if counted.sum() > 0.0 else 0.0
        kept = np.unique(np.r_[np.linspace(0, last - 1, min(KEPT, last)).astype(int), np.arange(begin, last)])
        if len(kept) > 4 * KEPT:
            kept = kept[np.unique(np.linspace(0, len(kept) - 1, 4 * KEPT).astype(int))]
        return cls(strange[kept], share[kept], max(scale, 1e-12), is_log)

    def share_beyond(self, scores: np.ndarray) -> np.ndarray:
        """The share of usual rows that are at least as strange as these scores, of the same shape."""
        strange = _strangeness(scores, self.is_log)
        inside = np.interp(strange, self.strangeness, self.share, left=1.0)
        beyond = np.maximum(strange - self.strangeness[-1], 0.0)
        return np.where(beyond > 0.0, self.share[-1] * np.exp(-beyond / self.scale), inside)

    def probability(self, scores: np.ndarray, share: float) -> np.ndarray:
        """The probability of an outlier if a share of all rows is outliers, each at least as strange.

        That is Bayes' rule: outliers, all of them at least as strange, are a share ``share`` of all rows, and
        the rows at least as strange that look usual are a share S. It is one half where S is ``share``: at
        the threshold.
        """
        return share / (share + self.share_beyond(scores))

    def sigmoid(self, scores: np.ndarray, slope: np.ndarray) -> np.ndarray:
        """The probability by a sigmoid of how strange scores are; ``slope`` is (A, B) of `fit_sigmoid`."""
        strange = _strangeness(scores, self.is_log)
        known = np.isfinite(strange)
        value = expit(-(slope[0] * np.where(known, strange, 0.0) + slope[1]))
        return np.where(np.isnan(strange), np.nan, np.where(known, value, 1.0))


def fit_sigmoid(
    tail: Tail, scores: np.ndarray, is_outlier: np.ndarray, weight: np.ndarray, share: float
) -> np.ndarray:
    """Platt's sigmoid of held-out scores, shape (2,), with a share ``share`` of outliers among the rows."""
    strange = _strangeness(scores, tail.is_log)
    known = np.isfinite(strange)
    strange = np.where(known, strange, strange[known].max(initial=0.0))
    factor = np.where(is_outlier, share / weight[is_outlier].sum(), (1.0 - share) / weight[~is_outlier].sum())
    balanced = weight * factor * weight.sum()
    return np.array(fit_platt(strange, is_outlier.astype(int), balanced, counts=weight, is_increasing=True))


def _strangeness(scores: np.ndarray, is_log: bool) -> np.ndarray:
    if not is_log:
        return -np.asarray(scores, dtype=float)
    with np.errstate(divide="ignore"):
        return -np.log(np.maximum(scores, 0.0))
