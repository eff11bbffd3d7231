"""Which of scikit-learn's scores a search can go by, for which targets, and why not by the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sklearn.metrics import get_scorer, make_scorer

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


def score_problem(name: Any, classes: Sequence[Any]) -> ScoreProblem | None:
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


def check_score(scoring: Any, classes: Sequence[Any], owner: str) -> None:
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


def shown_to(scorer: Any) -> str:
    """What a scorer of scikit-learn asks for; both for a user's own function, which may ask for any."""
    if isinstance(scorer, PositiveScore):
        return DECISIONS
    method = getattr(scorer, "_response_method", None)
    if method is None:
        # The scorer that `check_scoring` makes of None calls the estimator's own score: accuracy.
        return DECISIONS if type(scorer).__module__.startswith("sklearn.") else BOTH
    # A tuple lists what it takes in the order of its preference; decision values are enough for it.
    return ODDS if method == "predict_proba" else DECISIONS


def goes_by_labels(scorer: Any) -> bool | None:
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
    >>> from kernelwise.search.scoring.score_names import PositiveScore
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
