"""Whether the labels of the closest pair are chance, as paper 002 (Glasmachers 2006) says of noisy data."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.preprocessing import StandardScaler

from kernelwise.studies._table import Row


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
