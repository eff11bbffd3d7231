"""Scores by name: which a search can go by, which is a share of samples, and short cuts along a path of C."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import get_scorer, make_scorer
from sklearn.utils import check_consistent_length, column_or_1d

from kernelwise._core.labels import weights_of_samples
from kernelwise._core.threads import cached_property
from kernelwise._core.typing import ArrayLike

#: What a user passes as ``scoring``: a name, a function, several of them, or None for the default score.
Scoring = str | Callable[..., Any] | Collection[str] | dict[str, Any] | None

#: How scikit-learn's scores for regressions begin.
NUMBER_PREFIXES = ("r2", "explained_", "neg_mean_", "neg_median_", "neg_root_", "neg_max_", "d2_absolute_")


@dataclass(frozen=True, eq=False)
class FoldAnswers:
    """What one fold answers along a path of C: labels of shape (n_Cs, n_test), and decision values.

    These have a last axis of n_machines for more than two classes; ``classes`` are those of the training
    part. Labels, ``y`` and ``classes`` may all be class indices. Labels are made when a score asks for them:
    those of probabilities take longer than such a score. There are no decision values for a score that goes
    by labels and was given these.
    """

    make_labels: Callable[[], np.ndarray]
    decision: Any
    y: np.ndarray
    classes: np.ndarray
    weight: np.ndarray | None

    @cached_property
    def labels(self) -> np.ndarray:
        """The labels, made once."""
        return self.make_labels()

    @property
    def has_all_classes(self) -> bool:
        """Whether the test part has every class."""
        return np.array_equal(np.unique(self.y), self.classes)


class Score(NamedTuple):
    """A score with a short cut: a scorer takes longer than the machine it scores.

    ``fast`` makes scores of shape (n_Cs,) of `FoldAnswers`, or None where the short cut does not hold;
    ``is_share`` says whether the score is the share of samples that are labelled correctly.
    """

    fast: Callable[[FoldAnswers], np.ndarray | None]
    is_share: bool = False


def _accuracy(held: FoldAnswers) -> np.ndarray:
    return np.average(held.labels == held.y, axis=1, weights=held.weight)


def _balanced_accuracy(held: FoldAnswers) -> np.ndarray | None:
    if held.weight is not None or not held.has_all_classes:
        return None
    return np.mean([(held.labels[:, held.y == k] == k).mean(axis=1) for k in held.classes], axis=0)


def _roc_auc(held: FoldAnswers) -> np.ndarray | None:
    if held.weight is not None or held.decision.ndim != 2 or not held.has_all_classes:
        return None
    # Mann and Whitney: the sum of the positives' ranks, less the least it can be, over the pairs.
    positive = held.y == held.classes[1]
    n_positive, n_negative = np.count_nonzero(positive), np.count_nonzero(~positive)
    ranks = rankdata(held.decision, axis=1)[:, positive].sum(axis=1)
    return (ranks - n_positive * (n_positive + 1) / 2) / (n_positive * n_negative)


SCORES = {
    "accuracy": Score(_accuracy, is_share=True),
    "balanced_accuracy": Score(_balanced_accuracy),
    "roc_auc": Score(_roc_auc),
}


def _log_loss(p: np.ndarray, truth: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    of_truth = np.maximum(p[:, np.arange(len(truth)), truth], np.finfo(float).eps)
    return np.average(np.log(of_truth), axis=1, weights=weight)


def _brier(p: np.ndarray, truth: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    squares = ((p - np.eye(p.shape[2])[truth]) ** 2).sum(axis=2)
    # Both classes of two have the same error, and scikit-learn counts that of one.
    return -np.average(squares, axis=1, weights=weight) / (2.0 if p.shape[2] == 2 else 1.0)


#: Scores of probabilities, (n_Cs, n_test, n_classes), and class indices, (n_test,); larger is better. They
#: are defined on a fold without one of the classes, too, where scikit-learn's raise.
PROBABILITY_SCORES = {"neg_log_loss": _log_loss, "neg_brier_score": _brier}


def probability_score(model: Any, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> float | None:
    """The score of rows X with labels y by a fitted model, if it goes by one of `PROBABILITY_SCORES`.

    The rows need not have all classes, of which scikit-learn's scorers are not told.
    """
    if not isinstance(model.steering_, str) or model.steering_ not in PROBABILITY_SCORES:
        return None
    truth: np.ndarray = column_or_1d(y)
    check_consistent_length(X, truth)
    weight = None if sample_weight is None else weights_of_samples(sample_weight, len(truth))
    p, classes = model.predict_proba(X), model.classes_
    is_known = np.isin(truth, classes)
    if not is_known.all():
        strange = truth[~is_known][0]
        raise ValueError(f"y has the label {_shown(strange)}, of which the model knows no probability.")
    return float(PROBABILITY_SCORES[model.steering_](p[None], np.searchsorted(classes, truth), weight)[0])


def score_of(scoring: Scoring) -> Score | None:
    """The entry of `SCORES` that a ``scoring`` of classes stands for; None is accuracy."""
    if scoring is None:
        return SCORES["accuracy"]
    return SCORES.get(scoring) if isinstance(scoring, str) else None


def is_share(scoring: Scoring) -> bool:
    """Whether a ``scoring`` of classes is the share of samples that are labelled correctly."""
    score = score_of(scoring)
    return score is not None and score.is_share


def is_of_numbers(name: str) -> bool:
    """Whether scikit-learn's score of that name is for a regression."""
    return name.startswith(NUMBER_PREFIXES)


