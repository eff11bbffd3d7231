"""What paper 003 (Laanaya and others 2011) claims, and what the tables of its study say of it."""

from __future__ import annotations

from collections.abc import Iterator

from kernelwise.studies._glasmachers_claims import HOLDS, NOT, OPEN, claim
from kernelwise.studies._laanaya_protocol import CANCER, OURS, PAPERS, PLAIN, PRINTED
from kernelwise.studies._study import Study
from kernelwise.studies._table import Row

HOW = {PAPERS: "by the paper's protocol", OURS: "with all choices on training points"}
SETS = {"breast_cancer_wisconsin": "9 features", "breast_cancer_libsvm_scaled": "10 features"}


def claims(study: Study) -> Iterator[Row]:
    """A row for each claim whose tables this run has."""
    tables = {name: table.rows for name, table in study.tables.items()}
    yield claim(
        "w is convex in the entries of Q, so that its minimum exists and is unique",
        "section 2.3.1",
        "terms with equal labels are concave, and the ρ-term is where k is below half of k′: local optima, "
        "and the start decides",
        NOT,
    )
    protocol = tables.get("protocol", [])
    if "table1" in tables:
        yield from _of_table1(tables["table1"], protocol)
    if "figure1" in tables:
        yield from _of_figure1(tables["figure1"], protocol)
    yield from _of_table2(protocol)
    if any(row["method"] == "adaptive scaling" for row in tables.get("table2", [])):
        yield _of_scaling(tables["table2"])
    yield claim(
        "the method is better than Glasmachers and Igel because its criterion is exact",
        "section 3.2",
        "the reason cannot be seen from rates, and with starts chosen by cross-validation the two are level "
        "on Weston's data (table 1)",
        OPEN,
    )


def _row(rows: list[Row], **wanted: str) -> Row | None:
    names = {"chosen": "chosen by"}
    found = [r for r in rows if all(r[names.get(k, k)] == v for k, v in wanted.items())]
    return found[0] if found else None


def _of_table1(rows: list[Row], protocol: list[Row]) -> Iterator[Row]:
    rates = {row["method"]: row["rate %"] for row in rows}
    text = ", ".join(
        f"{name} {rates[name]:.1f}" for name in ("adaptive scaling", "Glasmachers, Igel", "paper 003")
    )
    plain = rates["SVM (RBF + grid)"]
    parts = [f"starts chosen by cross-validation, w minimised: {text}, SVM {plain:.1f}"]
    parts += [
        f"algorithm 1 itself from the plain machine's width, {HOW[chosen]}: {row['rate %']:.1f} ± "
        f"{row['± s.e.']:.1f}"
        for chosen in (PAPERS, OURS)
        if (row := _row(protocol, data="weston", method="algorithm 1", chosen=chosen))
    ]
    yield claim(
        "2 of 52 features: 93.36 % against 90.63 (adaptive scaling), 65.85 (Glasmachers, Igel), 51.28 (SVM)",
        "table 1",
        "; ".join(parts),
        "the criterion's gain over the SVM holds; that over the two rivals does not, and algorithm 1 alone "
        "does not reach the rate",
    )


