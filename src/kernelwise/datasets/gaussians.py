"""Two spherical Gaussian classes in the plane: tasks of papers 001 and 004.

Paper 001 is by Ayat, Cheriet and Suen (2002), paper 004 by Yin and Yin (2016).
"""

from __future__ import annotations

import numbers
from typing import NamedTuple

import numpy as np
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
