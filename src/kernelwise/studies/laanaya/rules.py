"""Rules that judge the claims of paper 003 (Laanaya and others 2011)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from kernelwise.studies.claims import Found, Range, counted, found
from kernelwise.studies.laanaya.plain_start import BANDS, N_BAND, OURS, PAPERS, PLAIN, PRINTED
from kernelwise.studies.notions import DECIDES, MATTERS, NEAR, SURE_Z, is_significant
from kernelwise.studies.tables import NoRow, Row, grouped, keyed

HOW = {PAPERS: "by the paper's protocol", OURS: "with all choices on training points"}
CANCERS = {"breast_cancer_wisconsin": "9 features", "breast_cancer_libsvm_scaled": "10 features"}
RIVALS = ("adaptive scaling", "Glasmachers, Igel")
#: Columns of paired differences, with those of their standard errors.
ERRORS = {
    "less SVM": "± s.e. of that",
    "less constant trace": "± s.e. of it",
    "less Glasmachers, Igel": "± s.e. of this",
    "less diagonal": "± s.e. of that",
}
#: What minimises w with the ρ-term: algorithm 1, and what gets farther.
WITH_RHO = ("algorithm 1", "conjugate gradients")


def algorithm_1(protocol: Sequence[Row], data: str, variant: str = "") -> list[Row]:
    """The rows of algorithm 1 on a set, those of the paper's protocol first."""
    at = keyed(protocol, "data", "method", "chosen by")
    keys = [(data, f"algorithm 1{variant}", chosen) for chosen in HOW]
    return [at[key] | {"how": HOW[key[-1]]} for key in keys if key in at]


def is_ahead(row: Row, column: str = "less SVM", sign: int = 1) -> bool:
    """Whether a paired difference is significantly above zero, or below with sign −1."""
    return bool(sign * row[column] > 0 and is_significant(row[column], row[ERRORS[column]]))


def is_above(row: Row, other: Row) -> bool:
    """Whether a rate is significantly above another one; both have their own standard errors."""
    gap, error = row["rate %"] - other["rate %"], float(np.hypot(row["± s.e."], other["± s.e."]))
    return gap > 0 and is_significant(gap, error)


def toy_rates(table1: list[Row], protocol: Sequence[Row] = ()) -> Found:
    """Rates on the toy data, and those of algorithm 1 itself by both protocols."""
    at = keyed(table1, "method")
    ours, plain, rivals = at["paper 003"], at["SVM (RBF + grid)"], [at[name] for name in RIVALS]
    beaten = [row for row in rivals if is_above(ours, row)]
    printed = algorithm_1(protocol, "weston")
    reached = [row for row in printed if row["rate %"] > PRINTED["weston"]["algorithm 1"] - NEAR]
    return found(
        len(beaten) == len(rivals) and bool(reached),
        is_above(ours, plain),
        rows=[*rivals, ours],
        plain=plain["rate %"],
        printed=printed,
        beaten=beaten,
        reached=reached,
        near=NEAR,
    )


def rates_by_start(figure1: list[Row]) -> dict[str, Range]:
    """The range of the rates over the starts, by method."""
    rates = {name: [row["rate %"] for row in rows] for name, rows in grouped(figure1, "method").items()}
    if "algorithm 1" not in rates:
        raise NoRow("The method of the paper was not run.")
    return {name: Range.of(values) for name, values in rates.items()}


def start_matters(figure1: list[Row]) -> Found:
    """How much rates differ by the start of the search: of algorithm 1, and of better searches."""
    at = rates_by_start(figure1)
    ranges = {"printed": at["algorithm 1"], "step": at["paper 003, printed step"], "ours": at["paper 003"]}
    is_so = {name: rates.high - rates.low < MATTERS for name, rates in ranges.items()}
    return found(is_so["printed"], is_so["ours"], matters=MATTERS, **ranges)


def always_better(figure1: list[Row]) -> Found:
    """At how many starts w, minimised, is better than adaptive scaling, and than every plain machine."""
    rows = grouped(figure1, "method")
    rival, plain = keyed(rows["adaptive scaling"], "sigma × d"), rows["SVM (RBF)"]
    pairs = [(row, rival[row["sigma × d"]]) for row in rows["paper 003"]]
    n_better, n_worse = (sum(is_above(*both) for both in some) for some in (pairs, [p[::-1] for p in pairs]))
    is_above_plain = all(is_above(row, other) for row in rows["paper 003"] for other in plain)
    counts = {"n_better": n_better, "n_worse": n_worse, "n_all": len(pairs)}
    rates = Range.of([row["rate %"] for row in plain])
    return found(n_better == len(pairs) and is_above_plain, is_above_plain, plain=rates, **counts)


