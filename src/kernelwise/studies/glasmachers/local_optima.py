"""Real sets for paper 002 (Glasmachers 2006): optima of criteria over the width, and where searches end.

The optima over the width of an RBF kernel are those that the paper warns of; a start leads to one of them.
"halves" shows whether the labels of the closest pair are chance, as the paper says of noisy data, "pairs"
that one width is enough for as many optima as one likes, and "practice" how accurate machines are that two of
the criteria choose.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.signal import find_peaks
from scipy.spatial.distance import pdist, squareform
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.preprocessing import StandardScaler

from kernelwise.diagnostics import boundary_verdict
from kernelwise.estimators import TunedSVC
from kernelwise.kernels.starts import start_gamma
from kernelwise.metrics import kernel_target_alignment, polarization
from kernelwise.selection import glasmachers_curves
from kernelwise.sketch.sketch import DistanceSketch
from kernelwise.studies.figures import Curves, Line, Mark, Panel
from kernelwise.studies.notions import error_over_splits, has_signal, majority
from kernelwise.studies.study import Study, few_rows, load_or_say, quietly
from kernelwise.studies.tables import Row, grouped

SETS: tuple[str, ...] = ("banana", "banknote", "breast_cancer_wisconsin", "heart_statlog", "ilpd")
SETS += ("planning_relax", "ringnorm", "splice", "tic_tac_toe", "titanic", "twonorm", "vertebral_2c")
SETS += ("waveform_ida",)
QUICK_SETS = ("banana", "heart_statlog", "planning_relax", "vertebral_2c")
CS = (1.0, 100.0)  # of the radius-margin quotient
SKETCHED = ("dbtc", "esdr", "j4")
STARTS = ("jaakkola", "median", "scale")
#: The range of σ: from this share of the smallest distance to so many times the median one.
NARROWEST, WIDEST = 0.25, 8.0
#: Depth, as a share of the largest size of a value, below which a minimum may be the solver's rounding.
SHALLOW = 1e-5
#: Numbers of pairs of the made-up sets, how much farther each pair is apart than the one before, and how many
#: times as far it is from the origin.
N_PAIRS, FACTOR, FAR = (4, 8, 12), 5.0, 1e6
#: What chooses the width, and C, of the machines of "practice": cross-validation, and two of the criteria.
PRACTICE = {"cross-validation": "auto", "polarization": "polarization", "radius-margin": "radius-margin"}
TEST_SHARE = 0.3


@dataclass(frozen=True, eq=False)
class Valleys:
    """The minima of a curve."""

    indices: np.ndarray  # of the minima, in increasing order, shape (n_minima,); at least one
    #: Whether each minimum lies at that end of the curve, or on a level part that begins there.
    at_first: np.ndarray
    at_last: np.ndarray
    borders: np.ndarray  # where the curve is highest between two minima, shape (n_minima − 1,)
    is_lowest: np.ndarray  # whether no other minimum is lower, shape (n_minima,)

    @classmethod
    def of(cls, costs: np.ndarray) -> Valleys:
        """Find the minima of a curve of shape (n_points,); shallow ones do not count."""
        depth = SHALLOW * float(np.abs(costs).max())
        if np.ptp(costs) <= depth:  # level: one minimum, which is everywhere
            one = np.ones(1, dtype=bool)
            return cls(np.array([int(costs.argmin())]), one, one, np.array([], dtype=int), one)
        wall = costs.max() + np.ptp(costs)
        peaks, _ = find_peaks(-np.concatenate([[wall], costs, [wall]]), prominence=depth)
        indices = peaks - 1
        lows = costs[indices]
        level = np.abs(costs[None, :] - lows[:, None]) <= depth
        index = np.arange(len(costs))
        return cls(
            indices=indices,
            at_first=(level | (index > indices[:, None])).all(axis=1),
            at_last=(level | (index < indices[:, None])).all(axis=1),
            borders=np.array([a + costs[a:b].argmax() for a, b in pairwise(indices)], dtype=int),
            is_lowest=lows <= lows.min() + depth,
        )

    def reached_from(self, start: int) -> int:
        """Number of the minimum that a descent from the point ``start`` ends in, if it never climbs."""
        return int(np.searchsorted(self.borders, start))

    @property
    def n_inside(self) -> int:
        """Minima that are at neither end."""
        return int(np.sum(~self.at_first & ~self.at_last))


def set_curves(X: np.ndarray, y: np.ndarray, per_octave: int) -> dict[str, Any]:
    """Costs of all criteria over σ on standardised features, starts, and the closest pair."""
    X = StandardScaler().fit_transform(X)
    distances = pdist(X)
    low, high = np.log2([NARROWEST * distances[distances > 0].min(), WIDEST * np.median(distances)])
    sigmas = 2.0 ** np.linspace(low, high, int(per_octave * (high - low)) + 1)
    costs: dict[str, np.ndarray] = {}
    for C in CS:
        curves = glasmachers_curves(X, y, sigmas, C)
        costs[f"radius-margin, C = {C:g}"] = curves.radius_margin
    costs["polarization"] = -curves.polarization
    costs["kta"], costs["centered-kta"] = -curves.alignment, -curves.centered_alignment
    sketch = DistanceSketch.from_data(X, y)
    costs |= {name: -sketch.curve(name, 0.5 / sigmas**2) for name in SKETCHED}
    # The warnings are of repeated rows, which the table counts.
    starts = {name: np.sqrt(0.5 / quietly(start_gamma, X, y, name)) for name in STARTS}
    pair = quietly(boundary_verdict, X, y).pair
    return {
        "sigmas": sigmas,
        "costs": costs,
        "starts": starts,
        "pairs": [0, 0] if pair is None else [pair.n_equal, pair.n_different],
        "copies": int(np.sum(distances == 0)),
    }


def real_sets(study: Study) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Some rows of every set; sets that are missing are left out."""
    for name in study.choose(SETS, QUICK_SETS):
        dataset = load_or_say(name)
        if dataset is not None:
            yield name, *few_rows(dataset.X, dataset.y, study.choose(300, 80))


