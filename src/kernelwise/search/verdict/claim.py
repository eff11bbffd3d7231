"""What can be said of a share of right answers: its error, and what the best of many settings owes to luck.

All that is needed are the outcomes of held-out rows, right or wrong, of every setting that was tried. Nothing
is trained. Rows that belong together, copies or the rows of a group, are right or wrong together: what varies
from one data set to the next are *clusters* of rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kernelwise.search.engine.scored_kernel import smooth

#: Draws of other rows, in pairs of opposite signs.
N_DRAWS = 200


class Luck(NamedTuple):
    """What a choice owes to luck, on average over draws of rows, and how much the score of the choice varies.

    ``variance`` is that of the score, on the rows at hand, of what other rows would have chosen.
    """

    mean: float
    variance: float = 0.0


def luck_of_best(
    tried: Sequence[np.ndarray], weight: np.ndarray, cluster: np.ndarray, varies: np.ndarray | float = 1.0
) -> Luck:
    """What the best of all settings owes to luck: by how much it does better on the rows that choose it.

    The rows at hand stand for all rows, and draws of them for the rows at hand: the bootstrap's estimate of a
    bias. A draw moves the weights of whole clusters up or down, each by the sign of a coin; the setting that
    is best then is chosen, and its luck is what it scores more than without the move. Settings that give the
    same answers are one setting for this, and ties change nothing.

    Parameters
    ----------
    tried : sequence of ndarrays of shape (n_Cs, n_rows)
        Whether held-out rows are answered correctly, for each kernel along C; its scores are compared as
        averages over neighbouring values of C.
    weight : ndarray of shape (n_rows,)
    cluster : ndarray of shape (n_rows,)
        Numbers from zero, equal for rows that are right or wrong together.
    varies : ndarray of shape (n_rows,) or float, default=1.0
        The share of its weight by which a row varies: 1/√n for n rows that are independent.
    """
    part = weight / weight.sum()
    half = np.random.default_rng(0).choice([-1.0, 1.0], size=(int(cluster.max()) + 1, N_DRAWS // 2))
    moved = np.hstack([half, -half])[cluster] * (part * varies)[:, None]
    best, gained, score = np.full(N_DRAWS, -np.inf), np.zeros(N_DRAWS), np.zeros(N_DRAWS)
    for outcomes in tried:
        is_right = np.asarray(outcomes, dtype=float)
        scores = is_right @ part
        gains = is_right @ moved - np.outer(scores, moved.sum(axis=0))
        own = smooth(scores[:, None] + gains)
        top, at = own.max(axis=0), own.argmax(axis=0)
        is_better = top > best
        gained = np.where(is_better, np.take_along_axis(gains, at[None], axis=0)[0], gained)
        score, best = np.where(is_better, scores[at], score), np.maximum(best, top)
    return Luck(max(0.0, float(gained.mean())), float(score.var()))


def share_error(
    is_right: np.ndarray, weight: np.ndarray, cluster: np.ndarray, varies: np.ndarray | float = 1.0
) -> float:
    """Standard error of a share of right answers, whose clusters are independent; arguments as above.

    Two clusters that are right and two that are wrong are added first, as Agresti and Coull do (The American
    Statistician 52, 1998): where all of a few rows are right, not all of the next ones need be.
    """
    size = np.bincount(cluster, weights=weight * varies)
    added = float((size**2).sum() / weight.sum())
    total = weight.sum() + 4.0 * added
    share = (float(np.dot(weight, is_right)) + 2.0 * added) / total
    squares = (np.bincount(cluster, weights=weight * varies * (is_right - share)) ** 2).sum()
    squares += 2.0 * added**2 * (share**2 + (1.0 - share) ** 2)
    return float(np.sqrt(squares) / total)


def error_of_rows(share: float, n_rows: float) -> float:
    """The same of a share of so many rows that are independent."""
    centre = (share * n_rows + 2.0) / (n_rows + 4.0)
    return float(np.sqrt(centre * (1.0 - centre) / (n_rows + 4.0)))
