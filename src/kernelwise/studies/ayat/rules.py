"""Rules that judge the claims of paper 001 (Ayat and others 2002)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelwise.studies.ayat.real_sets import N_TEST, TUNED_SVC, sign_rows, tuned_pairs
from kernelwise.studies.ayat.searches import FEW, PAPER_STD, SIZES
from kernelwise.studies.claims import Found, Range, counted, found
from kernelwise.studies.notions import (
    AGREES,
    COMPARABLE,
    MOST,
    MUCH,
    NEARLY_ALL,
    SURE_P,
    SURE_Z,
    agrees,
    error_of_share,
    is_significant,
    rank_correlation,
)
from kernelwise.studies.tables import NoRow, Row, grouped, keyed


def decay(figure1: list[Row]) -> Found:
    """Kernel values at the largest distance."""
    far = max(row["distance"] for row in figure1)
    values = [row for row in figure1 if row["distance"] == far]
    kmod, others = (
        Range.of([row["value"] for row in values if row["kernel"].startswith("KMOD") == is_kmod])
        for is_kmod in (True, False)
    )
    is_so = kmod.low > others.high and kmod.high < 1
    return found(is_so, kmod.high > others.high, far=far, values=values)


def at_paper_std(synthetic: list[Row]) -> dict[str, Row]:
    """Rows of the table by method, where the Gaussians have the paper's size."""
    return keyed((row for row in synthetic if row["std"] == PAPER_STD), "method")


def search_ends(synthetic: list[Row], method: str = "") -> Found:
    """How many draws of a search end with few support vectors."""
    row = at_paper_std(synthetic)[method]
    others = [{"n": round((1 - row["few"]) * row["draws"]), "most": row["most"]}] if row["few"] < 1 else []
    values = {"share": 100 * row["few"], "limit": FEW, "others": others}
    return found(row["few"] >= NEARLY_ALL, row["few"] > MOST, **values, **row)


def faster(synthetic: list[Row]) -> Found:
    """Iterations of quasi-Newton beside those of descent."""
    at = at_paper_std(synthetic)
    newton, descent = (at[search]["iterations"] for search in ("quasi-Newton", "descent"))
    is_so, in_part = MUCH * newton < descent, newton < descent
    return found(is_so, in_part, newton=newton, descent=descent, much=MUCH)


def never_rises(synthetic: list[Row]) -> Found:
    """In how many draws a search raised the objective."""
    at = at_paper_std(synthetic)
    newton, descent = (100 * at[search]["rises"] for search in ("quasi-Newton", "descent"))
    return found(newton == 0 and descent > 100 * MOST, newton == 0, newton=newton, descent=descent)


def partial_gradient(synthetic: list[Row]) -> Found:
    """How many draws end well with the paper's gradient."""
    row = at_paper_std(synthetic)["quasi-Newton, paper's gradient"]
    ends = Range(row["fewest"], row["most"])
    return found(row["few"] > MOST, share=100 * row["few"], draws=row["draws"], ends=ends, limit=FEW)


def curves_of(curves: list[Row], method: str) -> list[list[Row]]:
    """The curves of a method by draw, where the Gaussians have the paper's size."""
    rows = grouped(curves, "std", "method")[PAPER_STD, method]
    return list(grouped(rows, "draw").values())


def minima_agree(curves: list[Row]) -> Found:
    """Rank correlation of E and the test error over the iterations of descent."""
    descent = curves_of(curves, "descent")
    pairs = [([row[c] for row in curve] for c in ("objective", "test_error")) for curve in descent]
    ranks = [rank for pair in pairs if (rank := rank_correlation(*pair)) is not None]
    if not ranks:
        raise NoRow("No search moved.")
    median = float(np.median(ranks))
    end = float(np.median([curve[-1]["test_error"] for curve in descent]))
    sizes = {"n_test": SIZES[-1], "error": 100 * error_of_share(end, SIZES[-1]), "agreement": AGREES}
    return counted((agrees(rank) for rank in ranks), median=median, **sizes)


