"""Synthetic tasks of the papers, and one closed form.

Two spherical Gaussian classes in the plane are of papers 001 (Ayat, Cheriet and Suen 2002) and 004 (Yin and
Yin 2016), where ESDR has a closed form. The feature-selection task of Weston and others (2000) is used in
paper 003 (Laanaya and others 2011).
"""

from __future__ import annotations

import numbers
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm
from sklearn.utils import check_random_state, check_scalar

RandomState = int | np.random.RandomState | None


class GaussianPair(NamedTuple):
    """Means and variances (diagonals of Σ) of two classes, in the order `gaussian_esdr` takes them."""

    mu1: np.ndarray
    var1: np.ndarray
    mu2: np.ndarray
    var2: np.ndarray


def make_two_gaussians(
    n_samples: int = 2000, *, bayes_error: float = 0.017, std: float = 1.0, random_state: RandomState = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw two overlapping Gaussian classes in the plane (paper 001, section 3.3).

    No rule errs less often than the sign of the first feature, which errs with probability Φ(−d/(2 std)); d
    is the distance between the means, chosen to make that ``bayes_error``.

    Parameters
    ----------
    n_samples : int, default=2000
    bayes_error : float, default=0.017
        Between 0 and ½, both excluded.
    std : float, default=1.0
        Of both classes, in every direction. The paper does not say its own.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,), of -1 and +1
        Balanced and shuffled; class −1 has the odd sample.

    Examples
    --------
    >>> import numpy as np
    >>> from kernelwise.datasets import make_two_gaussians
    >>> X, y = make_two_gaussians(20_000, bayes_error=0.1, random_state=0)

    The best rule is the sign of the first feature:

    >>> float(np.mean(np.sign(X[:, 0]) != y).round(2))
    0.1
    """
    check_scalar(
        bayes_error, "bayes_error", numbers.Real, min_val=0, max_val=0.5, include_boundaries="neither"
    )
    check_scalar(std, "std", numbers.Real, min_val=0, include_boundaries="neither")
    mu = np.array([-std * norm.ppf(bayes_error), 0.0])
    variance = np.full(2, float(std) ** 2)
    return _draw(GaussianPair(-mu, variance, mu, variance), n_samples, random_state)


def gaussian_grid_parameters(row: int, column: int) -> GaussianPair:
    """Return the two Gaussians of image (row, column) in figures 2 and 3 of paper 004.

    μ₁ = (0, 0), Σ₁ = exp(2(row − 3)) I, μ₂ = (1, 1), Σ₂ = exp(2(column − 3)) I; both numbers run from 1 to 5.

    Parameters
    ----------
    row, column : int
        From 1 to 5.

    Returns
    -------
    pair : GaussianPair
        ``mu1``, ``var1``, ``mu2`` and ``var2``, each of shape (2,), in the order that `gaussian_esdr` takes.

    Examples
    --------
    >>> from kernelwise.datasets import gaussian_esdr, gaussian_grid_parameters
    >>> round(gaussian_esdr(1.0, *gaussian_grid_parameters(3, 3)), 4)
    1.1417
    """
    for name, value in (("row", row), ("column", column)):
        check_scalar(value, name, numbers.Integral, min_val=1, max_val=5)
    var1, var2 = np.exp(2.0 * (row - 3)), np.exp(2.0 * (column - 3))
    return GaussianPair(np.zeros(2), np.full(2, var1), np.ones(2), np.full(2, var2))


def make_gaussian_grid(
    row: int, column: int, n_samples: int = 200, *, random_state: RandomState = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw a sample of image (row, column) in figure 2 of paper 004.

    Parameters
    ----------
    row, column : int
        From 1 to 5; see `gaussian_grid_parameters`.
    n_samples : int, default=200
        The paper draws 100 of each class.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
    y : ndarray of shape (n_samples,)
        −1 for the paper's class 1, +1 for its class 2; balanced and shuffled; class −1 has the odd sample.

    Examples
    --------
    >>> from kernelwise.datasets import make_gaussian_grid
    >>> X, y = make_gaussian_grid(1, 5, random_state=0)

    The narrowest first class beside the widest second one:

    >>> [float(X[y == label].std().round(1)) for label in (-1, 1)]
    [0.1, 7.5]
    """
    return _draw(gaussian_grid_parameters(row, column), n_samples, random_state)


def _draw(pair: GaussianPair, n_samples: int, random_state: RandomState) -> tuple[np.ndarray, np.ndarray]:
    check_scalar(n_samples, "n_samples", numbers.Integral, min_val=2)
    rng = check_random_state(random_state)
    # Shuffled, so that the first rows are a fair training part.
    y = rng.permutation(np.where(np.arange(n_samples) % 2 == 0, -1, 1))
    first = (y == -1)[:, None]
    mean, variance = np.where(first, pair.mu1, pair.mu2), np.where(first, pair.var1, pair.var2)
    return mean + np.sqrt(variance) * rng.standard_normal(mean.shape), y


# Each class is an even mixture of two unit Gaussians, at plus and minus its centre.
CENTRES = {-1: (0.75, 3.0), 1: (-3.0, 3.0)}
NOISE_VARIANCE = 20.0


def make_weston(
    n_samples: int = 100, *, n_noise: int = 50, random_state: int | np.random.RandomState | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Draw two classes that differ only in the first two of many features.

    Class −1 is N((−¾, −3), I) or N((¾, 3), I), class +1 is N((3, −3), I) or N((−3, 3), I), each with
    probability ½; every other feature is N(0, 20).

    Parameters
    ----------
    n_samples : int, default=100
    n_noise : int, default=50
        Number of irrelevant features, after the two relevant ones.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples, 2 + n_noise)
        The relevant features are the first two.
    y : ndarray of shape (n_samples,), of -1 and +1
        Drawn independently with equal probabilities, so the classes are balanced only on average.

    Notes
    -----
    The 20 is a variance (standard deviation √20 ≈ 4.47). Paper 003 sends its reader to Weston and others for
    the data; there the second argument of N(μ, I) is a covariance, and N(0, 20) is read in the same way.
    After standardising the features the choice makes no difference.

    Examples
    --------
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.svm import SVC
    >>> from kernelwise.datasets import make_weston
    >>> X, y = make_weston(200, random_state=0)

    Fifty features of noise hide what two features say:

    >>> [float(cross_val_score(SVC(), X[:, :k], y).mean().round(2)) for k in (52, 2)]
    [0.58, 0.95]

    References
    ----------
    Weston, Mukherjee, Chapelle, Pontil, Poggio, Vapnik: Feature selection for SVMs. NIPS 13 (2000), 668–674.
    """
    check_scalar(n_samples, "n_samples", numbers.Integral, min_val=1)
    check_scalar(n_noise, "n_noise", numbers.Integral, min_val=0)
    rng = check_random_state(random_state)
    y = rng.choice([-1, 1], size=n_samples)
    side = rng.choice([-1.0, 1.0], size=n_samples)
    centres = np.where((y == 1)[:, None], CENTRES[1], CENTRES[-1]) * side[:, None]
    relevant = centres + rng.standard_normal((n_samples, 2))
    noise = np.sqrt(NOISE_VARIANCE) * rng.standard_normal((n_samples, n_noise))
    return np.hstack([relevant, noise]), y


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
