"""The rules by which candidates are compared: one standard error, and what is within it.

The search, ``refit="one-standard-error"`` and the papers' procedures take the standard error of a held-out
score from here. What is told with the score of a final model has more to it: see `verdict.summary`.
"""

from __future__ import annotations

import numpy as np


def standard_error(scores: np.ndarray, n: float | np.ndarray, is_share: bool) -> np.ndarray:
    """Standard error of the mean held-out score of each candidate, shape (...).

    Accuracy is a share p of the n held-out samples, and its standard error is √(p(1 − p)/n): two or three
    folds say little about their own spread. Any other score (ROC AUC, F₁, R²) is no such share, whatever its
    range; its standard error comes from the spread over the folds, and is NaN if there is one fold only.

    Parameters
    ----------
    scores : ndarray of shape (..., n_folds)
    n : float or ndarray of shape (...)
        Number of samples that were held out, in all folds together; a weight of 2 counts as two.
    is_share : bool
        Whether the score is the share of samples that are labelled correctly.
    """
    n_folds = scores.shape[-1]
    if is_share:
        mean = scores.mean(axis=-1)
        return np.sqrt(np.clip(mean * (1.0 - mean), 0.0, None) / n)
    if n_folds < 2:
        return np.full(scores.shape[:-1], np.nan)
    return scores.std(axis=-1, ddof=1) / np.sqrt(n_folds)


def simplest_within(scores: np.ndarray, complexity: np.ndarray, errors: np.ndarray) -> int:
    """Index of the best of the simplest candidates whose score is within one standard error of the best.

    All arrays have the shape (n_candidates,). Of equal scores the first counts; the error that decides is
    that of the best candidate.
    """
    best = int(np.argmax(scores))
    is_enough = scores >= scores[best] - np.nan_to_num(errors[best])
    level = complexity[is_enough].min()
    return int(np.argmax(np.where(is_enough & (complexity == level), scores, -np.inf)))


def most_regularised_within(
    strength: np.ndarray, scores: np.ndarray, best: int, error: float, may_be: np.ndarray | None = None
) -> int:
    """Index of the strongest regularisation whose score is within an error of the best candidate's.

    ``strength`` is C times the variance in feature space, of which smaller is stronger; ``may_be`` says which
    candidates may be chosen, the best one always. All arrays have the shape (n_candidates,).
    """
    is_enough = scores >= scores[best] - np.nan_to_num(error)
    if may_be is not None:
        is_enough &= may_be
        is_enough[best] = True
    within = np.flatnonzero(is_enough)
    order = np.lexsort((-scores[within], strength[within]))
    return int(within[order[0]])


def is_better(score: float, other: float, gains: np.ndarray) -> bool:
    """Whether one score is above another by more than the standard error of its gains, shape (n_folds,).

    The best of several by a little is chance.
    """
    return score - other > float(np.nan_to_num(standard_error(gains, np.nan, is_share=False)))
