"""The printed numbers of paper 000 (Abe 2007), and rules that judge its claims."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from kernelwise.selection.abe import CS
from kernelwise.studies.claims import Found, Range, counted, found, read_paper
from kernelwise.studies.notions import COMPARABLE, MOST, NEARLY_ALL, SURE_Z, are_comparable, is_significant
from kernelwise.studies.tables import Row, grouped, keyed


class Printed(NamedTuple):
    """A set of the paper: its test rows, and parameter, C, test and training error % of the four methods."""

    n_test: int
    rows: list[tuple[float, float, float, float]]


#: Tables 1 and 2: RBF (g), RBF (s), Diag (l), Diag (s).
PAPER = {name: Printed(**one) for name, one in read_paper(__package__)["printed"].items()}
#: The sets that can be had.
OWN = ("iris", "thyroid")
#: The largest γ of the paper's grid.
LARGEST_GAMMA = 15.0
PEAK = "interior peak"
ERRORS = (("test % at paper's", "paper's test %"), ("train % at paper's", "paper's train %"))


def attainable(percent: float, n_rows: int) -> list[int]:
    """The numbers of errors among so many rows that are printed as this share, in per cent to two digits."""
    nearest = round(percent * n_rows / 100)
    return [k for k in range(max(nearest - 2, 0), nearest + 3) if round(100 * k / n_rows, 2) == percent]


def to_the_digit(rows: list[Row]) -> tuple[int, int]:
    """How many of the printed errors our machine has, with the paper's parameter and C; and of how many."""
    same = [round(row[ours], 2) == row[paper] for row in rows for ours, paper in ERRORS]
    return sum(same), len(same)


def digit_sentences(rows: list[Row]) -> Iterator[str]:
    """How many printed errors our machine has to the digit, by set; and those that cannot occur."""
    for name, of_set in grouped(rows, "data").items():
        n_same, n_all = to_the_digit(of_set)
        yield (
            f"{name}: with the paper's own parameter and C our machine has {n_same} of the {n_all} printed "
            "errors to the digit."
        )
        for row in of_set:
            if not row["attainable"]:
                n_test, printed = PAPER[name].n_test, row["paper's test %"]
                below = int(printed * n_test / 100)
                yield (
                    f"{name}, {row['method']}: {printed} % cannot occur with {n_test} test rows ({below} "
                    f"errors are {100 * below / n_test:.2f} %, {below + 1} are "
                    f"{100 * (below + 1) / n_test:.2f} %). Ours is {row[ERRORS[0][0]]:.2f} %."
                )


def digits(own: list[Row]) -> Found:
    """How many printed errors we find, by set."""
    counts = [(name, *to_the_digit(rows)) for name, rows in grouped(own, "data").items()]
    return found(
        all(n_same == n_all for _, n_same, n_all in counts),
        any(n_same > MOST * n_all for _, n_same, n_all in counts),
        sets=[{"name": name, "n_same": n_same, "n_all": n_all} for name, n_same, n_all in counts],
    )


def printed_C(own: list[Row]) -> Found:
    """The C of table 1 that are not in the paper's list, whatever our own table says."""
    odd = sorted({C for printed in PAPER.values() for _, C, *_ in printed.rows} - set(CS))
    return found(not odd, odd=[{"C": C} for C in odd])


def by_criterion(own: list[Row], stand_ins: Sequence[Row] = ()) -> Found:
    """On how many sets γ by the criterion is larger than by the grid, and C smaller."""
    at = keyed((*own, *stand_ins), "data", "method")
    sets = list(grouped((*own, *stand_ins), "data"))
    count: dict[str, Any] = {}
    for column, sign in (("parameter", 1), ("C", -1)):
        right = [
            name for name in sets if sign * (at[name, "RBF (s)"][column] - at[name, "RBF (g)"][column]) > 0
        ]
        count |= {f"{column}_own": sum(name in OWN for name in right), column: len(right)}
        count[f"{column}_others"] = len(right) - count[f"{column}_own"]
    halves = [count[column] / len(sets) for column in ("parameter", "C")]
    return found(
        min(halves) == 1.0,
        max(halves) == 1.0 or min(halves) > MOST,
        **count,
        largest=LARGEST_GAMMA,
        n_beyond=sum(at[name, "RBF (s)"]["parameter"] > LARGEST_GAMMA for name in sets),
        n_all=len(sets),
        n_own=sum(name in OWN for name in sets),
        n_others=sum(name not in OWN for name in sets),
        paper_parameter=sum(rows[1][0] > rows[0][0] for _, rows in PAPER.values()),
        paper_C=sum(rows[1][1] < rows[0][1] for _, rows in PAPER.values()),
    )


