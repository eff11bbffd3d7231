"""Polarization, kernel-target alignment (paper 002, Glasmachers 2006) and HSIC, of classes and of numbers.

`aligned_sum` weighs the kernels of a sum by centred alignment: a small problem of non-negative least squares.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import nnls

from kernelwise._core.typing import MatrixLike
from kernelwise._core.validation import (
    check_choice,
    check_gram,
    check_labels,
    check_samples,
    check_targets,
    check_weights,
)
from kernelwise.criteria.base import Criterion
from kernelwise.criteria.separability import SumsCriterion
from kernelwise.criteria.sums import ClassSums, Scored
from kernelwise.exceptions import DegenerateGramError
from kernelwise.kernels import Kernel, KernelSum


class Polarization(SumsCriterion):
    """Kernel polarization, P = Σ_ij y_i y_j K_ij (paper 002, section 2).

    Pooled over c > 2 classes the target y_i y_j is 1 within a class and −1/(c − 1) between classes: the
    inner products of labels on the corners of a simplex, which gives ±1 for two classes.

    Parameters
    ----------
    strategy, class_weight
        As in :class:`SumsCriterion`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.criteria import Polarization
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)
    >>> [round(Polarization().score(RBF(gamma)(X), y == 0)) for gamma in (0.01, 0.1, 100.0)]
    [3790, 7924, 166]
    """

    name = "polarization"
    reference = "Y. Baram, Learning by kernel polarization, Neural Computation 17(6), 2005"
    is_linear = True

    def formula(self, sums: ClassSums) -> Scored:
        T = target(len(sums.n))
        return (T * sums.S).sum(axis=(-2, -1)), ClassSums(sums.n, np.zeros_like(sums.t), T)


class KernelTargetAlignment(SumsCriterion):
    """Kernel-target alignment, A = ⟨K, T⟩ / (‖K‖ ‖T‖) with T_ij = y_i y_j (paper 002, section 2).

    It is polarization made independent of the scale of the kernel. The paper leaves out ‖T‖, which is n for
    two classes.

    Parameters
    ----------
    centered : bool, default=False
        Centre K and T in feature space first: ⟨HKH, HTH⟩ / (‖HKH‖ ‖HTH‖) (Cortes, Mohri and
        Rostamizadeh 2012). Unbalanced classes make this matter.
    strategy, class_weight
        As in :class:`Polarization`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.criteria import KernelTargetAlignment
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)

    One class against two others: their unequal sizes pull the plain alignment down.

    >>> K = RBF(0.1)(X)
    >>> [round(KernelTargetAlignment(centered).score(K, y == 0), 3) for centered in (False, True)]
    [0.54, 0.901]
    """

    name = "kta"
    reference = "N. Cristianini and others, On kernel-target alignment, NIPS 2001"
    needs_squares: ClassVar[bool] = True

    def __init__(
        self, centered: bool = False, strategy: str = "pooled", class_weight: str | None = None
    ) -> None:
        super().__init__(strategy, class_weight)
        self.centered = centered

    @property
    def needs_rows(self) -> bool:
        return self.centered

    def formula(self, sums: ClassSums) -> Scored:
        n = sums.n
        T = target(len(n))
        if self.centered:
            T = _centred_target(T, n)
        size_of_target = float(np.sqrt(n @ (T * T) @ n))
        inner = (T * sums.S).sum(axis=(-2, -1))
        square, d_square = self._squared_norm(sums)
        norm = np.sqrt(square)
        score = inner / (norm * size_of_target)
        d_inner = ClassSums(n, np.zeros_like(n), T)
        return score, d_inner * (1.0 / (norm * size_of_target)) + d_square * (-score / (2.0 * square))

    def _squared_norm(self, sums: ClassSums) -> Scored:
        """‖K‖², or ‖HKH‖² = Σ K² − (2/n) Σ_i w_i r_i² + (Σ K)²/n² with the row sums r of K."""
        assert sums.S2 is not None
        plain = square = sums.S2.sum(axis=(-2, -1))
        d = ClassSums(sums.n, np.zeros_like(sums.t), np.zeros_like(sums.S), np.ones_like(sums.S2))
        if self.centered:
            assert sums.R2 is not None
            total, everything = sums.n.sum(), sums.S.sum(axis=(-2, -1))
            square = plain - 2.0 / total * sums.R2.sum(axis=(-3, -2, -1)) + (everything / total) ** 2
            d.S += (2.0 * everything / total**2)[..., None, None]
            d.R2 = np.full_like(sums.R2, -2.0 / total)
        # The three terms cancel for a constant K; what is left below this is rounding.
        if np.any(square <= 64 * np.finfo(float).eps * plain):
            raise DegenerateGramError(
                f"The {'centred ' if self.centered else ''}Gram matrix is zero to rounding, so its alignment "
                "is undefined. Make the kernel narrower or rescale X."
            )
        return square, d


class HSIC(SumsCriterion):
    """Hilbert-Schmidt independence criterion of kernel and labels, ⟨HKH, T⟩/(n − 1)².

    T_ij = y_i y_j is a kernel of the labels, and H = I − 11ᵀ/n centres: the empirical HSIC of Gretton and
    others (2005). It is :class:`Polarization` (paper 002, Glasmachers 2006, section 2) of the centred kernel;
    for two classes it is DBTC times (2n₁n₂/(n(n − 1)))², so that both choose one kernel. With more classes
    they differ: HSIC weighs a class by n_a², DBTC by n_a.

    Any kernel of the labels is possible. This is the target of :class:`Polarization`; a kernel that is 1 for
    equal labels and 0 else has the same value up to a factor. The estimate is the biased one of 2005, not the
    unbiased one of Song and others (2012).

    Parameters
    ----------
    strategy, class_weight
        As in :class:`Polarization`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.criteria import HSIC, InterClassDistance
    >>> from kernelwise.kernels import RBF
    >>> X, y = load_iris(return_X_y=True)
    >>> K = RBF(0.1)(X)
    >>> round(HSIC().score(K, y), 4)
    0.1716
    >>> factor = (2 * 50 * 100 / (150 * 149)) ** 2
    >>> abs(HSIC().score(K, y == 0) - factor * InterClassDistance().score(K, y == 0)) < 1e-12
    True

    References
    ----------
    A. Gretton, O. Bousquet, A. Smola, B. Schölkopf: Measuring statistical dependence with Hilbert-Schmidt
    norms. Algorithmic Learning Theory, 2005.
    """

    name = "hsic"
    reference = "A. Gretton and others, Measuring statistical dependence with Hilbert-Schmidt norms, ALT 2005"
    is_linear = True
    is_shift_invariant = True

    def formula(self, sums: ClassSums) -> Scored:
        n = sums.n
        T = _centred_target(target(len(n)), n) / (n.sum() - 1.0) ** 2
        return (T * sums.S).sum(axis=(-2, -1)), ClassSums(n, np.zeros_like(sums.t), T)


def target(n_classes: int) -> np.ndarray:
    """Ideal kernel value: 1 within a class, −1/(c − 1) between, shape (n_classes, n_classes)."""
    T = np.full((n_classes, n_classes), -1.0 / (n_classes - 1))
    np.fill_diagonal(T, 1.0)
    return T


def _centred_target(T: np.ndarray, n: np.ndarray) -> np.ndarray:
    """T after centring over the samples, ``n`` of them in each class."""
    mean = T @ n / n.sum()
    return T - mean[:, None] - mean[None, :] + mean @ n / n.sum()


class TargetAlignment(Criterion):
    """Alignment of a kernel with numbers as targets, A = ⟨K, ttᵀ⟩ / (‖K‖ ‖ttᵀ‖) with t = y − mean(y).

    The alignment of :class:`KernelTargetAlignment` for regression (Cortes, Mohri and Rostamizadeh 2012,
    section 2); units and origin of y do not matter. With weights, ⟨A, B⟩ = Σ w_i w_j A_ij B_ij, so that a
    weight of 2 is a repeated row.

    Parameters
    ----------
    centered : bool, default=False
        Centre K in feature space, too: ⟨HKH, ttᵀ⟩ / (‖HKH‖ ‖ttᵀ‖) (Cortes, Mohri and Rostamizadeh 2012).

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.criteria import TargetAlignment
    >>> from kernelwise.kernels import RBF
    >>> X = np.linspace(0.0, 10.0, 50)[:, None]
    >>> y = np.sin(X.ravel())

    Which of three widths follows a sine of period 2π?

    >>> [f"{TargetAlignment(centered=True).score(RBF(gamma)(X), y):.3f}" for gamma in (0.01, 0.3, 100.0)]
    ['0.022', '0.407', '0.147']
    """

    name = "target-alignment"
    reference = "C. Cortes, M. Mohri, A. Rostamizadeh, Algorithms for learning kernels, JMLR 13, 2012"
    is_regression: ClassVar[bool] = True

    def __init__(self, centered: bool = False) -> None:
        self.centered = centered

    def score(self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        return -self.value_and_adjoint(K, y, sample_weight)[0]

    def value_and_adjoint(
        self, K: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> tuple[float, np.ndarray]:
        K = check_gram(K)
        w = check_weights(sample_weight, K.shape[0])
        y = check_targets(y, K.shape[0])
        t = w * (y - w @ y / w.sum())
        size_of_target = float(t @ (y - w @ y / w.sum()))
        if size_of_target <= (np.finfo(float).eps * np.abs(y).max()) ** 2 * w.sum():
            raise ValueError("y is constant: no kernel is aligned with it. Check y.")
        M = centred_gram(K, w) if self.centered else np.asarray(K, dtype=float)
        # w_i w_j M_ij is half the derivative of ‖M‖²: centring is a projection, so that it acts only once.
        weighted = w[:, None] * M * w
        square = float(np.vdot(weighted, M))
        if square <= 64 * np.finfo(float).eps * float(w @ (K * K) @ w):
            raise DegenerateGramError(
                f"The {'centred ' if self.centered else ''}Gram matrix is zero to rounding, so its alignment "
                "is undefined. Make the kernel narrower or rescale X."
            )
        size = np.sqrt(square) * size_of_target
        score = float(t @ M @ t) / size
        return -score, weighted * (score / square) - np.outer(t, t) / size


#: Directions of the kernels' span that have less than this share of the largest are rounding.
ROUNDING = 1e-12


def aligned_sum(
    kernels: Sequence[Kernel],
    X: MatrixLike,
    y: ArrayLike,
    *,
    task: str = "classification",
    sample_weight: ArrayLike | None = None,
) -> KernelSum:
    """Return the weighted sum of kernels with the highest centred alignment with the target.

    The algorithm "alignf" of C. Cortes, M. Mohri and A. Rostamizadeh, Algorithms for learning kernels based
    on centered alignment, JMLR 13, 2012. The parameters of the kernels stay as they are; see `KernelSum` for
    equal weights, which on tables do as well.

    Parameters
    ----------
    kernels : sequence of Kernel
        With the parameters that they are to have; what they lack comes from the data.
    X : array or CSR matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    task : {"classification", "regression"}, default="classification"
        Whether y has classes or numbers.
    sample_weight : array of shape (n_samples,), default=None
        A weight of 2 is a repeated row.

    Returns
    -------
    kernel : KernelSum
        Without the kernels of weight zero; the weights sum to the number of kernels given.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from kernelwise.criteria import aligned_sum
    >>> from kernelwise.kernels import RBF, Laplacian
    >>> aligned_sum([RBF(0.1), RBF(100.0), Laplacian(0.1)], *load_iris(return_X_y=True))
    KernelSum(kernels=(Laplacian(gamma=0.1)), weights=[3.])
    """
    X = check_samples(X)
    started = [kernel.initialize(X, heuristic="keep") for kernel in KernelSum(list(kernels)).kernels]
    grams = [kernel(X) for kernel in started]
    weights = alignment_weights(grams, y, task=task, sample_weight=sample_weight)
    kept = np.flatnonzero(weights)
    return KernelSum([started[k] for k in kept], weights[kept])


def alignment_weights(
    grams: Sequence[np.ndarray],
    y: ArrayLike,
    *,
    task: str = "classification",
    sample_weight: ArrayLike | None = None,
) -> np.ndarray:
    """Weights v ≥ 0 of Gram matrices whose weighted sum has the highest centred alignment with the target.

    They maximise vᵀa / √(vᵀMv), with a_k = ⟨HK_kH, T⟩ and M_kl = ⟨HK_kH, HK_lH⟩, which is where
    vᵀMv − 2vᵀa is lowest, up to a factor.

    Parameters
    ----------
    grams : sequence of ndarray of shape (n_samples, n_samples)
    y, task, sample_weight
        As in `aligned_sum`.

    Returns
    -------
    weights : ndarray of shape (n_kernels,)
        They sum to the number of kernels.
    """
    check_choice(task, "task", "aligned_sum", ("classification", "regression"))
    n = len(grams[0])
    w = check_weights(sample_weight, n)
    T = _target(y, w, task)
    centred = [_rooted(centred_gram(check_gram(K), w), w) for K in grams]
    sizes = np.array([np.linalg.norm(C) for C in centred])
    is_constant = sizes <= 1e-7 * np.array([np.linalg.norm(K) * w.mean() for K in grams])
    # Of unit size, so that none is lost to the rounding of the others.
    rows = np.stack([C.ravel() / (size or 1.0) for C, size in zip(centred, sizes, strict=True)])
    rows[is_constant] = 0.0
    M, a = rows @ rows.T, rows @ T.ravel()
    values, vectors = np.linalg.eigh(M)
    kept = values > ROUNDING * values[-1]
    root = np.sqrt(values[kept])
    found, _ = nnls(root[:, None] * vectors[:, kept].T, vectors[:, kept].T @ a / root)
    weights = np.where(is_constant, 0.0, found / np.where(sizes > 0, sizes, 1.0))
    if not weights.any():
        raise DegenerateGramError("No kernel of the sum is aligned with y. Use other kernels or widths.")
    return np.asarray(weights * (len(weights) / weights.sum()))


def _target(y: ArrayLike, w: np.ndarray, task: str) -> np.ndarray:
    """The centred ideal Gram matrix: of labels on the corners of a simplex, or of numbers."""
    if task == "regression":
        y = check_targets(y, len(w))
        if np.ptp(y[w > 0]) == 0.0:
            raise ValueError("y is constant: no kernel is aligned with it. Check y.")
        return _rooted(centred_gram(np.outer(y - w @ y / w.sum(), y - w @ y / w.sum()), w), w)
    classes, index = check_labels(y, len(w))
    return _rooted(centred_gram(target(len(classes))[np.ix_(index, index)], w), w)


def centred_gram(K: np.ndarray, w: np.ndarray) -> np.ndarray:
    """HKH: K with weighted rows and columns centred."""
    share = w / w.sum()
    rows = K @ share
    return np.asarray(K - rows[:, None] - rows + share @ rows)


def _rooted(K: np.ndarray, w: np.ndarray) -> np.ndarray:
    """√w_i √w_j K_ij, whose inner products are Σ w_i w_j A_ij B_ij."""
    root = np.sqrt(w)
    return np.asarray(root[:, None] * K * root)
