"""What a wrong answer costs: a classifier then gives the answer of least expected cost."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import get_scorer, get_scorer_names

from kernelwise._core.validation import check_number

#: ``threshold`` that is chosen by the score.
AUTO = "auto"
#: Costs of wrong answers are at most so many times each other: probabilities are known to about 1e-16.
MOST_APART = 1e12


def check_answers(model: Any, rejects: bool) -> None:
    """Raise if ``threshold`` or ``costs`` of a classifier contradict its other parameters."""
    owner = type(model).__name__
    given = [name for name in ("threshold", "costs") if getattr(model, name) is not None]
    if not given:
        return
    if len(given) == 2:
        raise ValueError(
            f"{owner} has both a threshold and costs, but each decides which class is predicted. Set only "
            "one of them."
        )
    if model.predict_by != "probability":
        raise ValueError(
            f"{given[0]!r} of {owner} needs probabilities, but predict_by={model.predict_by!r}. Use "
            "predict_by='probability'."
        )
    if rejects:
        raise ValueError(
            f"{given[0]!r} of {owner} predicts a class for every row, but multiclass={model.multiclass!r} "
            "rejects some. Use multiclass='ovo'."
        )


def check_threshold(threshold: Any, classes: np.ndarray, owner: str) -> None:
    """Raise unless a threshold is None, "auto", or between 0 and 1, for two classes."""
    if threshold is None:
        return
    if len(classes) != 2:
        raise ValueError(
            f"'threshold' of {owner} works for two classes, but the target has {len(classes)}. Use 'costs'."
        )
    if isinstance(threshold, str) and threshold == AUTO:
        return
    if isinstance(threshold, str):
        raise ValueError(f"'threshold' of {owner} must be None, 'auto' or a number, got {threshold!r}.")
    check_number(threshold, "threshold", owner)
    if not 0.0 < threshold < 1.0:
        raise ValueError(f"'threshold' of {owner} must be between 0 and 1, got {threshold!r}.")


def check_threshold_score(threshold: Any, scoring: Any, owner: str) -> None:
    """Raise if a threshold is to be chosen by a score that does not look at labels."""
    is_known = isinstance(scoring, str) and scoring in get_scorer_names()
    scorer = get_scorer(scoring) if is_known else scoring
    method = getattr(scorer, "_response_method", "predict")
    if isinstance(threshold, str) and method != "predict":
        raise ValueError(
            f"threshold='auto' of {owner} needs a score of labels, such as 'f1_macro', but "
            f"scoring={scoring!r} measures probabilities or ranks. Use another score, or threshold=None."
        )


def cost_matrix(costs: Any, classes: np.ndarray, owner: str) -> np.ndarray:
    """Costs of shape (n_classes, n_classes): row i is the true class, column j the answer.

    ``costs`` is such a matrix, or a dict from a class to the cost of any wrong answer to its rows; a class
    that is not in it has the cost 1.
    """
    n_classes = len(classes)
    if isinstance(costs, dict):
        names = classes.tolist()
        unknown = [name for name in costs if name not in names]
        if unknown:
            raise ValueError(f"'costs' of {owner} names {unknown[0]!r}, which is not a class of the target.")
        row = np.array([_number(costs.get(name, 1.0), owner) for name in names])
        matrix = np.repeat(row[:, None], n_classes, axis=1)
        np.fill_diagonal(matrix, 0.0)
    else:
        try:
            matrix = np.array(costs, dtype=float)
        except (TypeError, ValueError) as error:
            raise ValueError(f"'costs' of {owner} must be numbers, got {costs!r}.") from error
    if matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"'costs' of {owner} must have a row and a column for each of {n_classes} classes, got the shape "
            f"{matrix.shape}."
        )
    wrong = matrix[~np.eye(n_classes, dtype=bool)]
    if np.diag(matrix).any() or not (np.isfinite(matrix).all() and (wrong > 0.0).all()):
        raise ValueError(
            f"'costs' of {owner} must be zero for right answers and positive for wrong ones, got {costs!r}."
        )
    if wrong.max() / MOST_APART > wrong.min():
        raise ValueError(
            f"'costs' of {owner} has values from {wrong.min():.3g} to {wrong.max():.3g}, which differ too "
            f"much for probabilities: the largest must be at most {MOST_APART:g} times the smallest."
        )
    return matrix


def _number(value: Any, owner: str) -> float:
    check_number(value, "costs", owner)
    return float(value)
