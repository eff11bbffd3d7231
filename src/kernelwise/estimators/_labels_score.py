"""Score of the labels that `predict` returns, where they differ from those that the search compared."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from kernelwise.estimators.fit_record import FitRecord
from kernelwise.findings import Finding, catalogue
from kernelwise.multiclass import STRATEGIES
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.result import Choice
from kernelwise.search.scoring.probabilities import cross_fitted_odds
from kernelwise.search.scoring.scores import goes_by_labels
from kernelwise.search.verdict.summary import shown_as_sure
from kernelwise.solvers.probability import log_odds

#: Classes are unequal if the rarest has less than this share of the rows of the most frequent one.
UNEQUAL = 0.5
#: Labels that differ matter from this number of rows on, and this share of all rows or of the rarest class.
FEWEST, OF_ALL, OF_RARE = 5.0, 0.05, 0.2


def unseen_odds(
    validator: CrossValidator, decision: np.ndarray, used: np.ndarray, sigmoids: np.ndarray
) -> np.ndarray:
    """Log odds of what is held out, as of the final model, by sigmoids that have not seen the rows.

    The sigmoids of every fold come from the other folds. Where these hold out no row of a class there are
    none, and the final model's ``sigmoids``, (n_machines, 2), stand for them. Decision values and odds have
    the shape (n_held_out, n_machines); ``used``, (n_held_out,), says which of them sigmoids are fitted to.

    The final sigmoids would flatter: a row moves them towards its own label (of 120 rows of two classes that
    overlap, five are right only because of it). Those of the other folds know fewer rows than the final ones:
    where there are many classes of few rows, the score is too low, if anything (400 rows of letter: 64 %,
    where 70 % of new rows are right, and labels by decision values have 68 %).
    """
    family, held, folds = validator.family, validator.held_out, validator.fold_rows
    assert isinstance(family, Classification)
    n_classes, machines = len(family.classes), STRATEGIES[family.multiclass].machines
    others = [used & ~np.isin(folds.asked, folds.asked[test]) for test in validator.places]
    if any(len(np.unique(held.y[other])) < n_classes for other in others):
        return log_odds(decision, sigmoids)
    values = decision.astype(float)[None]
    return cross_fitted_odds(values, held, folds.fold, n_classes, machines, folds.asked, used)[0]


def scores_of_labels(validator: Any, choice: Choice, record: FitRecord) -> np.ndarray | None:
    """Scores of shape (n_folds,) of the labels that `predict` gives; None if there are no others.

    None, too, for a score that looks at more than labels: of a user's own function we know by its score of
    the search's labels.
    """
    if record.scored is None or not record.n_relabelled:
        return None
    by_labels = goes_by_labels(validator.scorer.scorer)
    if by_labels is None:
        by_labels = np.allclose(_scores(validator, record.scored), choice.scored.scores[choice.index])
    return _scores(validator, record.predicted) if by_labels else None


def _scores(validator: CrossValidator, labels: np.ndarray) -> np.ndarray:
    """Scores by fold of labels, (n_tested,), as of models that are sure of them."""
    values = shown_as_sure(validator, labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # precision and the like warn of a class that is never predicted
        return validator.scores_of(values)[0]


def labels_findings(
    score: float,
    searched: float,
    error: float,
    counts: np.ndarray,
    n_changed: float,
    has_class_weights: bool,
) -> list[Finding]:
    """A warning if the labels of `predict` score less than those of the search, and many rows have others.

    The score must be lower by a standard error. ``n_changed`` rows have another label; ``counts``, of shape
    (n_classes,), are the rows of each class.
    """
    if searched - score <= float(np.nan_to_num(error)) or not _is_notable(n_changed, counts):
        return []
    pairs = [] if has_class_weights or not _are_unequal(counts) else [catalogue.WITH_WEIGHTS]
    pairs += [catalogue.BY_RANKING] if len(counts) == 2 else []  # of more there is no such score
    return [
        catalogue.LABELS_BY_PROBABILITY(
            score=score,
            searched=searched,
            n_changed=n_changed,
            n_rows=float(counts.sum()),
            ways=_any_of([catalogue.BY_DECISION, *(way for way, _ in pairs)]),
            options=_any_of([option for _, option in pairs] or [catalogue.BY_LOG_LOSS]),
        )
    ]


def _are_unequal(counts: np.ndarray) -> bool:
    return bool(counts.min() < UNEQUAL * counts.max())


def _is_notable(n_changed: float, counts: np.ndarray) -> bool:
    """Whether so many rows have another label that it matters; of a rare class, few rows are many."""
    of_rare = OF_RARE * counts.min() if _are_unequal(counts) else np.inf
    return bool(n_changed >= max(FEWEST, min(OF_ALL * counts.sum(), of_rare)))


def _any_of(ways: list[str]) -> str:
    """Ways to go, for a sentence: this, that, or the other."""
    return f"{', '.join(ways[:-1])}{', or ' if len(ways) > 1 else ''}{ways[-1]}"
