"""Scores of held-out decision values, by any scikit-learn scorer that needs no more than them.

The same scorer serves classes and numbers: what is shown to scikit-learn in the stead of a trained machine is
an argument (`ClassAnswers`, `NumberAnswers`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import cache
from inspect import signature
from traceback import format_exc
from typing import Any, Protocol

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring, get_scorer_names

from kernelwise._core.sklearn_compat import safe_indexing, stacklevel_of_user
from kernelwise._core.typing import MatrixLike
from kernelwise.exceptions import IncompatibleError
from kernelwise.multiclass import labels_at
from kernelwise.search.scoring.held_out_answers import ClassAnswers
from kernelwise.search.scoring.scores import NUMBER_PREFIXES, FoldAnswers, PositiveScore, Scoring


class Scorer(Protocol):
    """Scores of held-out decision values; ``is_share`` if they are shares of correctly labelled samples."""

    is_share: bool

    def __call__(self, decision: np.ndarray, rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
        """Scores of shape (n_Cs,) of decision values of shape (n_Cs, n_test[, n_machines])."""


def one_scorer(estimator: Any, scoring: Scoring, owner: str) -> Any:
    """The scorer that a name stands for, or a callable; scores of the other kind of target are refused."""
    if isinstance(scoring, str):
        if scoring not in get_scorer_names():
            close = ", ".join(map(repr, get_close_matches(scoring, get_scorer_names(), cutoff=0.5)))
            meant = f"Did you mean {close}?" if close else "sklearn.metrics.get_scorer_names() lists them."
            raise ValueError(
                f"'scoring' of {owner} is {scoring!r}, which is not a score of scikit-learn. {meant}"
            )
        learns_classes = is_classifier(estimator)
        if scoring.startswith(NUMBER_PREFIXES) == learns_classes:
            kinds = ("numbers", "classes") if learns_classes else ("classes", "numbers")
            raise ValueError(
                f"'scoring' of {owner} is {scoring!r}, a score of {kinds[0]}, and {owner} learns {kinds[1]}. "
                f"Use a score such as {'r2' if kinds[1] == 'numbers' else 'accuracy'!r}."
            )
    return check_scoring(estimator, scoring)


def make_scorers(estimator: Any, scoring: Scoring, owner: str) -> Any:
    """Return one scorer, or a dict of scorers for a list, tuple, set or dict of them."""
    if scoring is None or isinstance(scoring, str) or callable(scoring):
        return one_scorer(estimator, scoring, owner)
    if not isinstance(scoring, list | tuple | set | dict):
        raise ValueError(f"'scoring' of {owner} must be a name, a function or a list, got {scoring!r}.")
    named = scoring if isinstance(scoring, dict) else {name: name for name in scoring}
    if not named or len(named) != len(scoring) or not all(isinstance(name, str) for name in named):
        raise ValueError(
            f"'scoring' of {owner} must be a name, a function, a list of different names or a dict, "
            f"got {scoring!r}."
        )
    return {name: one_scorer(estimator, value, owner) for name, value in named.items()}


class PathScorer:
    """Scores the decision values of one fold along a path of C.

    The scorers are as from `make_scorers`, ``scoring`` is what they were made from, and ``answers``
    (`ClassAnswers` or `NumberAnswers`) what they see.
    """

    def __init__(self, scorers: Any, scoring: Scoring, answers: Any, error_score: Any = "raise") -> None:
        several = isinstance(scorers, dict)
        self.scorers = scorers if several else {"score": scorers}
        named = scoring if isinstance(scoring, dict) else {name: name for name in self.scorers}
        self.origin = named if several else {"score": scoring}
        self.answers = answers
        self.error_score = error_score

    def takes_weights(self, name: str) -> bool:
        """Whether a scorer takes sample weights."""
        function: Any = getattr(self.scorers[name], "_score_func", self.scorers[name])
        return self.origin[name] is None or "sample_weight" in signature(function).parameters

    def weighted(self) -> set[str]:
        """Names of the scorers that take sample weights, with a warning for each that does not."""
        taken = set()
        for name, scorer in self.scorers.items():
            if self.takes_weights(name):
                taken.add(name)
            else:
                warnings.warn(
                    f"The scoring {name}={scorer} does not support sample_weight, so its scores are "
                    "unweighted, although the models are weighted.",
                    stacklevel=stacklevel_of_user(),
                )
        return taken

    def __call__(
        self,
        decision: np.ndarray | None,
        classes: np.ndarray,
        samples: Callable[[], Any],
        y: np.ndarray,
        weights: dict[str, np.ndarray],
        metadata: dict[str, dict[str, Any]] | None = None,
        *,
        is_index: bool = False,
        index: np.ndarray | None = None,
    ) -> dict[str, np.ndarray]:
        """Scores of shape (n_Cs,) by name of the metric.

        Decision values are as from `svm_path`, of shape (n_Cs, n_test) or (n_Cs, n_test, n_machines);
        ``samples`` returns the test part as the user passed it, for the scorers that need a machine;
        ``weights``, of shape (n_test,), and ``metadata``, other arguments, are by name of the scorer. With
        ``is_index``, y has class indices: they become labels where a scorer asks for a machine. Instead of
        decision values, the class indices of the answers, ``index`` of shape (n_Cs, n_test), are enough for
        scorers that look at labels alone.
        """
        known, make_labels = classes, cache(lambda: self.answers.labels(decision, classes))
        if is_index:
            known = np.arange(len(classes))
            make_labels = cache(
                lambda: self.answers.indices(decision, len(classes)) if index is None else index
            )
        results: dict[str, np.ndarray] = {}
        for name in self.scorers:
            weight, more = weights.get(name), (metadata or {}).get(name, {})
            held = FoldAnswers(make_labels, decision, y, known, weight)
            scores = None if more else self.answers.fast(self.origin[name], held)
            if scores is not None:
                results[name] = scores
            else:
                more = more if weight is None else {"sample_weight": weight, **more}
                shown = self._with_labels(held, classes) if is_index else held
                results |= self._one_by_one(name, shown, samples(), more)
        return results

    def _with_labels(self, held: FoldAnswers, classes: np.ndarray) -> FoldAnswers:
        """The same answers with labels in place of class indices; numbers stay as they are."""
        if not classes.size:
            return held
        answers = self.answers
        make_labels = cache(lambda: labels_at(held.labels, classes, answers.strategy, answers.reject_label))
        return FoldAnswers(make_labels, held.decision, classes[held.y], classes, held.weight)

    def _one_by_one(
        self,
        name: str,
        held: FoldAnswers,
        X: MatrixLike,
        params: dict[str, Any],
    ) -> dict[str, np.ndarray]:
        """Call the scorer for each C, unless what it looked at last time is still the same."""
        rows: list[dict[str, float]] = []
        decision, truth = held.decision, self.answers.truth(held.y)
        seen = held.labels if decision is None else decision
        for c in range(len(seen)):
            if c > 0 and np.array_equal(seen[c], seen[c - 1]):
                rows.append(rows[-1])
                continue
            values = None if decision is None else decision[c]
            machine = self.answers.machine(X, held.classes, lambda c=c: held.labels[c], values)
            rows.append(self._score(name, machine, truth, params))
            seen = decision if machine.gave_decision else held.labels
        metrics = dict.fromkeys(metric for row in rows for metric in row)
        return {metric: np.array([row.get(metric, self.error_score) for row in rows]) for metric in metrics}

    def _score(self, name: str, machine: Any, y: np.ndarray, params: dict[str, Any]) -> dict[str, float]:
        try:
            value = self.scorers[name](machine, machine.X, y, **params)
        except IncompatibleError:
            raise
        except AttributeError as error:
            raise IncompatibleError(
                f"scoring={self.origin[name]!r} needs more than {self.answers.known}, which is all that the "
                f"search keeps of a model. Use {self.answers.usable}."
            ) from error
        except Exception as error:
            if self.error_score == "raise" and not isinstance(self.origin[name], str):
                raise  # of the user's own function
            if self.error_score == "raise":
                raise ValueError(
                    f"'scoring' cannot be {self.origin[name]!r} for these labels or targets: {error}"
                ) from error
            warnings.warn(
                "Scoring failed. The score on this train-test partition for these parameters will be set to "
                f"{self.error_score}. Details: \n{format_exc()}",
                stacklevel=stacklevel_of_user(),
            )
            return {name: self.error_score}
        values = value if isinstance(value, dict) else {name: value}
        for metric, number in values.items():
            if np.ndim(number) > 0 or np.asarray(number).dtype.kind not in "biuf":
                raise ValueError(f"The scorer {metric!r} must return a number, got {number!r}.")
        return {metric: float(number) for metric, number in values.items()}


class HeldOutScorer:
    """Scores the decision values of one fold along a path of C; see `path_scorer.Scorer`.

    Whole-number weights are repeated rows for a scorer that takes no weights; others it cannot see, and a
    warning says so. ``X`` are the rows as the user passed them, ``y`` their class indices or standardised
    targets; ``classes`` is empty for a regression.
    """

    def __init__(
        self,
        path_scorer: PathScorer,
        X: MatrixLike,
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

    @property
    def is_by_name(self) -> bool:
        """Whether it is a score of scikit-learn, for which any rows will do, and no function of a user."""
        return isinstance(self.path_scorer.origin["score"], str | PositiveScore) and not self.others

    def route(self, metadata: dict[str, np.ndarray], others: dict[str, Any], unit: np.ndarray) -> None:
        """Score samples one by one, with arguments that scikit-learn routes: those of rows, and others.

        ``unit``, of shape (n_rows,), is the weight of one sample: a row of twice that weight is two samples.
        """
        self.metadata, self.others, self.unit = metadata, others, unit
        self.repeats, self.weighted = True, set()

    def shares(
        self,
        decision: np.ndarray | None,
        rows: np.ndarray,
        places: Sequence[np.ndarray],
        index: np.ndarray | None = None,
    ) -> np.ndarray | None:
        """Shares of correct labels, (n_Cs, n_folds), of all folds at once; None where rows have weights.

        None, too, for any other score. ``places`` has, fold by fold, the columns of the decision values, and
        ``index``, (n_Cs, n_held_out), their class indices by `decide_index`, if they are known; without
        decision values, those of any rule.
        """
        is_plain = self.is_share and not (self.repeats or self.weighted or self.metadata or self.others)
        if not is_plain or type(self.path_scorer.answers) is not ClassAnswers:
            return None
        order, sizes = np.concatenate(places), np.array([len(place) for place in places])
        if not sizes.all():
            return None
        answers = self.path_scorer.answers
        if index is not None and (decision is None or answers.goes_by_index):
            labels = index[:, order]
        else:
            assert decision is not None
            labels = answers.indices(decision[:, order], len(self.classes))
        is_right = labels == self.y[rows[order]]
        starts = np.cumsum(sizes) - sizes
        return np.add.reduceat(is_right, starts, axis=1, dtype=np.int64) / sizes

    def __call__(
        self,
        decision: np.ndarray | None,
        rows: np.ndarray,
        weight: np.ndarray,
        index: np.ndarray | None = None,
    ) -> np.ndarray:
        """Scores of shape (n_Cs,) of decision values of shape (n_Cs, n_test[, n_machines]).

        A scorer that goes by labels needs no more than class indices, ``index`` of shape (n_Cs, n_test).
        """
        if self.repeats:
            copies = (
                np.rint(weight / self.unit[rows]).astype(int) if self.unit is not None else weight.astype(int)
            )
            decision, index = (
                None if one is None else np.repeat(one, copies, axis=1) for one in (decision, index)
            )
            rows = np.repeat(rows, copies)
        scores = self.path_scorer(
            decision,
            self.classes,
            lambda: safe_indexing(self.X, rows),
            self.y[rows],
            dict.fromkeys(self.weighted, weight),
            {"score": {**{name: values[rows] for name, values in self.metadata.items()}, **self.others}},
            is_index=True,
            index=index,
        )
        if "score" not in scores:
            raise ValueError(
                f"'scoring' must return one number, got a dict of {', '.join(map(repr, scores))}."
            )
        return scores["score"]
