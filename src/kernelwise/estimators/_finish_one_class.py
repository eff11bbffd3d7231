"""The final one-class machine, and a score of every training row by a machine that had not seen it."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np

from kernelwise.estimators.nystroem_one_class_svm import NystroemOneClassSVM
from kernelwise.estimators.one_class_svm import OneClassSVM
from kernelwise.exceptions import KernelwiseWarning
from kernelwise.findings import catalogue
from kernelwise.search.data.canonical import sample
from kernelwise.search.data.folds import stratified_folds
from kernelwise.search.engine.context import FitContext
from kernelwise.search.families.one_class.validator import OneClassValidator, Rows, Scored

#: Rows that solver="auto" trains on, at most: more change scores little, and every prediction asks them all.
MANY = 5000
#: Folds for held-out scores of more rows than the search has looked at.
FOLDS = 2


class Trained(NamedTuple):
    """The machine, the rows that it was trained on, held-out scores of all rows, and machines trained."""

    machine: Any
    rows: np.ndarray
    scores: np.ndarray
    n_machines: int


def finish_one_class(
    model: Any,
    validator: OneClassValidator,
    taken: Scored,
    rows: Rows,
    search_rows: np.ndarray,
    seed: int,
    context: FitContext,
) -> Trained:
    """Train the chosen machine on ``rows``, of which ``search_rows`` were those of the search."""
    kernel, nu = taken.candidate.kernel, taken.nu
    used = np.flatnonzero(rows.trained > 0.0)
    if model.solver == "auto" and len(used) > MANY:
        context.findings.append(catalogue.TRAINED_ON_SAMPLE(n_sampled=MANY, n_rows=len(used)))
        used = used[some_of(rows.weight[used], MANY, seed)]
    machine = _machine(model, kernel, nu, seed, rows, used)
    scores = np.full(len(rows), np.nan)
    n_machines = 1
    if np.array_equal(used, search_rows[validator.rows.trained > 0.0]):
        scores[search_rows] = taken.held_out
    else:
        fold = stratified_folds(np.zeros(len(used), int), rows.weight[used], FOLDS, seed, is_split=False)
        for k in range(FOLDS):
            train, test = used[fold.rows[fold.fold != k]], used[fold.rows[fold.fold == k]]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", KernelwiseWarning)  # the final machine has said it
                scores[test] = _machine(model, kernel, nu, seed, rows, train).score_samples(rows.Z[test])
        n_machines += FOLDS
    unseen = np.flatnonzero(np.isnan(scores))
    if unseen.size:
        scores[unseen] = machine.score_samples(rows.Z[unseen])
    _add_copies(scores, machine, rows, used)
    return Trained(machine, used, scores, n_machines)


def some_of(weight: np.ndarray, n: int, seed: int) -> np.ndarray:
    """A sample of n rows with all that have more than their share of the weight, in increasing order."""
    is_heavy = weight > weight.sum() / n
    heavy, others = np.flatnonzero(is_heavy), np.flatnonzero(~is_heavy)
    others = others[sample(np.zeros(len(others), int), n - len(heavy), seed)]
    return np.sort(np.r_[heavy, others])


def _add_copies(scores: np.ndarray, machine: Any, rows: Rows, used: np.ndarray) -> None:
    """Raise the scores of rows that are there more often than others, in place.

    All copies of a row are held out together, so that no machine learns a row from its copy. The most usual
    row of a table would be its strangest then: a row with w copies more than the median row has the share w/n
    of the mean k(x, x) that they are to each other, but never more than the final machine gives it.
    """
    weight = rows.weight[used]
    excess = weight - np.median(weight)
    often = used[excess > 0.0]
    if not often.size:
        return
    share = excess[excess > 0.0] / weight.sum()
    Z = rows.Z[often]
    with_copies = (1.0 - share) * scores[often] + share * machine.kernel_.diagonal(Z)
    scores[often] = np.maximum(scores[often], np.minimum(with_copies, machine.score_samples(Z)))


def _machine(model: Any, kernel: Any, nu: float, seed: int, rows: Rows, used: np.ndarray) -> Any:
    """A trained machine whose coefficients sum to one."""
    how = {"tol": model.tol, "max_iter": model.max_iter, "memory_limit": model.memory_limit}
    if model.solver == "nystroem":
        machine: Any = NystroemOneClassSVM(kernel, nu=nu, random_state=seed, **how)
    else:
        machine = OneClassSVM(kernel=kernel, nu=nu, **how)
    machine.fit(rows.Z[used], sample_weight=rows.weight[used])
    total = float(nu * rows.weight[used].sum())
    machine.dual_coef_ = machine.dual_coef_ / total
    machine.intercept_ = machine.intercept_ / total
    return machine
