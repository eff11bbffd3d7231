"""Rules that judge the claims of paper 004 (Yin and Yin 2016)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelwise.selection.yin import CRITERIA
from kernelwise.studies.claims import Found, Range, counted, found
from kernelwise.studies.tables import NoRow, Row, grouped, keyed
from kernelwise.studies.yin.theory import OF_A_LINE, OF_ALL, equation_16, slope, spearman

#: Rank correlations that differ by less are called level.
LEVEL = 0.005
#: DBTC is far from the accuracy if ESDR leads by more than the first; a correlation above the second agrees.
HUGE, AGREEMENT = 0.1, 0.7
TIC_TAC_TOE = ("tic_tac_toe", "tic_tac_toe_xob")


def correlations(follows: list[Row]) -> dict[str, Row]:
    """The rank correlations of all criteria by set; −1 where one of the two curves is level."""
    rows = [
        {"data": name} | {row["criterion"]: _number(row["rank correlation"]) for row in of_set}
        for name, of_set in grouped(follows, "data").items()
    ]
    return keyed(rows, "data")


def _number(correlation: float | None) -> float:
    return -1.0 if correlation is None else float(correlation)


def conforms(follows: list[Row]) -> Found:
    """On how many sets ESDR follows the accuracy best, or as well as the best."""
    sets = list(correlations(follows).values())
    best = [max(one[criterion] for criterion in CRITERIA) for one in sets]
    return counted((one["esdr"] >= r - LEVEL for one, r in zip(sets, best, strict=True)), sets=sets)


def opposite_steps(follows: list[Row]) -> Found:
    """How often criterion and accuracy move in opposite directions, on average over the sets."""
    by_criterion = grouped(follows, "criterion")
    share = {name: np.mean([row["opposite steps"] for row in by_criterion[name]]) for name in CRITERIA}
    shares = [{"criterion": name.upper(), "share": 100 * value} for name, value in share.items()]
    return found(share["esdr"] == 0, share["esdr"] < min(share["dbtc"], share["j4"]), shares=shares)


def torn(follows: list[Row]) -> Found:
    """Where DBTC follows the accuracy much worse than ESDR."""
    at = correlations(follows)
    sets = [at[name] for name in ("banknote", "vertebral_2c", "ilpd") if name in at]
    return counted((one["dbtc"] < one["esdr"] - HUGE for one in sets), in_part=0.0, sets=sets, huge=HUGE)


def j4_agrees(follows: list[Row]) -> Found:
    """Whether J4 follows the accuracy as well as ESDR on the first two sets, and not on the third."""
    at = correlations(follows)
    sets = [at[name] for name in ("banknote", "planning_relax", "vertebral_2c")]
    behind = [one["esdr"] - one["j4"] for one in sets]
    agrees = [gap <= LEVEL for gap in behind]
    return found(agrees == [True, True, False] and behind[2] > HUGE, all(agrees[:2]), sets=sets)


def j4_reversed(follows: list[Row]) -> Found:
    """Where J4 falls as the accuracy rises."""
    at = correlations(follows)
    sets = [at["ilpd"], *(at[name] for name in TIC_TAC_TOE if name in at)]
    return found(all(one["j4"] < 0 for one in sets), sets[0]["j4"] < 0, sets=sets)


def maxima(follows: list[Row]) -> Found:
    """Whether sets have the same order by the largest ESDR and by the best accuracy."""
    rows = grouped(follows, "criterion")["esdr"]
    apart, others = ([row for row in rows if (row["data"] in TIC_TAC_TOE) == b] for b in (True, False))
    if len(others) < 2:
        raise NoRow("One set has no order.")
    others.sort(key=lambda row: (row["largest value"], row["best accuracy"]), reverse=True)
    accuracies = [row["best accuracy"] for row in others]
    return found(accuracies == sorted(accuracies, reverse=True), others=others, apart=apart)


def more_accurate(table2: list[Row]) -> Found:
    """On how many sets ESDR-CV is at least as accurate as the other two; and impossible printed cells."""
    sets = _but_for_banknote(table2)
    is_first = {
        name: rows["esdr"]["accuracy"] >= max(rows[c]["accuracy"] for c in ("dbtc", "j4"))
        for name, rows in sets.items()
    }
    below = [row | {"who": row["method"].upper()} for row in table2 if row["paper's"] < row["larger class"]]
    first = [{"data": name} for name, is_so in is_first.items() if is_so]
    return counted(is_first.values(), in_part=0.0, first=first, below=below)


def against_grid(table2: list[Row]) -> Found:
    """How much more accurate the full grid is than ESDR-CV, and how much longer it takes."""
    sets = _but_for_banknote(table2)
    pairs = {name: (rows["grid search"], rows["esdr"]) for name, rows in sets.items()}
    gaps = {name: grid["accuracy"] - esdr["accuracy"] for name, (grid, esdr) in pairs.items()}
    times = Range.of([grid["seconds"] / esdr["seconds"] for grid, esdr in pairs.values()])
    return found(
        all(gap <= pairs[name][1]["± s.e."] for name, gap in gaps.items()),
        times.low > 1,
        gaps=[{"data": name, "points": 100 * gap} for name, gap in gaps.items()],
        times=times,
    )


def _but_for_banknote(table2: list[Row]) -> dict[str, dict[str, Row]]:
    """The rows of the other sets by set and method."""
    sets = {name: keyed(rows, "method") for name, rows in grouped(table2, "data").items()}
    sets.pop("banknote", None)
    if not sets:
        raise NoRow("There are no other sets.")
    return sets


def linear_limit(wide: list[Row]) -> Found:
    """With which power of σ the C of two accuracies grows."""
    line, rows = (
        [{"power": power}] if (power := slope(wide, f"C for {level}")) is not None else []
        for level in (OF_A_LINE, OF_ALL)
    )
    is_square = any(abs(one["power"] - 2) < 0.5 for one in line)
    return found(False, is_square, line=line, rows=rows, of_a_line=OF_A_LINE, of_all=OF_ALL)


def wide_end(curves: list[Row]) -> Found:
    """How much accuracy the widest kernel loses against the best one on two sets."""
    by_set = grouped(curves, "data")
    sets = []
    for name in ("banknote", "vertebral_2c"):
        accuracies = [row["cv accuracy"] for row in by_set[name]]
        sets.append({"data": name, "fall": 100 * (max(accuracies) - accuracies[-1])})
    banknote, vertebral = (one["fall"] for one in sets)
    return found(0 < vertebral < banknote, vertebral > 0, sets=sets)


def step_to_impulse(figure3: list[Row]) -> Found:
    """How far ESDR comes down from its peak, by the difference of the two covariances.

    A fall is a share of the height of the peak: 0 for a step, 1 for an impulse.
    """
    falls: dict[int, list[float]] = {gap: [] for gap in range(5)}
    for (i, j), rows in grouped(figure3, "row", "column").items():
        values = np.array([row["esdr"] for row in rows])
        falls[abs(i - j)].append(float((values.max() - values[-1]) / (values.max() - 1.0)))
    means = [float(np.mean(falls[gap])) for gap in range(5)]
    return found(
        bool(np.all(np.diff(means) >= 0) and means[0] < 0.01), falls=[{"mean": mean} for mean in means]
    )


def samples_vary(figure9: list[Row]) -> Found:
    """How ESDR of samples follows the accuracy on two images."""
    images = []
    for image, rows in grouped(figure9, "row", "column").items():
        r = spearman(*(np.array([row[column] for row in rows]) for column in ("esdr", "cv accuracy")))
        images.append({"image": image, "correlation": np.nan if r is None else r})
    agrees = [one["correlation"] > AGREEMENT for one in images]
    return counted(agrees, in_part=0.0, images=images, agreement=AGREEMENT)


def mixed_is_one(mixed: list[Row], limits: Sequence[Row] = ()) -> Found:
    """ESDR of classes that are one, and sets on which it is less than that."""
    worst = max(abs(row["without self-pairs"] - 1) for row in mixed)
    below = [row for row in limits if row["original space"] < 1]
    is_so = all(abs(row["ESDR"] - 1) < 0.001 for row in mixed)
    return found(is_so, worst < 0.01, rows=mixed, worst=worst, below=below)


def original_space(limits: list[Row]) -> Found:
    """How far ESDR is from that of the original space at two wide kernels."""
    columns = [column for column in limits[0] if column.startswith("relative")]
    worst = [max(row[column] for row in limits) for column in columns]
    names = [column.removeprefix("relative difference ") for column in columns]
    return found(
        worst[-1] < 1e-3 and worst[-1] < worst[0],
        differences=[{"value": v, "at": name} for v, name in zip(worst, names, strict=True)],
    )


def narrow_is_one(limits: list[Row]) -> Found:
    """ESDR at a narrow kernel beside n/(n − 2), on sets of different rows and on sets with repeated ones."""
    distinct, copied = ([row for row in limits if bool(row["repeated rows"]) == b] for b in (False, True))
    away = [abs(row["at σ = 2^-12"] / row["n/(n − 2)"] - 1) for row in distinct]
    return found(
        False,
        all(gap < 1e-6 for gap in away),
        distinct=[{"away": max(away), "n": len(away)}] if away else [],
        both="; " if distinct and copied else "",
        copied=copied,
    )


def only_normalised(figure3: list[Row]) -> Found:
    """How well equation 16 holds for kernels that are not normalised, whatever the table says."""
    return found(False, difference=equation_16())


def numerators(figure3: list[Row]) -> Found:
    """A fact, whatever the table says: for classes of one size ESDR is a function of J4."""
    return found(False, in_part=True)