def fixed_trace(figure1: list[Row]) -> Found:
    """How much rates at a constant trace differ by the start, and whether the best comes near the others."""
    at = rates_by_start(figure1)
    rates, best = at["Glasmachers, Igel"], at["paper 003"].high
    is_short, decides = rates.high < best - NEAR, rates.high - rates.low > DECIDES
    return found(is_short and decides, decides, rates=rates, best=best, decides=DECIDES, near=NEAR)


def heart(protocol: list[Row]) -> Found:
    """Gains of algorithm 1 on heart, and the best rate of all methods there."""
    rows = algorithm_1(protocol, "heart_statlog")
    if not rows:
        raise NoRow("Heart was not run.")
    best = max(row["rate %"] for row in protocol if row["data"] == "heart_statlog")
    printed = PRINTED["heart_statlog"]["algorithm 1"]
    return found(best > printed - NEAR, any(map(is_ahead, rows)), rows=rows, best=best, below=printed - best)


def breast_cancer(protocol: list[Row]) -> Found:
    """Gains of algorithm 1 on both versions of breast cancer, by the paper's protocol."""
    at = keyed(protocol, "data", "method", "chosen by")
    sets = [
        at[data, "algorithm 1", PAPERS] | {"name": name, "plain": at[data, PLAIN, PAPERS]["rate %"]}
        for data, name in CANCERS.items()
        if (data, "algorithm 1", PAPERS) in at
    ]
    best = max(PRINTED["breast_cancer_wisconsin"].values())
    above = [one for one in sets if one["plain"] > best]
    return counted(map(is_ahead, sets), in_part=0.0, sets=sets, above=above, best=best)


def of_the_paper(protocol: Sequence[Row], methods: Iterable[str], real: bool = False) -> list[Row]:
    """Rows of methods by the paper's protocol, of all sets or of real data only."""
    chosen = [row for row in protocol if row["chosen by"] == PAPERS and row["method"] in tuple(methods)]
    rows = [row for row in chosen if not (real and row["data"] == "weston")]
    if not rows:
        raise NoRow("None of these methods was run.")
    return rows


def rho(protocol: list[Row]) -> Found:
    """The ρ-term beside a constant trace of the same w, and how large Q becomes without either."""
    rows = of_the_paper(protocol, WITH_RHO)
    ahead, behind = ([row for row in rows if is_ahead(row, "less constant trace", sign)] for sign in (1, -1))
    free = [row for row in protocol if row["method"].endswith("ρ = 0")]
    counts = {"n_ahead": len(ahead), "n_behind": len(behind), "n_all": len(rows)}
    is_so, in_part = len(ahead) == len(rows), bool(ahead) and not behind
    return found(is_so, in_part, rows=rows, free=free, sure=SURE_Z, **counts)


def correlations(correlation: list[Row]) -> Found:
    """What a full Q gains over a diagonal one, where a direction is known and on real data."""
    full = [
        row | {"short": row["method"].partition(",")[0]}
        for row in correlation
        if row["less diagonal"] is not None
    ]
    known = [row for row in full if row["data"] == next(iter(BANDS))]
    real = [row for row in full if row["data"] not in BANDS]
    known_gain, real_gain = (all(is_ahead(row, "less diagonal") for row in rows) for rows in (known, real))
    at = keyed(correlation, "data", "method")
    return found(
        bool(real) and known_gain and real_gain,
        known_gain,
        known=known,
        even=1 / N_BAND,
        real=real,
        rates=[at[real[0]["data"], PLAIN], *real] if real else [],
        gained=[row for row in known if is_ahead(row, "less diagonal")],
        better="is better there" if real_gain else "is not better there for both, beyond chance",
    )


def scaling_is_similar(protocol: list[Row]) -> Found:
    """Whether adaptive scaling differs from the SVM on real data, by the paper's protocol."""
    rows = of_the_paper(protocol, ("adaptive scaling",), real=True)
    is_similar = (not is_significant(row["less SVM"], row["± s.e. of that"]) for row in rows)
    return counted(is_similar, rows=rows, sure=SURE_Z)


def exactness(protocol: list[Row]) -> Found:
    """Whether algorithm 1 is better than Glasmachers and Igel on real data; why, no rate can show."""
    rows = of_the_paper(protocol, ("algorithm 1",), real=True)
    ahead = [row for row in rows if is_ahead(row, "less Glasmachers, Igel")]
    return found(None if len(ahead) == len(rows) else False, bool(ahead), rows=rows, ahead=ahead)


def is_convex(convexity: list[Row]) -> Found:
    """How often w is above a chord."""
    return counted((row["above the chord"] == 0 for row in convexity), rows=convexity)
