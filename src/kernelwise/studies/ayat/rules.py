"""Rules that judge the claims of paper 001 (Ayat and others 2002)."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

from kernelwise.studies.ayat.real_sets import CANCER_PAPER, DIGITS, TUNED_SVC, tuned_pairs
from kernelwise.studies.ayat.searches import FEW, PAPER_STD
from kernelwise.studies.claims import Found, Range, counted, found
from kernelwise.studies.tables import NoRow, Row, grouped, keyed

#: Most of the draws, and nearly all.
MOST, NEARLY_ALL = 0.5, 0.9
#: p below which, and |z| above which, a difference is significant.
SURE_P, SURE_Z = 0.05, 1.96


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
    return found(row["few"] >= NEARLY_ALL, row["few"] > MOST, share=100 * row["few"], limit=FEW, **row)


def faster(synthetic: list[Row]) -> Found:
    """Iterations of quasi-Newton beside those of descent."""
    at = at_paper_std(synthetic)
    newton, descent = (at[search]["iterations"] for search in ("quasi-Newton", "descent"))
    return found(newton < descent / 3, newton=newton, descent=descent)


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
    ranks = [float(spearmanr(*pair).statistic) for pair in pairs]
    ranks = [rank for rank in ranks if np.isfinite(rank)]
    median, n_above = float(np.median(ranks)), sum(rank > 0 for rank in ranks)
    is_so = all(rank > 0.5 for rank in ranks)
    return found(is_so, median > 0.5, median=median, n_above=n_above, n_all=len(ranks))


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
        and row["test error to"] >= 0.9 * row["test error"]
        and row["support to"] > 2 * row["support"]
        for row in rows
    ]
    return found(all(is_so), rows=rows)


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
    return found(all(is_so) if can_tell else None, any(is_so), rows=conditioning)


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
    """Errors of both kernels after tuning by every rule."""
    best = {
        kernel: min(
            row["error % after"] for row in cancer if row["kernel"] == kernel and row["tuned"] != TUNED_SVC
        )
        for kernel in CANCER_PAPER
    }
    return found(False, best["KMOD"] <= best["RBF"], rows=cancer, majority=cancer[0]["smaller class %"])


def better_than_rivals(rivals: list[Row]) -> Found:
    """How far the errors of other classifiers are from KMOD's."""
    known = [row for row in rivals if row["error %"] is not None]
    return counted((row["less KMOD"] > 2 * row["± s.e."] for row in known), in_part=0.0, known=known)


def recognition(digits: list[Row]) -> Found:
    """By how much tuning raises the recognition rates."""
    gains = [
        {**after, "gain": after["recognised %"] - before["recognised %"]}
        for after, before in tuned_pairs(digits)
    ]
    up = [row for row in gains if row["gain"] > 0]
    n_sure, n_all = sum(row["p of tuning"] < SURE_P for row in up), len(gains)
    counts = {"n_up": len(up), "n_sure": n_sure, "n_all": n_all}
    printed = {kernel: numbers for kernel, (_, numbers) in DIGITS.items()}
    paper = [{"kernel": kernel, "gain": after - before} for kernel, (before, _, after, _) in printed.items()]
    return found(n_sure == n_all, len(up) > n_all / 2, gains=gains, paper=paper, **counts)


def better_than_rbf(digits: list[Row]) -> Found:
    """In how many rows KMOD is significantly better than its rivals, by two tests."""
    rivals = [row for row, _ in tuned_pairs(digits) if row["kernel"] in ("RBF", "polynomial 3")]
    n_z = sum(row["z against KMOD"] < -SURE_Z for row in rivals)
    is_paired = [row["z against KMOD"] < 0 and row["p against KMOD"] < SURE_P for row in rivals]
    return counted(is_paired, in_part=0.0, n_z=n_z)


def few_iterations(digits: list[Row]) -> Found:
    """The fewest and the most iterations of a pair of digits."""
    counts = [text.split(" to ") for row, _ in tuned_pairs(digits) if (text := row["iterations"])]
    ends = Range.of([int(count) for both in counts for count in both])
    return found(ends.low >= 1 and ends.high <= 10, ends=ends)


def fewer_support_vectors(digits: list[Row]) -> Found:
    """In how many rows tuning leaves fewer support vectors."""
    return counted(after["support"] < before["support"] for after, before in tuned_pairs(digits))
