"""What paper 002 (Glasmachers 2006) claims, and the rules that judge it by the tables of the study."""

from __future__ import annotations

from functools import partial

import numpy as np

from kernelwise.studies.claims import Claim, Found, Range, found
from kernelwise.studies.glasmachers.closest_pair import DOMINANCE
from kernelwise.studies.tables import Row

#: In per cent: a set is called noisy from this neighbour error on, and a share within these limits chance.
NOISY, CHANCE = 20.0, Range(10.0, 90.0)


def as_it_says(theorems: list[Row], criteria: tuple[str, ...] = ()) -> Found:
    """On how many random sets criteria, or all of them, have the sign that the theorems say."""
    rows = [row for row in theorems if not criteria or row["criterion"] in criteria]
    n_right, n_all = (sum(row[column] for row in rows) for column in ("as it says", "sets"))
    return found(n_right == n_all, n_right=n_right, n_all=n_all)


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
    return found(bool(noisy) and n_random == len(noisy), n_random > 0, noisy=noisy, calm=calm)


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


AS_IT_SAYS = "{n_right} of {n_all} random sets as it says"
CLAIMS = (
    Claim(
        "The closest pair's kernel value and its derivative dominate all others at narrow widths",
        "section 3, lemma 1",
        as_it_says,
        AS_IT_SAYS + ", for all criteria of the rows below: signs are read at the width at which all other "
        f"pairs together have {DOMINANCE:g} of the closest pair's kernel value",
    ),
    Claim(
        "The quotient of derivatives is below 1 and decays faster than that of kernel values",
        "section 3, after equation 3",
        lambda theorems: found((value := quotient_of_derivatives(1.0, 2.0, 1.0)) < 1, value=value),
        "With squared distances of 1 and 2 and σ = 1 it is {value:.2f}",
        "It is the quotient of kernel values times that of the squared distances, so that both decay at the "
        "same rate. Lemma 1 does not need the remark",
    ),
    Claim(
        "R²/γ² has a minimum at σ → 0 if and only if the labels of the closest pair differ",
        "theorem 2",
        partial(as_it_says, criteria=("radius-margin",)),
        AS_IT_SAYS,
    ),
    Claim(
        "Polarization has a maximum at σ → 0 if and only if they differ",
        "theorem 3",
        partial(as_it_says, criteria=("polarization",)),
        AS_IT_SAYS,
    ),
    Claim(
        "(left open) Theorem 3 for alignment, whose analysis is more complicated",
        "section 4, after theorem 3",
        partial(as_it_says, criteria=("kta", "centered-kta")),
        AS_IT_SAYS,
        "The slope of its norm vanishes faster than that of polarization, so that the sign is the same: the "
        "page on the paper has the proof, for plain and centred alignment",
    ),
    Claim(
        "(ours) Theorem 3 for DBTC, ESDR, J4 and w of paper 003 (Laanaya and others)",
        "not in the paper",
        partial(as_it_says, criteria=("dbtc", "esdr", "j4", "regularized-margin")),
        AS_IT_SAYS,
        "In each of them the kernel value of the closest pair has a coefficient whose sign is that of the "
        "labels",
    ),
    Claim(
        "R² and 1/γ² have the limits (1 + 1/C)(1 − 1/ℓ) and 4ℓ₊ℓ₋/((1 + 1/C)ℓ) for σ → 0",
        "proof of theorem 2",
        limits,
        "Their product is right to {worst:.1g} at σ of {width:g} closest distances",
    ),
    Claim(
        "The label product of the closest pair is a highly random quantity, at least for noisy data",
        "section 4",
        random_labels,
        "Share of random halves in which the closest different points have different labels: on noisy sets "
        "[noisy, {data} {different labels %:.0f} %|none]; on the others [calm, {data} "
        "{different labels %:.0f} %|none]",
        f"We call a set noisy if at least {NOISY:.0f} % of its rows have a nearest neighbour of another "
        f"class, and labels random if their share is from {CHANCE:.0f} %",
    ),
    Claim(
        "There may be lots of local optima, near the boundary and far from it",
        "sections 4 and 5",
        many_optima,
        "Several optima on {margins:.0f} % of the sets for radius-margin, and on {others:.0f} % for the "
        "other criteria, but never more than {most} over one width",
        "Only kernels with several parameters can have many optima",
    ),
    Claim(
        "With Jaakkola's start a search avoids the boundary optima with very high probability",
        "section 5",
        jaakkola,
        "No search ends at σ → 0 for [safe, {criterion}|any criterion]; some do for "
        "[unsafe, {criterion} on {share:.0f} %|no criterion] of the sets",
        "[unsafe? Where a search ends there, the whole curve leads to σ → 0 from its start]",
    ),
    Claim(
        "Bounds and measures such as polarization work well for choosing a model in practice",
        "section 5",
        lambda: found(None),
        "This study trains no machines",
        "The study 'beyond' has the accuracy of machines that these criteria choose, beside all others",
    ),
)
