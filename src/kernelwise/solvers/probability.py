"""Class probabilities from decision values: Platt's sigmoids, coupled over the classes, and their labels.

The sigmoids of a model with many classes learn from each other (`pooled`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, log_expit
from sklearn.exceptions import ConvergenceWarning

from kernelwise import _native
from kernelwise._core.validation import check_labels, check_weights, copies_of
from kernelwise.multiclass import REJECTED, STRATEGIES, Machine, class_pairs, unanimous

#: Least pairwise probability: the coupled ones are then positive.
SMALLEST = 1e-7
#: Rows whose pairwise probabilities are coupled at a time: each takes a matrix of (n_classes + 1)².
BLOCK = 256
#: What probabilities are known to: their logarithms are not taken of less.
ROUNDING = 1e-16
FLAT = 1e-6  # slope of probabilities that hardly depend on decision values, but have their order
#: Rows that each machine of many classes has beside its own: they answer as the sigmoid of all machines does.
POOLED = 20.0


class Sigmoids(NamedTuple):
    """Problems on the same samples, one in each row: decision values, targets, weights and where to start.

    The first three have the shape (n_problems, n_samples), ``start`` (n_problems, 2), and ``n_rows``, how
    many rows the samples stand for, (n_problems,).
    """

    f: np.ndarray
    target: np.ndarray
    w: np.ndarray
    start: np.ndarray
    n_rows: np.ndarray


def increasing_sigmoids(problems: Iterable[Sigmoids]) -> list[np.ndarray]:
    """(A, B) of every problem, an array of shape (n_problems, 2) for each item; none of them decreases.

    An item has the problems of a machine, and several machines are `pooled`.
    """
    return [solve_sigmoids(*own[:4], is_increasing=True) for own in pooled(list(problems))]


def pooled(machines: list[Sigmoids]) -> list[Sigmoids]:
    """The problems of machines of one model, each with a few rows that answer as all machines do on average.

    A pair of small classes has too few held-out rows for two numbers. So a machine with n rows has `POOLED`
    more, spread over its decision values, whose targets are those of one sigmoid without an offset for all
    machines, fitted first. It is a prior in the form of rows: where a machine has many of its own, they
    decide.
    """
    if len(machines) == 1:
        return machines
    f, target, w = (np.concatenate([own[part] for own in machines], axis=1) for part in range(3))
    slope = _common_slopes(f, target, w)
    found = []
    for own in machines:
        share = (POOLED / np.maximum(own.n_rows, 1.0))[:, None]
        mixed = (own.target + share * expit(slope[:, None] * own.f)) / (1.0 + share)
        found.append(own._replace(target=mixed, w=own.w * (1.0 + share)))
    return found


def _common_slopes(f: np.ndarray, target: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Slopes a ≥ 0 of shape (n_problems,) that minimise Σ w (log(1 + exp(a f)) − t a f), by Newton's method.

    The arrays have the shape (n_problems, n_samples). Steps are at most a factor of four, up or down: the
    cost is convex, and a start at the scale of the values is not far.
    """
    unit = np.abs(f).max(axis=1)
    unit[unit == 0.0] = 1.0
    f = f / unit[:, None]
    slope = np.ones(len(f))
    for _ in range(100):
        p = expit(slope[:, None] * f)
        down = (w * f * (target - p)).sum(axis=1)
        bend = (w * f * f * p * (1.0 - p)).sum(axis=1)
        step = np.divide(down, bend, out=np.zeros_like(slope), where=bend > 0.0)
        better = np.clip(slope + step, np.maximum(slope / 4.0, FLAT), 4.0 * slope)
        is_done = np.abs(better - slope) <= 1e-10 * slope
        slope = better
        if is_done.all():
            break
    return slope / unit


def solve_sigmoids(
    f: np.ndarray, target: np.ndarray, w: np.ndarray, start: np.ndarray, is_increasing: bool
) -> np.ndarray:
    """(A, B) of many problems, shape (n_problems, 2); the other arrays are as in `Sigmoids`."""
    # Decision values of any size: Newton's steps do not depend on their unit, but the ridge does.
    unit = np.abs(f).max(axis=1)
    unit[unit == 0.0] = 1.0
    found = _newton(f / unit[:, None], target, w, start)
    if is_increasing:
        # The likelihood is concave: the best without a wrong direction has no slope.
        is_wrong = found[:, 0] > 0.0
        share = (w * target)[is_wrong].sum(axis=1) / w[is_wrong].sum(axis=1)
        found[is_wrong, 1] = np.log((1.0 - share) / share)
        # This slope is as good as none, but keeps the order of values, whatever rounding makes of a zero.
        found[:, 0] = np.minimum(found[:, 0], -FLAT)
    found[:, 0] /= unit
    return found


