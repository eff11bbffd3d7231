"""Kernel-target alignment with a real-valued target."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from kernelwise._core.validation import check_gram, check_targets, check_weights
from kernelwise.criteria.base import Criterion
from kernelwise.exceptions import DegenerateGramError


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

    def score(self, K: Any, y: Any, sample_weight: Any = None) -> float:
        return -self.value_and_adjoint(K, y, sample_weight)[0]

    def value_and_adjoint(self, K: Any, y: Any, sample_weight: Any = None) -> tuple[float, np.ndarray]:
        K = check_gram(K)
        w = check_weights(sample_weight, K.shape[0])
        y = check_targets(y, K.shape[0])
        t = w * (y - w @ y / w.sum())
        size_of_target = float(t @ (y - w @ y / w.sum()))
        if size_of_target <= (np.finfo(float).eps * np.abs(y).max()) ** 2 * w.sum():
            raise ValueError("y is constant: no kernel is aligned with it. Check y.")
        M = self._centred(K, w) if self.centered else np.asarray(K, dtype=float)
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

    @staticmethod
    def _centred(K: np.ndarray, w: np.ndarray) -> np.ndarray:
        """HKH: K with weighted rows and columns centred."""
        share = w / w.sum()
        rows = K @ share
        return K - rows[:, None] - rows + share @ rows
