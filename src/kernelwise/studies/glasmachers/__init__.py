"""Paper 002 (Glasmachers 2006): what the closest pair of points does to criteria, and how often that matters.

"patterns" has the curves for both label patterns of the closest pair, "theorems" counts how often lemma 1 and
theorems 2 and 3 hold on random points, "halves" how often the closest pair of a random half of a real set has
different labels. "optima" counts local optima on real sets and follows several starts, "pairs" counts those
of points made for it, and "practice" has the rates of machines that two criteria choose. The paper has no
tables and no figures: all of these are ours, and "claims" says what they show of its claims.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import pairwise_distances

from kernelwise.criteria import Criterion, RadiusMargin, RegularizedMargin, as_criterion
from kernelwise.kernels import RBF
from kernelwise.problem import TuningProblem
from kernelwise.selection import glasmachers_curves
from kernelwise.studies.claims import parts_of, read_claims
from kernelwise.studies.figures import Curves, Line, Mark, Panel
from kernelwise.studies.glasmachers import rules
from kernelwise.studies.glasmachers.local_optima import SETS, halves, optima, pairs, practice
from kernelwise.studies.study import Study
from kernelwise.studies.tables import Row

TITLE = "Paper 002 (Glasmachers 2006): degeneracy of criteria at narrow widths"
DATA = SETS
QUICK_MEANS = "4 of 13 sets with 80 rows each, 30 random sets of points, 20 halves, 2 splits"
N_POINTS, N_FEATURES, C = 30, 2, 1.0
PATTERNS = ("equal", "different")
CRITERIA: dict[str, Criterion] = {
    "radius-margin": RadiusMargin(C, search_C=False, tol=1e-10),
    **{name: as_criterion(name) for name in ("polarization", "kta", "centered-kta", "dbtc", "esdr", "j4")},
    "regularized-margin": RegularizedMargin(C, 0.0, tol=1e-10),
}

#: Lemma 1 is looked at from the width of `slopes` down, in halves.
NARROWER = (1.0, 0.5, 0.25)
#: Columns of the curves, with their names in the paper.
COLUMNS = {"radius_margin": "R²/γ²", "polarization": "polarization P", "alignment": "alignment A"}
SEED = 0  # of the points of the figure
SIGMA = "σ / distance of the closest pair"


class Points(NamedTuple):
    """Points, random labels ±1, the closest pair, and the squared distances of all pairs."""

    X: np.ndarray
    y: np.ndarray
    pair: tuple[int, int]
    distances2: np.ndarray  # of all pairs, in increasing order

    @property
    def closest2(self) -> float:
        return float(self.distances2[0])

    @property
    def second2(self) -> float:
        return float(self.distances2[1])

    def labelled(self, pattern: str) -> np.ndarray:
        """The labels with this pattern of the closest pair, and as many of either sign as before."""
        y = self.y.copy()
        p, q = self.pair
        wanted = y[p] if pattern == "equal" else -y[p]
        if y[q] != wanted:
            others = np.delete(np.arange(len(y)), [p, q])
            y[others[y[others] == wanted][0]] = -wanted
            y[q] = wanted
        return y


def draw_points(seed: int) -> Points:
    """Standard normal points with labels as random as the theorems allow: half of them each."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N_POINTS, N_FEATURES))
    y = random.permutation(np.where(np.arange(N_POINTS) % 2, 1.0, -1.0))
    D = pairwise_distances(X) ** 2
    upper = np.triu_indices(N_POINTS, 1)
    order = np.argsort(D[upper])
    pair = int(upper[0][order[0]]), int(upper[1][order[0]])
    return Points(X, y, pair, D[upper][order])


def others_over_closest(points: Points, gamma: float) -> tuple[float, float]:
    """Sums over all pairs but the closest one, over that pair's own: of kernel values, and of slopes by σ.

    Lemma 1 says that both go to zero for σ → 0. The quotients need no kernel value, so that nothing
    underflows.
    """
    quotients = np.exp(-gamma * (points.distances2[1:] - points.closest2))
    return float(quotients.sum()), float((quotients * points.distances2[1:] / points.closest2).sum())


def slopes(seed: int) -> dict[str, Any]:
    """The sign of ∂cost/∂σ where the closest pair dominates all others (lemma 1), by pattern and criterion.

    Positive means that the cost rises with σ: a boundary minimum at σ → 0. The derivative is a sum of
    products without cancellation, so that its sign is right however small the kernel values are.
    """
    points = draw_points(seed)
    gap = points.second2 - points.closest2
    gamma = np.log(N_POINTS**2 / 2 / rules.DOMINANCE) / gap
    signs: dict[str, Any] = {"closeness": float(np.exp(-gamma * points.closest2))}
    signs["lemma"] = [others_over_closest(points, gamma / share**2) for share in NARROWER]
    for pattern in PATTERNS:
        y = points.labelled(pattern)
        for name, criterion in CRITERIA.items():
            problem = TuningProblem(RBF(gamma), criterion, points.X, y)
            by_log_gamma = problem.value_and_gradient(problem.theta)[1]
            signs[f"{pattern}/{name}"] = -int(np.sign(by_log_gamma[0]))  # σ falls as γ rises
    return signs


