"""How good the chosen model is, as people are told: one score, its error, and the reasons."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from kernelwise.conformal import own_weight
from kernelwise.multiclass import STRATEGIES
from kernelwise.search.engine.rules import standard_error
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.families.regression import Regression
from kernelwise.search.result import Choice, SelectionResult
from kernelwise.search.scoring.scorers import HeldOutScorer
from kernelwise.search.verdict.baseline import baseline, decision_for_classes
from kernelwise.search.verdict.claim import Luck, error_of_rows, share_error
from kernelwise.search.verdict.optimism import blend_luck, fold_correlation, optimism, training_factor
from kernelwise.search.verdict.reasons import Summary, other_labels, other_rows, reasons

#: Parts of a fold that are left out, one after the other, to see what a score owes to single rows.
N_PARTS = 10


def shown_as_sure(validator: CrossValidator, labels: np.ndarray) -> np.ndarray:
    """What a scorer sees of models that are sure of these labels, (n_tested,): shape (1, n_held_out, ...)."""
    family = validator.family
    assert isinstance(family, Classification)
    sure = decision_for_classes(len(family.classes), STRATEGIES[family.multiclass].machines)
    sure = np.concatenate([sure, np.zeros_like(sure[:1])])  # the last, −1, is rejected
    decision = np.zeros((len(validator.held_out), *sure.shape[1:]))
    decision[validator.tested] = sure[labels]
    return np.asarray(family.as_shown(decision[None], decision[None]))


def labels_error(validator: CrossValidator, labels: np.ndarray | None) -> float:
    """Standard error of the score of held-out labels, class indices of shape (n_tested,).

    The jackknife within classes: the score without one row, for each class and each label that its rows got.
    Of balanced accuracy this is √(Σ r(1 − r)/(n − 1)) over the number of classes, with the recall r and the
    number n of rows of each class, so that eleven rows of a rare class have the error of eleven rows.

    NaN if the labels are not known, for scores that look at more than labels, for accuracy, whose error is
    that of a share, and if the time budget is over.
    """
    if labels is None or validator.scorer.is_share or not validator.goes_by_labels:
        return np.nan
    scorer, tested = validator.scorer, validator.fold_rows.asked[validator.tested]
    assert isinstance(scorer, HeldOutScorer)
    rows, weight, y = (
        validator.fold_rows.rows[tested],
        validator.fold_rows.weight[tested],
        validator.held_out.y,
    )
    truth, variance, unit = y[validator.tested], 0.0, own_weight(weight)
    for k in np.unique(truth):
        if validator.context.deadline.left <= 0.0:
            validator.context.deadline.skipped.append("the error of the score by its classes")
            return np.nan
        n = weight[truth == k].sum() / unit
        counts, scores = [], []
        for label in np.unique(labels[truth == k]):
            cell = np.flatnonzero((truth == k) & (labels == label))
            left = weight.astype(float)
            left[cell[0]] -= min(unit, weight[cell[0]])
            kept = left > 0.0
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # precision and the like warn of a class without rows
                scores.append(float(scorer(None, rows[kept], left[kept], labels[None, kept])[0]))
            counts.append(float(weight[cell].sum()) / unit)
        mean = np.average(scores, weights=counts)
        variance += (n - 1.0) / n * float(np.dot(counts, (np.array(scores) - mean) ** 2))
    return float(np.sqrt(max(variance, 0.0) * validator.n_times))


def rows_error(validator: CrossValidator, choice: Choice) -> float:
    """Standard error of a score such as ROC AUC or the log-loss, by what it loses without some of its rows.

    The jackknife of each fold: a tenth of its clusters of rows is left out at a time, of every class as many.
    Three or five folds say little about their own spread. NaN for a user's own function, which may need all
    rows, for copies of rows that folds part, for a class with one row, or group, in a fold, and if the time
    budget is over.
    """
    scorer, folds, strata = validator.scorer, validator.fold_rows, validator.held_out.strata
    cluster, varies = validator.clusters
    if not (isinstance(scorer, HeldOutScorer) and scorer.is_by_name) or (varies != 1.0).any():
        return np.nan
    # Clusters in the order of their folds and classes, whose names do not matter, and at random within these.
    _, at, of_class = np.unique(strata[validator.tested], return_index=True, return_inverse=True)
    first = np.unique(cluster, return_index=True)[1]
    at_random = np.random.default_rng(0).permutation(len(first))
    order = np.lexsort((at_random, at[of_class][first], folds.fold[validator.tested][first]))
    part = np.full(len(strata), -1)
    part[validator.tested] = (np.argsort(order) % N_PARTS)[cluster]
    values, variance = choice.scored_values(validator), 0.0
    for place in validator.places:
        scores = []
        for one in np.unique(part[place]):
            kept = place[part[place] != one]
            if validator.context.deadline.left <= 0.0:
                validator.context.deadline.skipped.append("the error of the score by its rows")
                return np.nan
            if set(strata[kept]) != set(strata[place]):  # what the only rows of a class change is unknown
                return np.nan
            rows = folds.asked[kept]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # R² and the like warn of a fold of one row
                scores.append(float(scorer(values[:, kept], folds.rows[rows], folds.weight[rows])[0]))
        variance += (len(scores) - 1) * float(np.var(scores))
    return float(np.sqrt(variance * validator.n_times)) / len(validator.places)


def r2_error(validator: CrossValidator, family: Regression, predicted: np.ndarray) -> float:
    """Standard error of R² of held-out predictions in units of y, (n_tested,): folds say little about it.

    R² is a ratio of means, whose errors add up by what each row changes: (e² - (1 - R²) t²) / (mean of t²)
    with its error e and its distance t from the mean. Clusters of rows are independent. NaN if y is constant.
    """
    weight = validator.held_out.weight[validator.tested]
    y = validator.held_out.y[validator.tested]
    if family.offset is None:
        predicted = family.standardised(predicted)
    else:  # logarithms; R² is that of y, in any unit
        y = family.in_units(y)
        y, predicted = y / np.abs(y).max(), predicted / np.abs(y).max()
    squares = (predicted - y) ** 2
    spread = (y - np.average(y, weights=weight)) ** 2
    if not spread.any():
        return np.nan
    ratio = np.average(squares, weights=weight) / np.average(spread, weights=weight)
    cluster, varies = validator.clusters
    change = np.bincount(cluster, weights=weight * varies * (squares - ratio * spread))
    return float(np.sqrt((change**2).sum()) / np.dot(weight, spread))


def told_error(
    validator: CrossValidator,
    choice: Choice,
    label_scores: np.ndarray | None,
    answers: np.ndarray | None,
    luck: Luck,
) -> float:
    """The error that is told with a score: how far that of new rows typically is from it.

    Beside held-out rows, the rows that models were trained on vary (`training_factor`), and so does what is
    chosen (``luck``). Arguments as of `announce`.
    """
    family = validator.family
    of_choice = choice.scored.labels
    labels = None if isinstance(family, Regression) else answers
    labels = of_choice[choice.index] if labels is None and of_choice is not None else labels
    if validator.scorer.is_share and labels is not None:
        is_right = labels == validator.held_out.y[validator.tested]
        of_rows = share_error(is_right, validator.held_out.weight[validator.tested], *validator.clusters)
    elif isinstance(family, Regression) and family.scoring in (None, "r2") and not family.quantiles:
        if answers is None:
            answers = family.in_units(choice.decision[validator.tested, 0].astype(float))
        of_rows = r2_error(validator, family, answers)
    else:
        of_rows = np.nan if validator.goes_by_labels and labels is not None else rows_error(validator, choice)
    if np.isnan(of_rows):
        scores = choice.scored.scores[choice.index] if label_scores is None else label_scores
        by_folds = float(standard_error(scores, validator.n_held_out, validator.scorer.is_share))
        if not validator.scorer.is_share:  # folds differ by less than they vary by: they vary together
            by_folds /= np.sqrt(1.0 - fold_correlation(validator))
        # Where a class has few rows, its error is larger than the spread over a few folds may show.
        of_rows = float(np.fmax(by_folds, labels_error(validator, labels)))
    return float(np.sqrt(of_rows**2 * training_factor(validator) + luck.variance))


def announce(
    result: SelectionResult,
    validator: CrossValidator,
    choice: Choice,
    label_scores: np.ndarray | None,
    answers: np.ndarray | None = None,
    luck: Luck | None = None,
    others: tuple[float, float] | None = None,
) -> SelectionResult:
    """The result with its score, baseline and reasons; everything that shows them takes them from here.

    The search compares models by their decision values. ``label_scores``, of shape (n_folds,), are the scores
    of the labels that the final model gives, where they are others: then their mean is what is announced.
    ``answers``, class indices or numbers of shape (n_tested,), are those of the final model to held-out rows,
    if they are known. ``luck`` is the `optimism` of the choice, if it is known. ``others`` are C of a final
    machine that the search did not compare, and how many rows beside the folds the scores are of.
    """
    if choice.members:
        luck = blend_luck(validator, choice, answers)
    guess, luck = baseline(validator), optimism(validator, choice) if luck is None else luck
    score = result.score if label_scores is None else float(label_scores.mean())
    if others is not None and label_scores is not None:
        C, n_others = others
        is_share = validator.scorer.is_share
        error = (
            error_of_rows(score, n_others)
            if is_share
            else float(standard_error(label_scores, n_others, False))
        )
        how = [other_rows(validator, choice, C, n_others)]
    else:
        C, error = choice.C, told_error(validator, choice, label_scores, answers, luck)
        how = other_labels(validator, choice, score)
    # Of a few rows, luck may be more than all of a share.
    corrected = max(0.0, score - luck.mean) if validator.scorer.is_share else score - luck.mean
    told = Summary(score, error, corrected, guess, C)
    return replace(
        result,
        score=score,
        standard_error=error,
        corrected_score=told.corrected,
        baseline=guess,
        why=tuple(reasons(validator, choice, told)),
        how=(*result.how, *how),
    )