def curves_of_sets(study: Study) -> dict[str, dict[str, Any]]:
    """The curves by name of the set."""
    per_octave = study.choose(8, 4)
    return {
        name: study.cell(f"curves/{name}", set_curves, X, y, per_octave) for name, X, y in real_sets(study)
    }


def optima_rows(name: str, found: dict[str, Any]) -> list[Row]:
    """A row for each criterion on one set."""
    sigmas, rows = np.array(found["sigmas"]), []
    starts = {start: int(np.abs(np.log(sigmas / sigma)).argmin()) for start, sigma in found["starts"].items()}
    for criterion, costs in found["costs"].items():
        valleys = Valleys.of(np.array(costs))
        ends = {start: valleys.reached_from(index) for start, index in starts.items()}
        everywhere = [valleys.reached_from(index) for index in range(len(sigmas))]
        lowest = int(valleys.is_lowest.argmax())
        rows.append(
            {
                "data": name,
                "criterion": criterion,
                "closest pairs equal": found["pairs"][0],
                "different": found["pairs"][1],
                "copies": found["copies"],
                "optima inside": valleys.n_inside,
                "at σ → 0": bool(valleys.at_first.any()),
                "at σ → ∞": bool(valleys.at_last.any()),
                "global at": _where(valleys, lowest),
                **{f"{start}: global": bool(valleys.is_lowest[end]) for start, end in ends.items()},
                "any start: global": float(np.mean(valleys.is_lowest[everywhere])),
                **{f"{start}: at σ → 0": bool(valleys.at_first[end]) for start, end in ends.items()},
                "any start: at σ → 0": float(np.mean(valleys.at_first[everywhere])),
            }
        )
    return rows


def _where(valleys: Valleys, k: int) -> str:
    if valleys.at_first[k]:
        return "σ → 0"
    return "σ → ∞" if valleys.at_last[k] else "inside"


