"""Ranks of methods over data sets, and which differences between them are more than chance.

Friedman's test and Nemenyi's critical difference, as J. Demšar proposes (JMLR 7, 2006).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from kernelwise.reports.colours import INK, MUTED, PALETTE

ROW = 0.24  # inches for a method


def average_ranks(scores: np.ndarray) -> np.ndarray:
    """Mean rank of each method over scores of shape (n_sets, n_methods), 1 for the best; ties share ranks."""
    return np.asarray(rankdata(-_comparable(scores), axis=1).mean(axis=0))


def friedman_p(scores: np.ndarray) -> float:
    """Probability of ranks this unequal if all methods were alike; 1 if they never differ."""
    scores = _comparable(scores)
    if np.ptp(scores, axis=1).max() == 0:
        return 1.0
    return float(friedmanchisquare(*scores.T).pvalue)


def _comparable(scores: np.ndarray) -> np.ndarray:
    """Scores without what rounding adds to means of the same numbers in another order: ties are ties."""
    return np.round(scores, 12)


def critical_difference(n_methods: int, n_sets: int, level: float = 0.05) -> float:
    """How much two average ranks must differ: q_α √(k(k + 1)/(6N)), q from the Studentized range over √2."""
    q = studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


@dataclass(frozen=True)
class CriticalDifferencePicture:
    """Average ranks in a column, the best on top; bars of half the critical difference to either side."""

    caption: str
    names: Sequence[str]
    ranks: Sequence[float]
    difference: float

    @property
    def size(self) -> tuple[float, float]:
        return 7.0, 1.0 + ROW * len(self.names)

    def draw(self, figure: Any) -> None:
        """Dots with bars; those left of the dashed line are not told apart from the best."""
        ax = figure.add_subplot()
        order = np.argsort(self.ranks, kind="stable")
        ranks = np.array(self.ranks)[order]
        heights = np.arange(len(ranks))
        limit = ranks[0] + self.difference
        colours = [PALETTE[0] if rank < limit else MUTED for rank in ranks]
        ax.hlines(
            heights, ranks - self.difference / 2, ranks + self.difference / 2, colors=colours, alpha=0.4
        )
        ax.scatter(ranks, heights, c=colours, s=22, zorder=3)
        ax.axvline(limit, color=INK, linestyle="--", linewidth=1.0)
        dashed = "dashed: the best rank plus the critical difference"
        ax.set_title(dashed, fontsize=8, color=MUTED, loc="right")
        ax.set_yticks(heights, [self.names[k] for k in order])
        ax.invert_yaxis()
        ax.set_xlabel("average rank over the data sets (1 is best)")


@dataclass(frozen=True)
class RankAndTimePicture:
    """Average ranks over time, each point with its name: more methods than there are colours."""

    caption: str
    names: Sequence[str]
    ranks: Sequence[float]
    seconds: Sequence[float]
    size: tuple[float, float] = (9.0, 6.0)

    def draw(self, figure: Any) -> None:
        """Points, and names on the side that is away from the point of the nearest rank."""
        ax = figure.add_subplot(xscale="log")
        ax.scatter(self.seconds, self.ranks, c=PALETTE[0], s=22, zorder=3)
        for k, point in enumerate(zip(self.seconds, self.ranks, strict=True)):
            others = [j for j in range(len(self.ranks)) if j != k]
            nearest = min(others, key=lambda j: abs(self.ranks[j] - point[1]), default=k)
            is_left = self.seconds[nearest] > point[0]
            side, at = ("right", (-6, -2)) if is_left else ("left", (6, -2))
            ax.annotate(self.names[k], point, at, textcoords="offset points", ha=side, fontsize=7)
        ax.margins(0.25, 0.08)
        ax.invert_yaxis()
        ax.set_xlabel("CPU seconds to choose and train (geometric mean over the data sets)")
        ax.set_ylabel("average rank over the data sets (1 is best)")
