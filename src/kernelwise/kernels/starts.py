"""Where a search begins: widths read off the data."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import pairwise_distances_argmin_min

from kernelwise._core.typing import MatrixLike, Samples, is_sparse
from kernelwise._core.validation import check_choice, check_labels, check_range, check_samples
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels.distances import DISTANCES_OF

HEURISTICS = ("jaakkola", "median", "scale", "keep")
# Points whose distances are looked at; evenly spaced rows beyond that, so that no chance enters.
MAX_POINTS = 2000
#: Where all points are equal: γ is 1 for exp(−γ‖x − y‖²) and for exp(−γ‖x − y‖₁).
SIGMA_ONE = {"euclidean": float(np.sqrt(0.5)), "cityblock": 0.5}


def start_gamma(
    X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None, keep: float = 1.0
) -> float:
    """γ = 1/(2σ²) of exp(−γ‖x − y‖²), σ as from `start_sigma`; "keep" returns ``keep``."""
    if heuristic == "keep":
        return float(keep)
    if heuristic == "scale":
        return scale_gamma(X)
    return 1.0 / (2.0 * start_sigma(X, y, heuristic) ** 2)


def start_sigma(
    X: MatrixLike, y: ArrayLike | None = None, heuristic: str | None = None, distance: str = "euclidean"
) -> float:
    """The distance at which a kernel has fallen off, by a rule of thumb; see :meth:`Kernel.initialize`.

    It is positive and finite, whatever the data: where all distances are zero γ is 1, with a warning.
    ``distance`` is "euclidean" or "cityblock".
    """
    if heuristic is None:
        heuristic = "median" if y is None else "jaakkola"
    check_choice(heuristic, "heuristic", "initialize", HEURISTICS)
    X = check_samples(X)
    check_range(X)
    if heuristic == "scale":
        spread, d = float(np.sqrt(variance_of(X))), X.shape[1]
        sigma = spread * (np.sqrt(d / 2.0) if distance == "euclidean" else d / 2.0)
        return float(sigma) if sigma > 0 else SIGMA_ONE[distance]
    if heuristic == "jaakkola":
        return _median(_to_nearest_other_class(X, y, distance), heuristic, distance)
    Z = X[_evenly(X.shape[0])]
    D = DISTANCES_OF[distance](Z)
    return _median(D[np.triu_indices(Z.shape[0], 1)], heuristic, distance)


def scale_gamma(X: MatrixLike, weight: np.ndarray | None = None) -> float:
    """1 / (n_features · Var(X)) with the variance of all entries, as scikit-learn takes it.

    ``weight``, of shape (n_samples,), says how often every row counts; None is once.
    """
    X = check_samples(X)
    check_range(X)
    variance = variance_of(X, weight)
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def variance_of(X: Samples, weight: np.ndarray | None = None) -> float:
    """The variance of all entries, rows counting as often as their weights say."""
    if weight is None:
        return float(X.multiply(X).mean() - X.mean() ** 2 if is_sparse(X) else X.var())
    share = weight / weight.sum()
    mean = float((share @ X).mean())
    squares = X.multiply(X) if is_sparse(X) else (X - mean) ** 2
    return float((share @ squares).mean()) - (mean**2 if is_sparse(X) else 0.0)


def _median(distances: np.ndarray, heuristic: str, distance: str) -> float:
    """The median distance; without the zeros if half of them or more are."""
    sigma = float(np.median(distances)) if distances.size else 0.0
    if sigma > 0:
        return sigma
    positive = distances[distances > 0]
    sigma = float(np.median(positive)) if positive.size else SIGMA_ONE[distance]
    gamma = 1.0 / (2.0 * (sigma**2 if distance == "euclidean" else sigma))
    warnings.warn(
        f"At least half of the distances that the {heuristic} start uses are zero (repeated rows). It starts "
        "from gamma="
        f"{gamma:.3g}, " + ("the median of the others." if positive.size else "since all points are equal."),
        KernelwiseWarning,
        stacklevel=4,
    )
    return sigma


def _to_nearest_other_class(X: Samples, y: ArrayLike | None, distance: str) -> np.ndarray:
    """Distance from up to ``MAX_POINTS`` points to the nearest point of another class (of all points)."""
    if y is None:
        raise ValueError("Jaakkola's heuristic needs labels: pass y, or heuristic='median'.")
    _, index = check_labels(y, X.shape[0])
    chosen = _evenly(X.shape[0])
    distances = []
    for label in range(index.max() + 1):
        points = chosen[index[chosen] == label]
        if points.size:
            found = pairwise_distances_argmin_min(X[points], X[index != label], metric=distance)
            distances.append(found[1])
    return np.concatenate(distances)


def _evenly(n: int) -> np.ndarray:
    return np.unique(np.linspace(0, n - 1, min(n, MAX_POINTS)).astype(int))