def score_unit(scoring: Scoring, deviation: float) -> float:
    """What a score of numbers is measured in: the deviation of y, its square, or 1 if no unit of y counts."""
    if not isinstance(scoring, str) or "error" not in scoring:
        return 1.0
    if "percentage" in scoring or "log" in scoring:
        return 1.0
    return deviation**2 if scoring == "neg_mean_squared_error" else deviation


#: Scores of one class of two, the positive one: 1, unless somebody names it.
OF_ONE_CLASS = ("f1", "precision", "recall", "jaccard", "average_precision")
OF_MANY = (
    *("accuracy", "balanced_accuracy", "f1_macro", "f1_weighted", "precision_macro", "recall_macro"),
    *("jaccard_macro", "matthews_corrcoef"),
)
OF_TWO = (*OF_MANY, "roc_auc", *OF_ONE_CLASS)
OF_NUMBERS = (
    *("r2", "explained_variance", "neg_mean_squared_error", "neg_root_mean_squared_error"),
    *("neg_mean_absolute_error", "neg_median_absolute_error", "neg_max_error"),
)
#: Scores that are computed from probabilities.
OF_PROBABILITIES = (
    *("neg_log_loss", "neg_brier_score", "d2_log_loss_score", "d2_brier_score"),
    *("roc_auc_ovr", "roc_auc_ovo", "roc_auc_ovr_weighted", "roc_auc_ovo_weighted"),
)


class ScoreProblem(NamedTuple):
    """Why a score cannot be used, to stand after its name; whether naming a class helps; and other names."""

    why: str
    needs_positive: bool
    others: Sequence[str]


def score_problem(name: object, classes: Sequence[Any]) -> ScoreProblem | None:
    """What keeps a search with these classes from a score of that name; None if nothing is known to."""
    if not isinstance(name, str):
        return None
    if len(classes) > 2 and name in ("roc_auc", *OF_ONE_CLASS):
        others = (*OF_MANY, "roc_auc_ovr", "neg_log_loss")
        return ScoreProblem(f"works for two classes, but the target has {len(classes)}", False, others)
    if name in OF_ONE_CLASS and 1 not in classes:
        first, second = classes
        why = f"measures one of two classes, but it is not set which one: {_shown(first)} or {_shown(second)}"
        return ScoreProblem(why, True, ("f1_macro", "balanced_accuracy"))
    return None


def _shown(label: Any) -> str:
    """A label as it is written in Python."""
    return repr(label.item() if hasattr(label, "item") else label)


def check_score(scoring: Scoring, classes: Sequence[Any], owner: str) -> None:
    """Raise if a search with these classes cannot go by that score."""
    problem = score_problem(scoring, classes)
    if problem is None:
        return
    advice = f"Use {', '.join(map(repr, problem.others))}."
    if problem.needs_positive:
        plain = get_scorer(scoring)
        needs = "" if plain._response_method == "predict" else ", response_method='decision_function'"
        named = f"make_scorer({plain._score_func.__name__}, pos_label={_shown(classes[-1])}{needs})"
        advice = f"Pass sklearn.metrics.{named}, or use 'f1_macro'."
    raise ValueError(f"scoring={scoring!r} of {owner} {problem.why}. {advice}")


#: What a scorer is shown of held-out rows: decision values, log odds, or both.
DECISIONS, ODDS, BOTH = "decisions", "odds", "both"


def shown_to(scorer: object) -> str:
    """What a scorer of scikit-learn asks for; both for a user's own function, which may ask for any."""
    if isinstance(scorer, PositiveScore):
        return DECISIONS
    method = getattr(scorer, "_response_method", None)
    if method is None:
        # The scorer that `check_scoring` makes of None calls the estimator's own score: accuracy.
        return DECISIONS if type(scorer).__module__.startswith("sklearn.") else BOTH
    # A tuple lists what it takes in the order of its preference; decision values are enough for it.
    return ODDS if method == "predict_proba" else DECISIONS


def goes_by_labels(scorer: object) -> bool | None:
    """Whether a scorer looks at labels alone; None for a user's own function, of which nobody knows."""
    if isinstance(scorer, PositiveScore):
        scorer = get_scorer(scorer.name)
    if shown_to(scorer) == BOTH:
        return None
    return getattr(scorer, "_response_method", "predict") == "predict"


@dataclass(frozen=True)
class PositiveScore:
    """A score of one class of two, and which class that is.

    Parameters
    ----------
    name : str
        One of `OF_ONE_CLASS`.
    positive : object
        The class.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_breast_cancer
    >>> from kernelwise import TunedSVC
    >>> from kernelwise.search.scoring.scores import PositiveScore
    >>> data = load_breast_cancer()
    >>> y = np.where(data.target == 0, "ill", "well")
    >>> TunedSVC(scoring=PositiveScore("recall", "ill")).fit(data.data, y).best_score_ > 0.9
    True
    """

    name: str
    positive: Any

    @property
    def __name__(self) -> str:
        return f"{self.name} of {str(self.positive)!r}"

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The score of an estimator on samples."""
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        return float(_scorer(self.name, self.positive)(estimator, X, y, **weight))


def _scorer(name: str, positive: Any) -> Any:
    plain = get_scorer(name)
    settings = {**plain._kwargs, "pos_label": positive}
    return make_scorer(plain._score_func, response_method=plain._response_method, **settings)