def _newton(f: np.ndarray, target: np.ndarray, w: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Minimise Σ w (t z + log(1 + e⁻ᶻ)) with z = A f + B over (A, B), for each row.

    ``f``, ``target`` and ``w`` have the shape (n_problems, n_samples); start and result (n_problems, 2).
    """
    found = np.array(start, float)
    f, target, w = (np.ascontiguousarray(np.broadcast_to(one, f.shape), float) for one in (f, target, w))
    if _native.fit_sigmoids(f, target, w, found):
        warnings.warn(
            "Platt's sigmoid did not converge in 100 Newton steps, so probabilities may be inaccurate. "
            "Scale the features, or lower C.",
            ConvergenceWarning,
            stacklevel=3,
        )
    return found


def fit_platt(
    decision: ArrayLike,
    y: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    counts: ArrayLike | None = None,
    is_increasing: bool = False,
    doubt: float = 1.0,
) -> tuple[float, float]:
    """Fit p(f) = 1 / (1 + exp(A f + B)) by maximum likelihood and return A and B, A negative for a rising p.

    Newton's method with backtracking on Platt's smoothed targets, in the form that cannot overflow
    (Lin, Lin & Weng, Machine Learning 68, 2007). The decision values are held out from training: those of
    training samples are too far from zero. p is the probability of the larger of the two labels. The weights
    are those of the likelihood; ``counts``, of the same shape (n_samples,), say how many samples each value
    stands for, which the smoothing goes by (None: the weights). They differ where classes have weights. With
    ``is_increasing`` larger decision values never make it less likely: held-out values of few samples may say
    the contrary by chance, and probabilities would then contradict the labels. ``doubt`` is how many rows the
    targets are smoothed by (see `doubt_of`); zero leaves the labels themselves.
    """
    f = np.asarray(decision, dtype=float)
    if f.ndim != 1 or not np.isfinite(f).all():
        raise ValueError(f"decision must be one finite value per sample, got an array of shape {f.shape}.")
    classes, index = check_labels(y, f.size)
    if len(classes) != 2:
        raise ValueError(
            f"fit_platt needs two classes, got {len(classes)}. Fit one sigmoid for each two-class model."
        )
    w = check_weights(sample_weight, f.size)
    positive, negative = w[index == 1].sum(), w[index == 0].sum()
    target = smoothed_targets(index == 1, w if counts is None else check_weights(counts, f.size), doubt)
    start = np.array([[0.0, np.log((negative + 1.0) / (positive + 1.0))]])
    A, B = solve_sigmoids(f[None], target[None], w[None], start, is_increasing)[0]
    return float(A), float(B)


def sigmoids_along(
    decision: np.ndarray, is_positive: np.ndarray, bound: np.ndarray, counts: np.ndarray, doubt: float = 1.0
) -> Sigmoids:
    """Sigmoids of one machine for many values of C and weightings of its samples, part by part for every C.

    Parameters
    ----------
    decision : ndarray of shape (n_Cs, n_samples)
    is_positive : ndarray of shape (n_samples,), bool
    bound, counts : ndarray of shape (n_parts, n_samples)
        As the weights and the counts of `fit_platt`; samples of weight zero do not count. A part without one
        of the classes has a sigmoid that hardly rises.
    doubt : float, default=1.0
        As in `fit_platt`.
    """
    shape = (len(decision), *bound.shape)
    targets = smoothed_targets(is_positive, counts, doubt)
    positive, negative = bound[:, is_positive].sum(axis=1), bound[:, ~is_positive].sum(axis=1)
    start = np.column_stack([np.zeros(len(bound)), np.log((negative + 1.0) / (positive + 1.0))])
    seen = np.where(bound > 0.0, decision[:, None].astype(float), 0.0)
    arrays = (seen, targets[None], bound[None])
    f, target, w = (np.broadcast_to(part, shape).reshape(-1, shape[2]) for part in arrays)
    n_rows = np.tile(counts.sum(axis=1), len(decision))
    return Sigmoids(f, target, w, np.tile(start, (len(decision), 1)), n_rows)


def doubt_of(n_classes: int, strategy: str) -> float:
    """How much Platt's targets are smoothed: by one row, which the pairs of a class share.

    A class of k is coupled from k − 1 pairs, and what each of them doubts adds up: ten classes of thirty rows
    would have no probability above 0.75 if every pair doubted as much as a machine of two classes. Machines
    of two classes, and of each class and the rest, have Platt's own targets.
    """
    return 1.0 / (n_classes - 1.0) if strategy == "ovo" and n_classes > 2 else 1.0


def fit_platt_of(
    machines: Iterable[Machine],
    decision: np.ndarray,
    bound: np.ndarray,
    weight: np.ndarray,
    doubt: float = 1.0,
) -> np.ndarray:
    """An increasing sigmoid for each column of ``decision``, that of a machine; shape (n_machines, 2).

    ``decision`` has the shape (n_samples, n_machines), or one more in front for several settings, which the
    result then has, too. The likelihood has the weights ``bound``, those of samples times those of their
    classes. ``weight`` has those of the samples alone; the smoothing counts copies, so that a row of weight
    two is two rows, and weights that sum to one do not make probabilities of one half. ``doubt`` is that of
    `doubt_of`. Several machines are `pooled`.
    """
    counts, values = copies_of(weight), np.asarray(decision, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("Sigmoids can only be fitted to finite decision values.")
    settings = values.reshape(-1, *values.shape[-2:])
    found = increasing_sigmoids(
        sigmoids_along(settings[:, members, m], signs > 0, bound[None, members], counts[None, members], doubt)
        for m, (members, signs) in enumerate(machines)
    )
    return np.stack(found, axis=1).reshape(*values.shape[:-2], len(found), 2)


def smoothed_targets(is_positive: np.ndarray, weight: np.ndarray, doubt: float = 1.0) -> np.ndarray:
    """Targets (n₊ + s)/(n₊ + 2s) and s/(n₋ + 2s), not quite 1 and 0, in the shape of ``weight``.

    ``is_positive`` has the shape (n_samples,). ``doubt`` is s; Platt's own targets have s = 1.
    """
    positive, negative = weight[..., is_positive].sum(axis=-1), weight[..., ~is_positive].sum(axis=-1)
    high, low = (positive + doubt) / (positive + 2.0 * doubt), doubt / (negative + 2.0 * doubt)
    return np.where(is_positive, high[..., None], low[..., None])


def platt_probability(decision: ArrayLike, A: float | np.ndarray, B: float | np.ndarray) -> np.ndarray:
    """Probability of the positive class, 1 / (1 + exp(A f + B)), in the shape of ``decision``."""
    return expit(-(A * np.asarray(decision, dtype=float) + B))


def log_odds(decision: np.ndarray, sigmoids: np.ndarray) -> np.ndarray:
    """Logarithms of the odds p/(1 − p) of the machines' positive classes, in the shape of ``decision``.

    That is (…, n_samples, n_machines), and ``sigmoids`` have (…, n_machines, 2): p = 1/(1 + exp(A f + B)).
    """
    A, B = np.moveaxis(sigmoids, -1, 0)[..., None, :]
    return -(A * np.asarray(decision, dtype=float) + B)


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


@cache
def _pairs_by_class(n_classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both classes of every pair, and the places of each class in one after the other, a row for each."""
    i, j = np.array(class_pairs(n_classes)).T
    return i, j, np.array([np.flatnonzero(np.append(i, j) == k) for k in range(n_classes)])


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
    i, j, of_class = _pairs_by_class(n_classes)
    system[:, i, j] = system[:, j, i] = -pairwise * (1.0 - pairwise)
    # On the diagonal, what the pairs of each class add at it. (A matrix product would round the values of a
    # row as it pleases, depending on how many rows there are.)
    added = np.concatenate([(1.0 - pairwise) ** 2, pairwise**2], axis=1)
    system[:, range(n_classes), range(n_classes)] = added[:, of_class].sum(axis=2)
    right = np.zeros((n, n_classes + 1, 1))
    right[:, -1] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :-1, 0], 0.0)  # rounding only: see SMALLEST
    return p / p.sum(axis=1, keepdims=True)


def log_of(probabilities: np.ndarray) -> np.ndarray:
    """Logarithms; −∞ for zero, without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
