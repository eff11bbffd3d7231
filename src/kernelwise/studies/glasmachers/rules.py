"""Rules that judge the claims of paper 002 (Glasmachers 2006)."""

from __future__ import annotations

import numpy as np

from kernelwise.studies.claims import Found, Range, found
from kernelwise.studies.glasmachers.closest_pair import DOMINANCE
from kernelwise.studies.tables import Row

#: In per cent: a set is called noisy from this neighbour error on, and a share within these limits chance.
NOISY, CHANCE = 20.0, Range(10.0, 90.0)


def as_it_says(theorems: list[Row], criteria: tuple[str, ...] = ()) -> Found:
    """On how many random sets criteria, or all of them, have the sign that the theorems say."""
    rows = [row for row in theorems if not criteria or row["criterion"] in criteria]
    n_right, n_all = (sum(row[column] for row in rows) for column in ("as it says", "sets"))
    return found(n_right == n_all, n_right=n_right, n_all=n_all, dominance=DOMINANCE)


def quotient_of_derivatives(first2: float, second2: float, sigma: float) -> float:
    """k′ of a pair at one squared distance over k′ of a closer pair: equation 3."""
    return second2 / first2 * float(np.exp((first2 - second2) / (2 * sigma**2)))


def limits(patterns: list[Row]) -> Found:
    """R²/γ² at the narrowest width, beside its limit."""
    width = min(row["sigma over closest distance"] for row in patterns)
    narrow = [row for row in patterns if row["sigma over closest distance"] == width]
    worst = max(abs(row["radius_margin, change from its limit"]) for row in narrow)
    return found(worst < 0.01, width=width, worst=worst)


def random_labels(halves: list[Row]) -> Found:
    """Whether the closest pair of halves of noisy sets has now equal, now different labels."""
    noisy, calm = ([row for row in halves if (row["neighbour error %"] >= NOISY) == b] for b in (True, False))
    n_random = sum(CHANCE.low <= row["different labels %"] <= CHANCE.high for row in noisy)
    is_so = bool(noisy) and n_random == len(noisy)
    return found(is_so, n_random > 0, noisy=noisy, calm=calm, limit=NOISY, chance=CHANCE)


def many_optima(starts: list[Row]) -> Found:
    """How often there are several optima over one width, and how many at most."""
    margins, others = (
        Range.of(
            [
                row["several optima %"]
                for row in starts
                if row["criterion"].startswith("radius-margin") == is_margin
            ]
        )
        for is_margin in (True, False)
    )
    most = max(row["most"] for row in starts)
    return found(most > 3, max(margins.high, others.high) > 0, most=most, margins=margins, others=others)


def jaakkola(starts: list[Row]) -> Found:
    """For which criteria a search from Jaakkola's start ends at σ → 0."""
    ends = [{"criterion": row["criterion"], "share": row["jaakkola: at σ → 0 %"]} for row in starts]
    safe, unsafe = ([end for end in ends if (end["share"] == 0) == is_so] for is_so in (True, False))
    return found(not unsafe, len(safe) > len(ends) / 2, safe=safe, unsafe=unsafe)


def quotient(theorems: list[Row]) -> Found:
    """The quotient of derivatives at an example, whatever the table says."""
    value = quotient_of_derivatives(1.0, 2.0, 1.0)
    return found(value < 1, value=value)
