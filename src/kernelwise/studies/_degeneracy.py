"""Theorems 2 and 3 of paper 002 (Glasmachers 2006) on random points: what the closest pair decides."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.metrics import pairwise_distances

from kernelwise.criteria import Criterion, RadiusMargin, RegularizedMargin, as_criterion
from kernelwise.kernels import RBF
from kernelwise.problem import TuningProblem

N_POINTS, N_FEATURES, C = 30, 2, 1.0
PATTERNS = ("equal", "different")
#: Sum of all other pairs' kernel values over that of the closest, at the width where signs are read.
DOMINANCE = 1e-3
CRITERIA: dict[str, Criterion] = {
    "radius-margin": RadiusMargin(C, search_C=False, tol=1e-10),
    **{name: as_criterion(name) for name in ("polarization", "kta", "centered-kta", "dbtc", "esdr", "j4")},
    "regularized-margin": RegularizedMargin(C, 0.0, tol=1e-10),
}


class Points(NamedTuple):
    """Points, random labels ±1, the closest pair, and the two smallest squared distances."""

    X: np.ndarray
    y: np.ndarray
    pair: tuple[int, int]
    closest2: float
    second2: float

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
    return Points(X, y, pair, *(float(D[upper][k]) for k in order[:2]))


def slopes(seed: int) -> dict[str, Any]:
    """The sign of ∂cost/∂σ where the closest pair dominates all others (lemma 1), by pattern and criterion.

    Positive means that the cost rises with σ: a boundary minimum at σ → 0. The derivative is a sum of
    products without cancellation, so that its sign is right however small the kernel values are.
    """
    points = draw_points(seed)
    gap = points.second2 - points.closest2
    gamma = np.log(N_POINTS**2 / 2 / DOMINANCE) / gap
    signs: dict[str, Any] = {"closeness": float(np.exp(-gamma * points.closest2))}
    for pattern in PATTERNS:
        y = points.labelled(pattern)
        for name, criterion in CRITERIA.items():
            problem = TuningProblem(RBF(gamma), criterion, points.X, y)
            by_log_gamma = problem.value_and_gradient(problem.theta)[1]
            signs[f"{pattern}/{name}"] = -int(np.sign(by_log_gamma[0]))  # σ falls as γ rises
    return signs


def limits() -> dict[str, float]:
    """The criteria at σ → 0, labels being balanced: R²/γ² from section 4, the others from K → I."""
    return {
        "radius_margin": N_POINTS - 1.0,
        "polarization": float(N_POINTS),
        "alignment": 1 / np.sqrt(N_POINTS),
    }
