"""Class sums of the pairs of different rows, with or without those that are closest in feature space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from kernelwise.criteria.sums import ClassSums, GramSums


@dataclass
class DistinctSums(GramSums):
    """Class sums in which S_ab is n_a n_b times the mean of K_ij over the pairs i ≠ j that are kept.

    They are made of mean squared distances d_ij = K_ii + K_jj − 2K_ij in feature space,

        S_ab = (n_b t_a + n_a t_b)/2 − (n_a n_b/2) · (mean of d_ij over the pairs that are kept),

    from which the share ``trim`` with the smallest d_ij is left out, for every two classes by itself. Of
    equally close pairs at the limit each is kept in part.

    A row of weight w stands for w rows: its copies are w(w − 1) pairs of different rows at distance zero, so
    that there are n_a(n_a − 1) pairs within class a. Weights must count rows: those of a class that sum to
    one or less have no pairs.
    """

    trim: float = 0.0

    @cached_property
    def _distances(self) -> np.ndarray:
        diagonal = np.asarray(self.K.diagonal(), dtype=float)
        return diagonal[:, None] + diagonal - 2.0 * self.K

    @cached_property
    def _shares(self) -> np.ndarray:
        """What each pair counts in the mean of its two classes, shape (n_samples, n_samples)."""
        shares = np.outer(self.weights, self.weights)
        np.fill_diagonal(shares, 0.0)
        rows = [np.flatnonzero(self.index == c) for c in range(self.onehot.shape[1])]
        n = self.onehot.sum(axis=0)
        for a, b in np.ndindex(len(n), len(n)):
            block = np.ix_(rows[a], rows[b])
            own = float(self.weights[rows[a]] @ (self.weights[rows[a]] - 1.0)) if a == b else 0.0
            total = n[a] * (n[b] - (a == b))
            check_pairs(total)
            dropped = self.trim * total - min(max(own, 0.0), self.trim * total)
            kept = without_closest(self._distances[block], shares[block], dropped)
            shares[block] = kept / ((1.0 - self.trim) * total)
        return shares

    @cached_property
    def sums(self) -> ClassSums:
        n, t = self.onehot.sum(axis=0), self.onehot.T @ self.K.diagonal()
        member = (self.onehot > 0).astype(float)
        means = member.T @ (self._shares * self._distances) @ member
        return ClassSums(n, t, (np.outer(t, n) + np.outer(n, t) - np.outer(n, n) * means) / 2.0)

    def adjoint(self, d: ClassSums) -> np.ndarray:
        """∂/∂K from the derivatives ``d`` by the sums."""
        n, by_S = self.onehot.sum(axis=0), (d.S + d.S.T) / 2.0
        by_distance = -0.5 * (np.outer(n, n) * by_S)[np.ix_(self.index, self.index)] * self._shares
        W = -2.0 * by_distance
        W[np.diag_indices_from(W)] += 2.0 * by_distance.sum(axis=1)
        W[np.diag_indices_from(W)] += self.weights * (d.t + by_S @ n)[self.index]
        return W


def without_closest(distances: np.ndarray, weights: np.ndarray, dropped: float) -> np.ndarray:
    """Weights of pairs of any shape, of which the closest lose ``dropped`` in all."""
    if dropped <= 0.0:
        return weights
    order = np.argsort(distances, axis=None)
    total = np.cumsum(weights.ravel()[order])
    last = min(int(np.searchsorted(total, dropped)), len(order) - 1)
    limit = distances.ravel()[order[last]]
    is_closer, is_limit = distances < limit, distances == limit
    at_limit = float(weights[is_limit].sum())
    share = 1.0 - (dropped - float(weights[is_closer].sum())) / at_limit
    return np.where(is_closer, 0.0, np.where(is_limit, np.clip(share, 0.0, 1.0) * weights, weights))


def check_pairs(total: float) -> None:
    """Raise unless two classes, or one with itself, have pairs of different rows."""
    if total <= 0.0:
        raise ValueError(
            "The weights of a class sum to one or less, but an unbiased criterion needs pairs of different "
            "rows, where a row of weight 2 counts as two rows. Use weights that count rows, or "
            "unbiased=False."
        )
