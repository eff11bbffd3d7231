"""What the best of many settings owes to luck: its cross-validated score corrected for the choice.

A search announces the score of the setting that it took, and on few rows the largest of two hundred scores is
large by chance. The settings' answers to held-out rows tell by how much, and nothing is trained for it: of
shares of rows see `claim`; of any other score all folds but one choose, and the one that is left scores the
choice.

The same answers tell whether other rows would have chosen otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kernelwise._core.validation import copies_of
from kernelwise.findings import Finding, catalogue
from kernelwise.search.engine.scored_kernel import ScoredKernel, smooth, smoothed_scores
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.families.classification import Classification
from kernelwise.search.result import Choice
from kernelwise.search.verdict.claim import Luck, luck_of_best

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


def optimism(validator: CrossValidator, choice: Choice) -> Luck:
    """By how much the score of the choice exceeds that of the best setting on rows it was not chosen by.

    Never below zero; zero if there was one setting only, or if nothing is known of the settings' answers.
    Settings are compared as the search compares them, by scores averaged over neighbouring values of C.
    """
    if not validator.scorer.is_share:
        return Luck(max(0.0, _by_folds(validator.scored, choice)))
    known = [scored.labels for scored in validator.scored if scored.labels is not None]
    if sum(len(labels) for labels in known) < 2:
        return Luck(0.0)
    return _luck_among(validator, known)


def blend_luck(validator: CrossValidator, choice: Choice, answers: np.ndarray | None) -> Luck:
    """What a blend with these ``answers``, class indices or numbers of shape (n_tested,), owes to luck.

    The blends that answer held-out rows were chosen without them. Yet one that has learned nothing answers
    the class that happens to be more frequent. Other scores of classes than shares of right answers, such as
    ROC AUC, flatter blends of noise nearly as much as single settings: what these owe to luck is taken off.
    """
    if not isinstance(validator.family, Classification):
        return Luck(0.0)
    if not validator.scorer.is_share:
        return optimism(validator, choice)
    return Luck(0.0) if answers is None else _luck_among(validator, [answers[None]])


def _luck_among(validator: CrossValidator, known: list[np.ndarray]) -> Luck:
    """The luck of the best of labels, (n_Cs, n_tested) for each kernel, and of constant answers."""
    y, weight = validator.held_out.y[validator.tested], validator.held_out.weight[validator.tested]
    # A machine that has learned nothing answers the class that is more frequent by chance. Other rows might
    # have chosen another class, in the order of first rows: names do not matter.
    classes = y[np.sort(np.unique(y, return_index=True)[1])]
    constant = [(y == one)[None] for one in classes]
    return luck_of_best([*(labels == y for labels in known), *constant], weight, *validator.clusters)


def fold_correlation(validator: CrossValidator) -> float:
    """Correlation of the scores of two folds, which share training rows: 1/K of K folds.

    There is no unbiased estimate of it (Bengio & Grandvalet, JMLR 5, 2004). Nadeau & Bengio (Machine Learning
    52, 2003) take n₂/(n₁ + n₂) for folds that train on n₁ rows and hold out n₂.
    """
    n_trained, n_held = _rows_of_a_fold(validator)
    return n_held / (n_trained + n_held)


def training_factor(validator: CrossValidator) -> float:
    """The variance of a score as a multiple of that of its held-out rows: 2 - 1/K of K folds.

    The outcomes of held-out rows share the luck of the rows that their machines were trained on. The mean of
    J scores of correlation ρ has 1 + (J - 1) ρ times the variance that it would have without.
    """
    n_scores = validator.held_out.weight[validator.tested].sum() / _rows_of_a_fold(validator)[1]
    return float(1.0 + max(0.0, n_scores - 1.0) * fold_correlation(validator))


def _rows_of_a_fold(validator: CrossValidator) -> tuple[float, float]:
    """How many rows a fold trains on and holds out, by their weights, on average."""
    weight = validator.in_folds.weight
    sums = [(weight[train].sum(), weight[test].sum()) for train, test in validator.folds]
    n_trained, n_held = np.mean(sums, axis=0)
    return float(n_trained), float(n_held)


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
    cluster, varies = validator.clusters
    rest = np.bincount(cluster, weights=weight * varies * (lead - np.average(lead, weights=weight)))
    return max(error, float(np.sqrt((rest**2).sum()) / weight.sum()))


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
    n_drawn = round(copies_of(weight).sum())  # weights of a half, or a hundredth, are still one row each
    drawn = rng.multinomial(n_drawn, weight / weight.sum(), size=N_OTHER_DRAWS)
    return drawn[:, index] / validator.fold_rows.times[validator.tested]
