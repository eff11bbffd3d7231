"""Held-out accuracies of one Gram matrix at given values of C: cross-validation at its plainest.

The papers' procedures and the learning of metrics compare kernels by it, with the machines of the search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.validation import check_gram
from kernelwise.multiclass import STRATEGIES
from kernelwise.search.engine.runner import Folds, FoldsSolved, class_paths
from kernelwise.search.scoring.held_out_answers import ClassAnswers

TOL = 1e-3


def held_out_accuracies(
    K: np.ndarray, y: np.ndarray, Cs: Any, folds: Folds, *, multiclass: str = "ovo", n_jobs: int | None = None
) -> np.ndarray:
    """Train the machines of every fold for every C and return their accuracies on the rest of the samples.

    Parameters
    ----------
    K : ndarray of shape (n_samples, n_samples)
        The Gram matrix of any kernel.
    y : ndarray of shape (n_samples,)
    Cs : array of shape (n_Cs,)
        One warm-started path for each fold.
    folds : list of (train, test)
        No sample in two test parts.
    multiclass, n_jobs
        As in `kernelwise.SVC`; no strategy that rejects.

    Returns
    -------
    accuracies : ndarray of shape (n_Cs, n_folds)
    """
    right = is_right(K, y, Cs, folds, multiclass, n_jobs)
    ends = np.cumsum([len(test) for _, test in folds])
    return np.column_stack([part.mean(axis=1) for part in np.split(right, ends[:-1], axis=1)])


def pooled_accuracies(
    K: np.ndarray,
    y: np.ndarray,
    Cs: Any,
    folds: Folds,
    *,
    multiclass: str = "ovo",
    n_jobs: int | None = None,
    loss: str = "hinge",
) -> np.ndarray:
    """Return the share of all held-out samples that the machines classify correctly, shape (n_Cs,).

    Every sample counts the same, however large its fold is; ``loss`` is as in `kernelwise.SVC`, and the other
    parameters as in `held_out_accuracies`.
    """
    return is_right(K, y, Cs, folds, multiclass, n_jobs, loss).mean(axis=1)


def is_right(
    K: np.ndarray,
    y: np.ndarray,
    Cs: Any,
    folds: Folds,
    multiclass: str,
    n_jobs: int | None,
    loss: str = "hinge",
) -> np.ndarray:
    """Whether each held-out sample, fold after fold, is classified correctly: shape (n_Cs, n_held_out)."""
    held_out = np.concatenate([test for _, test in folds])
    settings: dict[str, Any] = {"tol": TOL, "max_iter": -1, "n_jobs": n_jobs}
    K = np.ascontiguousarray(check_gram(K, may_be_distances=True))
    paths = class_paths(y, folds, np.ones(len(y)), STRATEGIES[multiclass].machines, loss=loss)
    solved = FoldsSolved(*paths.solve(K, Cs, **settings))
    solved.warn(TOL)
    answers = ClassAnswers(multiclass, "ovr", None)
    return answers.labels(solved.path.decision[:, held_out], solved.path.classes) == y[held_out]
