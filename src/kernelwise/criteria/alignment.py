"""Polarization and kernel-target alignment (paper 002, Glasmachers 2006)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kernelwise.criteria.separability import SumsCriterion
from kernelwise.criteria.sums import ClassSums
from kernelwise.exceptions import DegenerateGramError


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

    def formula(self, sums: ClassSums) -> tuple[Any, ClassSums]:
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

    def formula(self, sums: ClassSums) -> tuple[Any, ClassSums]:
        n = sums.n
        T = target(len(n))
        if self.centered:
            T = _centred(T, n)
        size_of_target = float(np.sqrt(n @ (T * T) @ n))
        inner = (T * sums.S).sum(axis=(-2, -1))
        square, d_square = self._squared_norm(sums)
        norm = np.sqrt(square)
        score = inner / (norm * size_of_target)
        d_inner = ClassSums(n, np.zeros_like(n), T)
        return score, d_inner * (1.0 / (norm * size_of_target)) + d_square * (-score / (2.0 * square))

    def _squared_norm(self, sums: ClassSums) -> tuple[Any, ClassSums]:
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


def target(n_classes: int) -> np.ndarray:
    """Ideal kernel value: 1 within a class, −1/(c − 1) between, shape (n_classes, n_classes)."""
    T = np.full((n_classes, n_classes), -1.0 / (n_classes - 1))
    np.fill_diagonal(T, 1.0)
    return T


def _centred(T: np.ndarray, n: np.ndarray) -> Any:
    """T after centring over the samples, ``n`` of them in each class."""
    mean = T @ n / n.sum()
    return T - mean[:, None] - mean[None, :] + mean @ n / n.sum()
