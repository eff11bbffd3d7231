"""What paper 003 (Laanaya and others 2011) claims, and the rules that judge it by the tables of the study."""

from __future__ import annotations

from collections.abc import Sequence

from kernelwise.studies.claims import Claim, Found, Range, counted, found
from kernelwise.studies.laanaya.plain_start import BANDS, N_BAND, OURS, PAPERS, PLAIN, PRINTED
from kernelwise.studies.tables import NoRow, Row, grouped, keyed

HOW = {PAPERS: "by the paper's protocol", OURS: "with all choices on training points"}
CANCERS = {"breast_cancer_wisconsin": "9 features", "breast_cancer_libsvm_scaled": "10 features"}
RIVALS = ("adaptive scaling", "Glasmachers, Igel")
REAL, TOY = "section 3.2, table 2", "section 3.1"
#: A rate this far below the paper's, in points, does not come near it.
NEAR = 1.0
#: Points between the rates of the best and the worst start: from here on the start matters, or decides.
MATTERS, DECIDES = 5.0, 10.0


def algorithm_1(protocol: Sequence[Row], data: str, variant: str = "") -> list[Row]:
    """The rows of algorithm 1 on a set, those of the paper's protocol first."""
    at = keyed(protocol, "data", "method", "chosen by")
    keys = [(data, f"algorithm 1{variant}", chosen) for chosen in HOW]
    return [at[key] | {"how": HOW[key[-1]]} for key in keys if key in at]


def is_ahead(row: Row, of: str = "SVM") -> bool:
    """Whether a rate is above that of the other method by more than two standard errors."""
    return bool(row[f"less {of}"] > 2 * row["± s.e. of that"])


def toy_rates(table1: list[Row], protocol: Sequence[Row] = ()) -> Found:
    """Rates on the toy data, and those of algorithm 1 itself by both protocols."""
    at = keyed(table1, "method")
    rates = {name: row["rate %"] for name, row in at.items()}
    plain, ours = rates["SVM (RBF + grid)"], rates.get("paper 003", 0.0)
    return found(
        all(ours > rates.get(name, 0.0) + NEAR for name in RIVALS),
        ours > plain + NEAR,
        rows=[at[name] for name in (*RIVALS, "paper 003") if name in at],
        plain=plain,
        printed=algorithm_1(protocol, "weston"),
    )


def rates_by_start(figure1: list[Row]) -> dict[str, Range]:
    """The range of the rates over the starts, by method."""
    rates = {name: [row["rate %"] for row in rows] for name, rows in grouped(figure1, "method").items()}
    if "paper 003" not in rates:
        raise NoRow("The method of the paper was not run.")
    return {name: Range.of(values) for name, values in rates.items()}


def start_matters(figure1: list[Row], protocol: Sequence[Row] = ()) -> Found:
    """How much rates differ by the start of the search."""
    at = rates_by_start(figure1)
    ours, printed = at["paper 003"], at["paper 003, printed step"]
    one, many = (algorithm_1(protocol, "weston", variant)[:1] for variant in (", one inner step", ""))
    both = [{"many": a["rate %"], "one": b["rate %"]} for a, b in zip(many, one, strict=False)]
    is_so, in_part = (rates.high - rates.low < MATTERS for rates in (printed, ours))
    return found(is_so, in_part, ours=ours, printed=printed, both=both)


def always_better(figure1: list[Row]) -> Found:
    """At how many starts the method is at least level with adaptive scaling; rates of the plain machine."""
    at, rows = rates_by_start(figure1), grouped(figure1, "method")
    ours, rival = ([row["rate %"] for row in rows[name]] for name in ("paper 003", "adaptive scaling"))
    n_better, plain = sum(a >= b for a, b in zip(ours, rival, strict=True)), at["SVM (RBF)"]
    is_ahead = plain.high < min(ours)
    counts = {"n_better": n_better, "n_all": len(ours)}
    return found(n_better == len(ours) and is_ahead, is_ahead, plain=plain, **counts)


def fixed_trace(figure1: list[Row]) -> Found:
    """How much rates at a constant trace differ by the start."""
    rates = rates_by_start(figure1)["Glasmachers, Igel"]
    return found(rates.high < 90.0, rates.high - rates.low > DECIDES, rates=rates)


