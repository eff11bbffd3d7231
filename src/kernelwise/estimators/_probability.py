"""Class probabilities of an SVC: sigmoids on held-out decision values, coupled over the classes."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from ..solvers import svm_path
from ..solvers.multiclass import two_class_machines
from ..solvers.platt import fit_platt, platt_probability

N_FOLDS = 5
SMALLEST = 1e-7  # of a pairwise probability: the coupled ones are then positive


def fit_sigmoids(
    K: np.ndarray,
    y: np.ndarray,
    weight: np.ndarray,
    sample_weight: np.ndarray,
    *,
    C: float,
    strategy: str,
    tol: float,
    max_iter: int,
    n_jobs: int | None,
    random_state: Any,
) -> np.ndarray:
    """Fit one sigmoid per machine on decision values from stratified folds of the same Gram matrix.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
    y : ndarray of shape (n_samples,)
    weight : ndarray of shape (n_samples,)
        Bounds of the machines as multiples of C.
    sample_weight : ndarray of shape (n_samples,)
        Weights in the likelihood: class weights move the machines, not the truth about the classes.
    C, strategy, tol, max_iter, n_jobs, random_state
        As in `SVC`.

    Returns
    -------
    sigmoids : ndarray of shape (n_machines, 2)
        A and B of each machine, for the probability of its positive class.
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
    path = svm_path(
        K, y, [C], folds, sample_weight=weight, strategy=strategy, tol=tol, max_iter=max_iter, n_jobs=n_jobs
    )
    decision = path.decision[0, used].reshape(used.size, -1)
    machines = two_class_machines(index, len(classes), strategy)
    return np.array(
        [
            fit_platt(column[members], signs, sample_weight[used[members]])
            for column, (members, signs) in zip(decision.T, machines, strict=True)
        ]
    )


def class_probabilities(
    decision: np.ndarray, sigmoids: np.ndarray, n_classes: int, strategy: str
) -> np.ndarray:
    """Turn the machines' decision values into class probabilities.

    Parameters
    ----------
    decision : ndarray of shape (n_samples, n_machines)
    sigmoids : ndarray of shape (n_machines, 2)
    n_classes : int
    strategy : {"ovo", "ovr"}

    Returns
    -------
    probabilities : ndarray of shape (n_samples, n_classes)
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

    Minimises Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)² over Σp = 1: the second method of Wu, Lin & Weng
    (JMLR 5, 2004), whose optimality conditions are one linear system.

    Parameters
    ----------
    pairwise : ndarray of shape (n_samples, n_pairs)
        r_ij for the pairs (0, 1), (0, 2), …
    n_classes : int

    Returns
    -------
    probabilities : ndarray of shape (n_samples, n_classes)
    """
    pairwise = np.clip(pairwise, SMALLEST, 1.0 - SMALLEST)
    n = pairwise.shape[0]
    system = np.zeros((n, n_classes + 1, n_classes + 1))
    system[:, :-1, -1] = system[:, -1, :-1] = 1.0
    for r, (i, j) in zip(pairwise.T, combinations(range(n_classes), 2), strict=True):
        system[:, i, i] += (1.0 - r) ** 2
        system[:, j, j] += r**2
        system[:, i, j] = system[:, j, i] = -r * (1.0 - r)
    right = np.zeros((n, n_classes + 1, 1))
    right[:, -1] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[:, :-1, 0], 0.0)  # rounding only: see SMALLEST
    return p / p.sum(axis=1, keepdims=True)
