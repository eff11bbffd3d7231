"""Class probabilities of an SVC: sigmoids on held-out decision values, coupled over the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise.estimators._machines import decision_values, train_machines
from kernelwise.estimators.kernel_choice import Rows
from kernelwise.multiclass import class_pairs, two_class_machines
from kernelwise.solvers import svm_path
from kernelwise.solvers.platt import fit_platt_of, platt_probability

N_FOLDS = 5
SMALLEST = 1e-7  # of a pairwise probability: the coupled ones are then positive


def fit_sigmoids(
    source: np.ndarray | Rows,
    y: np.ndarray,
    weight: np.ndarray,
    sample_weight: np.ndarray,
    *,
    strategy: str,
    random_state: Any,
    **settings: Any,
) -> np.ndarray:
    """Fit one sigmoid per machine on decision values held out by stratified folds; returns (n_machines, 2).

    All folds share the Gram matrix, if that is the source. ``weight`` are bounds of the machines as multiples
    of C, ``sample_weight`` the weights in the likelihood: class weights move the machines, not the truth
    about the classes. The others, and C, tol, max_iter and n_jobs among the settings, are as in `SVC`.
    """
    used = np.flatnonzero(weight > 0)
    classes, index, counts = np.unique(y[used], return_inverse=True, return_counts=True)
    if counts.min() < 2:
        small = classes.tolist()[counts.argmin()]
        raise ValueError(
            f"probability=True holds out part of each class, but class {small!r} has 1 sample. "
            "Add samples, or set probability=False."
        )
    splitter = StratifiedKFold(min(N_FOLDS, int(counts.min())), shuffle=True, random_state=random_state)
    folds = [(used[train], used[test]) for train, test in splitter.split(used, index)]
    held_out = _from_rows if isinstance(source, Rows) else _from_gram
    decision = held_out(source, y, weight, folds, strategy, settings)[used]
    machines = two_class_machines(index, len(classes), strategy)
    return fit_platt_of(machines, decision, sample_weight[used])


def _from_gram(
    K: Any, y: np.ndarray, weight: np.ndarray, folds: list[Any], strategy: str, settings: dict[str, Any]
) -> np.ndarray:
    """Held-out decision values of shape (n_samples, n_machines) from one Gram matrix."""
    settings = dict(settings)
    C = settings.pop("C")
    path = svm_path(K, y, [C], folds, sample_weight=weight, strategy=strategy, **settings)
    return path.decision[0].reshape(len(y), -1)


def _from_rows(
    source: Any, y: np.ndarray, weight: np.ndarray, folds: list[Any], strategy: str, settings: dict[str, Any]
) -> np.ndarray:
    """The same from the samples: one training for each fold."""
    index = np.unique(y, return_inverse=True)[1]
    parts = []
    for train, test in folds:
        part = source._replace(X=safe_indexing(source.X, train))
        trained = train_machines(
            part, index[train], index.max() + 1, weight[train], strategy=strategy, start=None, **settings
        )
        support = np.flatnonzero(trained.beta.any(axis=0))
        values = decision_values(
            source.kernel,
            safe_indexing(source.X, test),
            safe_indexing(part.X, support),
            trained.beta[:, support],
            trained.intercept,
        )
        parts.append((test, values))
    decision = np.full((len(y), parts[0][1].shape[1]), np.nan)
    for test, values in parts:
        decision[test] = values
    return decision


def class_probabilities(
    decision: np.ndarray, sigmoids: np.ndarray, n_classes: int, strategy: str
) -> np.ndarray:
    """Turn decision values of shape (n_samples, n_machines) into probabilities, (n_samples, n_classes).

    ``sigmoids`` has the shape (n_machines, 2), ``strategy`` is "ovo" or "ovr".
    """
    p = platt_probability(decision, sigmoids[:, 0], sigmoids[:, 1])
    if n_classes == 2:
        return np.hstack([1.0 - p, p])
    if strategy == "ovr":
        p = np.maximum(p, SMALLEST)
        return p / p.sum(axis=1, keepdims=True)
    return couple(p, n_classes)


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
    for r, (i, j) in zip(pairwise.T, class_pairs(n_classes), strict=True):
        system[:, i, i] += (1.0 - r) ** 2
        system[:, j, j] += r**2
        system[:, i, j] = system[:, j, i] = -r * (1.0 - r)
    right = np.zeros((n, n_classes + 1, 1))
    right[:, -1] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :-1, 0], 0.0)  # rounding only: see SMALLEST
    return p / p.sum(axis=1, keepdims=True)


def log_of(probabilities: np.ndarray) -> np.ndarray:
    """Logarithms; −∞ for zero, without a warning."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
