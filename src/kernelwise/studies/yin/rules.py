"""Rules that judge the claims of paper 004 (Yin and Yin 2016).

Claims in which accuracies have a part are judged on sets that have a signal (`notions.has_signal`), which
tables say. A claim that names a set without one cannot hold in whole. Where a set has repeated rows, the
folds that keep copies together count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import factorial

import numpy as np

from kernelwise.selection.yin import CRITERIA
from kernelwise.studies.claims import Found, Range, beside_all, counted, found
from kernelwise.studies.notions import (
    AGREES,
    BETTER,
    EQUAL,
    EXACT,
    MOST,
    MUCH,
    OF_POWER,
    SURE_P,
    agrees,
    are_comparable,
    can_be_chance,
    has_signal,
    is_reverse,
    is_significant,
    rank_correlation,
)
from kernelwise.studies.tables import NoRow, Row, grouped, keyed
from kernelwise.studies.yin.over_sigma import OF_A_LINE, OF_ALL, equation_16, slope
from kernelwise.studies.yin.repeated import PAPERS

TIC_TAC_TOE = ("tic_tac_toe", "tic_tac_toe_xob")
RIVALS = ("dbtc", "j4")


def fair(rows: Sequence[Row]) -> list[Row]:
    """Rows with the folds that part no copies: of a set without copies those of the paper."""
    kept = [list(grouped(of_set, "folds").values())[-1] for of_set in grouped(rows, "data").values()]
    return [row for one in kept for row in one]


def correlations(follows: Sequence[Row]) -> list[Row]:
    """A row for each set: the rank correlations of all criteria, and whether there is a signal to follow."""
    return [
        {"data": name, "signal": of_set[0]["signal"], "widths": of_set[0]["widths"]}
        | {row["criterion"]: row["rank correlation"] for row in of_set}
        for name, of_set in grouped(follows, "data").items()
    ]


def told(sets: Iterable[Row]) -> list[Row]:
    """Rank correlations as text: "undefined" where accuracies do not vary."""
    text = {None: "undefined"}
    return [one | {c: text.get(one[c]) or f"{one[c]:.2f}" for c in CRITERIA} for one in sets]


def judged(follows: list[Row], names: Sequence[str] = ()) -> tuple[list[Row], dict[str, list[Row]]]:
    """The sets that have a signal, and what sentences say of all: those with, those without, with copies."""
    sets = [one for one in correlations(fair(follows)) if not names or one["data"] in names]
    seen, blind = ([one for one in sets if one["signal"] == b] for b in (True, False))
    copied = {name for name, rows in grouped(follows, "data").items() if len(grouped(rows, "folds")) > 1}
    papers = [row for row in follows if row["folds"] == PAPERS and row["data"] in copied]
    leaked = [one for one in correlations(papers) if not names or one["data"] in names]
    if not seen:
        raise NoRow("None of these sets was run and has a signal.")
    return seen, {"sets": told(seen), "blind": told(blind), "leaked": told(leaked)}


@beside_all
def conforms(follows: list[Row]) -> Found:
    """On how many sets ESDR follows the accuracy better than both others."""
    seen, values = judged(follows)
    leads = [agrees(one["esdr"]) and all(is_better(one, "esdr", rival) for rival in RIVALS) for one in seen]
    best = [{"data": one["data"]} for one, is_so in zip(seen, leads, strict=True) if is_so]
    told_of = {"best": best, "widths": seen[0]["widths"], "better": BETTER, "agrees": AGREES, **values}
    return counted(leads, MOST, **told_of)


def is_better(one: Row, first: str, second: str) -> bool:
    """Whether a criterion follows the accuracy of a set better than another one; level ones do not."""
    if one[first] is None or one[second] is None:
        return False
    return bool(one[first] >= one[second] + BETTER)


@beside_all
def opposite_steps(follows: list[Row]) -> Found:
    """How often criterion and accuracy move in opposite directions, on average over the sets."""
    by_criterion = grouped([row for row in fair(follows) if row["signal"]], "criterion")
    share = {name: float(np.mean([row["opposite steps"] for row in by_criterion[name]])) for name in CRITERIA}
    shares = [{"criterion": name.upper(), "share": 100 * value} for name, value in share.items()]
    n_sets = len(by_criterion["esdr"])
    return found(share["esdr"] == 0, share["esdr"] < min(share[c] for c in RIVALS), shares=shares, n=n_sets)


@beside_all
def torn(follows: list[Row]) -> Found:
    """On how many of three sets DBTC does not agree with the accuracy."""
    seen, values = judged(follows, ("banknote", "vertebral_2c", "ilpd"))
    is_so = [not agrees(one["dbtc"]) for one in seen]
    worse = [one for one in seen if is_better(one, "dbtc", "esdr")]
    in_part = any(is_so)
    n_all = len(values["sets"]) + len(values["blind"])
    return found(sum(is_so) == n_all, in_part, worse=told(worse), agrees=AGREES, better=BETTER, **values)


@beside_all
def j4_agrees(follows: list[Row]) -> Found:
    """Whether J4 agrees with the accuracy on the first two sets, and not on the third."""
    expected = {"banknote": True, "planning_relax": True, "vertebral_2c": False}
    seen, values = judged(follows, tuple(expected))
    is_so = [agrees(one["j4"]) == expected[one["data"]] for one in seen]
    return found(all(is_so) and len(is_so) == len(expected), any(is_so), agrees=AGREES, **values)


@beside_all
def j4_reversed(follows: list[Row]) -> Found:
    """On how many of the last two sets J4 falls as the accuracy rises."""
    seen, values = judged(follows, ("ilpd", *TIC_TAC_TOE))
    is_so = [is_reverse(one["j4"]) for one in seen]
    n_all = len(values["sets"]) + len(values["blind"])
    return found(sum(is_so) == n_all, any(is_so), reverse=-AGREES, **values)


@beside_all
def maxima(follows: list[Row]) -> Found:
    """Whether sets have the same order by the largest ESDR and by the best accuracy, pair by pair."""
    rows = grouped(fair(follows), "criterion")["esdr"]
    rows.sort(key=lambda row: (row["largest value"], row["best accuracy"]), reverse=True)
    apart = [row for row in rows if row["data"] in TIC_TAC_TOE]
    others, blind = ([row for row in rows if row not in apart and row["signal"] == b] for b in (True, False))
    pairs = list(combinations(others, 2))
    if not pairs:
        raise NoRow("One set has no order.")
    gaps = [one["best accuracy"] - other["best accuracy"] for one, other in pairs]
    errors = [float(np.hypot(one["± s.e."], other["± s.e."])) for one, other in pairs]
    is_sure = [is_significant(*both) for both in zip(gaps, errors, strict=True)]
    n_right = sum(sure and gap > 0 for sure, gap in zip(is_sure, gaps, strict=True))
    n_sure, n_all = sum(is_sure), len(pairs)
    # One pair in the wrong order is enough against the claim, but the right order of few sets tells nothing.
    is_open = n_right == n_sure and can_be_chance(len(others))
    return found(
        None if is_open else n_right == n_all,
        n_right == n_sure,
        **{"n_right": n_right, "n_level": n_all - n_sure, "n_all": n_all, "n_sets": len(others)},
        **{"others": others, "apart": apart, "blind": blind, "orders": factorial(len(others))},
    )


@beside_all
def more_accurate(table2: list[Row]) -> Found:
    """On how many sets ESDR-CV is more accurate than the other two, here and in the paper's own table."""
    seen, blind = by_method(row for row in table2 if row["data"] != "banknote")
    ahead, sure = [], []
    for name, rows in seen.items():
        gains = [rows["esdr"]["accuracy"] - rows[rival]["accuracy"] for rival in RIVALS]
        if min(gains) > 0:
            ahead.append({"data": name, "points": 100 * min(gains)})
            sure.append(all(rows[rival]["p against ESDR"] < SURE_P for rival in RIVALS))
    printed = {
        name.removesuffix("_xob"): all(rows["esdr"]["paper's"] > rows[rival]["paper's"] for rival in RIVALS)
        for name, rows in {**seen, **blind}.items()
    }
    cells = [
        row | {"who": row["method"].upper()} for rows in {**seen, **blind}.values() for row in rows.values()
    ]
    below = [row for row in cells if row["paper's"] < row["larger class"]]
    tied = [{"data": name} for name, is_so in printed.items() if not is_so]
    counts = {"n_ahead": len(ahead), "n_sure": sum(sure), "n_all": len(seen), "n_printed": len(printed)}
    n_strict = len(printed) - len(tied)
    lists = {"ahead": ahead, "below": below, "tied": tied, "blind": [{"data": name} for name in blind]}
    return found(sum(sure) == len(seen), any(sure), n_strict=n_strict, **lists, **counts)


