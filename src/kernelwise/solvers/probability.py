"""Class probabilities from decision values: sigmoids, coupled over the classes, and the labels they give."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, log_expit

from kernelwise.multiclass import REJECTED, STRATEGIES, class_pairs, unanimous

#: Least pairwise probability: the coupled ones are then positive.
SMALLEST = 1e-7
#: Rows whose pairwise probabilities are coupled at a time: each takes a matrix of (n_classes + 1)².
BLOCK = 256
#: What probabilities are known to: their logarithms are not taken of less.
ROUNDING = 1e-16


def log_odds(decision: np.ndarray, sigmoids: np.ndarray) -> np.ndarray:
    """Logarithms of the odds p/(1 − p) of the machines' positive classes, of shape (n_samples, n_machines).

    ``decision`` has that shape, ``sigmoids`` (n_machines, 2): p = 1/(1 + exp(A f + B)).
    """
    return -(sigmoids[:, 0] * np.asarray(decision, dtype=float) + sigmoids[:, 1])


def class_probabilities(odds: np.ndarray, n_classes: int, machines: str) -> np.ndarray:
    """Turn log odds of shape (n_samples, n_machines) into probabilities, (n_samples, n_classes).

    ``machines`` is "ovo" (pairs, coupled) or "ovr" (each class and the rest, normalised).
    """
    if n_classes == 2:
        p = expit(odds)
        return np.hstack([1.0 - p, p])
    if machines == "ovr":
        # By logarithms: where no class is likely, the least unlikely one still is the answer.
        log_p = log_expit(odds)
        p = np.exp(log_p - log_p.max(axis=1, keepdims=True))
        return p / p.sum(axis=1, keepdims=True)
    blocks = range(0, len(odds), BLOCK)
    p = [couple(expit(odds[first : first + BLOCK]), n_classes) for first in blocks]
    return np.concatenate(p) if p else np.empty((0, n_classes))


def most_likely(
    odds: np.ndarray,
    n_classes: int,
    multiclass: str,
    costs: np.ndarray | None = None,
    probabilities: np.ndarray | None = None,
) -> np.ndarray:
    """Index of the class of the largest probability, of shape (n_samples,); the first of equals.

    A strategy that rejects (``multiclass`` is a key of `STRATEGIES`) gives it only where every machine of
    that class says so, `REJECTED` elsewhere. With ``costs``, (n_classes, n_classes), those of each true class
    (row) and answer (column), it is the class of least expected cost. ``probabilities`` are those of
    `class_probabilities`, if they are known.
    """
    strategy = STRATEGIES[multiclass]
    if costs is not None:
        if n_classes == 2:
            return (odds[:, 0] > log_threshold(costs)).astype(np.intp)
        return expected_costs(odds, costs, strategy.machines).argmin(axis=1)
    if probabilities is None:
        probabilities = class_probabilities(odds, n_classes, strategy.machines)
    best = probabilities.argmax(axis=1)
    if not strategy.rejects:
        return best
    agreed = unanimous(odds[:, 0] if n_classes == 2 else odds, n_classes)
    return np.where(best == agreed, best, REJECTED)


def log_threshold(costs: np.ndarray) -> float:
    """Log odds above which the second of two classes has the least expected cost."""
    return float(np.log(costs[0, 1] / costs[1, 0]))


def expected_costs(odds: np.ndarray, costs: np.ndarray, machines: str) -> np.ndarray:
    """Expected cost of each answer, of shape (n_samples, n_classes)."""
    return np.asarray(class_probabilities(odds, len(costs), machines) @ costs)


def decide(
    decision: np.ndarray,
    sigmoids: np.ndarray | None,
    n_classes: int,
    multiclass: str,
    costs: np.ndarray | None = None,
) -> np.ndarray:
    """Class indices of shape (n_samples,) of decision values, (n_samples, n_machines); −1 is rejected.

    With ``sigmoids``, of shape (n_machines, 2), by the largest probability, or the least expected cost if
    there are ``costs`` (see `most_likely`); without, by votes or the largest value, as the strategy
    ``multiclass`` says.
    """
    if sigmoids is not None:
        return most_likely(log_odds(decision, sigmoids), n_classes, multiclass, costs)
    return STRATEGIES[multiclass].decide(decision[:, 0] if n_classes == 2 else decision, n_classes)


def shown_odds(
    odds: np.ndarray, n_classes: int, shape: str, machines: str, costs: np.ndarray | None = None
) -> np.ndarray:
    """Log odds as ``decision_function`` shows them: positive, or largest, for the most likely class.

    Two classes: (n_samples,), of the second against the first. More: those of every machine, or, for one
    value per class from pairs, log(p_k / largest other p), of shape (n_samples, n_classes). With costs, odds
    of two classes are relative to the threshold, and one value per class is minus its expected cost.
    """
    if n_classes == 2:
        return odds.ravel() if costs is None else odds.ravel() - log_threshold(costs)
    if costs is not None and shape == "ovr":
        return -expected_costs(odds, costs, machines)
    if (shape, machines) != ("ovr", "ovo"):
        return odds
    log_p = np.log(np.maximum(class_probabilities(odds, n_classes, machines), ROUNDING))
    second, largest = np.hsplit(np.partition(log_p, -2, axis=1)[:, -2:], 2)
    is_largest = np.arange(n_classes) == log_p.argmax(axis=1)[:, None]
    return log_p - np.where(is_largest, second, largest)


def couple(pairwise: np.ndarray, n_classes: int) -> np.ndarray:
    """Class probabilities p that agree best with pairwise ones, r_ij = P(i | i or j).

    Minimises Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)² over Σp = 1: the second method of Wu, Lin & Weng (JMLR 5,
    2004), whose optimality conditions are one linear system. ``pairwise``, of shape (n_samples, n_pairs), has
    r_ij for the pairs (0, 1), (0, 2), …; the result has the shape (n_samples, n_classes).
    """
    pairwise = np.clip(pairwise, SMALLEST, 1.0 - SMALLEST)
    n = pairwise.shape[0]
    system = np.zeros((n, n_classes + 1, n_classes + 1))
    system[:, :-1, -1] = system[:, -1, :-1] = 1.0
    i, j = np.array(class_pairs(n_classes)).T
    system[:, i, j] = system[:, j, i] = -pairwise * (1.0 - pairwise)
    # On the diagonal, what the pairs of each class add at it. (A matrix product would round the values of a
    # row as it pleases, depending on how many rows there are.)
    added = np.concatenate([(1.0 - pairwise) ** 2, pairwise**2], axis=1)
    of_class = [np.flatnonzero(np.append(i, j) == k) for k in range(n_classes)]
    system[:, range(n_classes), range(n_classes)] = added[:, of_class].sum(axis=2)
    right = np.zeros((n, n_classes + 1, 1))
    right[:, -1] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :-1, 0], 0.0)  # rounding only: see SMALLEST
    return p / p.sum(axis=1, keepdims=True)


def log_of(probabilities: np.ndarray) -> np.ndarray:
    """Logarithms; −∞ for zero, without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
