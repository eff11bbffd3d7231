"""Cross-validation accuracy of many widths and values of C, as all procedures of this package measure it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from kernelwise._core.text import count
from kernelwise.findings import Finding
from kernelwise.kernels import RBF
from kernelwise.kernels.distances import DISTANCES
from kernelwise.kernels.gram import Grams
from kernelwise.search.accuracy import pooled_accuracies
from kernelwise.search.runner import Folds


def make_folds(X: Any, y: np.ndarray, cv: Any, random_state: Any) -> tuple[Folds, list[Finding]]:
    """Make shuffled stratified folds, or those of a splitter; fewer, with a finding, if a class is small.

    Every class has two samples at least; ``random_state`` is that of the shuffling.
    """
    if not isinstance(cv, (int, np.integer)):
        return list(cv.split(X, y)), []
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds, got {cv}.")
    smallest = int(np.unique(y, return_counts=True)[1].min())
    findings = []
    if smallest < cv:
        message = (
            f"The smallest class has {count(smallest, 'sample')}: {smallest} folds were used instead of {cv}."
        )
        advice = "Merge small classes, or do not rely on the cross-validation accuracy."
        findings.append(Finding("few folds", "warning", message, advice))
    splitter = StratifiedKFold(min(int(cv), smallest), shuffle=True, random_state=random_state)
    return list(splitter.split(X, y)), findings


def cv_accuracies(
    Z: np.ndarray,
    y: np.ndarray,
    gammas: np.ndarray,
    Cs: np.ndarray,
    folds: Folds,
    *,
    multiclass: str = "ovo",
    n_jobs: int | None = None,
) -> np.ndarray:
    """Return the pooled accuracies, (n_gammas, n_Cs), of machines with kernel exp(−γ‖z − z′‖²).

    Distances are computed once; the other parameters are as in
    `kernelwise.search.accuracy.held_out_accuracies`.
    """
    grams = Grams(Z, [DISTANCES])
    accuracies = np.empty((len(gammas), len(Cs)))
    for g, gamma in enumerate(gammas):
        with grams.gram(RBF(float(gamma))) as K:
            accuracies[g] = pooled_accuracies(K, y, Cs, folds, multiclass=multiclass, n_jobs=n_jobs)
    return accuracies


@contextmanager
def noting_convergence(findings: list[Finding]) -> Iterator[None]:
    """Turn the solver's warnings, of which each path has its own, into one warning and one finding."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    stopped = [str(w.message) for w in caught if issubclass(w.category, ConvergenceWarning)]
    for other in caught:
        if not issubclass(other.category, ConvergenceWarning):
            warnings.warn_explicit(other.message, other.category, other.filename, other.lineno)
    if stopped:
        which = f"Cross-validation for {len(stopped)} kernel widths had models that did not converge"
        advice = (
            "Accuracies there may be slightly wrong. Lower the largest C or leave out the widest kernels."
        )
        message = f"{which}; the first said: {stopped[0]}"
        findings.append(Finding("not converged", "warning", message, advice))
        warnings.warn(str(findings[-1]), ConvergenceWarning, stacklevel=5)