def heart(protocol: list[Row]) -> Found:
    """Gains of algorithm 1 on heart, and the best rate of all methods there."""
    rows = algorithm_1(protocol, "heart_statlog")
    if not rows:
        raise NoRow("Heart was not run.")
    best = max(row["rate %"] for row in protocol if row["data"] == "heart_statlog")
    is_near = best > PRINTED["heart_statlog"]["algorithm 1"] - NEAR
    return found(is_near, any(map(is_ahead, rows)), rows=rows, best=best)


def breast_cancer(protocol: list[Row]) -> Found:
    """Gains of algorithm 1 on both versions of breast cancer, by the paper's protocol."""
    at = keyed(protocol, "data", "method", "chosen by")
    sets = [
        at[data, "algorithm 1", PAPERS] | {"name": name, "plain": at[data, PLAIN, PAPERS]["rate %"]}
        for data, name in CANCERS.items()
        if (data, "algorithm 1", PAPERS) in at
    ]
    return counted(map(is_ahead, sets), in_part=0.0, sets=sets)


def rho(protocol: list[Row]) -> Found:
    """Rates on heart by ρ."""
    values = {
        name.rpartition("= ")[2]: row["rate %"]
        for row in protocol
        if row["data"] == "heart_statlog" and (name := row["method"]).startswith("algorithm 1, ρ")
    }
    if not values:
        raise NoRow("No ρ was tried.")
    rates = [{"rho": name, "rate": rate} for name, rate in values.items()]
    return found(False, values["0"] < max(values.values()) - NEAR, rates=rates)


def correlations(correlation: list[Row]) -> Found:
    """What a full Q gains over a diagonal one, where a direction is known and on real data."""
    full = [
        row | {"short": row["method"].partition(",")[0]}
        for row in correlation
        if row["less diagonal"] is not None
    ]
    known = [row for row in full if row["data"] == next(iter(BANDS))]
    real = [row for row in full if row["data"] not in BANDS]
    known_gain, real_gain = (all(is_ahead(row, of="diagonal") for row in rows) for rows in (known, real))
    at = keyed(correlation, "data", "method")
    return found(
        bool(real) and known_gain and real_gain,
        known_gain,
        known=known,
        real=real,
        rates=[at[real[0]["data"], PLAIN], *real] if real else [],
        better="is better there" if real_gain else "is not better there for both, beyond chance",
    )


def scaling_is_similar(table2: list[Row]) -> Found:
    """How far adaptive scaling is from the SVM on real data."""
    sets = []
    for data, rows in grouped(table2, "data").items():
        at = keyed(rows, "method")
        scaling, plain = at["adaptive scaling"], at["SVM (RBF + grid)"]
        sets.append({"data": data, "gap": scaling["rate %"] - plain["rate %"], "error": scaling["± s.e."]})
    return found(all(abs(one["gap"]) <= 2 * one["error"] for one in sets), sets=sets)


def exactness(table2: list[Row]) -> Found:
    """How far the method is from that of Glasmachers and Igel on real data."""
    sets = []
    for data, rows in grouped(table2, "data").items():
        at = keyed(rows, "method")
        sets.append({"data": data, "gap": at["paper 003"]["rate %"] - at["Glasmachers, Igel"]["rate %"]})
    return found(None, sets=sets)


