"""Platt's sigmoids of an SVC, from decision values of samples that its machines were not trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise.estimators._machines import decision_values, train_machines
from kernelwise.estimators.kernel_choice import Rows
from kernelwise.multiclass import two_class_machines
from kernelwise.solvers import svm_path
from kernelwise.solvers.platt import fit_platt_of

N_FOLDS = 5


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
    of C, and weights in the likelihood: probabilities are those of a population in which the classes have
    their weights. ``sample_weight``, without those, says how many samples there are. The others, and C, tol,
    max_iter and n_jobs among the settings, are as in `SVC`.
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
    return fit_platt_of(machines, decision, weight[used], sample_weight[used])


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
