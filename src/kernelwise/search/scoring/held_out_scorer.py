"""Scores of held-out decision values of distinct rows, each with its weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from kernelwise._core.sklearn_compat import safe_indexing
from kernelwise.search.scoring.held_out_answers import ClassAnswers
from kernelwise.search.scoring.path_scorer import PathScorer


class HeldOutScorer:
    """Scores the decision values of one fold along a path of C; see `path_scorer.Scorer`.

    Whole-number weights are repeated rows for a scorer that takes no weights; others it cannot see, and a
    warning says so. ``X`` are the rows as the user passed them, ``y`` their labels or standardised targets;
    ``classes`` is empty for a regression.
    """

    def __init__(
        self,
        path_scorer: PathScorer,
        X: Any,
        y: np.ndarray,
        weight: np.ndarray,
        classes: np.ndarray,
        is_share: bool,
    ) -> None:
        self.path_scorer, self.X, self.y = path_scorer, X, y
        self.classes, self.is_share = classes, is_share
        self.repeats = bool((weight == np.floor(weight)).all()) and not path_scorer.takes_weights("score")
        is_weighted = not (weight == 1.0).all() and not self.repeats
        self.weighted = path_scorer.weighted() if is_weighted else set()
        self.metadata: dict[str, np.ndarray] = {}
        self.others: dict[str, Any] = {}
        self.unit: np.ndarray | None = None

    @property
    def scorer(self) -> Any:
        """The scorer of scikit-learn, or of the user, that is behind it."""
        return self.path_scorer.scorers["score"]

    def route(self, metadata: dict[str, np.ndarray], others: dict[str, Any], unit: np.ndarray) -> None:
        """Score samples one by one, with arguments that scikit-learn routes: those of rows, and others.

        ``unit``, of shape (n_rows,), is the weight of one sample: a row of twice that weight is two samples.
        """
        self.metadata, self.others, self.unit = metadata, others, unit
        self.repeats, self.weighted = True, set()

    def shares(
        self,
        decision: np.ndarray,
        rows: np.ndarray,
        places: list[np.ndarray],
        index: np.ndarray | None = None,
    ) -> np.ndarray | None:
        """Shares of correct labels, (n_Cs, n_folds), of all folds at once; None where rows have weights.

        None, too, for any other score. ``places`` has, fold by fold, the columns of the decision values, and
        ``index``, (n_Cs, n_held_out), their class indices by `decide_index`, if they are known.
        """
        is_plain = self.is_share and not (self.repeats or self.weighted or self.metadata or self.others)
        if not is_plain or type(self.path_scorer.answers) is not ClassAnswers:
            return None
        order, sizes = np.concatenate(places), np.array([len(place) for place in places])
        if not sizes.all():
            return None
        answers = self.path_scorer.answers
        if index is not None and answers.goes_by_index:
            labels = self.classes[index[:, order]]
        else:
            labels = answers.labels(decision[:, order], self.classes)
        is_right = labels == self.y[rows[order]]
        starts = np.cumsum(sizes) - sizes
        return np.add.reduceat(is_right, starts, axis=1, dtype=np.int64) / sizes

    def __call__(self, decision: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Scores of shape (n_Cs,) of decision values of shape (n_Cs, n_test[, n_machines])."""
        if self.repeats:
            copies = (
                np.rint(weight / self.unit[rows]).astype(int) if self.unit is not None else weight.astype(int)
            )
            decision, rows = np.repeat(decision, copies, axis=1), np.repeat(rows, copies)
        scores = self.path_scorer(
            decision,
            self.classes,
            lambda: safe_indexing(self.X, rows),
            self.y[rows],
            dict.fromkeys(self.weighted, weight),
            {"score": {**{name: values[rows] for name, values in self.metadata.items()}, **self.others}},
        )
        if "score" not in scores:
            raise ValueError(
                f"'scoring' must return one number, got a dict of {', '.join(map(repr, scores))}."
            )
        return scores["score"]
