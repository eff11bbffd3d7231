"""Cross-validation of C for regression: held-out predictions for every C and fold from one Gram matrix."""

from __future__ import annotations

import time
from dataclasses import replace
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
from kernelwise.solvers.regression import direction, twin_targets
from kernelwise.solvers.run_paths import Places, Tables, run_paths


def solve_regression_path(
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
    only: int | None = None,
    check: bool = True,
    places: Places | None = None,
) -> tuple[SVMPath, Tables]:
    """Solve the ε-insensitive dual for every C on the training part of every fold, without warnings.

    It is the path of one machine with two variables for every sample (see
    :mod:`kernelwise.solvers.regression`), so that warm starts, Newton steps and the exact end of the path are
    those of :func:`~kernelwise.solvers.path.solve_path`, whose arguments it takes. The path's ``decision``,
    of shape (n_Cs, n_samples), holds the held-out predictions; its ``classes`` are empty. The Gram matrix is
    K repeated twice in both directions, a copy of 4 n² numbers: the compiled loops run along full rows. For
    the few thousand rows of a search that is small change.
    """
    started = time.perf_counter()
    K = np.ascontiguousarray(check_gram(K, may_be_distances=True) if check else K)
    n = K.shape[0]
    y, weight = check_targets(y, n), check_weights(sample_weight, n)
    check_positive(tol, "tol", "solve_regression_path")
    check_not_negative(epsilon, "epsilon", "solve_regression_path")
    Cs = check_Cs(Cs)
    splits = check_disjoint(folds, n, may_repeat=places is not None)
    sign = direction(y)
    p, signs = twin_targets(sign * y, epsilon)
    machines = [Machine(np.tile(np.arange(n), 2), signs)]
    answers = Places([test for _, test in splits], n) if places is None else places
    settings = weight, Cs, tol, max_iter, n_jobs, None, after, only, p
    solved = run_paths(K, machines, splits, answers, *settings)
    members = [machine.members for machine in machines]
    path = as_path(solved, started, np.empty(0), Cs, "regression", members)
    return replace(path, decision=sign * path.decision), solved.tables