def limits() -> dict[str, float]:
    """The criteria at σ → 0, labels being balanced: R² and 1/γ² from section 4, the others from K → I."""
    radius2, inverse = (1 + 1 / C) * (1 - 1 / N_POINTS), N_POINTS / (1 + 1 / C)
    return {
        "radius2": radius2,
        "inverse_margin2": inverse,
        "radius_margin": radius2 * inverse,
        "polarization": float(N_POINTS),
        "alignment": 1 / np.sqrt(N_POINTS),
    }


def pattern_curves(per_octave: int) -> dict[str, Any]:
    """R²/γ², P and A over σ in units of the closest distance, by label pattern."""
    points = draw_points(SEED)
    widths = 2.0 ** np.linspace(-2, 7, 9 * per_octave + 1)
    curves: dict[str, Any] = {"widths": widths}
    for pattern in PATTERNS:
        found = glasmachers_curves(points.X, points.labelled(pattern), widths * np.sqrt(points.closest2), C)
        curves[pattern] = {name: getattr(found, name) for name in COLUMNS}
        curves[pattern] |= {"radius2": found.radius2, "inverse_margin2": 1 / found.margin**2}
    return curves


def patterns(study: Study) -> None:
    """Both theorems as curves."""
    curves = study.cell("patterns", pattern_curves, study.choose(16, 8))
    rows: list[Row] = [
        {
            "labels": pattern,
            "sigma over closest distance": width,
            **{name: curves[pattern][name][k] for name in limits()},
            **{
                f"{name}, change from its limit": curves[pattern][name][k] / limit - 1
                for name, limit in limits().items()
            },
        }
        for pattern in PATTERNS
        for k, width in enumerate(curves["widths"])
    ]
    study.table("patterns", "Criteria towards σ → 0, by the labels of the closest pair", rows, is_shown=False)
    panels = [_panel(rows, name, label, "values") for name, label in COLUMNS.items()]
    panels += [_panel(rows, name, label, "changes") for name, label in COLUMNS.items()]
    caption = (
        f"Theorems 2 and 3: the same {N_POINTS} points with both label patterns of the closest "
        "pair. Above the criteria, below their relative change from the limit at σ → 0, which is the "
        "paper's: R²/γ² rises from it, a minimum, and P and A fall from it, a maximum, exactly if the labels "
        "differ."
    )
    study.figure("patterns", Curves(caption, tuple(panels)))


def _panel(rows: list[Row], name: str, label: str, kind: str) -> Panel:
    """A criterion over σ, or its change from the limit, near that limit."""
    is_change = kind == "changes"
    column = f"{name}, change from its limit" if is_change else name
    near = [row for row in rows if not is_change or 0.3 < row["sigma over closest distance"] < 2.0]
    lines = tuple(
        Line(
            f"{pattern} labels",
            [row["sigma over closest distance"] for row in near if row["labels"] == pattern],
            [row[column] for row in near if row["labels"] == pattern],
        )
        for pattern in PATTERNS
    )
    limit = Mark("the paper's limit for σ → 0", 0.0 if is_change else limits()[name])
    y_label = f"({label} − limit) / limit" if is_change else label
    return Panel(label, SIGMA, y_label, lines, (limit,), "log", "symlog" if is_change else "linear")


def theorems(study: Study) -> None:
    """How often the sign of the derivative at narrow widths is what the closest pair's labels say."""
    n_draws = study.choose(210, 30)
    drawn = study.cells("theorems", n_draws, slopes)
    # Two pairs equally close but for some digits: all kernel values are 0 in floating point where one wins.
    found = [signs for signs in drawn if signs["closeness"] > 0.0]
    if not found:
        return
    lemma = np.array([signs["lemma"] for signs in drawn])
    caption = "Lemma 1: the sum over all other pairs over the closest pair's own, the largest of all sets"
    study.table(
        "lemma",
        caption,
        [
            {
                "width": f"{share:g} of that of the next table",
                "sets": len(drawn),
                "of kernel values": float(lemma[:, k, 0].max()),
                "of slopes": float(lemma[:, k, 1].max()),
            }
            for k, share in enumerate(NARROWER)
        ],
    )
    rows: list[Row] = []
    for name in CRITERIA:
        for pattern in PATTERNS:
            signs = np.array([signs[f"{pattern}/{name}"] for signs in found])
            expected = 1 if pattern == "different" else -1
            rows.append(
                {
                    "criterion": name,
                    "labels of the closest pair": pattern,
                    "sets": len(found),
                    "optimum at σ → 0": int(np.sum(signs > 0)),
                    "the theorem says": len(found) if expected > 0 else 0,
                    "as it says": int(np.sum(signs == expected)),
                }
            )
    caption = f"Theorems 2 and 3 on random sets of {N_POINTS} points"
    study.table("theorems", caption, rows)
    n_right, n_all = sum(row["as it says"] for row in rows), len(found) * len(rows)
    study.note(
        f"In {n_right} of {n_all} cases ({len(found)} sets of points, two labellings each, {len(CRITERIA)} "
        "criteria) the criterion has an optimum at σ → 0 exactly if the closest pair has different labels. "
        "The paper proves it for radius-margin and polarization, and leaves alignment open; it holds for "
        "alignment, plain and centred, for DBTC, ESDR and J4, and for w of paper 003 (Laanaya and others; "
        f"ρ = 0) as well. {n_draws - len(found)} of {n_draws} sets are left out: their two closest pairs are "
        "so nearly equal that kernel values are lost in floating point before one of them counts alone."
    )


CLAIMS = read_claims(rules)
PARTS = parts_of(CLAIMS, patterns, theorems, halves, optima, pairs, practice)
