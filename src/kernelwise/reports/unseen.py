"""What a model says of rows it has not seen: those held out by cross-validation, and those of a test."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from kernelwise._core.text import count
from kernelwise.reports.errors import predictions
from kernelwise.reports.held_out import class_index, confusion, reliability_of_classes
from kernelwise.reports.roc import roc
from kernelwise.reports.words import class_weight_of, is_share


class Unseen(NamedTuple):
    """Answers to rows of one source, each of shape (n_rows,), as in a `HeldOut`.

    ``note`` is that of `Confusion`.
    """

    source: str
    truth: np.ndarray
    predicted: np.ndarray
    probability: np.ndarray
    weight: np.ndarray
    note: str = ""


def unseen_classes(model: Any, test: tuple[Any, Any] | None) -> dict[str, Any]:
    """Confusion, reliability and, of two classes, ROC curve of held-out and test rows."""
    classes, record, unseen = model.classes_, model.fit_record_, []
    if record is not None:
        held_out = record.truth, record.predicted, record.probability, record.weight
        unseen.append(Unseen("held out", *held_out, _note(model, record)))
    if test is not None:
        unseen.append(_of_test(model, *test))
    factor = np.ones(len(classes)) if record is None else class_factors(model, record.truth, record.weight)
    curves = [reliability_of_classes(s, classes, t, q, p, w, factor) for s, t, q, p, w, _ in unseen]
    rocs = [roc(s, str(classes[1]), t == 1, p, w) for s, t, _, p, w, _ in unseen if len(classes) == 2]
    return {
        "confusions": [confusion(s, classes, t, q, w, n) for s, t, q, _, w, n in unseen],
        "reliabilities": [curve for curve in curves if curve is not None],
        "rocs": [curve for curve in rocs if curve is not None],
    }


def _note(model: Any, record: Any) -> str:
    """Why the held-out answers score otherwise than the report states."""
    if type(model.best_estimator_).__name__.startswith("Nystroem"):
        return (
            "These are predictions of the final model, which is an approximation, for held-out rows. The "
            "score above comes from exact models, on the folds of the search."
        )
    n = getattr(record, "n_relabelled", 0.0)
    if not n or model.result_.score != model.best_score_ or not is_share(model):
        return ""
    # A file of before says how good decision values are. Of others, as many labels are right by both rules.
    right = [record.weight[labels == record.truth].sum() for labels in (record.predicted, record.scored)]
    if right[0] == right[1]:
        return ""
    return (
        "This table has the labels that the model predicts. The score above uses the signs of decision "
        f"values, which give another class for {n:g} of {count(float(record.weight.sum()), 'row')}."
    )


def class_factors(model: Any, truth: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """What a row of each class counts for, shape (n_classes,), in the population that probabilities are of.

    With class weights they are those of a population in which the classes have these weights.
    """
    k = len(model.classes_)
    # Probabilities of earlier versions know no class weights: those of files say so, pickles have no rule.
    is_former = not hasattr(model, "predict_by") or not getattr(model, "_knows_class_weights", True)
    weights = class_weight_of(model)
    if weights is None or is_former:
        return np.ones(k)
    if weights == "balanced":
        return weight.sum() / (k * np.bincount(truth, weights=weight, minlength=k))
    return np.array([float(weights.get(label, 1.0)) for label in model.classes_.tolist()])


def _of_test(model: Any, X: Any, y: Any) -> Unseen:
    truth = class_index(model.classes_, y, "y of the test samples")
    labels, p = model.predict(X), model.predict_proba(X)
    known = np.isin(labels, model.classes_)  # others are rejected
    predicted = np.full(len(labels), -1)
    predicted[known] = class_index(model.classes_, labels[known], "predict")
    shown = np.ones_like(predicted) if len(model.classes_) == 2 else predicted
    return Unseen("test", truth, predicted, p[np.arange(len(p)), shown], np.ones(len(p)))


def unseen_targets(model: Any, test: tuple[Any, Any] | None) -> dict[str, Any]:
    """Predicted against observed targets of held-out and test rows."""
    found, record = [], model.fit_record_
    if record is not None:
        found.append(predictions("held out", record.truth, record.predicted, record.weight))
    if test is not None:
        found.append(predictions("test", np.asarray(test[1], dtype=float), model.predict(test[0])))
    return {"predictions": found}
