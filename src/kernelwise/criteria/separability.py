"""Class separability from sums over classes: DBTC, ESDR and J4, of kernels or of given distances.

DBTC is of paper 000 (Abe 2007), ESDR of paper 004 (Yin and Yin 2016), which compares it with DBTC and J4.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from kernelwise._core.validation import (
    check_distances,
    check_flag,
    check_number,
)
from kernelwise.criteria.base import ClassesCriterion
from kernelwise.criteria.sums import (
    ClassSums,
    DistinctSums,
    GramSums,
    Scored,
    weighted_partition,
)
from kernelwise.exceptions import DegenerateGramError


class SumsCriterion(ClassesCriterion):
    """Base class of criteria that are functions of class sums, averaged over two-class problems.

    Parameters
    ----------
    strategy : {"pooled", "ovr", "ovo"}, default="pooled"
        For more than two classes: the formula over all classes at once, or its average over the
        one-vs-rest or one-vs-one problems. The three agree for two classes.
    class_weight : {None, "balanced"}, default=None
        "balanced" weights the samples so that every class has the same total weight.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import ESDR, SumsCriterion
    >>> isinstance(ESDR(), SumsCriterion)
    True

    The sums of K over pairs of classes are all that such a criterion reads:

    >>> K = np.array([[1.0, 0.8, 0.1, 0.1], [0.8, 1.0, 0.1, 0.1], [0.1, 0.1, 1.0, 0.4], [0.1, 0.1, 0.4, 1.0]])
    >>> ESDR().gram_sums(K, [0, 0, 1, 1]).sums.S
    array([[3.6, 0.4],
           [0.4, 2.8]])
    """

    needs_squares: ClassVar[bool] = False
    #: True if K − c has the score of K for every constant c: the formula knows only distances in feature
    #: space. K − 1 then keeps the digits that K loses for a wide kernel, all of whose entries are nearly one.
    is_shift_invariant: ClassVar[bool] = False

    @property
    def needs_rows(self) -> bool:
        """Whether the formula uses row sums of K (``ClassSums.R2``)."""
        return False

    @abstractmethod
    def formula(self, sums: ClassSums) -> Scored:
        """The score of one problem, two classes or pooled, and its derivatives with respect to the sums."""

    def score_and_derivatives(self, sums: ClassSums) -> tuple[float, ClassSums]:
        """The score from the sums over the classes, averaged over the problems of the strategy."""
        problems = weighted_partition(sums.n, self.strategy, self.class_weight)
        if len(problems) == 1 and self.class_weight is None:  # of the classes as they are
            score, d = self.formula(sums)
            return float(score), d
        total: float = 0.0
        derivatives: ClassSums | None = None
        for groups in problems:
            score, d = self.formula(sums.merge(groups))
            d = d.pull_back(groups)
            total += float(score)
            derivatives = d if derivatives is None else derivatives + d
        assert derivatives is not None
        return total / len(problems), derivatives * (1.0 / len(problems))

    def gram_sums(self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> GramSums:
        """Check a Gram matrix, labels and weights, and return them ready to be summed over classes.

        Class weights come later: they are factors of the sums.
        """
        gram, _, index, w = self._checked(K, y, sample_weight)
        return GramSums(gram, index, w, self.needs_squares, self.needs_rows)

    def score(self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        return self.score_and_derivatives(self.gram_sums(K, y, sample_weight).sums)[0]

    def value_and_adjoint(
        self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[float, np.ndarray]:
        gram = self.gram_sums(K, y, sample_weight)
        score, derivatives = self.score_and_derivatives(gram.sums)
        return self.sign * score, gram.adjoint(derivatives * self.sign)


class PairCriterion(SumsCriterion):
    """Base class of criteria of mean squared distances over pairs of rows in feature space.

    Parameters
    ----------
    strategy, class_weight
        As in :class:`SumsCriterion`.
    unbiased : bool, default=False
        Average over pairs of different rows, i ≠ j. The papers' sums have each row with itself, too, at
        distance zero: as a kernel gets narrower, DBTC then tends to 1/n₁ + 1/n₂, and ESDR to n/(n − 2), where
        classes that cannot be told apart should have 0 and 1.
    trim : float, default=0.0
        Share of the pairs that is left out, those that are closest in feature space, for every two classes
        by itself; only with ``unbiased``. With a very narrow kernel the closest pair alone decides whether a
        criterion rises or falls (paper 002, Glasmachers 2006, theorem 3): trimmed sums do not see it.

    Notes
    -----
    A weight of 2 is a repeated row also where pairs are of different rows: the two copies are a pair, at
    distance zero, so that class a has n_a(n_a − 1) ordered pairs, n_a being the sum of its weights. Weights
    must then count rows: multiplying all of them by a number changes an unbiased criterion. Class weights do
    not; they are factors of the averages.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import ESDR, InterClassDistance

    A kernel so narrow that all rows are equally far apart tells nothing about any labels:

    >>> K, y = np.eye(10), np.arange(10) % 2
    >>> for make in (InterClassDistance, ESDR):
    ...     print(*(round(make(unbiased=unbiased).score(K, y), 12) for unbiased in (False, True)))
    0.4 0.0
    1.25 1.0
    """

    def __init__(
        self,
        strategy: str = "pooled",
        class_weight: str | None = None,
        unbiased: bool = False,
        trim: float = 0.0,
    ) -> None:
        super().__init__(strategy, class_weight)
        me = type(self).__name__
        check_flag(unbiased, "unbiased", me)
        check_number(trim, "trim", me)
        if not 0.0 <= trim < 1.0 or (trim > 0.0 and not unbiased):
            raise ValueError(
                f"'trim' of {me} must be a share from 0 to below 1, and 0 unless unbiased=True, got {trim!r}."
            )
        self.unbiased = unbiased
        self.trim = float(trim)

    def score_of_dissimilarities(
        self, D: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> float:
        """The criterion of any squared dissimilarities, in place of squared distances in feature space.

        These criteria know of a kernel only d_ij = K_ii + K_jj − 2K_ij, and −D/2 as K has d_ij = D_ij. So
        ``-D / 2`` can be given wherever they take a Gram matrix, for their derivatives, too (future work of
        paper 004, Yin and Yin 2016).

        Parameters
        ----------
        D : array of shape (n_samples, n_samples)
            Squared dissimilarities: symmetric, not negative, zero on the diagonal. They need not be those of
            points in a space; then a scatter between or within classes may be negative.
        y, sample_weight : arrays of shape (n_samples,)

        Examples
        --------
        Words by their edit distance, which no features give:

        >>> import numpy as np
        >>> from kernelwise.criteria import ESDR
        >>> D = np.array([[0, 1, 4, 5], [1, 0, 3, 4], [4, 3, 0, 2], [5, 4, 2, 0]]) ** 2
        >>> round(ESDR().score_of_dissimilarities(D, ["animal", "animal", "place", "place"]), 6)
        13.2
        """
        D = check_distances(D)
        return self.score(-0.5 * D, y, sample_weight)

    def gram_sums(self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> GramSums:
        gram = super().gram_sums(K, y, sample_weight)
        return DistinctSums(gram.K, gram.index, gram.weights, trim=self.trim) if self.unbiased else gram


class InterClassDistance(PairCriterion):
    """Squared distance between the class centres in feature space (DBTC; paper 000, equation 7).

    d² = S₁₁/n₁² − 2S₁₂/(n₁n₂) + S₂₂/n₂². Pooled over more classes: the average of d² over the pairs of
    classes, weighted by n_a n_b, which is n² tr S_b / Σ_{a<b} n_a n_b.

    Parameters
    ----------
    strategy, class_weight, unbiased, trim
        As in :class:`PairCriterion`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.criteria import InterClassDistance
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)

    The distance between the centres has its peak between narrow and wide kernels:

    >>> [round(InterClassDistance().score(RBF(gamma)(X), y == 0), 3) for gamma in (0.01, 0.2, 100.0)]
    [0.282, 1.395, 0.035]

    As a cost it is to be minimised, and its derivative by K does not depend on K:

    >>> cost, W = InterClassDistance().value_and_adjoint(RBF(0.2)(X), y == 0)
    >>> round(cost, 3), W.shape
    (-1.395, (150, 150))
    """

    name = "dbtc"
    reference = "S. Abe, Optimizing kernel parameters by second-order methods, ESANN 2007"
    is_shift_invariant = True

    @property
    def is_linear(self) -> bool:  # type: ignore[override]
        """Whether no pair is left out by its distance."""
        return self.trim == 0.0

    def formula(self, sums: ClassSums) -> Scored:
        between, d = _trace_between(sums)
        factor = sums.n.sum() ** 2 / _different_pairs(sums.n)
        return factor * between, d * factor


class ESDR(PairCriterion):
    """Expected square distance ratio (paper 004, equation 8).

    The mean squared distance in feature space between points of different classes, over that between points
    of one class (classes weighted by n_c/n); pairs are drawn with replacement, so a point may meet itself.

    Parameters
    ----------
    strategy, class_weight, unbiased, trim
        As in :class:`PairCriterion`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.criteria import ESDR
    >>> from kernelwise.kernels import RBF, Linear
    >>> X, y = load_iris(return_X_y=True)

    As a kernel gets wider, the ratio goes to that of input space:

    >>> [round(ESDR().score(kernel(X), y == 0), 3) for kernel in (RBF(1.0), RBF(1e-3), Linear())]
    [1.667, 8.402, 8.468]
    """

    name = "esdr"
    reference = "S. Yin and J. Yin, Tuning kernel parameters for SVM based on ESDR, Inf. Sci. 370-371, 2016"
    is_shift_invariant = True

    def formula(self, sums: ClassSums) -> Scored:
        n, total, pairs = sums.n, sums.n.sum(), _different_pairs(sums.n)
        off = 1.0 - np.eye(len(n))
        # Σ_{a≠b} over pairs of K_ii + K_jj − 2K_ij, each unordered pair once.
        numerator = (sums.t @ (total - n) - (sums.S * off).sum(axis=(-2, -1))) / pairs
        d_numerator = ClassSums(n, (total - n) / pairs, -off / pairs)
        within, d_within = _trace_within(sums)
        return _ratio(numerator, d_numerator, 2.0 * within, d_within * 2.0)


class J4(PairCriterion):
    """Ratio of between-class to within-class scatter, tr S_b / tr S_w (paper 004, equation 14).

    Parameters
    ----------
    strategy, class_weight, unbiased, trim
        As in :class:`PairCriterion`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.criteria import J4
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)
    >>> K = RBF(0.1)(X)

    Three classes at once, and the average over each class against the rest:

    >>> round(J4().score(K, y), 3), round(J4(strategy="ovr").score(K, y), 3)
    (3.262, 0.825)
    """

    name = "j4"
    reference = "K. Fukunaga, Introduction to Statistical Pattern Recognition; paper 004, equation 14"
    is_shift_invariant = True

    def formula(self, sums: ClassSums) -> Scored:
        return _ratio(*_trace_between(sums), *_trace_within(sums))


def _different_pairs(n: np.ndarray) -> float:
    """Σ_{a<b} n_a n_b"""
    return float((n.sum() ** 2 - n @ n) / 2.0)


def _trace_between(sums: ClassSums) -> Scored:
    """tr S_b = (1/n) Σ S_aa/n_a − (1/n²) Σ S_ab"""
    n, total = sums.n, sums.n.sum()
    d = ClassSums(n, np.zeros_like(n), np.diag(1.0 / (total * n)) - 1.0 / total**2)
    return (d.S * sums.S).sum(axis=(-2, -1)), d


def _trace_within(sums: ClassSums) -> Scored:
    """tr S_w = (1/n) Σ (t_a − S_aa/n_a)"""
    n, total = sums.n, sums.n.sum()
    d = ClassSums(n, np.full_like(n, 1.0 / total), np.diag(-1.0 / (total * n)))
    own = sums.t @ d.t
    within = own + (d.S * sums.S).sum(axis=(-2, -1))
    if (within <= 8 * np.finfo(float).eps * np.abs(own)).any():
        raise DegenerateGramError(
            "The points of each class coincide in feature space (within-class scatter zero to rounding), "
            "so a ratio to it is undefined. Make the kernel narrower or rescale X."
        )
    return within, d


def _ratio(u: np.ndarray, du: ClassSums, v: np.ndarray, dv: ClassSums) -> Scored:
    ratio = u / v
    return ratio, du * (1.0 / v) + dv * (-ratio / v)  # v² may be too small for a number