def comparable(own: list[Row], stand_ins: Sequence[Row] = ()) -> Found:
    """On how many sets C, and δ, of the two Mahalanobis methods are comparable, here and in the paper."""
    at = keyed((*own, *stand_ins), "data", "method")
    sets = list(grouped((*own, *stand_ins), "data"))
    pairs = [(at[name, "Diag (s)"], at[name, "Diag (l)"]) for name in sets]
    near, most = {}, {}
    for column in ("C", "parameter"):
        values = [(one[column], other[column]) for one, other in pairs]
        near[column] = sum(are_comparable(*both) for both in values)
        most[column] = max(max(both) / min(both) for both in values)
    paper_delta = max(max(rows[2][0], rows[3][0]) / min(rows[2][0], rows[3][0]) for _, rows in PAPER.values())
    shares = [n / len(sets) for n in near.values()]
    return found(
        min(shares) == 1.0,
        min(shares) > MOST,
        n_C=near["C"],
        n_delta=near["parameter"],
        C=most["C"],
        delta=most["parameter"],
        n_all=len(sets),
        factor=COMPARABLE,
        paper_delta=paper_delta,
    )


def level_errors(own: list[Row], stand_ins: Sequence[Row] = ()) -> Found:
    """The largest excess of a proposed method over the best of the four, set by set."""
    gaps = []
    for name, rows in grouped((*own, *stand_ins), "data").items():
        best = min(row["test error %"] for row in rows)
        proposed = [row for row in rows if row["method"] in ("RBF (s)", "Diag (s)")]
        last = max(proposed, key=lambda row: row["test error %"])
        worst = last["test error %"]
        error = float(np.sqrt((worst * (100 - worst) + best * (100 - best)) / last["test rows"]))
        gaps.append({"name": name, "gap": worst - best, "error": error, "who": last["method"]})
    worse = [gap for gap in gaps if is_significant(gap["gap"], gap["error"])]
    is_so = {gap["name"] for gap in worse} <= {"thyroid"}
    return found(is_so, len(worse) < MOST * len(gaps), gaps=gaps, worse=worse, sure=SURE_Z)


def few_iterations(iterations: list[Row]) -> Found:
    """How many problems take at most 10 iterations."""
    counts = [row["iterations"] for row in iterations]
    own = Range.of([row["iterations"] for row in iterations if row["data"] in OWN])
    return counted((n <= 10 for n in counts), in_part=NEARLY_ALL, most=max(counts), own=own)


def second_derivative(iterations: list[Row]) -> Found:
    """For how many problems the second derivative of d² is negative all the way to the peak."""
    rows = [row for row in iterations if row["stopped at"] == PEAK]
    bad = [
        {"problem": f"{row['data']}, {row['problem']}", "share": 100 * row["second derivative"]}
        for row in sorted(rows, key=lambda row: -row["second derivative"])
        if row["second derivative"] > 0
    ]
    return counted((row["second derivative"] == 0 for row in rows), worst=bad[:3])


def third_derivative(iterations: list[Row]) -> Found:
    """For how many problems with a peak the third derivative of d² is positive, before it and beyond it."""
    rows = [row for row in iterations if row["stopped at"] == PEAK]
    before, beyond = ([row[column] for row in rows] for column in ("third derivative", "third, beyond"))
    return counted(
        (max(both) == 0 for both in zip(before, beyond, strict=True)),
        n_before=sum(share > 0 for share in before),
        n_beyond=sum(share > 0 for share in beyond),
        beyond=Range(100 * min(beyond, default=0.0), 100 * max(beyond, default=0.0)),
    )


def roots(iterations: list[Row]) -> Found:
    """For how many problems the root of equation 10 is real all the way to the peak."""
    return counted(row["no root"] == 0 for row in iterations)


def peaks(iterations: list[Row]) -> Found:
    """How many problems have a peak of d²."""
    return counted(row["stopped at"] == PEAK for row in iterations)


def seconds(times: list[Row]) -> Found:
    """Our times of the last set."""
    return found(None, **times[-1])