def _of_figure1(rows: list[Row], protocol: list[Row]) -> Iterator[Row]:
    def rates(method: str) -> list[float]:
        return [row["rate %"] for row in rows if row["method"] == method]

    ours, printed, rival, plain = map(
        rates, ("paper 003", "paper 003, printed step", "adaptive scaling", "SVM (RBF)")
    )
    text = (
        f"over σ₀ × 52 from 0.2 to 10: {min(ours):.1f} to {max(ours):.1f} % with w minimised, "
        f"{min(printed):.1f} to {max(printed):.1f} with the printed step and α trained at every point"
    )
    row = _row(protocol, data="weston", method="algorithm 1, one inner step", chosen=PAPERS)
    other = _row(protocol, data="weston", method="algorithm 1", chosen=PAPERS)
    if row and other:
        text += (
            f"; algorithm 1 from one start: {other['rate %']:.1f} with inner loops of 60 steps, "
            f"{row['rate %']:.1f} with one step"
        )
    yield claim(
        "the start does not affect the result significantly",
        "figure 1",
        text,
        "holds for the criterion, not for the printed algorithm",
    )
    n_better = sum(a >= b for a, b in zip(ours, rival, strict=True))
    yield claim(
        "it is always better than adaptive scaling and the plain machine",
        "figure 1",
        f"at least level with adaptive scaling at {n_better} of {len(ours)} starts; the plain machine has "
        f"{min(plain):.1f} to {max(plain):.1f} % at every width",
        "holds against the plain machine only",
    )
    fixed = rates("Glasmachers, Igel")
    yield claim(
        "the 65.85 % of Glasmachers and Igel come from noise and from a single parameter for the size",
        "section 3.1",
        f"the trace that they keep is that of the start: {min(fixed):.1f} to {max(fixed):.1f} % by the start "
        "alone, and as good as the others from a good one",
        "the second reason is right; the rate is the start's",
    )


def _gain(row: Row) -> str:
    return f"{row['rate %']:.2f}, {row['less SVM']:+.2f} ± {row['± s.e. of that']:.2f} against the SVM"


def _of_table2(protocol: list[Row]) -> Iterator[Row]:
    heart = {"data": "heart_statlog", "method": "algorithm 1"}
    parts = [
        f"{HOW[chosen]}: {_gain(row)}"
        for chosen in (PAPERS, OURS)
        if (row := _row(protocol, chosen=chosen, **heart))
    ]
    if parts:
        printed = PRINTED["heart_statlog"]
        best = max(row["rate %"] for row in protocol if row["data"] == "heart_statlog")
        yield claim(
            f"heart: {printed['algorithm 1']} % against {printed[PLAIN]} % for the SVM",
            "table 2",
            f"{'; '.join(parts)}. The best of all methods, ρ and protocols here is {best:.2f} %",
            f"{NOT}: no setting comes near {printed['algorithm 1']}",
        )
    parts = []
    for data, name in SETS.items():
        row, plain = (_row(protocol, data=data, method=m, chosen=PAPERS) for m in ("algorithm 1", PLAIN))
        if row and plain:
            parts.append(f"{name}: SVM {plain['rate %']:.2f}, algorithm 1 {_gain(row)}")
    if parts:
        yield claim(
            f"breast cancer: {CANCER['algorithm 1']} % against {CANCER[PLAIN]} % for the SVM",
            "table 2",
            f"by the paper's protocol, {'; '.join(parts)}",
            f"{NOT}: the plain machine is better than all rates of the paper, with 10 features as with 9",
        )
    sweep = [
        f"ρ = {name.rpartition('= ')[2]}: {row['rate %']:.2f}"
        for row in protocol
        if row["data"] == "heart_statlog" and (name := row["method"]).startswith("algorithm 1, ρ")
    ]
    if sweep:
        yield claim(
            "the ρ-term controls the size of the kernel better than a constant trace",
            "section 3.2",
            f"the paper does not print its ρ. Heart by its protocol: {', '.join(sweep)}",
            "without ρ the metric runs away, so that some ρ is needed; which one, the paper does not say",
        )


def _of_scaling(rows: list[Row]) -> Row:
    parts = []
    for data in dict.fromkeys(row["data"] for row in rows):
        rates = {row["method"]: row["rate %"] for row in rows if row["data"] == data}
        gap = rates["adaptive scaling"] - rates["SVM (RBF + grid)"]
        parts.append(f"{data} {gap:+.2f} points")
    return claim(
        "adaptive scaling is similar to the SVM on real data, whose features are all relevant",
        "section 3.2",
        f"less the SVM: {', '.join(parts)}",
        HOLDS,
    )