GAIN = "{rate %:.2f}, {less SVM:+.2f} ± {± s.e. of that:.2f} against the SVM"
OVER = "{data} {less diagonal:+.2f} ± {± s.e. of that:.2f} ({short})"
CLAIMS = (
    Claim(
        "w is convex in each entry of Q, so that its minimum exists and is unique",
        "section 2.3.1",
        lambda convexity: found(all(row["above the chord"] == 0 for row in convexity), rows=convexity),
        "At random Q w is above the mean of its values on both sides in one entry: "
        "[rows, ρ = {ρ:g} {above the chord} of {draws}]",
        "Terms of pairs with equal labels are concave, and so is the ρ-term where k is below half of k′: "
        "there are local minima, and the start decides",
    ),
    Claim(
        "2 of 52 features: 93.36 % against 90.63 (adaptive scaling), 65.85 (Glasmachers, Igel), 51.28 (SVM)",
        f"{TOY}, table 1",
        toy_rates,
        "starts chosen by cross-validation, w minimised: [rows, {method} {rate %:.1f}], SVM {plain:.1f}"
        "[printed? ; ][printed; algorithm 1 itself from the plain machine's width, {how}: {rate %:.1f} ± "
        "{± s.e.:.1f}]",
        "The criterion gains over the plain machine, which the noise misleads, if it is minimised from a "
        "good start. It does not gain over the two rivals, and algorithm 1 alone does not reach the rate",
    ),
    Claim(
        "The start does not affect the result significantly",
        f"{TOY}, figure 1",
        start_matters,
        "Over σ₀ × 52 from 0.2 to 10: {ours:.1f} % with w minimised, {printed:.1f} with the printed step and "
        "α trained at every point[both? ; algorithm 1 from one start: ][both, {many:.1f} with inner loops of "
        "60 steps, {one:.1f} with one step]",
        "It holds for the criterion, whose minimum conjugate gradients find from all of these starts, and "
        "not for the printed step, let alone for the printed algorithm",
    ),
    Claim(
        "It is always better than adaptive scaling and the plain machine",
        f"{TOY}, figure 1",
        always_better,
        "At least level with adaptive scaling at {n_better} of {n_all} starts; the plain machine has "
        "{plain:.1f} % at every width",
        "It holds against the plain machine",
    ),
    Claim(
        "The 65.85 % of Glasmachers and Igel come from noise, and from a single parameter for the size",
        TOY,
        fixed_trace,
        "From {rates:.1f} % by the start alone, on the same noisy points",
        "The second reason is right: they keep the trace of the start, so the start decides the rate. Noise "
        "is not the reason, because from a good start they are as good as the others",
    ),
    Claim(
        "Heart: 92.93 % against 85.97 % for the SVM",
        REAL,
        heart,
        f"[rows; {{how}}: {GAIN}]. The best of all methods, ρ and protocols here is {{best:.2f}} %",
        "No setting comes near 92.93. The paper prints neither ρ nor its partitions",
    ),
    Claim(
        "Breast cancer: 94.75 % against 92.24 % for the SVM",
        REAL,
        breast_cancer,
        f"By the paper's protocol, [sets; {{name}}: SVM {{plain:.2f}}, algorithm 1 {GAIN}]",
        "The plain machine is better than all rates of the paper, with 10 features as with 9",
    ),
    Claim(
        "The ρ-term is more adapted than a constant trace to constrain the size of the kernel",
        "section 3.2",
        rho,
        "Heart by the paper's protocol: [rates, ρ = {rho}: {rate:.2f}]",
        "Without ρ the metric grows without limit, so some ρ is needed. The paper does not say which one. On "
        "Weston's data the constant trace is as good from a good start (table 1)",
    ),
    Claim(
        "It captures the correlation between features, which leads to better rates on real data",
        "section 3.2; section 4",
        correlations,
        f"Points of a full Q over a diagonal one: [known, {OVER}], where [known and "
        "{share of the direction:.2f}] of the trace of Q lie along the one direction that counts, of the "
        f"plain metric {1 / N_BAND:.2f}[real? ; on real data [real, {OVER}], of rates of "
        "[rates, {method} {rate %:.2f}]]",
        "Where a direction across all features decides, w finds it, which no diagonal Q can.[real?  The "
        "paper has no diagonal Q beside the full one on real data; the full one {better}, and the gain over "
        "the SVM is judged in the rows above]",
    ),
    Claim(
        "Adaptive scaling is similar to the SVM on real data, whose features are all relevant",
        "section 3.2",
        scaling_is_similar,
        "Less the SVM: [sets, {data} {gap:+.2f} points]",
        "We call rates similar if they differ by at most two standard errors",
    ),
    Claim(
        "The method is better than Glasmachers and Igel because its criterion is exact",
        "section 3.2",
        exactness,
        "With starts chosen by cross-validation, less Glasmachers and Igel: [sets, {data} {gap:+.2f} points]",
        "Rates do not show a reason, and there is no gain here to explain",
    ),
)
