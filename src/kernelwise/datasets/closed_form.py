"""The expected square distance ratio of two Gaussian classes in closed form (paper 004, Yin and Yin 2016)."""

from __future__ import annotations

import numbers

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_scalar

# Beyond this many times the extent of the data, ESDR differs from its limit by no more than rounding does.
WIDEST = 1e8


def gaussian_esdr(
    sigma: ArrayLike, mu1: ArrayLike, var1: ArrayLike, mu2: ArrayLike, var2: ArrayLike, *, p1: float = 0.5
) -> np.ndarray | float:
    """Compute ESDR of two Gaussian classes, N(μ₁, Σ₁) and N(μ₂, Σ₂), from equations 8, 17 and 18.

    The kernel is exp(−‖x − y‖² / (2σ²)), that is, RBF(gamma) with γ = 1/(2σ²); Σ₁ and Σ₂ are diagonal.

    Parameters
    ----------
    sigma : float or array
        Kernel widths. 0 gives the limit 1, and infinity the ratio in input space.
    mu1, mu2 : array-like of shape (n_features,)
        Means.
    var1, var2 : float or array-like of shape (n_features,)
        Diagonals of Σ₁ and Σ₂.
    p1 : float, default=0.5
        Share n₁/n of the first class.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.datasets import gaussian_esdr, make_two_gaussians
    >>> from kernelwise.kernels import RBF
    >>> from kernelwise.metrics import esdr

    The ratio rises from 1 to that of input space as the kernel gets wider:

    >>> mean = np.array([2.12, 0.0])
    >>> gaussian_esdr([0.01, 1.0, 100.0], -mean, 1.0, mean, 1.0).round(3)
    array([1.   , 1.475, 5.491])

    A sample of these two classes has nearly the same:

    >>> X, y = make_two_gaussians(1000, random_state=0)
    >>> round(esdr(RBF(0.5)(X), y), 2)
    1.48
    """
    sigma = np.asarray(sigma, dtype=float)
    if not (sigma >= 0).all():
        raise ValueError(f"'sigma' of gaussian_esdr must not be negative or NaN, got {sigma}.")
    check_scalar(p1, "p1", numbers.Real, min_val=0, max_val=1)
    mu1, var1, mu2, var2 = _check_gaussians(mu1, var1, mu2, var2)
    # In units of the extent of the data no square overflows; the clipping spares 0/0 at very wide kernels.
    extent = np.sqrt(np.sum(var1 + var2) + np.sum((mu1 - mu2) ** 2))
    width2 = np.minimum(sigma / extent, WIDEST)[..., None] ** 2
    v1, v2, gap2 = var1 / extent**2, var2 / extent**2, ((mu1 - mu2) / extent) ** 2
    between = _mean_square_distance(width2, v1 + v2, gap2)
    own1, own2 = (_mean_square_distance(width2, 2 * v, 0.0) for v in (v1, v2))
    within = p1 * own1 + (1 - p1) * own2
    ratio = between / within
    return float(ratio) if ratio.ndim == 0 else ratio


def _mean_square_distance(width2: np.ndarray, variance: np.ndarray, gap2: np.ndarray | float) -> np.ndarray:
    """E ‖Φ(x) − Φ(y)‖² when x − y is Gaussian with the given variances and squared mean, one per feature.

    The product of equation 17 as a sum of logarithms: exact for wide kernels, where 1 − product would cancel.
    """
    # A vanishing width makes the ratio infinite, and so the product 0: the limit that is wanted.
    with np.errstate(divide="ignore", over="ignore"):
        logarithm = np.log1p(variance / width2) + gap2 / (variance + width2)
    return -2 * np.expm1(-0.5 * logarithm.sum(axis=-1))


def _check_gaussians(*parameters: ArrayLike) -> list[np.ndarray]:
    arrays = [np.atleast_1d(np.asarray(p, dtype=float)) for p in parameters]
    shapes = ", ".join(str(a.shape) for a in arrays)
    n_features = max(a.size for a in arrays)
    if any(a.ndim != 1 or a.size not in (1, n_features) for a in arrays):
        raise ValueError(
            f"mu1, var1, mu2, var2 have shapes {shapes}; pass one value per feature, or one for all of them."
        )
    for name, a in zip(("mu1", "var1", "mu2", "var2"), arrays, strict=True):
        if not np.isfinite(a).all() or (name.startswith("var") and (a <= 0).any()):
            raise ValueError(f"{name!r} of gaussian_esdr must be finite, and a variance positive, got {a}.")
    return [np.broadcast_to(a, n_features) for a in arrays]
