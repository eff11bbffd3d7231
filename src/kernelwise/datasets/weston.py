"""The feature-selection task of Weston and others (2000), used in paper 003 (Laanaya and others 2011)."""

from __future__ import annotations

import numbers

import numpy as np
from sklearn.utils import check_random_state, check_scalar

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