@beside_all
def against_grid(table2: list[Row]) -> Found:
    """How much more accurate the full grid is than ESDR-CV, and how much longer it takes."""
    seen, blind = by_method(row for row in table2 if row["data"] != "banknote")
    pairs = {name: (rows["grid search"], rows["esdr"]) for name, rows in seen.items()}
    gaps = [
        {"data": name, "points": 100 * (grid["accuracy"] - esdr["accuracy"]), "p": grid["p against ESDR"]}
        for name, (grid, esdr) in pairs.items()
    ]
    times = Range.of([grid["CPU seconds"] / esdr["CPU seconds"] for grid, esdr in pairs.values()])
    worse = [gap for gap in gaps if gap["points"] > 0 and gap["p"] < SURE_P]
    is_fast, in_part = times.low > MUCH, len(worse) < len(gaps)
    lists = {"gaps": gaps, "worse": worse, "blind": [{"data": name} for name in blind]}
    return found(is_fast and not worse, is_fast and in_part, times=times, **lists)


def by_method(table2: Iterable[Row]) -> tuple[dict[str, dict[str, Row]], dict[str, dict[str, Row]]]:
    """The rows by set and method: of the sets with a signal, and of those without one."""
    sets = {name: keyed(rows, "method") for name, rows in grouped(fair(list(table2)), "data").items()}
    seen = {name: rows for name, rows in sets.items() if rows["esdr"]["signal"]}
    if not seen:
        raise NoRow("None of these sets was run and has a signal.")
    return seen, {name: rows for name, rows in sets.items() if name not in seen}


