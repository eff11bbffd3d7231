"""Platt's sigmoids of an SVC, from decision values of samples that its machines were not trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from kernelwise._core.equal_rows import row_hashes
from kernelwise._core.labels import check_class_sizes
from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise._core.validation import seed_of
from kernelwise._core.weights import copies_of
from kernelwise.estimators._machines import TrainedMachines, decision_values, train_machines
from kernelwise.estimators.kernel_argument import Rows
from kernelwise.multiclass import two_class_machines
from kernelwise.search.data.canonical import canonical_order, distinct_points, distinct_rows
from kernelwise.search.data.folds import FoldRows, Folds, folds_of_rows
from kernelwise.solvers import svm_path
from kernelwise.solvers.platt import doubt_of, fit_platt_of

N_FOLDS = 5


def fit_sigmoids(
    source: np.ndarray | Rows,
    trained: TrainedMachines,
    held: FoldRows,
    index: np.ndarray,
    factors: np.ndarray,
    *,
    strategy: str,
    **settings: Any,
) -> np.ndarray:
    """Fit one sigmoid per machine on decision values that folds hold out; returns (n_machines, 2).

    All folds share the Gram matrix, if that is the source. ``index`` has the class index of each sample,
    ``factors`` the weight of each class, which is in the likelihood, too: probabilities are those of a
    population in which the classes have their weights. The only row of a class has the value of the machines
    ``trained`` on all samples. C, tol, max_iter and n_jobs among the settings are as in `SVC`.
    """
    rows, y = held.rows, index[held.rows]
    bound = held.weight * factors[y]
    by_rows = isinstance(source, Rows)
    decision = (_from_rows if by_rows else _from_gram)(source, rows, y, bound, held.folds, strategy, settings)
    lone = held.fold < 0
    if lone.any():
        decision[lone] = _training_values(source, trained, rows[lone])
    machines, doubt = two_class_machines(y, len(factors), strategy), doubt_of(len(factors), strategy)
    return fit_platt_of(machines, decision, bound, held.weight, doubt)


def sigmoid_folds(
    X: Any, index: np.ndarray, weight: np.ndarray, random_state: Any, points: np.ndarray | None = None
) -> FoldRows:
    """Stratified folds of the rows: equal rows of a class are one with their total weight, whatever order.

    Of samples that are no table of numbers, None for a Gram matrix, ``points`` has equal numbers for equal
    ones, shape (n_samples,); without it nothing is known to be equal.
    """
    is_table = isinstance(X, np.ndarray) or sparse.issparse(X)
    if not is_table:
        every = np.arange(len(index)) if points is None else points
        distinct = distinct_points(every, index, weight)
        points = None if points is None else points[distinct.rows]
    else:
        distinct = distinct_rows(X, index, weight)
        Z = X[distinct.rows]
        order = canonical_order(Z, index[distinct.rows], distinct.weight)
        distinct, points = distinct.reordered(order), row_hashes(Z[order])[0]
    strata = index[distinct.rows]
    check_class_sizes(strata, distinct.weight)
    counts = np.bincount(strata, weights=copies_of(distinct.weight))
    n_folds = min(N_FOLDS, int(counts[counts > 1].min()))
    found = folds_of_rows(strata, distinct.weight, n_folds, points, seed_of(random_state))
    return found.renamed(distinct.rows)


def _from_gram(
    K: Any, rows: np.ndarray, y: np.ndarray, bound: np.ndarray, folds: Folds, strategy: str, settings: Any
) -> np.ndarray:
    """Held-out decision values of shape (n_rows, n_machines) from one Gram matrix."""
    C, how = settings["C"], {name: value for name, value in settings.items() if name != "C"}
    if not np.array_equal(rows, np.arange(len(K))):
        K = K[np.ix_(rows, rows)]
    path = svm_path(K, y, [C], folds, sample_weight=bound, strategy=strategy, **how)
    return path.decision[0].reshape(len(y), -1)


def _from_rows(
    source: Any,
    rows: np.ndarray,
    y: np.ndarray,
    bound: np.ndarray,
    folds: Folds,
    strategy: str,
    settings: Any,
) -> np.ndarray:
    """The same from the samples: one training for each fold."""
    parts = []
    for train, test in folds:
        part = source._replace(X=safe_indexing(source.X, rows[train]))
        trained = train_machines(
            part, y[train], y.max() + 1, bound[train], strategy=strategy, start=None, **settings
        )
        parts.append((test, _values(part, trained, safe_indexing(source.X, rows[test]))))
    decision = np.full((len(y), parts[0][1].shape[1]), np.nan)
    for test, values in parts:
        decision[test] = values
    return decision


def _training_values(source: np.ndarray | Rows, trained: TrainedMachines, rows: np.ndarray) -> np.ndarray:
    """Decision values of some training samples, shape (n_rows, n_machines)."""
    if isinstance(source, Rows):
        return _values(source, trained, safe_indexing(source.X, rows))
    return source[rows] @ trained.beta.T + trained.intercept


def _values(source: Rows, trained: TrainedMachines, X: Any) -> np.ndarray:
    """Decision values, shape (n_samples, n_machines), of machines trained on the source."""
    support = np.flatnonzero(trained.beta.any(axis=0))
    vectors = safe_indexing(source.X, support)
    return decision_values(source.kernel, X, vectors, trained.beta[:, support], trained.intercept)
