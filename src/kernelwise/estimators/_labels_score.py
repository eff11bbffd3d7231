"""The search scores labels by decision values; `predict` gives the most likely class: do the scores agree?"""

from __future__ import annotations

import warnings

import numpy as np

from kernelwise.estimators.fit_record import FitRecord
from kernelwise.findings import Finding
from kernelwise.multiclass import STRATEGIES
from kernelwise.search.baseline import decision_for_classes
from kernelwise.search.cross_fitted import cross_fitted_odds
from kernelwise.search.cross_validate import CrossValidator
from kernelwise.search.families import Classification
from kernelwise.search.result import Choice
from kernelwise.solvers.probability import most_likely


def labels_findings(
    judge: CrossValidator, choice: Choice, record: FitRecord | None, score: float, error: float
) -> list[Finding]:
    """A warning if the labels that `predict` gives score less than the search says, by a standard error.

    Nothing is computed where both rules label every held-out row alike.
    """
    if record is None or not record.n_relabelled:
        return []
    found = score_of_labels(judge, choice)
    if found is None or score - found <= float(np.nan_to_num(error)):
        return []
    message = (
        f"The labels that the model gives score {found:.4g}, not {score:.4g}: the model answers the most "
        "likely class, and the search labelled rows by the signs of their decision values."
    )
    advice = (
        "Expect the lower score. Use predict_by='decision' for labels by decision values, "
        "class_weight='balanced' for rare classes"
    )
    option = "Expect the lower score. Use --class-weight balanced for rare classes"
    if len(np.unique(record.truth)) == 2:  # of more there is no such score
        advice += ", or a score that ranks rows, such as scoring='roc_auc'"
        option += ", or a score that ranks rows, such as --scoring roc_auc"
    advice, option = f"{advice}.", f"{option}."
    return [Finding("labels by probability", "warning", message, advice, option)]


def score_of_labels(judge: CrossValidator, choice: Choice) -> float | None:
    """The search's score of the most likely classes; None for a score that looks at more than labels.

    The sigmoids of every fold come from the other folds: a sigmoid must not have seen the rows it labels.
    None, too, if the other folds hold out no row of a class: without one there is no sigmoid.
    """
    family, held, decision = judge.family, judge.held_out, choice.decision.astype(float)
    assert isinstance(family, Classification)
    if np.isnan(decision).any():
        return None
    n_classes, strategy = len(family.classes), STRATEGIES[family.multiclass]
    folds = judge.fold_rows
    others = [~np.isin(folds.asked, folds.asked[test]) for test in judge.places]
    if any(len(np.unique(held.y[other])) < n_classes for other in others):
        return None
    odds = cross_fitted_odds(decision[None], held, folds.fold, n_classes, strategy.machines, folds.asked)[0]
    by_probability = most_likely(odds, n_classes, family.multiclass)
    by_decision = strategy.decide(decision[:, 0] if n_classes == 2 else decision, n_classes)
    if not np.isclose(_score(judge, by_decision), choice.scored.scores[choice.index].mean()):
        return None
    return _score(judge, by_probability)


def _score(judge: CrossValidator, labels: np.ndarray) -> float:
    """The mean over the folds of the score of labels, (n_held_out,), as models that are sure of them."""
    family = judge.family
    assert isinstance(family, Classification)
    sure = decision_for_classes(len(family.classes), STRATEGIES[family.multiclass].machines)
    decision = np.concatenate([sure, np.zeros_like(sure[:1])])[labels]  # the last, −1, is rejected
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # precision and the like warn of a class that is never predicted
        return float(judge.scores_of(family.as_shown(decision[None], decision[None])).mean())