def copies(copies: list[Row], follows: Sequence[Row] = ()) -> Found:
    """Whether printed accuracies are more than the larger class and copies, on sets with repeated rows."""
    empty = [row for row in copies if 0 < row["beyond it"] <= row["most"] - row["larger class"]]
    shown = [{"data": name} for name in grouped(copies, "data") if all(row["data"] != name for row in empty)]
    blind = [one for one in correlations(fair(follows)) if not one["signal"]] if follows else []
    return found(not empty, bool(shown), empty=empty, shown=shown, blind=blind)


def linear_limit(wide: list[Row]) -> Found:
    """With which power of σ the C of two accuracies grows."""
    powers = [slope(wide, f"C for {level}") for level in (OF_A_LINE, OF_ALL)]
    line, rows = ([{"power": power}] if power is not None else [] for power in powers)
    is_square = [power is not None and abs(power - 2) < OF_POWER for power in powers]
    return found(
        all(is_square), any(is_square), line=line, rows=rows, of_a_line=OF_A_LINE, of_all=OF_ALL, of=OF_POWER
    )


def wide_end(curves: list[Row], ends: list[Row]) -> Found:
    """How much the widest kernel loses against the best one on two sets, and what a larger C gives back."""
    by_set, at = grouped(fair(curves), "data"), keyed(ends, "data")
    sets = []
    for name in ("banknote", "vertebral_2c"):
        accuracies = [row["cv accuracy"] for row in by_set[name]]
        fall, more = max(accuracies) - accuracies[-1], at[name]
        regained = more["with larger C"] - more["within the paper's C"]
        sets.append({**more, "fall": 100 * fall, "regained": 100 * regained})
    banknote, vertebral = sets
    is_less = 0 < vertebral["fall"] < banknote["fall"]
    return found(is_less and vertebral["regained"] > 0, vertebral["regained"] > 0, sets=sets)


def wide_distance(curves: list[Row]) -> Found:
    """On how many sets DBTC vanishes at the widest kernel, and on which the machine does well there."""
    sets = []
    for name, rows in grouped(fair(curves), "data").items():
        top, last = max(row["dbtc"] for row in rows), rows[-1]
        is_good = has_signal(last["cv accuracy"], last["larger class"], last["± s.e."])
        sets.append({"data": name, "left": last["dbtc"] / top, "rate": last["cv accuracy"], "good": is_good})
    gone = [one for one in sets if one["left"] < EQUAL]
    good = [one for one in gone if one["good"]]
    is_so = bool(good) and len(gone) == len(sets)
    return found(is_so, bool(good), good=good, n_gone=len(gone), n_all=len(sets))