def margin_grows(curves: list[Row]) -> Found:
    """In how many draws the margin is larger at the end of descent than half way."""
    descent = curves_of(curves, "descent")
    return counted(curve[-1]["margin"] > curve[len(curve) // 2]["margin"] for curve in descent)


def first_iteration(curves: list[Row]) -> Found:
    """In how many draws the first iteration of quasi-Newton leaves fewer support vectors."""
    newton = [curve for curve in curves_of(curves, "quasi-Newton") if len(curve) > 1]
    return counted(curve[1]["n_support"] < curve[0]["n_support"] for curve in newton)


def bounds(synthetic: list[Row]) -> Found:
    """Where searches by the margin and by the VC bound end."""
    at = at_paper_std(synthetic)
    rows = [at[name] for name in ("margin", "VC bound") if name in at]
    if not rows:
        raise NoRow("There is no search by a bound.")
    is_so = [
        row["objective to"] < row["objective"]
        and not is_lower(row["test error to"], row["test error"])
        and row["support to"] > COMPARABLE * row["support"]
        for row in rows
    ]
    return counted(is_so, rows=rows, factor=COMPARABLE)


def is_lower(error: float, other: float) -> bool:
    """Whether a test error is significantly lower than another one."""
    return error < other and is_significant(other - error, error_of_share(other, SIZES[-1]))


def bad_condition(conditioning: list[Row]) -> Found:
    """Whether H is the worse conditioned, the smaller a of RBF and σ of KMOD are.

    Starts of RBF come by falling a, those of KMOD by rising σ.
    """
    rbf, kmod = (
        [row["condition of H"] for row in conditioning if row["start"].startswith(kernel)]
        for kernel in ("RBF", "KMOD")
    )
    is_so = [rbf == sorted(rbf), kmod == sorted(kmod, reverse=True)]
    can_tell = min(len(rbf), len(kmod)) > 1
    worst = max(conditioning, key=lambda row: (row["start"].startswith("KMOD"), row["condition of H"]))
    is_all = all(is_so) if can_tell else None
    return found(is_all, any(is_so), rows=conditioning, worst=worst["start"])


def divergence(conditioning: list[Row]) -> Found:
    """Per cent of the searches that diverge, by search and gradient."""
    searches = []
    for search in ("quasi-Newton", "descent"):
        for gradient in ("paper", "exact"):
            shares = [row[f"{search}, {gradient} gradient: diverged %"] for row in conditioning]
            one = {"search": search, "gradient": gradient, "share": np.mean(shares), "worst": max(shares)}
            searches.append(one)
    newton = max(one["worst"] for one in searches if one["search"] == "quasi-Newton")
    sizes = {"n_starts": len(conditioning), "draws": conditioning[0]["draws"]}
    worst = max(one["worst"] for one in searches)
    return found(newton == 0, newton < worst, searches=searches, **sizes)


def least_error(cancer: list[Row]) -> Found:
    """Errors of RBF less those of KMOD by the same rule."""
    rivals = [row for row in cancer if row["kernel"] != "KMOD" and row["tuned"] != TUNED_SVC]
    higher = [row for row in rivals if row["less KMOD"] > 0]
    sure = [row for row in higher if is_significant(row["less KMOD"], row["± s.e."])]
    values = {"majority": cancer[0]["smaller class %"], "z": keyed(sign_rows(), "against KMOD")["RBF"]["z"]}
    lists = {"rows": cancer, "rivals": rivals, "sure": sure}
    return found(len(sure) == len(rivals), len(higher) == len(rivals), n_test=N_TEST, **values, **lists)


def better_than_rivals(rivals: list[Row]) -> Found:
    """How far the errors of other classifiers are from KMOD's."""
    known = [row for row in rivals if row["error %"] is not None]
    is_so = (row["less KMOD"] > 0 and is_significant(row["less KMOD"], row["± s.e."]) for row in known)
    return counted(is_so, in_part=0.0, known=known)


def right_signs(signs: list[Row]) -> Found:
    """Whether the plus signs of tables 2 and 3 are where the printed numbers differ significantly."""
    return counted((row["significant"] == row["paper's plus"] for row in signs), signs=signs, sure=SURE_Z)


def recognition(digits: list[Row], gains: Sequence[Row] = ()) -> Found:
    """By how much tuning raises the recognition rates, here and in the paper's own table."""
    ours = [
        {**after, "gain": after["recognised %"] - before["recognised %"]}
        for after, before in tuned_pairs(digits)
    ]
    up = [row for row in ours if row["gain"] > 0]
    n_sure, n_all = sum(row["p of tuning"] < SURE_P for row in up), len(ours)
    counts = {"n_up": len(up), "n_sure": n_sure, "n_all": n_all}
    lists = {"gains": ours, "paper": gains, "unsure": [row for row in gains if not row["significant"]]}
    return found(n_sure == n_all, n_sure > 0, p=SURE_P, z=SURE_Z, **lists, **counts)


def better_than_rbf(digits: list[Row]) -> Found:
    """In how many rows KMOD is significantly better than each rival, and in how many worse, by two tests."""
    rows = [row for row, _ in tuned_pairs(digits) if row["kernel"] in ("RBF", "polynomial 3")]
    sure = [row for row in rows if row["p against KMOD"] < SURE_P]
    better, worse = ([row for row in sure if row["z against KMOD"] * sign > 0] for sign in (-1, 1))
    rivals = [
        {
            "kernel": kernel,
            "n_all": len(of),
            "n_z": sum(row["z against KMOD"] < -SURE_Z for row in of),
            "n_better": sum(row in better for row in of),
            "n_worse": sum(row in worse for row in of),
        }
        for kernel, of in grouped(rows, "kernel").items()
    ]
    in_part = bool(better) and not worse
    return found(len(better) == len(rows), in_part, rivals=rivals, worse=worse)


def few_iterations(digits: list[Row], fewest: int = 0, most: int = 0) -> Found:
    """The fewest and the most iterations of a pair of digits, beside the paper's."""
    counts = [text.split(" to ") for row, _ in tuned_pairs(digits) if (text := row["iterations"])]
    ends = Range.of([int(count) for both in counts for count in both])
    return found(fewest <= ends.low and ends.high <= most, ends.high <= most, ends=ends)


def fewer_support_vectors(digits: list[Row]) -> Found:
    """In how many rows tuning leaves fewer support vectors."""
    return counted(after["support"] < before["support"] for after, before in tuned_pairs(digits))
