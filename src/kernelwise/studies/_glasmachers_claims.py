"""What paper 002 (Glasmachers 2006) claims, and what the tables of its study say of it."""

from __future__ import annotations

from collections.abc import Iterator

from kernelwise.studies._study import Study
from kernelwise.studies._table import Row

HOLDS, NOT, OPEN = "holds", "does not hold", "cannot be judged here"


def claim(text: str, where: str, ours: str, verdict: str) -> Row:
    """One row of the table of claims."""
    return {"claim": text, "where": where, "our result": ours, "verdict": verdict}


def claims(study: Study) -> Iterator[Row]:
    """A row for each claim whose tables this run has."""
    tables = {name: table.rows for name, table in study.tables.items()}
    if "theorems" in tables:
        yield from _of_theorems(tables["theorems"])
    if "patterns" in tables:
        yield _of_limits(tables["patterns"])
    if "starts" in tables:
        yield from _of_optima(tables["optima"], tables["starts"])
    yield claim(
        "bounds and measures such as polarization work well for choosing a model in practice",
        "section 5",
        "this study looks at where criteria have optima and trains no machines; the study beyond compares "
        "the accuracies of all methods",
        OPEN,
    )


def _of_theorems(rows: list[Row]) -> Iterator[Row]:
    def counted(*names: str) -> tuple[str, str]:
        chosen = [row for row in rows if row["criterion"] in names]
        n_right, n_all = (sum(row[column] for row in chosen) for column in ("as it says", "sets"))
        return f"{n_right} of {n_all} random sets as it says", HOLDS if n_right == n_all else NOT

    yield claim(
        "the closest pair's kernel value and its derivative dominate all others (lemma 1)",
        "section 3",
        "used for all signs below, and right wherever floating point can show it",
        HOLDS,
    )
    yield claim(
        "the quotient of derivatives is below 1 and decays faster than that of kernel values",
        "section 3, after equation 3",
        "it is the quotient of kernel values times D₂/D₁, so that both decay at the same rate; with D₁ = 1, "
        "D₂ = 2 and σ = 1 it is 1.21. Lemma 1 does not need the remark",
        NOT,
    )
    yield claim(
        "R²/γ² has a minimum at σ → 0 if and only if the labels of the closest pair differ",
        "theorem 2",
        *counted("radius-margin"),
    )
    yield claim(
        "polarization has a maximum at σ → 0 if and only if they differ",
        "theorem 3",
        *counted("polarization"),
    )
    yield claim(
        "the analysis of alignment is more complicated (left open)",
        "section 4, after theorem 3",
        f"{counted('kta', 'centered-kta')[0]}: theorem 3 holds for alignment, plain and centred",
        "holds, and is proved",
    )
    others = ("dbtc", "esdr", "j4", "regularized-margin")
    yield claim(
        "(ours) theorem 3 for DBTC, ESDR, J4 and w of paper 003 (Laanaya and others)",
        "not in the paper",
        *counted(*others),
    )


def _of_limits(rows: list[Row]) -> Row:
    width = min(row["sigma over closest distance"] for row in rows)
    narrow = [row for row in rows if row["sigma over closest distance"] == width]
    worst = max(abs(row["radius_margin, change from its limit"]) for row in narrow)
    return claim(
        "R² and 1/γ² have the limits (1 + 1/C)(1 − 1/ℓ) and 4ℓ₊ℓ₋/((1 + 1/C)ℓ) for σ → 0",
        "proof of theorem 2",
        f"their product is right to {worst:.1g} at σ of {width:g} closest distances",
        HOLDS if worst < 0.01 else NOT,
    )


def _of_optima(optima: list[Row], starts: list[Row]) -> Iterator[Row]:
    sets = {row["data"]: row for row in optima}
    differ = [name for name, row in sets.items() if row["different"] > row["closest pairs equal"]]
    yield claim(
        "the label product of the closest pair is a highly random quantity, at least for noisy data",
        "section 4",
        f"the closest different points have mostly different labels on {len(differ)} of {len(sets)} real sets"
        + (f" ({', '.join(differ)})" if differ else ""),
        OPEN,
    )
    shares = {row["criterion"]: row["several optima %"] for row in starts}
    most = max(row["most"] for row in starts)
    margins = [share for name, share in shares.items() if name.startswith("radius-margin")]
    others = [share for name, share in shares.items() if not name.startswith("radius-margin")]
    yield claim(
        "there may be lots of local optima, near the boundary and far from it",
        "sections 4 and 5",
        f"several optima on {min(margins):.0f} to {max(margins):.0f} % of the sets for radius-margin, and on "
        f"{min(others):.0f} to {max(others):.0f} % for the other criteria, but never more than {most} over "
        "one width: many optima need several parameters",
        "holds in part",
    )
    reached = {row["criterion"]: row["jaakkola: at σ → 0 %"] for row in starts}
    safe = [name for name, share in reached.items() if share == 0]
    unsafe = [f"{name} {share:.0f} %" for name, share in reached.items() if share > 0]
    yield claim(
        "with Jaakkola's start a search avoids the boundary optima with very high probability",
        "section 5",
        f"no search ends at σ → 0 for {', '.join(safe)}; some do for {', '.join(unsafe)} of the sets, and "
        "there the whole curve leads to σ → 0 from that start",
        "holds for most criteria",
    )
