"""Sums of a Gram matrix over blocks of classes: all that the separability criteria need to know of it.

Every two-class problem of a multi-class data set has its sums from those of the classes, so one pass over
the pairs of samples serves one-vs-rest, one-vs-one and pooled criteria alike. `DistinctSums` are the sums of
the pairs of different rows, with or without those that are closest in feature space.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from kernelwise._core.labels import balanced_factors
from kernelwise._core.threads import cached_property
from kernelwise.multiclass import two_class_problems

#: How classes are put together: all of them in one problem, or in the two-class problems of machines.
PARTITIONS = ("pooled", "ovr", "ovo")


@dataclass
class ClassSums:
    """Weighted sums over classes; with a, b, c for classes, i ∈ a, j ∈ b and weights w.

    The same record holds the derivatives of a criterion with respect to each sum. All but ``n`` may have
    further axes in front, say one entry per width of a kernel: formulas then give an array of scores.
    """

    n: np.ndarray  # Σ w_i, shape (n_classes,)
    t: np.ndarray  # Σ w_i K_ii, shape (n_classes,)
    S: np.ndarray  # Σ w_i w_j K_ij, shape (n_classes, n_classes)
    S2: np.ndarray | None = None  # Σ w_i w_j K_ij², of the shape of S
    #: Σ w_i R_ib R_ic with the row sums R_ib = Σ_{j ∈ b} w_j K_ij, shape (n_classes, n_classes, n_classes).
    R2: np.ndarray | None = None

    def merge(self, groups: np.ndarray) -> ClassSums:
        """Sums of classes put together: ``groups`` has shape (n_groups, n_classes), zeros and ones."""
        M = groups
        return ClassSums(
            n=M @ self.n,
            t=self.t @ M.T,
            S=M @ self.S @ M.T,
            S2=None if self.S2 is None else M @ self.S2 @ M.T,
            R2=None if self.R2 is None else np.einsum("ua,...avw->...uvw", M, M @ self.R2 @ M.T),
        )

    def pull_back(self, groups: np.ndarray) -> ClassSums:
        """Derivatives with respect to the sums before :meth:`merge`, from those after it."""
        return self.merge(groups.T)

    def __add__(self, other: ClassSums) -> ClassSums:
        def plus(a: np.ndarray | None, b: np.ndarray | None) -> np.ndarray | None:
            return b if a is None else a if b is None else a + b

        return ClassSums(
            self.n, self.t + other.t, self.S + other.S, plus(self.S2, other.S2), plus(self.R2, other.R2)
        )

    def __mul__(self, factor: float | np.ndarray) -> ClassSums:
        factor = np.asarray(factor)[..., None]
        matrix = factor[..., None]
        S2 = None if self.S2 is None else matrix * self.S2
        R2 = None if self.R2 is None else matrix[..., None] * self.R2
        return ClassSums(self.n, factor * self.t, matrix * self.S, S2, R2)


#: The score of one problem, or one for each width of a kernel, and its derivatives by the sums.
Scored = tuple[np.ndarray, ClassSums]


def partition(n_classes: int, strategy: str) -> list[np.ndarray]:
    """The two-class problems of a strategy, each as a ``groups`` matrix for :meth:`ClassSums.merge`."""
    one = np.eye(n_classes)
    if strategy == "pooled":
        return [one]
    return [
        np.stack([one[first], 1.0 - one[first] if second is None else one[second]])
        for first, second in two_class_problems(n_classes, strategy)
    ]


def weighted_partition(n: np.ndarray, strategy: str, class_weight: str | None) -> list[np.ndarray]:
    """The same for classes of total weights ``n``, with the factors that balance them if asked for."""
    problems = partition(len(n), strategy)
    if class_weight == "balanced":
        return [groups * balanced_factors(n) for groups in problems]
    return problems


@dataclass
class GramSums:
    """A Gram matrix with class indices and weights: its :class:`ClassSums`, and the way back."""

    K: np.ndarray
    index: np.ndarray
    weights: np.ndarray
    needs_squares: bool = False
    needs_rows: bool = False
    onehot: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.onehot = np.zeros((len(self.index), self.index.max() + 1))
        self.onehot[np.arange(len(self.index)), self.index] = self.weights

    @cached_property
    def rows(self) -> np.ndarray:
        """R_ib = Σ_{j ∈ b} w_j K_ij, shape (n_samples, n_classes)."""
        return np.asarray(self.K @ self.onehot, dtype=float)

    @cached_property
    def sums(self) -> ClassSums:
        H, R = self.onehot, self.rows
        return ClassSums(
            n=H.sum(axis=0),
            t=H.T @ self.K.diagonal(),
            S=H.T @ R,
            S2=H.T @ ((self.K * self.K) @ H) if self.needs_squares else None,
            R2=np.stack([(weights * R.T) @ R for weights in H.T]) if self.needs_rows else None,
        )

    def adjoint(self, d: ClassSums) -> np.ndarray:
        """∂/∂K from the derivatives ``d`` by the sums: symmetric, shape (n_samples, n_samples)."""
        H = self.onehot
        left = H @ ((d.S + d.S.T) / 2.0)
        if d.R2 is not None:
            # ∂R2/∂K_ij = w_i w_j · 2 Σ_c dR2[a, b, c] R_ic for i ∈ a, j ∈ b; the symmetric part counts.
            twice = (d.R2 + d.R2.transpose(0, 2, 1))[self.index]
            left += self.weights[:, None] * np.einsum("ibc,ic->ib", twice, self.rows)
        W = left @ H.T
        W = (W + W.T) / 2.0
        if d.S2 is not None:
            W += (H @ (d.S2 + d.S2.T) @ H.T) * self.K
        W[np.diag_indices_from(W)] += self.weights * d.t[self.index]
        return W


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
