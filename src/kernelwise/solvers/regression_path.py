"""Cross-validation of C for regression: held-out predictions for every C and fold from one Gram matrix."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from joblib import delayed

from kernelwise._core.threads import one_blas_thread, threads
from kernelwise._core.validation import (
    check_gram,
    check_not_negative,
    check_positive,
    check_targets,
    check_weights,
)
from kernelwise.multiclass import Machine
from kernelwise.solvers.dual import iteration_cap
from kernelwise.solvers.fold_path import MachinePath
from kernelwise.solvers.path import TABLES, SVMPath, last_solutions, warn_of_worst
from kernelwise.solvers.path_checks import check_Cs, check_disjoint
from kernelwise.solvers.regression import twin_targets


def svr_path(
    K: Any,
    y: Any,
    Cs: Any,
    folds: Any,
    *,
    epsilon: float = 0.1,
    sample_weight: Any = None,
    tol: float = 1e-3,
    max_iter: int = -1,
    n_jobs: int | None = None,
    after: SVMPath | None = None,
) -> SVMPath:
    """Solve the ε-insensitive dual for every C on the training part of every fold.

    It is the path of one machine with two variables for every sample (see
    :mod:`kernelwise.solvers.regression`), so that warm starts, Newton steps and the exact end of the path are
    those of `svm_path`. Its Gram matrix is K repeated twice in both directions, a copy of 4 n² numbers: the
    compiled loops run along whole rows. For the few thousand rows of a search that is small change.

    Parameters
    ----------
    K : array of shape (n_samples, n_samples)
    y : array of shape (n_samples,)
    Cs : array of shape (n_Cs,)
    folds : list of (train, test) index arrays
        No sample may be in two test parts.
    epsilon : float, default=0.1
    sample_weight : array of shape (n_samples,), default=None
        The bound of sample i is C·w_i.
    tol, max_iter, n_jobs, after
        As in `svm_path`.

    Returns
    -------
    path : SVMPath
        ``decision`` of shape (n_Cs, n_samples) holds the held-out predictions; ``classes`` is empty.
    """
    started = time.perf_counter()
    K = np.ascontiguousarray(check_gram(K))
    n = K.shape[0]
    y, weight = check_targets(y, n), check_weights(sample_weight, n)
    check_positive(tol, "tol", "svr_path")
    check_not_negative(epsilon, "epsilon", "svr_path")
    Cs = check_Cs(Cs)
    splits = check_disjoint(folds, n)
    order = np.argsort(Cs, kind="stable")
    lasts = last_solutions(after, Cs, len(splits), 1)
    p, signs = twin_targets(y, epsilon)
    out = {name: np.zeros((Cs.size, len(splits), 1), dtype) for name, dtype in TABLES.items()}
    decision = np.full((Cs.size, n), np.nan)
    with one_blas_thread():
        machine = MachinePath(
            K,
            Machine(np.tile(np.arange(n), 2), signs),
            weight,
            0 if after else len(splits),
            Cs[order],
            tol,
            iteration_cap(max_iter, n),
            p,
        )
        paths = threads(n_jobs)(
            delayed(machine.fold)(*split, last[0]) for split, last in zip(splits, lasts, strict=True)
        )
    for s, (path, (_, test)) in enumerate(zip(paths, splits, strict=True)):
        decision[order[:, None], test] = path.decision
        for name, table in out.items():
            table[order, s, 0] = getattr(path, name)
    warn_of_worst(out, tol)
    return SVMPath(
        decision=decision,
        **{name: table for name, table in out.items() if name in SVMPath.__dataclass_fields__},
        seconds=time.perf_counter() - started,
        classes=np.empty(0),
        Cs=Cs,
        strategy="regression",
        last=[[path.last] for path in paths],
    )
