"""Rules that judge the claims of paper 002 (Glasmachers 2006)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelwise.studies.claims import Found, Range, beside_all, counted, found
from kernelwise.studies.notions import EQUAL, LOTS, MOST, NOISY, RANDOM, SURE_Z, is_significant
from kernelwise.studies.tables import Row, grouped

#: Sum of all other pairs' kernel values over that of the closest, at the width where signs are read.
DOMINANCE = 1e-3


def dominates(lemma: list[Row]) -> Found:
    """Whether the sums over all other pairs vanish beside the closest pair's own, from width to width."""
    sums = {name: [row[name] for row in lemma] for name in ("of kernel values", "of slopes")}
    is_so = [max(values) < 1 and values == sorted(values, reverse=True) for values in sums.values()]
    first, last = ([{"sum": values[k]} for values in sums.values()] for k in (0, -1))
    return counted(is_so, first=first, last=last, sets=lemma[0]["sets"])


def as_it_says(theorems: list[Row], criteria: tuple[str, ...] = ()) -> Found:
    """For how many labelled sets criteria, or all of them, have the sign that the theorems say."""
    rows = [row for row in theorems if not criteria or row["criterion"] in criteria]
    n_right, n_all = (sum(row[column] for row in rows) for column in ("as it says", "sets"))
    sizes = {"n_sets": rows[0]["sets"], "n_criteria": len(grouped(rows, "criterion"))}
    return found(n_right == n_all, n_right=n_right, n_all=n_all, dominance=DOMINANCE, **sizes)


def quotient_of_derivatives(first2: float, second2: float, sigma: float) -> float:
    """k′ of a pair at one squared distance over k′ of a closer pair: equation 3."""
    return second2 / first2 * float(np.exp((first2 - second2) / (2 * sigma**2)))


def limits(patterns: list[Row]) -> Found:
    """R², 1/γ² and their product at the narrowest width, beside their limits."""
    width = min(row["sigma over closest distance"] for row in patterns)
    narrow = [row for row in patterns if row["sigma over closest distance"] == width]
    names = {"radius2": "R²", "inverse_margin2": "1/γ²", "radius_margin": "R²/γ²"}
    away = [
        {"name": name, "away": max(abs(row[f"{column}, change from its limit"]) for row in narrow)}
        for column, name in names.items()
    ]
    return counted((one["away"] < EQUAL for one in away), width=width, away=away)


def random_labels(halves: list[Row]) -> Found:
    """Whether the closest pair of halves of noisy sets has now equal, now different labels."""
    noisy, calm = ([row for row in halves if (row["neighbour error %"] >= NOISY) == b] for b in (True, False))
    chance = Range(*RANDOM)
    n_random = sum(chance.low <= row["different labels %"] <= chance.high for row in noisy)
    is_so = bool(noisy) and n_random == len(noisy)
    return found(is_so, n_random > 0, noisy=noisy, calm=calm, limit=NOISY, chance=chance)


def many_optima(starts: list[Row], pairs: Sequence[Row] = ()) -> Found:
    """How many optima there are over one width, on real sets and on points made for it."""
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
    made = max(pairs, key=lambda row: row["optima inside"], default=None)
    is_so = max(most, made["optima inside"] if made else 0) > LOTS
    lists = {"made": [made] if made else [], "margins": margins, "others": others}
    return found(is_so, max(margins.high, others.high) > 0, most=most, **lists)


def jaakkola(starts: list[Row]) -> Found:
    """For which criteria a search from Jaakkola's start ends at σ → 0."""
    ends = [{"criterion": row["criterion"], "share": row["jaakkola: at σ → 0 %"]} for row in starts]
    safe, unsafe = ([end for end in ends if (end["share"] == 0) == is_so] for is_so in (True, False))
    return found(not unsafe, len(safe) > MOST * len(ends), safe=safe, unsafe=unsafe)


def quotient(theorems: list[Row]) -> Found:
    """The quotient of derivatives at an example, whatever the table says."""
    value = quotient_of_derivatives(1.0, 2.0, 1.0)
    return found(value < 1, value=value)


@beside_all
def works_well(practice: list[Row]) -> Found:
    """On how many sets machines that criteria choose are not significantly worse than by cross-validation."""
    rows = [row for row in practice if row["method"] != "cross-validation" and row["signal"]]
    blind = [{"data": name} for name, of in grouped(practice, "data").items() if not of[0]["signal"]]
    gap = "less cross-validation"
    worse = [row for row in rows if row[gap] < 0 and is_significant(row[gap], row["± s.e."])]
    means = [
        {"method": method, "gap": float(np.mean([row[gap] for row in of]))}
        for method, of in grouped(rows, "method").items()
    ]
    return counted((row not in worse for row in rows), worse=worse, means=means, blind=blind, sure=SURE_Z)
