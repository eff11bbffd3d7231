"""Where a search begins: widths read off the data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import pairwise_distances_argmin_min

from kernelwise._core.validation import check_choice, check_labels, check_range, check_samples
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.kernels.distances import squared_distances

HEURISTICS = ("jaakkola", "median", "scale", "keep")
# Points whose distances are looked at; evenly spaced rows beyond that, so that no chance enters.
MAX_POINTS = 2000


def start_gamma(X: Any, y: Any = None, heuristic: str | None = None, keep: float = 1.0) -> float:
    """γ of exp(−γ‖x − y‖²) by a rule of thumb; see :meth:`Kernel.initialize`. "keep" returns ``keep``.

    It is positive and finite, whatever the data: where all distances are zero it is 1, with a warning.
    """
    if heuristic is None:
        heuristic = "median" if y is None else "jaakkola"
    check_choice(heuristic, "heuristic", "initialize", HEURISTICS)
    if heuristic == "keep":
        return float(keep)
    X = check_samples(X)
    check_range(X)
    if heuristic == "scale":
        return scale_gamma(X)
    if heuristic == "jaakkola":
        return _gamma_of(_to_nearest_other_class(X, y), heuristic)
    Z = X[_evenly(X.shape[0])]
    return _gamma_of(np.sqrt(squared_distances(Z)[np.triu_indices(Z.shape[0], 1)]), heuristic)


def scale_gamma(X: Any, weight: np.ndarray | None = None) -> float:
    """1 / (n_features · Var(X)) with the variance of all entries, as scikit-learn takes it.

    ``weight``, of shape (n_samples,), says how often every row counts; None is once.
    """
    X = check_samples(X)
    check_range(X)
    if weight is None:
        variance = float(X.multiply(X).mean() - X.mean() ** 2 if sparse.issparse(X) else X.var())
    else:
        share = weight / weight.sum()
        mean = float((share @ X).mean())
        squares = X.multiply(X) if sparse.issparse(X) else (X - mean) ** 2
        variance = float((share @ squares).mean()) - (mean**2 if sparse.issparse(X) else 0.0)
    return 1.0 / (X.shape[1] * variance) if variance > 0 else 1.0


def _gamma_of(distances: np.ndarray, heuristic: str) -> float:
    """1/(2σ²) with σ the median distance; without the zeros if half of them or more are."""
    sigma = float(np.median(distances)) if distances.size else 0.0
    if sigma > 0:
        return 1.0 / (2.0 * sigma**2)
    positive = distances[distances > 0]
    gamma = 1.0 / (2.0 * float(np.median(positive)) ** 2) if positive.size else 1.0
    warnings.warn(
        f"Half or more of the distances the {heuristic} start looks at are zero (repeated rows); "
        f"it starts from gamma={gamma:.3g}, "
        + ("the median of the others." if positive.size else "since all points are equal."),
        KernelwiseWarning,
        stacklevel=3,
    )
    return gamma


def _to_nearest_other_class(X: Any, y: Any) -> np.ndarray:
    """Distance from up to ``MAX_POINTS`` points to the nearest point of another class (of all points)."""
    if y is None:
        raise ValueError("Jaakkola's heuristic needs labels: pass y, or heuristic='median'.")
    _, index = check_labels(y, X.shape[0])
    chosen = _evenly(X.shape[0])
    distances = []
    for label in range(index.max() + 1):
        points = chosen[index[chosen] == label]
        if points.size:
            distances.append(pairwise_distances_argmin_min(X[points], X[index != label])[1])
    return np.concatenate(distances)


def _evenly(n: int) -> np.ndarray:
    return np.unique(np.linspace(0, n - 1, min(n, MAX_POINTS)).astype(int))
