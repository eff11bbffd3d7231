"""The regularised kernel Fisher criterion."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.validation import (
    check_choice,
    check_class_weights,
    check_gram,
    check_labels,
    check_positive,
    check_weights,
)
from kernelwise._core.weights import balanced_factors
from kernelwise.criteria.base import Criterion
from kernelwise.criteria.sums import PARTITIONS, partition


class KernelFisher(Criterion):
    """Kernel Fisher criterion: the distance of the class centres in units of the scatter along it.

    The criterion is mᵀ(S_w + λI)⁻¹m.

    m is the difference of the class centres in feature space, and S_w the scatter within classes, (1/n) Σ_i
    (Φ(x_i) − m_c)(Φ(x_i) − m_c)ᵀ: what kernel Fisher discriminant analysis maximises over directions.
    :class:`J4` (paper 004, Yin and Yin 2016, equation 14) divides traces instead, and sees no directions. λ
    is ``regularization`` times the mean of K_ii, so that the unit of K does not matter.

    With the Gram matrix, K = ΦΦᵀ, centres m = Φᵀb and S_w = ΦᵀAΦ, it is bᵀKv with (AK + λI)v = b, and its
    derivative by K at fixed λ is λvvᵀ. Pooled over more classes: n² tr((S_w + λI)⁻¹S_b) / Σ_{a<b} n_a n_b,
    the average over the pairs of classes, weighted by n_a n_b, as in :class:`InterClassDistance`.

    Parameters
    ----------
    regularization : float, default=0.03
        λ over the mean of K_ii.
    strategy, class_weight
        As in :class:`SumsCriterion`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.criteria import KernelFisher
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)
    >>> [round(KernelFisher().score(RBF(gamma)(X), y == 1), 2) for gamma in (0.01, 0.5, 100.0)]
    [0.44, 10.79, 1.08]

    References
    ----------
    S. Mika and others: Fisher discriminant analysis with kernels. Neural Networks for Signal Processing IX,
    1999. S.-J. Kim, A. Magnani, S. Boyd: Optimal kernel selection in kernel Fisher discriminant analysis.
    International Conference on Machine Learning, 2006, for this form in feature space.
    """

    name = "fisher"
    reference = "S. Mika and others, Fisher discriminant analysis with kernels, NNSP 1999"

    def __init__(
        self, regularization: float = 0.03, strategy: str = "pooled", class_weight: str | None = None
    ) -> None:
        check_positive(regularization, "regularization", "KernelFisher")
        check_choice(strategy, "strategy", "KernelFisher", PARTITIONS)
        if class_weight is not None:
            check_choice(class_weight, "class_weight", "KernelFisher", ("balanced",))
        self.regularization = float(regularization)
        self.strategy = strategy
        self.class_weight = class_weight

    def score(self, K: Any, y: Any, sample_weight: Any = None) -> float:
        return -self.value_and_adjoint(K, y, sample_weight)[0]

    def value_and_adjoint(self, K: Any, y: Any, sample_weight: Any = None) -> tuple[float, np.ndarray]:
        K = np.asarray(check_gram(K), dtype=float)
        classes, index = check_labels(y, K.shape[0], min_per_class=2, sample_weight=sample_weight)
        w = check_weights(sample_weight, K.shape[0])
        check_class_weights(classes, index, w)
        if self.class_weight == "balanced":
            w = w * balanced_factors(np.bincount(index, weights=w))[index]
        problems = partition(len(classes), self.strategy)
        value, W = 0.0, np.zeros_like(K)
        for groups in problems:
            # Weights of the samples in each group, shape (n, n_groups); zero outside a one-vs-one problem.
            score, part = self._one(K, w[:, None] * groups[:, index].T)
            value -= score / len(problems)
            W -= part / len(problems)
        return value, W

    def _one(self, K: np.ndarray, H: np.ndarray) -> tuple[float, np.ndarray]:
        """The score of one problem and its derivative."""
        sizes, w = H.sum(axis=0), H.sum(axis=1)
        total = sizes.sum()
        means = H / sizes
        # S_b = Φᵀ B Bᵀ Φ, S_w = Φᵀ A Φ
        B = (means - (w / total)[:, None]) * np.sqrt(sizes / total)
        A = -(means * (sizes / total)) @ means.T
        A[np.diag_indices_from(A)] += w / total
        level = self.regularization * np.sign(K.diagonal()) * w / total  # ∂λ/∂K_ii
        penalty = float(level @ K.diagonal())
        system = A @ K
        system[np.diag_indices_from(system)] += penalty
        V = np.linalg.solve(system, B)
        factor = 2.0 * total**2 / (total**2 - sizes @ sizes)
        KV = K @ V
        W = (penalty * factor) * (V @ V.T)
        W[np.diag_indices_from(W)] -= factor * float(np.vdot(V, KV)) * level
        return float(factor * np.vdot(B, KV)), W
