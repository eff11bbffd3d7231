"""What the best of many settings owes to luck: its cross-validated score corrected for the choice.

A search announces the score of the setting that it took, and on few rows the largest of two hundred scores is
large by chance. The settings' answers to held-out rows tell by how much, and nothing is trained for it.

Shares of rows: draw rows with replacement, let the draw choose the setting, and see how that setting does on
the rows that were not drawn. The mean over the draws is the score of "take the best" on rows that had no part
in the choice (bootstrap bias-corrected cross-validation: Tsamardinos, Greasidou & Borboudakis, Machine
Learning 107, 2018). Any other score: all folds but one choose, and the one that is left scores the choice.

The same answers tell whether other rows would have chosen otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernelwise.findings import Finding, catalogue
from kernelwise.search.engine.scored_kernel import ScoredKernel, smooth, smoothed_scores
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.result import Choice

N_DRAWS = 100
#: Standard errors of a score that is no share of rows by which it must exceed that of a constant answer: its
#: folds share training rows, so that all have the same luck, and their spread does not show it.
FEW = 2.0
#: Draws by which it is seen whether other rows would have chosen otherwise.
N_OTHER_DRAWS = 20
#: Share of rows that another winner must label differently to count.
DIFFERENT = 0.04
#: More rows than this are not looked at: a choice of so many is stable, or makes no difference.
MOST_ROWS = 2000


class Corrected(NamedTuple):
    """A score corrected for the choice among so many settings, and what its lead must exceed to count."""

    score: float
    min_significant_lead: float
    n_settings: int


def optimism(validator: CrossValidator, choice: Choice) -> float:
    """By how much the score of the choice exceeds that of the best setting on rows it was not chosen by.

    Never below zero; zero if there was one setting only, or if nothing is known of the settings' answers.
    Settings are compared as the search compares them, by scores averaged over neighbouring values of C.
    """
    if validator.scorer.is_share:
        return max(0.0, _by_draws(validator, choice))
    return max(0.0, _by_folds(validator.scored, choice))


def _by_draws(validator: CrossValidator, choice: Choice) -> float:
    known = [scored.labels for scored in validator.scored if scored.labels is not None]
    if not known or choice.scored.labels is None:
        return 0.0
    y, weight = validator.held_out.y[validator.tested], validator.held_out.weight[validator.tested]
    # Rows are drawn, with whatever weight they have: the copies of a row are right or wrong together.
    rng = np.random.default_rng(validator.random_state)
    row = np.unique(validator.fold_rows.asked[validator.tested], return_inverse=True)[1]
    n_rows = int(row.max()) + 1  # a row that several folds hold out is drawn with all its answers
    drawn = rng.integers(n_rows, size=(N_DRAWS, n_rows)) + n_rows * np.arange(N_DRAWS)[:, None]
    times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape)[:, row].T
    times = times[:, (times == 0).any(axis=0)]  # of few rows a draw may leave out none
    if not times.size:
        return 0.0
    inside, outside = weight[:, None] * times, weight[:, None] * (times == 0)
    best, score_of_best = np.full(times.shape[1], -np.inf), np.zeros(times.shape[1])
    for labels in known:
        is_right = np.equal(labels, y).astype(float)
        own = smooth(is_right @ inside)
        top, at = own.max(axis=0), own.argmax(axis=0)
        unseen = np.take_along_axis(is_right @ outside, at[None], axis=0)[0]
        score_of_best = np.where(top > best, unseen, score_of_best)
        best = np.maximum(best, top)
    of_choice = (choice.scored.labels[choice.index] == y) @ outside
    # The same rows for both: what a draw leaves out is no part of the difference.
    return float(np.mean((of_choice - score_of_best) / outside.sum(axis=0)))


def _by_folds(scored: list[ScoredKernel], choice: Choice) -> float:
    n_folds = choice.scored.scores.shape[1]
    if n_folds < 2:
        return 0.0
    losses = []
    for k in range(n_folds):
        others = np.delete(np.arange(n_folds), k)
        smoothed = [smoothed_scores(one.scores[:, others].mean(axis=1)) for one in scored]
        kernel = int(np.argmax([own.max() for own in smoothed]))
        unseen = scored[kernel].scores[int(np.argmax(smoothed[kernel])), k]
        losses.append(choice.scored.scores[choice.index, k] - unseen)
    return float(np.nan_to_num(np.mean(losses)))


def lead_error(validator: CrossValidator, labels: np.ndarray | None, error: float) -> float:
    """What the lead of a corrected score over a constant answer must exceed to count.

    Of a share of rows, the standard error of the lead of the ``labels``, class indices of shape (n_tested,),
    over the most frequent class on the same rows (those that both label correctly, or neither, say nothing),
    and no less than ``error``, that of the score. Of any other score `FEW` times its error, which comes from
    a few folds only; so, too, if the labels are not known.
    """
    error = float(np.nan_to_num(error))
    if labels is None or not validator.scorer.is_share:
        return FEW * error
    y, weight = validator.held_out.y[validator.tested], validator.held_out.weight[validator.tested]
    most = int(np.argmax(np.bincount(y, weights=weight)))
    lead = (labels == y).astype(float) - (y == most)
    mean = np.average(lead, weights=weight)
    return max(error, float(np.sqrt(np.average((lead - mean) ** 2, weights=weight) / validator.n_held_out)))


def stability_findings(validator: CrossValidator) -> list[Finding]:
    """A finding if most draws of the held-out rows, with replacement, prefer a clearly different candidate.

    For searches that go by the share of rows labelled correctly. Candidates are compared as the search
    compares them, by scores that are averaged over neighbouring values of C. Nothing is trained for it.
    """
    labels = [scored.labels for scored in validator.scored if scored.labels is not None]
    if not validator.scorer.is_share or not labels or len(validator.in_folds) > MOST_ROWS:
        return []
    weight = validator.held_out.weight[validator.tested]
    best, *winners = _winners(
        labels, validator.held_out.y[validator.tested], np.vstack([weight, _draws(validator)])
    )
    answers = labels[best[0]][best[1]]
    shares = [weight[labels[kernel][C] != answers].sum() / weight.sum() for kernel, C in winners]
    is_different = np.array(shares) > DIFFERENT
    if is_different.sum() <= N_OTHER_DRAWS / 2:
        return []
    return [
        catalogue.UNSTABLE(
            n_other=is_different.sum(),
            n_draws=N_OTHER_DRAWS,
            n_rows=validator.n_held_out,
            percent=100 * np.median(np.array(shares)[is_different]),
        )
    ]


def _winners(labels: list[np.ndarray], y: np.ndarray, weights: np.ndarray) -> list[tuple[int, int]]:
    """Number of the kernel and of its C with the highest smoothed score on rows of each of these weights."""
    smoothed = [smooth((own == y).astype(float) @ weights.T) for own in labels]
    kernels = np.argmax([own.max(axis=0) for own in smoothed], axis=0)
    return [(int(kernel), int(np.argmax(smoothed[kernel][:, k]))) for k, kernel in enumerate(kernels)]


def _draws(validator: CrossValidator) -> np.ndarray:
    """Weights of answers in each draw of as many samples as are held out, shape (n_draws, n_tested).

    A row is drawn with all its answers, which share its weight.
    """
    rng = np.random.default_rng(validator.random_state)
    rows, index = np.unique(validator.fold_rows.asked[validator.tested], return_inverse=True)
    weight = validator.in_folds.weight[rows]
    drawn = rng.multinomial(round(weight.sum()), weight / weight.sum(), size=N_OTHER_DRAWS)
    return drawn[:, index] / validator.fold_rows.times[validator.tested]
