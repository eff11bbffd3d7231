"""Probabilities of held-out rows: log odds by sigmoids that have not seen these rows, and the log-loss."""

from __future__ import annotations

import numpy as np

from kernelwise._core.validation import copies_of
from kernelwise.multiclass import STRATEGIES, two_class_machines
from kernelwise.search.data.samples import Samples
from kernelwise.solvers.probability import (
    class_probabilities,
    doubt_of,
    fit_platt_of,
    increasing_sigmoids,
    log_odds,
    sigmoids_along,
)

#: Numbers that sigmoids are fitted to at a time.
MOST_NUMBERS = 2_000_000


def cross_fitted_odds(
    decision: np.ndarray,
    held: Samples,
    fold: np.ndarray,
    n_classes: int,
    strategy: str,
    asked: np.ndarray | None = None,
    used: np.ndarray | None = None,
) -> np.ndarray:
    """Log odds of every machine's positive class, in the shape of the decision values.

    The sigmoids of a fold are fitted to the held-out values of all other folds, but not to those of its rows.

    Parameters
    ----------
    decision : ndarray of shape (n_Cs, n_held_out) or (n_Cs, n_held_out, n_machines)
    held : Samples
        Its ``bound`` is the weight of a row in the likelihood.
    fold : ndarray of shape (n_held_out,)
        The fold that holds out each row; rows of fold −1 are held out by none, and have no odds (NaN).
    n_classes : int
    strategy : {"ovo", "ovr"}
    asked : ndarray of shape (n_held_out,), default=None
        A number for the row of each value, where folds may hold out a row several times.
    used : ndarray of shape (n_held_out,), default=None
        Whether sigmoids may be fitted to a value; None is to those of all rows that a fold holds out.
    """
    shape, used = decision.shape, fold >= 0 if used is None else used
    _check_others(fold, asked)
    is_known = (fold >= 0) | used
    values = np.where(is_known[:, None], decision.reshape(len(decision), len(fold), -1), 0.0)
    odds = np.full(values.shape, np.nan)
    n_folds = int(fold.max()) + 1
    counts = copies_of(held.weight)
    machines = two_class_machines(held.y, n_classes, strategy)
    n_values = sum(len(members) for members, _ in machines)
    block = max(1, int(MOST_NUMBERS / (len(values) * n_values)))
    for first in range(0, n_folds, block):
        parts = np.arange(first, min(first + block, n_folds))
        is_seen = (fold != parts[:, None]) & used
        if asked is not None:
            is_seen &= ~np.array([np.isin(asked, asked[fold == k]) for k in parts])
        fitted = increasing_sigmoids(
            sigmoids_along(
                values[:, members, m],
                signs > 0,
                is_seen[:, members] * held.bound[members],
                is_seen[:, members] * counts[members],
                doubt_of(n_classes, strategy),
            )
            for m, (members, signs) in enumerate(machines)
        )
        rows = np.flatnonzero((fold >= first) & (fold <= parts[-1]))
        for m, sigmoids in enumerate(fitted):
            A, B = np.moveaxis(sigmoids.reshape(len(values), len(parts), 2)[:, fold[rows] - first], 2, 0)
            odds[:, rows, m] = -(A * values[:, rows, m] + B)
    return odds.reshape(shape)


def _check_others(fold: np.ndarray, asked: np.ndarray | None) -> None:
    """Raise if a fold has no rows beside it: its sigmoids would know nothing, and every C score the same."""
    n_folds = int(fold.max()) + 1
    if n_folds > 1 and asked is None:
        return
    rows = fold if asked is None else asked
    held = rows[fold >= 0]
    for k in range(n_folds):
        if np.isin(held, rows[fold == k]).all():
            raise ValueError(
                "Scores of probabilities, and threshold='auto', need sigmoids that were not fitted to the "
                f"rows they are scored on, but fold {k} of 'cv' holds out all rows that any fold holds out. "
                "Use folds with at least two different test parts, or a score of labels."
            )


#: Probabilities below this count as this: one row must not decide.
SMALLEST = 1e-6


def held_out_log_losses(held: Samples, decision: np.ndarray, n_classes: int, multiclass: str) -> np.ndarray:
    """Means of −log p of the true class over held-out rows, classes with their weights; (n_settings,).

    Parameters
    ----------
    held : Samples
    decision : ndarray of shape (n_settings, n_held_out, n_machines)
        Platt's sigmoids are fitted to them: two numbers for each machine, which hardly flatter.
    n_classes : int
    multiclass : str
        A key of `kernelwise.multiclass.STRATEGIES`.
    """
    strategy = STRATEGIES[multiclass].machines
    machines = two_class_machines(held.y, n_classes, strategy)
    sigmoids = fit_platt_of(machines, decision, held.bound, held.weight, doubt_of(n_classes, strategy))
    odds = log_odds(decision, sigmoids)
    p = class_probabilities(odds.reshape(-1, odds.shape[2]), n_classes, strategy)
    p = p.reshape(*odds.shape[:2], n_classes)[:, np.arange(len(held)), held.y]
    return np.asarray(np.average(-np.log(np.maximum(p, SMALLEST)), axis=1, weights=held.bound))
