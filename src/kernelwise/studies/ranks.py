"""Ranks of methods over data sets, and which differences between them are more than chance.

Friedman's test and Nemenyi's critical difference, as J. Demšar proposes (JMLR 7, 2006).

The Bayesian signed-rank test of A. Benavoli, G. Corani, J. Demšar and M. Zaffalon ("Time for a change", JMLR
18, 2017) by their library baycomp gives probabilities that a method is better than another, practically
equal, or worse. Unlike a critical difference it can say that two methods are equal: that the next set would
show a difference within the region of practical equivalence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from kernelwise.reports.drawing import INK, MUTED, PALETTE
from kernelwise.studies.tables import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROW = 0.24  # inches for a method
#: Accuracies that differ by at most this much, one point of per cent, are practically equal.
ROPE = 0.01
#: Probability from which the sentences say that something is so.
SURE = 0.95
MISSING = 'There is no Bayesian comparison without baycomp. Get it with pip install "kernelwise[studies]".'
N_DRAWS = 50_000


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

    def draw(self, figure: Figure) -> None:
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

    def draw(self, figure: Figure) -> None:
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


def can_compare() -> bool:
    """Whether baycomp is installed."""
    return find_spec("baycomp") is not None


def practical_probabilities(scores: np.ndarray, reference: np.ndarray) -> tuple[float, float, float]:
    """Probabilities that a method is better than the reference, practically equal, and worse.

    ``scores`` and ``reference`` have shape (n_sets,): mean accuracies between 0 and 1.
    """
    from baycomp import SignedRankTest

    better, equal, worse = SignedRankTest.probs(
        np.asarray(scores), np.asarray(reference), rope=ROPE, nsamples=N_DRAWS, random_state=0
    )
    return float(better), float(equal), float(worse)


def bayes_rows(names: Sequence[str], scores: np.ndarray, reference: int = 0) -> list[Row]:
    """A row for each method but the reference, those first that are most probably better.

    ``scores`` has shape (n_sets, n_methods).
    """
    rows = []
    for k, name in enumerate(names):
        if k != reference:
            better, equal, worse = practical_probabilities(scores[:, k], scores[:, reference])
            difference = 100 * float((scores[:, k] - scores[:, reference]).mean())
            rows.append(
                {
                    "method": name,
                    "against": names[reference],
                    "mean difference": difference,
                    "better": better,
                    "practically equal": equal,
                    "worse": worse,
                }
            )
    return sorted(rows, key=lambda row: (-row["better"], row["worse"]))


def bayes_sentences(rows: Sequence[Row]) -> str:
    """What is at least 95 % probable, in sentences."""
    kinds = ("better", "practically equal", "worse")
    sure = {kind: "; ".join(row["method"] for row in rows if row[kind] >= SURE) for kind in kinds}
    told = " ".join(f"{kind.capitalize()}: {sure[kind] or 'none'}." for kind in kinds)
    return (
        f"The probabilities of being better than '{rows[0]['against']}' by more than {100 * ROPE:g} point, "
        f"equal within {100 * ROPE:g} point, or worse are from a Bayesian signed-rank test (baycomp). These "
        f"methods have a probability of at least {100 * SURE:g} %: {told}"
    )
