"""Cross-validation accuracy of many widths and values of C, and the rule for ties."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import StratifiedKFold

from kernelwise._core.validation import check_positive
from kernelwise.findings import Finding
from kernelwise.kernels import RBF
from kernelwise.kernels.gram import DISTANCES, Grams
from kernelwise.multiclass import STRATEGIES, decide_labels
from kernelwise.solvers import svm_path

Folds = list[tuple[np.ndarray, np.ndarray]]


def make_folds(X: Any, y: np.ndarray, cv: Any, random_state: Any) -> tuple[Folds, list[Finding]]:
    """Shuffled stratified folds, or those of a splitter; fewer, with a finding, if a class is too small.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        At least two samples of each class.
    cv : int or splitter
    random_state : int, RandomState or None
        Of the shuffling.
    """
    if not isinstance(cv, (int, np.integer)):
        return list(cv.split(X, y)), []
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds, got {cv}.")
    smallest = int(np.unique(y, return_counts=True)[1].min())
    findings = []
    if smallest < cv:
        findings.append(
            Finding(
                "few folds",
                "warning",
                f"The smallest class has {smallest} samples: {smallest} folds were used, not {cv}.",
                "Merge small classes, or take the cross-validation accuracy with care.",
            )
        )
    splitter = StratifiedKFold(min(int(cv), smallest), shuffle=True, random_state=random_state)
    return list(splitter.split(X, y)), findings


def check_values(values: Any, name: str, owner: str) -> np.ndarray:
    """Positive values to be tried, in increasing order."""
    values = np.unique(np.asarray(values, dtype=float))
    if not len(values):
        raise ValueError(f"{name!r} of {owner} is empty; pass at least one value.")
    for value in values.tolist():
        check_positive(value, name, owner)
    return values


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
    """Share of all held-out samples that the machines with kernel exp(−γ‖z − z′‖²) classify correctly.

    Distances are computed once, and the values of C are one warm-started path for each γ.

    Parameters
    ----------
    Z : array of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    gammas : ndarray of shape (n_gammas,)
    Cs : ndarray of shape (n_Cs,)
    folds : list of (train, test)
        No sample in two test parts.
    multiclass : {"ovo", "ovr", "ovr-fuzzy"}, default="ovo"
    n_jobs : int, default=None

    Returns
    -------
    accuracies : ndarray of shape (n_gammas, n_Cs)
    """
    grams = Grams(Z, [DISTANCES])
    accuracies = np.empty((len(gammas), len(Cs)))
    for g, gamma in enumerate(gammas):
        with grams.gram(RBF(float(gamma))) as K:
            accuracies[g] = gram_accuracies(K, y, Cs, folds, multiclass=multiclass, n_jobs=n_jobs)
    return accuracies


def gram_accuracies(
    K: np.ndarray,
    y: np.ndarray,
    Cs: np.ndarray,
    folds: Folds,
    *,
    multiclass: str = "ovo",
    n_jobs: int | None = None,
) -> np.ndarray:
    """The same for one Gram matrix of any kernel, shape (n_Cs,)."""
    held = np.concatenate([test for _, test in folds])
    path = svm_path(K, y, Cs, folds, strategy=STRATEGIES[multiclass].machines, n_jobs=n_jobs)
    labels = decide_labels(path.decision[:, held], path.classes, multiclass)
    return (labels == y[held]).mean(axis=1)


def best_cell(accuracies: np.ndarray) -> tuple[int, int]:
    """Where the accuracy is highest; of equals, the smallest C, and then the smallest γ (widest kernel).

    Parameters
    ----------
    accuracies : ndarray of shape (n_gammas, n_Cs)
        Both in increasing order.
    """
    C, gamma = np.unravel_index(int(accuracies.T.argmax()), accuracies.T.shape)
    return int(gamma), int(C)


def edge_finding(name: str, value: float, values: np.ndarray) -> list[Finding]:
    """A finding if the best value is the last of those tried, at either end."""
    if len(values) < 2 or values[0] < value < values[-1]:
        return []
    edge = "smallest" if value <= values[0] else "largest"
    return [
        Finding(
            "boundary",
            "info",
            f"The best {name}, {value:.4g}, is the {edge} of the {len(values)} values tried.",
            "Try values beyond it if accuracy matters.",
        )
    ]


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
        findings.append(
            Finding(
                "not converged",
                "warning",
                f"Cross-validation for {len(stopped)} kernel widths had machines that did not converge; the "
                f"first said: {stopped[0]}",
                "Accuracies there may be a little off; lower the largest C or leave out the widest kernels.",
            )
        )
        warnings.warn(str(findings[-1]), ConvergenceWarning, stacklevel=5)
