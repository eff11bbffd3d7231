"""Scores and names as a report writes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from kernelwise.estimators.tuned import TunedMachine
from kernelwise.search.scoring import scores

#: Names of scores that are not scikit-learn's words with spaces.
SCORE_NAMES = {
    "r2": "R²",
    "d2_pinball_score": "D² of the pinball loss",
    "f1": "F1",
    "roc_auc": "ROC AUC",
    "roc_auc_ovr": "ROC AUC (one against the rest)",
    "roc_auc_ovo": "ROC AUC (pairs of classes)",
    "neg_root_mean_squared_error": "RMSE",
    "neg_mean_absolute_error": "MAE",
}


def score_key(model: TunedMachine) -> str:
    """The score that a model was tuned for, by scikit-learn's name."""
    scoring = model.steering_
    if scoring is None:
        if is_classifier(model):
            return "accuracy"
        return "r2" if quantiles_of(model) == () else "d2_pinball_score"
    return str(scoring if isinstance(scoring, str) else getattr(scoring, "__name__", "score"))


def quantiles_of(model: TunedMachine) -> tuple[float, ...]:
    """The quantiles that a model predicts; none for a classifier or a plain regression."""
    quantile = getattr(model, "quantile", None)  # files of before have none
    return () if quantile is None else tuple(float(q) for q in np.ravel(quantile))


def middle_of(quantiles: tuple[float, ...]) -> int:
    """Index of the quantile next to the middle, which stands for all where one is shown."""
    return int(np.argmin(np.abs(np.array(quantiles) - 0.5)))


def score_name(model: TunedMachine) -> str:
    """The same score for people; of the negative of an error, the error."""
    name = score_key(model)
    return SCORE_NAMES.get(name, name.removeprefix("neg_").replace("_", " "))


def sign_of(model: TunedMachine) -> int:
    """−1 if the score is scikit-learn's negative of an error, else 1."""
    return -1 if isinstance(model.steering_, str) and model.steering_.startswith("neg_") else 1


def is_share(model: TunedMachine) -> bool:
    """Whether scores are shares of rows, shown in per cent."""
    return is_classifier(model) and scores.is_share(model.steering_)


def class_weight_of(model: TunedMachine) -> Any:
    """The class weights of a fitted classifier: those that were chosen, if there was a choice."""
    return getattr(model, "best_class_weight_", model.class_weight)  # files of before have no choice


def unbroken(text: str) -> str:
    """Text in which no line ends inside "C = 16", "97 %" or "± 0.6"."""
    for sign in (" = ", " ± ", " %", "± ", " ×"):
        text = text.replace(sign, sign.replace(" ", "\N{NO-BREAK SPACE}"))
    return text


def shortened(text: object, limit: int = 40) -> str:
    """A name that is not too long for its place."""
    text = str(text)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def sentence(text: str) -> str:
    """The same with a capital at its beginning."""
    return text[:1].upper() + text[1:]
