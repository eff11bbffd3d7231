"""Criteria of class centres in feature space and of the rows around them.

The kernel Fisher criterion and `FSM` (Nguyen and Ho 2008) measure the rows along the line between two
centres, `WuWangIndex` (Wu and Wang 2009) how far they are from the centre of the other class. Papers 000 (Abe
2007), 003 (Laanaya and others 2011) and 004 (Yin and Yin 2016) name the first and the last.
"""

from __future__ import annotations

from abc import abstractmethod
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.labels import balanced_factors
from kernelwise._core.validation import (
    check_positive,
)
from kernelwise.criteria.base import ClassesCriterion
from kernelwise.criteria.sums import partition
from kernelwise.exceptions import DegenerateGramError


class CentresCriterion(ClassesCriterion):
    """Base class of criteria of groups of rows, averaged over two-class problems.

    Parameters
    ----------
    strategy, class_weight
        As in :class:`SumsCriterion`.
    """

    @abstractmethod
    def _one(self, K: np.ndarray, H: np.ndarray) -> tuple[float, np.ndarray]:
        """The score of one problem and its derivative by K; H has the weights of the rows in each group."""

    def score(self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        return self.sign * self.value_and_adjoint(K, y, sample_weight)[0]

    def value_and_adjoint(
        self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[float, np.ndarray]:
        gram, classes, index, w = self._checked(K, y, sample_weight)
        gram = np.asarray(gram, dtype=float)
        if self.class_weight == "balanced":
            w = w * balanced_factors(np.bincount(index, weights=w))[index]
        problems = partition(len(classes), self.strategy)
        score, W = 0.0, np.zeros_like(gram)
        for groups in problems:
            # Weights of the samples in each group, shape (n, n_groups); zero outside a one-vs-one problem.
            one, part = self._one(gram, w[:, None] * groups[:, index].T)
            score += one / len(problems)
            W += part / len(problems)
        return self.sign * score, self.sign * W


class KernelFisher(CentresCriterion):
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
        super().__init__(strategy, class_weight)
        check_positive(regularization, "regularization", "KernelFisher")
        self.regularization = float(regularization)

    def _one(self, K: np.ndarray, H: np.ndarray) -> tuple[float, np.ndarray]:
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


class FSM(CentresCriterion):
    """Spread of two classes along the line between their centres, over the distance of these (FSM).

    The criterion is (s₁ + s₂)/‖m₁ − m₂‖, to be minimised (Nguyen and Ho 2008): s_a² is the variance,
    Σ ⟨Φ(x_i) − m_a, e⟩²/(n_a − 1), along the unit vector e from one centre m to the other. It was proposed as
    what alignment misses: how classes lie matters, and how far the origin is does not. By Cantelli's
    inequality some plane across that line has a training error of at most FSM²/(1 + FSM²).

    Of a very narrow kernel all rows are alike, K = I, and FSM is 0, its best value: over widths it needs a
    lower end of the range, or a look at the curve. :class:`J4` (paper 004, Yin and Yin 2016, equation 14) has
    the spread in all directions, and no such limit. Pooled over more classes it is the mean over the pairs of
    classes; the paper has two.

    Parameters
    ----------
    strategy, class_weight
        As in :class:`SumsCriterion`.

    Notes
    -----
    Each sum of weights stands for n_a in n_a − 1: weights must count rows. The cost is one product of K with
    a vector for two classes, O(n²).

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import FSM
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0]])

    Two classes of variance ½ at distance 4; the origin does not matter, and K = I has the best value:

    >>> [round(FSM().score((X + c) @ (X + c).T, [0, 0, 1, 1]), 4) for c in (0.0, 7.0)]
    [0.3536, 0.3536]
    >>> FSM().score(np.eye(4), [0, 0, 1, 1])
    0.0

    References
    ----------
    C. H. Nguyen, T. B. Ho: An efficient kernel matrix evaluation measure. Pattern Recognition 41(11),
    3366–3372, 2008.
    """

    name = "fsm"
    reference = "C. H. Nguyen, T. B. Ho, An efficient kernel matrix evaluation measure, Patt. Rec. 41, 2008"
    sign: ClassVar[int] = 1

    def _one(self, K: np.ndarray, H: np.ndarray) -> tuple[float, np.ndarray]:
        sizes = H.sum(axis=0)
        if sizes.min() <= 1.0:
            raise ValueError(
                "The weights of a class sum to one or less, but the variance in FSM needs two rows. Use "
                "weights that count rows."
            )
        means = H / sizes
        pairs = list(combinations(range(len(sizes)), 2))
        score, left, right = 0.0, [], []
        for pair in pairs:
            u = means[:, pair[0]] - means[:, pair[1]]
            r = K @ u  # ⟨Φ(x_i), m₁ − m₂⟩
            distance2 = float(u @ r)
            if distance2 <= 64 * np.finfo(float).eps * float(np.abs(u) @ np.abs(r)):
                raise DegenerateGramError(
                    "The centres of two classes coincide in feature space to rounding, so that FSM is "
                    "undefined. Make the kernel narrower or rescale X."
                )
            spread, by_r = 0.0, np.zeros(len(r))
            for a in pair:
                away = r - means[:, a] @ r
                root = float(np.sqrt(H[:, a] @ away**2 / (sizes[a] - 1.0)))
                spread += root
                if root > 0.0:
                    by_r += H[:, a] * away / ((sizes[a] - 1.0) * root)
            score += spread / distance2 / len(pairs)
            left.append((by_r - spread / distance2 * u) / (distance2 * len(pairs)))
            right.append(u)
        product = np.column_stack(left) @ np.column_stack(right).T
        return score, (product + product.T) / 2.0


class WuWangIndex(CentresCriterion):
    """Mean distance in feature space of the rows from the centre of the other class.

    The index is (Σ_{i ∈ 1} ‖Φ(x_i) − m₂‖ + Σ_{i ∈ 2} ‖Φ(x_i) − m₁‖)/n, to be maximised.

    Wu and Wang (2009) choose the width where an inter-cluster distance of the two classes is largest, in
    place of a grid search with trained machines. The distances are those of Bezdek and Pal (1998). Their δ₄,
    between the centres, is the root of DBTC (:class:`InterClassDistance`, paper 000, equation 7) and has its
    peak. This is δ₅, "average to centroids", the other one that kernel values give without looking at every
    pair. It also grows with the spread of each class around its own centre, which is largest for narrow
    kernels. The formula is Bezdek and Pal's; which of their distances Wu and Wang would take in a given case
    is not settled here. Papers 000 and 004 cite them.

    Pooled over more classes, every row counts with the centres of all other classes.

    Parameters
    ----------
    strategy, class_weight
        As in :class:`SumsCriterion`.

    Notes
    -----
    The cost is one product of K with a column for every class, O(n² · n_classes).

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import WuWangIndex
    >>> X = np.array([[0.0], [1.0], [4.0], [6.0]])

    The rows of one class are at 5 and 4 from the centre 5, those of the other at 3½ and 5½ from ½:

    >>> round(WuWangIndex().score(X @ X.T, [0, 0, 1, 1]), 6)
    4.5

    References
    ----------
    K.-P. Wu, S.-D. Wang: Choosing the kernel parameters for support vector machines by the inter-cluster
    distance in the feature space. Pattern Recognition 42(5), 710–717, 2009. J. C. Bezdek, N. R. Pal: Some new
    indexes of cluster validity. IEEE Transactions on Systems, Man, and Cybernetics B 28(3), 1998.
    """

    name = "wu-wang"
    reference = (
        "K.-P. Wu, S.-D. Wang, Choosing the kernel parameters by the ICD, Pattern Recognition 42, 2009"
    )

    def _one(self, K: np.ndarray, H: np.ndarray) -> tuple[float, np.ndarray]:
        means = H / H.sum(axis=0)
        R = K @ means
        squares = K.diagonal()[:, None] - 2.0 * R + np.sum(means * R, axis=0)
        # A row counts with its weight beside the centre of every group but its own.
        weights = H.sum(axis=1)[:, None] - H
        weights /= weights.sum()
        distances = np.sqrt(np.maximum(squares, 0.0))
        by_square = np.zeros_like(squares)
        np.divide(weights, 2.0 * distances, out=by_square, where=distances > 0.0)
        product = (means * by_square.sum(axis=0) - 2.0 * by_square) @ means.T
        W = (product + product.T) / 2.0
        W[np.diag_indices_from(W)] += by_square.sum(axis=1)
        return float(np.sum(weights * distances)), W
