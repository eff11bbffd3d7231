"""How good the chosen model is, as people are told: one score, its error, and the reasons."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kernelwise.search.engine.rules import standard_error
from kernelwise.search.engine.validator import CrossValidator
from kernelwise.search.result import Choice, SelectionResult
from kernelwise.search.verdict.baseline import baseline
from kernelwise.search.verdict.labels_error import labels_error
from kernelwise.search.verdict.optimism import optimism
from kernelwise.search.verdict.reasons import Told, reasons


def announce(
    result: SelectionResult,
    judge: CrossValidator,
    choice: Choice,
    label_scores: np.ndarray | None,
    labels: np.ndarray | None = None,
    luck: float | None = None,
) -> SelectionResult:
    """The result with its score, baseline and reasons; everything that shows them takes them from here.

    The search compares models by their decision values. ``label_scores``, of shape (n_folds,), are the scores
    of the labels that the final model gives, where they are others: then their mean is what is announced.
    ``labels``, class indices of shape (n_tested,), are these labels if they are known: where a class has few
    rows, its error is larger than the spread over two or three folds may show. ``luck`` is the `optimism` of
    the choice, if it is known.
    """
    score, error = result.score, result.standard_error
    if label_scores is not None:
        score = float(label_scores.mean())
        error = float(standard_error(label_scores, judge.n_held_out, judge.scorer.is_share))
    error = float(np.fmax(error, labels_error(judge, labels)))
    guess, luck = baseline(judge), optimism(judge, choice) if luck is None else luck
    told = Told(score, error, score - luck, guess)
    return replace(
        result,
        score=score,
        standard_error=error,
        corrected_score=told.corrected,
        baseline=guess,
        why=(*reasons(judge, choice, told), *choice.why),
    )
