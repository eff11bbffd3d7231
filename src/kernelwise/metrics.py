"""The criteria as plain functions of a Gram matrix, for any kernel: quantum, string, graph or your own.

Each returns the paper's quantity: larger means better separated. They share their arguments:

K : array of shape (n_samples, n_samples)
    Symmetric Gram matrix.
y : array of shape (n_samples,)
    Class labels of any type, two or more classes with at least two samples each.
strategy : {"pooled", "ovr", "ovo"}
    For more than two classes: all at once, or the average over one-vs-rest or one-vs-one problems.
sample_weight : array of shape (n_samples,)
    A weight of 2 counts as a repeated row.
class_weight : {None, "balanced"}
    "balanced" gives every class the same total weight.

Examples
--------
>>> import numpy as np
>>> from kernelwise.metrics import esdr, kernel_target_alignment
>>> X = np.array([[0.0], [1.0], [4.0], [5.0]])
>>> y = ["near", "near", "far", "far"]
>>> K = X @ X.T
>>> esdr(K, y)
33.0
>>> round(kernel_target_alignment(K, y, centered=True), 4)
0.9412
"""

from __future__ import annotations

from typing import Any

from kernelwise.criteria import ESDR, J4, InterClassDistance, KernelTargetAlignment, Polarization


def inter_class_distance(
    K: Any, y: Any, *, strategy: str = "pooled", sample_weight: Any = None, class_weight: str | None = None
) -> float:
    """Squared distance between class centres in feature space (DBTC; paper 000, eq. 7)."""
    return InterClassDistance(strategy, class_weight).score(K, y, sample_weight)


def esdr(
    K: Any, y: Any, *, strategy: str = "pooled", sample_weight: Any = None, class_weight: str | None = None
) -> float:
    """Expected square distance ratio (paper 004, eq. 8); 1 where the classes are mixed completely."""
    return ESDR(strategy, class_weight).score(K, y, sample_weight)


def j4(
    K: Any, y: Any, *, strategy: str = "pooled", sample_weight: Any = None, class_weight: str | None = None
) -> float:
    """Between-class over within-class scatter, tr S_b / tr S_w (paper 004, eq. 14)."""
    return J4(strategy, class_weight).score(K, y, sample_weight)


def polarization(
    K: Any, y: Any, *, strategy: str = "pooled", sample_weight: Any = None, class_weight: str | None = None
) -> float:
    """Σ_ij y_i y_j K_ij (paper 002, section 2)."""
    return Polarization(strategy, class_weight).score(K, y, sample_weight)


def kernel_target_alignment(
    K: Any,
    y: Any,
    *,
    centered: bool = False,
    strategy: str = "pooled",
    sample_weight: Any = None,
    class_weight: str | None = None,
) -> float:
    """⟨K, yyᵀ⟩ / (‖K‖ ‖yyᵀ‖), between −1 and 1 (paper 002, section 2); ``centered`` centres both first."""
    return KernelTargetAlignment(centered, strategy, class_weight).score(K, y, sample_weight)
