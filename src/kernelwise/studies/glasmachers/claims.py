"""What paper 002 (Glasmachers 2006) claims, judged by the tables of the study."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kernelwise.studies.claims import OPEN, Tables, claim, judged
from kernelwise.studies.glasmachers.closest_pair import DOMINANCE
from kernelwise.studies.tables import Row

#: In per cent: a set is called noisy from this neighbour error on, and a share within these limits chance.
NOISY, CHANCE = 20.0, (10.0, 90.0)


def claims(tables: Tables) -> Iterator[Row]:
    """The claims that the tables at hand can judge."""
    if "theorems" in tables:
        yield from _of_theorems(tables["theorems"])
    if "patterns" in tables:
        yield _of_limits(tables["patterns"])
    if "halves" in tables:
        yield _of_labels(tables["halves"])
    if "starts" in tables:
        yield from _of_optima(tables["starts"])
    yield claim(
        "Bounds and measures such as polarization work well for choosing a model in practice",
        "section 5",
        "This study trains no machines",
        OPEN,
        "The study 'beyond' has the accuracy of machines that these criteria choose, beside all others",
    )


def quotient_of_derivatives(first2: float, second2: float, sigma: float) -> float:
    """k′ of a pair at one squared distance over k′ of a closer pair: equation 3."""
    return second2 / first2 * float(np.exp((first2 - second2) / (2 * sigma**2)))


def _of_theorems(rows: list[Row]) -> Iterator[Row]:
    def counted(*names: str) -> tuple[str, str]:
        chosen = [row for row in rows if not names or row["criterion"] in names]
        n_right, n_all = (sum(row[column] for row in chosen) for column in ("as it says", "sets"))
        return f"{n_right} of {n_all} random sets as it says", judged(n_right == n_all)

    text, verdict = counted()
    yield claim(
        "The closest pair's kernel value and its derivative dominate all others at narrow widths",
        "section 3, lemma 1",
        f"{text}, for all criteria of the rows below: signs are read at the width at which all other pairs "
        f"together have {DOMINANCE:g} of the closest pair's kernel value",
        verdict,
    )
    quotient = quotient_of_derivatives(1.0, 2.0, 1.0)
    yield claim(
        "The quotient of derivatives is below 1 and decays faster than that of kernel values",
        "section 3, after equation 3",
        f"With squared distances of 1 and 2 and σ = 1 it is {quotient:.2f}",
        judged(quotient < 1),
        "It is the quotient of kernel values times that of the squared distances, so that both decay at the "
        "same rate. Lemma 1 does not need the remark",
    )
    yield claim(
        "R²/γ² has a minimum at σ → 0 if and only if the labels of the closest pair differ",
        "theorem 2",
        *counted("radius-margin"),
    )
    yield claim(
        "Polarization has a maximum at σ → 0 if and only if they differ",
        "theorem 3",
        *counted("polarization"),
    )
    yield claim(
        "(left open) Theorem 3 for alignment, whose analysis is more complicated",
        "section 4, after theorem 3",
        *counted("kta", "centered-kta"),
        "The slope of its norm vanishes faster than that of polarization, so that the sign is the same: the "
        "page on the paper has the proof, for plain and centred alignment",
    )
    yield claim(
        "(ours) Theorem 3 for DBTC, ESDR, J4 and w of paper 003 (Laanaya and others)",
        "not in the paper",
        *counted("dbtc", "esdr", "j4", "regularized-margin"),
        "In each of them the kernel value of the closest pair has a coefficient whose sign is that of the "
        "labels",
    )


def _of_limits(rows: list[Row]) -> Row:
    width = min(row["sigma over closest distance"] for row in rows)
    narrow = [row for row in rows if row["sigma over closest distance"] == width]
    worst = max(abs(row["radius_margin, change from its limit"]) for row in narrow)
    return claim(
        "R² and 1/γ² have the limits (1 + 1/C)(1 − 1/ℓ) and 4ℓ₊ℓ₋/((1 + 1/C)ℓ) for σ → 0",
        "proof of theorem 2",
        f"Their product is right to {worst:.1g} at σ of {width:g} closest distances",
        judged(worst < 0.01),
    )


def _of_labels(rows: list[Row]) -> Row:
    noisy, calm = ([row for row in rows if (row["neighbour error %"] >= NOISY) == is_so] for is_so in (1, 0))
    low, high = CHANCE
    random = [row for row in noisy if low <= row["different labels %"] <= high]

    def listed(chosen: list[Row]) -> str:
        return ", ".join(f"{row['data']} {row['different labels %']:.0f} %" for row in chosen) or "none"

    return claim(
        "The label product of the closest pair is a highly random quantity, at least for noisy data",
        "section 4",
        "Share of random halves in which the closest different points have different labels: on noisy sets "
        f"{listed(noisy)}; on the others {listed(calm)}",
        judged(bool(noisy) and len(random) == len(noisy), bool(random)),
        f"We call a set noisy if at least {NOISY:.0f} % of its rows have a nearest neighbour of another "
        f"class, and labels random if their share is from {low:.0f} to {high:.0f} %",
    )


def _of_optima(starts: list[Row]) -> Iterator[Row]:
    shares = {row["criterion"]: row["several optima %"] for row in starts}
    most = max(row["most"] for row in starts)
    margins = [share for name, share in shares.items() if name.startswith("radius-margin")]
    others = [share for name, share in shares.items() if not name.startswith("radius-margin")]
    yield claim(
        "There may be lots of local optima, near the boundary and far from it",
        "sections 4 and 5",
        f"Several optima on {min(margins):.0f} to {max(margins):.0f} % of the sets for radius-margin, and on "
        f"{min(others):.0f} to {max(others):.0f} % for the other criteria, but never more than {most} over "
        "one width",
        judged(most > 3, max(shares.values()) > 0),
        "Only kernels with several parameters can have many optima",
    )
    reached = {row["criterion"]: row["jaakkola: at σ → 0 %"] for row in starts}
    safe = [name for name, share in reached.items() if share == 0]
    unsafe = [f"{name} on {share:.0f} %" for name, share in reached.items() if share > 0]
    yield claim(
        "With Jaakkola's start a search avoids the boundary optima with very high probability",
        "section 5",
        f"No search ends at σ → 0 for {', '.join(safe) or 'any criterion'}; some do for "
        f"{', '.join(unsafe) or 'no criterion'} of the sets",
        judged(not unsafe, len(safe) > len(reached) / 2),
        "Where a search ends there, the whole curve leads to σ → 0 from its start" if unsafe else "",
    )
