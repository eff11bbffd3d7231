"""One factor for all log odds of a model with three classes or more: how sure its probabilities may be.

Sigmoids are fitted machine by machine, and coupling makes probabilities less sure than the rows allow, most
of all where there are many classes. This is temperature scaling (Guo, Pleiss, Sun & Weinberger, ICML 2017)
before the coupling, so that scaled sigmoids are sigmoids: whoever keeps or exports them need not know of
it.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize_scalar

from kernelwise._core.validation import copies_of
from kernelwise.solvers.probability import ROUNDING, class_probabilities, log_odds

#: Rows of each class that count as rows of other classes: a model without mistakes is not sure of everything.
DOUBTED = 0.1
#: The largest logarithm of a factor, up or down, and how exactly it is known.
MOST, EXACTLY = 1.5, 0.02
#: Log odds of all rows and machines that it is found from, at most, where they have more than so many rows:
#: of a thousand pairs of classes, coupling takes most of the time of a fit, and one number needs few rows.
MOST_ODDS, ENOUGH_ROWS = 400_000, 200


def temperature(
    odds: np.ndarray, y: np.ndarray, bound: np.ndarray, weight: np.ndarray, n_classes: int, machines: str
) -> float:
    """The factor of log odds by which class probabilities fit held-out rows best; 1 for two classes.

    Parameters
    ----------
    odds : ndarray of shape (n_samples, n_machines)
        As of `kernelwise.solvers.probability.log_odds`; rows with a NaN do not count.
    y : ndarray of shape (n_samples,)
        Indices of classes.
    bound, weight : ndarray of shape (n_samples,)
        Weights in the likelihood, and those of the samples alone, by which rows are counted.
    n_classes : int
    machines : {"ovo", "ovr"}
    """
    known = np.flatnonzero(np.isfinite(odds).all(axis=1))
    if n_classes == 2 or not known.size:
        return 1.0
    n_rows = np.bincount(y[known], copies_of(weight)[known], minlength=n_classes)
    most = max(ENOUGH_ROWS, MOST_ODDS // odds.shape[1])
    if len(known) > most:
        known = np.sort(np.random.default_rng(0).choice(known, most, replace=False))
    odds, y, bound = odds[known], y[known], bound[known]
    doubt = (DOUBTED / (n_rows + 2.0 * DOUBTED))[y, None]
    target = np.where(np.arange(n_classes) == y[:, None], 1.0 - doubt, doubt / (n_classes - 1.0))

    def cost(logarithm: float) -> float:
        p = class_probabilities(np.exp(logarithm) * odds, n_classes, machines)
        return -float(bound @ (target * np.log(np.maximum(p, ROUNDING))).sum(axis=1))

    found = minimize_scalar(cost, bounds=(-MOST, MOST), method="bounded", options={"xatol": EXACTLY})
    return float(np.exp(found.x))


def tempered(
    sigmoids: np.ndarray,
    decision: np.ndarray,
    y: np.ndarray,
    bound: np.ndarray,
    weight: np.ndarray,
    n_classes: int,
    machines: str,
) -> np.ndarray:
    """The sigmoids, (n_machines, 2), times the `temperature` of the values that they were fitted to."""
    odds = log_odds(decision, sigmoids)
    return sigmoids * temperature(odds, y, bound, weight, n_classes, machines)
