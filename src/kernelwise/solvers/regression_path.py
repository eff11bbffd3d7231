"""Cross-validation of C for regression: held-out predictions for every C and fold from one Gram matrix."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from kernelwise._core.validation import (
    check_gram,
    check_not_negative,
    check_positive,
    check_targets,
    check_weights,
)
from kernelwise.multiclass import Machine
from kernelwise.solvers.path import SVMPath, as_path
from kernelwise.solvers.path_checks import check_Cs, check_disjoint
from kernelwise.solvers.regression import twin_targets
from kernelwise.solvers.run_paths import Tables, run_paths, warn_of_worst


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
    path, tables = solve_regression_path(
        K,
        y,
        Cs,
        folds,
        epsilon=epsilon,
        sample_weight=sample_weight,
        tol=tol,
        max_iter=max_iter,
        n_jobs=n_jobs,
        after=after,
    )
    warn_of_worst(tables, tol)
    return path


def solve_regression_path(
    K: Any,
    y: Any,
    Cs: Any,
    folds: Any,
    *,
    epsilon: float,
    sample_weight: Any,
    tol: float,
    max_iter: int,
    n_jobs: int | None,
    after: SVMPath | None = None,
    only: int | None = None,
    check: bool = True,
) -> tuple[SVMPath, Tables]:
    """`svr_path` without warnings; ``only`` and ``check`` as in `kernelwise.solvers.path.solve_path`."""
    started = time.perf_counter()
    K = np.ascontiguousarray(check_gram(K) if check else K)
    n = K.shape[0]
    y, weight = check_targets(y, n), check_weights(sample_weight, n)
    check_positive(tol, "tol", "svr_path")
    check_not_negative(epsilon, "epsilon", "svr_path")
    Cs = check_Cs(Cs)
    splits = check_disjoint(folds, n)
    p, signs = twin_targets(y, epsilon)
    solved = run_paths(
        K,
        [Machine(np.tile(np.arange(n), 2), signs)],
        splits,
        [test for _, test in splits],
        weight=weight,
        Cs=Cs,
        tol=tol,
        max_iter=max_iter,
        n_jobs=n_jobs,
        after=after,
        only=only,
        p=p,
    )
    return as_path(solved, started, np.empty(0), Cs, "regression"), solved.tables