def summary_rows(rows: list[Row]) -> list[Row]:
    """A row for each criterion: counts and shares over the sets, in per cent."""
    summary = []
    for criterion, chosen in grouped(rows, "criterion").items():
        n_optima = [int(row["optima inside"]) + row["at σ → 0"] + row["at σ → ∞"] for row in chosen]
        starts = (*STARTS, "any start")
        found = {
            "criterion": criterion,
            "sets": len(chosen),
            "several optima %": _share([n > 1 for n in n_optima]),
            "most": max(n_optima),
            "at σ → 0 %": _share([row["at σ → 0"] for row in chosen]),
            "global at σ → 0 %": _share([row["global at"] == "σ → 0" for row in chosen]),
        }
        for where in ("global", "at σ → 0"):
            found |= {
                f"{start}: {where} %": _share([row[f"{start}: {where}"] for row in chosen])
                for start in starts
            }
        summary.append(found)
    return summary


def _share(values: list[Any]) -> float:
    return 100.0 * float(np.mean(values))


def of_halves(X: np.ndarray, y: np.ndarray, n_halves: int) -> Row:
    """How often the closest different points of a random half of the rows have different labels.

    "neighbour error %" is the share of all rows whose nearest different row has another label, which says how
    noisy the set is; pairs of equal rows are left out, for no width of a kernel moves them.
    """
    D = squareform(pdist(StandardScaler().fit_transform(X)))
    D[D == 0.0] = np.inf
    rng = np.random.default_rng(0)
    shares = [_different(D, y, np.sort(rng.permutation(len(y))[: len(y) // 2])) for _ in range(n_halves)]
    return {
        "halves": n_halves,
        "different labels %": 100.0 * float(np.mean(shares)),
        "neighbour error %": 100.0 * float(np.mean(y[D.argmin(axis=1)] != y)),
    }


def _different(D: np.ndarray, y: np.ndarray, rows: np.ndarray) -> float:
    """The share of different labels among the closest pairs of the rows: most often there is one pair."""
    half, labels = D[np.ix_(rows, rows)], y[rows]
    i, j = np.nonzero(half <= half.min() * (1 + 1e-12))
    return float(np.mean(labels[i] != labels[j]))


def halves(study: Study) -> None:
    """Whether the labels of the closest pair are chance."""
    rows: list[Row] = []
    for name, X, y in real_sets(study):
        rows.append({"data": name, **study.cell(f"halves/{name}", of_halves, X, y, study.choose(200, 20))})
    study.table("halves", "Labels of the closest pair in random halves of real sets", rows)


def optima(study: Study) -> None:
    """Local optima on real sets, and where searches from several starts end."""
    found = curves_of_sets(study)
    rows = [row for name, curves in found.items() for row in optima_rows(name, curves)]
    if not rows:
        return
    study.table("optima", "Optima over σ on real sets", rows, is_shown=False)
    summary = summary_rows(rows)
    study.table("starts", "How often there are several optima, and which one a start leads to", summary)
    study.figure("optima", _optima_figure(found))
    for row in summary:
        study.note(
            f"{row['criterion']} has several optima on {row['several optima %']:.0f} % of {row['sets']} sets "
            f"and an optimum at σ → 0 on {row['at σ → 0 %']:.0f} %. A descent from Jaakkola's start reaches "
            f"the global optimum on {row['jaakkola: global %']:.0f} % of the sets, and σ → 0 on "
            f"{row['jaakkola: at σ → 0 %']:.0f} %. Of descents from all starts, "
            f"{row['any start: global %']:.0f} % reach the global optimum, and "
            f"{row['any start: at σ → 0 %']:.0f} % reach σ → 0."
        )


def _optima_figure(found: dict[str, dict[str, Any]]) -> Curves:
    """The costs of every set, each between 0 and 1, with the starts."""
    panels = []
    for name, curves in found.items():
        lines = []
        for criterion, costs in curves["costs"].items():
            low, high = min(costs), max(costs)
            scaled = [(cost - low) / (high - low or 1.0) for cost in costs]
            lines.append(Line(criterion, curves["sigmas"], scaled))
        marks = tuple(Mark(f"{start} start", sigma, "x") for start, sigma in curves["starts"].items())
        panels.append(
            Panel(name, "σ on standardised features", "cost, scaled to [0, 1]", tuple(lines), marks, "log")
        )
    caption = (
        "The criteria as costs over the width on real sets, and the starts. The left end is a quarter of the "
        "closest distance."
    )
    return Curves(caption, tuple(panels))


def made_pairs(n_pairs: int) -> tuple[np.ndarray, np.ndarray]:
    """Pairs on a line, each five times as far apart as the one before, with equal labels in turn."""
    apart = FACTOR ** np.arange(n_pairs)
    starts = FAR * apart  # far from one another, for all widths of interest
    X = np.concatenate([starts, starts + apart])[:, None]
    first = np.where(np.arange(n_pairs) // 2 % 2, 1.0, -1.0)
    return X, np.concatenate([first, np.where(np.arange(n_pairs) % 2, -first, first)])


def pair_curves(n_pairs: int) -> dict[str, Any]:
    """P and A over the width of made-up pairs, as costs."""
    X, y = made_pairs(n_pairs)
    sigmas = 2.0 ** np.linspace(-2, np.log2(FACTOR) * n_pairs, 24 * n_pairs)
    grams = [np.exp(-((X - X.T) ** 2) / (2 * sigma**2)) for sigma in sigmas]  # of exact differences
    return {
        "sigmas": sigmas,
        "polarization": [-polarization(K, y) for K in grams],
        "kta": [-kernel_target_alignment(K, y) for K in grams],
    }


def pairs(study: Study) -> None:
    """As many optima over one width as there are pairs for."""
    rows: list[Row] = []
    panels = []
    for n_pairs in N_PAIRS:
        found = study.cell(f"pairs/{n_pairs}", pair_curves, n_pairs)
        valleys = {name: Valleys.of(np.array(found[name])) for name in ("polarization", "kta")}
        rows += [
            {"pairs": n_pairs, "criterion": name, "points": 2 * n_pairs, "optima inside": one.n_inside}
            for name, one in valleys.items()
        ]
        line = Line("polarization P", found["sigmas"], [-cost for cost in found["polarization"]])
        panels.append(Panel(f"{2 * n_pairs} points on a line", "σ", "polarization P", (line,), x_scale="log"))
    study.table("pairs", "Optima over one width of pairs on a line", rows)
    caption = (
        "One width, many optima: pairs of points on a line, each five times as far apart as the one before, "
        "with different and equal labels in turn. Every pair moves polarization up or down at its own width."
    )
    study.figure("pairs", Curves(caption, tuple(panels), n_columns=2))


def practice_cell(criterion: str, X: np.ndarray, y: np.ndarray, split: int) -> float:
    """Accuracy in per cent on held-out rows of a machine whose width a criterion chooses."""
    parts = StratifiedShuffleSplit(split + 1, test_size=TEST_SHARE, random_state=0).split(X, y)
    train, test = list(parts)[split]
    model = quietly(TunedSVC("rbf", criterion=criterion, random_state=0).fit, X[train], y[train])
    return 100.0 * float(model.score(X[test], y[test]))


def practice(study: Study) -> None:
    """How accurate machines are that polarization and radius-margin choose, beside cross-validation."""
    rows: list[Row] = []
    n_splits = study.choose(10, 2)
    for name, X, y in real_sets(study):
        rates = {}
        for method, criterion in PRACTICE.items():
            cells = study.cells(f"practice/{name}/{method}", n_splits, practice_cell, criterion, X, y)
            rates[method] = np.array(cells)
        test_over_train = TEST_SHARE / (1 - TEST_SHARE)
        best = max(rates.values(), key=np.mean)
        larger = 100.0 * majority(y)
        signal = has_signal(float(best.mean()), larger, error_over_splits(best, test_over_train))
        for method, found in rates.items():
            gap = found - rates["cross-validation"]
            rows.append(
                {
                    "data": name,
                    "method": method,
                    "rate %": float(found.mean()),
                    "less cross-validation": float(gap.mean()),
                    "± s.e.": error_over_splits(gap, test_over_train),
                    "larger class %": larger,
                    "signal": signal,
                    "splits": n_splits,
                }
            )
    study.table("practice", "Held-out rates of machines that criteria choose", rows)
