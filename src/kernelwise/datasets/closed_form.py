"""The expected square distance ratio of two Gaussian classes in closed form (paper 004, Yin and Yin 2016)."""

from __future__ import annotations

import numbers

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_scalar

# Beyond this many times the extent of the data, ESDR differs from its limit by no more than rounding does.
WIDEST = 1e8
NAMES = ("mu1", "var1", "mu2", "var2")


def gaussian_esdr(
    sigma: ArrayLike, mu1: ArrayLike, var1: ArrayLike, mu2: ArrayLike, var2: ArrayLike, *, p1: float = 0.5
) -> np.ndarray | float:
    """Compute ESDR of two Gaussian classes, N(μ₁, Σ₁) and N(μ₂, Σ₂), from equations 8, 17 and 18.

    The kernel is exp(−‖x − y‖² / (2σ²)), that is, RBF(gamma) with γ = 1/(2σ²). The paper's Σ₁ and Σ₂ are
    diagonal; full ones are taken, too: with z = x − y of mean μ and covariance Σ the mean of the kernel is
    det(I + Σ/σ²)^(−½) exp(−½ μᵀ(σ²I + Σ)⁻¹μ), which is equation 17 along the axes of Σ.

    Parameters
    ----------
    sigma : float or array
        Kernel widths. 0 gives the limit 1, and infinity the ratio in input space.
    mu1, mu2 : array-like of shape (n_features,)
        Means.
    var1, var2 : float or array-like of shape (n_features,) or (n_features, n_features)
        Σ₁ and Σ₂, or their diagonals, or one value for all features.
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

    A full covariance that leans to the other class keeps the two together:

    >>> leaning, upright = [[1.0, 0.9], [0.9, 1.0]], [[1.0, -0.9], [-0.9, 1.0]]
    >>> round(gaussian_esdr(1.0, [0, 0], leaning, [1, 1], leaning), 3)
    1.134
    >>> round(gaussian_esdr(1.0, [0, 0], upright, [1, 1], upright), 3)
    1.404
    """
    sigma = np.asarray(sigma, dtype=float)
    if not (sigma >= 0).all():
        raise ValueError(f"'sigma' of gaussian_esdr must not be negative or NaN, got {sigma}.")
    check_scalar(p1, "p1", numbers.Real, min_val=0, max_val=1)
    mu1, cov1, mu2, cov2 = _check_gaussians(mu1, var1, mu2, var2)
    gap = mu1 - mu2
    # In units of the extent of the data no square overflows; the clipping spares 0/0 at very wide kernels.
    extent = np.sqrt(np.trace(cov1 + cov2) + gap @ gap)
    width2 = np.minimum(sigma / extent, WIDEST)[..., None] ** 2
    between = _mean_square_distance(width2, (cov1 + cov2) / extent**2, gap / extent)
    own1, own2 = (_mean_square_distance(width2, 2 * c / extent**2, np.zeros_like(gap)) for c in (cov1, cov2))
    within = p1 * own1 + (1 - p1) * own2
    ratio = between / within
    return float(ratio) if ratio.ndim == 0 else ratio


def _mean_square_distance(width2: np.ndarray, covariance: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """E ‖Φ(x) − Φ(y)‖² when x − y is Gaussian with the given covariance and mean.

    Along the axes of the covariance it is equation 17, whose product is taken as a sum of logarithms: exact
    for wide kernels, where 1 − product would cancel.
    """
    if np.array_equal(covariance, np.diag(covariance.diagonal())):
        variance, gap2 = covariance.diagonal(), gap**2
    else:
        variance, axes = np.linalg.eigh(covariance)
        # Rounding can make the variance along a narrow axis negative.
        variance, gap2 = np.maximum(variance, 0.0), (gap @ axes) ** 2
    # A vanishing width makes the ratio infinite, and so the product 0: the limit that is wanted.
    with np.errstate(divide="ignore", over="ignore"):
        logarithm = np.log1p(variance / width2) + gap2 / (variance + width2)
    return -2 * np.expm1(-0.5 * logarithm.sum(axis=-1))


def _check_gaussians(*parameters: ArrayLike) -> list[np.ndarray]:
    """Return means of shape (n_features,) and covariances of (n_features, n_features), in their order."""
    arrays = [np.atleast_1d(np.asarray(p, dtype=float)) for p in parameters]
    shapes = ", ".join(str(a.shape) for a in arrays)
    n_features = max(a.shape[0] for a in arrays)
    for name, a in zip(NAMES, arrays, strict=True):
        is_full = name.startswith("var") and a.shape == (n_features, n_features)
        if not is_full and (a.ndim != 1 or a.size not in (1, n_features)):
            raise ValueError(
                f"mu1, var1, mu2, var2 have shapes {shapes}; pass one value per feature, or one for all of "
                "them, or a covariance matrix for var1 and var2."
            )
    found = []
    for name, a in zip(NAMES, arrays, strict=True):
        if not np.isfinite(a).all():
            raise ValueError(f"{name!r} of gaussian_esdr must be finite, got {a}.")
        if name.startswith("mu"):
            found.append(np.broadcast_to(a, n_features))
            continue
        cov = a if a.ndim == 2 else np.diag(np.broadcast_to(a, n_features))
        if not np.allclose(cov, cov.T) or np.linalg.eigvalsh(cov)[0] <= 0:
            raise ValueError(
                f"{name!r} of gaussian_esdr must be a positive variance, or a symmetric covariance matrix "
                f"with positive eigenvalues, got {a}."
            )
        found.append(cov)
    return found
