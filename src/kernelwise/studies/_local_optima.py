"""How many optima criteria have over the width of an RBF kernel, and which of them a start leads to.

They are the optima that paper 002 (Glasmachers 2006) warns of, on real sets.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist
from sklearn.preprocessing import StandardScaler

from kernelwise.diagnostics import boundary_verdict
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels.starts import start_gamma
from kernelwise.selection import glasmachers_curves
from kernelwise.sketch.sketch import DistanceSketch
from kernelwise.studies._study import Study
from kernelwise.studies._table import Row, few_rows, load_or_say
from kernelwise.studies._valleys import Valleys

SETS: tuple[str, ...] = ("banana", "banknote", "breast_cancer_wisconsin", "heart_statlog", "ilpd")
SETS += ("planning_relax", "ringnorm", "splice", "tic_tac_toe", "titanic", "twonorm", "vertebral_2c")
SETS += ("waveform_ida",)
QUICK_SETS = ("banana", "heart_statlog", "planning_relax", "vertebral_2c")
CS = (1.0, 100.0)  # of the radius-margin quotient
SKETCHED = ("dbtc", "esdr", "j4")
STARTS = ("jaakkola", "median", "scale")
#: The range of σ: from this share of the smallest distance to so many times the median one.
NARROWEST, WIDEST = 0.25, 8.0


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
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KernelwiseWarning)  # of repeated rows, which the table counts
        starts = {name: np.sqrt(0.5 / start_gamma(X, y, name)) for name in STARTS}
        pair = boundary_verdict(X, y).pair
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
    for criterion in dict.fromkeys(row["criterion"] for row in rows):
        chosen = [row for row in rows if row["criterion"] == criterion]
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
