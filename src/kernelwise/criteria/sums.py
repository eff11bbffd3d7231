"""Sums of a Gram matrix over blocks of classes: all that the separability criteria need to know of it.

Every two-class problem of a multi-class data set has its sums from those of the classes, so one pass over
the pairs of samples serves one-vs-rest, one-vs-one and pooled criteria alike.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from kernelwise._core.weights import balanced_factors
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

    def __mul__(self, factor: Any) -> ClassSums:
        factor = np.asarray(factor)[..., None]
        matrix = factor[..., None]
        S2 = None if self.S2 is None else matrix * self.S2
        R2 = None if self.R2 is None else matrix[..., None] * self.R2
        return ClassSums(self.n, factor * self.t, matrix * self.S, S2, R2)


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
