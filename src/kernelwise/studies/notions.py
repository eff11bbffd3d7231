"""What words of a verdict mean in numbers: a threshold for each notion, the same in all rows and studies."""

from __future__ import annotations

from math import factorial

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import spearmanr

#: A difference is significant if it is larger than so many standard errors, or if its p is below this. Rates
#: and errors are similar, level or comparable if they do not differ significantly.
SURE_Z, SURE_P = 1.96, 0.05
#: A curve agrees with another if their rank correlation is at least this, and is its reverse at minus this.
AGREES = 0.7
#: It follows a third one better than the other does if its rank correlation is larger by this.
BETTER = 0.1
#: Values of a parameter or of a time are comparable up to this factor, and far apart from the other one on.
COMPARABLE, MUCH = 2.0, 3.0
#: Shares of cases: most, and nearly all.
MOST, NEARLY_ALL = 0.5, 0.9
#: Optima are lots from more than this on.
LOTS = 3
#: Rates come near each other within so many points; a start matters from the second on, and decides from the
#: third.
NEAR, MATTERS, DECIDES = 1.0, 5.0, 10.0
#: Numbers are equal to within the first share, and exactly so but for rounding to within the second.
EQUAL, EXACT = 0.01, 1e-6
#: A power is the one that is claimed within this.
OF_POWER = 0.5
#: In per cent: a set is noisy from this neighbour error on, and labels are random if their share is within
#: these.
NOISY, RANDOM = 20.0, (10.0, 90.0)


def is_significant(difference: float, error: float) -> bool:
    """Whether a difference is more than chance, by its standard error; no difference never is."""
    return bool(abs(difference) > SURE_Z * error)


def error_of_share(share: float, n: int) -> float:
    """Standard error of a share of n rows."""
    return float(np.sqrt(share * (1.0 - share) / n))


def majority(y: np.ndarray) -> float:
    """Share of the larger class: the accuracy of a machine that knows nothing else."""
    return float(np.unique(y, return_counts=True)[1].max() / len(y))


def has_signal(best: float, larger_class: float, error: float) -> bool:
    """Whether the best accuracy of a set is significantly above the share of its larger class.

    Where it is not, there is nothing that a criterion could guide to, and a claim is not judged by the set.
    """
    return best > larger_class and is_significant(best - larger_class, error)


def can_be_chance(n: int) -> bool:
    """Whether n things may be in one order by two values by chance, which happens in 1 of n! cases."""
    return 1 / factorial(n) >= SURE_P


def rank_correlation(first: ArrayLike, second: ArrayLike) -> float | None:
    """Spearman's; None where one of the two does not vary."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(spearmanr(first, second).statistic)


def agrees(correlation: float | None) -> bool:
    """Whether a rank correlation is agreement; that of a curve that does not vary is not."""
    return correlation is not None and correlation >= AGREES


def is_reverse(correlation: float | None) -> bool:
    """Whether a rank correlation is that of opposite trends."""
    return correlation is not None and correlation <= -AGREES


def are_comparable(one: float, other: float) -> bool:
    """Whether two positive values differ by at most the factor."""
    return max(one, other) <= COMPARABLE * min(one, other)


def error_over_splits(differences: np.ndarray, test_over_train: float) -> float:
    """Standard error of a mean difference over random splits, which share their rows (Nadeau and Bengio)."""
    n = len(differences)
    return float(np.sqrt(np.var(differences, ddof=1) * (1 / n + test_over_train)))
