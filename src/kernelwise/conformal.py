"""Conformal prediction: what answers to held-out rows say about answers to new rows.

A new row that is drawn like n held-out rows is as strange as any of them: its score is among the k smallest
of the n + 1 with probability k/(n + 1). Intervals, sets of classes and p-values follow from that alone,
whatever made the answers. (Vovk, Gammerman & Shafer, "Algorithmic Learning in a Random World", 2005.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from kernelwise._core.validation import check_number
from kernelwise.kernels import RBF

#: Sums of weights that differ by less than this share are equal.
EVEN = 1e-12
#: Rows that a spread is a sum over, at most.
MOST_CENTRES = 100
#: Widths of its kernels, γ times the median squared distance, and γ of the one of standardised predictions.
WIDTHS, OF_PREDICTIONS = (2.0, 0.25), 1.0
#: How strongly a spread may be kept constant; at infinity, it is.
PENALTIES = (np.inf, 300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
#: Errors below this share of their mean count as it: one row that is met exactly must not decide.
LEAST_ERROR = 1e-3
#: Parts for the scores of a spread, at least and at most.
FEWEST_PARTS, MOST_PARTS = 5, 10
#: Steps of Fisher's scoring, the gain over the objective below which they end, and the shortest of them.
STEPS, GAIN, SHORTEST = 50, 1e-7, 1e-4
#: Rows whose kernel values are held at once.
BLOCK = 2**13


def check_coverage(coverage: object) -> None:
    """Raise unless ``coverage`` is a share between 0 and 1."""
    check_number(coverage, "coverage", "conformal prediction")
    if not 0.0 < float(coverage) < 1.0:  # type: ignore[arg-type]
        raise ValueError(f"'coverage' must be above 0 and below 1, such as 0.9, got {coverage!r}.")


def conformal_quantile(scores: np.ndarray, weight: np.ndarray, coverage: float, times: float = 1.0) -> float:
    """The score that a new row exceeds with a probability of 1 − ``coverage`` at most.

    It is the smallest score with Σ w_i ≥ coverage · (Σ w + w') over the rows up to it: of n rows of weight 1,
    the ⌈coverage · (n + 1)⌉-th smallest. Infinity if there are too few. Both arrays have the shape (n,); the
    weight w' of the new row is `own_weight`, where rows are held out several ``times``.
    """
    order = np.argsort(scores, kind="stable")
    total = np.cumsum(weight[order])
    own = own_weight(weight, times)
    needed = coverage * (total[-1] + own) * (1.0 - EVEN) if len(total) else 1.0
    place = int(np.searchsorted(total, needed))
    return float(scores[order[place]]) if place < len(order) else np.inf


def own_weight(weight: np.ndarray, times: float = 1.0) -> float:
    """The weight of a new row: 1, or the mean of weights that are smaller, as they may sum to one.

    Rows that are held out several ``times``, on average, share their weight among as many answers.
    """
    return min(1.0, float(np.mean(weight)) * times) if len(weight) else 1.0


def fewest_rows(coverage: float) -> int:
    """Rows below which no finite score has that coverage."""
    return int(np.ceil(coverage / (1.0 - coverage) * (1.0 - EVEN)))


def p_values(new: np.ndarray, scores: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The share of rows, the new one among them, whose score is at most that of the new row, (n_new,).

    Low scores are strange. For rows drawn like those of ``scores``, (n,), a p-value is at most α with a
    probability of at most α. That of a score that is no number (NaN) is none.
    """
    order = np.argsort(scores, kind="stable")
    total, own = np.append(0.0, np.cumsum(weight[order])), own_weight(weight)
    below = total[np.searchsorted(scores[order], new, side="right")]
    return np.where(np.isnan(new), np.nan, (own + below) / (own + total[-1]))


def least_probabilities(
    of_truth: np.ndarray,
    truth: np.ndarray,
    weight: np.ndarray,
    n_classes: int,
    coverage: float,
    by_class: bool,
    times: float = 1.0,
) -> np.ndarray:
    """The probability from which on a class belongs to a set, (n_classes,); −∞ if too few rows tell.

    ``of_truth``, (n,), are probabilities of the true classes, ``truth`` their indices. One limit for all
    classes covers that share of all rows; ``by_class``, each class has a limit of its own. ``times`` is as in
    `conformal_quantile`.
    """
    if not by_class:
        return np.full(n_classes, -conformal_quantile(-of_truth, weight, coverage, times))
    rows = [np.flatnonzero(truth == k) for k in range(n_classes)]
    return np.array([-conformal_quantile(-of_truth[k], weight[k], coverage, times) for k in rows])


@dataclass(frozen=True, eq=False)
class Spread:
    """How far predictions are off at a row, on average: σ = exp(b + Σ_i c_i k(x, x_i)).

    The kernel k adds two Gaussian kernels of the scaled rows and one of the standardised predictions, because
    errors often grow with what is predicted.

    Attributes
    ----------
    centres : ndarray or CSR matrix of shape (n_centres, n_features), or None
        Scaled rows; None of a model of kernel values, whose spread depends on predictions alone.
    predictions, coefficients : ndarray of shape (n_centres,)
    distance : float
        The median squared distance of rows.
    level : float
    """

    centres: Any
    predictions: np.ndarray
    coefficients: np.ndarray
    distance: float
    level: float

    def __call__(self, Z: Any, predictions: np.ndarray) -> np.ndarray:
        """σ of scaled rows with these standardised predictions, shape (n_rows,)."""
        logarithm = np.full(len(predictions), self.level)
        for first in range(0, len(predictions) if len(self.coefficients) else 0, BLOCK):
            block = slice(first, first + BLOCK)
            rows = None if self.centres is None else Z[block]
            logarithm[block] += self.kernel_values(rows, predictions[block]) @ self.coefficients
        return np.exp(logarithm)

    def kernel_values(self, Z: Any, predictions: np.ndarray) -> np.ndarray:
        """Kernel values of rows with the centres, of shape (n_rows, n_centres)."""
        K = RBF(OF_PREDICTIONS)(predictions[:, None], self.predictions[:, None])
        if self.centres is not None:
            for width in WIDTHS:
                K = K + RBF(width / self.distance)(Z, self.centres)
        return np.asarray(K)


def fit_spread(
    Z: Any,
    predictions: np.ndarray,
    errors: np.ndarray,
    weight: np.ndarray,
    part: np.ndarray,
    places: np.ndarray,
    times: float = 1.0,
) -> tuple[Spread, np.ndarray]:
    """The spread that errors on held-out rows say, and σ of the same rows from the errors of other parts.

    It is the most likely one if errors have Laplace's distribution, with a penalty on what is not constant,
    which errors of other parts choose: the largest within one standard error of the best.

    Parameters
    ----------
    Z : array or CSR matrix of shape (n, n_features), or None
    predictions, errors, weight : ndarray of shape (n,)
        Of standardised targets.
    part : ndarray of shape (n,)
        Rows of one part are left out together.
    places : ndarray of shape (n_centres,)
        Rows that become centres.
    """
    weight = weight / own_weight(weight, times)
    sizes = np.abs(errors)
    mean = float(np.average(sizes, weights=weight)) or 1.0
    constant = Spread(None, np.empty(0), np.empty(0), 1.0, float(np.log(mean)))
    if not sizes.any() or len(np.unique(part)) < 2:
        return constant, np.full(len(sizes), mean)
    distance = 1.0 if Z is None else _median_distance(Z[places])
    bare = Spread(None if Z is None else Z[places], predictions[places], np.zeros(len(places)), distance, 0.0)
    whiten = _whitening(bare.kernel_values(bare.centres, bare.predictions))
    features = bare.kernel_values(Z, predictions) @ whiten
    centre = np.average(features, axis=0, weights=weight)
    features = np.column_stack([features - centre, np.ones(len(sizes))])
    found = np.empty((len(PENALTIES), len(sizes)))
    for k in np.unique(part):
        others = part != k
        solve = _log_spread(features[others], sizes[others], weight[others])
        found[:, ~others] = [features[~others] @ solve(penalty) for penalty in PENALTIES]
    best = _most_constant(found + sizes * np.exp(-found), weight)
    if best == 0:
        return constant, np.full(len(sizes), mean)
    solution = _log_spread(features, sizes, weight)(PENALTIES[best])
    level = solution[-1] - centre @ solution[:-1]
    spread = Spread(bare.centres, bare.predictions, whiten @ solution[:-1], distance, float(level))
    return spread, np.exp(found[best])


def _most_constant(losses: np.ndarray, weight: np.ndarray) -> int:
    """The first row of losses, (n_penalties, n), whose mean is within one standard error of the least."""
    excess = losses - losses[np.argmin(np.average(losses, axis=1, weights=weight).round(12))]
    mean = np.average(excess, axis=1, weights=weight)
    variance = np.average((excess - mean[:, None]) ** 2, axis=1, weights=weight)
    return int(np.flatnonzero(mean <= np.sqrt(variance / weight.sum()) + EVEN)[0])


def parts_of(fold: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Parts of held-out rows that a spread is asked about without having seen them, of shape (n,).

    These are the folds, which keep together what belongs together; of one fold, or of rows that several folds
    hold out, the rows themselves.
    """
    if len(np.unique(fold)) < 2 or len(np.unique(rows)) < len(rows):
        return np.unique(rows, return_inverse=True)[1] % FEWEST_PARTS
    return np.unique(fold, return_inverse=True)[1] % MOST_PARTS


def _median_distance(Z: Any) -> float:
    """The median squared distance of different rows; 1 if there is none."""
    own = np.asarray(Z.multiply(Z).sum(axis=1)).ravel() if hasattr(Z, "multiply") else (Z * Z).sum(axis=1)
    inner = np.asarray((Z @ Z.T).todense()) if hasattr(Z, "todense") else Z @ Z.T
    squares = (own[:, None] + own - 2.0 * inner)[np.triu_indices(len(own), 1)]
    squares = squares[squares > EVEN * own.max(initial=0.0)]
    return float(np.median(squares)) if squares.size else 1.0


def _whitening(K: np.ndarray) -> np.ndarray:
    """W with W Wᵀ = K⁻¹ on the space that K spans: kernel values times W are features with that kernel."""
    values, vectors = np.linalg.eigh(K)
    kept = values > 1e-8 * values[-1]
    return np.asarray(vectors[:, kept] / np.sqrt(values[kept]))


def _log_spread(features: np.ndarray, sizes: np.ndarray, weight: np.ndarray) -> Callable[[float], np.ndarray]:
    """What finds θ, of shape (n_features,), of the least Σ w (η + |e| exp(−η)) + λ/2 ‖θ‖² with η = Φθ, for λ.

    ``features`` Φ has a last column of ones, which is not penalised. Fisher's information is the same in
    every step, and at the start the last column alone fits.
    """
    mean = float(np.average(sizes, weights=weight)) or 1.0
    sizes = np.maximum(sizes, LEAST_ERROR * mean)
    information = (features * weight[:, None]).T @ features
    start = np.zeros(features.shape[1])
    start[-1] = np.log(mean)

    def solve(penalty: float) -> np.ndarray:
        if np.isinf(penalty):
            return start
        ridge = np.append(np.full(len(start) - 1, penalty), 0.0)
        factor = cho_factor(information + np.diag(ridge))

        def loss(theta: np.ndarray) -> float:
            eta = features @ theta
            return float(weight @ (eta + sizes * np.exp(-eta)) + 0.5 * ridge @ theta**2)

        theta, least = start, loss(start)
        for _ in range(STEPS):
            slope = features.T @ (weight * (sizes * np.exp(-(features @ theta)) - 1.0)) - ridge * theta
            step, length = cho_solve(factor, slope), 1.0
            while (new := loss(theta + length * step)) >= least and length > SHORTEST:
                length *= 0.5
            if least - new <= GAIN * float(weight.sum()):
                break
            theta, least = theta + length * step, new
        return theta

    return solve
