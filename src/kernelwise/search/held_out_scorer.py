"""Scores of held-out decision values of distinct rows, each with its weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise.search.scoring import PathScorer


class HeldOutScorer:
    """Scores the decision values of one fold along a path of C.

    Whole-number weights are repeated rows for a scorer that takes no weights; others it cannot see, and says
    so in a warning.

    Parameters
    ----------
    path_scorer : PathScorer
    classes : ndarray of shape (n_classes,)
    samples : array or CSR matrix of shape (n_rows, n_features)
        As the user passed them.
    index : ndarray of shape (n_rows,)
        Class index of each row.
    weight : ndarray of shape (n_rows,)
    """

    def __init__(
        self,
        path_scorer: PathScorer,
        classes: np.ndarray,
        samples: Any,
        index: np.ndarray,
        weight: np.ndarray,
    ) -> None:
        self.path_scorer = path_scorer
        self.classes = classes
        self.samples = samples
        self.y = classes[index]
        self.repeats = bool((weight == np.floor(weight)).all()) and not path_scorer.takes_weights("score")
        is_weighted = not (weight == 1.0).all() and not self.repeats
        self.weighted = path_scorer.weighted() if is_weighted else set()

    def __call__(self, decision: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Scores of shape (n_Cs,).

        Parameters
        ----------
        decision : ndarray of shape (n_Cs, n_test) or (n_Cs, n_test, n_machines)
        rows : ndarray of shape (n_test,)
        weight : ndarray of shape (n_test,)
        """
        if self.repeats:
            copies = weight.astype(int)
            decision, rows = np.repeat(decision, copies, axis=1), np.repeat(rows, copies)
        scores = self.path_scorer(
            decision,
            self.classes,
            lambda: safe_indexing(self.samples, rows),
            self.y[rows],
            dict.fromkeys(self.weighted, weight),
        )
        return scores["score"]