def step_to_impulse(figure3: list[Row]) -> Found:
    """How far ESDR comes down from its peak, by the difference of the two covariances.

    A fall is a share of the height of the peak: 0 for a step, 1 for an impulse.
    """
    falls: dict[int, list[float]] = {gap: [] for gap in range(5)}
    for (i, j), rows in grouped(figure3, "row", "column").items():
        values = np.array([row["esdr"] for row in rows])
        falls[abs(i - j)].append(float((values.max() - values[-1]) / (values.max() - 1.0)))
    means = [float(np.mean(falls[gap])) for gap in range(5)]
    is_rising = bool(np.all(np.diff(means) >= 0))
    return found(is_rising and means[0] < EQUAL, is_rising, falls=[{"mean": mean} for mean in means])


def samples_vary(figure9: list[Row]) -> Found:
    """How ESDR of samples follows the accuracy on two images."""
    images = []
    for image, rows in grouped(figure9, "row", "column").items():
        r = rank_correlation(*([row[column] for row in rows] for column in ("esdr", "cv accuracy")))
        images.append({"image": image, "correlation": np.nan if r is None else r, "agrees": agrees(r)})
    return counted((one["agrees"] for one in images), in_part=0.0, images=images, agrees=AGREES)


def mixed_is_one(mixed: list[Row], limits: Sequence[Row] = ()) -> Found:
    """ESDR of classes that are one, and sets on which it is less than that."""
    worst = max(abs(row["without self-pairs"] - 1) for row in mixed)
    below = [row for row in limits if row["original space"] < 1]
    is_so = all(abs(row["ESDR"] - 1) < EQUAL for row in mixed)
    return found(is_so, worst < EQUAL, rows=mixed, worst=worst, below=below)


def original_space(limits: list[Row]) -> Found:
    """How far ESDR is from that of the original space at two wide kernels."""
    columns = [column for column in limits[0] if column.startswith("relative")]
    worst = [max(row[column] for row in limits) for column in columns]
    names = [column.removeprefix("relative difference ") for column in columns]
    return found(
        worst[-1] < EQUAL and worst[-1] < worst[0],
        differences=[{"value": v, "at": name} for v, name in zip(worst, names, strict=True)],
    )


def narrow_is_one(limits: list[Row]) -> Found:
    """ESDR at a narrow kernel beside n/(n − 2), on sets of different rows and on sets with repeated ones."""
    distinct, copied = ([row for row in limits if bool(row["repeated rows"]) == b] for b in (False, True))
    away = [abs(row["at σ = 2^-12"] / row["n/(n − 2)"] - 1) for row in distinct]
    return found(
        all(abs(row["at σ = 2^-12"] - 1) < EXACT for row in limits),
        all(gap < EXACT for gap in away),
        distinct=[{"away": max(away), "n": len(away)}] if away else [],
        both="; " if distinct and copied else "",
        copied=copied,
    )


def only_normalised(figure3: list[Row]) -> Found:
    """How well equation 16 holds for kernels that are not normalised, whatever the table says."""
    # What is left is rounding, whose digits differ between processors: a power of ten above it does not.
    within = 10.0 ** np.ceil(np.log10(max(equation_16(), 1e-12)))
    return found(bool(within > EXACT), within=within)


@beside_all
def numerators(table2: list[Row]) -> Found:
    """On which of the sets that the paper names ESDR and J4 choose widths that are far apart."""
    chosen, blind = (
        [
            {"data": name, "esdr": rows["esdr"]["log2 sigma"], "j4": rows["j4"]["log2 sigma"]}
            for name, rows in sets.items()
        ]
        for sets in by_method(row for row in table2 if row["data"] in ("ilpd", *TIC_TAC_TOE))
    )
    are_apart = [not are_comparable(2.0 ** one["esdr"], 2.0 ** one["j4"]) for one in chosen]
    return found(all(are_apart) and not blind, any(are_apart), chosen=chosen, blind=blind)
